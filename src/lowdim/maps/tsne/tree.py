"""Repulsion by a tree of cells (Barnes and Hut): what is far away acts as one point.

    phi(y) = sum over cells of (points in it) K(|y - mean of the cell|)

A cell is taken as a whole where its side is less than `angle` times its distance, else its parts
are. Points are sorted along a Z-shaped curve, so that a cell is a run of them; cells that hold the
same points as one of their parts are left out, so there are fewer than 2 n. They are stored such
that the parts of a cell follow it: a walk needs no stack, it goes on to the next cell, or jumps
over the parts.

Cost: O(n log n); about 20 times that of a mesh (`maps/field`) for 20,000 points in the plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.maps.axes import box_of

BITS = (0, 50, 31, 20)  # of a place on the curve along each axis, by the number of axes
BLOCK = 2**11  # points that one thread takes at a time


class Tree(NamedTuple):
    """Cells, each followed by its parts."""

    order: np.ndarray  # (n,)  the points along the curve
    means: np.ndarray  # (cells, axes) float32
    points: np.ndarray  # (cells,) float32  how many
    side: np.ndarray  # (cells,) float32  squared; 0: nothing to look into
    jump: np.ndarray  # (cells,) int64  the cell after all parts


def tree_sums(Y: np.ndarray, dof: float, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Values (n,) and gradients (n, axes) of phi at the points; a point's own K(0) = 1 is in."""
    tree = grow(Y)
    n = len(Y)
    values, gradients = np.empty(n, np.float32), np.empty(Y.shape, np.float32)
    settings = np.array([1 / dof, (dof + 1) / 2, angle**2], np.float32)

    def block(start: int) -> None:
        stop = min(n, start + BLOCK)
        here = np.empty(Y.shape[1], np.float32)
        _walk(*tree, Y, settings, start, stop, here, values, gradients)

    for _ in ordered_map(block, range(0, n, BLOCK)):
        pass
    gradients *= np.float32(-(dof + 1) / dof)
    return values, gradients


def grow(Y: np.ndarray) -> Tree:
    """The tree over the points Y (n, axes), of up to three axes."""
    n, axes = Y.shape
    bits = BITS[axes]
    low, high = box_of(Y)
    low = low.astype(np.float64)
    extent = float((high - low).max())
    steps = (Y - low) * ((2**bits - 1) / extent if extent > 0 else 0.0)
    codes = np.empty(n, np.int64)
    _interleave(steps.astype(np.int64), bits, codes)
    order = np.argsort(codes, kind="stable")
    begin, end, level, jump = (np.empty(2 * n, np.int64) for _ in range(4))
    waiting = np.empty(((bits + 1) * 2**axes, 3), np.int64)
    cells = _cut(codes[order], axes, bits, waiting, begin, end, level, jump)
    begin, end, level, jump = (array[:cells] for array in (begin, end, level, jump))
    sums = np.zeros((n + 1, axes))
    np.cumsum(Y[order], axis=0, dtype=np.float64, out=sums[1:])
    count = end - begin
    means = ((sums[end] - sums[begin]) / count[:, None]).astype(np.float32)
    side = np.where(level < 0, 0.0, extent * 0.5 ** np.maximum(level, 0))
    return Tree(order, means, count.astype(np.float32), (side**2).astype(np.float32), jump)


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _interleave(steps, bits, codes):
    """The place of each point on the curve: the bits of its axes in turn, the highest first."""
    axes = steps.shape[1]
    for i in range(len(steps)):
        code = 0
        for bit in range(bits - 1, -1, -1):
            for f in range(axes):
                code = (code << 1) | ((steps[i, f] >> bit) & 1)
        codes[i] = code


@kernel
def _cut(codes, axes, bits, waiting, begin, end, level, jump):
    """Cells of points in the order of the curve, each before its parts; returns how many.

    waiting: what is still to be cut (first point, after the last, depth). level: how often the
    whole was halved, -1 for points at one place. jump has the depths, until all are known.
    """
    mask = (1 << axes) - 1
    cells, top = 0, 1
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, len(codes), 0
    while top > 0:
        top -= 1
        low, high, depth = waiting[top, 0], waiting[top, 1], waiting[top, 2]
        begin[cells], end[cells], jump[cells] = low, high, depth
        different = codes[low] ^ codes[high - 1]
        level[cells] = -1
        if different != 0:
            shift = axes * (bits - 1)
            while (different >> shift) == 0:
                shift -= axes
            level[cells] = bits - 1 - shift // axes
            first, digit = low, (codes[low] >> shift) & mask
            for i in range(low + 1, high + 1):
                if i == high or ((codes[i] >> shift) & mask) != digit:
                    waiting[top, 0], waiting[top, 1], waiting[top, 2] = first, i, depth + 1
                    top += 1
                    if i < high:
                        first, digit = i, (codes[i] >> shift) & mask
        cells += 1
    for depth in range(bits + 1):  # from the last cell on: the next one that is no deeper
        waiting[depth, 0] = cells
    for cell in range(cells - 1, -1, -1):
        depth = jump[cell]
        jump[cell] = waiting[depth, 0]
        for deeper in range(depth, bits + 1):
            waiting[deeper, 0] = cell
    return cells


@kernel
def _walk(order, means, points, side, jump, Y, settings, start, stop, here, values, gradients):
    """Sums at the points from start to stop of the curve; gradients less the factor of K'."""
    axes, cells, one = Y.shape[1], len(points), np.float32(1)
    rate, power, opening = settings[0], settings[1], settings[2]
    for at in range(start, stop):
        i = order[at]
        value = np.float32(0)
        for f in range(axes):
            here[f] = Y[i, f]
            gradients[i, f] = np.float32(0)
        cell = 0
        while cell < cells:
            square = np.float32(0)
            for f in range(axes):
                difference = here[f] - means[cell, f]
                square += difference * difference
            if side[cell] == 0 or side[cell] < opening * square:
                near = one / (one + rate * square)
                weight = near if power == one else near**power
                weight *= points[cell]
                value += weight
                for f in range(axes):
                    gradients[i, f] += weight * near * (here[f] - means[cell, f])
                cell = jump[cell]
            else:
                cell += 1
        values[i] = value
