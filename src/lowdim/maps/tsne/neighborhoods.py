"""P: what pairs of rows are neighbours, and how much.

perplexity         a number, or several: the mean of the p_j|i at each
affinity           Gaussian shares of the neighbours, or equal ones
method="exact"     all pairs; else 3 perplexity neighbours of each row
precomputed        distances, or (metric="precomputed_affinity") P itself
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.calling import level_of_caller
from lowdim.maps.affinities import Affinities, given_joint
from lowdim.maps.affinities.joint import directed, symmetric
from lowdim.maps.neighbors.found import Neighbors
from lowdim.maps.neighbors.search import near
from lowdim.maps.points import AFFINITY, Points, distances, in_units_of_x
from lowdim.maps.tsne.learning import tell

LEAST = 1.0  # perplexity of one neighbour


def perplexities(perplexity: Any) -> list[float]:
    """One or several, as numbers."""
    return [float(value) for value in np.atleast_1d(np.asarray(perplexity, dtype=np.float64))]


def check_perplexity(perplexity: Any, n: int, name: str = "perplexity") -> None:
    """Raise if a row has fewer others than the perplexity; warn if it has no more."""
    values = perplexities(perplexity)
    if not values or min(values) <= 0 or not np.isfinite(values).all():
        raise ValueError(f"{name}={perplexity!r} must be above 0; between 5 and 50 is usual.")
    if max(values) >= n:
        raise ValueError(
            f"{name} ({max(values):g}) must be less than n_samples ({n}); choose at most "
            f"{max(1, (n - 1) // 3)}, a third of the other rows."
        )
    if max(values) >= n - 1 > 1:
        warnings.warn(
            f"{name}={max(values):g} gives all {n - 1} other rows the same share of each row, "
            f"whatever their distances, so that the map shows nothing of X; choose at most "
            f"{max(1, (n - 1) // 3)}, a third of them.",
            UserWarning,
            stacklevel=level_of_caller(),
        )


def neighborhoods(model: Any, points: Points) -> Neighbors | None:
    """The neighbours of the training points, as many as any perplexity of the model needs.

    None where P is given.
    """
    if model._metric.name == AFFINITY:
        return None
    check_perplexity(model.perplexity, points.n)
    if model.anneal_perplexity is not None:
        check_perplexity(model.anneal_perplexity, points.n, "anneal_perplexity")
    return all_others(model, points) if model.method == "exact" else some(model, points)


def learned_affinities(
    model: Any, points: Points, found: Neighbors | None, perplexity: Any
) -> Affinities:
    """P of the training points at a perplexity, as a model's arguments say."""
    if found is None:
        return Affinities(sp.csr_array(given_joint(points.rows)), None)  # type: ignore[arg-type]
    kept = _enough(found, perplexity, model.method)
    tell(model, f"Computed {kept.indices.shape[1]} nearest neighbors...")
    P, bandwidths = directed(*kept, _at_least_one(perplexity), model.affinity)
    del found, kept  # a third of the memory, of which the sum needs the most
    P = symmetric(P)
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
    if model._metric.is_precomputed and sp.issparse(points.rows):
        least = int(np.diff(points.rows.indptr).min())
        if least < k:
            raise ValueError(
                f"{k + 1} neighbors per samples are required, but some samples have only {least}: "
                "give a graph of more distances, or choose a smaller perplexity."
            )
    return model._neighbors(points, k)


def _enough(found: Neighbors, perplexity: Any, method: str) -> Neighbors:
    """Three times as many neighbours as this perplexity."""
    k = found.indices.shape[1]
    if method != "exact":
        k = min(k, int(3 * max(perplexities(perplexity)) + 1))
    return Neighbors(*(np.ascontiguousarray(part[:, :k]) for part in found))


def all_others(model: Any, points: Points) -> Neighbors:
    """Every other point, of each point."""
    metric, n = model._metric, points.n
    if metric.by_products:  # distances one by one: equal ones are equal
        return near(points, n - 1, metric=metric, method="exact")
    D = distances(points, points, metric)
    if (D < 0).any():
        raise ValueError(
            "All distances should be positive, the metric given is not correct: it gave "
            f"{D.min():g}. Choose a metric, or a function, that is at least 0."
        )
    steps = np.arange(n - 1)[None]
    others = (steps + (steps >= np.arange(n)[:, None])).astype(np.int32)
    return Neighbors(others, np.take_along_axis(D, others, axis=1))
