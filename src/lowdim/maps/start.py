"""Where maps start: at random, on principal axes, at principal coordinates, or where the user says.

    "random"          standard normal places
    "pca"             codes of the rows on their first principal axes
    "classical_mds"   principal coordinates of the dissimilarities; of Euclidean ones, the same
    an array          as it is

A start that lies on a line or a plane stays there, since no force points out of it: so directions
in which the places do not differ get small random numbers.

Cost: O(n d^2) for rows; for other metrics O(n^2), and beyond `MOST` rows O(n) by landmarks.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.calling import level_of_caller
from lowdim.core.numeric import numeric_array
from lowdim.core.threads import single_threaded_blas
from lowdim.linear.pca import PCA
from lowdim.maps.coordinates import (
    column_signs,
    placed,
    principal_coordinates,
    squared,
)
from lowdim.maps.points import AFFINITY, Metric, Points, distances, in_units_of_x, metric_of

INITS = ("random", "pca", "classical_mds")
MOST = 2500  # rows of which all pairs are looked at
LANDMARKS = 1000  # rows that stand for more of them
ENTRIES = 2**22  # dissimilarities to landmarks that are made at a time
FLAT = 1e-8  # part of the largest spread below which a direction has none
START_SIZE = 1e-4  # of neighbour embeddings: their spread along the first axis
STEPS = 2.0**16  # of it: further digits are rounding of principal axes
SMALL = 1e-4  # of the largest spread: what is put there


@single_threaded_blas()
def start(
    init: Any,
    points: Points,
    n_components: int,
    *,
    metric: Metric | str = "euclidean",
    random: np.random.Generator,
) -> np.ndarray:
    """Places (n, n_components) to start from, float64, in the unit of the points.

    Parameters
    ----------
    init : {'random', 'pca', 'classical_mds'} or array of shape (n, n_components)
        An array is in units of X, and given back as it is, in units of the points.
    points : Points
        Rows as points; with metric='precomputed' their dissimilarities.
    n_components : int
    metric : Metric or str
        Of the map.
    random : Generator
        For 'random', and where places do not differ.
    """
    n, metric = points.n, metric_of(metric)
    if not isinstance(init, str):
        return given_places(init, n, n_components) / in_units_of_x(np.ones(1), points, metric)
    if init not in INITS:
        listed = ", ".join(map(repr, INITS))
        raise ValueError(f"init={init!r} is not known; choose {listed}, or give an array.")
    check_start(init, metric)
    if init == "random":
        return random.standard_normal((n, n_components))
    if init == "pca" or is_plain(points, metric):
        Y = on_principal_axes(points.rows, n_components)
    else:
        Y = at_principal_coordinates(points, n_components, metric)
    return spread_out(Y, random)


def check_start(init: Any, metric: Metric) -> None:
    """Raise if a start needs rows, and there are none."""
    if not isinstance(init, str) or init == "random":
        return
    if metric.name == AFFINITY:
        raise ValueError(
            f"init={init!r} needs rows, and metric='precomputed_affinity' has none; choose "
            "init='random', or give an array."
        )
    if init == "pca" and metric.is_precomputed:
        raise ValueError(
            'The parameter init="pca" cannot be used with metric="precomputed": there are no rows '
            "to take axes of; choose init='classical_mds' or 'random'."
        )


def small_start(
    init: Any, points: Points, n_components: int, *, metric: Metric, random: np.random.Generator
) -> np.ndarray:
    """Places to start neighbour embeddings from: all near 0; an array as it is.

    They are rounded to so many steps that sums in another order give the same places.
    """
    if not isinstance(init, str):
        Y = given_places(init, points.n, n_components)
        check_spread(Y, points)
        return Y
    Y = start(init, points, n_components, metric=metric, random=random)
    spread = Y[:, 0].std() if init != "random" else 1.0
    Y = Y / (spread if spread > 0 else 1.0)
    return np.rint(Y * STEPS) * (START_SIZE / STEPS)


def given_places(init: Any, n: int, n_components: int) -> np.ndarray:
    """A start that the user gives, checked."""
    Y = numeric_array(init, "init", "a start").astype(np.float64)
    if Y.shape != (n, n_components):
        raise ValueError(
            f"init.shape={Y.shape} should be ({n}, {n_components}): a place for each row of X, and "
            "a column for each component."
        )
    if not np.isfinite(Y).all():
        raise ValueError("init has NaN or infinity; the places to start from are finite numbers.")
    return Y


def check_spread(Y: np.ndarray, points: Points) -> None:
    """Raise if different points start in one place, and warn if they start on a line or plane."""
    flat = np.flatnonzero((Y == Y[0]).all(axis=0))
    if not len(flat) or _all_equal(points.rows):
        return
    if len(flat) == Y.shape[1]:
        raise ValueError(
            "init has all rows in one place, and no force points anywhere from there; give places "
            "that differ, or the name of a start, such as init='random'."
        )
    warnings.warn(
        f"init has one number for all rows in column {flat[0]}: no force points out of there, so "
        "the map may keep to the other columns. Add small random numbers to it.",
        UserWarning,
        stacklevel=level_of_caller(),
    )


def _all_equal(rows: Any) -> bool:
    first = rows[[0]]
    if sp.issparse(rows):
        return all((rows[[i]] != first).nnz == 0 for i in range(1, rows.shape[0]))
    return bool((rows == first).all())


def on_principal_axes(rows: Any, n_components: int) -> np.ndarray:
    """Codes (n, n_components) of rows on their principal axes; columns of 0 where there are few."""
    n, d = rows.shape
    k = min(n_components, n, d)
    Y = np.zeros((n, n_components))
    if n > 1:
        blocks = ArrayBlocks(rows)
        Y[:, :k] = PCA(k, random_state=0).fit(blocks).transform(blocks)
    return Y * column_signs(Y)


def is_plain(points: Points, metric: Metric) -> bool:
    """Whether dissimilarities are the Euclidean distances of the points' rows."""
    return metric.name == "euclidean" and points.observed is None


def at_principal_coordinates(points: Points, n_components: int, metric: Metric) -> np.ndarray:
    """Principal coordinates (n, n_components) by all pairs, or by some rows as landmarks."""
    n = points.n
    Y, k = np.zeros((n, n_components)), min(n_components, n)
    if metric.is_precomputed and sp.issparse(points.rows):
        raise ValueError(
            "init='classical_mds' needs the dissimilarities of all pairs, and X is a graph of "
            "some; choose init='random'."
        )
    if n <= MOST:
        D = _known(distances(points, points, metric))
        Y[:, :k] = principal_coordinates(squared(D), k, whole=False).Y
        return Y
    chosen = landmark_rows(n, LANDMARKS)
    D = _known(among_landmarks(points, chosen, metric))
    found = principal_coordinates(squared(D), k, whole=False)
    for rows, block in to_landmarks(points, chosen, metric):
        Y[rows, :k] = placed(squared(_known(block)), found.means, found.axes)
    return Y


def landmark_rows(n: int, count: int) -> np.ndarray:
    """Numbers of rows that stand for all: drawn with a fixed seed, in rising order."""
    return np.sort(np.random.default_rng(0).choice(n, min(count, n), replace=False))


def among_landmarks(points: Points, chosen: np.ndarray, metric: Metric) -> np.ndarray:
    """Dissimilarities (m, m) of the points with these numbers."""
    some = points.take(chosen)
    if metric.is_precomputed:
        return np.ascontiguousarray(some.rows[:, chosen], dtype=np.float64)
    return distances(some, some, metric)


def to_landmarks(
    points: Points, chosen: np.ndarray, metric: Metric
) -> Iterator[tuple[slice, np.ndarray]]:
    """Dissimilarities of all points to those with these numbers: rows, and a block (b, m)."""
    landmarks, size = points.take(chosen), max(1, ENTRIES // len(chosen))
    for first in range(0, points.n, size):
        rows = slice(first, min(first + size, points.n))
        if metric.is_precomputed:
            yield rows, np.ascontiguousarray(points.rows[rows][:, chosen], dtype=np.float64)
        else:
            yield rows, distances(points.take(rows), landmarks, metric)


def _known(D: np.ndarray) -> np.ndarray:
    """D with the mean where it is not known: good enough for a start."""
    missing = np.isnan(D)
    return np.where(missing, np.mean(D[~missing]), D) if missing.any() else D


def spread_out(Y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Y with small random numbers in the columns in which places do not differ."""
    spread = np.std(Y, axis=0)
    largest = spread.max(initial=0.0)
    flat = spread <= FLAT * largest
    if not flat.any():
        return Y
    scale = SMALL * (largest if largest > 0 else 1.0)
    return np.where(flat, scale * random.standard_normal(Y.shape), Y)
