"""The inner loops of k-means: which rows are in doubt, and the nearest center of those.

Plain loops over arrays; `assignment.py` says what they are for and hands them their workspace.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel

TOGETHER = 256  # rows in one product of matrices
ROUNDING = 2.0**-22  # of a bound that is kept in float32


@kernel
def in_doubt(start, stop, label, upper, lower, moved, drift, beyond, reach, noise, top, doubt):
    """Let bounds follow the centers; fills `doubt` with the rows whose label may not hold any more.

    Returns how many they are.
    """
    n_doubt = 0
    for i in range(start, stop):
        j = label[i]
        if j >= 0:
            own, old, bound = upper[i] + moved[j], lower[i], 0.0
            for s in range(drift.shape[1]):
                nearer, farther = old - drift[j, s], beyond[j, s] - own
                least = nearer if nearer < farther else farther
                bound = least if least > bound else bound
            upper[i] = own * (1.0 + ROUNDING)
            lower[i] = bound * (1.0 - ROUNDING)
            bound = reach[j] if reach[j] > bound else bound
            square = own * own
            if square + noise * (square + top) < bound * bound:
                continue
        doubt[n_doubt] = i
        n_doubt += 1
    return n_doubt


@kernel
def still_in_doubt(X, rows, centers, noise, top, reach, label, upper, lower, square, chosen):
    """Measure X = rows `rows` from their own centers; fills `chosen` as `in_doubt` does."""
    n_chosen = 0
    for i in range(len(X)):
        r = rows[i]
        j = np.int64(label[r])
        square[i] = 0.0
        if j >= 0:
            square[i] = square_apart(X, i, centers, j)
            upper[r] = np.sqrt(square[i]) * (1.0 + ROUNDING)
            bound = np.float64(lower[r])
            bound = reach[j] if reach[j] > bound else bound
            if square[i] + noise * (square[i] + top) < bound * bound:
                continue
        chosen[n_chosen] = i
        n_chosen += 1
    return n_chosen


@kernel
def relabel(
    X, rows, weight, centers, chosen, n_chosen, square, nearest, second,
    label, upper, lower, count, sum_x,
):  # fmt: skip
    """Give the chosen rows their nearest centers; returns the change of J.

    A row is taken from the weight and sum of its old center, if it had one, and added to those of
    the new.
    """
    inertia = 0.0
    for e in range(n_chosen):
        i = chosen[e]
        r, w = rows[i], weight[i]
        old, new = np.int64(label[r]), np.int64(nearest[i])
        lower[r] = second[i]
        if new == old:
            continue
        nearer = square_apart(X, i, centers, new)
        upper[r] = np.sqrt(nearer) * (1.0 + ROUNDING)
        label[r] = new
        inertia += w * (nearer - square[i])
        count[new] += w
        for f in range(X.shape[1]):
            sum_x[new, f] += w * X[i, f]
        if old >= 0:
            count[old] -= w
            for f in range(X.shape[1]):
                sum_x[old, f] -= w * X[i, f]
    return inertia


@kernel
def add_up(X, weight, centers, label, count, sum_x):
    """Add up rows by their labels; returns their part of J."""
    inertia = 0.0
    for i in range(len(X)):
        j, w = np.int64(label[i]), weight[i]
        inertia += w * square_apart(X, i, centers, j)
        count[j] += w
        for f in range(X.shape[1]):
            sum_x[j, f] += w * X[i, f]
    return inertia


@kernel
def measure(X, centers, label, square):
    """The squared distance of every row from its center."""
    for i in range(len(X)):
        square[i] = square_apart(X, i, centers, np.int64(label[i]))


@kernel(allocates=True)
def two_nearest(X, chosen, n_chosen, C, half, noise, top, few, products, best, index, label, lower):
    """Nearest center of the rows `chosen`, and a bound below the distance of the second."""
    k, d = C.shape
    first, second = best[0], best[1]
    for start in range(0, n_chosen, TOGETHER):
        size = min(TOGETHER, n_chosen - start)
        at = chosen[start]
        rows = few
        if size == TOGETHER and chosen[start + size - 1] == at + size - 1:
            rows = X[at : at + TOGETHER]  # side by side already
        else:
            for t in range(size):
                for f in range(d):
                    few[t, f] = X[chosen[start + t], f]
        # always of one shape: a row's products do not depend on its company
        np.dot(C, rows.T, products)
        for t in range(TOGETHER):
            first[t] = second[t] = np.inf
            index[t] = 0
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
            norm = square_norm(rows, t)
            square = 2.0 * np.float64(second[t]) + norm - noise * (norm + top)
            lower[i] = np.sqrt(square) * (1.0 - ROUNDING) if square > 0.0 else 0.0


@kernel(within=True, any_order=True)
def square_norm(X, i):
    """||x_i||^2"""
    square = 0.0
    for f in range(X.shape[1]):
        square += np.float64(X[i, f]) * np.float64(X[i, f])
    return square


@kernel(within=True, any_order=True)
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
