"""What a fitted NMF says of rows: their codes, the rows that codes stand for, and the error.

The code of a row is the minimiser of J over it, given the components. On squares that is
non-negative least squares (`exact.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.sparse import sparse_times
from lowdim.linear.nmf.data import gram, total
from lowdim.linear.nmf.exact import nonnegative_rows
from lowdim.linear.nmf.objective import Penalty, in_unit

DENSE_FROM = 0.1  # stored part of a sparse block from which its error is summed entry by entry


class Coding(NamedTuple):
    """All that codes follow from, in the unit of X."""

    V: np.ndarray  # (d, k)
    gram: np.ndarray  # (k, k)
    penalty: Penalty
    unit: float
    root: float  # unit of the codes


def coding(V: np.ndarray, penalty: Penalty, unit: float, root: float) -> Coding:
    """How rows are coded by components V."""
    return Coding(V, gram(V) + penalty.l2 * np.eye(V.shape[1]), penalty, unit, root)


def encode(X: Any, by: Coding) -> np.ndarray:
    """Codes of one block, in the units of the user."""
    Z = codes_in_unit(in_unit(X, by.unit), by)
    return (Z * by.root).astype(X.dtype)


def codes_in_unit(X: Any, by: Coding) -> np.ndarray:
    """Codes of a block that is in its unit."""
    V = by.V.astype(X.dtype, copy=False)
    P = sparse_times(X, V) if sp.issparse(X) else X @ V
    return nonnegative_rows(by.gram, P.astype(np.float64) - by.penalty.l1)


def sum_errors(X: Any, by: Coding, weight: np.ndarray | None, W: np.ndarray | None) -> float:
    """1/2 |X - W V'|^2 of one block, in the unit; codes W as `encode` gives them, or None."""
    X = in_unit(X, by.unit)
    Z = codes_in_unit(X, by) if W is None else W.astype(np.float64) / by.root
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
