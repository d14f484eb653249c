"""The two sides of a map as spaces: neighbours, ranks and distances of their rows."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.numeric import numeric_array
from lowdim.core.sparse import checked_sparse
from lowdim.core.validation import check_choice, observed, open_rows_for
from lowdim.linalg.checks import power_of_two
from lowdim.maps.direct import squares_at
from lowdim.maps.distance_matrix import check_not_negative, check_square
from lowdim.maps.neighbors import near, nearest_to
from lowdim.maps.points import Metric, Points, distances, from_squares, in_units_of_x, metric_of
from lowdim.maps.quality.ranks import (
    Ranks,
    Rows,
    half_squares,
    ranks,
    ranks_by_distance,
    rows_of,
)
from lowdim.maps.reading import completed, learned_reading
from lowdim.maps.rows import in_memory

MISSING = ("expected", "pairwise")
BLOCK_BYTES = 2**24  # of distances
PAIRS = 2**14  # that are looked at together
TREE_COLUMNS = 15  # up to as many, trees find neighbours sooner than products of all rows do


class Space(ABC):
    """Rows with distances. `of` are numbers of rows; None means all, in order."""

    n: int

    @abstractmethod
    def near(self, k: int, of: np.ndarray | None = None) -> np.ndarray:
        """The k nearest other rows of each row, (m, k)."""

    @abstractmethod
    def ranks(self, index: np.ndarray, of: np.ndarray | None = None) -> Ranks:
        """The ranks of the rows `index` (m, k) among all others; 1 is the nearest."""

    @abstractmethod
    def distances(self, of: np.ndarray) -> np.ndarray:
        """Distances to all rows, (m, n) float64, in any unit; to be written to."""

    @abstractmethod
    def apart(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Distances of pairs of rows, (m,) float64, in units of the rows."""


class PointSpace(Space):
    """Rows whose distances come from products: Euclidean, cosine, correlation."""

    def __init__(self, points: Points, metric: Metric):
        self.n, self._points, self._metric = points.n, points, metric

    @functools.cached_property
    def _rows(self) -> Rows:
        return rows_of(self._points.rows, self._points.spread)

    def near(self, k: int, of: np.ndarray | None = None) -> np.ndarray:
        return near_points(self._points, k, of, self._metric)

    def ranks(self, index: np.ndarray, of: np.ndarray | None = None) -> Ranks:
        return ranks(self._rows, index, of)

    def distances(self, of: np.ndarray) -> np.ndarray:
        return half_squares(self._rows, of)  # not distances, but in the same order

    def apart(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        points = self._points
        squares = np.concatenate(
            [
                squares_at(points.rows[i[part]], points.rows, j[part, None])[:, 0]
                for part in parts(len(i), PAIRS)
            ]
        )
        squares += points.spread[i] + points.spread[j]
        return in_units_of_x(from_squares(squares, self._metric), points, self._metric)


class DistanceSpace(Space):
    """Rows whose distances come one block after the other: any metric, or distances given."""

    def __init__(self, points: Points, metric: Metric):
        self.n, self._points, self._metric = points.n, points, metric

    def near(self, k: int, of: np.ndarray | None = None) -> np.ndarray:
        return near_points(self._points, k, of, self._metric)

    def ranks(self, index: np.ndarray, of: np.ndarray | None = None) -> Ranks:
        rows = np.arange(self.n) if of is None else of
        size = max(1, BLOCK_BYTES // (8 * self.n))
        return ranks_by_distance(self.distances, index, rows, size)

    def distances(self, of: np.ndarray) -> np.ndarray:
        D = np.array(distances(self._points.take(of), self._points, self._metric), np.float64)
        D[np.isnan(D)] = np.inf  # rows that observe no column together: farther than all others
        return D

    def apart(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        found = np.empty(len(i))
        order = np.argsort(i, kind="stable")
        firsts, starts = np.unique(i[order], return_index=True)
        stops = np.append(starts[1:], len(i))
        for part in parts(len(firsts), max(1, BLOCK_BYTES // (8 * self.n))):
            pairs = order[starts[part][0] : stops[part][-1]]
            D = self.distances(firsts[part])
            found[pairs] = D[np.searchsorted(firsts[part], i[pairs]), j[pairs]]
        return in_units_of_x(found, self._points, self._metric)


def parts(n: int, size: int) -> list[slice]:
    return [slice(first, min(first + size, n)) for first in range(0, n, size)]


def near_points(points: Points, k: int, of: np.ndarray | None, metric: Metric) -> np.ndarray:
    """The k nearest other rows of all rows, or of some."""
    if of is None:
        return np.asarray(near(points, k, metric=metric, random_state=0).indices)
    found = nearest_to(points.take(of), points, min(k + 1, points.n), metric=metric)
    return without_itself(np.asarray(found.indices), of)


def open_space(X: Any, metric: Any, metric_params: dict | None, missing: str, who: str) -> Space:
    """The data, checked: rows, or their distances."""
    known = metric_of(metric, metric_params)
    check_choice("missing", missing, MISSING)
    if isinstance(metric, str) and metric == "nan_euclidean":
        missing = "pairwise"
    rows = in_memory(open_rows_for(who, X, nan=True, min_rows=2))
    if known.is_precomputed:
        _check_distances(rows)
    seen = observed(rows)
    if seen is not None:
        raise ValueError(
            f"Row {int(seen.argmin())} of X has no observed value, so nothing is near to it; leave "
            "such rows out of X and of the map."
        )
    known = completed(known, rows)
    points, _ = learned_reading(rows, known, missing)
    by_products = known.by_products and points.observed is None
    if by_products and not (known.name == "correlation" and sp.issparse(points.rows)):
        return PointSpace(points, known)
    return DistanceSpace(points, known)


def _check_distances(D: Any) -> None:
    check_square(*D.shape)
    if sp.issparse(D):
        raise TypeError(
            "X is a sparse graph of distances, and ranks need the distances of all rows. Give a "
            "dense matrix of distances, or rows and another metric."
        )
    check_not_negative(D)
    if np.isnan(D).any():
        i, j = np.argwhere(np.isnan(D))[0]
        raise ValueError(
            f"X has NaN for the distance of rows {i} and {j}; ranks need all distances."
        )


class MapSpace(Space):
    """Places in a map, with Euclidean distances."""

    def __init__(self, Y: np.ndarray):
        self.n = len(Y)
        # by a power of two, which rounds nothing: no square overflows or vanishes
        self._unit = power_of_two(float(np.abs(Y).max(initial=0.0)))
        self._Y = Y / self._unit

    @functools.cached_property
    def _rows(self) -> Rows:
        return rows_of(self._Y)

    def near(self, k: int, of: np.ndarray | None = None) -> np.ndarray:
        """By scikit-learn's tree, as its `trustworthiness` has them, equal distances too."""
        if self._Y.shape[1] > TREE_COLUMNS:
            points = Points(self._Y, np.zeros(self.n), None, 1.0)
            return near_points(points, k, of, metric_of("euclidean"))
        from sklearn.neighbors import NearestNeighbors

        tree = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(self._Y)
        if of is None:
            return np.asarray(tree.kneighbors(return_distance=False))
        found = tree.kneighbors(self._Y[of], min(k + 1, self.n), return_distance=False)
        return without_itself(found, of)

    def ranks(self, index: np.ndarray, of: np.ndarray | None = None) -> Ranks:
        return ranks(self._rows, index, of)

    def distances(self, of: np.ndarray) -> np.ndarray:
        Y = self._Y
        square = np.zeros((len(of), self.n))
        for f in range(Y.shape[1]):
            square += np.square(Y[of, f, None] - Y[None, :, f])
        return np.sqrt(square, out=square)

    def apart(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return self._unit * np.sqrt(np.square(self._Y[i] - self._Y[j]).sum(axis=1))


def without_itself(found: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Neighbours (m, k + 1) of rows without the rows themselves, (m, k)."""
    own = found == of[:, None]
    own[~own.any(axis=1), -1] = True  # of many rows in one place, itself may not be among them
    return found[~own].reshape(len(of), found.shape[1] - 1)


def map_space(Y: Any, n: int, name: str, data: str = "X") -> MapSpace:
    """The map, checked: one place for each of n rows. Messages call it and the data so."""
    if sp.issparse(Y):
        Y = checked_sparse(Y, name).toarray()  # a map has few columns
    places = numeric_array(Y, name, "a map")
    if places.ndim != 2 or places.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {places.shape}; a map has a row of coordinates for each row of "
            f"{data}. For one coordinate give {name}.reshape(-1, 1)."
        )
    if len(places) != n:
        raise ValueError(
            f"{name} has {len(places)} rows where {data} has {n}: give the map of these rows, in "
            "their order."
        )
    places = places.astype(np.float64)
    if not np.isfinite(places).all():
        row = int(np.argmin(np.isfinite(places).all(axis=1)))
        raise ValueError(
            f"{name} has NaN or infinity (first in row {row}): a row without a place. Leave these "
            f"rows out of {data} and of the map."
        )
    return MapSpace(places)
