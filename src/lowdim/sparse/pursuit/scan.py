"""Where an array of numbers that are not negative has its largest: kernels for kernels.

Floating point numbers that are not negative are ordered as the whole numbers of the same bits, and
the largest of whole numbers is found with vector instructions: `bits` is a view of `score`.

`first_of_ties` takes numbers that differ by rounding alone for equal: atoms that agree on all that
is observed of a row tie, and which is taken must not depend on how products were added.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.kernel import kernel

CHUNK = 64
LINE = 64  # bytes of the cache that are fetched together
TIE_DOUBLE, TIE_SINGLE = 2**16, 2**6  # steps from one floating point number to the next


def bits_of(score: np.ndarray) -> np.ndarray:
    """The same memory as whole numbers."""
    return score.view(np.int32 if score.dtype == np.float32 else np.int64)


def room(rows: int, columns: int, dtype: Any) -> np.ndarray:
    """An array to work in that begins where a line of the cache does: vectors straddle no two.

    Loops over what fits into the cache take two thirds of the time that they take elsewhere.
    """
    size = rows * columns * np.dtype(dtype).itemsize
    memory = np.empty(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(rows, columns)


@kernel(within=True)
def largest(bits, tie):
    """The first place of the largest number, or of one that is so many steps smaller."""
    best, where = bits[0], 0
    for start in range(0, len(bits), CHUNK):
        part = bits[start : start + CHUNK]  # numbered from 0, or there are no vector instructions
        top = part[0]
        for m in range(len(part)):
            v = part[m]
            top = v if v > top else top
        if top - best > tie or start == 0:
            best, where = top, start
    while best - bits[where] > tie:
        where += 1
    return where


@kernel(within=True)
def first_of_ties(bits):
    """The first place of the largest number, but for rounding."""
    return largest(bits, TIE_DOUBLE if bits.itemsize == 8 else TIE_SINGLE)


@kernel(within=True)
def new_direction(p, g, j, s, P, share, order, tiny):
    """1 / l_s, and in p the products of all atoms with q_s, the part of atom j that is new.

    p_s = (G_j - sum_i l_i p_i) / l_s, l_i = p_i[j]: see `greedy`. 0 if atom j depends on those
    before it.
    """
    rest = g[j]
    for i in range(s):
        v = P[i, j]
        share[i] = v
        rest -= v * v
    if rest <= tiny * g[j]:
        return rest - rest
    scale = np.sqrt(rest) / rest
    for i in range(s):
        share[i] *= scale
    for m in range(len(g)):
        p[m] = scale * g[m]
    subtract_rows(p, P, order, share, s)
    return scale


@kernel(any_order=True, within=True)
def subtract_rows(q, A, index, share, n):
    """q -= sum_i share_i A[index_i] over the first n, four rows at a time."""
    i = 0
    while i + 4 <= n:
        a, b = A[index[i]], A[index[i + 1]]
        c, d = A[index[i + 2]], A[index[i + 3]]
        x, y = share[i], share[i + 1]
        z, w = share[i + 2], share[i + 3]
        for m in range(len(q)):
            q[m] -= x * a[m] + y * b[m] + z * c[m] + w * d[m]
        i += 4
    while i < n:
        a, x = A[index[i]], share[i]
        for m in range(len(q)):
            q[m] -= x * a[m]
        i += 1
