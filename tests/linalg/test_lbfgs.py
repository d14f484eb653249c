"""Directions of a search: those of the explicit update, and exact on quadratics."""

import numpy as np
import pytest

from lowdim.linalg.accelerate import with_newest
from lowdim.linalg.lbfgs import lbfgs_direction


def quadratic(rng, p, condition=50.0):
    """A symmetric matrix with eigenvalues from 1 to `condition`."""
    Q, _ = np.linalg.qr(rng.normal(size=(p, p)))
    return (Q * np.geomspace(1.0, condition, p)) @ Q.T


def test_without_a_past_the_direction_is_a_scaled_gradient(rng):
    gradient, none = rng.normal(size=(3, 3)), np.empty((0, 3, 3))
    curvature = rng.uniform(1.0, 2.0, size=(3, 3))
    np.testing.assert_allclose(
        lbfgs_direction(gradient, none, none, curvature), -gradient / curvature
    )
    np.testing.assert_array_equal(lbfgs_direction(gradient, none, none), -gradient)


@pytest.mark.parametrize("curvature", [None, 3.0])
def test_the_direction_is_that_of_the_explicit_update(rng, curvature):
    """Nocedal and Wright (6.17): H^-1 <- (I - s t'/s't) H^-1 (I - t s'/s't) + s s'/s't."""
    p, m = 6, 4
    A = quadratic(rng, p)
    steps = rng.normal(size=(m, p))
    turns = steps @ A
    gradient = rng.normal(size=p)
    first = turns[-1] @ turns[-1] / (steps[-1] @ turns[-1]) if curvature is None else curvature
    inverse = np.eye(p) / first
    for s, t in zip(steps, turns, strict=True):
        project = np.eye(p) - np.outer(s, t) / (s @ t)
        inverse = project @ inverse @ project.T + np.outer(s, s) / (s @ t)
    direction = lbfgs_direction(gradient, steps, turns, curvature)
    np.testing.assert_allclose(direction, -inverse @ gradient, rtol=1e-8, atol=1e-10)
    assert direction @ gradient < 0


def test_points_may_have_any_shape(rng):
    steps, gradient = rng.normal(size=(3, 2, 4)), rng.normal(size=(2, 4))
    turns = 2.0 * steps + 0.1 * steps**3
    flat = lbfgs_direction(gradient.ravel(), steps.reshape(3, 8), turns.reshape(3, 8))
    np.testing.assert_allclose(lbfgs_direction(gradient, steps, turns).ravel(), flat, rtol=1e-12)


def test_a_quadratic_of_p_variables_takes_p_steps(rng):
    p = 7
    A, b = quadratic(rng, p), rng.normal(size=p)
    x, gradient = np.zeros(p), -b
    steps = turns = np.empty((0, p))
    for _ in range(p):
        direction = lbfgs_direction(gradient, steps, turns)
        step = -(gradient @ direction) / (direction @ A @ direction) * direction  # exact search
        x = x + step
        steps, turns = with_newest(steps, step, p), with_newest(turns, A @ step, p)
        gradient = A @ x - b
    assert np.linalg.norm(gradient) < 1e-6 * np.linalg.norm(b)
