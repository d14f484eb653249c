"""How alike rows are: the cosine of the angle between them, in blocks.

cos(a, b) = a.b / (|a| |b|),   0 if one of them is 0
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.core.validation import open_rows_for

BLOCK_VALUES = 2**22  # cosines in work at a time


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
    size = max(1, BLOCK_VALUES // max(m, 1))
    starts = range(0, n, size)
    turned = right.T.tocsr() if sp.issparse(right) else right.T

    def block(start: int) -> Any:
        part = left[start : start + size] @ turned
        cosines = np.clip(part.toarray() if sp.issparse(part) else part, -1.0, 1.0)
        if top is None:
            return cosines
        if B is None:
            i = np.arange(len(cosines))
            cosines[i, start + i] = -np.inf
        return _largest(cosines, top)

    blocks = list(ordered_map(block, starts))
    if top is None:
        return np.concatenate(blocks)
    index, largest = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Nearest(index, largest)


def _largest(cosines: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the `top` largest values of each row, and these values."""
    m = cosines.shape[1]
    if top < m:
        least = np.partition(cosines, m - top, axis=1)[:, m - top, None]
        above = cosines > least
        # of values that equal the last one to be taken, the first of the row
        room = top - above.sum(axis=1, keepdims=True)
        equal = cosines == least
        chosen = above | (equal & (np.cumsum(equal, axis=1) <= room))
        index = np.nonzero(chosen)[1].reshape(len(cosines), top)
    else:
        index = np.broadcast_to(np.arange(m), cosines.shape)
    values = np.take_along_axis(cosines, index, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(index, order, axis=1), np.take_along_axis(values, order, axis=1)


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
