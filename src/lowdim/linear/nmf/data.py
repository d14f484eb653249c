"""X as the half-steps of NMF see it: products with the factors, in memory and by blocks.

In memory X V and X'W are large products on our threads, and a sparse X is not copied. From streams
and Dask one pass does the codes of a block and adds up what the components need.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.threads import shared_map
from lowdim.linalg.products import dense_times
from lowdim.linalg.sparse import (
    ALL,
    ENTRIES_PER_CUT,
    SparseInRuns,
    by_column,
    in_runs,
    row_cuts,
    sparse_times,
    with_values,
)
from lowdim.linear.nmf.half import Codes, CodeSums, Components, Half
from lowdim.linear.nmf.objective import in_unit, sorted_csr
from lowdim.linear.nmf.solvers import SOLVERS


class ColumnSums(NamedTuple):
    """What codes add up for the components."""

    gram: np.ndarray  # (k, k)  sum w w'
    product: np.ndarray  # (d, k)  sum x w'


class Complete(ABC):
    """Rows without missing values."""

    shape: tuple[int, int]
    dtype: np.dtype
    weight: np.ndarray | None

    @property
    @abstractmethod
    def squares(self) -> float:
        """Sum of x^2, rows weighted."""

    def components(self, sums: CodeSums, V: np.ndarray, half: Half) -> Components:
        """Components that lower J from V, given the codes that were added up."""
        G, product = sums.for_columns
        P, lower = product.astype(self.dtype, copy=False), SOLVERS[half.solver]
        P = P - P.dtype.type(half.penalty.l1) if half.penalty.l1 else P
        new, slope = lower(half.penalty.on(G), P, V, half.sweeps, half.order)
        wide = new.astype(np.float64, copy=False)
        fit = 0.5 * self.squares - np.vdot(product, wide) + 0.5 * np.vdot(G, gram(new))
        return Components(new, float(slope.sum()), max(float(fit), 0.0))


class InMemory(Complete):
    """Rows in an array or a sparse matrix."""

    def __init__(self, X: Any, weight: np.ndarray | None):
        self.shape, self.dtype = X.shape, X.dtype
        self.weight = weight
        self._X = sorted_csr(X) if sp.issparse(X) else X

    def entries(self, of_array: Callable) -> tuple[Any, Any]:
        """Stored entries by rows and by columns; of an array those that the function gives."""
        rows = self._X if sp.issparse(self._X) else of_array(self._X)
        return rows, by_column(rows)

    @cached_property
    def _in_runs(self) -> SparseInRuns:
        return in_runs(self._X)

    @cached_property
    def _rows_together(self) -> list[slice]:
        """Runs of rows whose codes are found together; BLAS takes all of an array."""
        if not sp.issparse(self._X):
            return [ALL]
        return [slice(*cut) for cut in row_cuts(self._X.indptr, ENTRIES_PER_CUT)]

    def times(self, V: np.ndarray, rows: slice = ALL) -> np.ndarray:
        """X V (n, k), or some consecutive rows of it."""
        V = V.astype(self.dtype, copy=False)
        if sp.issparse(self._X):
            return sparse_times(self._X, V, rows)
        return dense_times(self._X[rows], V)

    def back(self, W: np.ndarray) -> np.ndarray:
        """X'W (d, k), rows weighted."""
        W = weighted(W.astype(self.dtype, copy=False), self.weight)
        if sp.issparse(self._X):
            return self._in_runs.transposed_times(W)
        return dense_times(self._X.T, W)

    def gram_times(self, V: np.ndarray) -> np.ndarray:
        """X'X V, rows weighted."""
        return self.back(self.times(V))

    @cached_property
    def squares(self) -> float:
        return sum_squares(self._X, self.weight)

    def half(self, half: Half, V: np.ndarray, W: np.ndarray, last: np.ndarray) -> CodeSums:
        """New codes from W, and what they add up; X V of all rows is never in memory."""
        G, runs = gram(V), self._rows_together
        if len(runs) == 1:
            on, new, slope = lowered(self.times(V), G, half, W, last)
        else:
            slope, new = np.empty(len(W)), np.empty_like(W)
            on = np.empty_like(W) if half.stride else new

            def work(rows: slice) -> None:
                found = lowered(self.times(V, rows), G, half, W[rows], last[rows])
                on[rows], new[rows], slope[rows] = found

            shared_map(work, runs)
        sums = ColumnSums(gram(on, self.weight), self.back(on).astype(np.float64, copy=False))
        penalty = half.penalty.of(on, self.weight)
        return CodeSums(sums, total(slope, self.weight), penalty, Codes((on, new)))


class Blockwise(Complete):
    """Rows of a stream or of Dask."""

    def __init__(self, rows: Blocks, weight: np.ndarray | None):
        self._rows, self.weight = rows, weight
        self.shape, self.dtype = rows.shape, rows.dtype

    def times(self, V: np.ndarray) -> np.ndarray:
        return computed(self._rows.map(_times, V.astype(self.dtype)))

    def gram_times(self, V: np.ndarray) -> np.ndarray:
        return self._rows.fold(_gram_times, V, along=(self.weight,))

    @cached_property
    def squares(self) -> float:
        return float(self._rows.fold(sum_squares, along=(self.weight,)))

    def half(self, half: Half, V: np.ndarray, W: np.ndarray, last: np.ndarray) -> CodeSums:
        V = V.astype(self.dtype)
        return self._rows.fold(_half, half, V, gram(V), along=(self.weight, W, last))


def data_of(rows: Blocks, weight: np.ndarray | None, unit: float) -> InMemory | Blockwise:
    """Rows in their unit."""
    if rows.in_memory is not None:
        return InMemory(in_unit(rows.in_memory, unit), weight)
    return Blockwise(rows if unit == 1.0 else rows.seen(in_unit, unit), weight)


def lowered(
    P: np.ndarray, G: np.ndarray, half: Half, W: np.ndarray, last: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of some rows from P = X V: carried on, as found, and the slopes they met."""
    P = P - P.dtype.type(half.penalty.l1) if half.penalty.l1 else P
    new, slope = SOLVERS[half.solver](half.penalty.on(G), P, W, half.sweeps, half.order)
    return half.carried(new, last), new, slope


def _times(X: Any, V: np.ndarray) -> np.ndarray:
    return sparse_times(sorted_csr(X), V) if sp.issparse(X) else X @ V


def _gram_times(X: Any, V: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return _back(X, _times(X, V.astype(X.dtype)), weight)


def _back(X: Any, W: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return np.asarray(X.T @ weighted(W, weight))


def _half(X, half, V, G, weight, W, last):
    on, new, slope = lowered(_times(X, V), G, half, W, last)
    sums = ColumnSums(gram(on, weight), _back(X, on, weight).astype(np.float64))
    penalty = half.penalty.of(on, weight)
    return CodeSums(sums, total(slope, weight), penalty, Codes((on, new)))


# ---- sums ----------------------------------------------------------------------------------------


def gram(W: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """W'W (k, k) in float64, rows weighted."""
    W = W.astype(np.float64, copy=False)
    return dense_times(weighted(W, weight).T, W)


def weighted(W: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Rows times their weight."""
    return W if weight is None else W * weight[:, None].astype(W.dtype)


def total(by_row: np.ndarray, weight: np.ndarray | None) -> float:
    """The sum over rows, weighted."""
    return float(by_row.sum() if weight is None else weight @ by_row)


def sum_squares(X: Any, weight: np.ndarray | None) -> float:
    """Sum of x^2 of a block, rows weighted."""
    if sp.issparse(X) and weight is None:
        return float(np.einsum("e,e->", X.data, X.data, dtype=np.float64))
    if sp.issparse(X):
        X = with_values(X, np.square(X.data, dtype=np.float64))
        return total(X @ np.ones(X.shape[1]), weight)
    return total(np.einsum("ij,ij->i", X, X, dtype=np.float64), weight)


def computed(results: Any) -> np.ndarray:
    """Row-aligned results in memory."""
    return results.compute() if hasattr(results, "compute") else results
