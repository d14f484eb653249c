"""The inner loops of k-means: which rows are in doubt, and the nearest center of those.

Plain loops over arrays; `assignment.py` says what they are for and hands them their workspace.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel

TOGETHER = 256  # rows in one product of matrices
ROUNDING = 2.0**-22  # of a bound that is kept in float32


@kernel
def in_doubt(start, stop, label, upper, lower, moved, drift, beyond, reach, noise, top):
    """Let bounds follow the centers; the rows whose label may not hold any more."""
    stop = min(stop, len(label))
    doubt = np.empty(stop - start, dtype=np.int32)
    n_doubt = 0
    for i in range(start, stop):
        j = label[i]
        if j >= 0:
            own, old, bound = upper[i] + moved[j], lower[i], 0.0
            for s in range(drift.shape[1]):
                bound = max(bound, min(old - drift[j, s], beyond[j, s] - own))
            upper[i] = own * (1.0 + ROUNDING)
            lower[i] = bound * (1.0 - ROUNDING)
            bound = max(bound, reach[j])
            square = own * own
            if square + noise * (square + top) < bound * bound:
                continue
        doubt[n_doubt] = i
        n_doubt += 1
    return doubt[:n_doubt]


@kernel
def settle(
    X, rows, weight, centers, C, half, noise, top, reach, few, products, label, upper, lower, sums
):
    """Measure the rows in doubt, X = rows `rows`; add their changes to `sums`, return that of J.

    `sums` are the weight (k,) and the sum (k, d) of the rows of each center.
    """
    b = len(X)
    square, nearest, second = np.zeros(b), np.empty(b, dtype=np.int32), np.empty(b, dtype=X.dtype)
    chosen = _still_in_doubt(X, rows, centers, noise, top, reach, label, upper, lower, square)
    two_nearest(X, chosen, C, half, noise, top, few, products, nearest, second)
    inertia = 0.0
    for i in chosen:
        r = rows[i]
        lower[r] = second[i]
        if nearest[i] != label[r]:
            nearer = square_apart(X, i, centers, nearest[i])
            upper[r] = np.sqrt(nearer) * (1.0 + ROUNDING)
            inertia += weight[i] * (nearer - square[i])
            _change_label(X, i, weight[i], label[r], nearest[i], *sums)
            label[r] = nearest[i]
    return inertia


@kernel
def _still_in_doubt(X, rows, centers, noise, top, reach, label, upper, lower, square):
    """Measure the distance of rows from their own centers; those whose label may not hold yet."""
    chosen = np.empty(len(X), dtype=np.int64)
    n_chosen = 0
    for i in range(len(X)):
        r = rows[i]
        j = label[r]
        if j >= 0:
            square[i] = square_apart(X, i, centers, j)
            upper[r] = np.sqrt(square[i]) * (1.0 + ROUNDING)
            bound = max(np.float64(lower[r]), reach[j])
            if square[i] + noise * (square[i] + top) < bound * bound:
                continue
        chosen[n_chosen] = i
        n_chosen += 1
    return chosen[:n_chosen]


@kernel
def _change_label(X, i, w, old, new, count, sum_x):
    """Take row i from the sums of its old center, if it had one, and add it to those of the new."""
    count[new] += w
    for f in range(X.shape[1]):
        sum_x[new, f] += w * X[i, f]
    if old >= 0:
        count[old] -= w
        for f in range(X.shape[1]):
            sum_x[old, f] -= w * X[i, f]


@kernel
def add_up(X, weight, centers, label, count, sum_x):
    """Add up rows by their labels; returns their part of J."""
    inertia = 0.0
    for i in range(len(X)):
        j, w = label[i], weight[i]
        inertia += w * square_apart(X, i, centers, j)
        count[j] += w
        for f in range(X.shape[1]):
            sum_x[j, f] += w * X[i, f]
    return inertia


@kernel
def measure(X, centers, C, half, noise, top, few, products, label, square):
    """The nearest center of every row, and its squared distance."""
    b = len(X)
    lower = np.empty(b, dtype=X.dtype)
    two_nearest(X, np.arange(b), C, half, noise, top, few, products, label, lower)
    for i in range(b):
        square[i] = square_apart(X, i, centers, label[i])


@kernel
def two_nearest(X, chosen, C, half, noise, top, few, products, label, lower):
    """Nearest center of the rows `chosen`, and a bound below the distance of the second."""
    k, d = C.shape
    first, second = np.empty(TOGETHER, dtype=X.dtype), np.empty(TOGETHER, dtype=X.dtype)
    index = np.empty(TOGETHER, dtype=np.int32)
    for start in range(0, len(chosen), TOGETHER):
        size = min(TOGETHER, len(chosen) - start)
        for t in range(size):
            for f in range(d):
                few[t, f] = X[chosen[start + t], f]
        np.dot(
            C, few.T, products
        )  # always of one shape: a row's products do not depend on its company
        first[:] = np.inf
        second[:] = np.inf
        index[:] = 0
        for j in range(k):
            h = half[j]
            number = np.int32(j)
            # rows side by side, and no branches: this loop becomes vector instructions
            for t in range(TOGETHER):
                value, nearest, next_one, its_number = (
                    h - products[j, t],
                    first[t],
                    second[t],
                    index[t],
                )
                nearer = value < nearest
                not_nearer = value if value < next_one else next_one
                second[t] = nearest if nearer else not_nearer
                first[t] = value if nearer else nearest
                index[t] = number if nearer else its_number
        for t in range(size):
            i = chosen[start + t]
            label[i] = index[t]
            norm = 0.0
            for f in range(d):
                norm += np.float64(few[t, f]) * np.float64(few[t, f])
            square = 2.0 * np.float64(second[t]) + norm
            square -= noise * (norm + top)
            lower[i] = np.sqrt(max(square, 0.0)) * (1.0 - ROUNDING)


@kernel
def square_apart(X, i, centers, j):
    """||x_i - c_j||^2 by differences."""
    square = 0.0
    for f in range(X.shape[1]):
        apart = X[i, f] - centers[j, f]
        square += apart * apart
    return square


@kernel
def shift(X, pilot, unit):
    """(X - pilot) / unit in place; NumPy is slow to broadcast to short rows."""
    for i in range(X.shape[0]):
        for f in range(X.shape[1]):
            X[i, f] = (X[i, f] - pilot[f]) / unit
