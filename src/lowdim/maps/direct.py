"""Squared distances of chosen pairs, each summed up by itself.

    |x_i - y_j|^2 = sum_f (x_if - y_jf)^2     for the pairs (i, j) that are asked for

What products give for near rows are differences of large numbers; this keeps all digits. A pair's
sum depends on nothing but the two rows, and is the same, bit by bit, for sparse and dense rows: the
column says to which of eight partial sums a square is added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

LANES = 8
WORK_PER_CUT = 2**18  # squares that are worth a turn on a thread


def squares_at(X: Any, Y: Any, index: np.ndarray) -> np.ndarray:
    """The squared distances (m, k) in float64 of each row of X to the rows of Y that it names.

    Parameters
    ----------
    X : array or csr_array of shape (m, c)
    Y : array or csr_array of shape (n, c), as X is
    index : array of shape (m, k)
        Numbers of rows of Y; where negative, the result is infinity.
    """
    m, k = index.shape
    squares = np.empty((m, k))
    if sp.issparse(X):
        work = _sparse_work(X, Y)
        per_row = max(1, (X.nnz // max(m, 1) + Y.nnz // max(Y.shape[0], 1)) * max(k, 1))
    else:
        dtype = np.result_type(X, Y)
        # writeable, too: the kernel is compiled for one kind of array
        X, Y = (np.require(rows, dtype, ["C", "W"]) for rows in (X, Y))
        work = _dense_work(X, Y)
        per_row = max(1, X.shape[1] * k)
    size = max(1, WORK_PER_CUT // per_row)

    def cut(first: int) -> None:
        rows = slice(first, min(first + size, m))
        work(rows, np.ascontiguousarray(index[rows], np.int64), squares[rows])

    for _ in ordered_map(cut, range(0, m, size)):
        pass
    return squares


def _dense_work(X: np.ndarray, Y: np.ndarray) -> Any:
    def work(rows: slice, index: np.ndarray, squares: np.ndarray) -> None:
        _dense_squares(X[rows], Y, index, squares)

    return work


def _sparse_work(X: Any, Y: Any) -> Any:
    left, right = _parts(X), _parts(Y)

    def work(rows: slice, index: np.ndarray, squares: np.ndarray) -> None:
        indptr = left[0][rows.start : rows.stop + 1]
        _stored_squares(indptr, *left[1:], *right, index, squares, np.zeros(LANES))

    return work


def _parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """indptr, indices and values of a csr_array with sorted indices, in the types of the kernel."""
    if not X.has_sorted_indices:
        X = X.sorted_indices()
    return X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(np.float64)


@kernel
def _dense_squares(X, Y, index, squares):
    for i in range(index.shape[0]):
        for c in range(index.shape[1]):
            j = index[i, c]
            squares[i, c] = squared_distance(X[i], Y[j]) if j >= 0 else np.inf


@kernel(within=True)
def squared_distance(x, y):
    """|x - y|^2 of two rows."""
    d = len(x)
    whole = d - d % 8
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for f in range(0, whole, 8):
        s0 += (np.float64(x[f]) - np.float64(y[f])) ** 2
        s1 += (np.float64(x[f + 1]) - np.float64(y[f + 1])) ** 2
        s2 += (np.float64(x[f + 2]) - np.float64(y[f + 2])) ** 2
        s3 += (np.float64(x[f + 3]) - np.float64(y[f + 3])) ** 2
        s4 += (np.float64(x[f + 4]) - np.float64(y[f + 4])) ** 2
        s5 += (np.float64(x[f + 5]) - np.float64(y[f + 5])) ** 2
        s6 += (np.float64(x[f + 6]) - np.float64(y[f + 6])) ** 2
        s7 += (np.float64(x[f + 7]) - np.float64(y[f + 7])) ** 2
    for f in range(whole, d):
        one = (np.float64(x[f]) - np.float64(y[f])) ** 2
        lane = f - whole
        if lane == 0:
            s0 += one
        elif lane == 1:
            s1 += one
        elif lane == 2:
            s2 += one
        elif lane == 3:
            s3 += one
        elif lane == 4:
            s4 += one
        elif lane == 5:
            s5 += one
        else:
            s6 += one
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def _stored_squares(indptr, indices, data, indptr2, indices2, data2, index, squares, sums):
    """The same of two csr_arrays with sorted indices; `sums` (8,) is to work in."""
    for i in range(index.shape[0]):
        for c in range(index.shape[1]):
            j = index[i, c]
            if j < 0:
                squares[i, c] = np.inf
                continue
            sums[:] = 0.0
            e, stop = indptr[i], indptr[i + 1]
            g, stop2 = indptr2[j], indptr2[j + 1]
            while e < stop or g < stop2:
                f = indices[e] if e < stop else indices2[g]
                if g < stop2 and indices2[g] < f:
                    f = indices2[g]
                difference = 0.0
                if e < stop and indices[e] == f:
                    difference += data[e]
                    e += 1
                if g < stop2 and indices2[g] == f:
                    difference -= data2[g]
                    g += 1
                sums[f % 8] += difference**2
            low = (sums[0] + sums[1]) + (sums[2] + sums[3])
            squares[i, c] = low + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
