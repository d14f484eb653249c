"""How much atoms have in common.

    coherence     mu = max |u_i'u_j|, i != j, of atoms of length 1
    Welch         mu >= sqrt((L - D) / (D (L - 1))) for L atoms in D dimensions
    Babel         mu_1(s) = max_j of the sum of the s largest |u_i'u_j|, i != j

Products are made in blocks: memory of one block, and of the atoms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from lowdim.core.numeric import numeric_array
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.sparse.bases.operator import LARGEST_MATRIX, Basis

BLOCK_NUMBERS = 2**22


@single_threaded_blas()
def coherence(U):
    """The largest |cosine| of two different atoms.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator
        Atoms as columns.

    Examples
    --------
    >>> from lowdim import sparse
    >>> U = sparse.union(sparse.basis("identity", 64), sparse.basis("hadamard", 64))
    >>> sparse.coherence(U)
    0.125
    """
    return _largest_sum(U, 1)


@single_threaded_blas()
def babel(U, s):
    """The largest sum of |cosines| of an atom with s others; s times the coherence at the most.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator
    s : int
        From 0 to L - 1.
    """
    check_at_least("s", s, 0)
    return _largest_sum(U, int(s))


def _largest_sum(U: Any, s: int) -> float:
    V = unit_atoms(U)
    L = V.shape[1]
    if s >= L and (s, L) != (1, 1):
        raise ValueError(f"s={s} is more than the {L - 1} other atoms; choose at most {L - 1}.")
    if s == 0 or L == 1:
        return 0.0
    largest = 0.0
    for block in _product_blocks(V):
        if s < L - 1:
            block = np.partition(block, L - s, axis=1)[:, L - s :]
        largest = max(largest, float(block.sum(axis=1).max()))
    return largest


def _product_blocks(V: np.ndarray) -> Iterator[np.ndarray]:
    """|u_i'u_j| for runs of i and all j; 0 for j = i."""
    L = V.shape[1]
    size = max(1, BLOCK_NUMBERS // L)
    for first in range(0, L, size):
        block = np.abs(V[:, first : first + size].T @ V)
        block[np.arange(len(block)), first + np.arange(len(block))] = 0.0
        yield block


@single_threaded_blas()
def welch_bound(D, L):
    """The least coherence that L atoms in D dimensions can have; 0 for L <= D.

    Examples
    --------
    >>> from lowdim import sparse
    >>> round(sparse.welch_bound(64, 128), 6)
    0.088736
    """
    check_at_least("D", D, 1)
    check_at_least("L", L, 1)
    return float(np.sqrt((L - D) / (D * (L - 1.0)))) if L > D else 0.0


def as_matrix(U: Any) -> np.ndarray:
    """The atoms as the columns of an array of float64."""
    if isinstance(U, Basis):
        return U.matrix()
    if isinstance(U, LinearOperator):
        if U.shape[0] * U.shape[1] > LARGEST_MATRIX:
            raise ValueError(f"U is of shape {U.shape}, too large to be written down.")
        return np.asarray(U @ np.eye(U.shape[1]), np.float64)
    A = np.asarray(numeric_array(U, "U", "a dictionary"), np.float64)
    if A.ndim != 2 or 0 in A.shape:
        raise ValueError(
            f"U has the shape {A.shape}; atoms as the columns of a matrix (D, L) are needed."
        )
    if not np.isfinite(A).all():
        raise ValueError("U has NaN or infinity; atoms must be finite.")
    return A


def unit_atoms(U: Any) -> np.ndarray:
    """The atoms with length 1."""
    A = as_matrix(U)
    largest = np.abs(A).max(axis=0)
    if not largest.all():
        raise ValueError(
            f"Atom {int(np.argmin(largest))} of U is zero; leave it out: it explains nothing."
        )
    A = A / largest
    return np.asarray(A / np.linalg.norm(A, axis=0))
