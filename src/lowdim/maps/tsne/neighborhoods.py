"""P: what pairs of rows are neighbours, and how much.

perplexity         a number, or several: the mean of the p_j|i at each
affinity           Gaussian shares of the neighbours, or equal ones
method="exact"     all pairs; else 3 perplexity neighbours of each row
precomputed        distances, or (metric="precomputed_affinity") P itself
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.maps.affinities import Affinities, affinities, given_joint
from lowdim.maps.base import AFFINITY
from lowdim.maps.neighbors.found import Neighbors
from lowdim.maps.points import Metric, Points, distances, in_units_of_x
from lowdim.maps.tsne.learning import tell

LEAST = 1.0  # perplexity of one neighbour
APART = 1000.0  # roundings


def perplexities(perplexity: Any) -> list[float]:
    """One or several, as numbers."""
    return [float(value) for value in np.atleast_1d(np.asarray(perplexity, dtype=np.float64))]


def check_perplexity(perplexity: Any, n: int, name: str = "perplexity") -> None:
    """Raise if a row has fewer others than the perplexity."""
    values = perplexities(perplexity)
    if not values or min(values) <= 0 or not np.isfinite(values).all():
        raise ValueError(f"{name}={perplexity!r} must be above 0; between 5 and 50 is usual.")
    if max(values) >= n:
        raise ValueError(
            f"{name} ({max(values):g}) must be less than n_samples ({n}); choose at most "
            f"{max(1, (n - 1) // 3)}, a third of the other rows."
        )


class Neighborhoods(NamedTuple):
    """The points that distances were taken of, and their neighbours; None where P is given."""

    points: Points
    neighbors: Neighbors | None


def neighborhoods(model: Any, points: Points) -> Neighborhoods:
    """The neighbours of the training points, as many as any perplexity of the model needs.

    Of points in float32 where neighbours are farther than its rounding: the map is of float32, and
    so it is the same for rows in single and in double precision.
    """
    metric = model._metric
    if metric.name == AFFINITY:
        return Neighborhoods(points, None)
    check_perplexity(model.perplexity, points.n)
    if model.anneal_perplexity is not None:
        check_perplexity(model.anneal_perplexity, points.n, "anneal_perplexity")
    search = all_others if model.method == "exact" else some
    if metric.by_products and points.rows.dtype == np.float64:
        narrow = points._replace(rows=points.rows.astype(np.float32))
        found = search(model, narrow)
        if _are_apart(narrow, found, metric):
            return Neighborhoods(narrow, found)
    return Neighborhoods(points, search(model, points))


def _are_apart(points: Points, found: Neighbors, metric: Metric) -> bool:
    """Whether the farthest neighbour of each point is far beyond the rounding of float32."""
    rows, farthest = points.rows, found.distances.max(axis=1)
    if metric.name != "euclidean":
        farthest = np.sqrt(2 * np.maximum(farthest, 0))
    square = (
        rows.multiply(rows).sum(axis=1) if sp.issparse(rows) else np.einsum("ij,ij->i", rows, rows)
    )
    size = np.sqrt(np.asarray(square, dtype=np.float64).ravel())
    return bool((farthest > APART * np.finfo(np.float32).eps * size).all())


def learned_affinities(model: Any, where: Neighborhoods, perplexity: Any) -> Affinities:
    """P of the training points at a perplexity, as a model's arguments say."""
    points, found = where
    if found is None:
        return Affinities(sp.csr_array(given_joint(points.rows)), None)  # type: ignore[arg-type]
    kept = _enough(found, perplexity, model.method)
    tell(model, f"Computed {kept.indices.shape[1]} nearest neighbors...")
    P, bandwidths = affinities(*kept, _at_least_one(perplexity), model.affinity)
    bandwidths = in_units_of_x(bandwidths, points, model._metric)
    tell(model, f"Computed conditional probabilities for {points.n} rows")
    tell(model, f"Mean sigma: {np.mean(bandwidths):f}")
    return Affinities(P, bandwidths)


def _at_least_one(perplexity: Any) -> Any:
    values = [max(LEAST, value) for value in perplexities(perplexity)]
    return values if np.ndim(perplexity) else values[0]


def some(model: Any, points: Points) -> Neighbors:
    """The neighbours of each point that any perplexity of the model needs."""
    largest = max(perplexities(model.perplexity) + perplexities(model.anneal_perplexity or 0))
    k = min(points.n - 1, int(3 * largest + 1))
    return model._neighbors(points, k)


def _enough(found: Neighbors, perplexity: Any, method: str) -> Neighbors:
    """Three times as many neighbours as this perplexity."""
    k = found.indices.shape[1]
    if method != "exact":
        k = min(k, int(3 * max(perplexities(perplexity)) + 1))
    return Neighbors(*(np.ascontiguousarray(part[:, :k]) for part in found))


def all_others(model: Any, points: Points) -> Neighbors:
    """Every other point, of each point."""
    D = distances(points, points, model._metric)
    if (D < 0).any():
        raise ValueError(
            "All distances should be positive, the metric given is not correct: it gave "
            f"{D.min():g}. Choose a metric, or a function, that is at least 0."
        )
    n = len(D)
    others = np.arange(n - 1, dtype=np.int32)[None] + (
        np.arange(n - 1)[None] >= np.arange(n)[:, None]
    )
    return Neighbors(others.astype(np.int32), np.take_along_axis(D, others, axis=1))
