"""The factor model itself: x = W z + mean + e, e ~ N(0, diag(noise))."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Noise below this part of a column's variance is taken as this part: exactly low-rank data have
# none, and I + V'V must keep digits for rows that observe fewer than k entries.
NOISE_FLOOR = 1e-10


class FactorModel(NamedTuple):
    """x = W z + mean + noise."""

    mean: np.ndarray  # (d,)
    W: np.ndarray  # (d, k)
    noise: np.ndarray  # (d,)  variances


def noise_std(W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """sqrt(noise), floored at a tiny part of what W explains of a column."""
    return np.maximum(np.sqrt(noise), np.sqrt(NOISE_FLOOR) * np.linalg.norm(W, axis=1))
