"""Rows of which only some entries count: missing values (NaN), and weights by entry.

Both become a csr_array of the entries that count, explicit zeros included, and their weights; the
half-steps are those of `observed.py`. For the first factors, what is missing is the mean of its
column.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.numeric import numeric_array
from lowdim.core.session import belongs_to_fit
from lowdim.core.sparse import checked_sparse
from lowdim.linalg.entries import observed, with_short_indices
from lowdim.linalg.ridge import Regression, Systems, row_systems
from lowdim.linalg.sparse import (
    both_ways,
    by_column,
    row_numbers,
    sparse_times,
    with_values,
)
from lowdim.linear.nmf.data import computed, total
from lowdim.linear.nmf.half import Codes, CodeSums, Components, Half
from lowdim.linear.nmf.objective import in_unit
from lowdim.linear.nmf.observed import fits, lower_rows, lower_systems


class Counted(NamedTuple):
    """The entries that count."""

    rows: Blocks  # of csr_arrays
    weight: Any  # csr_array of the same entries, in memory; None: all count the same


def counted_entries(rows: Blocks, entry_weight: Any, who: str) -> Counted:
    """The entries of opened rows that count."""
    if entry_weight is None:
        if rows.in_memory is None:
            return Counted(rows.seen(refusing_stored_nan, who).seen(observed), None)
        refuse_stored_nan(rows.in_memory, who)
        return Counted(ArrayBlocks(observed(rows.in_memory)), None)
    if rows.in_memory is None:
        raise ValueError(
            "entry_weight needs data in memory; X is a stream or a Dask collection. Give it an "
            "array, or weights of whole rows as sample_weight."
        )
    shape = (rows.all_rows.shape[0], rows.n_columns)
    weight = rows.part_of(_checked_weights(entry_weight, shape))
    X = _at_weights(rows.in_memory, weight)
    belongs_to_fit(ArrayBlocks(X.weight), "entry_weight")
    return Counted(ArrayBlocks(X.values), X.weight)


class _Weighed(NamedTuple):
    values: Any  # csr_array
    weight: Any  # csr_array of the same entries


def _checked_weights(weight: Any, shape: tuple[int, int]) -> Any:
    """Weights of entries as an array or a csr_array, 0 or more."""
    if sp.issparse(weight):
        weight = sp.csr_array(checked_sparse(weight, "entry_weight"), dtype=np.float64)
    else:
        weight = numeric_array(weight, "entry_weight", "a fit with weights").astype(np.float64)
    if weight.shape != shape:
        raise ValueError(f"entry_weight has shape {weight.shape}, and X has {shape}.")
    values = weight.data if sp.issparse(weight) else weight
    if not np.isfinite(values).all():
        raise ValueError("entry_weight has NaN or infinity; give entries that do not count 0.")
    if (values < 0).any():
        raise ValueError(
            f"entry_weight has the negative value {values.min():g}; weights say how much an entry "
            "counts and must be 0 or more."
        )
    if not values.any():
        raise ValueError("entry_weight has no entry above 0: nothing is left to learn from.")
    return weight


def _at_weights(X: Any, weight: Any) -> _Weighed:
    """The entries of X whose weight is above 0 and that are not missing."""
    if sp.issparse(X) and not sp.issparse(weight):
        X = X.toarray()
    if not sp.issparse(weight):
        known = np.where(weight > 0, X, np.nan)
        values = observed(known)
        i = row_numbers(values)
        return _Weighed(values, with_values(values, weight[i, values.indices]))
    places = with_short_indices(_canonical(weight))
    found = np.asarray(X[row_numbers(places), places.indices]).ravel()
    keep = (places.data > 0) & ~np.isnan(found)
    counts = np.bincount(row_numbers(places)[keep], minlength=places.shape[0])
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(places.indptr.dtype)
    parts = (found[keep].astype(X.dtype), places.indices[keep], indptr)
    values = sp.csr_array(parts, shape=places.shape)
    values.has_canonical_format = True
    return _Weighed(values, with_values(values, places.data[keep]))


def _canonical(X: Any) -> Any:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def refusing_stored_nan(X: Any, who: str) -> Any:
    """X itself."""
    refuse_stored_nan(X, who)
    return X


def refuse_stored_nan(X: Any, who: str) -> None:
    """Of a sparse matrix, what is not stored is observed: a stored NaN leaves nothing sparse."""
    if sp.issparse(X) and np.isnan(X.data).any():
        raise ValueError(
            f"X is sparse and {np.count_nonzero(np.isnan(X.data))} of its stored entries are NaN; "
            f"for {who} entries that are not stored are observed zeros. Give X as an array, or "
            "a sparse entry_weight that stores only the entries that were observed."
        )


# ---- in memory -----------------------------------------------------------------------------------


class ObservedInMemory:
    """The entries that count, by rows and by columns."""

    def __init__(self, X: Any, by_entry: Any, weight: np.ndarray | None):
        self.shape, self.dtype, self.weight = X.shape, X.dtype, weight
        self._both = both_ways(X)
        self._by_entry = None if by_entry is None else by_entry.data
        w = self._by_entry
        if weight is not None:
            by_row = weight[row_numbers(X)]
            w = by_row if w is None else w * by_row
        self._w = w  # of entries, rows weighted
        self._w_columns = None if w is None else w[self._both.order]

    @cached_property
    def squares(self) -> float:
        squares = np.square(self._both.values, dtype=np.float64)
        return float(squares.sum() if self._w is None else self._w @ squares)

    @cached_property
    def _centred(self) -> tuple[Any, np.ndarray]:
        """The entries less the mean of their column, and these means."""
        X, d = self._both.by_rows, self.shape[1]
        w = np.ones(X.nnz) if self._w is None else self._w
        sums = np.bincount(X.indices, w * X.data, d), np.bincount(X.indices, w, d)
        mean = np.divide(*sums, out=np.zeros(d), where=sums[1] > 0).astype(self.dtype)
        return self._both.with_values(X.data - mean[X.indices]), mean

    def times(self, V: np.ndarray) -> np.ndarray:
        """X V (n, k), column means for what is missing."""
        S, mean = self._centred
        return S.times(V.astype(self.dtype, copy=False)) + (mean @ V).astype(self.dtype)

    def gram_times(self, V: np.ndarray) -> np.ndarray:
        """X'X V, column means for what is missing, rows weighted."""
        S, mean = self._centred
        W = self.times(V)
        W = W if self.weight is None else W * self.weight[:, None].astype(W.dtype)
        return S.transposed_times(W) + np.outer(mean, W.sum(axis=0))

    def half(self, half: Half, V: np.ndarray, W: np.ndarray, last: np.ndarray) -> CodeSums:
        """New codes from W."""
        new, slope, _ = lower_rows(self._both.by_rows, self._by_entry, V, W, half)
        on = half.carried(new, last)
        penalty = half.penalty.of(on, self.weight)
        return CodeSums(on, total(slope, self.weight), penalty, Codes((on, new)))

    def components(self, sums: CodeSums, V: np.ndarray, half: Half) -> Components:
        """Components that lower J from V, given these codes."""
        columns = self._both.by_columns
        new, slope, fit = lower_rows(columns, self._w_columns, sums.for_columns, V, half)
        return Components(new, float(slope.sum()), float(fit.sum()))


# ---- by blocks -----------------------------------------------------------------------------------


class ColumnSystems(NamedTuple):
    """What codes add up for the components: a small system for each column."""

    systems: Systems
    squares: np.ndarray  # (d,)  sum_o x^2


class ObservedBlockwise:
    """The entries of a stream or of Dask."""

    def __init__(self, rows: Blocks, weight: np.ndarray | None):
        self._rows, self.weight = rows, weight
        self.shape, self.dtype = rows.shape, rows.dtype

    @cached_property
    def _columns(self) -> _Columns:
        return self._rows.fold(_column_sums, along=(self.weight,))

    @property
    def squares(self) -> float:
        return float(self._columns.squares)

    @cached_property
    def _mean(self) -> np.ndarray:
        _, n, sum_x = self._columns
        return np.divide(sum_x, n, out=np.zeros(len(n)), where=n > 0).astype(self.dtype)

    def times(self, V: np.ndarray) -> np.ndarray:
        """X V (n, k), column means for what is missing."""
        return computed(self._rows.map(_filled_times, V.astype(self.dtype), self._mean))

    def gram_times(self, V: np.ndarray) -> np.ndarray:
        """X'X V, column means for what is missing, rows weighted."""
        V = V.astype(self.dtype)
        return self._rows.fold(_filled_gram_times, V, self._mean, along=(self.weight,))

    def half(self, half: Half, V: np.ndarray, W: np.ndarray, last: np.ndarray) -> CodeSums:
        """New codes from W, and what they add up."""
        V = V.astype(self.dtype)
        return self._rows.fold(_half, half, V, along=(self.weight, W, last))

    def components(self, sums: CodeSums, V: np.ndarray, half: Half) -> Components:
        """Components that lower J from V, given the codes that were added up."""
        systems, squares = sums.for_columns
        new, slope = lower_systems(Systems(*systems), V, half)
        new = new.astype(self.dtype)
        fit = fits(systems, squares, new.astype(np.float64))
        return Components(new, float(slope.sum()), float(fit.sum()))


def observed_data(
    counted: Counted, weight: np.ndarray | None, unit: float
) -> ObservedInMemory | ObservedBlockwise:
    """The entries that count, in the unit."""
    if counted.rows.in_memory is not None:
        return ObservedInMemory(in_unit(counted.rows.in_memory, unit), counted.weight, weight)
    rows = counted.rows
    return ObservedBlockwise(rows if unit == 1.0 else rows.seen(in_unit, unit), weight)


class _Columns(NamedTuple):
    squares: float
    count: np.ndarray  # type: ignore[assignment]  # (d,)  weight of the entries of each column
    sum_x: np.ndarray  # (d,)


def _column_sums(X: Any, weight: np.ndarray | None) -> _Columns:
    d, w = X.shape[1], np.ones(X.nnz) if weight is None else weight[row_numbers(X)]
    squares = float(w @ np.square(X.data, dtype=np.float64))
    return _Columns(squares, np.bincount(X.indices, w, d), np.bincount(X.indices, w * X.data, d))


def _filled_times(X: Any, V: np.ndarray, mean: np.ndarray) -> np.ndarray:
    S = with_values(X, X.data - mean[X.indices])
    return sparse_times(S, V) + mean @ V


def _filled_gram_times(
    X: Any, V: np.ndarray, mean: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    S = with_values(X, X.data - mean[X.indices])
    W = sparse_times(S, V) + mean @ V
    W = W if weight is None else W * weight[:, None].astype(W.dtype)
    return np.asarray(S.T @ W) + np.outer(mean, W.sum(axis=0))


def _half(X, half, V, weight, W, last):
    new, slope, _ = lower_rows(X, None, V, W, half)
    on = half.carried(new, last)
    w = None if weight is None else weight[row_numbers(X)]
    columns = by_column(X)
    if w is not None:
        w = by_column(with_values(X, w)).data
    k = on.shape[1]
    systems = row_systems(columns, Regression(on, np.zeros(len(on)), np.zeros(k)), weight=w)
    squares = np.square(columns.data, dtype=np.float64) * (1.0 if w is None else w)
    by = np.bincount(row_numbers(columns), squares, columns.shape[0])
    sums = ColumnSystems(systems, by)
    return CodeSums(sums, total(slope, weight), half.penalty.of(on, weight), Codes((on, new)))
