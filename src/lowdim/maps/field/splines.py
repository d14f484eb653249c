"""Cubic B-splines between points and the nodes of a mesh.

    spread    m_k = sum_j c_j B((y_j - o) / h - k)
    read      phi(y) = sum_k u_k B((y - o) / h - k),  and its gradient by B'

B has four nodes along each axis. A mesh of one or two axes is one of three whose first sides are 1.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.maps.field.mesh import Mesh

PIECE = 2**15  # points that a piece of the spreading has at least
MOST_PIECES = 8
BLOCK = 2**13  # points that are read at a time


def spread(Y: np.ndarray, charges: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Charges of the nodes, from charges of points (float32).

    Pieces of many points have a mesh each, added up in order.
    """
    n, nodes = len(Y), int(np.prod(mesh.shape))
    pieces = int(np.clip(n // max(PIECE, nodes // 4), 1, MOST_PIECES))
    cuts = [n * i // pieces for i in range(pieces + 1)]
    places = _in_mesh(Y, mesh)

    def piece(cut: tuple[int, int]) -> np.ndarray:
        nodes = np.zeros((1,) * (3 - Y.shape[1]) + mesh.shape, np.float32)
        _spread(places, charges, *cut, nodes, np.empty((3, 4), np.float32))
        return nodes

    total, *others = _run(piece, list(pairwise(cuts)))
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
        taps = np.empty((3, 4), np.float32), np.empty((3, 4), np.float32)
        _read(places, deep, start, stop, values, gradients, *taps)

    _run(block, range(0, n, BLOCK))
    gradients *= np.float32(1 / mesh.spacing)
    return values, gradients


def _run(function: Callable, pieces: list | range) -> list:
    if len(pieces) == 1:
        return [function(pieces[0])]
    return list(ordered_map(function, pieces))


def _in_mesh(Y: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Places in units of the spacing, from the first node on."""
    if Y.dtype == np.float32:
        return (Y - mesh.origin.astype(np.float32)) * np.float32(1 / mesh.spacing)
    return np.ascontiguousarray((Y - mesh.origin) / mesh.spacing, dtype=np.float32)


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _spread(places, charges, start, stop, nodes, taps):
    axes = places.shape[1]
    first, b_taps = 3 - axes, 4 if axes > 1 else 1
    a_taps = 4 if axes > 2 else 1
    sixth, one, half = np.float32(1 / 6), np.float32(1), np.float32(0.5)
    two_thirds = np.float32(2 / 3)
    for axis in range(first):
        taps[axis, 0] = one
    for i in range(start, stop):
        a = b = c = 0
        for axis in range(axes):
            x = places[i, axis]
            k = int(x)
            t = x - np.float32(k)
            s = one - t
            row = first + axis
            taps[row, 0] = s * s * s * sixth
            taps[row, 1] = two_thirds - t * t * (one - half * t)
            taps[row, 2] = two_thirds - s * s * (one - half * s)
            taps[row, 3] = t * t * t * sixth
            a, b, c = b, c, k - 1
        charge = charges[i]
        for p in range(a_taps):
            for q in range(b_taps):
                weight = charge * taps[0, p] * taps[1, q]
                for r in range(4):
                    nodes[a + p, b + q, c + r] += weight * taps[2, r]


@kernel
def _read(places, nodes, start, stop, values, gradients, taps, slopes):
    axes = places.shape[1]
    first, b_taps = 3 - axes, 4 if axes > 1 else 1
    a_taps = 4 if axes > 2 else 1
    sixth, one, half = np.float32(1 / 6), np.float32(1), np.float32(0.5)
    two_thirds, two = np.float32(2 / 3), np.float32(2)
    for axis in range(first):
        taps[axis, 0], slopes[axis, 0] = one, np.float32(0)
    for i in range(start, stop):
        a = b = c = 0
        for axis in range(axes):
            x = places[i, axis]
            k = int(x)
            t = x - np.float32(k)
            s = one - t
            row = first + axis
            taps[row, 0] = s * s * s * sixth
            taps[row, 1] = two_thirds - t * t * (one - half * t)
            taps[row, 2] = two_thirds - s * s * (one - half * s)
            taps[row, 3] = t * t * t * sixth
            slopes[row, 0] = -half * s * s
            slopes[row, 1] = half * t * (np.float32(3) * t - two * two)
            slopes[row, 2] = half * s * (two * two - np.float32(3) * s)
            slopes[row, 3] = half * t * t
            a, b, c = b, c, k - 1
        value = along_a = along_b = along_c = np.float32(0)
        for p in range(a_taps):
            for q in range(b_taps):
                line = slope = np.float32(0)
                for r in range(4):
                    node = nodes[a + p, b + q, c + r]
                    line += node * taps[2, r]
                    slope += node * slopes[2, r]
                value += taps[0, p] * taps[1, q] * line
                along_a += slopes[0, p] * taps[1, q] * line
                along_b += taps[0, p] * slopes[1, q] * line
                along_c += taps[0, p] * taps[1, q] * slope
        values[i] = value
        gradients[i, axes - 1] = along_c
        if axes > 1:
            gradients[i, axes - 2] = along_b
        if axes > 2:
            gradients[i, 0] = along_a
