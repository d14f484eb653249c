"""JSON: a file of objects, one in each line (.jsonl), or of columns or rows as a whole (.json).

{"a": 1, "b": "x"}                     .jsonl, read by pyarrow in pieces of whole lines
[{"a": 1, "b": "x"}, ...]              .json, rows
{"a": [1, ...], "b": ["x", ...]}       .json, columns; also {"a": {"0": 1, ...}, ...}, by pandas
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.tables.errors import TableError, plain, quoted
from lowdim.tables.formats.base import ArrowTable, HeldTable, RereadNeeded, needed
from lowdim.tables.formats.headers import unique_names
from lowdim.tables.formats.rows import PIECE_BYTES, Cutter, Piece, TextSource, pieces
from lowdim.tables.formats.sample import take_sample
from lowdim.tables.formats.types import joined_type

MOST_BYTES = 2**28  # of a .json file, which comes as a whole and takes ten times that in memory
MOST_NESTED = 50  # lists within lists; of very many, pyarrow would end the process
UNPACKED = 5  # a packed file is about so many times larger when unpacked

TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
CHANGE = re.compile(r"Column\(/(?P<column>.*)\) changed from (?P<before>\w+) to (?P<now>\w+)")
ROW = re.compile(r"in row (?P<row>\d+)")


# ---- one object in each line ---------------------------------------------------------------------


class JsonLinesTable(ArrowTable):
    """A file with one object in each line; fields of these objects are the columns."""

    def __init__(self, source: TextSource):
        super().__init__()
        self.where, self._source = source.where, source
        self._json = needed("pyarrow.json", source.where, "; .npy files need nothing.")
        self._cutter = Cutter("", "")
        sample = take_sample(source, None)
        self._encoding, self._skip = sample.encoding, sample.offset
        text = sample.text if sample.is_all else sample.text[: sample.text.rfind(b"\n") + 1]
        if not text.strip():
            raise TableError(f"{self.where} has no rows.", "It needs one object in each line.")
        self._set_schema(self._inferred(Piece(text, sample.offset)))

    def _set_schema(self, schema: Any) -> None:
        self.schema = schema
        self.names = list(schema.names)

    @property
    def bytes_in_memory(self) -> float:
        return 1.0 * self._source.size * (UNPACKED if self._source.packed else 1)

    def _read(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        cut = pieces(self._source, self._encoding, self._cutter, self._skip, PIECE_BYTES)
        n_rows, unfit = 0, None

        def parse(piece: Piece) -> Any:
            return self._parse(piece)

        with closing(cut), closing(ordered_map(parse, cut)) as results:
            for piece, table in results:
                if table is None or set(table.schema.names) - set(self.schema.names):
                    unfit = self._widened(piece) or unfit
                    continue
                n_rows += table.num_rows
                if unfit is None and table.num_rows:
                    yield table.select(list(columns))
        if unfit is not None:
            raise unfit
        self.n_rows = n_rows

    def _parse(self, piece: Piece) -> tuple[Piece, Any]:
        """The piece, and its rows; None if they do not fit the schema."""
        import pyarrow as pa

        try:
            return piece, self._rows(piece, self.schema)
        except pa.ArrowInvalid:
            return piece, None

    def _rows(self, piece: Piece, schema: Any) -> Any:
        import pyarrow as pa

        if nested(piece.rows) > MOST_NESTED:
            raise too_nested(self.where)
        return self._json.read_json(
            pa.BufferReader(piece.rows),
            self._json.ReadOptions(use_threads=False, block_size=len(piece.rows) + 1),
            self._json.ParseOptions(explicit_schema=schema),
        )

    def _inferred(self, piece: Piece) -> Any:
        """The schema of a piece alone."""
        import pyarrow as pa

        try:
            return self._rows(piece, None).schema
        except pa.ArrowInvalid as error:
            raise self._explained(piece, str(error)) from None

    def _widened(self, piece: Piece) -> RereadNeeded | None:
        """Make the schema fit a further piece; what did not fit, if it was not known before."""
        import pyarrow as pa

        found, fields = self._inferred(piece), {field.name: field.type for field in self.schema}
        new = [name for name in found.names if name not in fields]
        changed = [
            field.name for field in found if joined_type(fields.get(field.name), field.type) is None
        ]
        if changed:
            name = changed[0]
            raise self._mixed(piece.offset, name, str(fields[name]), str(found.field(name).type))
        before = dict(fields)
        fields |= {f.name: joined_type(fields.get(f.name), f.type) for f in found}
        self._set_schema(pa.schema(list(fields.items())))
        other = [*new, *(name for name in before if fields[name] != before[name])]
        if not other:
            return None
        line = self._source.line_number(self._encoding, piece.offset, b"\n")
        found_at = f"{self.where}, from line {line:,} on: column {quoted(other[0])}"
        if new and not self._may_grow:
            raise TableError(
                f"{found_at} is not in the first rows.",
                "Read the table into memory: leave out {stream}",
            )
        return RereadNeeded(f"{found_at} holds other kinds of values than above.", other[0])

    def _explained(self, piece: Piece, reason: str) -> TableError:
        row = ROW.search(reason)
        rows = bytes(piece.rows).split(b"\n", int(row["row"]) if row else 0)
        offset = piece.offset + len(piece.rows) - len(rows[-1])
        change = CHANGE.search(reason)
        if change and change["column"]:
            return self._mixed(offset, change["column"], change["before"], change["now"])
        line = self._source.line_number(self._encoding, offset, b"\n")
        return TableError(
            f"{self.where}, line {line:,}: this is not one object of JSON "
            f"({plain(reason.removeprefix('JSON parse error: '), 120)}).",
            "Write one object in each line; a list of objects goes into a file that ends in .json.",
        )

    def _mixed(self, offset: int, column: str, before: str, now: str) -> TableError:
        line = self._source.line_number(self._encoding, offset, b"\n")
        return TableError(
            f"{self.where}, line {line:,}: column {quoted(column)} holds {plain(now)} here and "
            f"{plain(before)} above.",
            "Write all values of a column as one kind.",
        )


def nested(text: bytes | bytearray) -> int:
    """How many lists and objects are within each other, at most."""
    opened = text.count(b"[") + text.count(b"{")
    if opened <= text.count(b"\n") + 1 and b"[" not in text:
        return 1
    signs = np.frombuffer(TEXT.sub(b"", text), np.uint8)
    steps = np.isin(signs, list(b"[{")).astype(np.int32) - np.isin(signs, list(b"]}"))
    return int(np.cumsum(steps).max(initial=0))


def too_nested(where: str) -> TableError:
    """The error for lists within lists within lists."""
    return TableError(
        f"{where} has more than {MOST_NESTED} lists or objects within each other.",
        "A table has values in its columns: numbers, texts, true, false, null.",
    )


# ---- rows or columns as a whole ------------------------------------------------------------------


class JsonTable(HeldTable):
    """A file with a list of objects, or with an object of columns."""

    def __init__(self, source: TextSource):
        super().__init__()
        self.where = source.where
        needed("pyarrow", source.where, "; .npy files need nothing.")
        content = _parsed(source)
        columns = _columns(content, source.where)
        names, self.notes = unique_names(list(columns))
        import pyarrow as pa

        self._hold_all(
            pa.table({n: _array(v) for n, v in zip(names, columns.values(), strict=True)})
        )
        self.names = names


def _parsed(source: TextSource) -> Any:
    text = source.start(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise TableError(
            f"{source.where} is larger than {MOST_BYTES // 2**20} MB, unpacked.",
            "Write one object in each line (.jsonl), which is read in parts.",
        )
    if nested(text) > MOST_NESTED:
        raise too_nested(source.where)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = "; if each line is one object, call it .jsonl" if error.msg == "Extra data" else ""
        raise TableError(
            f"{source.where}, line {error.lineno:,}: this is not JSON ({error.msg}).",
            f"Mend that line{lines}.",
        ) from None
    except (ValueError, RecursionError) as error:  # undecodable, or a number of 5000 digits
        reason = plain(str(error).partition(";")[0], 120)
        raise TableError(f"{source.where} cannot be read as JSON: {reason}.") from None


def _columns(content: Any, where: str) -> dict[str, list[Any]]:
    """Columns by their names, all of one length."""
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        names = dict.fromkeys(name for row in content for name in row)
        return {name: [row.get(name) for row in content] for name in names}
    columns = content if isinstance(content, dict) else {}
    if columns and all(isinstance(values, dict) for values in columns.values()):
        labels = dict.fromkeys(label for values in columns.values() for label in values)
        return {name: [values.get(label) for label in labels] for name, values in columns.items()}
    if not columns or not all(isinstance(values, list) for values in columns.values()):
        raise TableError(
            f"{where} holds no table.",
            'Write a list of rows, [{"a": 1}, {"a": 2}], or columns, {"a": [1, 2]}.',
        )
    lengths = {name: len(values) for name, values in columns.items()}
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise TableError(
                f"{where}: column {quoted(name)} has {length:,} values and {quoted(first)} has "
                f"{lengths[first]:,}.",
                "Write null where a value is missing.",
            )
    return columns


def _array(values: list[Any]) -> Any:
    """Values as a column; of several kinds, as they would be written."""
    import pyarrow as pa

    try:
        found = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array(
            [v if v is None or isinstance(v, str) else json.dumps(v) for v in values], pa.string()
        )
    return found.cast(pa.float64()) if pa.types.is_null(found.type) else found
