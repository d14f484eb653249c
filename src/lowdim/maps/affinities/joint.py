"""Affinities of pairs, from what each row thinks of its neighbours.

    p_ij = (p_j|i + p_i|j) / 2 n

Each row has at least 1 / 2n of all, so rows far away from all others count, too. Stored are pairs
of which one is a neighbour of the other: at most 2 n k, with sorted columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.maps.affinities.conditional import conditional, uniform


class Affinities(NamedTuple):
    """P, and the bandwidths sigma_i that it was made with."""

    P: sp.csr_array | np.ndarray  # (n, n)
    bandwidths: np.ndarray  # (n,), or (n, m) for m perplexities


def affinities(
    indices: np.ndarray,
    distances: np.ndarray,
    perplexity: float | Sequence[float],
    kind: str = "gaussian",
) -> Affinities:
    """p_ij of pairs, from neighbours of each row.

    Parameters
    ----------
    indices, distances : arrays of shape (n, k)
        The neighbours of each row, without itself.
    perplexity : float or sequence of floats
        See `conditional`.
    kind : "gaussian" or "uniform"
    """
    P, bandwidths = directed(indices, distances, perplexity, kind)
    return Affinities(symmetric(P), bandwidths)


def directed(
    indices: np.ndarray, distances: np.ndarray, perplexity: float | Sequence[float], kind: str
) -> Affinities:
    """p_j|i as a csr_array (n, n)."""
    shares = (conditional if kind == "gaussian" else uniform)(distances, perplexity)
    return Affinities(conditional_matrix(shares.p, indices), shares.bandwidths)


def joint(p: np.ndarray, indices: np.ndarray) -> sp.csr_array:
    """(p_j|i + p_i|j) / 2n as a symmetric csr_array that sums to 1, columns sorted."""
    return symmetric(conditional_matrix(p, indices))


def symmetric(P: sp.csr_array) -> sp.csr_array:
    """(p_j|i + p_i|j) / 2n of p_j|i: sums to 1, columns sorted."""
    P = (P + P.T.tocsr()).tocsr()
    total = P.data.sum(dtype=np.float64)
    if total > 0:
        P.data /= total
    return P


def conditional_matrix(p: np.ndarray, indices: np.ndarray) -> sp.csr_array:
    """p_j|i of neighbours as a csr_array (n, n), columns sorted; shares of 0 are not stored."""
    n, k = p.shape
    ends = np.arange(0, n * k + 1, k, dtype=np.int64 if n * k >= 2**31 else np.int32)
    P = sp.csr_array(
        (p.ravel(), indices.ravel().astype(ends.dtype, copy=False), ends), shape=(n, n)
    )
    P = P.T.tocsr().T.tocsr()  # sorted, in linear time
    if not (P.data > 0).all():
        P.eliminate_zeros()
    return P
