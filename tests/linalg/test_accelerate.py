"""Accelerated searches: exact on linear problems, and shorter on a mixture without losing it."""

import numpy as np
import pytest
from scipy.stats import norm

from lowdim.linalg.accelerate import anderson_point, squarem_point, with_newest
from tests.linalg.test_lbfgs import quadratic


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


def test_one_point_only_goes_where_its_step_leads(rng):
    point, step = rng.normal(size=(1, 4)), rng.normal(size=(1, 4))
    np.testing.assert_array_equal(anderson_point(point, step), point[0] + step[0])


def test_steps_of_equal_length_are_not_extrapolated():
    """x, x + 1, x + 2 has no rest: SQUAREM stays at what F gave."""
    np.testing.assert_array_equal(squarem_point(np.zeros(2), np.ones(2), 2 * np.ones(2)), [2, 2])


# ---- the derivation ------------------------------------------------------------------------------


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
