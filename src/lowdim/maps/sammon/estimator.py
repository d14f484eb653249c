"""Sammon mapping: a map that keeps small dissimilarities best.

minimise over Y (n, k)     E = 1/c sum_{i<j} (delta - d)^2 / delta,     c = sum_{i<j} delta

joining.py    rows that do not differ are one point
pairs.py      E, its slope and its bend, pair by pair
search.py     steps that lower E
placing.py    new rows among the points
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, POSITIVE, StrOptions
from lowdim.core.loop import iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Below
from lowdim.linalg.checks import power_of_two
from lowdim.maps.base import OF_MAPS, Map
from lowdim.maps.points import Points, distances, in_units_of_x
from lowdim.maps.sammon.joining import joined
from lowdim.maps.sammon.pairs import MANY, Pairs, gathered, pairs_of
from lowdim.maps.sammon.placing import place_rows
from lowdim.maps.sammon.search import search_start, search_step, sized
from lowdim.maps.start import given_places, spread_out, start

APART = 1e-6  # of the size of a start: nearer points are moved by this much
ENTRIES = 2**21  # of dissimilarities of new rows that are made at a time


class Sammon(Map):
    """Sammon mapping: places whose distances are the dissimilarities, small ones above all.

    Minimises  1/c sum_{i<j} (delta_ij - d_ij)^2 / delta_ij,  c = sum_{i<j} delta_ij,  over places
    Y (n, k) with distances d_ij, for dissimilarities delta_ij.

    Cost: O(n^2 k) time for each look at all pairs, about one in each iteration, on all cores
    (10,000 rows: 0.1 s); memory for n^2 / 2 dissimilarities, of 4 bytes beyond 3,000 rows. The
    stress has many minima: another start may end in another one.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions k of the map.
    init : {'classical_mds', 'pca', 'random'} or array of shape (n, k), default='classical_mds'
        Where the search starts.
    solver : {'newton', 'gradient'}, default='newton'
        'newton': steps by the first and second derivatives of each coordinate, corrected by what
        the last steps have shown; 'gradient': steps against the gradient, simple and slow.
    magic : float, default=0.2
        How long the first step is, as a part of Newton's: Sammon's magic factor. Steps that would
        raise the stress are shortened, whatever it is.
    max_iter : int, default=500
    tol : float, default=1e-9
        Stop when an iteration lowers the stress by no more.
    metric : str or callable, default='euclidean'
        The dissimilarity of two rows: a name that `lowdim.neighbors` knows or a function of two
        rows. 'precomputed': X are the dissimilarities.
    metric_params : dict, default=None
        Arguments of the metric.
    random_state : int, Generator, RandomState or None, default=None
        For init='random', and to separate points that a start puts in one place.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, k)
        The places Y.
    stress_ : float
        The stress at the end: 0 for a perfect map; `lowdim.stress(D, Y, 'sammon')`.
    history_ : ndarray of shape (n_iter_,)
        The stress at the start, and after each step; never rises.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    MDS : all dissimilarities count alike, or as weights say; also by their order alone.
    ClassicalMDS : exact and quick; large dissimilarities count most.
    TSNE : keeps neighbours, not distances.

    Notes
    -----
    Rows that do not differ are joined: they have one place, and count as many. `transform` finds
    the place of least stress of a new row among the points, which stay where they are.

    References
    ----------
    Sammon (1969), A nonlinear mapping for data structure analysis, IEEE Transactions on Computers
    C-18.

    Examples
    --------
    >>> from lowdim import Sammon
    >>> from lowdim.datasets import load_eurodist
    >>> model = Sammon(metric="precomputed").fit(load_eurodist().dissimilarity)
    >>> model.history_[0].round(6), round(model.stress_, 6)
    (np.float64(0.017046), 0.009398)
    """

    shapes: ClassVar[dict] = {
        "stress_": (),
        "_first": Below("n", ("points",)),
        "_count": ("points",),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": OF_MAPS["n_components"],
        "init": [StrOptions({"classical_mds", "pca", "random"}), "array-like"],
        "solver": [StrOptions({"newton", "gradient"})],
        "magic": [POSITIVE],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "metric": OF_MAPS["metric"],
        "metric_params": OF_MAPS["metric_params"],
        "random_state": OF_MAPS["random_state"],
    }

    def __init__(
        self,
        n_components=2,
        *,
        init="classical_mds",
        solver="newton",
        magic=0.2,
        max_iter=500,
        tol=1e-9,
        metric="euclidean",
        metric_params=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.magic = magic
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.metric_params = metric_params
        self.random_state = random_state

    def _learn(self, points: Points, **given: Any) -> None:
        # equal rows are one point from the beginning: their dissimilarities are never made
        rows = np.sort(self._groups.first)
        some = points if len(rows) == points.n else points.take(rows)
        delta, unit = self._dissimilarities(some, rows)
        found = joined(delta, len(rows), self._kept[rows])
        self._first = rows[found.first]
        group = found.group[_places_among(rows, self._groups.first)][self._groups.group]
        self._count = np.bincount(group).astype(np.float64)
        pairs = pairs_of(found.delta, self._count)
        Y = np.ascontiguousarray(self._start(points).T)
        if isinstance(self.init, str) and self.init != "classical_mds":  # of no size of its own
            Y = sized(pairs, Y / (np.abs(Y).max() or 1.0))
        else:
            Y = Y / unit
        Y = self._searched(pairs, Y).T * unit
        self.embedding_ = in_units_of_x(Y, points, self._metric)[group].astype(points.rows.dtype)

    def _dissimilarities(self, points: Points, rows: np.ndarray) -> tuple[np.ndarray, float]:
        """All pairs of points, in units of a power of two, and that unit."""
        metric, n = self._metric, points.n
        if metric.is_precomputed:
            whole = distances(points, points, metric)

            def block(first: int, last: int) -> np.ndarray:
                return whole[first:last][:, rows]
        else:

            def block(first: int, last: int) -> np.ndarray:
                return distances(points.take(slice(first, last)), points, metric)

        unit = 1.0
        if not metric.by_products and not metric.is_precomputed:  # rows in units of X
            far = distances(points.take(slice(0, 1)), points, metric)
            unit = power_of_two(float(np.nanmax(far, initial=0.0)))
        single = n > MANY or points.rows.dtype == np.float32
        dtype = np.dtype(np.float32 if single else np.float64)
        delta = gathered(n, lambda first, last: block(first, last) / unit, dtype)
        if np.isnan(delta).any():
            raise ValueError(
                "X has no dissimilarity for some rows: no column is observed in both, or the "
                "metric gives NaN. Sammon needs all; lowdim.MDS leaves such pairs out."
            )
        return delta, unit

    def _start(self, points: Points) -> np.ndarray:
        """Places of the points to start from, no two the same, in the points' unit."""
        random = random_generator(self.random_state)
        some, k = points.take(self._first), self.n_components
        init = self.init
        if not isinstance(init, str):
            init = given_places(init, self._n_rows, k)[self._kept][self._first]
        if self._metric.is_precomputed:
            some = some._replace(rows=some.rows[:, self._first])
        Y = start(init, some, k, metric=self._metric, random=random)
        return _apart(spread_out(Y, random), random)

    def _searched(self, pairs: Pairs, Y: np.ndarray) -> np.ndarray:
        """Places (k, n) of least stress."""
        if not pairs.total > 0:  # all rows are the same
            self.history_, self.n_iter_, self.converged_ = np.zeros(1), 1, True
            self.stress_ = 0.0
            return np.zeros_like(Y)
        first = search_start(Y, float(self.magic), self.solver)
        loop = iterate(self, first, max_iter=self.max_iter, tol=self.tol)
        for state in loop:
            after = search_step(pairs, state)
            loop.params = after
            loop.record(after.stress, state.stress - after.stress)
        self.stress_ = float(loop.params.stress)
        return loop.params.Y

    def _place(self, points: Points) -> np.ndarray:
        metric, m = self._metric, points.n
        some = self._points.take(self._first)
        unit = in_units_of_x(np.ones(1), self._points, metric)[0]
        Y = self._places[self._first].astype(np.float64) / unit
        places = np.empty((m, Y.shape[1]))
        size = max(1, ENTRIES // len(self._first))
        for first in range(0, m, size):
            rows = slice(first, first + size)
            if metric.is_precomputed:
                D = np.asarray(points.rows[rows][:, self._first], np.float64)
            else:
                D = distances(points.take(rows), some, metric)
            places[rows] = _placed(D, self._count, Y)
        return in_units_of_x(places, self._points, metric)


def _placed(D: np.ndarray, count: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Places of rows with dissimilarities D (m, n); one at a point has its place."""
    if np.isnan(D).any():
        i, j = np.argwhere(np.isnan(D))[0]
        raise ValueError(
            f"X has no dissimilarity between row {i} and training row {j}; Sammon needs all."
        )
    unit = power_of_two(float(D.max(initial=0.0)))
    least = np.finfo(float).tiny / np.finfo(float).eps
    nearest = np.argmin(D, axis=1)
    is_there = D[np.arange(len(D)), nearest] / unit <= least
    places = place_rows(np.maximum(D / unit, least), count, Y / unit) * unit
    return np.where(is_there[:, None], Y[nearest], places)


def _places_among(sorted_rows: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.searchsorted(sorted_rows, rows)


def _apart(Y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Y with points that lie in one place moved a little: they would pull each other nowhere."""
    size = float(np.ptp(Y, axis=0).max(initial=0.0)) or 1.0
    _, group, count = np.unique(
        np.round(Y / (APART * size)), axis=0, return_inverse=True, return_counts=True
    )
    crowded = count[group.ravel()] > 1
    if not crowded.any():
        return Y
    return Y + np.where(crowded[:, None], APART * size * random.standard_normal(Y.shape), 0.0)
