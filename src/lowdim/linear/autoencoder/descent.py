"""Gradient descent on the covariance: one pass, then all work is O(k d^2) an iteration.

dJ/dV = E S W',     dJ/dW = V' E S,     E = V W - I;     tied weights: the sum of both
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.loop import iterate
from lowdim.linalg.moments import covariance
from lowdim.linear.autoencoder.layers import POWER_STEPS, Learned, Weights, random_weights
from lowdim.linear.pca.axes import AxesProblem


class Descent(NamedTuple):
    """Where gradient descent stands."""

    weights: Weights
    gradient: Weights  # at the weights before
    direction: Weights  # that was gone last


def fit_gd(problem: AxesProblem) -> Learned:
    """Descend along conjugate gradients of J, by the step that lowers J most."""
    estimator, d = problem.estimator, problem.rows.n_columns
    assert problem.k is not None
    n, mean, scatter, unit = covariance(problem.rows, problem.weight)
    total = float(np.trace(scatter))
    S = scatter / (total or 1.0)  # J is then a share of 1/2 E|x|^2
    start = random_weights(d, problem.k, problem.random)
    zero = Weights(np.zeros_like(start.V), np.zeros_like(start.W))
    loop = iterate(
        estimator, Descent(start, zero, zero), max_iter=estimator.max_iter, tol=estimator.tol
    )
    for weights, old_gradient, old_direction in loop:
        gradient = gradients(S, weights, estimator.tied)
        direction = conjugate(gradient, old_gradient, old_direction)
        polynomial = along(S, weights, direction)
        step, fall = best_step(polynomial)
        loop.record(polynomial[0], change=fall)
        loop.params = Descent(moved(weights, direction, step), gradient, direction)
    axis, largest = _steepest(S, problem.random.normal(size=d))
    batches = int(n // estimator.batch_size)
    return Learned(float(n), mean, unit, loop.params.weights, axis, largest * total / n, batches)


def gradients(S: np.ndarray, weights: Weights, tied: bool) -> Weights:
    """dJ/dV and dJ/dW, twice over because J is measured in 1/2 trace S; tied: their sum."""
    V, W = weights
    WS = W @ S
    G_V = 2.0 * (V @ (WS @ W.T) - WS.T)  # E S W'
    G_W = 2.0 * ((V.T @ V) @ WS - V.T @ S)  # V' E S
    if tied:
        G_W = G_W + G_V.T
        G_V = G_W.T
    return Weights(G_V, G_W)


def conjugate(gradient: Weights, old: Weights, direction: Weights) -> Weights:
    """Polak and Ribiere's direction of descent; the gradient's own where that one would climb."""
    length = _inner(old, old)
    turn = (_inner(gradient, gradient) - _inner(gradient, old)) / length if length > 0 else 0.0
    mixed = Weights(*(max(turn, 0.0) * p - g for g, p in zip(gradient, direction, strict=True)))
    return mixed if _inner(mixed, gradient) < 0 else Weights(-gradient.V, -gradient.W)


def along(S: np.ndarray, weights: Weights, direction: Weights) -> np.ndarray:
    """Coefficients of the polynomial J(V + t P, W + t Q) in t, for trace S = 1.

    The error is E_0 + t E_1 + t^2 E_2 with E_0 = VW - I, E_1 = PW + VQ, E_2 = PQ, and J is
    quadratic in it: of degree 4 in t.
    """
    (V, W), (P, Q) = weights, direction
    errors = [V @ W, np.hstack([P, V]) @ np.vstack([W, Q]), P @ Q]
    errors[0].flat[:: len(S) + 1] -= 1.0
    WS, QS = W @ S, Q @ S
    weighted = [V @ WS - S, P @ WS + V @ QS, P @ QS]  # E_i S
    coefficients = np.zeros(5)
    for i, ES in enumerate(weighted):
        for j, E in enumerate(errors):
            coefficients[i + j] += np.vdot(ES, E)
    return coefficients


def best_step(coefficients: np.ndarray) -> tuple[float, float]:
    """The first t > 0 where a polynomial falling at 0 is lowest, and how far it falls there."""
    slope, bend = coefficients[1:3]
    if slope >= 0.0:
        return 0.0, 0.0
    # t in units of the parabola's step, in which a coefficient that is all rounding shows
    unit = -slope / (2.0 * bend) if bend > 0 else 1.0
    slopes = np.arange(1, 5) * coefficients[1:] * unit ** np.arange(4)
    slopes[np.abs(slopes) < 1e-13 * np.abs(slopes).max()] = 0.0
    roots = np.polynomial.polynomial.polyroots(np.trim_zeros(slopes, "b"))
    steps = roots.real[(np.abs(roots.imag) <= 1e-6 * np.abs(roots.real)) & (roots.real > 0)]
    if len(steps) == 0:
        return 0.0, 0.0
    step = float(steps.min()) * unit
    fall = -float(coefficients[1:] @ step ** np.arange(1, 5))
    return (step, fall) if fall > 0 else (0.0, 0.0)


def moved(weights: Weights, direction: Weights, step: float) -> Weights:
    """The weights, a step further in a direction."""
    return Weights(weights.V + step * direction.V, weights.W + step * direction.W)


def _inner(left: Weights, right: Weights) -> float:
    return float(np.vdot(left.V, right.V) + np.vdot(left.W, right.W))


def _steepest(S: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, float]:
    """A direction of nearly the largest variance, and that variance."""
    found = 0.0
    axis = axis / np.linalg.norm(axis)
    for _ in range(POWER_STEPS):
        product = S @ axis
        found = float(np.linalg.norm(product))
        axis = product / found if found > 0 else axis
    return axis, found
