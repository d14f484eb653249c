"""Maximum likelihood over all W, by natural gradient steps: the lecture's algorithm.

minimise - log|det W| + sum_j E[-log p_j(y_j)]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.loop import iterate
from lowdim.linear.ica.contrasts import Contrast, gaussian_quadrature
from lowdim.linear.ica.statistics import MixedRows

SIGN_STEPS = 20  # of 'gradient', in which sources may still turn out to be peaked or flat


class Ascent(NamedTuple):
    W: np.ndarray  # (k, k)
    objective: float
    gradient: np.ndarray  # (k, k)
    sign: np.ndarray  # (k,)  1 for peaked sources, -1 for flat ones
    rate: float


def gradient(estimator: Any, mixed: MixedRows, W: np.ndarray) -> np.ndarray:
    """Maximum likelihood by natural gradient steps W <- (I + rate (I - E f(y) y')) W.

    Peaked sources have density exp(-y^2/2) / cosh y, flat ones exp(-y^2/2) cosh y, up to constants:
    f(y) = y +- tanh y, by the sign of E sech^2(y) E y^2 - E y tanh y (extended infomax). The
    signs settle in the first steps; from then on the objective never rises.
    """
    mixed = mixed._replace(contrast=Contrast.of("logcosh", None))
    log_z = _log_constants()
    start = Ascent(W, np.inf, np.zeros_like(W), np.zeros(len(W)), 0.5)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=estimator.tol)
    for at in loop:
        trial = at.W + at.rate * at.gradient @ at.W
        sums = mixed.sums(trial)
        sign = at.sign
        if loop.n_iter < SIGN_STEPS:
            sign = np.where(sums.slope * sums.y2 >= np.diag(sums.gy), 1.0, -1.0)
        each = sign * sums.G + np.where(sign > 0, *log_z) + sums.y2 / 2
        objective = float(each.sum() - np.linalg.slogdet(trial)[1])
        flipped = (sign != at.sign).any()
        if objective > at.objective + (1.0 if flipped else 0.0) and at.rate > 1e-6:
            loop.record(at.objective, change=np.inf)
            loop.params = at._replace(rate=at.rate / 2)
            continue
        correlations = trial @ trial.T  # E y y' of white rows
        ascent = np.eye(len(W)) - sign[:, None] * sums.gy - correlations
        loop.record(objective, change=float(np.abs(ascent).max(initial=0.0)))
        loop.params = Ascent(trial, objective, ascent, sign, min(at.rate * 1.1, 1.0))
    return loop.params.W


def _log_constants() -> tuple[float, float]:
    """log of the normalising constants of exp(-y^2/2) / cosh y and exp(-y^2/2) cosh y."""
    nodes, weights = gaussian_quadrature()
    return float(np.log(weights @ (1 / np.cosh(nodes)))), float(np.log(weights @ np.cosh(nodes)))
