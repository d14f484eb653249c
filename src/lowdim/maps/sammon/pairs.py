"""Sammon's stress, its slope and its bend, pair by pair.

    E = 1/c sum_{i<j} m_i m_j (delta - d)^2 / delta        c = sum_{i<j} m_i m_j delta

    -c/2 dE/dy_ia     = m_i sum_j m_j (1/d - 1/delta) u                         u = y_ia - y_ja
    -c/2 d2E/dy_ia^2  = m_i sum_j m_j ((1/d - 1/delta) - u^2 / d^3)

m_i are the rows that point i stands for. Dissimilarities are kept pair by pair, i < j, in rows of
decreasing length; a pair is looked at once and adds to both of its points. Runs of rows are the
work of one thread each; their sums are added in order.

Cost: O(n^2 k) time; memory for n^2 / 2 dissimilarities, in float32 for such rows, and beyond `MANY`
points.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

MANY = 3000  # points, beyond which dissimilarities are float32
PAIRS_PER_RUN = 2**18  # that are worth a turn on a thread
MOST_RUNS = 24
LEAST = 1e-100  # distance in the map: points that coincide have no direction


class Pairs(NamedTuple):
    """Dissimilarities of n points, two by two, and how often each counts."""

    delta: np.ndarray  # (n (n - 1) / 2,)  positive
    counts: np.ndarray  # (n,)  rows that the point stands for
    total: float  # c = sum m_i m_j delta


class Look(NamedTuple):
    """What is seen of E at some places Y (k, n)."""

    stress: float
    slope: np.ndarray  # (k, n)  dE/dY
    bend: np.ndarray  # (k, n)  d2E/dY2, its diagonal


def first_pair(n: int, i: int) -> int:
    """Where the pairs (i, i + 1), (i, i + 2) ... begin."""
    return i * n - i * (i + 1) // 2


def gathered(n: int, rows_of: Callable[[int, int], np.ndarray], dtype: np.dtype) -> np.ndarray:
    """All pairs, of `rows_of(first, last)`: dissimilarities (last - first, n) of some rows."""
    delta = np.empty(first_pair(n, n), dtype)
    size = max(1, 2**20 // max(n, 1))
    for first in range(0, n, size):
        last = min(first + size, n)
        for i, row in zip(range(first, last), rows_of(first, last), strict=True):
            delta[first_pair(n, i) : first_pair(n, i + 1)] = row[i + 1 :]
    return delta


def pairs_of(delta: np.ndarray, count: np.ndarray) -> Pairs:
    """The pairs with their total."""
    n, total = len(count), 0.0
    for i in range(n - 1):
        row = delta[first_pair(n, i) : first_pair(n, i + 1)]
        total += float(count[i]) * float(np.dot(row.astype(np.float64), count[i + 1 :]))
    return Pairs(delta, count, total)


def look(pairs: Pairs, Y: np.ndarray) -> Look:
    """E at Y (k, n), its slope and its bend."""
    k, n = Y.shape
    Y = np.ascontiguousarray(Y)

    def work(run: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        sums, stress = np.zeros((2, k, n)), np.zeros(1)
        first, last = run
        scratch = np.empty((2, n))
        add_pairs(pairs.delta, pairs.counts, Y, first, last, scratch, sums[0], sums[1], stress)
        return sums, stress

    runs = runs_of(n)
    slope, bend, stress = np.zeros((k, n)), np.zeros((k, n)), 0.0
    for sums, part in ordered_map(work, runs):
        slope += sums[0]
        bend += sums[1]
        stress += float(part[0])
    scale = -2.0 / pairs.total * pairs.counts
    return Look(stress / pairs.total, slope * scale, bend * scale)


def runs_of(n: int) -> list[tuple[int, int]]:
    """Runs of rows with about as many pairs each; they depend on n alone."""
    pairs = first_pair(n, n)
    count = int(np.clip(pairs // PAIRS_PER_RUN, 1, MOST_RUNS))
    ends = np.cumsum(np.arange(n - 1, -1, -1))
    inner = np.searchsorted(ends, pairs * np.arange(1, count) / count) + 1
    edges = [0, *inner.tolist(), n]
    return [(a, b) for a, b in pairwise(edges) if b > a]


@kernel(any_order=True)
def add_pairs(delta, count, Y, first, last, work, slope, bend, stress):
    """Add the pairs of rows first to last - 1 to slope, bend (k, n) and stress (1,)."""
    k, n = Y.shape
    at = first * n - first * (first + 1) // 2
    for i in range(first, last):
        m = n - 1 - i
        row = delta[at : at + m]
        at += m
        weight = count[i + 1 :]
        for t in range(m):
            work[0, t] = 0.0
        for a in range(k):
            z = Y[a, i + 1 :]
            for t in range(m):
                u = Y[a, i] - z[t]
                work[0, t] += u * u
        error = 0.0
        for t in range(m):
            d = np.sqrt(work[0, t])
            d = d if d > LEAST else LEAST
            x = row[t]
            s = 1.0 / (d * x)  # one division: 1/d = s x, 1/x = s d
            error += weight[t] * (x - d) * (x - d) * d * s
            work[0, t] = s * (x - d)
            work[1, t] = s * x * (s * x) * (s * x)
        stress[0] += count[i] * error
        for a in range(k):
            z = Y[a, i + 1 :]
            g = slope[a, i + 1 :]
            h = bend[a, i + 1 :]
            own_slope = 0.0
            own_bend = 0.0
            for t in range(m):
                u = Y[a, i] - z[t]
                pull = work[0, t] * u
                turn = work[0, t] - u * u * work[1, t]
                own_slope += weight[t] * pull
                own_bend += weight[t] * turn
                g[t] -= count[i] * pull
                h[t] += count[i] * turn
            slope[a, i] += own_slope
            bend[a, i] += own_bend
