"""What a fitted NMF says of rows: their codes, the rows that codes stand for, and the error.

The code of a row is the minimiser of J over it, given the components. On squares that is
non-negative least squares (`exact.py`), for Kullback-Leibler Newton's method finds it
(`counts.py`), and for other divergences likewise (`powers.py`).

With missing values J is over what the row has observed. Where that leaves several codes that are
as good, the search starts at the mean code of the fitted rows, times what fits the row best; a row
without values has the mean code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.entries import observed
from lowdim.linalg.sparse import row_numbers, sparse_times, with_values
from lowdim.linear.nmf.counts import count_codes, observed_count_codes
from lowdim.linear.nmf.data import gram, sum_squares, total
from lowdim.linear.nmf.exact import nonnegative_rows
from lowdim.linear.nmf.mu import CHUNK_BYTES, Pass, divergence_at_entries, statistics
from lowdim.linear.nmf.objective import Penalty, has_missing, in_unit, sorted_csr
from lowdim.linear.nmf.observed import exact_codes
from lowdim.linear.nmf.positive import count_error
from lowdim.linear.nmf.powers import power_codes

DENSE_FROM = 0.1  # stored part of a sparse block from which its error is summed entry by entry


class Coding(NamedTuple):
    """All that codes follow from, in the unit of X."""

    V: np.ndarray  # (d, k)
    penalty: Penalty
    unit: float
    beta: float = 2.0
    floor: float = 0.0  # what the model says of an entry is no smaller; not on squares
    mean: np.ndarray | None = None  # (k,)  code of the fitted rows, for rows with missing values

    @property
    def root(self) -> float:
        """The unit of the codes."""
        return float(np.sqrt(self.unit))


class Errors(NamedTuple):
    loss: float  # D, in the unit
    count: float  # type: ignore[assignment]  # of the observed entries, rows weighted


def encode(X: Any, by: Coding) -> np.ndarray:
    """Codes of one block, in the units of the user."""
    Z = codes_in_unit(in_unit(X, by.unit), by)
    Z *= by.root
    return Z.astype(X.dtype, copy=False)


def encode_entries(X: Any, by: Coding, by_entry: Any = None) -> np.ndarray:
    """Codes of a block of which only the entries of a csr_array count."""
    Z = codes_of_entries(in_unit(X, by.unit), by, by_entry)
    return (Z * by.root).astype(X.dtype)


def decode(Z: np.ndarray, by: Coding) -> np.ndarray:
    """Rows of codes, in the units of the user."""
    return np.asarray(Z / by.root @ by.V.T * by.unit)


def codes_in_unit(X: Any, by: Coding) -> np.ndarray:
    """Codes of a block that is in its unit."""
    if has_missing(X):
        return codes_of_entries(observed(X), by)
    X = sorted_csr(X) if sp.issparse(X) else X
    if by.beta == 1.0:
        return count_codes(X, by.V, by.penalty, by.floor)
    if by.beta != 2.0:
        return _written_out_codes(X, by)
    V = by.V.astype(X.dtype, copy=False)
    P = sparse_times(X, V) if sp.issparse(X) else X @ V
    G = gram(by.V) + by.penalty.l2 * np.eye(V.shape[1])
    return nonnegative_rows(G, P - by.penalty.l1 if by.penalty.l1 else P)


# ---- rows of which some entries count ------------------------------------------------------------


def codes_of_entries(X: Any, by: Coding, by_entry: Any = None) -> np.ndarray:
    """Codes from the entries of a csr_array that is in its unit."""
    weight = None if by_entry is None else by_entry.data
    start = _first_codes(X, by, weight)
    if by.beta == 2.0:
        return exact_codes(X, weight, by.V, by.penalty, start)
    if by.beta == 1.0:
        Z = observed_count_codes(X, weight, by.V, by.penalty, by.floor)
    else:
        Z = power_codes(X, by.V, by.beta, by.penalty, by.floor, start, by_entry)
    nothing = np.diff(X.indptr) == 0
    Z[nothing] = start[nothing]
    return Z


def _first_codes(X: Any, by: Coding, weight: np.ndarray | None) -> np.ndarray:
    """The mean code, times what fits each row best on squares; 1 for a row without entries."""
    n, mean = X.shape[0], np.ones(by.V.shape[1]) if by.mean is None else by.mean
    y = (by.V @ mean)[X.indices]
    w = y if weight is None else weight * y
    rows = row_numbers(X)
    top, bottom = np.bincount(rows, w * X.data, n), np.bincount(rows, w * y, n)
    return np.divide(top, bottom, out=np.ones(n), where=bottom > 0)[:, None] * mean


def sum_entry_errors(
    X: Any, by: Coding, weight: np.ndarray | None, W: np.ndarray, by_entry: Any = None
) -> Errors:
    """D of the entries of a csr_array, and their weight; codes W as `encode` gives them."""
    X = in_unit(X, by.unit)
    X = with_values(X, X.data.astype(np.float64))
    how = Pass(by.beta, Penalty(), by.floor, 0, 0.0, True)
    Z = np.ascontiguousarray(W, np.float64) / by.root
    by_row = divergence_at_entries(X, Z, np.ascontiguousarray(by.V), how, by_entry)
    n = np.diff(X.indptr).astype(np.float64)
    if by_entry is not None:
        n = np.bincount(row_numbers(X), by_entry.data, X.shape[0])
    return Errors(total(by_row, weight), total(n, weight))


# ---- complete rows -------------------------------------------------------------------------------


def _written_out_codes(X: Any, by: Coding) -> np.ndarray:
    """Codes of a block all of whose entries count one by one, some rows at a time."""
    size = max(1, CHUNK_BYTES // (8 * X.shape[1]))
    parts = (X[start : start + size] for start in range(0, X.shape[0], size))
    written = (part.toarray() if sp.issparse(part) else part for part in parts)
    return np.concatenate([codes_of_entries(observed(part), by) for part in written])


def sum_errors(X: Any, by: Coding, weight: np.ndarray | None, W: np.ndarray | None) -> Errors:
    """D(X | W V') of one block and the weight of its entries; codes W as `encode` gives them."""
    if has_missing(X):
        X = observed(X)
        W = encode_entries(X, by) if W is None else W
        return sum_entry_errors(X, by, weight, W)
    count = X.shape[1] * (X.shape[0] if weight is None else weight.sum())
    return Errors(_error(in_unit(X, by.unit), by, weight, W), float(count))


def _error(X: Any, by: Coding, weight: np.ndarray | None, W: np.ndarray | None) -> float:
    Z = codes_in_unit(X, by) if W is None else W.astype(np.float64) / by.root
    if by.beta == 1.0:
        return count_error(X, by.V, Z, weight, by.floor)
    if by.beta != 2.0:
        how = Pass(by.beta, Penalty(), by.floor, 0, 0.0)
        Z = Z.astype(X.dtype)
        return float(statistics(X, by.V.astype(X.dtype), how, weight, Z, Z).loss)
    if sp.issparse(X) and X.nnz < DENSE_FROM * np.prod(X.shape):
        P = sparse_times(sorted_csr(X), by.V.astype(X.dtype, copy=False))
        of_model = np.einsum("ir,ir->i", Z @ gram(by.V), Z) - 2.0 * np.einsum("ir,ir->i", P, Z)
        return 0.5 * max(sum_squares(X, weight) + total(of_model, weight), 0.0)
    by_row, size = np.empty(X.shape[0]), max(1, CHUNK_BYTES // (8 * X.shape[1]))
    for first in range(0, X.shape[0], size):
        rows = slice(first, first + size)
        D = X[rows].toarray() if sp.issparse(X) else X[rows]
        D = D - Z[rows] @ by.V.T
        by_row[rows] = np.einsum("ij,ij->i", D, D)
    return 0.5 * total(by_row, weight)
