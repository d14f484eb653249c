"""Affinities that the user gives: `metric="precomputed_affinity"`.

A table of n x n numbers from 0 up; how alike rows i and j are, or how often i picks j. The diagonal
is not used.

    conditional   rows are divided by their sums:  p_j|i
    joint         (P + P') / 2, divided by the sum of all:  p_ij

A table of p_j|i gives the same p_ij as (p_j|i + p_i|j) / 2n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.numeric import numeric_array
from lowdim.core.sparse import checked_sparse

EXPECTED = 'metric="precomputed_affinity" needs a table of n x n affinities'


def given_conditional(P: Any, name: str = "X") -> np.ndarray | sp.csr_array:
    """p_j|i from a table of affinities: rows sum to 1; dense or csr_array as given, float64."""
    P = _checked(P, name)
    largest = _row_largest(P)
    none = np.flatnonzero(largest == 0)
    if len(none):
        raise ValueError(
            f"{name} has no affinity above 0 in row {none[0]} (of {len(none)} such rows) beside "
            "the diagonal: nothing says where it belongs. Leave such rows out."
        )
    P = _scaled_rows(P, largest)
    return _scaled_rows(P, np.asarray(P.sum(axis=1)).ravel())


def given_joint(P: Any, name: str = "X") -> np.ndarray | sp.csr_array:
    """p_ij from a table of affinities: symmetric, of sum 1; dense or csr_array, float64."""
    P = _checked(P, name)
    largest = _row_largest(P).max(initial=0.0)
    if not largest > 0:
        raise ValueError(
            f"{name} has no affinity above 0 beside the diagonal; {EXPECTED}, larger ones for "
            "pairs that are more alike."
        )
    P = P / largest
    P = (P + P.T) / 2
    if sp.issparse(P):
        P = sp.csr_array(P)
        P.sort_indices()
        P.eliminate_zeros()
    return P / P.sum()


def _checked(P: Any, name: str) -> np.ndarray | sp.csr_array:
    """The table in float64 with 0 on the diagonal; a copy."""
    if sp.issparse(P):
        P = sp.csr_array(checked_sparse(P, name)).astype(np.float64)
        P.sum_duplicates()
    else:
        P = np.array(numeric_array(P, name, "precomputed_affinity"), dtype=np.float64)
    if P.ndim != 2 or P.shape[0] != P.shape[1]:
        raise ValueError(f"{name} has shape {P.shape}; {EXPECTED}.")
    values = P.data if sp.issparse(P) else P
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has NaN or infinite entries; {EXPECTED}: finite numbers.")
    if (values < 0).any():
        raise ValueError(
            f"{name} has negative entries (the least is {values.min():g}); {EXPECTED}, all at "
            'least 0. If they are distances, give metric="precomputed".'
        )
    if not sp.issparse(P):
        np.fill_diagonal(P, 0.0)
        return P
    row = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    P.data[row == P.indices] = 0.0
    P.eliminate_zeros()
    P.sort_indices()
    return P


def _row_largest(P: np.ndarray | sp.csr_array) -> np.ndarray:
    largest = P.max(axis=1)
    return np.asarray(largest.todense() if sp.issparse(largest) else largest).ravel()


def _scaled_rows(P: Any, divisor: np.ndarray) -> np.ndarray | sp.csr_array:
    if sp.issparse(P):
        scaled = P.copy()
        scaled.data /= np.repeat(divisor, np.diff(P.indptr))
        return scaled
    return P / divisor[:, None]
