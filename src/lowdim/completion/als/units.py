"""The entries that ALS learns from, with their weights: their mean and their units.

    mean    = sum w x / sum w
    unit_j  = standard deviation of the entries of column j, shrunk towards that of all entries as
              if one more entry of usual size had been seen; or the root mean square of all

Two passes: squares are taken about the mean and in units of the mean size, so that neither an
offset nor tiny or huge units cost digits. Entries in memory are looked at a piece at a time.
"""

from __future__ import annotations

from operator import add
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.linalg.entries import observed
from lowdim.linalg.sparse import row_numbers

PIECE = 2**16  # entries that are looked at together


class WeightedEntries(NamedTuple):
    """Entries in memory and how much they count."""

    X: Any  # csr_array (n, d)
    by_entry: np.ndarray | None  # (entries,)
    by_row: np.ndarray | None  # (n,)

    @property
    def n_columns(self) -> int:
        return self.X.shape[1]

    @property
    def dtype(self) -> np.dtype:
        return self.X.dtype

    @property
    def weight(self) -> np.ndarray | None:
        """Of each entry for its column: times that of its row."""
        if self.by_row is None:
            return self.by_entry
        of_row = self.by_row[row_numbers(self.X)]
        return of_row if self.by_entry is None else self.by_entry * of_row

    def entry_sums(self) -> EntrySums:
        return entry_sums(self.X, self.weight, self.by_row)

    def column_sums(self, mean: float, size: float) -> ColumnSums:
        return column_sums(self.X, self.weight, mean, size)


class WeightedRows(NamedTuple):
    """Rows of a stream or a Dask collection and how often each counts."""

    rows: Blocks
    weight: np.ndarray | None  # (n,)

    @property
    def n_columns(self) -> int:
        return self.rows.n_columns

    @property
    def dtype(self) -> np.dtype:
        return self.rows.dtype

    def entry_sums(self) -> EntrySums:
        return self.rows.fold(_entry_sums_of_block, along=(self.weight,))

    def column_sums(self, mean: float, size: float) -> ColumnSums:
        return self.rows.fold(_column_sums_of_block, mean, size, along=(self.weight,))


class EntrySums(NamedTuple):
    """What all entries add up, weighted. Rows and columns without entries count nothing."""

    count: float  # type: ignore[assignment]  # weight of the observed entries
    n_rows: float  # weight of the rows that have entries
    by_column: np.ndarray  # (d,)  weight of the entries of each column
    sum_x: float
    sum_size: float  # of |x|
    negative: int  # how many entries are below 0


class ColumnSums(NamedTuple):
    """What the entries of each column add up, weighted; y = (x - mean) / size."""

    count: np.ndarray  # type: ignore[assignment]  # (d,)
    sum_y: np.ndarray  # (d,)
    sum_yy: np.ndarray  # (d,)


def entry_sums(X: Any, weight: np.ndarray | None, by_row: np.ndarray | None = None) -> EntrySums:
    """The sums of a csr_array whose entries (and rows) have these weights."""
    used = np.diff(X.indptr) > 0
    n_rows = float(np.count_nonzero(used) if by_row is None else by_row[used].sum())
    return _summed(_entry_sums_of_piece, X, weight, X.shape[1])._replace(n_rows=n_rows)


def column_sums(X: Any, weight: np.ndarray | None, mean: float, size: float) -> ColumnSums:
    """The sums by column of a csr_array whose entries have these weights."""
    return _summed(_column_sums_of_piece, X, weight, mean, size, X.shape[1])


def column_units(sums: ColumnSums, *, by_column: bool) -> np.ndarray:
    """Root mean square of the entries; by column, their standard deviations shrunk towards it."""
    overall = sums.sum_yy.sum() / sums.count.sum()
    overall = overall if overall > 0 else 1.0
    d = len(sums.count)
    if not by_column:
        return np.full(d, np.sqrt(overall))
    means = np.divide(sums.sum_y, sums.count, out=np.zeros(d), where=sums.count > 0)
    squares = np.maximum(sums.sum_yy - sums.count * means**2, 0.0)
    return np.sqrt((squares + overall) / (sums.count + 1.0))


def _entry_sums_of_block(X: Any, weight: np.ndarray | None) -> EntrySums:
    X = observed(X)
    return entry_sums(X, None if weight is None else weight[row_numbers(X)], weight)


def _column_sums_of_block(
    X: Any, mean: float, size: float, weight: np.ndarray | None
) -> ColumnSums:
    X = observed(X)
    return column_sums(X, None if weight is None else weight[row_numbers(X)], mean, size)


def _entry_sums_of_piece(j: np.ndarray, x: np.ndarray, w: np.ndarray, d: int) -> EntrySums:
    sums = float(w @ x), float(w @ np.abs(x)), int((x < 0).sum())
    return EntrySums(float(w.sum()), 0.0, np.bincount(j, w, d), *sums)


def _column_sums_of_piece(
    j: np.ndarray, x: np.ndarray, w: np.ndarray, mean: float, size: float, d: int
) -> ColumnSums:
    y = (x - mean) / size
    return ColumnSums(np.bincount(j, w, d), np.bincount(j, w * y, d), np.bincount(j, w * y * y, d))


def _summed(function: Any, X: Any, weight: np.ndarray | None, *params: Any) -> Any:
    """What function(columns, values in float64, weights) adds up, over pieces of the entries."""
    sums = None
    for start in range(0, max(X.nnz, 1), PIECE):
        cut = slice(start, start + PIECE)
        x = X.data[cut].astype(np.float64)
        w = np.ones(len(x)) if weight is None else weight[cut]
        part = function(X.indices[cut], x, w, *params)
        sums = part if sums is None else type(part)(*map(add, sums, part))
    return sums
