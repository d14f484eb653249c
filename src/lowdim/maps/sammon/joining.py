"""Rows that do not differ become one point, which counts as many.

Sammon's stress divides by dissimilarities. Rows with the dissimilarity 0 (or next to it) lie in one
place at its minimum, and add nothing to it there: so they are joined. If two such rows differ in
what they are to others, they are no two copies of one thing, and are refused by name.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from lowdim.maps.sammon.pairs import first_pair

LEAST = 1e-9  # of the median: a dissimilarity that is 0 but for rounding
ALIKE = 1e-6  # of the largest: how far two rows in one place may differ in what they are to others


class Joined(NamedTuple):
    """Points, each of which stands for some rows."""

    delta: np.ndarray  # dissimilarities of all pairs of points
    first: np.ndarray  # (points,)  the first row of each
    group: np.ndarray  # (rows,)  the point of each row


def joined(delta: np.ndarray, n: int, names: np.ndarray) -> Joined:
    """n rows with these dissimilarities, pair by pair, those that do not differ as one point.

    `names` are the numbers of the rows, for messages.
    """
    zero = np.flatnonzero(delta <= _least(delta))
    if not len(zero):
        return Joined(delta, np.arange(n), np.arange(n))
    starts = np.array([first_pair(n, i) for i in range(n + 1)])
    i = np.searchsorted(starts, zero, side="right") - 1
    # an empty last row starts where the one before ends
    j = zero - starts[i] + i + 1
    graph = coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
    group = _in_order(connected_components(graph, directed=False)[1])
    first = np.unique(group, return_index=True)[1]
    largest = float(delta.max())
    for row in np.flatnonzero(first[group] != np.arange(n)):
        _check_alike(delta, n, int(first[group[row]]), int(row), ALIKE * largest, names)
    m = len(first)
    kept = np.empty(first_pair(m, m), delta.dtype)
    for a in range(m):
        kept[first_pair(m, a) : first_pair(m, a + 1)] = row_of(delta, n, first[a])[first[a + 1 :]]
    return Joined(kept, first, group)


def row_of(delta: np.ndarray, n: int, i: int) -> np.ndarray:
    """The dissimilarities (n,) of row i to all."""
    row = np.zeros(n, delta.dtype)
    before = np.arange(i)
    row[:i] = delta[before * n - before * (before + 1) // 2 + i - before - 1]
    row[i + 1 :] = delta[first_pair(n, i) : first_pair(n, i + 1)]
    return row


def _least(delta: np.ndarray) -> float:
    """What counts as 0; of many pairs, every few are looked at."""
    some = delta[:: max(1, len(delta) // 2**20)]
    return LEAST * float(np.median(some)) if len(some) else 0.0


def _in_order(labels: np.ndarray) -> np.ndarray:
    """Labels that count from 0 in the order in which they occur."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]


def _check_alike(
    delta: np.ndarray, n: int, i: int, j: int, slack: float, names: np.ndarray
) -> None:
    one, other = row_of(delta, n, i), row_of(delta, n, j)
    away = np.abs(one.astype(np.float64) - other)
    away[[i, j]] = 0.0
    worst = int(np.argmax(away))
    if away[worst] > slack:
        raise ValueError(
            f"X has the dissimilarity 0 for rows {names[i]} and {names[j]}, which differ in that "
            f"to row {names[worst]}: {one[worst]:g} and {other[worst]:g}. Sammon divides by "
            "dissimilarities: leave out one of the two rows, or give them a small dissimilarity."
        )
