"""In an orthonormal basis every pursuit is a formula of c = U'x: no Gram matrix, no search.

omp, ols, mp, cosamp, iht     the numbers of largest size; the error is the rest's
lasso                         each number shrunk by alpha towards 0
lars                          all shrunk by the (s + 1)-th largest
bp, bpdn                      c itself; c shrunk as far as the error allows
"""

from __future__ import annotations

from typing import Any

import numpy as np


def largest_numbers(C: np.ndarray, n_nonzero: int, max_squared_error: Any = None) -> np.ndarray:
    """C with the n_nonzero numbers of largest size in each row, or as few as the error needs."""
    n, k = C.shape
    place = np.argsort(-np.abs(C), axis=1, kind="stable")
    ordered = np.take_along_axis(C, place, axis=1)
    count = np.full(n, min(n_nonzero, k))
    if max_squared_error is not None:
        rest = np.cumsum(ordered[:, ::-1].astype(np.float64) ** 2, axis=1)[:, ::-1]
        enough = np.broadcast_to(np.asarray(max_squared_error, np.float64), (n,))
        count = np.minimum(count, (rest > enough[:, None]).sum(axis=1))
    ordered = ordered * (np.arange(k) < count[:, None])
    kept = np.empty_like(C)
    np.put_along_axis(kept, place, ordered, axis=1)
    return kept


def shrunk(C: np.ndarray, by: Any, positive: bool = False) -> np.ndarray:
    """Every number moved by `by` towards 0, but not beyond; with `positive`, from above only."""
    by = np.asarray(by, C.dtype)
    by = by[:, None] if by.ndim else by
    if positive:
        return np.maximum(C - by, 0)
    near = np.clip(C, -by, by)
    return np.subtract(C, near, out=near)


def shrunk_to_count(C: np.ndarray, n_nonzero: int) -> np.ndarray:
    """Least angle regression: all shrunk by the size of the first number that is left out."""
    if n_nonzero >= C.shape[1]:
        return C
    sizes = np.sort(np.abs(C), axis=1)[:, ::-1]
    return shrunk(C, sizes[:, n_nonzero])


def shrunk_to_error(C: np.ndarray, max_squared_error: np.ndarray) -> np.ndarray:
    """The least sum of |z| with |c - z|^2 at most so much: sum_m min(|c_m|, by)^2 is that."""
    k = C.shape[1]
    sizes = np.sort(np.abs(C).astype(np.float64), axis=1)  # the i smallest are 0, the others shrunk
    below = np.cumsum(sizes**2, axis=1) - sizes**2
    others = k - np.arange(k)
    enough = np.asarray(max_squared_error, np.float64)[:, None]
    reached = below + others * sizes**2  # the error where all are shrunk by the i-th size
    i = np.minimum((reached < enough).sum(axis=1), k - 1)[:, None]
    by = np.sqrt(np.maximum(enough - np.take_along_axis(below, i, 1), 0) / others[i[:, 0]][:, None])
    return shrunk(C, by[:, 0])
