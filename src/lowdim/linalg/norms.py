"""Norms of matrices.

frobenius   sqrt(sum a_ij^2)  = sqrt(sum s_i^2)
spectral    max ||A x||_2 / ||x||_2  = s_1
nuclear     sum s_i
induced p   max ||A x||_p / ||x||_p: p = 1 the largest column sum of |a_ij|, p = inf the largest
            row sum, p = 2 the spectral norm
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_choice
from lowdim.linalg.checks import as_dense, as_matrix, as_operand
from lowdim.linalg.svd import SMALL, svd


@single_threaded_blas()
def frobenius(A: Any) -> float:
    """sqrt(sum a_ij^2), for a dense or sparse A; no overflow for entries up to the largest."""
    A = as_matrix("A", A)
    values = _stored_once(A).data if sp.issparse(A) else np.ravel(A, order="K")
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    return largest * float(np.sqrt(_sum_of_squares(values, largest)))


@single_threaded_blas()
def spectral(A: Any, *, random: Any = 0) -> float:
    """The largest singular value of an array, a sparse matrix or a LinearOperator.

    By LAPACK if A is small and dense, else by block Lanczos to about 12 digits (6 in float32),
    which starts from a vector drawn with `random`.
    """
    A = as_operand("A", A)
    if not (sp.issparse(A) or isinstance(A, LinearOperator)) and min(A.shape) <= SMALL:
        return float(scipy.linalg.svdvals(A, check_finite=False)[0])
    return float(svd(A, 1, "krylov", random=random).s[0])


@single_threaded_blas()
def nuclear(A: Any) -> float:
    """The sum of all singular values.

    They need a dense matrix: a sparse A becomes one, without its empty rows and columns.
    """
    if sp.issparse(A):
        A = _without_empty(_stored_once(as_matrix("A", A)))
        if 0 in A.shape:
            return 0.0
    return float(scipy.linalg.svdvals(as_dense("A", A), check_finite=False).sum(dtype=np.float64))


@single_threaded_blas()
def induced(A: Any, p: float) -> float:
    """max ||A x||_p / ||x||_p for p in {1, 2, inf}.

    Examples
    --------
    >>> from lowdim.linalg import induced
    >>> A = [[1.0, -2.0], [3.0, 4.0]]
    >>> induced(A, 1), induced(A, float("inf"))
    (6.0, 7.0)
    """
    check_choice("p", p, (1, 2, np.inf))
    if p == 2:
        return spectral(A)
    A = as_matrix("A", A)
    sums = np.abs(_stored_once(A) if sp.issparse(A) else A).sum(
        axis=0 if p == 1 else 1, dtype=np.float64
    )
    return float(np.max(sums))


def _sum_of_squares(values: np.ndarray, unit: float, block: int = 2**16) -> float:
    """sum (value / unit)^2 in float64, a block at a time."""
    total = 0.0
    for first in range(0, len(values), block):
        part = values[first : first + block].astype(np.float64) / unit
        total += float(part @ part)
    return total


def _stored_once(A: Any) -> Any:
    """A sparse matrix without entries that are stored in parts."""
    if A.has_canonical_format:
        return A
    A = A.copy()
    A.sum_duplicates()
    return A


def _without_empty(A: Any) -> np.ndarray:
    """The dense matrix of the rows and columns of A that hold something."""
    filled = [np.unique(index) for index in A.nonzero()]
    return sp.csr_array(A)[filled[0]][:, filled[1]].toarray()
