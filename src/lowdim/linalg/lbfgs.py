"""L-BFGS: a Hessian from the last steps of a search.

    minimise f(x)     x + direction,  direction = -H^-1 grad f(x)

Points are arrays of any one shape; the past is stacked along a first axis, the newest last, so that
a named tuple of plain arrays holds it in a checkpoint. A direction only proposes: look at the point
that it leads to, and go half as far if f rose. `Search` does that, one look at f at a time:

    at = search_from(x)
    while not at.stuck:
        at = searched(at, *f_and_gradient(at.trial))

f at `at.point` never rises.

Cost: O(m p) for m remembered steps of p numbers, beside a pass over the rows nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lowdim.linalg.accelerate import with_newest

# what a gradient is divided by: the diagonal of a Hessian, or a function that solves with one
Curvature = np.ndarray | float | Callable[[np.ndarray], np.ndarray]

ENOUGH = 1e-4  # of the fall that the slope promises, for a step to be taken (Armijo)
SHORTEST, LONGEST = 0.1, 0.5  # how a step is shortened that does not fall enough
MOST_TRIES = 20  # of one direction; then f is as low as rounding lets one see
ROUNDING = 1e-13  # of f: a rise that says nothing; then the slope decides (Hager and Zhang 2005)
FLATTER = 0.9  # part of its slope that a step has to leave, at the most, to be taken by its slope
NEAR = 1e-20  # of f: a fall so small, as the slope promises it, is the end of a search
LEAST_BEND = 1e-10  # cosine between a step and its turn, for the step to be remembered


class Search(NamedTuple):
    """Where a search stands between two looks at f."""

    point: np.ndarray  # accepted last
    trial: np.ndarray  # to be looked at next
    objective: float  # at the point
    gradient: np.ndarray
    direction: np.ndarray
    length: float  # of the step along it that leads to the trial
    tries: int  # of this direction
    steps: np.ndarray  # (m, ...)  the last steps
    turns: np.ndarray  # (m, ...)  and the changes of the gradient along them

    @property
    def stuck(self) -> bool:
        """Whether no step lowers f any more."""
        promised = -float(np.vdot(self.gradient, self.direction))
        near = self.length > 0 and promised <= NEAR * abs(self.objective)
        return self.tries >= MOST_TRIES or near


def search_from(point: np.ndarray) -> Search:
    """A search that looks at `point` first."""
    none, zero = np.empty((0, *point.shape)), np.zeros(point.shape)
    return Search(point, point, np.inf, zero, zero, 0.0, 0, none, none)


def searched(
    at: Search,
    objective: float,
    gradient: np.ndarray,
    curvature: Curvature = 1.0,
    memory: int = 10,
) -> Search:
    """The search after a look at its trial: moved there, or with a shorter step.

    Parameters
    ----------
    at : Search
    objective, gradient : float, array
        f and its gradient at `at.trial`. A trial whose f is no number counts as too far.
    curvature : array like the point, float, or callable
        Diagonal of a first guess of the Hessian, up to a factor, positive: the better it says how
        numbers differ in scale, the fewer steps. A callable gives H^-1 times a gradient, for a
        guess that is no diagonal.
    memory : int
        How many steps are remembered.
    """
    slope = at.length * float(np.vdot(at.gradient, at.direction))
    if not _is_lower(at, slope, objective, gradient):
        shorter = _shortened(at.objective, slope, objective) * at.length
        trial = at.point + shorter * at.direction
        return at._replace(length=shorter, trial=trial, tries=at.tries + 1)
    steps, turns = at.steps, at.turns
    step, turn = at.trial - at.point, gradient - at.gradient
    bend = float(np.vdot(step, turn))
    if bend > LEAST_BEND * np.linalg.norm(step) * np.linalg.norm(turn):
        steps, turns = with_newest(steps, step, memory), with_newest(turns, turn, memory)
    if len(steps):
        newest = float(np.vdot(_divided(turns[-1], curvature), turns[-1]))
        curvature = _scaled(curvature, newest / float(np.vdot(steps[-1], turns[-1])))
    direction = lbfgs_direction(gradient, steps, turns, curvature)
    if not np.vdot(direction, gradient) < 0:
        direction, steps, turns = -_divided(gradient, curvature), steps[:0], turns[:0]
    trial = at.trial + direction
    objective = min(objective, at.objective)  # they may differ in rounding
    return Search(at.trial, trial, objective, gradient, direction, 1.0, 0, steps, turns)


def _divided(gradient: np.ndarray, curvature: Curvature) -> np.ndarray:
    """H^-1 times a gradient, for the first guess of H."""
    return curvature(gradient) if callable(curvature) else gradient / curvature


def _scaled(curvature: Curvature, factor: float) -> Curvature:
    """`factor` times the first guess of H."""
    if callable(curvature):
        return lambda gradient: _divided(gradient, curvature) / factor
    return curvature * factor


def _is_lower(at: Search, slope: float, objective: float, gradient: np.ndarray) -> bool:
    """Whether the trial is good enough to be moved to."""
    if not np.isfinite(at.objective):
        return True
    if objective <= at.objective + ENOUGH * slope:
        return True
    if not objective <= at.objective + ROUNDING * abs(at.objective):
        return False
    left = at.length * float(np.vdot(gradient, at.direction))
    return abs(left) <= FLATTER * abs(slope)


def _shortened(objective: float, slope: float, trial: float) -> float:
    """Where the parabola through f, its slope and f at the trial is lowest, within limits."""
    if not np.isfinite(trial):
        return SHORTEST
    bend = 2.0 * (trial - objective - slope)
    lowest = -slope / bend if bend > 0 else LONGEST
    return float(min(max(lowest, SHORTEST), LONGEST))


def lbfgs_direction(
    gradient: np.ndarray,
    steps: np.ndarray,
    turns: np.ndarray,
    curvature: Curvature | None = None,
) -> np.ndarray:
    """-H^-1 gradient, for a Hessian H of which the last steps are known.

    Parameters
    ----------
    gradient : array of any shape
        Of f, at the current point.
    steps : array of shape (m, ...)
        The last steps s, the newest last; m may be 0.
    turns : array of shape (m, ...)
        How the gradient changed along each, t. s't must be positive: leave out steps along which f
        does not curve upwards.
    curvature : array like the gradient, float, callable or None, default=None
        Diagonal of the first guess of H, positive, or what gives H^-1 times a gradient. None takes
        t't / s't of the last step (1 without any).

    Notes
    -----
    The two-loop recursion: Nocedal and Wright (2006), Numerical optimization, algorithm 7.4. The
    default guess is their (7.20).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg.lbfgs import lbfgs_direction
    >>> step = np.array([[1.0, 0.0]])
    >>> lbfgs_direction(np.array([4.0, 1.0]), step, 4.0 * step, curvature=1.0)
    array([-1., -1.])
    """
    if curvature is None:
        curvature = (
            np.vdot(turns[-1], turns[-1]) / np.vdot(steps[-1], turns[-1]) if len(steps) else 1.0
        )
    q, known = gradient.copy(), []
    for step, turn in zip(steps[::-1], turns[::-1], strict=True):
        scale = 1.0 / np.vdot(step, turn)
        a = scale * np.vdot(step, q)
        q -= a * turn
        known.append((step, turn, scale, a))
    q = _divided(q, curvature)
    for step, turn, scale, a in reversed(known):
        q += (a - scale * np.vdot(turn, q)) * step
    return -q
