"""Neighbours among points: which way they are found.

equal points      are one point of the search, which is expanded at the end
euclidean, ...    by products (`exact.py`); by a tree (`tree.py`) where columns are few and points
                  many; or in cells (`approximate.py`) where that pays
other metrics     blocks of distances by scikit-learn or a function of two rows
precomputed       the smallest entries of each row, or of a sparse graph
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.validation import check_choice
from lowdim.linalg.nearest import best_of
from lowdim.maps.keys import Groups, grouped, row_keys
from lowdim.maps.neighbors.approximate import approximate_neighbors
from lowdim.maps.neighbors.descent import descent_neighbors
from lowdim.maps.neighbors.exact import exact_neighbors, measured
from lowdim.maps.neighbors.found import Neighbors
from lowdim.maps.neighbors.graph import complete, smallest_of_graph
from lowdim.maps.neighbors.tree import tree_neighbors, tree_pays
from lowdim.maps.points import BY_PRODUCTS, Metric, Points, distances, from_squares, metric_of

MANY = 2e12  # n^2 d, from which on "auto" is approximate
METHODS = ("auto", "exact", "approximate", "pynndescent")
BLOCK_BYTES = 2**22  # of distances by a metric without products


def near(
    points: Points,
    k: int,
    *,
    metric: Any = "euclidean",
    metric_params: dict | None = None,
    method: str = "auto",
    random_state: Any = None,
) -> Neighbors:
    """The k nearest other points of each point, in units of `points.unit`."""
    metric = metric_of(metric, metric_params)
    check_enough(k, points.n)
    _check_method(method, metric, points)
    if not metric.by_products or points.observed is not None:
        if method == "pynndescent":
            return _completed(descent_neighbors(points, k, metric, random_state), points, metric)
        return _by_blocks(points, points, k, metric, own=True)
    groups = grouped(_keys(points))
    if groups.all_differ:
        return _by_products(points, k, metric, method, random_state)
    return _expanded(points, groups, k, metric, method, random_state)


def _check_method(method: str, metric: Metric, points: Points) -> None:
    check_choice("method", method, METHODS)
    if method in ("auto", "exact"):
        return
    if metric.is_precomputed or points.observed is not None:
        given = "metric='precomputed'" if metric.is_precomputed else "missing='pairwise'"
        raise ValueError(f"method={method!r} needs rows, not {given}; choose 'exact' or 'auto'.")
    if method == "approximate" and not metric.by_products:
        raise ValueError(
            f"method='approximate' is for metrics by products ({', '.join(BY_PRODUCTS)}); for "
            f"metric={metric.name!r} choose 'exact', or 'pynndescent' for very many rows."
        )


def _by_products(
    points: Points, k: int, metric: Metric, method: str, random_state: Any
) -> Neighbors:
    """Neighbours of points that all differ."""
    if method == "pynndescent":
        index = _completed(descent_neighbors(points, k, metric, random_state), points, metric)
        return measured(points, index.indices, metric)
    n, d = points.rows.shape
    is_plain = not sp.issparse(points.rows) and not points.spread.any()
    if method != "approximate" and is_plain and tree_pays(n, d, k):
        found = tree_neighbors(points.rows, k)
        if found is not None:
            distances = from_squares(found[1], metric)
            return Neighbors(found[0], distances.astype(points.rows.dtype, copy=False))
    many = float(n) ** 2 * d > MANY
    if method == "approximate" or (method == "auto" and many):
        return approximate_neighbors(points, k, metric, random_state)
    return exact_neighbors(points, points, k, metric, own=True)


def _completed(found: Neighbors, points: Points, metric: Metric) -> Neighbors:
    """The same, with all neighbours of the rows of which too few were found."""
    short = np.flatnonzero((found.indices < 0).any(axis=1))
    for i in short:
        k, row = found.indices.shape[1], points.take(np.array([i]))
        near = nearest_to(row, points, min(k + 1, points.n), metric=metric)
        kept = np.flatnonzero(near.indices[0] != i)[:k]
        found.indices[i], found.distances[i] = near.indices[0, kept], near.distances[0, kept]
    return found


def nearest_to(
    new: Points, points: Points, k: int, *, metric: Any = "euclidean", metric_params: Any = None
) -> Neighbors:
    """The k points nearest to each new point; what a row gets does not depend on other new rows."""
    metric = metric_of(metric, metric_params)
    if k > points.n:
        raise ValueError(f"n_neighbors={k} is more than the {points.n} rows; choose at most that.")
    if metric.by_products and points.observed is None and new.observed is None:
        return exact_neighbors(new, points, k, metric)
    return _by_blocks(new, points, k, metric, own=False)


def check_enough(k: int, n: int) -> None:
    """Raise if n rows have no k neighbours each."""
    if k > n - 1:
        raise ValueError(
            f"n_neighbors={k} needs at least {k + 1} rows, X has {n} (n_samples={n}); choose at "
            f"most {n - 1}."
        )


# ---- equal points --------------------------------------------------------------------------------


def _keys(points: Points) -> np.ndarray:
    keys = row_keys(points.rows)
    if points.spread.any():
        keys += row_keys(points.spread[:, None])
    return keys


def _expanded(
    points: Points, groups: Groups, k: int, metric: Metric, method: str, random_state: Any
) -> Neighbors:
    """The neighbours of points of which some are equal, by a search among different ones.

    The k nearest of all are in the k nearest groups, each ranked by its first point, and in the
    point's own group.
    """
    g = len(groups.first)
    order = np.argsort(groups.first, kind="stable")  # groups by their first point: ties by number
    number = np.empty(g, np.int64)
    number[order] = np.arange(g)
    group = number[groups.group]
    members = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=g))])
    different = points.take(groups.first[order])
    k_groups = min(k, g - 1)
    if k_groups:
        found = _by_products(different, k_groups, metric, method, random_state)
    else:
        found = Neighbors(np.empty((g, 0), np.int32), np.empty((g, 0), points.rows.dtype))
    indices = np.empty((points.n, k), np.int32)
    distance = np.empty((points.n, k), np.float64)
    own = from_squares(2.0 * different.spread, metric)
    nearest = found.distances.astype(np.float64)
    work = np.empty(k + 1, np.int64), np.empty(k + 1)
    _expand(found.indices, nearest, own, members, starts, indices, distance, *work)
    return Neighbors(indices, distance.astype(points.rows.dtype, copy=False))


@kernel
def _expand(groups, nearest, own, members, starts, indices, distance, number, size):
    """The k nearest members of groups, for every member; `number` and `size` are to work in."""
    k = indices.shape[1]
    for c in range(groups.shape[0]):
        kept = 0
        for place in range(-1, groups.shape[1]):  # the own group, then those near it
            group, far = (groups[c, place], nearest[c, place]) if place >= 0 else (c, own[c])
            for e in range(starts[group], starts[group + 1]):
                i = members[e]
                if kept == k + 1 and not (far, i) < (size[k], number[k]):
                    break  # so are the members that follow
                at = kept if kept < k + 1 else k
                kept = kept + 1 if kept < k + 1 else kept
                while at > 0 and (far, i) < (size[at - 1], number[at - 1]):
                    size[at], number[at] = size[at - 1], number[at - 1]
                    at -= 1
                size[at], number[at] = far, i
        for e in range(starts[c], starts[c + 1]):
            i, to = members[e], 0
            for at in range(kept):
                if number[at] != i and to < k:
                    indices[i, to], distance[i, to] = number[at], size[at]
                    to += 1


# ---- metrics without products --------------------------------------------------------------------


def _by_blocks(new: Points, points: Points, k: int, metric: Metric, *, own: bool) -> Neighbors:
    if metric.is_precomputed and sp.issparse(new.rows):
        return smallest_of_graph(new.rows, k, own=own)
    n = points.rows.shape[1] if metric.is_precomputed else points.n
    size = max(1, BLOCK_BYTES // (8 * n))

    def scores_of(i: slice, j: slice) -> np.ndarray:
        scores = -distances(new.take(i), points, metric)
        if own:
            scores[np.arange(i.stop - i.start), np.arange(i.start, i.stop)] = np.nan
        return scores

    best = best_of(scores_of, new.n, np.zeros(n), k, (size, n))
    return complete(best.column, -best.score, k, new.rows.dtype)
