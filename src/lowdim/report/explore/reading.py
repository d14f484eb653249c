"""A table of any source as named columns: numbers, text or dates, holes included.

    .csv .tsv .parquet .npy .npz     read by `lowdim.tables`
    pandas, polars, pyarrow          through narwhals
    NumPy, SciPy sparse              columns named by their numbers

Text is kept as codes into its sorted distinct values, so that a million rows of it stay small.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from lowdim.tables import CsvFormat, open_table

DAY = np.timedelta64(1, "D")
MOST_CELLS = 2**28  # a sparse matrix is shown as a table only below this


@dataclass(frozen=True)
class RawColumn:
    """A column as it was read.

    Attributes
    ----------
    name : str
    form : {'number', 'date', 'text', 'other'}
        What its values are; 'other' cannot be read (lists, bytes).
    numbers : ndarray of float (n,) or None
        Of 'number' and 'date' (days since 1970): the values, NaN where there is none.
    codes : ndarray of int (n,) or None
        Of 'text': places in `values`, -1 where there is none.
    values : list of str
        Of 'text': the distinct values, sorted.
    integer : bool
        Whether numbers were written as whole ones.
    n_infinite : int
        How many values were infinite; they are read as missing.
    """

    name: str
    form: str
    numbers: np.ndarray | None = None
    codes: np.ndarray | None = None
    values: Sequence[str] = ()
    integer: bool = False
    n_infinite: int = 0

    @property
    def missing(self) -> np.ndarray:
        """Where there is no value, (n,) bool."""
        if self.codes is not None:
            return self.codes < 0
        assert self.numbers is not None
        return np.isnan(self.numbers)

    def take(self, rows: np.ndarray) -> RawColumn:
        """The same column of some of the rows."""
        numbers = None if self.numbers is None else self.numbers[rows]
        codes = None if self.codes is None else self.codes[rows]
        return RawColumn(
            self.name, self.form, numbers, codes, self.values, self.integer, self.n_infinite
        )


@dataclass(frozen=True)
class RawTable:
    """Columns of one length, and where they come from ('' for an object in memory)."""

    columns: list[RawColumn]
    n_rows: int
    where: str = ""

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def column(self, name: str) -> RawColumn:
        """The column of this name."""
        return self.columns[self.names.index(name)]

    def take(self, rows: np.ndarray) -> RawTable:
        """Some of the rows."""
        return RawTable([column.take(rows) for column in self.columns], len(rows), self.where)


def read_table(
    source: Any, csv_format: CsvFormat | None = None, as_text: Sequence[str] = ()
) -> RawTable:
    """Read a table.

    Parameters
    ----------
    source : path, data frame, array or RawTable
        A file that ends in .csv, .tsv, .parquet, .npy or .npz; a pandas, polars or pyarrow table; a
        matrix.
    csv_format : lowdim.tables.CsvFormat or None
        How a text file is written; None means commas, decimal points and UTF-8.
    as_text : sequence of str
        Columns of a text file that stay as they are written: '007' is not the number 7.
    """
    if isinstance(source, RawTable):
        return source
    if isinstance(source, str | os.PathLike):
        return _checked(_of_file(os.fspath(source), csv_format, as_text))
    if sp.issparse(source):
        return _checked(_of_matrix(_dense(source)))
    if isinstance(source, np.ndarray | list | tuple):
        return _checked(_of_matrix(_matrix(source)))
    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        raise TypeError(
            f"A table cannot be read from {type(source).__name__}; give the path of a file, a "
            "pandas, polars or pyarrow table, or a matrix."
        ) from None
    names = [str(name) for name in frame.columns]
    columns = [_of_series(name, frame[key]) for name, key in zip(names, frame.columns, strict=True)]
    return _checked(RawTable(columns, len(frame)))


def _checked(table: RawTable) -> RawTable:
    if table.n_rows == 0 or not table.columns:
        raise ValueError(
            f"The table has {table.n_rows} rows and {len(table.columns)} columns: there is nothing "
            "to explore."
        )
    name, count = Counter(table.names).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"The table has {count} columns named {name!r}; give every column a name of its own."
        )
    return table


# ---- files ---------------------------------------------------------------------------------------


def _of_file(path: str, csv_format: CsvFormat | None, as_text: Sequence[str]) -> RawTable:
    table = open_table(path, csv_format or CsvFormat(), as_text=as_text, stream=False)
    if not table.named:
        (X,) = list(table.blocks(table.names, size=2**62))
        matrix = _dense(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        return RawTable(_of_matrix(matrix).columns, len(matrix), path)
    (block,) = list(table.blocks(table.names, size=2**62)) or [None]
    n = 0 if block is None else block.num_rows
    columns = [_of_arrow(table, block, name) for name in table.names] if n else []
    return RawTable(columns, n, path)


def _of_arrow(table: Any, block: Any, name: str) -> RawColumn:
    kind = table.kinds[name]
    if kind == "number":
        integer = str(block[name].type).lstrip("u").startswith("int")
        return _number(name, table.numbers(block, [name])[:, 0], integer)
    if kind == "dates or times":
        return _temporal(name, block[name].to_numpy())
    if kind == "nothing":
        return _number(name, np.full(block.num_rows, np.nan))
    if kind not in ("text", "true/false"):
        return RawColumn(name, "other", np.full(block.num_rows, np.nan))
    words = table.text(block, name).dictionary_encode()
    return _text(
        name,
        words.indices.fill_null(-1).to_numpy(zero_copy_only=False),
        words.dictionary.to_pylist(),
    )


# ---- objects in memory ---------------------------------------------------------------------------


def _matrix(source: Any) -> np.ndarray:
    X = np.asarray(source)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"An array of shape {X.shape} and type {X.dtype} is not a table; give a matrix of "
            "numbers, or a data frame."
        )
    return X.astype(np.float64)


def _dense(X: Any) -> np.ndarray:
    if X.shape[0] * X.shape[1] > MOST_CELLS:
        raise ValueError(
            f"A sparse matrix of {X.shape[0]} x {X.shape[1]} is too large to show as a table; "
            "explore some of its columns, or use lowdim.PCA on it."
        )
    return np.asarray(X.toarray(), dtype=np.float64)


def _of_matrix(X: np.ndarray) -> RawTable:
    columns = [
        _number(str(f), X[:, f], bool(np.all(X[:, f] == np.round(X[:, f]))))
        for f in range(X.shape[1])
    ]
    return RawTable(columns, len(X))


def _of_series(name: str, series: Any) -> RawColumn:
    dtype = series.dtype
    if dtype.is_numeric():
        values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
        return _number(name, values, dtype.is_integer())
    if dtype in (nw.Date, nw.Datetime):
        return _temporal(name, series.cast(nw.Datetime("us")).to_numpy())
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Boolean, nw.Object):
        return _of_words(name, series.to_list())
    return RawColumn(name, "other", np.full(len(series), np.nan))


def _of_words(name: str, words: Iterable[Any]) -> RawColumn:
    """Text, from any values with None or NaN where there is none."""
    place: dict[str, int] = {}
    codes = []
    for word in words:
        absent = word is None or word != word or type(word).__name__ in ("NAType", "NaTType")
        codes.append(-1 if absent else place.setdefault(str(word), len(place)))
    return _text(name, np.array(codes, dtype=np.int64), list(place))


def _number(name: str, values: np.ndarray, integer: bool = False) -> RawColumn:
    infinite = np.isinf(values)
    numbers = np.where(infinite, np.nan, values).astype(np.float64)
    return RawColumn(name, "number", numbers, integer=integer, n_infinite=int(infinite.sum()))


def _temporal(name: str, values: np.ndarray) -> RawColumn:
    """Days since 1970; a time of day or a duration is no date."""
    if values.dtype.kind != "M":
        try:
            values = np.array(values, dtype="datetime64[us]")
        except (TypeError, ValueError):
            return RawColumn(name, "other", np.full(len(values), np.nan))
    days = (values - np.datetime64("1970-01-01")) / DAY
    return RawColumn(name, "date", np.where(np.isnat(values), np.nan, days))


def _text(name: str, codes: np.ndarray, values: Sequence[str]) -> RawColumn:
    """With the values sorted, and empty text as missing."""
    order = sorted(range(len(values)), key=lambda j: values[j])
    order = [j for j in order if values[j].strip()]
    place = np.full(len(values) + 1, -1, dtype=np.int32)  # the last is for missing, -1
    place[order] = np.arange(len(order))
    return RawColumn(name, "text", codes=place[codes], values=[values[j] for j in order])
