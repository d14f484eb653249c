"""How many neighbours are kept at every size of a neighbourhood: R_NX, and the area under it.

    Q(k) = 1/(k n) sum_i #{ j :  r_data(i, j) <= k  and  r_map(i, j) <= k }
    R(k) = ((n - 1) Q(k) - k) / (n - 1 - k)              1: all are kept; 0: as many as by chance
    AUC  = sum_k R(k) / k  /  sum_k 1 / k                small neighbourhoods count more

A pair is within k on both sides from k = max(r_data, r_map) on, so Q is a running count of that.

Cost: two sorts of all distances of each row that is looked at. Memory: a few rows of distances.

References
----------
Lee, Peluffo-Ordonez and Verleysen (2015), Multi-scale similarities in stochastic neighbour
embedding, Neurocomputing 169, eq. 17-20.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.maps.quality.space import Space

BLOCK_BYTES = 2**23  # of distances, by thread


def kept_curve(data: Space, places: Space, of: np.ndarray) -> np.ndarray:
    """R(k) for k = 1 ... n - 2, as the mean over the rows `of`."""
    n = data.n
    size = max(8, BLOCK_BYTES // (8 * n))  # rows of a product

    def both(first: int) -> np.ndarray:
        rows = of[first : first + size]
        worse = np.maximum(all_ranks(data, rows), all_ranks(places, rows))
        return np.bincount(worse.ravel(), minlength=n + 1)

    count = np.zeros(n + 1, np.int64)
    for part in ordered_map(both, range(0, len(of), size)):
        count += part
    k = np.arange(1, n - 1)
    Q = np.cumsum(count[1:])[: n - 2] / (k * len(of))
    return ((n - 1) * Q - k) / (n - 1 - k)


def all_ranks(space: Space, rows: np.ndarray) -> np.ndarray:
    """The rank of every row about each of these, (m, n): 1 is the nearest, n the row itself."""
    D = space.distances(rows)
    D[np.arange(len(rows)), rows] = np.inf
    order = np.argsort(D, axis=1, kind="stable")
    rank = np.empty(D.shape, np.int64)
    np.put_along_axis(rank, order, np.arange(1, D.shape[1] + 1)[None, :], axis=1)
    return rank


def area(curve: np.ndarray) -> float:
    """The mean of R(k) with weights 1 / k."""
    weight = 1.0 / np.arange(1, len(curve) + 1)
    return float((curve * weight).sum() / weight.sum())
