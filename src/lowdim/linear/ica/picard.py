"""Picard-O: quasi-Newton steps on the rotations, which never raise J (Ablin et al. 2018)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.loop import iterate
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
    k = len(W)
    none, zero = np.empty((0, k, k)), np.zeros((k, k))
    loop = iterate(
        estimator,
        RotationSearch(W, W, np.inf, zero, zero, 0.0, none, none),
        max_iter=estimator.max_iter,
        tol=estimator.tol,
    )
    for at in loop:
        sums = mixed.sums(at.trial)
        objective = distance(sums, mixed.contrast)
        worse = objective > at.objective + 1e-12 * abs(objective)
        if worse and (at.length == 0 or at.length > 1e-3):
            loop.record(at.objective, change=np.inf)
            length = at.length / 2 or 1.0  # after a fixed-point step, try the quasi-Newton one
            loop.params = at._replace(length=length, trial=_rotated(at, length))
            continue
        gradient, curvature = _relative_derivatives(sums, mixed.contrast)
        steps, turns = at.steps, at.turns
        step, turn = at.length * at.direction, gradient - at.gradient
        # what bends by much less than independent sources would says nothing of the next step
        if np.vdot(step, turn) > LEAST_BEND * np.vdot(step, curvature * step):
            steps = np.concatenate([steps, step[None]])[-MEMORY:]
            turns = np.concatenate([turns, turn[None]])[-MEMORY:]
        direction = _quasi_newton(gradient, curvature, steps, turns)
        if np.vdot(direction, gradient) >= 0:
            direction, steps, turns = -gradient / curvature, none, none
        direction = direction / max(1.0, np.abs(direction).max())  # a radian at the most
        new = RotationSearch(at.trial, at.trial, objective, gradient, direction, 1.0, steps, turns)
        if loop.n_iter < fixed_point_steps:
            trial = fixed_point(sums, new.W)
            new = new._replace(trial=trial, length=0.0)
        else:
            new = new._replace(trial=_rotated(new, 1.0))
        turn, escapes = turn_of(new.W, new.trial), at.escapes
        if turn <= estimator.tol and escapes < ESCAPES:
            away = off_saddle(mixed, new.W)
            if away is not None:  # J may rise on the way out: look at the new place unconditionally
                turn, escapes = np.inf, escapes + 1
                new = RotationSearch(new.W, away, np.inf, zero, zero, 0.0, none, none)
        loop.record(objective, change=turn)
        loop.params = new._replace(escapes=escapes)
    return decorrelated(loop.params.W)


def _rotated(at: RotationSearch, length: float) -> np.ndarray:
    return scipy.linalg.expm(length * at.direction) @ at.W


def _relative_derivatives(sums: Sums, contrast: Contrast) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of J along exp(E) W, and its curvature if the sources were independent."""
    signed = falling_sign(sums.G, contrast)[:, None] * sums.gy
    size = np.abs(sums.slope - np.diag(sums.gy))
    curvature = np.maximum((size[:, None] + size) / 2, LEAST_CURVATURE)
    return (signed - signed.T) / 2, curvature


def _quasi_newton(
    gradient: np.ndarray, curvature: np.ndarray, steps: np.ndarray, turns: np.ndarray
) -> np.ndarray:
    """L-BFGS direction (two-loop recursion) that starts from the approximate Hessian."""
    q, memory = gradient.copy(), []
    for step, turn in zip(steps[::-1], turns[::-1], strict=True):
        scale = 1.0 / np.vdot(step, turn)
        a = scale * np.vdot(step, q)
        q -= a * turn
        memory.append((step, turn, scale, a))
    q /= curvature
    for step, turn, scale, a in reversed(memory):
        q += (a - scale * np.vdot(turn, q)) * step
    return -q
