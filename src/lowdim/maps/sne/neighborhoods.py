"""P of SNE: what pairs of rows are neighbours, and how much.

up to MOST_ROWS rows      all pairs, in blocks of rows; shares below NOTHING / n are not stored
more, or as asked for     3 perplexity neighbours of each row
precomputed affinities    P as given
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.calling import level_of_caller
from lowdim.maps.affinities import (
    Affinities,
    conditional,
    conditional_matrix,
    given_conditional,
    given_joint,
    single_bandwidth,
)
from lowdim.maps.points import AFFINITY, Points, distances, in_units_of_x
from lowdim.maps.sne.repulsion import MOST_ROWS

NOTHING = 1e-8  # all shares of a row that are left out, together
BLOCK = 2**22  # distances at a time


def usable_perplexity(perplexity: float, n: int) -> float:
    """The perplexity, or a third of the other rows if that is not less than their number."""
    if perplexity < n - 1:
        return max(1.0, float(perplexity))
    lower = max(1.0, (n - 1) / 3)
    warnings.warn(
        f"perplexity={perplexity:g} must be less than the {n - 1} other rows that each of the "
        f"{n} rows has; {lower:.3g} is taken. Choose at most that, a third of them.",
        UserWarning,
        stacklevel=level_of_caller(),
    )
    return lower


def row_affinities(model: Any, points: Points) -> Affinities:
    """p_j|i of the training points, as a model's arguments say."""
    n = points.n
    if model._asked_metric().name == AFFINITY:
        return Affinities(sp.csr_array(given_conditional(points.rows)), np.full(n, np.nan))
    perplexity = usable_perplexity(model.perplexity, n)
    if takes_all_pairs(model, points):
        P, bandwidths = _of_all_pairs(points, model._metric, perplexity)
    else:
        indices, distance = _near(model, points, perplexity)
        p, bandwidths = conditional(distance, perplexity)
        P = conditional_matrix(p, indices)
    return Affinities(P, in_units_of_x(bandwidths, points, model._metric))


def pair_affinities(model: Any, points: Points, joint: str) -> Affinities:
    """p_ij of the training points: from p_j|i, or with one bandwidth for all (joint="global")."""
    n = points.n
    if model._asked_metric().name == AFFINITY:
        return Affinities(sp.csr_array(given_joint(points.rows)), np.full(n, np.nan))
    if joint == "conditional":
        shares, bandwidths = row_affinities(model, points)
        P = sp.csr_array(shares + shares.T)
        return Affinities(P / P.sum(dtype=np.float64), bandwidths)
    perplexity = usable_perplexity(model.perplexity, n)
    if takes_all_pairs(model, points):
        D = np.array(distances(points, points, model._metric))
        D[np.isnan(D)] = np.inf  # rows without a common column: no pair
        P, bandwidths = single_bandwidth(D, perplexity)
        P[P * n * n < NOTHING] = 0
        P = sp.csr_array(P)
    else:
        indices, distance = _near(model, points, perplexity)
        P, bandwidths = single_bandwidth(distance, perplexity, indices)
    return Affinities(P, in_units_of_x(bandwidths, points, model._metric))


def takes_all_pairs(model: Any, points: Points) -> bool:
    """Whether all pairs are looked at: few rows, and no neighbours were asked for."""
    if sp.issparse(points.rows) and model._metric.is_precomputed:
        return False
    return points.n <= MOST_ROWS and isinstance(model.neighbors, str) and model.neighbors == "auto"


def _near(model: Any, points: Points, perplexity: float) -> Any:
    return model._neighbors(points, min(points.n - 1, int(3 * perplexity) + 1))


def _of_all_pairs(points: Points, metric: Any, perplexity: float) -> Affinities:
    n = points.n
    parts, bandwidths = [], []
    step = max(1, BLOCK // n)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        D = np.array(distances(points.take(slice(first, first + step)), points, metric))
        D[rows - first, rows] = np.inf
        D[np.isnan(D)] = np.inf  # rows without a common column: no neighbours
        p, sigma = conditional(D, perplexity)
        p[p * n < NOTHING] = 0
        parts.append(sp.csr_array(p))
        bandwidths.append(sigma)
    return Affinities(sp.csr_array(sp.vstack(parts, format="csr")), np.concatenate(bandwidths))
