"""Rows of files larger than memory, as numbers: what `fit` and `transform` take in place of X.

    rows = lowdim.stream("part-*.parquet")

A pass reads the files from start to end; the next chunk is read while the current one is worked on.
Memory: the chunk in work, the next one, and what the threads still hold of the one before. (An .npz
file is compressed and comes as a whole.)
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from lowdim.core.stream import CallableSource, Source, StreamBlocks, as_rows
from lowdim.tables.errors import TableError
from lowdim.tables.formats.base import RaggedRow, RereadNeeded, needed
from lowdim.tables.formats.form import TextFormat

KINDS = (".npy", ".npz", ".csv", ".tsv", ".parquet")
OTHERWISE = ", or stream .npy files."


def stream(
    source: str | Path | Sequence[str | Path] | Callable[[], Iterable],
    columns: Sequence[str] | Sequence[int] | None = None,
    chunk_rows: int | None = None,
) -> StreamBlocks:
    """Rows of files, read a chunk at a time; give it to `fit` or `transform` in place of X.

    Parameters
    ----------
    source : path, glob pattern, list of paths, or callable
        Files ending in .npy, .npz (one 2-D array, or a SciPy sparse matrix), .csv, .tsv or
        .parquet, taken one after the other (a pattern: in sorted order). Or a callable that
        returns a fresh iterator of 2-D arrays or sparse matrices each time it is called.
    columns : list of str or int, default=None
        Which columns, by name (.csv, .tsv, .parquet) or by number; None takes all.
    chunk_rows : int, default=None
        Rows read at a time; None reads about 8 MB. A callable's blocks stay as they come.

    Returns
    -------
    rows : StreamBlocks
        With `shape`, `dtype` and `feature_names`.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> def blocks():
    ...     random = np.random.default_rng(0)
    ...     for _ in range(4):
    ...         yield random.normal(size=(250, 3))
    >>> rows = lowdim.stream(blocks)
    >>> rows.shape
    (1000, 3)
    """
    if chunk_rows is not None and (not isinstance(chunk_rows, Integral) or chunk_rows < 1):
        raise ValueError(f"chunk_rows={chunk_rows!r} must be an int, at least 1, or None.")
    if columns is not None and (isinstance(columns, str | bytes) or len(columns) == 0):
        raise ValueError(f"columns={columns!r} must be a list of names or numbers, at least 1.")
    if callable(source):
        return StreamBlocks([CallableSource(source, columns)], chunk_rows)
    return StreamBlocks([_open(path, columns) for path in _paths(source)], chunk_rows)


def _paths(source: str | Path | Sequence[str | Path]) -> list[Path]:
    if isinstance(source, Path):
        return [source]
    if isinstance(source, str):
        if not glob.has_magic(source):
            return [Path(source)]
        found = sorted(glob.glob(source))
        if not found:
            raise FileNotFoundError(f"No file matches {source!r}.")
        return [Path(path) for path in found]
    if not isinstance(source, Sequence) or not source:
        raise TypeError(
            f"source={source!r} is not a path, a pattern, a list of paths or a callable that "
            "returns an iterator of blocks."
        )
    return [Path(path) for path in source]


def _open(path: Path, columns: Sequence | None) -> Source:
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise ValueError(
            f"{path} ends in {path.suffix!r}; a stream reads files ending in {', '.join(KINDS)}."
        )
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if not path.is_file():  # a pipe or a device would be waited for, and gives its rows only once
        raise ValueError(
            f"{path} is not a regular file; a stream is read again for every pass. Write what it "
            "gives to a file first."
        )
    if kind in (".npy", ".npz"):
        return _MatrixSource(path, columns)
    needed("pyarrow", str(path), OTHERWISE)
    return _ParquetSource(path, columns) if kind == ".parquet" else _TextSource(path, columns)


class _MatrixSource(Source):
    """A .npy or .npz file."""

    def __init__(self, path: Path, columns: Sequence | None):
        from lowdim.tables.formats.npy import NpyTable, NpzTable

        self.where, self._columns = str(path), columns
        opened = NpyTable if path.suffix.lower() == ".npy" else NpzTable
        self._opened = lambda: opened(self.where, str(path))  # an .npz file is held only in a pass
        table = self._opened()
        self.n_rows, self.is_sparse, self.dtype = table.n_rows, table.is_sparse, table.dtype
        self.n_columns = as_rows(np.empty((0, len(table.names))), columns, self.where).shape[1]

    def chunks(self, size: int) -> Generator[Any, None, None]:
        for rows in self._opened().chunks(None, size):
            yield as_rows(rows, self._columns, self.where)


class _NamedSource(Source):
    """A file whose columns have names: all that are asked for must be numbers."""

    names: list[str]
    _table: Any

    def _take(self, columns: Sequence | None, given: Sequence[str]) -> None:
        self.names = _wanted_columns(self._table, columns, given)
        self.n_columns = len(self.names)

    def chunks(self, size: int) -> Generator[Any, None, None]:
        with closing(self._table.chunks(self.names, size)) as chunks:
            for chunk in chunks:
                yield arrow_rows(chunk, self.dtype)


class _ParquetSource(_NamedSource):
    def __init__(self, path: Path, columns: Sequence | None):
        from lowdim.tables.formats.parquet import ParquetTable

        self.where = str(path)
        self._table = ParquetTable(self.where, str(path))
        self.n_rows = self._table.n_rows
        self._take(columns, [self._table.given[name][0] for name in self._table.names])
        kinds = {str(self._table.schema.field(name).type) for name in self.names}
        self.dtype = np.dtype(np.float32 if kinds == {"float"} else np.float64)


class _TextSource(_NamedSource):
    """A .csv or .tsv file with a line of names, commas or tabs, and points for decimals."""

    _unfit = ""  # a value that is no number

    def __init__(self, path: Path, columns: Sequence | None):
        from lowdim.tables.formats.csv import TextTable
        from lowdim.tables.formats.rows import TextSource

        self.where = str(path)
        form = TextFormat(
            separator="\t" if path.suffix.lower() == ".tsv" else ",",
            decimal=".",
            thousands="",
            quote='"',
            encoding="utf-8",
            header=True,
            comment="",
            units=False,
        )
        if path.stat().st_size == 0:
            raise self._not_numbers("empty CSV file")
        try:
            self._table = TextTable(TextSource(self.where, str(path)), ".csv", form, numbers=True)
        except TableError as error:
            raise self._not_numbers(error.found) from None
        self._take(columns, self._table.given_names)
        _refuse_numbers_as_names(self._table.given_names, self.where)

    def chunks(self, size: int) -> Generator[Any, None, None]:
        if self._unfit:
            raise self._not_numbers(self._unfit)
        try:
            yield from super().chunks(size)
        except RaggedRow as error:
            raise self._not_numbers(
                f"line {error.line}: Expected {error.n_expected} columns, got {error.n_found}"
            ) from None
        except RereadNeeded as error:  # the table would go on with text
            self._unfit = error.found
            raise self._not_numbers(error.found) from None
        except TableError as error:
            raise self._not_numbers(error.found) from None

    def _not_numbers(self, reason: str) -> ValueError:
        return ValueError(
            f"{self.where} has a line that cannot be read as numbers ({reason}). Take only numeric "
            "columns with columns=[...]; leave missing values empty."
        )


def _wanted_columns(table: Any, columns: Sequence | None, given: Sequence[str]) -> list[str]:
    """The columns asked for, if they are all there, once, and of numbers."""
    where, names = table.where, list(table.names)
    if columns is not None:
        unknown = [
            c for c in columns if c not in (names if isinstance(c, str) else range(len(names)))
        ]
        if unknown:
            raise ValueError(f"{where} has no column {unknown[0]!r}; it has {', '.join(names)}.")
        names = [c if isinstance(c, str) else names[c] for c in columns]
    twice = [name for name in names if list(given).count(name) > 1]
    if twice:
        raise ValueError(f"{where} has two columns with the name {twice[0]!r}; rename one of them.")
    others = [name for name in names if not _is_number(table.schema.field(name).type)]
    if others:
        raise ValueError(
            f"{where} has columns that are not numbers ({len(others)} of {len(names)}, first: "
            f"{others[0]!r}); name the columns to use with columns=[...]."
        )
    return names


def _is_number(type_: Any) -> bool:
    import pyarrow.types as types

    numeric = types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_)
    return bool(numeric or types.is_boolean(type_) or types.is_null(type_))


def _refuse_numbers_as_names(names: Sequence[str], where: str) -> None:
    def is_number(name: str) -> bool:
        try:
            float(name)
        except ValueError:
            return False
        return True

    if all(map(is_number, names)):
        raise ValueError(
            f"{where} has no line of column names: its first line is {', '.join(names[:6])}. Write "
            "names into the first line."
        )


def arrow_rows(table: Any, dtype: np.dtype) -> np.ndarray:
    """A table as a matrix; nulls become NaN, and integers beyond 2^53 the nearest float."""
    rows = np.empty((table.num_rows, table.num_columns), dtype=dtype)
    for f, column in enumerate(table.columns):
        start = 0
        for part in column.chunks:
            stop = start + len(part)
            rows[start:stop, f] = part.cast(dtype.name, safe=False).to_numpy(zero_copy_only=False)
            start = stop
    return rows
