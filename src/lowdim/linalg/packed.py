"""Packed triangles of many symmetric matrices at once.

Entry (i, j <= i) of a symmetric matrix stands at i (i + 1) / 2 + j of its packed form. A batch of
b matrices is an array (h, b), h = k (k + 1) / 2: every operation runs along the batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def sweep(T: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Sweep the first p = len(least) rows of packed symmetric matrices (h, b), in place.

        [ A   B ]             [ -A^-1     A^-1 B     ]
        [ B'  D ]   becomes   [  .       D - B'A^-1 B ]         A (p, p)

    the inverse, the regression of the rest on the first p, and what it leaves, all in one (Beaton
    1964). Pivots are kept above `least`. Returns log |A|, (b,). A batch along the last axis makes
    each operation a long one: 15 times as fast as LAPACK on one matrix after the other for p = 5.
    """
    size = _order(len(T))
    rows = [_row(i) for i in range(size)]
    log_det = np.zeros(T.shape[1])
    product = np.empty((size, T.shape[1]))
    for j in range(len(least)):
        entries = _entry(np.arange(size), j)
        column = T[entries]
        pivot = np.maximum(column[j], least[j])
        log_det += np.log(pivot)
        ratio = column / pivot
        for i, row in enumerate(rows):
            T[row] -= np.multiply(ratio[i], column[: i + 1], out=product[: i + 1])
        T[entries] = ratio
        T[entries[j]] = -1.0 / pivot
    return log_det


def outer_products(V: np.ndarray, off_diagonal: float = 1.0) -> np.ndarray:
    """v v' of every column v of V, packed: (h, columns); off the diagonal times a factor."""
    k = len(V)
    V = np.ascontiguousarray(V)
    P = np.empty((triangle(k), V.shape[1]))
    for i in range(k):
        np.multiply(V[i], V[: i + 1], out=P[_row(i)])
    if off_diagonal != 1.0:
        P *= off_diagonal
        P[diagonal(k)] /= off_diagonal
    return P


def packed_times(C: np.ndarray, V: np.ndarray) -> np.ndarray:
    """C_f v_f for every row: packed symmetric C_f (d, h) times v_f (d, k)."""
    product = np.zeros_like(V)
    for i in range(V.shape[1]):
        row = C[:, _row(i)]
        product[:, i] += np.einsum("fj,fj->f", row, V[:, : i + 1])
        product[:, :i] += row[:, :i] * V[:, i, None]
    return product


def unpacked(packed: np.ndarray) -> np.ndarray:
    """The symmetric matrix of one packed triangle."""
    size = _order(len(packed))
    matrix = np.empty((size, size))
    i, j = np.tril_indices(size)
    matrix[i, j] = matrix[j, i] = packed
    return matrix


def triangle(size: Any) -> Any:
    """Entries of a packed triangle."""
    return size * (size + 1) // 2


def _order(entries: int) -> int:
    """Size of the matrix whose packed triangle has so many entries."""
    return int((np.sqrt(8 * entries + 1) - 1) / 2 + 0.5)


def _row(i: int) -> slice:
    return slice(triangle(i), triangle(i) + i + 1)


def _entry(i: Any, j: Any) -> Any:
    """Where entry (i, j) of the symmetric matrix is."""
    return triangle(np.maximum(i, j)) + np.minimum(i, j)


def diagonal(size: int) -> np.ndarray:
    i = np.arange(size)
    return _entry(i, i)
