"""Directions of a search: those of the explicit update, and exact on quadratics."""

import numpy as np
import pytest

from lowdim.linalg.accelerate import with_newest
from lowdim.linalg.lbfgs import lbfgs_direction, search_from, searched


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


# ---- a search ------------------------------------------------------------------------------------


def rosenbrock(x):
    """Sum over pairs of a valley whose floor is curved; 0 at (1, 1, ...)."""
    left, right = x[:-1], x[1:]
    gradient = np.zeros_like(x)
    gradient[:-1] = -400.0 * left * (right - left**2) - 2.0 * (1.0 - left)
    gradient[1:] += 200.0 * (right - left**2)
    return float((100.0 * (right - left**2) ** 2 + (1.0 - left) ** 2).sum()), gradient


def search(f, x, most=500, curvature=1.0):
    at, history = search_from(x), []
    for _ in range(most):
        at = searched(at, *f(at.trial), curvature)
        history.append(at.objective)
        if at.stuck:
            break
    return at, np.array(history)


def test_a_search_ends_in_the_valley_and_never_rises(rng):
    at, history = search(rosenbrock, rng.normal(size=6))
    assert np.all(np.diff(history) <= 0)
    # the only other minimum, near (-1, 1, 1, ...), has the value 3.97 (Kok and Sandrock 2009)
    assert min(history[-1], abs(history[-1] - 3.97)) < 0.02
    assert np.abs(at.gradient).max() < 1e-5


def test_scales_that_are_known_cost_no_steps(rng):
    """With the true diagonal for a Hessian the first step ends at the minimum."""
    scale, middle = np.geomspace(1.0, 1e8, 9), rng.normal(size=9)

    def f(x):
        return float(scale @ (x - middle) ** 2) / 2, scale * (x - middle)

    at, history = search(f, np.zeros(9), most=2, curvature=scale)
    np.testing.assert_allclose(at.point, middle, rtol=1e-12)
    assert history[-1] < 1e-12 * history[0]


def test_a_first_guess_that_is_no_diagonal_is_a_function_that_solves_with_it(rng):
    A, middle = quadratic(rng, 9, condition=1e6), rng.normal(size=9)

    def f(x):
        return float((x - middle) @ A @ (x - middle)) / 2, A @ (x - middle)

    at, history = search(f, np.zeros(9), most=2, curvature=lambda g: np.linalg.solve(A, g))
    np.testing.assert_allclose(at.point, middle, rtol=1e-6)
    assert history[-1] < 1e-12 * history[0]
    diagonal = np.geomspace(1.0, 1e3, 9)
    by_array = search(f, np.zeros(9), most=8, curvature=diagonal)[1]
    by_function = search(f, np.zeros(9), most=8, curvature=lambda g: g / diagonal)[1]
    np.testing.assert_allclose(by_array, by_function, rtol=1e-6)


def test_what_is_no_number_is_too_far():
    def f(x):
        with np.errstate(invalid="ignore", divide="ignore"):
            return float((x - np.log(x)).sum()), 1.0 - 1.0 / x

    at, history = search(f, np.array([5.0, 0.01]), most=60)
    assert np.all(np.diff(history) <= 0)
    np.testing.assert_allclose(at.point, 1.0, rtol=1e-6)


def test_a_search_at_the_minimum_is_stuck():
    at = searched(search_from(np.ones(3)), 1.0, np.zeros(3))
    assert at.stuck and at.objective == 1.0


def test_a_search_that_cannot_fall_stays_where_it_is(rng):
    """A gradient that points the wrong way: each step is refused, and shorter ones too."""
    at, history = search(lambda x: (float(x @ x), -x), rng.normal(size=3))
    assert at.stuck and len(history) < 50
    assert np.all(history == history[0])
