"""From points to the problem that is minimised: all pairs as a square, or a list of pairs.

A square of numbers, each row a vector loop, where f(x) = x or b x and every pair counts once; in
float32 where the rows are, and above 2,000 rows: its rounding (1e-7 of a distance) is far below
what `eps` asks for. A list in all other cases: weights, missing dissimilarities, a learned f, a
part of the pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.maps.direct import squares_at
from lowdim.maps.mds.majorization import PairsProblem, SquareProblem
from lowdim.maps.mds.pairs import (
    BLOCK_NUMBERS,
    Between,
    Listed,
    Pairs,
    all_pairs,
    check_joined,
    neighbors_of,
    sampled_pairs,
    sorted_pairs,
    stored_pairs,
    weighed,
)
from lowdim.maps.mds.transformations import transformation_of
from lowdim.maps.points import Metric, Points, distances, from_squares

SINGLE_ABOVE = 2000  # rows, where float32 saves time and memory that count
SINGLE_ENOUGH = 1e-6  # eps, from which on float32 is enough
MANY_ROWS = 15_000  # above which some pairs stand for all
PAIRS_OF_MANY = 60


class Asked(NamedTuple):
    """What the arguments of a map ask for."""

    transformation: str | None  # None: f(x) = x
    ties: str
    n_pairs: int | None
    eps: float
    n_components: int


def problem_of(
    points: Points,
    metric: Metric,
    asked: Asked,
    weights: np.ndarray | None,
    neighbors: Callable[[int], Any],
    random: np.random.Generator,
) -> SquareProblem | PairsProblem:
    """What is minimised for these points, in their unit.

    `neighbors` gives the nearest other points of each, for a part of the pairs.
    """
    n, between = points.n, between_of(points, metric)
    learned = asked.transformation not in (None, "ratio")
    is_graph = sp.issparse(points.rows) and metric.is_precomputed
    missing = points.observed is not None  # rows may have no column in common
    if metric.is_precomputed and not is_graph:
        missing = bool(np.isnan(points.rows).any())
    some = pairs_by_row(asked.n_pairs, n, weights)
    if is_graph:
        pairs = stored_pairs(points.rows, weights)
    elif some is not None:
        near = np.empty((n, 0), np.int32), np.empty((n, 0))
        if neighbors_of(some):
            near = neighbors(neighbors_of(some))
        pairs = sampled_pairs(between, n, some, near, random, listed_of(points, metric))
        pairs = pairs if weights is None else weighed(pairs, weights)
    elif weights is None and not missing and not learned:
        single = n > SINGLE_ABOVE and asked.eps >= SINGLE_ENOUGH
        dtype = np.float32 if single or points.rows.dtype == np.float32 else np.float64
        return SquareProblem(square_of(between, n, dtype))
    else:
        pairs = all_pairs(between, n, weights)
    check_joined(pairs, some)
    return _listed(pairs, asked, learned, exact=some is None)


def _listed(pairs: Pairs, asked: Asked, learned: bool, exact: bool) -> PairsProblem:
    if not learned:
        return PairsProblem(pairs, exact=exact)
    name = str(asked.transformation)
    if name == "ordinal":
        pairs = sorted_pairs(pairs)
    k = asked.n_components
    f = transformation_of(name, asked.ties, pairs.dissimilarity, pairs.weight, k)
    return PairsProblem(pairs, f, exact=exact)


def pairs_by_row(n_pairs: int | None, n: int, weights: np.ndarray | None = None) -> int | None:
    """How many pairs each row brings in; None: all."""
    if n_pairs is None:
        return PAIRS_OF_MANY if n > MANY_ROWS and weights is None else None
    return None if n_pairs >= n - 1 else int(n_pairs)


def between_of(points: Points, metric: Metric) -> Between:
    """What gives the dissimilarities between some points and some others, in their unit."""

    def given(rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        return points.rows[rows] if columns is None else points.rows[np.ix_(rows, columns)]

    def computed(rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        others = points if columns is None else points.take(columns)
        return distances(points.take(rows), others, metric)

    return given if metric.is_precomputed else computed


def listed_of(points: Points, metric: Metric) -> Listed | None:
    """What gives the dissimilarities between each point and some others; None: not one by one."""
    rows, spread = points.rows, points.spread

    def given(index: np.ndarray) -> np.ndarray:
        return rows[np.arange(len(index))[:, None], index]

    def computed(index: np.ndarray) -> np.ndarray:
        squares = squares_at(rows, rows, index)
        squares += spread[:, None] + spread[index]
        return from_squares(squares, metric)

    if metric.is_precomputed:
        return given
    # rows of a sparse matrix are not centered, which correlations need
    in_full = not (sp.issparse(rows) and metric.name == "correlation")
    return computed if metric.by_products and points.observed is None and in_full else None


def square_of(between: Between, n: int, dtype: Any = np.float64) -> np.ndarray:
    """All dissimilarities (n, n), made some rows at a time; their diagonal is 0."""
    square = np.empty((n, n), dtype=dtype)
    size = max(1, 16 * BLOCK_NUMBERS // max(n, 1))
    for start in range(0, n, size):
        rows = np.arange(start, min(start + size, n))
        square[rows] = between(rows, None)
    np.fill_diagonal(square, 0.0)
    return square
