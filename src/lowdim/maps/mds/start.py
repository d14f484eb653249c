"""Where the search starts, also if some dissimilarities are missing.

A missing square d_ij^2 is first r_i + r_j - r with the means r_i of what is known of the rows, as
if the rows stood at right angles about their center; then, a few times, that of the principal
coordinates that follow. In a sparse graph it is the shortest way along what is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

from lowdim.maps.coordinates import principal_coordinates
from lowdim.maps.points import Metric, Points
from lowdim.maps.start import MOST, spread_out, start

ROUNDS = 10  # in which missing squares follow from coordinates, and these from the squares


def first_places(
    init: Any,
    points: Points,
    n_components: int,
    metric: Metric,
    weights: np.ndarray | None,
    random: np.random.Generator,
) -> np.ndarray:
    """Places (n, n_components) to start from, in the unit of the points."""
    by_coordinates = isinstance(init, str) and init == "classical_mds" and metric.is_precomputed
    if by_coordinates and sp.issparse(points.rows) and points.n <= MOST:
        return spread_out(of_graph(points.rows, n_components), random)
    if by_coordinates and not sp.issparse(points.rows):
        missing = np.isnan(points.rows)
        if weights is not None:
            missing |= weights == 0
        np.fill_diagonal(missing, False)
        if missing.any():
            return spread_out(of_some_pairs(points.rows, missing, n_components), random)
    return start(init, points, n_components, metric=metric, random=random)


def of_some_pairs(D: np.ndarray, missing: np.ndarray, n_components: int) -> np.ndarray:
    """Principal coordinates of dissimilarities of which some are missing."""
    squares = np.where(missing, 0.0, np.square(D, dtype=np.float64))
    np.fill_diagonal(squares, 0.0)
    known = np.maximum((~missing).sum(axis=1) - 1, 1)  # beside the row itself
    row = squares.sum(axis=1) / known
    filled = np.maximum(row[:, None] + row - row.mean(), 0.0)
    k = min(n_components, len(D))
    Y = np.zeros((len(D), n_components))
    for _ in range(ROUNDS):
        complete = np.where(missing, filled, squares)
        Y[:, :k] = principal_coordinates(complete, k, whole=False).Y
        length = np.einsum("ij,ij->i", Y, Y)
        filled = np.maximum(length[:, None] + length - 2.0 * (Y @ Y.T), 0.0)
    return Y


def of_graph(graph: Any, n_components: int) -> np.ndarray:
    """Principal coordinates of the shortest ways along a graph of dissimilarities."""
    D = shortest_path(sp.csr_array(graph).astype(np.float64), directed=False)
    reached = np.isfinite(D)
    D = np.where(reached, D, D[reached].max(initial=0.0))
    Y = np.zeros((len(D), n_components))
    k = min(n_components, len(D))
    Y[:, :k] = principal_coordinates(np.square(D), k, whole=False).Y
    return Y
