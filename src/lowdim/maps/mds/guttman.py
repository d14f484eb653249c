"""What a look at a map says: its stress, and where each point is pushed.

    sigma(Y)       = sum over pairs i < j of  w_ij (f_ij - d_ij)^2,      d_ij = |y_i - y_j|
    half gradient  g_i = sum_j w_ij (d_ij - f_ij) / d_ij (y_i - y_j)

The Guttman transform, one step of majorization, is Y - V^+ g with V = diag(sum_j w_ij) - W
(`weights.py`): it never raises sigma. Points in the same place do not push each other.

`square_look` goes over all of a matrix of dissimilarities, of which each row is a vector loop;
`pairs_look` over a list of pairs. Both on threads, by pieces that depend on sizes alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map, shared_map

PAIRS_PER_PIECE = 2**20  # in float32: half a millisecond, worth a turn on a thread
PAIRS_PER_CUT = 2**17  # of a list, whose places are looked up: as long
MOST_PIECES = 16  # of a list: each has a gradient of its own


class Look(NamedTuple):
    """A look at a map."""

    stress: float
    gradient: np.ndarray  # (n, k)  of the stress


class RowLook(NamedTuple):
    """A look at points among others that stay where they are, each for itself."""

    stress: np.ndarray  # (m,)  sum over the others
    gradient: np.ndarray  # (m, k)  half of it


def square_look(disparity: np.ndarray, Y: np.ndarray) -> Look:
    """Stress and gradient where f is a symmetric matrix (n, n) and all weights are 1.

    Its diagonal does not count. Works in the precision of the matrix.
    """
    rows = rows_look(disparity, Y, Y)
    of_diagonal = float(np.square(disparity.diagonal(), dtype=np.float64).sum())
    stress = (float(rows.stress.sum()) - of_diagonal) / 2
    return Look(max(stress, 0.0), 2.0 * rows.gradient)


def rows_look(disparity: np.ndarray, places: np.ndarray, others: np.ndarray) -> RowLook:
    """Stress and half gradient of each of m points, given f (m, n) to n others.

    Works in the precision of f, and gives float64.
    """
    m, n = disparity.shape
    places = np.ascontiguousarray(places.T, dtype=disparity.dtype)
    others = np.ascontiguousarray(others.T, dtype=disparity.dtype)
    pairs = PAIRS_PER_PIECE // (disparity.itemsize // 4)  # in float64 twice as long
    size = max(1, pairs // max(n, 1))

    def work(start: int) -> tuple[np.ndarray, np.ndarray]:
        part = disparity[start : start + size]
        own = np.ascontiguousarray(places[:, start : start + size])
        gradient, stress = np.empty_like(own), np.empty(len(part), dtype=part.dtype)
        look_at_rows(part, own, others, gradient, stress, np.empty(n, dtype=part.dtype))
        return stress.astype(np.float64), gradient.T.astype(np.float64)

    parts = list(ordered_map(work, range(0, m, size)))
    return RowLook(np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]))


def pairs_look(
    first: np.ndarray, second: np.ndarray, weight: np.ndarray, disparity: np.ndarray, Y: np.ndarray
) -> Look:
    """Stress and gradient over a list of pairs, given f of each.

    `weight` has an entry for each pair, or one for all.
    """
    Y = np.ascontiguousarray(Y, dtype=np.float64)

    def work(cut: slice) -> tuple[float, np.ndarray]:
        gradient = np.zeros_like(Y)
        own = weight if len(weight) == 1 else weight[cut]
        stress = look_at_pairs(first[cut], second[cut], own, disparity[cut], Y, gradient)
        return stress, gradient

    stress, gradient = 0.0, np.zeros_like(Y)
    for part, pushes in shared_map(work, cuts_of(len(first))):
        stress += part
        gradient += pushes
    return Look(stress, 2.0 * gradient)


def pair_distances(first: np.ndarray, second: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """d of each pair (p,)."""
    Y = np.ascontiguousarray(Y, dtype=np.float64)
    distance = np.empty(len(first))

    def work(cut: slice) -> None:
        measure_pairs(first[cut], second[cut], Y, distance[cut])

    shared_map(work, cuts_of(len(first)))
    return distance


def cuts_of(length: int) -> list[slice]:
    """The pieces of a list of pairs."""
    size = max(PAIRS_PER_CUT, -(-length // MOST_PIECES))
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def look_at_rows(disparity, places, others, gradient, stress, work):
    """Fill stress (m,) and gradient (k, m) of points `places` (k, m) among `others` (k, n).

    One coordinate after the other over a whole row: every loop is of vector instructions.
    """
    k, n = others.shape
    zero = others[0, 0] - others[0, 0]  # of the arrays' own precision
    for i in range(disparity.shape[0]):
        y = places[0, i]
        for j in range(n):
            apart = y - others[0, j]
            work[j] = apart * apart
        for c in range(1, k):
            y = places[c, i]
            for j in range(n):
                apart = y - others[c, j]
                work[j] += apart * apart
        total = zero
        for j in range(n):
            d = math.sqrt(work[j])
            over = d - disparity[i, j]
            total += over * over
            work[j] = over / d if work[j] > zero else zero
        stress[i] = total
        for c in range(k):
            y, push = places[c, i], zero
            for j in range(n):
                push += work[j] * (y - others[c, j])
            gradient[c, i] = push


@kernel(any_order=True)
def look_at_pairs(first, second, weight, disparity, Y, gradient):
    """Add half the gradient (n, k) of the pairs; returns their stress."""
    k = Y.shape[1]
    one = weight.shape[0] == 1
    total = 0.0
    for p in range(first.shape[0]):
        i, j = first[p], second[p]
        w = weight[0] if one else weight[p]
        squared = 0.0
        for c in range(k):
            apart = Y[i, c] - Y[j, c]
            squared += apart * apart
        d = math.sqrt(squared)
        over = d - disparity[p]
        total += w * over * over
        if squared > 0.0:
            part = w * over / d
            for c in range(k):
                push = part * (Y[i, c] - Y[j, c])
                gradient[i, c] += push
                gradient[j, c] -= push
    return total


@kernel(any_order=True)
def measure_pairs(first, second, Y, distance):
    """Fill the distance (p,) of each pair."""
    k = Y.shape[1]
    for p in range(first.shape[0]):
        i, j = first[p], second[p]
        squared = 0.0
        for c in range(k):
            apart = Y[i, c] - Y[j, c]
            squared += apart * apart
        distance[p] = math.sqrt(squared)
