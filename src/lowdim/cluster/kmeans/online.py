"""Online k-means: the winner takes all.

    for each row x:    j = argmin_j ||x - c_j||^2,     c_j := c_j + gain (x - c_j)

With gain = w / (weight t of all rows that center j has won) every center is the mean of the rows it
has won; t^-p with p < 1 forgets early rows, a constant gain follows clusters that move. One row
after the other, so the result depends on their order, and not on how they are cut into batches.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel


def learn(
    X: np.ndarray, weight: np.ndarray, centers: np.ndarray, counts: np.ndarray, gain: float
) -> tuple[np.ndarray, float]:
    """Move `centers` (k, d) and `counts` (k,) in place by every row.

    gain : above 0 it is this part of the way; -p stands for t^-p.

    Returns the winner of each row, and the sum of their squared distances at that time.
    """
    label = np.empty(len(X), dtype=np.int32)
    across = np.ascontiguousarray(centers.T)
    X, square = np.ascontiguousarray(X, dtype=np.float64), np.empty(len(centers))
    inertia = _learn(X, weight, across, counts, gain, label, square)
    centers[:] = across.T
    return label, inertia


@kernel
def _learn(X, weight, centers, counts, gain, label, square):
    """`centers` has a column for each: a row's distances from all are made side by side."""
    d, k = centers.shape
    inertia = 0.0
    for i in range(len(X)):
        _measure_all(X[i], centers, square)
        winner, least = 0, square[0]
        for j in range(1, k):
            if square[j] < least:
                winner, least = j, square[j]
        label[i] = winner
        w = weight[i]
        inertia += w * least
        counts[winner] += w
        if w > 0.0:
            if gain == -1.0:
                step = w / counts[winner]
            else:
                once = gain if gain > 0.0 else min(1.0, counts[winner] ** gain)
                step = 1.0 - (1.0 - once) ** w
            for f in range(d):
                centers[f, winner] += step * (X[i, f] - centers[f, winner])
    return inertia


@kernel(within=True)
def _measure_all(x, centers, square):
    """Squared distances from all centers, four columns of X at a time."""
    d, k = centers.shape
    for j in range(k):
        square[j] = 0.0
    f = 0
    while f + 4 <= d:
        p, q, r, s = centers[f], centers[f + 1], centers[f + 2], centers[f + 3]
        a, b, c, e = x[f], x[f + 1], x[f + 2], x[f + 3]
        for j in range(k):
            t, u, v, w = a - p[j], b - q[j], c - r[j], e - s[j]
            square[j] += (t * t + u * u) + (v * v + w * w)
        f += 4
    while f < d:
        p, a = centers[f], x[f]
        for j in range(k):
            t = a - p[j]
            square[j] += t * t
        f += 1
