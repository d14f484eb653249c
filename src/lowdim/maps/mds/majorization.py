"""The search for a map of least stress.

    the first steps are Guttman transforms
    all others: L-BFGS, whose first guess of the Hessian is 2 V

Where f is learned and the start is a bad one, the search begins with a first f that stays as it is,
and learns f from there on: distances that have little to do with the dissimilarities would teach it
the wrong one. The first f is among those to choose from, so that the stress does not rise when it
is let go.

So a step without a past is the Guttman transform, and the past makes it as long as the stress
allows: on 1,000 rows 20 to 60 looks at all pairs, where Guttman transforms alone need 40 to 300 for
a higher stress, and SQUAREM and Anderson's steps about twice as many. No step raises the stress.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.lbfgs import Curvature, Search, search_from, searched
from lowdim.maps.mds.guttman import Look, pair_distances, pairs_look, square_look
from lowdim.maps.mds.pairs import Pairs
from lowdim.maps.mds.transformations import Curve
from lowdim.maps.mds.weights import row_weights, solver_of

EXACT = 1e-26  # of the size: stress that is rounding
LET_GO = 1e-3  # of the size: falls below which a first f is let go
TAUGHT = 0.5  # of the squares of distances about their mean: what a good start leaves unexplained
PLAIN = 2  # steps: from far away, what they say of the next one is wrong


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
        return centered(Y) + self.step(self.look(Y).gradient)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        """From a point to its Guttman transform."""
        return gradient / (-2.0 * self.n)

    def teaches(self, Y: np.ndarray) -> bool:
        """Whether f can be learned from a map: there is nothing to learn."""
        return True

    def look(self, Y: np.ndarray, learning: bool = True) -> Look:
        return square_look(self._dissimilarity, Y)

    def fit(self, Y: np.ndarray) -> Fit:
        """The stress of a map, in three ways."""
        stress, squares = self.look(Y).stress, self.n * _squares(centered(Y))
        unit = (self.size + squares - stress) / (2 * self.size or 1.0)  # sum f d / sum f^2
        best = self.look(Y / unit).stress * unit**2 if unit > 0 else squares
        return Fit(stress, _root_of(stress, squares), _root_of(best, squares))

    def curve(self, Y: np.ndarray) -> None:
        """The f that was learned: none was."""


class Seen(NamedTuple):
    """The map that was looked at last: one is asked for its f and its distances several times."""

    Y: np.ndarray
    distance: np.ndarray
    disparity: Any


class PairsProblem:
    """A list of pairs, and f(x) = x or another one, learned along with the map.

    exact : whether the first guess of the Hessian is V; else its diagonal, which is nearly as good
        if partners are random.
    """

    def __init__(self, pairs: Pairs, transformation: Any = None, exact: bool = True):
        self.n = pairs.n
        self._pairs, self._transformation = pairs, transformation
        self._seen = Seen(np.empty((0, 0)), np.empty(0), None)
        first, second, dissimilarity, weight, n = pairs
        solve = self._solve = solver_of(first, second, weight, n, factored=exact)
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
        return centered(Y) + self.step(self.look(Y, self.teaches(Y)).gradient)

    def step(self, gradient: np.ndarray) -> np.ndarray:
        return self._solve(-0.5 * gradient)

    def teaches(self, Y: np.ndarray) -> bool:
        """Whether f can be learned from a map: it explains half of how distances differ."""
        if self._transformation is None:
            return True
        f, distance, weight = self._disparity(Y), self._distances(Y), self._pairs.weight
        f = f * (np.vdot(f, distance * weight) / self.size)
        mean = float((distance * weight).sum()) / self.total_weight
        return _sum_of(weight, f - distance) <= TAUGHT * _sum_of(weight, distance - mean)

    def look(self, Y: np.ndarray, learning: bool = True) -> Look:
        pairs = self._pairs
        f = self._disparity(Y) if learning else self._first_disparity
        return pairs_look(pairs.first, pairs.second, pairs.weight, f, Y)

    def fit(self, Y: np.ndarray) -> Fit:
        f, distance, weight = self._disparity(Y), self._distances(Y), self._pairs.weight
        unit = np.vdot(f, distance * weight) / (self.size or 1.0)
        stress, squares = _sum_of(weight, f - distance), _sum_of(weight, distance)
        best = _sum_of(weight, unit * f - distance)
        return Fit(stress, _root_of(stress, squares), _root_of(best, squares))

    def curve(self, Y: np.ndarray) -> Curve | None:
        """The f that was learned."""
        if self._transformation is None:
            return None
        return self._transformation.curve(self._distances(Y))

    @cached_property
    def _first_disparity(self) -> np.ndarray:
        if self._transformation is None:
            return self._pairs.dissimilarity
        return self._transformation.first()

    def _disparity(self, Y: np.ndarray) -> np.ndarray:
        if self._transformation is None:
            return self._pairs.dissimilarity
        distance = self._distances(Y)
        if self._seen.disparity is None:
            self._seen = self._seen._replace(disparity=self._transformation.fitted(distance))
        return self._seen.disparity

    def _distances(self, Y: np.ndarray) -> np.ndarray:
        if not np.array_equal(Y, self._seen.Y):
            self._seen = Seen(Y, pair_distances(self._pairs.first, self._pairs.second, Y), None)
        return self._seen.distance


class Descent(NamedTuple):
    """Where the search stands."""

    search: Search
    fell: float  # by how much the last step that was taken lowered the stress
    change: float  # the larger of the last two such falls: one may be small by chance
    learning: bool  # whether f is learned by now
    taken: int  # steps that were taken


def descent_from(problem: Any, Y: np.ndarray) -> Descent:
    """Before the look at the Guttman transform of the start."""
    return Descent(search_from(problem.first(Y)), np.inf, np.inf, problem.teaches(Y), 0)


def descended(problem: Any, at: Descent) -> Descent:
    """After one look; the stress of `search.point` does not rise. `change` is in parts of size."""
    before = at.search
    look = problem.look(before.trial, at.learning)
    after = _searched(problem, before, look, plain=at.taken < PLAIN)
    fell = (before.objective - after.objective) / (problem.size or 1.0)
    new = Descent(after, fell, max(fell, at.fell), at.learning, at.taken + 1)
    if after.tries:  # the step was too long
        new = at._replace(search=after, change=np.inf)
    if after.stuck or look.stress <= EXACT * problem.size:
        new = new._replace(change=0.0)
    if new.change > LET_GO or at.learning:
        return new
    # the next look is at the same point, with the f that fits it best
    again = search_from(after.point)._replace(objective=after.objective)
    return Descent(again, np.inf, np.inf, True, 0)


def _searched(problem: Any, at: Search, look: Look, plain: bool) -> Search:
    if not plain or look.stress > at.objective:
        return searched(at, look.stress, look.gradient, problem.curvature)
    step = problem.step(look.gradient)
    return Search(
        at.trial, at.trial + step, look.stress, look.gradient, step, 1.0, 0, at.steps, at.turns
    )


def _sum_of(weight: np.ndarray, errors: np.ndarray) -> float:
    """The sum of w e^2."""
    return float(np.vdot(errors, errors * weight))


def _root_of(error: float, squares: float) -> float:
    """sqrt(error / squares), 0 for a map that is one point and should be."""
    return float(np.sqrt(error / squares)) if squares > 0 else float(np.sqrt(error))


def centered(Y: np.ndarray) -> np.ndarray:
    """The same map about 0."""
    return Y - Y.mean(axis=0)


def _squares(values: np.ndarray) -> float:
    return float(np.square(values, dtype=np.float64).sum())
