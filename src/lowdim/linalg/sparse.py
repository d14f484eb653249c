"""Sparse matrices: products on threads, products at entries, and their largest singular values.

    S V, S'U            runs of rows, or of columns, on threads, whose number changes no bit
    (L R')_ij           only where S has an entry
    A = S + L R'        sparse plus low rank; L (n, k), R (d, k)
    A = U diag(s) V'    its largest singular values, or those of S

X + step * P(Y - X), where P keeps the entries that were observed, is sparse plus low rank for every
model X = L R'. A product with b vectors costs O((N + (n + d) k) b) for N stored entries, and A is
never written down. The largest singular values come from block Lanczos on the smaller side, which
may start at the singular vectors of a similar matrix: two or three products are then enough.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map, shared_map, single_threaded_blas
from lowdim.linalg.eigen import MAX_PASSES, Product, top_eigen
from lowdim.linalg.svd import SVD, fix_signs

ENTRIES_PER_CUT = 2**17  # that are worth a turn on a thread
ENTRIES_PER_RUN, MOST_RUNS = 2**20, 8  # of a matrix that is turned
COLUMN_RUNS, LEAST_ENTRIES = 4, 8  # for S'U at the most; of a row in each, in the mean
ENTRIES_PER_COLUMN = 64  # from which on sums for runs of rows are less than a copy of the entries
ALL = slice(None)
SEED = 0  # of directions that join the start of block Lanczos: no result depends on it


def by_column(X: Any) -> Any:
    """The transpose (d, n) of a csr_array, as a csr_array; runs of rows on threads if large."""
    n, d = X.shape
    runs = min(X.nnz // ENTRIES_PER_RUN, X.nnz // max(d, 1), MOST_RUNS)
    kinds = {np.dtype(np.float32), np.dtype(np.float64)}
    if runs < 2 or X.dtype not in kinds or {X.indices.dtype, X.indptr.dtype} != {np.dtype("i4")}:
        return X.T.tocsr()
    cuts = row_cuts(X.indptr, X.nnz / runs)
    place = np.zeros((len(cuts), d), dtype=np.int32)  # first how many, then where they begin

    def count(i: int) -> None:
        _count_columns(X.indices[X.indptr[cuts[i][0]] : X.indptr[cuts[i][1]]], place[i])

    indptr = np.zeros(d + 1, dtype=np.int32)
    indices, data = np.empty(X.nnz, dtype=np.int32), np.empty(X.nnz, dtype=X.dtype)

    def fill(i: int) -> None:
        _fill_columns(*cuts[i], X.indptr, X.indices, X.data, place[i], indices, data)

    shared_map(count, range(len(cuts)))
    np.cumsum(place.sum(axis=0), out=indptr[1:])
    before = np.cumsum(place, axis=0, dtype=np.int32) - place
    np.add(before, indptr[:-1], out=place)
    shared_map(fill, range(len(cuts)))
    return sp.csr_array((data, indices, indptr), shape=(d, n))


def with_values(X: Any, values: np.ndarray) -> Any:
    """The same entries with other values; the indices are shared, not copied."""
    return sp.csr_array((values, X.indices, X.indptr), shape=X.shape, copy=False)


def with_small_indices(X: Any) -> Any:
    """A csr_array with int32 indices wherever they suffice: kernels are compiled for these."""
    X = sp.csr_array(X)
    if X.indptr.dtype == np.int32 or max(X.nnz, *X.shape) >= 2**31:
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sp.csr_array(parts, shape=X.shape)


def row_numbers(X: Any, dtype: Any = np.int64) -> np.ndarray:
    """The row of each stored entry of a csr_array."""
    return np.repeat(np.arange(X.shape[0], dtype=dtype), np.diff(X.indptr))


class SparseBothWays(NamedTuple):
    """A sparse matrix by rows and, for products with its transpose, by columns."""

    by_rows: Any  # csr_array (n, d)
    by_columns: Any  # csr_array (d, n)
    order: np.ndarray  # the entries of by_columns are those of by_rows in this order

    @property
    def shape(self) -> tuple[int, int]:
        return self.by_rows.shape

    @property
    def values(self) -> np.ndarray:
        """The stored entries, row by row."""
        return self.by_rows.data

    @property
    def density(self) -> float:
        """The stored part of all entries."""
        return self.by_rows.nnz / (self.shape[0] * self.shape[1])

    def with_values(self, values: np.ndarray) -> SparseBothWays:
        """The same places with other values."""
        return SparseBothWays(
            with_values(self.by_rows, values),
            with_values(self.by_columns, values[self.order]),
            self.order,
        )

    def times(self, V: np.ndarray) -> np.ndarray:
        """S V (n, b)."""
        return sparse_times(self.by_rows, V)

    def transposed_times(self, U: np.ndarray) -> np.ndarray:
        """S'U (d, b)."""
        return sparse_times(self.by_columns, U)

    def product_at(self, L: np.ndarray, R: np.ndarray) -> np.ndarray:
        """L R' at the stored places, row by row."""
        return product_at(self.by_rows, L, R)


def both_ways(X: Any) -> SparseBothWays:
    """The entries of a csr_array with their twin by columns."""
    number = np.arange(X.nnz, dtype=X.indices.dtype)
    order = by_column(with_values(X, number))
    return SparseBothWays(X, with_values(order, X.data[order.data]), order.data)


class SparseInRuns(NamedTuple):
    """A sparse matrix by rows, for products with its transpose without a twin by columns.

    S'U adds entries times their rows of U to their columns, a run of columns on each thread: rows
    come in their order, so neither runs nor threads change a bit.
    """

    by_rows: Any  # csr_array (n, d), sorted columns
    edges: np.ndarray  # (runs + 1, n)  where in each row each run of columns begins and ends

    def transposed_times(self, U: np.ndarray) -> np.ndarray:
        """S'U (d, b)."""
        S = self.by_rows
        dtype = np.result_type(S.dtype, U)
        product = np.zeros((S.shape[1], U.shape[1]), dtype=dtype)
        U, data = np.ascontiguousarray(U, dtype=dtype), S.data.astype(dtype, copy=False)

        def work(run: int) -> None:
            first, last = self.edges[run], self.edges[run + 1]
            _add_to_columns(first, last, S.indices, data, U, product)

        shared_map(work, range(len(self.edges) - 1))
        return product


def in_runs(X: Any) -> SparseInRuns:
    """A csr_array with sorted columns in runs of columns that have about as many entries."""
    n, d = X.shape
    before = np.zeros(d + 1, dtype=X.indices.dtype)
    _count_columns(X.indices, before[1:])
    np.cumsum(before, out=before)
    most = min(X.nnz // ENTRIES_PER_CUT, X.nnz // (LEAST_ENTRIES * max(n, 1)), COLUMN_RUNS)
    cuts = row_cuts(before, X.nnz / max(most, 1))
    edges = np.empty((len(cuts) + 1, n), dtype=X.indices.dtype)
    edges[0], edges[-1] = X.indptr[:-1], X.indptr[1:]
    for run in range(1, len(cuts)):
        _find_in_rows(cuts[run][0], edges[run - 1], edges[-1], X.indices, edges[run])
    return SparseInRuns(X, edges)


# ---- products ------------------------------------------------------------------------------------


def sparse_times(S: Any, V: np.ndarray, rows: slice = ALL) -> np.ndarray:
    """S V for a csr_array, runs of rows on threads; of some consecutive rows, if they are given."""
    first, last, _ = rows.indices(S.shape[0])
    indptr, dtype = S.indptr[first : last + 1], np.result_type(S.dtype, V)
    product = np.empty((last - first, V.shape[1]), dtype=dtype)
    V, data = np.ascontiguousarray(V, dtype=dtype), S.data.astype(dtype, copy=False)

    def work(cut: tuple[int, int]) -> None:
        _rows_times(*cut, indptr, S.indices, data, V, product)

    shared_map(work, row_cuts(indptr - indptr[0], ENTRIES_PER_CUT))
    return product


def transposed_times(S: Any, U: np.ndarray) -> np.ndarray:
    """S'U (d, b) for a csr_array with columns in any order; runs of rows have sums of their own."""
    dtype = np.result_type(S.dtype, U)
    U, data = np.ascontiguousarray(U, dtype=dtype), S.data.astype(dtype, copy=False)

    def work(cut: tuple[int, int]) -> np.ndarray:
        product = np.zeros((S.shape[1], U.shape[1]), dtype=dtype)
        rows = slice(*cut)
        _add_to_columns(S.indptr[:-1][rows], S.indptr[1:][rows], S.indices, data, U[rows], product)
        return product

    cuts = row_cuts(S.indptr, max(ENTRIES_PER_CUT, S.nnz / COLUMN_RUNS))
    return reduce(np.add, shared_map(work, cuts))


def sparse_products(S: Any) -> tuple[Product, Product]:
    """V -> S V and U -> S'U in the dtype of a csr_array, for many products with the same S."""
    return _product(S), _transposed_product(S)


def _product(S: Any) -> Product:
    if S.nnz < ENTRIES_PER_CUT:  # one piece: nothing to be gained by threads
        return lambda V: S @ V.astype(S.dtype, copy=False)
    return lambda V: sparse_times(S, V.astype(S.dtype, copy=False))


def _transposed_product(S: Any) -> Product:
    """S'U, without a copy of S by columns if its columns are sorted, or few beside its entries."""
    if S.nnz < ENTRIES_PER_CUT:
        return _product(by_column(S))
    if S.has_sorted_indices:
        runs = in_runs(S)
        return lambda U: runs.transposed_times(U.astype(S.dtype, copy=False))
    if S.nnz > ENTRIES_PER_COLUMN * S.shape[1]:
        return lambda U: transposed_times(S, U.astype(S.dtype, copy=False))
    return _product(by_column(S))


def product_at(S: Any, L: np.ndarray, R: np.ndarray) -> np.ndarray:
    """The entries of L R' where a csr_array has entries, in the order of its rows."""
    values = np.zeros(S.nnz, dtype=L.dtype)
    if L.shape[1]:
        L, R = np.ascontiguousarray(L), np.ascontiguousarray(R)

        def work(cut: tuple[int, int]) -> None:
            _dots(*cut, S.indptr, S.indices, L, R, values)

        for _ in ordered_map(work, row_cuts(S.indptr, ENTRIES_PER_CUT)):
            pass
    return values


def row_cuts(work: np.ndarray, at_a_time: float) -> list[tuple[int, int]]:
    """(first, last) of runs of rows with about equal work; they depend on the data alone.

    Parameters
    ----------
    work : array of shape (n + 1,)
        What all rows before each cost together: `indptr` of a csr_array, if entries count.
    at_a_time : float
        Work that is worth a turn on a thread.
    """
    turns, n = int(work[-1] / at_a_time), len(work) - 1
    if turns <= 1:
        return [(0, n)] if n else []
    inner = np.searchsorted(work, np.linspace(0, work[-1], turns + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], inner, [n]]))
    return [(int(a), int(b)) for a, b in pairwise(edges)]


# ---- sparse plus low rank ------------------------------------------------------------------------


class SparseLowRank(LinearOperator):
    """S + L R' as an operator: products, never the matrix.

    Parameters
    ----------
    S : SparseBothWays of shape (n, d)
    L, R : arrays of shape (n, k) and (d, k)
    """

    def __init__(self, S: SparseBothWays, L: np.ndarray, R: np.ndarray):
        super().__init__(S.values.dtype, S.shape)
        self.S, self.L, self.R = S, L, R

    def _matmat(self, V: np.ndarray) -> np.ndarray:
        return self.S.times(V) + self.L @ (self.R.T @ V)

    def _rmatmat(self, U: np.ndarray) -> np.ndarray:
        return self.S.transposed_times(U) + self.R @ (self.L.T @ U)

    def _matvec(self, v: np.ndarray) -> np.ndarray:
        return self._matmat(v.reshape(-1, 1)).ravel()

    def _rmatvec(self, u: np.ndarray) -> np.ndarray:
        return self._rmatmat(u.reshape(-1, 1)).ravel()


# ---- singular values -----------------------------------------------------------------------------


@single_threaded_blas()
def top_svd(
    A: SparseLowRank | SparseBothWays,
    k: int,
    *,
    start: SVD | None = None,
    tol: float | None = None,
    max_passes: int = MAX_PASSES,
) -> SVD:
    """The k largest singular values of A and their vectors.

    Parameters
    ----------
    A : SparseLowRank or SparseBothWays of shape (n, d)
    k : int
        At most min(n, d).
    start : SVD, default=None
        Of a similar matrix: its vectors are where the search begins.
    tol : float, default=None
        Relative residual of A'A v = s^2 v at which it ends; None means as `top_eigen`.
    max_passes : int
        Products with A and with A' at the most.
    """
    n, d = A.shape
    times, back = _products(A)
    wide = n < d
    if wide:
        times, back = back, times
    near = None if start is None or not len(start.s) else (start.U if wide else start.Vt.T)
    if near is not None and min(n, d) <= k + 8 * max(8, k, near.shape[1]):
        near = None  # so small beside k that A'A is formed at once
    V = top_eigen(
        lambda block: back(times(block)),
        min(n, d),
        k,
        tol=tol,
        max_passes=max(max_passes, 1 + k // 8),
        start=near,
        random=SEED,
        dtype=A.values.dtype if isinstance(A, SparseBothWays) else A.dtype,
    ).vectors
    U, s, Wt = scipy.linalg.svd(times(V), full_matrices=False, check_finite=False)
    V = V @ Wt.T
    U, Vt = fix_signs(V, U.T) if wide else fix_signs(U, V.T)
    return SVD(U, s, Vt)


def _products(A: SparseLowRank | SparseBothWays) -> tuple[Callable, Callable]:
    if isinstance(A, SparseBothWays):
        return A.times, A.transposed_times
    return A._matmat, A._rmatmat


def spectral_norm(A: SparseLowRank | SparseBothWays, tol: float = 1e-4) -> float:
    """The largest singular value of A, to about the square of `tol`."""
    return float(top_svd(A, 1, tol=tol).s[0])


@single_threaded_blas()
def svd_of_product(L: np.ndarray, R: np.ndarray) -> SVD:
    """The SVD of L R' from L (n, k) and R (d, k), in O((n + d) k^2)."""
    if not L.shape[1]:
        return zero_svd(len(L), len(R), L.dtype)
    Ql, Tl = scipy.linalg.qr(L, mode="economic", check_finite=False)
    Qr, Tr = scipy.linalg.qr(R, mode="economic", check_finite=False)
    U, s, Vt = scipy.linalg.svd(Tl @ Tr.T, full_matrices=False, check_finite=False)
    return SVD(*_signed(Ql @ U, s, Vt @ Qr.T))


def _signed(U: np.ndarray, s: np.ndarray, Vt: np.ndarray) -> tuple:
    U, Vt = fix_signs(U, Vt)
    return U, s, Vt


def zero_svd(n: int, d: int, dtype: Any) -> SVD:
    """The SVD of a zero matrix: no singular values."""
    return SVD(np.zeros((n, 0), dtype), np.zeros(0, dtype), np.zeros((0, d), dtype))


def truncated(found: SVD, keep: Any) -> SVD:
    """Only the chosen singular values."""
    return SVD(found.U[:, keep], found.s[keep], found.Vt[keep])


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _rows_times(first, last, indptr, indices, data, V, product):
    """Four entries at a time: a row of the product is read and written once for all four."""
    k = V.shape[1]
    for i in range(first, last):
        row = product[i]
        row[:] = 0
        e, stop = indptr[i], indptr[i + 1]
        while e + 3 < stop:
            a, b, c, d = data[e], data[e + 1], data[e + 2], data[e + 3]
            A, B = V[indices[e]], V[indices[e + 1]]
            C, D = V[indices[e + 2]], V[indices[e + 3]]
            for r in range(k):
                row[r] += (a * A[r] + b * B[r]) + (c * C[r] + d * D[r])
            e += 4
        while e < stop:
            a, A = data[e], V[indices[e]]
            for r in range(k):
                row[r] += a * A[r]
            e += 1


@kernel
def _add_to_columns(first, last, indices, data, U, product):
    """Add some entries of each row times its row of U to the columns they lie in."""
    k = U.shape[1]
    for i in range(len(U)):
        u = U[i]
        for e in range(first[i], last[i]):
            a, row = data[e], product[indices[e]]
            for r in range(k):
                row[r] += a * u[r]


@kernel
def _find_in_rows(column, first, last, indices, found):
    """Where in each row, from `first` on, the entries of this column and those after it begin."""
    for i in range(len(found)):
        e = first[i]
        while e < last[i] and indices[e] < column:
            e += 1
        found[i] = e


@kernel
def _count_columns(indices, count):
    for e in range(len(indices)):
        count[indices[e]] += 1


@kernel
def _fill_columns(first, last, indptr, indices, data, place, rows, values):
    """Write a run of rows to the columns of its entries, each where `place` says."""
    for i in range(first, last):
        for e in range(indptr[i], indptr[i + 1]):
            p = place[indices[e]]
            rows[p] = i
            values[p] = data[e]
            place[indices[e]] = p + 1


@kernel
def _dots(first, last, indptr, indices, L, R, values):
    k = L.shape[1]
    rest = k - k % 4
    for i in range(first, last):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            a = b = c = d = L[i, 0] * 0  # four sums at a time: they do not wait for each other
            for r in range(0, rest, 4):
                a += L[i, r] * R[j, r]
                b += L[i, r + 1] * R[j, r + 1]
                c += L[i, r + 2] * R[j, r + 2]
                d += L[i, r + 3] * R[j, r + 3]
            for r in range(rest, k):
                a += L[i, r] * R[j, r]
            values[e] = (a + b) + (c + d)
