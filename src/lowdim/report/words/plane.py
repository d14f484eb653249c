"""Words in the plane: the one place that says how."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import lowdim


class Plane(NamedTuple):
    """Words as points.

    Attributes
    ----------
    points : ndarray of shape (n, 2)
    share : float
        Of the variance of the vectors that the plane keeps.
    """

    points: np.ndarray
    share: float


def word_plane(units: np.ndarray, seed: int = 0) -> Plane:
    """The plane that keeps most of the variance of rows of length 1: their first two components."""
    n, d = units.shape
    k = min(2, n - 1, d)
    if k < 1 or not np.ptp(units, axis=0).any():  # all words in one place
        return Plane(np.zeros((n, 2)), 1.0)
    pca = lowdim.PCA(k, random_state=seed)
    points = np.zeros((n, 2))
    points[:, :k] = pca.fit_transform(units.astype(np.float64))
    return Plane(points, float(np.sum(pca.explained_variance_ratio_)))
