"""Words in the plane: the one place that says how.

By t-SNE, which keeps words near that are near: of 5,000 words of Wikipedia, half of the 10 nearest
of each. Principal components keep 4 of 100; they are taken where words are few.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import lowdim

LEAST_WORDS = 100  # for neighbourhoods
NEIGHBOURS = 10  # of which the map keeps a share
STEPS = 500  # of t-SNE: another 500 keep no more neighbours


class Plane(NamedTuple):
    """Words as points.

    Attributes
    ----------
    points : ndarray of shape (n, 2)
    share : float
        What the map keeps: of the 10 nearest words of each; of components, of the variance.
    by_neighbours : bool
        Whether it is a map of neighbourhoods, and no plane of components.
    """

    points: np.ndarray
    share: float
    by_neighbours: bool = False


def map_model(n: int, seed: int) -> Any:
    """What makes a map of n words, not fitted."""
    if n < LEAST_WORDS:
        return lowdim.PCA(2, random_state=seed)
    return lowdim.TSNE(max_iter=STEPS, random_state=seed)


def word_plane(units: np.ndarray, seed: int = 0) -> Plane:
    """A map of rows of length 1."""
    n, d = units.shape
    if n < LEAST_WORDS or d == 1 or not np.ptp(units, axis=0).any():
        return _components(units, seed)
    points = map_model(n, seed).fit_transform(units)
    kept = lowdim.neighborhood_recall(units, points, n_neighbors=NEIGHBOURS)
    return Plane(points.astype(np.float64), float(kept), True)


def _components(units: np.ndarray, seed: int) -> Plane:
    """The plane that keeps most of the variance: their first two components."""
    n, d = units.shape
    k = min(2, n - 1, d)
    if k < 1 or not np.ptp(units, axis=0).any():  # all words in one place
        return Plane(np.zeros((n, 2)), 1.0)
    pca = lowdim.PCA(k, random_state=seed)
    points = np.zeros((n, 2))
    points[:, :k] = pca.fit_transform(units.astype(np.float64))
    return Plane(points, float(np.sum(pca.explained_variance_ratio_)))
