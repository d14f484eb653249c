"""Missing pixels by thresholding again and again: the picture with the sparsest patches.

    x <- mean of all patches without cosines of less than t;   known pixels put back;   t falls

The threshold falls from 100 to 3 (of 255): first only the strongest structures cross a hole,
details come later. Patches are twice as large at first. In each round they begin at every fourth or
second row and column, from another one each time: many rounds with few patches are better than few
rounds with all. Large holes are bridged by a first guess from smaller copies of the picture.

References: Guleryuz (2006); Fadili, Starck and Murtagh (2009).
"""

from __future__ import annotations

import numpy as np

from lowdim.sparse.pictures.cosines import hard
from lowdim.sparse.pictures.patches import Grid, Shape

COARSE = np.geomspace(100.0, 20.0, 20)  # thresholds of large patches
FINE = np.geomspace(40.0, 3.0, 30)
FARTHER = 1.6  # than the mean of the patches says


def by_thresholds(
    plane: np.ndarray, observed: np.ndarray, shape: Shape, first: np.ndarray
) -> np.ndarray:
    """(h, w), in units in which the peak is 255, from a first guess."""
    x = np.where(observed, plane, first)
    large = Shape(*(2 * s if s > 1 else 1 for s in shape))
    if all(s <= p for s, p in zip(large, plane.shape, strict=True)):
        x = _rounds(x, plane, observed, large, COARSE, max(1, min(shape) // 2, shape.w // 4))
    return _rounds(x, plane, observed, shape, FINE, max(1, min(2, shape.w // 2)))


def _rounds(
    x: np.ndarray,
    plane: np.ndarray,
    observed: np.ndarray,
    shape: Shape,
    thresholds: np.ndarray,
    step: int,
) -> np.ndarray:
    for n, threshold in enumerate(thresholds):
        top, left = (n * 7) % step, (n * 5 + n // step) % step  # all of them, in turn
        grid = Grid(step, top if shape.h > 1 else 0, left)
        change = hard(x, shape, float(threshold), grid) - x
        x = np.where(observed, plane, x + FARTHER * change)
    return x
