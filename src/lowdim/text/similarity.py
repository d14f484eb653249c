"""How alike rows are: the cosine of the angle between them, in blocks.

cos(a, b) = a.b / (|a| |b|),   0 if one of them is 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.core.validation import open_rows_for
from lowdim.linalg.nearest import best_of, block_shape
from lowdim.linalg.sparse import by_column

SPARSE_BLOCK = 2**17  # these are added up in the cache


class Nearest(NamedTuple):
    """For each row the rows that are most alike, the most alike one first."""

    index: np.ndarray  # type: ignore[assignment]  # (n, top)
    cosine: np.ndarray  # (n, top)


@single_threaded_blas()
def cosine(A: Any, B: Any = None, *, top: int | None = None) -> Any:
    """The cosine of each row of A with each row of B.

    Parameters
    ----------
    A : array or sparse matrix of shape (n, d)
    B : array or sparse matrix of shape (m, d), or None, default=None
        None: the rows of A with each other.
    top : int or None, default=None
        Only so many rows of B for each row of A, those with the largest cosines; memory is then
        that of a block. Without B, a row is not counted among those that are like it.

    Returns
    -------
    cosines : ndarray of shape (n, m)
        A row of zeros has the cosine 0 with every row. With `top`: (index, cosine), each of shape
        (n, top); of equal cosines the first.

    Examples
    --------
    >>> import lowdim
    >>> lowdim.text.cosine([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).round(4).tolist()
    [[1.0, 0.7071, 0.0], [0.7071, 1.0, 0.0], [0.0, 0.0, 0.0]]
    >>> lowdim.text.cosine([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], top=1).index.tolist()
    [[1], [0], [1]]
    """
    left = _unit_rows(A, "A")
    right = left if B is None else _unit_rows(B, "B")
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"A has {left.shape[1]} columns and B has {right.shape[1]}; they must be the same."
        )
    n, m = left.shape[0], right.shape[0]
    available = m - (B is None)
    if top is not None and not 1 <= top <= available:
        raise ValueError(f"top={top} must be from 1 to {available}, the rows to choose from.")
    write, shape = _by_blocks(left, right)
    if top is not None:

        def cosines_of(i: slice, j: slice) -> np.ndarray:
            block = np.empty((i.stop - i.start, j.stop - j.start))
            write(i, j, block)
            return block

        itself = sp.eye_array(n, format="csr") if B is None else None
        best = best_of(cosines_of, n, np.zeros(m), top, shape, leave_out=itself)
        return Nearest(best.column, best.score)
    cosines = np.empty((n, m))

    def work(first: int) -> None:
        rows = slice(first, min(first + shape[0], n))
        write(rows, slice(first if B is None else 0, m), cosines[rows])
        if B is None:  # what is left of these is known from above
            cosines[rows.stop :, rows] = cosines[rows, rows.stop :].T

    for _ in ordered_map(work, range(0, n, shape[0])):
        pass
    return cosines


def _by_blocks(
    left: Any, right: Any
) -> tuple[Callable[[slice, slice, np.ndarray], None], tuple[int, int]]:
    """What writes the cosines of slices of rows of `left` and `right`, and how many it takes.

    They become the last columns of an array in C order: kernels are compiled for these.
    """
    n, m = left.shape[0], right.shape[0]
    if not sp.issparse(left) and not sp.issparse(right):

        def write(i: slice, j: slice, out: np.ndarray) -> None:
            last = out[:, out.shape[1] - (j.stop - j.start) :]
            np.matmul(left[i], right[j].T, out=last)
            np.clip(last, -1.0, 1.0, out=last)

        return write, block_shape(n, left.itemsize)
    first, second = _plain(sp.csr_array(left)), _plain(by_column(sp.csr_array(right)))

    def write_sparse(i: slice, j: slice, out: np.ndarray) -> None:
        _write_products(i.start, j.start, *first, *second, out)

    return write_sparse, (max(1, SPARSE_BLOCK // m), m)


def _plain(X: sp.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arrays of one kind, whatever SciPy made."""
    index = np.int32 if max(X.shape) < 2**31 else np.int64
    return X.indptr.astype(np.int64), X.indices.astype(index, copy=False), X.data


def _unit_rows(X: Any, name: str) -> Any:
    """Rows over their lengths, in float64; rows of zeros stay. Nothing overflows."""
    rows = open_rows_for("cosine", X)
    if rows.in_memory is None:
        raise TypeError(f"cosine takes rows in memory; {name} is a {type(X).__name__}.")
    X = rows.in_memory
    if sp.issparse(X):
        X = sp.csr_array(X, dtype=np.float64, copy=True)
        X.sum_duplicates()
        size = np.abs(X).max(axis=1).toarray().ravel()
        X.data /= np.repeat(_or_one(size), np.diff(X.indptr))
        length = np.sqrt(X.multiply(X).sum(axis=1))
        X.data /= np.repeat(_or_one(np.asarray(length).ravel()), np.diff(X.indptr))
        return X
    X = X.astype(np.float64)
    X /= _or_one(np.abs(X).max(axis=1))[:, None]
    X /= _or_one(np.sqrt(np.einsum("ij,ij->i", X, X)))[:, None]
    return X


def _or_one(size: np.ndarray) -> np.ndarray:
    return np.where(size > 0, size, 1.0)


@kernel
def _write_products(first, least, indptr, indices, values, by_feature, rows, values_there, product):
    """Cosines of unit rows from `first` on with those from `least` on, stored by feature."""
    m = product.shape[1]
    for i in range(product.shape[0]):
        out = product[i]
        for j in range(least, m):
            out[j] = 0.0
        for e in range(indptr[first + i], indptr[first + i + 1]):
            f, value = indices[e], values[e]
            q, start = by_feature[f + 1] - 1, by_feature[f]
            while q >= start and rows[q] >= least:
                out[rows[q]] += value * values_there[q]
                q -= 1
        for j in range(least, m):
            c = out[j]
            out[j] = 1.0 if c > 1.0 else (-1.0 if c < -1.0 else c)
