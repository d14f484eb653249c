"""Tables in files, read a block of rows at a time.

    .csv .tsv .parquet    columns with names and kinds, read by pyarrow    ArrowTable
    .npy .npz             a matrix of numbers, or a sparse matrix          MatrixTable

A table that is streamed is read again for every pass.
"""

from __future__ import annotations

import codecs
import sys
import zipfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

STREAM_BYTES = 2**30  # tables above this are streamed, unless the user says otherwise
CSV_BLOCK_BYTES = 2**22  # also the longest line that can be read
PART_BYTES = 2**23  # of numbers, about this much is in work at a time
STANDARD_INPUT = "-"


@dataclass(frozen=True)
class CsvFormat:
    """How a text table is written."""

    delimiter: str | None = None  # None: comma, or tab for .tsv
    decimal: str = "."
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()  # marks of missing values beside the usual ones
    header: bool = True

    def __post_init__(self) -> None:
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise ValueError(
                f"--encoding {self.encoding} is not known; the usual ones are utf-8, latin-1, "
                "cp1252 and utf-16."
            ) from None


class Table(ABC):
    """Rows with columns of several kinds.

    Attributes
    ----------
    where : str
        The file, for messages.
    names : list of str
        Its columns; of a matrix, their numbers.
    named : bool
        Whether the columns have names of their own.
    kinds : dict of str to str
        What a column holds: 'number', 'true/false', 'text', 'dates or times', 'nothing', or else
        the name of its type.
    streamed : bool
        Whether `blocks` reads the file again, part by part.
    is_sparse : bool
    is_text : bool
        Whether the file is text, whose form the user can describe.
    """

    where: str
    names: list[str]
    kinds: dict[str, str]
    named = True
    streamed = False
    is_sparse = False
    is_text = False

    @abstractmethod
    def blocks(self, columns: Sequence[str], size: int | None = None) -> Iterator[Any]:
        """These columns, about `size` rows at a time."""

    @abstractmethod
    def dtype(self, columns: Sequence[str]) -> np.dtype:
        """float32 if all these columns are, else float64."""

    @abstractmethod
    def numbers(self, block: Any, columns: Sequence[str]) -> Any:
        """These columns of a block as a float matrix, NaN where a value is missing."""

    def text(self, block: Any, column: str) -> Any:
        """A column of a block as a pyarrow array of text, null where a value is missing."""
        raise TypeError(f"{self.where} is a matrix of numbers; it has no text.")

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise if one of the columns is not there."""
        for column in columns:
            if column not in self.kinds:
                raise ValueError(f"{self.where} has no column {column!r}; {self._hint(column)}")

    def _hint(self, column: str) -> str:
        if not self.named:
            return f"its columns are numbered from 0 to {len(self.names) - 1}."
        close = get_close_matches(column, self.names, n=1)
        return f"did you mean {close[0]!r}?" if close else f"it has {listed(self.names)}."


def open_table(
    path: str,
    csv_format: CsvFormat = CsvFormat(),  # noqa: B008  (immutable)
    *,
    as_text: Sequence[str] = (),
    stream: bool | None = None,
) -> Table:
    """Open a table by the ending of its name.

    Parameters
    ----------
    path : str
        A file ending in .csv, .tsv (both also with .gz), .parquet, .npy or .npz; '-' reads csv
        from standard input.
    csv_format : CsvFormat
    as_text : sequence of str
        Columns of a text table that stay as they are written: '007' is not the number 7.
    stream : bool or None
        Read in parts for every pass (True), or once into memory (False); None decides by size.
    """
    if path == STANDARD_INPUT:
        if stream:
            raise ValueError("Standard input can be read only once; --stream needs a file.")
        text = BytesIO(sys.stdin.buffer.read())
        return CsvTable("Standard input", lambda: _rewound(text), csv_format, as_text, False)
    file, kind = Path(path), table_kind(path)
    if not file.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if not file.is_file():
        raise ValueError(f"{path} is not a file; name a table that ends in {', '.join(_OPEN)}.")
    if file.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    if kind not in _OPEN:
        raise ValueError(
            f"{path} ends in {file.suffix!r}; tables are read from {', '.join(_OPEN)}."
        )
    return _OPEN[kind](path, csv_format, as_text, stream)


def _rows_at_a_time(n_columns: int) -> int:
    return max(1, PART_BYTES // (8 * max(n_columns, 1)))


def table_kind(path: str) -> str:
    """The ending that says what a file holds: of data.csv.gz it is .csv."""
    suffixes = Path(path.lower().removesuffix(".gz")).suffixes
    return suffixes[-1] if suffixes else ""


def listed(names: Sequence[str], most: int = 6) -> str:
    """The names between commas; of many, the first."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# ---- columns with names and kinds ----------------------------------------------------------------


class ArrowTable(Table):
    """A table whose blocks are pyarrow tables."""

    missing_marks: Sequence[str] = ("",)  # text that stands for no value

    def _set_columns(self, schema: Any) -> None:
        self.names = list(schema.names)
        for name, count in Counter(self.names).items():
            if count > 1:
                raise ValueError(
                    f"{self.where} has {count} columns named {name!r}; give every column a name of "
                    "its own."
                )
        self.kinds = {name: _kind(schema.field(name).type) for name in self.names}
        self._types = {name: schema.field(name).type for name in self.names}

    def dtype(self, columns: Sequence[str]) -> np.dtype:
        only_float32 = columns and all(str(self._types[name]) == "float" for name in columns)
        return np.dtype(np.float32 if only_float32 else np.float64)

    def numbers(self, block: Any, columns: Sequence[str]) -> np.ndarray:
        dtype = self.dtype(columns)
        X = np.empty((block.num_rows, len(columns)), dtype=dtype)
        for f, name in enumerate(columns):
            X[:, f] = block[name].cast(dtype.name, safe=False).to_numpy()
        return X

    def text(self, block: Any, column: str) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        text = block[column].cast(pa.string()).combine_chunks()
        marks = pa.array(self.missing_marks, pa.string())
        return pc.if_else(pc.is_in(text, value_set=marks), None, text)


class CsvTable(ArrowTable):
    """A text table; `source()` gives what pyarrow opens, from its start."""

    is_text = True

    def __init__(
        self,
        where: str,
        source: Callable[[], Any],
        csv_format: CsvFormat,
        as_text: Sequence[str],
        streamed: bool,
    ):
        self.where, self.streamed = where, streamed
        self._source, self._format, self._as_text = source, csv_format, as_text
        self._csv = pyarrow_module("csv", f"Reading {where}")
        self.missing_marks = [*self._csv.ConvertOptions().null_values, *csv_format.missing]
        with self._explained():
            if streamed:
                with self._reader() as reader:
                    schema, n_rows = reader.schema, sum(1 for _ in islice(reader, 1))
            else:
                self._table = self._csv.read_csv(source(), **self._options())
                schema, n_rows = self._table.schema, self._table.num_rows
            self._set_columns(schema)
        if n_rows == 0:
            raise ValueError(self._explanation("Empty CSV"))
        for other in "\t;|":
            if len(self.names) == 1 and other in self.names[0]:
                raise ValueError(
                    f"{where} has one column, {self.names[0]!r}; is {other!r} the delimiter? "
                    f"--delimiter {'tab' if other == chr(9) else repr(other)}"
                )
        for name, kind in self.kinds.items():
            if kind == "binary":  # pyarrow's word for text that it could not decode
                raise ValueError(self._not_decodable(f"column {name!r}"))

    def blocks(self, columns: Sequence[str], size: int | None = None) -> Iterator[Any]:
        import pyarrow as pa

        if not self.streamed:
            yield from _slices(self._table.select(columns), size)
            return
        with self._explained(), self._reader(columns) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch])

    def _reader(self, columns: Sequence[str] = ()) -> Any:
        return self._csv.open_csv(self._source(), **self._options(columns))

    def _options(self, columns: Sequence[str] = ()) -> dict[str, Any]:
        import pyarrow as pa

        types = dict.fromkeys(self._as_text, pa.string())
        for name in columns:
            # the first part decides on kinds; of numbers it may have seen only whole ones, or none
            is_number = self.kinds[name] in ("number", "nothing")
            types[name] = pa.float64() if is_number else self._types[name]
        form = self._format
        delimiter = form.delimiter or ("\t" if table_kind(self.where) == ".tsv" else ",")
        return {
            "read_options": self._csv.ReadOptions(
                block_size=CSV_BLOCK_BYTES,
                encoding=form.encoding,
                autogenerate_column_names=not form.header,
            ),
            "parse_options": self._csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            "convert_options": self._csv.ConvertOptions(
                column_types=types,
                include_columns=list(columns),
                null_values=self.missing_marks,
                decimal_point=form.decimal,
            ),
        }

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What pyarrow and codecs say about a text table, in words that help."""
        try:
            yield
        except UnicodeError:
            raise ValueError(self._not_decodable("it")) from None
        except pyarrow_module("lib", f"Reading {self.where}").ArrowException as error:
            raise ValueError(self._explanation(str(error))) from None

    def _explanation(self, problem: str) -> str:
        if "Empty CSV" in problem:
            return f"{self.where} has no rows; it needs a line of column names, and rows."
        if "invalid UTF8" in problem:
            return self._not_decodable("it")
        if "Expected" in problem and "columns, got" in problem:
            detail = problem.removeprefix("CSV parse error: ")
            return (
                f"{self.where} does not have the same number of fields in each line ({detail}). "
                "Mend that line; put quotes around text with a delimiter in it; or name another "
                "--delimiter."
            )
        if "conversion error" in problem:
            return (
                f"{self.where} has a value of another kind than its first rows ({problem}). Mark "
                "missing values with --missing, or leave the column out with --drop."
            )
        if "straddling" in problem:
            return (
                f"{self.where} has a line of more than {CSV_BLOCK_BYTES} bytes; is a quote left "
                "open? A table with that many columns is better kept as .parquet or .npy."
            )
        return f"{self.where} cannot be read as a text table: {problem}"

    def _not_decodable(self, what: str) -> str:
        return (
            f"{self.where} is not in {self._format.encoding}: {what} has characters that cannot be "
            "decoded. Try --encoding latin-1 (or cp1252, utf-16)."
        )


class ParquetTable(ArrowTable):
    """A parquet file."""

    def __init__(self, path: str, stream: bool | None):
        self.where, self._path = path, path
        self._parquet = pyarrow_module("parquet", f"Reading {path}")
        arrow = pyarrow_module("lib", f"Reading {path}")
        try:
            with self._file() as file:
                self._set_columns(file.schema_arrow)
                n_rows = file.metadata.num_rows
                large = n_rows * len(self.names) * 8 > STREAM_BYTES
                self.streamed = large if stream is None else stream
                self._table = None if self.streamed else file.read()
        except arrow.ArrowException as error:
            raise ValueError(f"{path} cannot be read as a parquet file: {error}") from None

    def blocks(self, columns: Sequence[str], size: int | None = None) -> Iterator[Any]:
        import pyarrow as pa

        if not self.streamed:
            assert self._table is not None
            yield from _slices(self._table.select(columns), size)
            return
        size = size or _rows_at_a_time(len(columns))
        with self._file() as file:
            for batch in file.iter_batches(batch_size=size, columns=list(columns)):
                yield pa.Table.from_batches([batch]).select(columns)

    def _file(self) -> Any:
        # with pyarrow's defaults, all that has been read of the file stays until it is closed
        return self._parquet.ParquetFile(self._path, pre_buffer=False, buffer_size=2**16)


def _slices(table: Any, size: int | None) -> Iterator[Any]:
    size = size or _rows_at_a_time(table.num_columns)
    for start in range(0, table.num_rows, size):
        yield table.slice(start, size)


def _kind(type_: Any) -> str:
    import pyarrow.types as types

    if types.is_dictionary(type_):
        return _kind(type_.value_type)
    if types.is_boolean(type_):
        return "true/false"
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_):
        return "number"
    if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return "text"
    if types.is_temporal(type_):
        return "dates or times"
    return "nothing" if types.is_null(type_) else str(type_)


def pyarrow_module(name: str, purpose: str) -> Any:
    """A module of pyarrow, or an error that says how to get it."""
    from importlib import import_module

    try:
        return import_module(f"pyarrow.{name}")
    except ImportError:
        raise ImportError(
            f'{purpose} needs pyarrow: pip install "lowdim[io]"; .npy files need nothing.'
        ) from None


# ---- matrices ------------------------------------------------------------------------------------


class MatrixTable(Table):
    """A matrix of numbers from a .npy or .npz file; its columns go by their numbers."""

    named = False

    def __init__(self, where: str, matrix: Any = None, rows: Any = None):
        self.where, self._matrix, self._rows = where, matrix, rows
        self.streamed = rows is not None
        source = rows if self.streamed else matrix
        self.is_sparse = False if self.streamed else sp.issparse(matrix)
        self._dtype = np.dtype(np.float32 if source.dtype == np.float32 else np.float64)
        self.names = [str(f) for f in range(source.shape[1])]
        self.kinds = dict.fromkeys(self.names, "number")

    def blocks(self, columns: Sequence[str], size: int | None = None) -> Iterator[Any]:
        size = size or _rows_at_a_time(len(self.names))
        if self.streamed:
            yield from (block for (block,) in self._rows.batches(size))
        else:
            for start in range(0, self._matrix.shape[0], size):
                yield self._matrix[start : start + size]

    def dtype(self, columns: Sequence[str]) -> np.dtype:
        return self._dtype

    def numbers(self, block: Any, columns: Sequence[str]) -> Any:
        block = block.astype(self._dtype, copy=False)
        return block if columns == self.names else block[:, [int(name) for name in columns]]


def _open_npy(path: str, stream: bool | None) -> Table:
    large = Path(path).stat().st_size > STREAM_BYTES
    if large if stream is None else stream:
        import lowdim

        with _numpy_errors(path):
            return MatrixTable(path, rows=lowdim.stream(path))
    with _numpy_errors(path):
        return MatrixTable(path, matrix=_checked_matrix(np.load(path), path))


def _open_npz(path: str, stream: bool | None) -> Table:
    if stream:
        raise ValueError(f"{path} cannot be read in parts; --stream needs .npy, .csv or .parquet.")
    with _numpy_errors(path), open(path, "rb") as file, np.load(file) as arrays:
        if "format" in arrays and "indptr" in arrays:
            return MatrixTable(path, matrix=sp.csr_array(sp.load_npz(path)))
        names = [name for name in arrays.files if arrays[name].ndim == 2]
        if len(names) != 1:
            raise ValueError(
                f"{path} holds {len(names)} matrices ({listed(arrays.files)}); exactly one is "
                "needed. Save the one you mean as .npy."
            )
        return MatrixTable(path, matrix=_checked_matrix(arrays[names[0]], path))


def _checked_matrix(matrix: np.ndarray, path: str) -> np.ndarray:
    if matrix.ndim != 2:
        raise ValueError(
            f"{path} holds an array of shape {matrix.shape}; a matrix (rows, columns) is needed."
        )
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{path} holds values of type {matrix.dtype}; numbers are needed.")
    return matrix


@contextmanager
def _numpy_errors(path: str) -> Iterator[None]:
    """NumPy's complaints about damaged files, with the file's name."""
    try:
        yield
    except (EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    except ValueError as error:
        if path in str(error):
            raise
        reason = "it is damaged, or holds Python objects" if "pickle" in str(error) else error
        raise ValueError(f"{path} cannot be read: {reason}.") from None


def _rewound(buffer: BytesIO) -> BytesIO:
    buffer.seek(0)
    return buffer


def _open_text(
    path: str, csv_format: CsvFormat, as_text: Sequence[str], stream: bool | None
) -> Table:
    with open(path, "rb") as file:
        start = b"" if path.lower().endswith(".gz") else file.read(1024)
    if b"\0" in start and "16" not in csv_format.encoding and "32" not in csv_format.encoding:
        raise ValueError(
            f"{path} is not a text table in {csv_format.encoding}: it has zero bytes. If a "
            "spreadsheet saved it as Unicode, try --encoding utf-16."
        )
    large = Path(path).stat().st_size > STREAM_BYTES
    return CsvTable(path, lambda: path, csv_format, as_text, large if stream is None else stream)


_OPEN: dict[str, Callable[[str, CsvFormat, Sequence[str], bool | None], Table]] = {
    ".csv": _open_text,
    ".tsv": _open_text,
    ".parquet": lambda path, csv_format, as_text, stream: ParquetTable(path, stream),
    ".npy": lambda path, csv_format, as_text, stream: _open_npy(path, stream),
    ".npz": lambda path, csv_format, as_text, stream: _open_npz(path, stream),
}
