"""A first guess: what is missing is taken from the picture at half its size, and so on.

means of the known pixels in 2 x 2, until nothing is missing; then back, each time with smooth
interpolation of the smaller picture where the larger one is missing
"""

from __future__ import annotations

import numpy as np


def filled(plane: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """(h, w) without missing values; what is observed stays."""
    if observed.all():
        return plane
    small, known = _halved(np.where(observed, plane, 0.0), observed)
    coarse = filled(small, known) if small.size > 1 else small
    return np.where(observed, plane, _doubled(coarse, plane.shape))


def _halved(plane: np.ndarray, observed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wide = [(0, s % 2) for s in plane.shape]
    sums, counts = (
        _pair_sums(_pair_sums(np.pad(a, wide), 0), 1) for a in (plane, observed.astype(np.float64))
    )
    return sums / np.maximum(counts, 1.0), counts > 0


def _pair_sums(A: np.ndarray, axis: int) -> np.ndarray:
    even = [slice(None)] * 2
    odd = [slice(None)] * 2
    even[axis], odd[axis] = slice(0, None, 2), slice(1, None, 2)
    return A[tuple(even)] + A[tuple(odd)]


def _doubled(A: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Linear interpolation between the middles of 2 x 2."""
    for axis in (0, 1):
        before = np.concatenate([A.take([0], axis), A.take(range(A.shape[axis] - 1), axis)], axis)
        after = np.concatenate([A.take(range(1, A.shape[axis]), axis), A.take([-1], axis)], axis)
        pair = np.stack([0.75 * A + 0.25 * before, 0.75 * A + 0.25 * after], axis + 1)
        size = list(A.shape)
        size[axis] *= 2
        A = pair.reshape(size)
    return A[: shape[0], : shape[1]]
