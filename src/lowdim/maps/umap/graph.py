"""The neighbour graph of UMAP: how strongly two rows belong together, from 0 to 1.

    v_j|i = exp(-max(0, d_ij - rho_i) / sigma_i)     j one of the k nearest rows of i
    rho_i    the distance to the nearest row that is not equal (`local_connectivity` = 1)
    sigma_i  such that  sum_j v_j|i = log2 k         -> smooth_distances

    v_ij = v_j|i + v_i|j - v_j|i v_i|j               -> fuzzy_union: i or j says that they belong

Weights are kept to 16 bits (`rounded`): what another processor or another unit rounds differently
in a distance does not reach the map. O(n k) time and memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel

SMALLEST_SIGMA = 1e-3  # of the row's mean distance: rows with many equal ones keep a bandwidth
STEPS = 64  # of the search for sigma; about 6 are taken
BITS = 16


class Memberships(NamedTuple):
    """One row's view of its neighbours, before the union with theirs."""

    weights: np.ndarray  # (n, k)  v_j|i
    sigma: np.ndarray  # (n,)    bandwidths, in units of the distances
    rho: np.ndarray  # (n,)    distance from which on weights fall


def memberships(
    distances: np.ndarray, n_neighbors: float, local_connectivity: float = 1.0
) -> Memberships:
    """v_j|i for sorted distances (n, k) to the k nearest rows; inf is no neighbour.

    n_neighbors counts the row itself, as umap-learn's does: the sum of a row is log2 of it.
    """
    distances = np.ascontiguousarray(distances, dtype=np.float64)
    n, k = distances.shape
    unit = _unit(distances)
    distances = distances / unit
    rho = connected_distance(distances, local_connectivity)
    sigma, weights = np.empty(n), np.empty((n, k))
    _smooth(distances, rho, np.log2(n_neighbors), sigma, weights)
    return Memberships(weights, sigma * unit, rho * unit)


def _unit(distances: np.ndarray) -> float:
    """A power of two near the largest distance, so that squares and sums stay in range."""
    largest = distances.max(initial=0.0, where=np.isfinite(distances))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def connected_distance(distances: np.ndarray, local_connectivity: float) -> np.ndarray:
    """rho (n,): the distance to the `local_connectivity`-th row that is not equal, interpolated."""
    n = len(distances)
    first = (distances <= 0).sum(axis=1)  # sorted: equal rows come first
    last = np.isfinite(distances).sum(axis=1) - 1
    whole = int(np.floor(local_connectivity))
    part = local_connectivity - whole

    def at(place: int) -> np.ndarray:
        """The place-th distance above 0, counted from 1; 0 for 0, the last where there are less."""
        if place == 0:
            return np.zeros(n)
        column = np.minimum(first + place - 1, last)
        return np.where(column >= first, distances[np.arange(n), np.maximum(column, 0)], 0.0)

    below = at(whole)
    return below + part * (at(whole + 1) - below) if part > 0 else below


@kernel
def _smooth(distances, rho, target, sigma, weights):
    """sigma and v of each row: Newton's steps in log sigma, kept within a bracket."""
    n, k = distances.shape
    for i in range(n):
        total, count, at_once = 0.0, 0, 0
        for j in range(k):
            if distances[i, j] < np.inf:
                total += distances[i, j]
                count += 1
                at_once += distances[i, j] <= rho[i]
        mean = total / count if count > 0 else 0.0
        lowest = SMALLEST_SIGMA * mean
        s = mean - rho[i] if mean > rho[i] else mean
        if at_once >= target or count <= target or s <= 0:
            # no sigma gives the sum: all at rho, or too few neighbours for it
            s = lowest if at_once >= target or s <= 0 else mean
        else:
            low, high = 0.0, np.inf
            for _ in range(STEPS):
                value, slope = -target, 0.0
                for j in range(k):
                    x = (distances[i, j] - rho[i]) / s
                    if x <= 0:
                        value += 1.0
                    elif x < 700.0:
                        e = np.exp(-x)
                        value += e
                        slope += x * e  # d value / d log s
                if value > 0:
                    high = s
                else:
                    low = s
                if abs(value) <= 1e-13 * target:
                    break
                step = -value / slope if slope > 0 else 0.0
                new = s * np.exp(step) if abs(step) < 3.0 and step != 0.0 else 0.0
                if not low < new < high:
                    new = 2.0 * s if high == np.inf else 0.5 * (low + high)
                s = new
        s = s if s > lowest else lowest
        sigma[i] = s
        for j in range(k):
            x = distances[i, j] - rho[i]
            weights[i, j] = 1.0 if x <= 0 else (np.exp(-x / s) if s > 0 and x < np.inf else 0.0)


def directed(weights: np.ndarray, indices: np.ndarray, n: int) -> sp.csr_array:
    """v_j|i as a sparse matrix: rows i, columns j, without zeros."""
    m, k = indices.shape
    graph = sp.csr_array(
        (weights.ravel(), indices.astype(np.int32).ravel(), np.arange(0, m * k + 1, k)),
        shape=(m, n),
    )
    graph.sum_duplicates()
    graph.eliminate_zeros()
    return graph


def fuzzy_union(graph: sp.csr_array, mix: float = 1.0) -> sp.csr_array:
    """v_ij from v_j|i and v_i|j; mix 1 is their union, 0 their intersection, between: both."""
    other = sp.csr_array(graph.T)
    both = graph * other  # entry by entry
    union = graph + other - both
    result = union if mix == 1.0 else mix * union + (1.0 - mix) * both
    return tidy(result)


def tidy(graph: sp.csr_array) -> sp.csr_array:
    """The same graph as float32 of 16 bits, without zeros, columns in order."""
    graph = sp.csr_array(graph)
    graph.data = rounded(graph.data)
    graph.eliminate_zeros()
    graph.sort_indices()
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return graph


def rounded(weights: np.ndarray) -> np.ndarray:
    """Weights as float32 with 16 bits: rounding errors of the distances are gone from them."""
    mantissa, exponent = np.frexp(weights)
    return np.ldexp(np.rint(mantissa * 2.0**BITS) / 2.0**BITS, exponent).astype(np.float32)
