"""What a fitted NMF says of rows: their codes, the rows that codes stand for, and the error.

The code of a row is the minimiser of J over it, given the components. On squares that is
non-negative least squares (`exact.py`), for Kullback-Leibler Newton's method finds it
(`counts.py`). Other divergences take multiplicative updates until they come to rest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.sparse import sparse_times
from lowdim.linear.nmf.counts import count_codes
from lowdim.linear.nmf.data import gram, total
from lowdim.linear.nmf.exact import nonnegative_rows
from lowdim.linear.nmf.mu import CHUNK_BYTES, Pass, improved, statistics
from lowdim.linear.nmf.objective import Penalty, in_unit

MOST_UPDATES = 2000
AT_REST = 1e-9  # an update that changes no code by more than this part of the largest
DENSE_FROM = 0.1  # stored part of a sparse block from which its error is summed entry by entry


class Coding(NamedTuple):
    """All that codes follow from, in the unit of X."""

    V: np.ndarray  # (d, k)
    penalty: Penalty
    unit: float
    beta: float = 2.0
    floor: float = 0.0  # what the model says of an entry is no smaller; not on squares

    @property
    def root(self) -> float:
        """The unit of the codes."""
        return float(np.sqrt(self.unit))


def encode(X: Any, by: Coding) -> np.ndarray:
    """Codes of one block, in the units of the user."""
    Z = codes_in_unit(in_unit(X, by.unit), by)
    return (Z * by.root).astype(X.dtype)


def codes_in_unit(X: Any, by: Coding) -> np.ndarray:
    """Codes of a block that is in its unit."""
    if by.beta == 1.0:
        return count_codes(X, by.V, by.penalty, by.floor)
    if by.beta != 2.0:
        return _updated_codes(X, by)
    V = by.V.astype(X.dtype, copy=False)
    P = sparse_times(X, V) if sp.issparse(X) else X @ V
    G = gram(by.V) + by.penalty.l2 * np.eye(V.shape[1])
    return nonnegative_rows(G, P.astype(np.float64) - by.penalty.l1)


def _updated_codes(X: Any, by: Coding) -> np.ndarray:
    """Codes of a block by multiplicative updates, some rows at a time."""
    size = max(1, CHUNK_BYTES // (8 * X.shape[1]))
    how = Pass(by.beta, by.penalty, by.floor, 1, 0.0)
    found = []
    for start in range(0, X.shape[0], size):
        rows = X[start : start + size]
        rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, np.float64)
        Z = np.full((len(rows), by.V.shape[1]), np.sqrt(max(rows.mean(), by.floor)))
        for _ in range(MOST_UPDATES):
            last, Z = Z, improved(rows, Z, by.V, how)
            if np.abs(Z - last).max() <= AT_REST * Z.max(initial=0.0):
                break
        found.append(Z)
    return np.concatenate(found)


def sum_errors(X: Any, by: Coding, weight: np.ndarray | None, W: np.ndarray | None) -> float:
    """D(X | W V') of one block, in the unit; codes W as `encode` gives them, or None."""
    X = in_unit(X, by.unit)
    Z = codes_in_unit(X, by) if W is None else W.astype(np.float64) / by.root
    if by.beta != 2.0:
        how = Pass(by.beta, Penalty(), by.floor, 0, 0.0)
        return float(
            statistics(X, by.V.astype(X.dtype), how, weight, *2 * (Z.astype(X.dtype),)).loss
        )
    if sp.issparse(X) and X.nnz < DENSE_FROM * np.prod(X.shape):
        squares = np.bincount(_row_numbers(X), np.square(X.data, dtype=np.float64), X.shape[0])
        P = sparse_times(X, by.V.astype(X.dtype, copy=False)).astype(np.float64)
        own = gram(by.V)
        by_row = squares + np.einsum("ir,ir->i", Z @ own - 2.0 * P, Z)
        return 0.5 * max(total(by_row, weight), 0.0)
    D = (X.toarray() if sp.issparse(X) else X) - Z @ by.V.T.astype(np.float64)
    return 0.5 * total(np.einsum("ij,ij->i", D, D), weight)


def _row_numbers(X: Any) -> np.ndarray:
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
