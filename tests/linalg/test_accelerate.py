"""Accelerated searches: exact on linear problems, and shorter on a mixture without losing it."""

import numpy as np
import pytest
from scipy.stats import norm

from lowdim.linalg.accelerate import anderson_point, lbfgs_direction, squarem_point, with_newest


def quadratic(rng, p, condition=50.0):
    """A symmetric matrix with eigenvalues from 1 to `condition`."""
    Q, _ = np.linalg.qr(rng.normal(size=(p, p)))
    return (Q * np.geomspace(1.0, condition, p)) @ Q.T


def contraction(rng, p, slowest=0.9):
    """F(x) = A x + b with eigenvalues of A from 0 to `slowest`, and its fixed point."""
    A = np.eye(p) - (1.0 - slowest) * quadratic(rng, p, 1.0 / (1.0 - slowest))
    b = rng.normal(size=p)
    return lambda x: A @ x + b, np.linalg.solve(np.eye(p) - A, b)


# ---- golden values -------------------------------------------------------------------------------


def test_the_newest_come_last_and_the_oldest_go():
    past = np.array([[1.0, 1.0], [2.0, 2.0]])
    np.testing.assert_array_equal(with_newest(past, np.array([3.0, 3.0]), 2), [[2, 2], [3, 3]])
    np.testing.assert_array_equal(with_newest(past[:0], np.array([3.0, 3.0]), 2), [[3, 3]])


def test_without_a_past_the_direction_is_a_scaled_gradient(rng):
    gradient, none = rng.normal(size=(3, 3)), np.empty((0, 3, 3))
    curvature = rng.uniform(1.0, 2.0, size=(3, 3))
    np.testing.assert_allclose(
        lbfgs_direction(gradient, none, none, curvature), -gradient / curvature
    )
    np.testing.assert_array_equal(lbfgs_direction(gradient, none, none), -gradient)


def test_one_point_only_goes_where_its_step_leads(rng):
    point, step = rng.normal(size=(1, 4)), rng.normal(size=(1, 4))
    np.testing.assert_array_equal(anderson_point(point, step), point[0] + step[0])


def test_steps_of_equal_length_are_not_extrapolated():
    """x, x + 1, x + 2 has no rest: SQUAREM stays at what F gave."""
    np.testing.assert_array_equal(squarem_point(np.zeros(2), np.ones(2), 2 * np.ones(2)), [2, 2])


# ---- the derivation ------------------------------------------------------------------------------


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


@pytest.mark.parametrize("p", [1, 2, 4])
def test_a_linear_map_of_p_variables_is_solved_by_p_plus_one_points(rng, p):
    F, rest = contraction(rng, p)
    x = rng.normal(size=p)
    points = steps = np.empty((0, p))
    for _ in range(p + 1):
        points, steps = with_newest(points, x, p + 1), with_newest(steps, F(x) - x, p + 1)
        x = anderson_point(points, steps)
    # the normal equations lose half the digits
    assert np.linalg.norm(x - rest) < 1e-4 * np.linalg.norm(points[0] - rest)


def test_extrapolating_one_direction_of_decay_is_exact(rng):
    rest, away = rng.normal(size=5), rng.normal(size=5)
    points = [rest + 0.95**i * away for i in range(3)]
    np.testing.assert_allclose(squarem_point(*points), rest, atol=1e-9)


# ---- a toy mixture -------------------------------------------------------------------------------


def em_step(x, theta):
    """EM for the means of two equal Gaussians of variance 1: the new means, and -log p before."""
    joint = norm.logpdf(x[:, None], theta)
    total = np.logaddexp(joint[:, 0], joint[:, 1])
    r = np.exp(joint - total[:, None])
    return (r * x[:, None]).sum(axis=0) / r.sum(axis=0), -float(total.sum())


def accelerated_em(x, theta, method, passes):
    """-log p of the point accepted last after each pass; proposals that raise it are refused."""
    none = np.empty((0, len(theta)))
    points, steps, safe, history = none, none, theta, [np.inf]
    for _ in range(passes):
        new, objective = em_step(x, theta)
        if objective > history[-1]:  # the proposal went too far: go on from EM's own step
            theta, points, steps = safe, none, none
            history.append(history[-1])
            continue
        history.append(objective)
        points, steps = with_newest(points, theta, 3), with_newest(steps, new - theta, 3)
        safe = theta = new
        if method == "anderson":
            theta = anderson_point(points, steps)
        elif method == "squarem" and len(points) == 2:
            theta, points, steps = squarem_point(*points, new), none, none
    return np.array(history[1:])


@pytest.mark.parametrize("method", ["anderson", "squarem"])
def test_accelerated_em_never_gets_worse_and_saves_a_quarter_of_the_passes(rng, method):
    x = np.concatenate([rng.normal(-0.4, 1.0, size=500), rng.normal(0.4, 1.0, size=500)])
    start = np.array([-0.1, 0.3])
    plain = accelerated_em(x, start, "none", 500)
    history = accelerated_em(x, start, method, 500)
    assert np.all(np.diff(history) <= 0)
    enough = plain.min() + 1e-8 * abs(plain.min())
    assert np.argmax(history <= enough) + 1 <= 0.75 * (np.argmax(plain <= enough) + 1)
