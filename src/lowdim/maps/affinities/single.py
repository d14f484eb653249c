"""One bandwidth for all pairs: the joint affinities of the lecture notes' symmetric SNE.

    p_ij = exp(-d_ij^2 / (2 sigma^2)) / sum_{k != l} exp(-d_kl^2 / (2 sigma^2))

sigma such that the entropy of all pairs is log(n perplexity): what it is if each row has the same
share of pairs and the perplexity. It is the same equation as that of one row (`conditional.py`),
with all pairs as its neighbours. A row far from all others has next to no share: the reason for the
other kind of joint affinities.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lowdim.maps.affinities.conditional import conditional
from lowdim.maps.affinities.joint import Affinities


def single_bandwidth(
    distances: np.ndarray, perplexity: float, indices: np.ndarray | None = None
) -> Affinities:
    """p_ij with one sigma for all pairs, symmetric, summing to 1.

    Parameters
    ----------
    distances : array of shape (n, n), or (n, k) to the neighbours in `indices`
        Of all pairs (symmetric, the diagonal is not used): P is dense. Of neighbours: P is a
        csr_array of the pairs of which one is a neighbour of the other.
    perplexity : float
        The entropy is log(n perplexity).
    """
    n = len(distances)
    if indices is not None:
        pairs, flat = _graph(indices, distances)
        p, sigma = conditional(flat[None], n * float(perplexity))
        P = sp.csr_array((p[0], pairs.indices, pairs.indptr), shape=(n, n))
        return Affinities(P, np.full(n, sigma[0]))
    half = np.triu_indices(n, 1)  # half of the pairs, and half of their number
    p, sigma = conditional(distances[half][None], n * float(perplexity) / 2)
    dense = np.zeros((n, n), dtype=p.dtype)
    dense[half] = p[0] / 2
    return Affinities(dense + dense.T, np.full(n, sigma[0]))


def _graph(indices: np.ndarray, distances: np.ndarray) -> tuple[sp.csr_array, np.ndarray]:
    """Pairs of which one is a neighbour of the other, and their distances; those of 0, too."""
    n, k = distances.shape
    # entries are numbers of distances from 1 up: sums of sparse matrices drop zeros
    numbers = np.arange(1, n * k + 1, dtype=np.int64)
    ends = np.arange(0, n * k + 1, k, dtype=np.int64)
    pairs = sp.csr_array((numbers, indices.ravel().astype(np.int64), ends), shape=(n, n))
    pairs.sort_indices()
    pairs = pairs.maximum(pairs.T.tocsr()).tocsr()
    pairs.sort_indices()
    return pairs, np.ascontiguousarray(distances).ravel()[pairs.data - 1]
