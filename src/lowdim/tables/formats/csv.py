"""Text tables: .csv, .tsv, .txt, .data, also packed by gzip.

What a file is like is found from its first rows (`detect`), and so are the kinds of its columns
(`types`). A pass cuts the file into pieces of whole rows (`rows`), which our threads give to
pyarrow one by one: memory for a few pieces, whatever the size of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

from lowdim.core.threads import ordered_map
from lowdim.tables.errors import TableError, listed, plain, quoted
from lowdim.tables.formats.base import (
    ArrowTable,
    RaggedRow,
    RereadNeeded,
    TextColumns,
    needed,
    text_names,
)
from lowdim.tables.formats.detect import Layout, find_layout
from lowdim.tables.formats.encodings import is_valid, other_encoding, zero_bytes
from lowdim.tables.formats.form import WHITESPACE, TextFormat, read_as, spoken_separator
from lowdim.tables.formats.headers import unique_names
from lowdim.tables.formats.plain_rows import PlainReader
from lowdim.tables.formats.rows import (
    LONGEST_ROW,
    PIECE_BYTES,
    Cutter,
    Piece,
    TextSource,
    left_open,
    pieces,
    tabbed,
    undecodable,
    without_comments,
)
from lowdim.tables.formats.sample import Sample, further_rows, take_sample
from lowdim.tables.formats.spelling import spelling_of
from lowdim.tables.formats.types import Converter, blank_as_missing, find_types, is_text

MOST_COLUMNS = 100_000  # pyarrow takes 10 KB for each, in every piece
COLUMN_BYTES = 2**13  # of a piece, at least: each column costs time of its own
LARGE = 2**26  # bytes of a file from which it pays to have a kernel, which may have to be compiled
UNPACKED = 5  # a packed file is about so many times larger when unpacked
COMPLAINT = re.compile(r"Row #(?P<row>\d+):.*invalid value '(?P<value>.*)'", re.DOTALL)


class Misfit(NamedTuple):
    """A piece that could not be read as its columns are."""

    piece: Piece
    rows: bytes | bytearray  # of the piece, as given to pyarrow
    reason: str
    invalid: Any  # pyarrow's description of a row with another number of cells


class Unfit(NamedTuple):
    """A cell that its column cannot hold: not a number, though all before it are."""

    column: str
    value: str
    line: int


class TextTable(ArrowTable):
    """A text table.

    With `numbers`, it should hold numbers: digits are no identifiers, and what is no number further
    down is found only there.

    Attributes
    ----------
    form : TextFormat
        How it is written, as found or as said.
    read_as : str
        What is unusual about that; '' if nothing is.
    units : dict of str to str
        Units of columns, from the row beneath their names.
    given_names : list of str
        The row of names as it is written.
    """

    written_by_hand = True

    def __init__(
        self,
        source: TextSource,
        kind: str,
        form: TextFormat = TextFormat(),  # noqa: B008  (immutable)
        text_columns: TextColumns = (),
        *,
        numbers: bool = False,
    ):
        super().__init__()
        needed("pyarrow.csv", source.where, "; .npy files need nothing.")
        self.where, self._source = source.where, source
        self._may_change_encoding = form.encoding is None
        sample = take_sample(source, form.encoding)
        _check_width(source.where, sample.text, form)
        layout = find_layout(sample.text, form)
        self._cutter = Cutter(layout.form.separator or "", layout.form.quote or "", layout.newline)
        self.form = replace(layout.form, encoding=sample.encoding)
        self._skip = sample.offset + layout.skip
        self._set_names(layout)
        as_text = text_names(text_columns, self.names, self.where)
        self._converter = Converter(self.form, self.names)
        rows = self._sample_rows(sample, layout)
        if not (sample.is_all or numbers):
            rows += self._prepared(further_rows(source, sample.encoding, self._cutter))
        self._row_bytes = _bytes_per_row(rows)
        self._types = find_types(self._converter, rows, as_text, identifiers=not numbers)
        self.spelling = spelling_of(self._converter, rows, self._types)
        self._set_schema()
        self._kind, self.read_as = kind, ""
        self._note_form()
        if not rows and sample.is_all:
            self.n_rows = 0

    def _set_names(self, layout: Layout) -> None:
        header = layout.header
        self.named = header is not None
        if header is None:
            header = [f"column_{f + 1}" for f in range(layout.width)]
        elif len(header) == layout.width - 1:
            header = [*header, ""] if layout.ends_empty else ["", *header]
        self.given_names = header
        self.names, notes = unique_names(header, rows_first=True)
        self.notes += notes
        if layout.lead:
            self.notes.append(f"lines above the table that are left out: {layout.lead}")
        units = zip(self.names, layout.units or (), strict=False)
        self.units = {name: unit.strip() for name, unit in units if unit.strip()}
        if self.units:
            said = [f"{plain(name)} in {plain(unit)}" for name, unit in self.units.items()]
            self.notes.append(f"units: {listed(said)}")

    def _sample_rows(self, sample: Sample, layout: Layout) -> bytes:
        text = sample.text
        if sample.is_all:
            at = self._cutter.row_ends(text).open_quote
            if at >= 0:
                raise left_open(self._source, self._cutter, sample.offset + at, sample.encoding)
        else:
            text = text[: self._cutter.last_row_end(text)]
        rows = text[layout.skip :]
        return bytes(self._prepared(rows))

    def _note_form(self) -> None:
        self.notes = [note for note in self.notes if note != self.read_as]
        self.read_as = read_as(self.form, self._kind)
        self.notes[:0] = [self.read_as] if self.read_as else []

    def _set_schema(self) -> None:
        import pyarrow as pa

        self.schema = pa.schema([(name, self._types[name]) for name in self.names])

    @property
    def _file_bytes(self) -> int:
        """About the size of the text."""
        return self._source.size * (UNPACKED if self._source.packed else 1)

    @property
    def bytes_in_memory(self) -> float:
        return (
            self._file_bytes
            * _memory_per_row(self.schema, self._row_bytes)
            / max(self._row_bytes, 1)
        )

    def read_as_text(self, columns: Sequence[str]) -> None:
        """From now on, these columns are text."""
        import pyarrow as pa

        changed = [name for name in columns if not is_text(self._types[name])]
        if changed:
            self._types |= dict.fromkeys(changed, pa.string())
            self._set_schema()

    # ---- a pass ----------------------------------------------------------------------------------

    def _read(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        encoding, n_rows = str(self.form.encoding), 0
        unfit: list[Unfit] = []
        promised = self.schema
        piece_bytes = min(max(PIECE_BYTES, COLUMN_BYTES * len(self.names)), LONGEST_ROW)
        cut = pieces(self._source, encoding, self._cutter, self._skip, piece_bytes)

        types = {name: self._types[name] for name in columns}
        plain = PlainReader(self._converter, types) if self._pays_to_compile(types) else None

        def parse(piece: Piece) -> Any:
            return self._parse(piece, columns, plain)

        with closing(cut), closing(ordered_map(parse, cut)) as results:
            for table in results:
                if isinstance(table, Misfit):
                    table = self._mended(table, columns, unfit)
                n_rows += table.num_rows
                if not unfit and self.schema is not promised:
                    raise RereadNeeded(f"{self.where}: another pass found that a column is text.")
                if not unfit and table.num_rows:
                    yield table
        if unfit:
            column, value, line = unfit[0]
            raise RereadNeeded(
                f"{self.where}, line {line:,}: column {quoted(column)} has the value "
                f"{quoted(value)}, and other kinds of values above; it is read as text now.",
                column,
                value,
            )
        self.n_rows = n_rows

    def _pays_to_compile(self, types: dict[str, Any]) -> bool:
        """Whether kernels are worth it: in a large file, most of it numbers and text."""
        import pyarrow as pa

        others = sum(not is_text(type_) and type_ != pa.float64() for type_ in types.values())
        return self._file_bytes >= LARGE and 4 * others <= len(types)

    def _parse(self, piece: Piece, columns: Sequence[str], plain: PlainReader | None) -> Any:
        """A piece as a table, or a Misfit; on one of our threads."""
        import pyarrow as pa

        invalid: list[Any] = []

        def note_invalid(row: Any) -> str:
            if not row.text.strip():
                return "skip"
            invalid.append(row)
            return "error"

        if b"\0" in piece.rows:
            return Misfit(piece, piece.rows, "zero bytes", None)
        rows = self._prepared(piece.rows)
        if plain is not None and (table := plain.read(rows)) is not None:
            return blank_as_missing(table)
        types = {name: self._types[name] for name in columns}
        try:
            return blank_as_missing(self._converter.read(rows, types, columns, note_invalid))
        except pa.ArrowInvalid as error:
            return Misfit(piece, rows, str(error), invalid[0] if invalid else None)

    def _prepared(self, rows: bytes | bytearray) -> bytes | bytearray:
        """Rows as pyarrow reads them: without comments, and with tabs for blanks."""
        if self.form.comment:
            rows = without_comments(bytes(rows), self.form.comment.encode(), self._cutter)
        if self.form.separator == WHITESPACE:
            rows = tabbed(bytes(rows), self._cutter.quote)
        return rows

    # ---- pieces that do not fit ------------------------------------------------------------------

    def _mended(self, misfit: Misfit, columns: Sequence[str], unfit: list[Unfit]) -> Any:
        """The table after all, with columns as text that are no longer what they seemed.

        What was wrong with them is added to `unfit`.
        """
        if misfit.reason == "zero bytes":
            raise zero_bytes(self.where, self._line(misfit.piece, misfit.piece.rows.find(b"\0")))
        if misfit.invalid is not None:
            raise self._ragged(misfit)
        if not is_valid(bytes(misfit.rows), "utf-8"):
            raise self._other_encoding(misfit)
        read = {name: self._mended_column(name, misfit, unfit) for name in columns}
        table = next(iter(read.values()))
        for name in columns[1:]:
            table = table.append_column(read[name].schema.field(0), read[name].column(0))
        return table

    def _mended_column(self, name: str, misfit: Misfit, unfit: list[Unfit]) -> Any:
        """One column of a piece as a table."""
        import pyarrow as pa

        def read(type_: Any) -> Any:
            return self._converter.read(misfit.rows, {name: type_}, [name], lambda row: "skip")

        try:
            return blank_as_missing(read(self._types[name]))
        except pa.ArrowInvalid:
            texts = read(pa.string())
        self._converter.learn_missing(texts.column(0))
        try:
            return read(self._types[name])
        except pa.ArrowInvalid as error:
            unfit.append(Unfit(name, *self._place(misfit, str(error))))
            self.read_as_text([name])
            return blank_as_missing(texts)

    def _place(self, misfit: Misfit, reason: str) -> tuple[str, int]:
        """The value that pyarrow complains of, and its line."""
        found = COMPLAINT.search(reason)
        if not found:
            return reason, 0
        return found["value"], self._line_of_row(misfit.piece, int(found["row"]))

    def _ragged(self, misfit: Misfit) -> TableError:
        row = misfit.invalid
        return RaggedRow(
            self.where,
            self._line_of_row(misfit.piece, row.number),
            row.actual_columns,
            row.expected_columns,
            row.text,
            spoken_separator(self._cutter.separator),
        )

    def _other_encoding(self, misfit: Misfit) -> TableError:
        """What to do about bytes that are not UTF-8, after a sample that was."""
        rows = bytes(misfit.piece.rows)
        try:
            rows.decode()
            at = 0
        except UnicodeDecodeError as error:
            at = error.start
        line = self._line(misfit.piece, at)
        if not self._may_change_encoding:
            return undecodable(self.where, str(self.form.encoding), line)
        self._may_change_encoding = False
        self.form = replace(self.form, encoding=other_encoding(rows, self.where))
        self._note_form()
        return RereadNeeded(
            f"{self.where}, line {line:,}, is not in UTF-8; it is read in {self.form.encoding} now."
        )

    def _line_of_row(self, piece: Piece, number: int) -> int:
        """The line of the file with the row that pyarrow counts as this, from 1, in a piece."""
        comment = (self.form.comment or "").encode()
        start = 0
        for end in (*self._cutter.row_ends(piece.rows).ends.tolist(), len(piece.rows)):
            row = bytes(piece.rows[start:end])
            is_blank = not (
                row.strip() if self.form.separator == WHITESPACE else row.strip(b"\r\n")
            )
            if not is_blank and not (comment and row.startswith(comment)):
                number -= 1
                if number == 0:
                    break
            start = end
        return self._line(piece, start)

    def _line(self, piece: Piece, at: int) -> int:
        encoding, newline = str(self.form.encoding), self._cutter.newline
        return self._source.line_number(encoding, piece.offset + at, newline)


def _check_width(where: str, text: bytes, form: TextFormat) -> None:
    """Refuse a first line of very many cells, before they are looked at one by one."""
    line = text.lstrip().partition(b"\n")[0]
    known = form.separator not in (None, WHITESPACE, "")
    separators = (str(form.separator),) if known else (",", ";", "\t", "|")
    n_columns = 1 + max(line.count(separator.encode()) for separator in separators)
    if form.separator == WHITESPACE:
        n_columns = len(line.split())
    if n_columns > MOST_COLUMNS:
        raise TableError(
            f"{where} has {n_columns:,} columns; text tables are read up to {MOST_COLUMNS:,}.",
            "Keep it as .npy or .parquet; or, if these are no columns, name another {separator}",
        )


def _bytes_per_row(rows: bytes) -> float:
    return len(rows) / max(rows.count(b"\n"), rows.count(b"\r"), 1)


def _memory_per_row(schema: Any, row_bytes: float) -> float:
    """About the bytes that a row takes in memory."""
    import pyarrow.types as is_type

    texts = sum(is_type.is_string(field.type) for field in schema)
    return 8 * (len(schema) - texts) + texts * (row_bytes / max(len(schema), 1) + 4)
