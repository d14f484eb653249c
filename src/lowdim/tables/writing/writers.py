"""Writers of tables, one for each kind of file: rows in chunks to an open file.

`writing.py` opens the file, and says what is written how.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np

from lowdim.tables.errors import TableError, listed, plain, quoted
from lowdim.tables.frames.series import is_arrow_text
from lowdim.tables.table import rows_at_a_time
from lowdim.tables.writing import cells

HELD_BYTES = 2**26  # kept back at most, while a column has had no value that shows its type
BLOCK = 2**20  # bytes that are copied at a time


class Outlet:
    """A file to which libraries write, until it is thrown away: then they write to nowhere.

    Some of them write once more when they are collected, and would complain about a closed file.
    """

    def __init__(self, file: BinaryIO):
        self._file = file

    def discard(self) -> None:
        self._file = io.BytesIO()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class TableWriter(ABC):
    """Writes one table, a chunk of rows at a time.

    Parameters
    ----------
    file : binary file
    where : str
        What to call it in messages.
    digits : dict of str to int, optional
        Decimals with which columns are written.
    """

    def __init__(self, file: BinaryIO, where: str, digits: Mapping[str, int] | None = None):
        self.file, self.where, self.digits = Outlet(file), plain(where, 200), dict(digits or {})
        self.names: list[str] = []
        self.spelling: Mapping[str, Any] = {}  # of flags and dates in csv

    def write(self, chunk: Any, names: Sequence[str] | None = None) -> None:
        """Add rows.

        Parameters
        ----------
        chunk : data frame, or ndarray of shape (n, d)
            A pandas, polars or pyarrow table, or a matrix; with the same columns each time.
        names : sequence of str, optional
            Of the columns of a matrix; by default their numbers.
        """
        library("pyarrow", self.where)
        table = cells.as_arrow(chunk, names)
        is_first = self._check_names(table.column_names)
        self._add(table, is_first)

    @abstractmethod
    def _add(self, table: Any, is_first: bool) -> None:
        """Add the rows of a pyarrow table of `cells.as_arrow`."""

    def finish(self) -> None:
        """Write what is left to write."""
        if not self.names:
            raise TableError(f"{self.where} would be empty: not even its columns are known.")

    def release(self) -> None:
        """Let go of what is held; the file is thrown away."""
        self.file.discard()

    def _check_names(self, names: Sequence[str]) -> bool:
        """Whether these are the first rows; all rows have the same columns."""
        if not names:
            raise TableError(f"{self.where} would have no columns.")
        if self.names and self.names != list(names):
            raise TableError(
                f"{self.where} has the columns {listed(self.names)}; further rows have "
                f"{listed(names)}."
            )
        is_first, self.names = not self.names, list(names)
        return is_first


def library(name: str, where: str) -> Any:
    """A module that not everybody has, or an ImportError that says what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f'Writing {where} needs {name}: pip install "lowdim[io]"') from error


# ---- text ----------------------------------------------------------------------------------------


class TextWriter(TableWriter):
    """What writers of text share: parts of a chunk, cells of a column."""

    def __init__(self, file: BinaryIO, where: str, digits: Mapping[str, int] | None = None):
        super().__init__(file, where, digits)
        self._finest: dict[str, int] = {}  # of dates so far: no date is written coarser

    def _parts(self, table: Any) -> Iterator[list[Any]]:
        """The columns of about a million cells at a time."""
        for name, column in zip(table.column_names, table.columns, strict=True):
            if cells.is_time(column.type):
                finest = self._finest.get(name, cells.DAY)
                self._finest[name] = max(finest, cells.fineness_of(column))
        size = rows_at_a_time(table.num_columns)
        for start in range(0, table.num_rows, size):
            yield [column.combine_chunks() for column in table.slice(start, size).columns]

    def _cells(self, name: str, column: Any) -> Any:
        return cells.cells(name, column, self.digits.get(name), self._finest.get(name, cells.DAY))


class CsvWriter(TextWriter):
    """Text with commas between cells, and quotes only where they are needed."""

    separator = ","

    def _add(self, table: Any, is_first: bool) -> None:
        import pyarrow as pa

        if is_first:
            names = pa.array(self.names, pa.large_string())
            written = cells.csv_quoted(names, self.separator, is_names=True)
            self.file.write((self.separator.join(written.to_pylist()) + "\n").encode())
        # a line without anything in it is skipped on reading
        missing = '""' if len(self.names) == 1 else ""
        for part in self._parts(table):
            columns = [self._cell(*pair) for pair in zip(self.names, part, strict=True)]
            columns = [c.fill_null(missing) if c.null_count else c for c in columns]
            self.file.write(cells.lines(columns, self.separator))

    def _cell(self, name: str, column: Any) -> Any:
        spelled = cells.spelled(column, self.spelling.get(name), self._finest.get(name, cells.DAY))
        if spelled is not None:
            return spelled
        written = self._cells(name, column)
        is_text = is_arrow_text(column.type)
        return cells.csv_quoted(written, self.separator) if is_text else written


class TabsWriter(CsvWriter):
    """Text with tabs between cells."""

    separator = "\t"


class JsonLinesWriter(TextWriter):
    """One JSON object per line."""

    def _add(self, table: Any, is_first: bool) -> None:
        for part in self._parts(table):
            self._put([self._member(*pair) for pair in zip(self.names, part, strict=True)])

    def _put(self, members: list[Any]) -> None:
        self.file.write(cells.lines(members, ", ", before="{", after="}\n"))

    def _member(self, name: str, column: Any) -> Any:
        """The column as '"name": value'."""
        cells.check_finite(self.where, name, column)
        written = self._cells(name, column)
        if is_arrow_text(column.type):
            written = cells.json_quoted(written)
        elif cells.is_date(column.type):
            written = cells.joined('"', written, '"')
        key = json.dumps(name, ensure_ascii=False)
        return cells.joined(f"{key}: ", written.fill_null("null"))


class JsonWriter(JsonLinesWriter):
    """A JSON list of objects, one per line."""

    _opening = b"["

    def _put(self, members: list[Any]) -> None:
        written = cells.lines(members, ", ", before=",\n{", after="}")
        # the first object has no comma before it
        self.file.write(self._opening + written[1:] if self._opening else written)
        self._opening = b""

    def finish(self) -> None:
        super().finish()
        self.file.write(self._opening + b"\n]\n")


# ---- Arrow ---------------------------------------------------------------------------------------


class ArrowWriter(TableWriter):
    """An Arrow file. Its types are those of the first rows in which a column has any."""

    compression: str | None = None

    def __init__(self, file: BinaryIO, where: str, digits: Mapping[str, int] | None = None):
        super().__init__(file, where, digits)
        self._held: list[Any] = []
        self._schema: Any = None
        self._sink: Any = None

    def _add(self, table: Any, is_first: bool) -> None:
        if self._schema is not None:
            self._put(table)
            return
        import pyarrow as pa

        self._held.append(table)
        schema = _first_types(self._held)
        unknown = any(pa.types.is_null(kind) for kind in schema.types)
        if unknown and sum(part.nbytes for part in self._held) > HELD_BYTES:
            # still without any value: whatever comes fits into text
            schema = pa.schema([_text_if_unknown(field) for field in schema])
            unknown = False
        if not unknown:
            self._begin(schema)

    def finish(self) -> None:
        super().finish()
        if self._schema is None:
            self._begin(_first_types(self._held))
        self._sink.close()

    def _begin(self, schema: Any) -> None:
        import pyarrow as pa

        try:
            self._sink, self._schema = self._open(schema), schema
        except pa.ArrowNotImplementedError as error:
            raise TableError(f"{self.where} cannot be written: {plain(error, 200)}.") from None
        held, self._held = self._held, []
        for table in held:
            self._put(table)

    def _put(self, table: Any) -> None:
        import pyarrow as pa

        if table.num_rows == 0:
            return
        columns = [
            _as_type(self.where, *pair) for pair in zip(self._schema, table.columns, strict=True)
        ]
        self._write(pa.table(columns, schema=self._schema))

    def _open(self, schema: Any) -> Any:
        import pyarrow as pa

        options = pa.ipc.IpcWriteOptions(compression=self.compression)
        return pa.ipc.new_file(self.file, schema, options=options)

    def _write(self, table: Any) -> None:
        self._sink.write_table(table)


class FeatherWriter(ArrowWriter):
    """A Feather file: an Arrow file that is compressed."""

    compression = "lz4"


class ParquetWriter(ArrowWriter):
    """A parquet file, with a row group per chunk."""

    def _open(self, schema: Any) -> Any:
        import pyarrow.parquet as pq

        return pq.ParquetWriter(self.file, schema)

    def _write(self, table: Any) -> None:
        self._sink.write_table(table, row_group_size=table.num_rows)


def _first_types(tables: Sequence[Any]) -> Any:
    """A schema with the first type of each column that is not null."""
    import pyarrow as pa

    fields = []
    for same in zip(*(table.schema for table in tables), strict=True):
        known = [field for field in same if not pa.types.is_null(field.type)]
        fields.append((known or same)[0])
    return pa.schema(fields)


def _text_if_unknown(field: Any) -> Any:
    import pyarrow as pa

    return field.with_type(pa.large_string()) if pa.types.is_null(field.type) else field


def _as_type(where: str, field: Any, column: Any) -> Any:
    """The column with the type that the file has for it."""
    import pyarrow as pa

    try:
        return column.cast(field.type)
    except pa.ArrowException:
        raise TableError(
            f"{where}: column {quoted(field.name)} is {field.type} in its first rows and "
            f"{column.type} further on."
        ) from None


# ---- matrices ------------------------------------------------------------------------------------


class NpyWriter(TableWriter):
    """A matrix; the number of rows is put into its header at the end.

    Its type is that of the matrices that come in. Data frames give whole numbers (int64) if all
    columns hold such and no value is missing, float32 if all are, else float64.
    """

    def __init__(self, file: BinaryIO, where: str, digits: Mapping[str, int] | None = None):
        super().__init__(file, where, digits)
        self._dtype = np.dtype(np.float64)
        self._n_rows = 0

    def write(self, chunk: Any, names: Sequence[str] | None = None) -> None:
        if not isinstance(chunk, np.ndarray):
            super().write(chunk, names)
            return
        if chunk.dtype.kind not in "biuf":
            raise TableError(f"{self.where} holds numbers; values are of type {chunk.dtype}.")
        is_first = self._check_names(cells.matrix_names(chunk, names))
        self._put(chunk, is_first)

    def finish(self) -> None:
        super().finish()
        self.file.seek(0)
        self._write_header()

    def _add(self, table: Any, is_first: bool) -> None:
        without_values = self._dtype if self._dtype.kind == "f" else np.dtype(np.float64)
        self._put(_matrix(self.where, table, without_values), is_first)

    def _put(self, rows: np.ndarray, is_first: bool) -> None:
        if is_first:
            self._dtype = rows.dtype.newbyteorder("<")
            self._write_header()
        elif self._dtype == np.int64 and rows.dtype == np.float64:
            self._become_float64()  # the first missing value
        if not np.can_cast(rows.dtype, self._dtype):
            raise TableError(
                f"{self.where} holds {self._dtype} in its first rows, and {rows.dtype} further on."
            )
        if rows.dtype.kind in "iu" and self._dtype.kind == "f":
            rows = _exact_floats(self.where, rows)
        self.file.write(np.ascontiguousarray(rows, dtype=self._dtype).data)
        self._n_rows += len(rows)

    def _write_header(self) -> None:
        header = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            # NumPy leaves room for the number of rows to grow: the header's length stays the same
            "shape": (self._n_rows, len(self.names)),
        }
        np.lib.format.write_array_header_1_0(self.file, header)

    def _become_float64(self) -> None:
        """Write the whole numbers again that are in the file already; both take 8 bytes."""
        end = self.file.tell()
        position = end - self._n_rows * len(self.names) * 8
        while position < end:
            self.file.seek(position)
            whole = np.frombuffer(self.file.read(min(BLOCK, end - position)), "<i8")
            self.file.seek(position)
            self.file.write(_exact_floats(self.where, whole).data)
            position += whole.nbytes
        self._dtype = np.dtype("<f8")


class NpzWriter(NpyWriter):
    """The matrix as 'X', and the 'names' of its columns."""

    def __init__(self, file: BinaryIO, where: str, digits: Mapping[str, int] | None = None):
        # a zip needs to know how long X is before it begins
        self._matrix = tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(where)))
        self._archive = file
        super().__init__(self._matrix, where, digits)

    def finish(self) -> None:
        super().finish()
        self._matrix.seek(0)
        with zipfile.ZipFile(self._archive, "w") as archive:
            with archive.open(zipfile.ZipInfo("X.npy"), "w", force_zip64=True) as entry:
                shutil.copyfileobj(self._matrix, entry, BLOCK)
            with archive.open(zipfile.ZipInfo("names.npy"), "w") as entry:
                np.lib.format.write_array(entry, np.array(self.names), allow_pickle=False)
        self._matrix.close()

    def release(self) -> None:
        super().release()
        self._matrix.close()


def _matrix(where: str, table: Any, without_values: np.dtype) -> np.ndarray:
    """The columns of a pyarrow table as one matrix, NaN where values are missing."""
    import pyarrow as pa

    kinds = table.schema.types
    for name, kind in zip(table.column_names, kinds, strict=True):
        if not cells.is_number(kind):
            raise TableError(
                f"{where} holds numbers only; column {quoted(name)} is {kind}.",
                "Leave it out, or write to .csv or .parquet.",
            )
    known = set(kinds) - {pa.null()}
    whole = all(pa.types.is_integer(kind) or pa.types.is_boolean(kind) for kind in kinds)
    if whole and not any(column.null_count for column in table.columns):
        target = pa.int64()
    else:
        target = pa.float32() if known == {pa.float32()} else pa.float64()
        target = target if known else pa.from_numpy_dtype(without_values)
    rows = np.empty((table.num_rows, table.num_columns), target.to_pandas_dtype(), order="F")
    for f, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        rows[:, f] = cells.as_numbers(where, name, column, target).to_numpy()
    return rows


def _exact_floats(where: str, whole: np.ndarray) -> np.ndarray:
    """Whole numbers as float64, if none of them loses a digit."""
    if np.any((whole > cells.EXACT) | (whole < -cells.EXACT)):
        raise TableError(
            f"{where} holds float64; whole numbers beyond 2^53 would lose digits.",
            "Leave their column out, or write to .csv or .parquet.",
        )
    return whole.astype("<f8")
