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
    X, rows, weight, centers, chosen, n_chosen, nearest, second,
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
        label[r] = new
        count[new] += w
        if old >= 0:
            count[old] -= w
        square, change = 0.0, 0.0
        for f in range(X.shape[1]):
            x = np.float64(X[i, f])
            nearer, farther = x - centers[new, f], x - centers[old, f] if old >= 0 else 0.0
            square += nearer * nearer
            change += nearer * nearer - farther * farther
            sum_x[new, f] += w * x
            if old >= 0:
                sum_x[old, f] -= w * x
        inertia += w * change
        upper[r] = np.sqrt(square) * (1.0 + ROUNDING)
    return inertia


@kernel(allocates=True)
def nearest_center(X, C, half, few, products, least, index, label):
    """Number of the nearest center of every row."""
    k, d = C.shape
    n = len(X)
    for start in range(0, n, TOGETHER):
        size = min(TOGETHER, n - start)
        rows = few
        if size == TOGETHER:
            rows = X[start : start + TOGETHER]
        else:
            for t in range(size):
                for f in range(d):
                    few[t, f] = X[start + t, f]
        # always of one shape: a row's products do not depend on its company
        np.dot(C, rows.T, products)
        for t in range(TOGETHER):
            least[t] = half[0] - products[0, t]
            index[t] = 0
        for j in range(1, k):
            h = half[j]
            number = np.int32(j)
            # rows side by side, and no branches: this loop becomes vector instructions
            for t in range(TOGETHER):
                value, best, its_number = h - products[j, t], least[t], index[t]
                nearer = value < best
                least[t] = value if nearer else best
                index[t] = number if nearer else its_number
        for t in range(size):
            label[start + t] = index[t]


@kernel(allocates=True)
def narrow_look(
    X, pilot, scale, C, half, noise, top, few, norm, products, best, index, label, unsure
):  # fmt: skip
    """The nearest center of rows of float64 by products in float32, which take half the time.

    Returns the number of rows for which rounding may hide another one that is nearer; `unsure` has
    them. They are to be looked at in float64.
    """
    k = len(C)
    n = len(X)
    n_unsure = 0
    first, second = best[0], best[1]
    for start in range(0, n, TOGETHER):
        size = min(TOGETHER, n - start)
        for t in range(size):
            norm[t] = narrowed(X, start + t, pilot, scale, few, t)
        # always of one shape: a row's products do not depend on its company
        np.dot(C, few.T, products)
        for t in range(TOGETHER):
            first[t] = half[0] - products[0, t]
            second[t] = np.inf
            index[t] = 0
        for j in range(1, k):
            h = half[j]
            number = np.int32(j)
            # rows side by side, and no branches: this loop becomes vector instructions
            for t in range(TOGETHER):
                value, least, next_one, its_number = (
                    h - products[j, t],
                    first[t],
                    second[t],
                    index[t],
                )
                nearer = value < least
                not_nearer = value if value < next_one else next_one
                second[t] = least if nearer else not_nearer
                first[t] = value if nearer else least
                index[t] = number if nearer else its_number
        for t in range(size):
            label[start + t] = index[t]
            apart = 2.0 * (np.float64(second[t]) - np.float64(first[t]))
            if not apart > noise * (norm[t] + top):  # as well if they overflow
                unsure[n_unsure] = start + t
                n_unsure += 1
    return n_unsure


@kernel
def change_labels(X, pilot, unit, centers, nearest, label, count, sum_x, changed):
    """Give rows their nearest centers; returns the change of J, to the bit as `relabel` does.

    `changed` counts the rows that had others.
    """
    inertia = 0.0
    for i in range(len(X)):
        old, new = np.int64(label[i]), np.int64(nearest[i])
        if new == old:
            continue
        changed[0] += 1
        label[i] = new
        count[new] += 1.0
        count[old] -= 1.0
        change = 0.0
        for f in range(X.shape[1]):
            x = np.float64((X[i, f] - pilot[f]) / unit)
            nearer, farther = x - centers[new, f], x - centers[old, f]
            change += nearer * nearer - farther * farther
            sum_x[new, f] += x
            sum_x[old, f] -= x
        inertia += change
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
def sparse_look(start, stop, indptr, indices, data, across, half, products, label, nearest, values):
    """The nearest center of each sparse row, and what it and the center of its label have.

    `across` (d, k) has a column for each center: an entry's products with all of them are made
    side by side.
    """
    k = len(half)
    for i in range(start, stop):
        for j in range(k):
            products[j] = half[j]
        for e in range(indptr[i], indptr[i + 1]):
            x, f = data[e], indices[e]
            for j in range(k):
                products[j] -= x * across[f, j]
        least, number = products[0], np.int32(0)
        for j in range(1, k):
            if products[j] < least:
                least, number = products[j], np.int32(j)
        nearest[i] = number
        values[i, 0] = least
        values[i, 1] = products[label[i]] if label[i] >= 0 else 0.0


@kernel
def sparse_changes(
    indptr, indices, data, nearest, values, norms, weight, scale, label, count, sum_x
):  # fmt: skip
    """As `change_labels`, of sparse rows; those whose label was -1 were in no sum so far."""
    inertia = 0.0
    for i in range(len(nearest)):
        old, new, w = np.int64(label[i]), np.int64(nearest[i]), weight[i]
        if new == old:
            continue
        label[i] = nearest[i]
        square = 2.0 * values[i, 0] + norms[i]
        inertia += w * (square if square > 0.0 else 0.0)
        count[new] += w
        for e in range(indptr[i], indptr[i + 1]):
            sum_x[new, indices[e]] += w * (data[e] * scale)
        if old >= 0:
            square = 2.0 * values[i, 1] + norms[i]
            inertia -= w * (square if square > 0.0 else 0.0)
            count[old] -= w
            for e in range(indptr[i], indptr[i + 1]):
                sum_x[old, indices[e]] -= w * (data[e] * scale)
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
def narrowed(X, i, pilot, scale, few, t):
    """Row i in float32 as row t of `few`; returns the square of its norm."""
    square = np.float32(0.0)
    for f in range(X.shape[1]):
        x = np.float32((X[i, f] - pilot[f]) * scale)
        few[t, f] = x
        square += x * x
    return square


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
