"""The search for a map of least stress.

    the first step is the Guttman transform of the start, for the dissimilarities as they are
    every other one: L-BFGS, whose first guess of the Hessian is 2 V

So a step without a past is the Guttman transform, and the past makes it as long as the stress
allows: on 1,000 rows 20 to 60 looks at all pairs, where Guttman transforms alone need 40 to 300 for
a higher stress, and SQUAREM and Anderson's steps about twice as many. No step raises the stress.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.lbfgs import Curvature, Search, search_from, searched
from lowdim.maps.mds.guttman import Look, pair_distances, pairs_look, square_look
from lowdim.maps.mds.pairs import Pairs
from lowdim.maps.mds.transformations import Curve, sized
from lowdim.maps.mds.weights import row_weights, solver_of


class Fit(NamedTuple):
    """How well a map fits."""

    stress: float  # sum w (f - d)^2
    relative: float  # sqrt(stress / sum w d^2)
    kruskal: float  # the same with c f for f, and the best c: stress-1 of a free unit


class SquareProblem:
    """All pairs with weight 1, and f(x) = x."""

    def __init__(self, dissimilarity: np.ndarray):
        self._dissimilarity, self.n = dissimilarity, len(dissimilarity)
        self.curvature: Curvature = 2.0 * self.n
        blocks = range(0, self.n, 256)
        off = sum(_squares(dissimilarity[start : start + 256]) for start in blocks)
        self.size = (off - _squares(dissimilarity.diagonal())) / 2
        self.total_weight = self.n * (self.n - 1) / 2

    def first(self, Y: np.ndarray) -> np.ndarray:
        """The Guttman transform, whose mean is 0."""
        return centered(Y) - self.look(Y).gradient / (2.0 * self.n)

    def look(self, Y: np.ndarray) -> Look:
        return square_look(self._dissimilarity, Y)

    def fit(self, Y: np.ndarray) -> Fit:
        """The stress of a map, in three ways."""
        stress, squares = self.look(Y).stress, self.n * _squares(centered(Y))
        unit = (self.size + squares - stress) / (2 * self.size or 1.0)  # sum f d / sum f^2
        best = self.look(Y / unit).stress * unit**2 if unit > 0 else squares
        return Fit(stress, _root_of(stress, squares), _root_of(best, squares))

    def curve(self, Y: np.ndarray) -> None:
        """The f that was learned: none was."""


class PairsProblem:
    """A list of pairs, and f(x) = x or another one, learned along with the map.

    exact : whether the first guess of the Hessian is V; else its diagonal, which is nearly as good
        if partners are random.
    """

    def __init__(self, pairs: Pairs, transformation: Any = None, exact: bool = True):
        self.n = pairs.n
        self._pairs, self._transformation = pairs, transformation
        first, second, dissimilarity, weight, n = pairs
        solve = self._solve = solver_of(first, second, weight, n)
        self.curvature: Curvature = (
            (lambda gradient: 0.5 * solve(gradient))
            if exact
            else 2.0 * row_weights(first, second, weight, n)[:, None]
        )
        self.total_weight = pairs.total_weight
        if transformation is None:
            self.size = float(np.vdot(dissimilarity, dissimilarity * weight))
        else:
            self.size = self.total_weight

    def first(self, Y: np.ndarray) -> np.ndarray:
        pairs = self._pairs
        f = pairs.dissimilarity
        if self._transformation is not None:
            f = sized(f, pairs.weight)
        look = pairs_look(pairs.first, pairs.second, pairs.weight, f, Y)
        return centered(Y) - self._solve(0.5 * look.gradient)

    def look(self, Y: np.ndarray) -> Look:
        pairs = self._pairs
        f = self._disparity(Y)
        return pairs_look(pairs.first, pairs.second, pairs.weight, f, Y)

    def fit(self, Y: np.ndarray) -> Fit:
        pairs, f = self._pairs, self._disparity(Y)
        distance = pair_distances(pairs.first, pairs.second, Y)
        by_weight = distance * pairs.weight
        squares, unit = np.vdot(distance, by_weight), np.vdot(f, by_weight) / (self.size or 1.0)

        def error(f: np.ndarray) -> float:
            return float(np.vdot((f - distance) ** 2, np.broadcast_to(pairs.weight, f.shape)))

        stress = error(f)
        return Fit(stress, _root_of(stress, squares), _root_of(error(unit * f), squares))

    def curve(self, Y: np.ndarray) -> Curve | None:
        """The f that was learned."""
        if self._transformation is None:
            return None
        return self._transformation.curve(pair_distances(self._pairs.first, self._pairs.second, Y))

    def _disparity(self, Y: np.ndarray) -> np.ndarray:
        if self._transformation is None:
            return self._pairs.dissimilarity
        return self._transformation.fitted(pair_distances(self._pairs.first, self._pairs.second, Y))


class Descent(NamedTuple):
    """Where the search stands."""

    search: Search
    fell: float  # by how much the last step that was taken lowered the stress
    change: float  # the larger of the last two such falls: one may be small by chance


def descent_from(problem: Any, Y: np.ndarray) -> Descent:
    """Before the look at the Guttman transform of the start."""
    return Descent(search_from(problem.first(Y)), np.inf, np.inf)


def descended(problem: Any, at: Descent) -> Descent:
    """After one look; the stress of `search.point` does not rise. `change` is in parts of size."""
    before = at.search
    look = problem.look(before.trial)
    after = searched(before, look.stress, look.gradient, problem.curvature)
    if after.stuck or look.stress == 0.0 or problem.size == 0.0:
        return Descent(after, 0.0, 0.0)
    if after.tries:  # the step was too long
        return at._replace(search=after, change=np.inf)
    fell = (before.objective - after.objective) / problem.size
    return Descent(after, fell, max(fell, at.fell))


def _root_of(error: float, squares: float) -> float:
    """sqrt(error / squares), 0 for a map that is one point and should be."""
    return float(np.sqrt(error / squares)) if squares > 0 else float(np.sqrt(error))


def centered(Y: np.ndarray) -> np.ndarray:
    """The same map about 0."""
    return Y - Y.mean(axis=0)


def _squares(values: np.ndarray) -> float:
    return float(np.square(values, dtype=np.float64).sum())
