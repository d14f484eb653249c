"""New rows among points that stay where they are.

    minimise over y     sum_j w_j (delta_j - |y - y_j|)^2,     w_j = m_j / delta_j

Majorization: with every distance |y - y_j| bounded from below by its tangent, the minimum lies at

    G(y) = sum_j w_j (y_j + delta_j (y - y_j) / |y - y_j|) / sum_j w_j

and y + t (G(y) - y) is no worse than y for t up to 2. The sum has several minima: some steps are
made from a few places around the nearest points, and the best of them goes on to the end.

Cost: O(n k) per row and step.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

FIRST_STEPS, MOST_STEPS = 10, 1000
RELAXED = 1.7  # t: how far beyond the majorizer's minimum a step goes
TOL = 1e-9  # of the size of the map: a step that moves nothing
NEAR = 1e-100  # a distance that has no direction
BLOCK = 2**15  # dissimilarities that are worked on at a time


def place_rows(delta: np.ndarray, count: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Places (m, k) for rows with positive dissimilarities (m, n) to points Y (n, k)."""
    (m, n), k = delta.shape, Y.shape[1]
    columns = np.ascontiguousarray(Y.T)
    tol = TOL * float(np.ptp(Y, axis=0).max(initial=0.0))
    Z = np.empty((m, k))

    def work(rows: slice) -> None:
        part = np.ascontiguousarray(delta[rows], dtype=np.float64)
        weight, scratch = count / part, np.empty(n)
        best, least = np.empty((len(part), k)), np.full(len(part), np.inf)
        error = np.empty(len(part))
        for places in first_places(part, weight, Y):
            settle(part, weight, columns, places, error, scratch, FIRST_STEPS, RELAXED, tol)
            better = error < least
            best[better], least[better] = places[better], error[better]
        settle(part, weight, columns, best, error, scratch, MOST_STEPS, RELAXED, tol)
        Z[rows] = best

    size = max(1, BLOCK // n)
    for _ in ordered_map(work, [slice(s, min(s + size, m)) for s in range(0, m, size)]):
        pass
    return Z


def first_places(delta: np.ndarray, weight: np.ndarray, Y: np.ndarray) -> list[np.ndarray]:
    """Where rows may lie (m, k): at the mean of near points, and beside the nearest two."""
    share = weight / weight.max(axis=1, keepdims=True)
    share = share * share
    total = share.sum(axis=1)
    # not by BLAS, which rounds one row in another way than several
    mean = np.column_stack([(share * y).sum(axis=1) / total for y in Y.T])
    order = np.argsort(delta, axis=1, kind="stable")[:, :2]
    found, rows = [mean], np.arange(len(delta))
    for near in order.T:
        away = mean - Y[near]
        length = np.sqrt((away**2).sum(axis=1, keepdims=True))
        unit = np.eye(1, Y.shape[1])  # for a row whose mean lies at the point itself
        step = np.where(length > 0, away / np.where(length > 0, length, 1.0), unit)
        step = step * delta[rows, near][:, None]
        found += [Y[near] + step, Y[near] - step]
    return [np.ascontiguousarray(places) for places in found]


@kernel(any_order=True)
def settle(delta, weight, Y, places, error, work, steps, relaxed, tol):
    """Move each row of places (m, k) by steps among points Y (k, n); error is what is left."""
    m, n = delta.shape
    k = len(Y)
    for r in range(m):
        total = 0.0
        for j in range(n):
            total += weight[r, j]
        for step in range(steps + 1):
            for j in range(n):
                work[j] = 0.0
            for a in range(k):
                for j in range(n):
                    work[j] += (places[r, a] - Y[a, j]) * (places[r, a] - Y[a, j])
            left = 0.0
            for j in range(n):
                d = np.sqrt(work[j])
                d = d if d > NEAR else NEAR
                left += weight[r, j] * (delta[r, j] - d) * (delta[r, j] - d)
                work[j] = weight[r, j] * delta[r, j] / d
            error[r] = left
            if step == steps:
                break
            moved = 0.0
            for a in range(k):
                pull = 0.0
                for j in range(n):
                    pull += (work[j] - weight[r, j]) * (places[r, a] - Y[a, j])
                shift = relaxed * pull / total
                places[r, a] += shift
                moved += shift * shift
            if moved <= tol * tol:
                break
