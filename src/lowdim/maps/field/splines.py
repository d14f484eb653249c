"""B-splines of degree 5 between points and the nodes of a mesh.

    spread    m_k = sum_j c_j B((y_j - o) / h - k)
    read      phi(y) = sum_k u_k B((y - o) / h - k),  and its gradient by B'

B has six nodes along each axis. A mesh of one or two axes is one of three whose first sides are 1.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.maps.field.mesh import Mesh

PIECE = 2**13  # points that a piece of the spreading has at least, and
NODES_BY_POINT = 16  # so many nodes for each at most: every piece has a mesh to be added up
MOST_PIECES = 8
BLOCK = 2**13  # points that are read at a time


def spread(Y: np.ndarray, charges: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Charges of the nodes, from charges of points (float32).

    Pieces of many points have a mesh each, added up in order.
    """
    n, nodes = len(Y), int(np.prod(mesh.shape))
    pieces = int(np.clip(n // max(PIECE, nodes // NODES_BY_POINT), 1, MOST_PIECES))
    cuts = [n * i // pieces for i in range(pieces + 1)]
    places = _in_mesh(Y, mesh)

    def piece(cut: tuple[int, int]) -> np.ndarray:
        nodes = np.zeros((1,) * (3 - Y.shape[1]) + mesh.shape, np.float32)
        _spread(places, charges, *cut, nodes, np.empty((3, 6), np.float32))
        return nodes

    total, *others = shared_map(piece, list(pairwise(cuts)))
    for other in others:
        total += other
    return total.reshape(mesh.shape)


def read(Y: np.ndarray, nodes: np.ndarray, mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Values (n,) and gradients (n, axes) of the splines with these coefficients, at points."""
    n, axes = Y.shape
    values, gradients = np.empty(n, np.float32), np.empty((n, axes), np.float32)
    places, deep = _in_mesh(Y, mesh), nodes.reshape((1,) * (3 - axes) + mesh.shape)

    def block(start: int) -> None:
        stop = min(n, start + BLOCK)
        taps, slopes = np.empty((3, 6), np.float32), np.empty((3, 6), np.float32)
        _read(places, deep, start, stop, values, gradients, taps, slopes)

    shared_map(block, range(0, n, BLOCK))
    gradients *= np.float32(1 / mesh.spacing)
    return values, gradients


def _in_mesh(Y: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Places in units of the spacing, from the first node on."""
    if Y.dtype == np.float32:
        return (Y - mesh.origin.astype(np.float32)) * np.float32(1 / mesh.spacing)
    return np.ascontiguousarray((Y - mesh.origin) / mesh.spacing, dtype=np.float32)


# ---- kernels -------------------------------------------------------------------------------------


@kernel(within=True)
def _weigh(t, row, taps):
    """B at t + 2, t + 1, t, ..., t - 3: weights of the nodes from two before a place on."""
    s = np.float32(1) - t
    tt, ss = t * t, s * s
    taps[row, 0] = ss * ss * s * np.float32(1 / 120)
    taps[row, 1] = _side(t, tt)
    taps[row, 2] = _top(t, tt)
    taps[row, 3] = _top(s, ss)
    taps[row, 4] = _side(s, ss)
    taps[row, 5] = tt * tt * t * np.float32(1 / 120)


@kernel(within=True)
def _top(t, tt):
    return np.float32(0.55) + tt * (
        tt * (np.float32(0.25) - t * np.float32(1 / 12)) - np.float32(0.5)
    )


@kernel(within=True)
def _side(t, tt):
    inner = np.float32(1 / 6) + t * (
        np.float32(1 / 6) + t * (t * np.float32(1 / 24) - np.float32(1 / 6))
    )
    return np.float32(13 / 60) - t * np.float32(5 / 12) + tt * inner


@kernel
def _spread(places, charges, start, stop, nodes, taps):
    axes = places.shape[1]
    first, b_taps, a_taps = 3 - axes, 6 if axes > 1 else 1, 6 if axes > 2 else 1
    for axis in range(first):
        taps[axis, 0] = np.float32(1)
    for i in range(start, stop):
        a = b = c = 0
        for axis in range(axes):
            k = int(places[i, axis])
            _weigh(places[i, axis] - np.float32(k), first + axis, taps)
            a, b, c = b, c, k - 2
        for p in range(a_taps):
            for q in range(b_taps):
                weight = charges[i] * taps[0, p] * taps[1, q]
                line = nodes[a + p, b + q, c : c + 6]
                for r in range(6):
                    line[r] += weight * taps[2, r]


@kernel
def _read(places, nodes, start, stop, values, gradients, taps, slopes):
    axes = places.shape[1]
    first, b_taps, a_taps = 3 - axes, 6 if axes > 1 else 1, 6 if axes > 2 else 1
    for axis in range(first):
        taps[axis, 0], slopes[axis, 0] = np.float32(1), np.float32(0)
    for i in range(start, stop):
        a = b = c = 0
        for axis in range(axes):
            k = int(places[i, axis])
            t, row = places[i, axis] - np.float32(k), first + axis
            _weigh(t, row, taps)
            _slope(t, row, slopes)
            a, b, c = b, c, k - 2
        value = along_a = along_b = along_c = np.float32(0)
        for p in range(a_taps):
            for q in range(b_taps):
                line = nodes[a + p, b + q, c : c + 6]
                here = slope = np.float32(0)
                for r in range(6):
                    here += line[r] * taps[2, r]
                    slope += line[r] * slopes[2, r]
                value += taps[0, p] * taps[1, q] * here
                along_a += slopes[0, p] * taps[1, q] * here
                along_b += taps[0, p] * slopes[1, q] * here
                along_c += taps[0, p] * taps[1, q] * slope
        values[i] = value
        gradients[i, axes - 1] = along_c
        if axes > 1:
            gradients[i, axes - 2] = along_b
        if axes > 2:
            gradients[i, 0] = along_a


@kernel(within=True)
def _slope(t, row, slopes):
    """The derivatives of `_weigh`."""
    s = np.float32(1) - t
    tt, ss = t * t, s * s
    slopes[row, 0] = -ss * ss * np.float32(1 / 24)
    slopes[row, 1] = _side_slope(t, tt)
    slopes[row, 2] = _top_slope(t, tt)
    slopes[row, 3] = -_top_slope(s, ss)
    slopes[row, 4] = -_side_slope(s, ss)
    slopes[row, 5] = tt * tt * np.float32(1 / 24)


@kernel(within=True)
def _top_slope(t, tt):
    return t * (tt * (np.float32(1) - t * np.float32(5 / 12)) - np.float32(1))


@kernel(within=True)
def _side_slope(t, tt):
    inner = np.float32(0.5) + t * (t * np.float32(5 / 24) - np.float32(2 / 3))
    return t * np.float32(1 / 3) - np.float32(5 / 12) + tt * inner
