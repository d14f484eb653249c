"""Bounds and middle of the points of a map, axis by axis.

A map has two axes and many points: along the first axis of such an array NumPy's own reductions
take two numbers at a time, and thirty times as long.
"""

from __future__ import annotations

import numpy as np


def box_of(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest coordinate along each axis, (axes,) each."""
    low = np.array([column.min() for column in Y.T], Y.dtype)
    return low, np.array([column.max() for column in Y.T], Y.dtype)


def middle_of(Y: np.ndarray) -> np.ndarray:
    """The mean of the points, (axes,) float64; 0 if there are none."""
    return np.array([column.mean(dtype=np.float64) if len(Y) else 0.0 for column in Y.T])
