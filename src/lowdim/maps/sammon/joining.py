"""Rows that do not differ become one point, which counts as many.

Sammon's stress divides by dissimilarities. Rows with the dissimilarity 0 lie in one place at its
minimum, and add nothing to it there: so they are joined. If two such rows differ in what they are
to others, they are no two copies of one thing, and are refused by name.

Rows that nearly coincide hold each other so fast that no step moves them both. They are joined,
too, if they are to all others what they are to each other: nobody sees the difference in a map.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.maps.sammon.pairs import first_pair

NEAR = 1e-4  # of small dissimilarities: those of rows that are joined
SMALL = 0.01  # quantile that is a small dissimilarity, of those that are not next to nothing
NOTHING = 1e-7  # of the lower quartile: what copies of a row may be apart by rounding
ZERO = 1e-12  # of it: a dissimilarity that is 0 but for rounding
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
    small = small_dissimilarity(delta)
    near = np.flatnonzero(delta <= NEAR * small)
    leader = _leaders(delta, n, near, ZERO * small, names)
    first = np.flatnonzero(leader == np.arange(n))
    if len(first) == n:
        return Joined(delta, first, first)
    m = len(first)
    kept = np.empty(first_pair(m, m), delta.dtype)
    for a in range(m):
        kept[first_pair(m, a) : first_pair(m, a + 1)] = row_of(delta, n, first[a])[first[a + 1 :]]
    return Joined(kept, first, np.searchsorted(first, leader))


def small_dissimilarity(delta: np.ndarray) -> float:
    """A small one of those that are not 0; of many pairs, every few are looked at."""
    some = delta[:: max(1, len(delta) // 2**20)]
    some = some[some > 0]
    if not len(some):
        return 0.0
    return float(np.quantile(some[some > NOTHING * np.quantile(some, 0.25)], SMALL))


def row_of(delta: np.ndarray, n: int, i: int) -> np.ndarray:
    """The dissimilarities (n,) of row i to all."""
    row = np.zeros(n, delta.dtype)
    before = np.arange(i)
    row[:i] = delta[before * n - before * (before + 1) // 2 + i - before - 1]
    row[i + 1 :] = delta[first_pair(n, i) : first_pair(n, i + 1)]
    return row


def _leaders(
    delta: np.ndarray, n: int, near: np.ndarray, zero: float, names: np.ndarray
) -> np.ndarray:
    """For each row the first one that it is joined with: itself, if it is with none."""
    leader = np.arange(n)
    if not len(near):
        return leader
    starts = np.array([first_pair(n, i) for i in range(n)])
    one = np.searchsorted(starts[: n - 1], near, side="right") - 1
    other = near - starts[one] + one + 1
    slack = ALIKE * float(delta.max())
    for i, j, e in zip(one.tolist(), other.tolist(), near.tolist(), strict=True):
        if leader[i] != i or leader[j] != j:  # pairs come in the order of their first rows
            continue
        away, k = _unlike(delta, n, i, j)
        if float(delta[e]) <= zero:
            if away > slack:
                a, b = row_of(delta, n, i)[k], row_of(delta, n, j)[k]
                raise ValueError(
                    f"X has the dissimilarity 0 for rows {names[i]} and {names[j]}, which differ "
                    f"in that to row {names[k]}: {a:g} and {b:g}. Sammon divides by "
                    "dissimilarities: leave out one of the two rows, or give them a small one."
                )
            leader[j] = i
        elif away <= 2.0 * float(delta[e]):
            leader[j] = i
    return leader


def _unlike(delta: np.ndarray, n: int, i: int, j: int) -> tuple[float, int]:
    """How far rows i and j differ in what they are to others, and to which the most."""
    away = np.abs(row_of(delta, n, i).astype(np.float64) - row_of(delta, n, j))
    away[[i, j]] = 0.0
    k = int(np.argmax(away))
    return float(away[k]), k
