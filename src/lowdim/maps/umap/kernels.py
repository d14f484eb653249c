"""One epoch of UMAP's layout over a block of rows, in two ways.

    sampled    an edge (i, j) is visited in a share w_ij / max w of the epochs; with each visit y_i
               moves towards y_j and away from `negatives` rows drawn at random
    settled    y_i feels all its edges by their weights, and either all rows or a number of draws:

                   y_i <- y_i + alpha (sum_j A_ij (y_j - y_i) + R_i) / (1 + alpha sum_j A_ij)

               which is the step of a spring with stiffness sum A that cannot overshoot

Z holds the places twice: rows 0 to n - 1 as they are, rows n to 2n - 1 as the epoch found them. A
block sees its own rows in the first half, the others in the second, and moves only its own: so
blocks may run in any order, on any thread. Negatives are drawn by a generator that starts anew from
(seed, epoch, row). Forces are multiples of y_i - y_j from tables in d^2 (`curve.py`).

Most maps are planes: they have kernels of their own, with no loop over dimensions (2.5x).
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.maps.umap.curve import SHIFT


@kernel(within=True)
def _begun(seed, epoch, row):
    """Where the generator of a row begins in an epoch (splitmix64)."""
    x = np.uint64(seed) + np.uint64(epoch) * np.uint64(0x9E3779B97F4A7C15)
    x += np.uint64(row) * np.uint64(0xD1B54A32D192ED03)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel(any_order=True)
def sampled_plane(Z, indptr, indices, rate, first, last, epoch, seed, pull, push, alpha, negatives):
    """Visits of one epoch to the edges of rows first to last - 1, in two dimensions."""
    n = Z.shape[0] // 2
    e = np.uint32(epoch)
    step = np.float32(alpha)
    for i in range(first, last):
        state = _begun(seed, epoch, i)
        x, y = Z[i, 0], Z[i, 1]
        for edge in range(indptr[i], indptr[i + 1]):
            # rate / 2^32 is added in every epoch: a visit where the sum passes a whole number
            r = rate[edge]
            phase = np.uint32(np.uint32(edge) * np.uint32(0x9E3779B9) + e * r)
            if np.uint32(phase + r) >= phase:
                continue
            j = np.int64(indices[edge])
            j = j if first <= j < last else j + n
            u, v = x - Z[j, 0], y - Z[j, 1]
            force = step * pull[np.float32(u * u + v * v).view(np.uint32) >> np.uint32(SHIFT)]
            x += force * u
            y += force * v
            dx, dy = np.float32(0.0), np.float32(0.0)
            for _ in range(negatives):  # all seen from one place: they do not wait for each other
                state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                j = np.int64(((state >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
                if j == i:  # it has moved since it was written down
                    continue
                j = j if first <= j < last else j + n
                u, v = x - Z[j, 0], y - Z[j, 1]
                force = push[np.float32(u * u + v * v).view(np.uint32) >> np.uint32(SHIFT)]
                dx += force * u
                dy += force * v
            x += step * dx
            y += step * dy
        Z[i, 0], Z[i, 1] = x, y


@kernel(any_order=True)
def settled_plane(
    Z, indptr, indices, weight, extra, share, first, last, epoch, seed, pull, push, alpha, draws
):
    """One settling step of rows first to last - 1, in two dimensions; draws 0: from all rows.

    share (n,): what one force of repulsion counts. extra: a further coefficient of each edge
    (densMAP), or of length 1 for none.
    """
    n = Z.shape[0] // 2
    step, one, zero = np.float32(alpha), np.float32(1.0), np.float32(0.0)
    each = 1 if len(extra) > 1 else 0
    rows = draws if draws > 0 else n
    for i in range(first, last):
        state = _begun(seed, epoch, i)
        x, y = Z[i, 0], Z[i, 1]
        dx, dy = zero, zero
        for draw in range(rows):
            j = np.int64(draw)
            if draws > 0:
                state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                j = np.int64(((state >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
            j = j if first <= j < last else j + n
            u, v = x - Z[j, 0], y - Z[j, 1]
            force = push[np.float32(u * u + v * v).view(np.uint32) >> np.uint32(SHIFT)]
            dx += force * u
            dy += force * v
        dx *= share[i]
        dy *= share[i]
        stiffness = zero
        for edge in range(indptr[i], indptr[i + 1]):
            j = np.int64(indices[edge])
            j = j if first <= j < last else j + n
            u, v = x - Z[j, 0], y - Z[j, 1]
            force = pull[np.float32(u * u + v * v).view(np.uint32) >> np.uint32(SHIFT)]
            force = force * weight[edge] + extra[edge * each]
            stiffness += abs(force)
            dx += force * u
            dy += force * v
        step_of_row = step / (one + step * stiffness)
        Z[i, 0], Z[i, 1] = x + step_of_row * dx, y + step_of_row * dy


@kernel(any_order=True)
def sampled(Z, indptr, indices, rate, first, last, epoch, seed, pull, push, alpha, negatives, move):
    """As `sampled_plane`, in any number of dimensions; move (k,) is to work in."""
    n, k = Z.shape[0] // 2, Z.shape[1]
    e = np.uint32(epoch)
    step = np.float32(alpha)
    for i in range(first, last):
        state = _begun(seed, epoch, i)
        for edge in range(indptr[i], indptr[i + 1]):
            r = rate[edge]
            phase = np.uint32(np.uint32(edge) * np.uint32(0x9E3779B9) + e * r)
            if np.uint32(phase + r) >= phase:
                continue
            j = np.int64(indices[edge])
            j = j if first <= j < last else j + n
            force = step * pull[_entry(Z, i, j)]
            for c in range(k):
                Z[i, c] += force * (Z[i, c] - Z[j, c])
                move[c] = 0.0
            for _ in range(negatives):
                state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                j = np.int64(((state >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
                j = j if first <= j < last else j + n
                force = push[_entry(Z, i, j)]
                for c in range(k):
                    move[c] += force * (Z[i, c] - Z[j, c])
            for c in range(k):
                Z[i, c] += step * move[c]


@kernel(any_order=True)
def settled(
    Z,
    indptr,
    indices,
    weight,
    extra,
    share,
    first,
    last,
    epoch,
    seed,
    pull,
    push,
    alpha,
    draws,
    move,
):
    """As `settled_plane`, in any number of dimensions; move (k,) is to work in."""
    n, k = Z.shape[0] // 2, Z.shape[1]
    step, one = np.float32(alpha), np.float32(1.0)
    each = 1 if len(extra) > 1 else 0
    rows = draws if draws > 0 else n
    for i in range(first, last):
        state = _begun(seed, epoch, i)
        for c in range(k):
            move[c] = 0.0
        for draw in range(rows):
            j = np.int64(draw)
            if draws > 0:
                state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                j = np.int64(((state >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
            j = j if first <= j < last else j + n
            force = share[i] * push[_entry(Z, i, j)]
            for c in range(k):
                move[c] += force * (Z[i, c] - Z[j, c])
        stiffness = np.float32(0.0)
        for edge in range(indptr[i], indptr[i + 1]):
            j = np.int64(indices[edge])
            j = j if first <= j < last else j + n
            force = weight[edge] * pull[_entry(Z, i, j)] + extra[edge * each]
            stiffness += abs(force)
            for c in range(k):
                move[c] += force * (Z[i, c] - Z[j, c])
        step_of_row = step / (one + step * stiffness)
        for c in range(k):
            Z[i, c] += step_of_row * move[c]


@kernel(within=True)
def _entry(Z, i, j):
    """The entry of the tables for |z_i - z_j|^2."""
    squared = np.float32(0.0)
    for c in range(Z.shape[1]):
        gap = Z[i, c] - Z[j, c]
        squared += gap * gap
    return np.float32(squared).view(np.uint32) >> np.uint32(SHIFT)
