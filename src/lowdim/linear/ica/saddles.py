"""Saddles of J, where a search over rotations may end too soon, and the way off them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.linear.ica.contrasts import Contrast
from lowdim.linear.ica.statistics import MixedRows, falling_sign, unmix

SADDLE_ROWS = 20_000  # at the most, to see whether a search ended at a saddle
ESCAPES = 3  # from saddles, at the most


def off_saddle(mixed: MixedRows, W: np.ndarray) -> np.ndarray | None:
    """W turned away from a saddle of J, or None if there is none.

    The sum and the difference of two sources are a fixed point, too: one where a rotation in their
    plane brings J down to both sides, and most of all by 45 degrees (Tichavsky, Koldovsky and Oja
    2006). The second derivative of J along that rotation decides, from at most SADDLE_ROWS rows.
    """
    if callable(mixed.contrast.kind) or len(W) < 2:
        return None
    part = mixed.some(SADDLE_ROWS)
    B = (W @ part.K).astype(part.rows.dtype)
    sums = part.rows.fold(curvatures, part.mean, B, part.contrast, along=(part.weight,))
    G, gy, slope, slope_y2 = (field / part.n for field in sums)
    excess = slope - gy
    bend = falling_sign(G, part.contrast)[:, None] * (
        slope_y2 - gy[:, None]
    )  # (k, k)  second derivative of source i's part
    bend = bend + bend.T
    # expected for independent sources: |excess_i| + |excess_j|; an estimate from n rows is not
    # sharper than about 1 / sqrt(n)
    expected = np.abs(excess)[:, None] + np.abs(excess)
    saddle = bend < -np.maximum(0.1 * expected, 5.0 / np.sqrt(part.n))
    np.fill_diagonal(saddle, False)
    if not saddle.any():
        return None
    away = W.copy()
    free = np.ones(len(W), dtype=bool)
    for i, j in zip(*np.unravel_index(np.argsort(bend, axis=None), bend.shape), strict=True):
        if saddle[i, j] and free[i] and free[j]:
            away[i], away[j] = (W[i] + W[j]) / np.sqrt(2), (W[i] - W[j]) / np.sqrt(2)
            free[[i, j]] = False
    return away


class Curvatures(NamedTuple):
    G: np.ndarray  # (k,)
    gy: np.ndarray  # (k,)    g(y_i) y_i
    slope: np.ndarray  # (k,)    g'(y_i)
    slope_y2: np.ndarray  # (k, k)  g'(y_i) y_j^2


def curvatures(
    X: np.ndarray,
    mean: np.ndarray,
    B: np.ndarray,
    contrast: Contrast,
    weight: np.ndarray | None,
) -> Curvatures:
    """What one block of rows adds to the second derivatives of J."""
    Y = unmix(X, mean, B)
    G, g, slope = contrast.evaluate(Y)
    w = np.ones(len(Y), dtype=Y.dtype) if weight is None else weight.astype(Y.dtype)
    return Curvatures(w @ G, w @ (g * Y), w @ slope, (slope * w[:, None]).T @ (Y * Y))
