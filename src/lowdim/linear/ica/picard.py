"""Picard-O: quasi-Newton steps on the rotations, which never raise J (Ablin et al. 2018)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.loop import iterate
from lowdim.linalg.accelerate import with_newest
from lowdim.linalg.lbfgs import lbfgs_direction
from lowdim.linear.ica.contrasts import Contrast
from lowdim.linear.ica.fixed_point import decorrelated, fixed_point, turn_of
from lowdim.linear.ica.saddles import ESCAPES, off_saddle
from lowdim.linear.ica.statistics import MixedRows, Sums, distance, falling_sign

LEAST_CURVATURE = 1e-2  # of J in a plane of two sources; smaller ones are hardly determined
LEAST_BEND = 0.05  # of the gradient along a step, as part of what is expected, to be remembered
MEMORY = 7  # steps that the quasi-Newton method looks back on
FIXED_POINT_STEPS = 15  # of 'auto': independent sources need fewer, others would need very many


class RotationSearch(NamedTuple):
    """Where the search over rotations stands between two passes."""

    W: np.ndarray  # (k, k)  accepted last
    trial: np.ndarray  # (k, k)  to be looked at next
    objective: float  # at W
    gradient: np.ndarray  # (k, k)  at W; skew-symmetric
    direction: np.ndarray  # (k, k)  skew-symmetric
    length: float  # of the step along it that leads to the trial; 0 for a fixed-point step
    steps: np.ndarray  # (m, k, k)  the last steps
    turns: np.ndarray  # (m, k, k)  and the changes of the gradient along them
    escapes: int = 0  # from saddles so far


def picard(estimator: Any, mixed: MixedRows, W: np.ndarray) -> np.ndarray:
    """Picard-O: L-BFGS over rotations exp(E) W with skew E."""
    return _search(estimator, mixed, W, fixed_point_steps=0)


def automatic(estimator: Any, mixed: MixedRows, W: np.ndarray) -> np.ndarray:
    """Fixed-point steps first, which end it soon for independent sources; then Picard-O."""
    return _search(estimator, mixed, W, fixed_point_steps=FIXED_POINT_STEPS)


def _search(estimator: Any, mixed: MixedRows, W: np.ndarray, fixed_point_steps: int) -> np.ndarray:
    """Steps that never raise J: the pass that tries a step gives the gradient at its end, too."""
    loop = iterate(estimator, _without_past(W, W), max_iter=estimator.max_iter, tol=estimator.tol)
    for at in loop:
        sums = mixed.sums(at.trial)
        objective = distance(sums, mixed.contrast)
        worse = objective > at.objective + 1e-12 * abs(objective)
        if worse and (at.length == 0 or at.length > 1e-3):
            loop.record(at.objective, change=np.inf)
            length = at.length / 2 or 1.0  # after a fixed-point step, try the quasi-Newton one
            loop.params = at._replace(length=length, trial=_rotated(at, length))
            continue
        new = _accepted(at, objective, sums, mixed.contrast)
        if loop.n_iter < fixed_point_steps:
            new = new._replace(trial=fixed_point(sums, new.W), length=0.0)
        else:
            new = new._replace(trial=_rotated(new, 1.0))
        turn, escapes = turn_of(new.W, new.trial), at.escapes
        if turn <= estimator.tol and escapes < ESCAPES:
            away = off_saddle(mixed, new.W)
            if away is not None:  # J may rise on the way out: look at the new place unconditionally
                turn, escapes, new = np.inf, escapes + 1, _without_past(new.W, away)
        loop.record(objective, change=turn)
        loop.params = new._replace(escapes=escapes)
    return decorrelated(loop.params.W)


def _without_past(W: np.ndarray, trial: np.ndarray) -> RotationSearch:
    """A search that looks at `trial` whatever J is there."""
    none, zero = np.empty((0, *W.shape)), np.zeros(W.shape)
    return RotationSearch(W, trial, np.inf, zero, zero, 0.0, none, none)


def _accepted(
    at: RotationSearch, objective: float, sums: Sums, contrast: Contrast
) -> RotationSearch:
    """The search at what was the trial, with the direction in which to go on."""
    gradient, curvature = _relative_derivatives(sums, contrast)
    steps, turns = at.steps, at.turns
    step, turn = at.length * at.direction, gradient - at.gradient
    # what bends by much less than independent sources would says nothing of the next step
    if np.vdot(step, turn) > LEAST_BEND * np.vdot(step, curvature * step):
        steps, turns = with_newest(steps, step, MEMORY), with_newest(turns, turn, MEMORY)
    direction = lbfgs_direction(gradient, steps, turns, curvature)
    if np.vdot(direction, gradient) >= 0:
        direction, steps, turns = -gradient / curvature, steps[:0], turns[:0]
    direction = direction / max(1.0, np.abs(direction).max())  # a radian at the most
    return RotationSearch(at.trial, at.trial, objective, gradient, direction, 1.0, steps, turns)


def _rotated(at: RotationSearch, length: float) -> np.ndarray:
    return scipy.linalg.expm(length * at.direction) @ at.W


def _relative_derivatives(sums: Sums, contrast: Contrast) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of J along exp(E) W, and its curvature if the sources were independent."""
    signed = falling_sign(sums.G, contrast)[:, None] * sums.gy
    size = np.abs(sums.slope - np.diag(sums.gy))
    curvature = np.maximum((size[:, None] + size) / 2, LEAST_CURVATURE)
    return (signed - signed.T) / 2, curvature
