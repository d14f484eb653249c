"""The way back from noise: with the exact noise of a Gaussian, that Gaussian."""

from itertools import pairwise

import numpy as np
import pytest

from lowdim.deep import DiffusionSchedule, reverse_diffusion
from lowdim.deep.diffusion.reverse import step_back, visited

M = np.array([2.0, -1.0])
S = np.array([[1.5, 0.6], [0.6, 0.5]])


def exact_noise(schedule):
    """E[eps | x_t] for rows from N(M, S): bb (ab^2 S + bb^2 I)^-1 (x - ab M)."""

    def predict(x, t):
        kept, added = schedule.level(t)
        return added * np.linalg.solve(kept**2 * S + added**2 * np.eye(2), (x - kept * M).T).T

    return predict


def law(schedule, sampler, variance="posterior", steps=None):
    """Mean and covariance of what the sampler gives, followed through its affine steps."""
    mean, cov = np.zeros(2), np.eye(2)
    for t, s in pairwise([*visited(schedule, steps)[::-1], 0]):
        kept, added = schedule.level(t)
        step = step_back(schedule, t, s, sampler, variance)
        G = added * np.linalg.inv(kept**2 * S + added**2 * np.eye(2))
        A = step.of_row * np.eye(2) + step.of_noise * G
        mean = A @ mean - step.of_noise * G @ (kept * M)
        cov = A @ cov @ A.T + step.std**2 * np.eye(2)
    return mean, cov


@pytest.mark.parametrize("kind", ["cosine", "linear"])
@pytest.mark.parametrize(
    ("sampler", "variance"), [("ddpm", "posterior"), ("ddpm", "beta"), ("ddim", "posterior")]
)
def test_the_gaussian_comes_back(kind, sampler, variance):
    """The error is of the order of the largest step near the rows: 1% at 1000 steps."""
    mean, cov = law(DiffusionSchedule(1000, kind), sampler, variance)
    np.testing.assert_allclose(mean, M, atol=0.02)
    np.testing.assert_allclose(cov, S, atol=0.02)


def test_more_steps_come_nearer():
    errors = [np.abs(law(DiffusionSchedule(n), "ddpm")[1] - S).max() for n in (25, 100, 400)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


def test_the_factor_of_the_lecture_notes_misses_it():
    """beta_t in place of beta_t^2 / beta_bar_t, as printed."""
    schedule = DiffusionSchedule(1000)
    cov = np.eye(2)
    for t in range(1000, 0, -1):
        kept, added = schedule.level(t)
        step = step_back(schedule, t, t - 1, "ddpm")
        G = added * np.linalg.inv(kept**2 * S + added**2 * np.eye(2))
        A = (np.eye(2) - schedule.beta[t - 1] * G) / schedule.alpha[t - 1]
        cov = A @ cov @ A.T + step.std**2 * np.eye(2)
    assert np.abs(cov - S).max() > 0.3


@pytest.mark.parametrize(("sampler", "steps"), [("ddpm", None), ("ddpm", 20), ("ddim", 20)])
def test_rows_follow_the_law_of_the_steps(sampler, steps, seed):
    """Moments of 4000 rows, to 5 of their standard errors (that of a variance is 2.2% of it)."""
    schedule = DiffusionSchedule(100)
    X = reverse_diffusion(
        exact_noise(schedule), schedule, 4000, 2, sampler=sampler, steps=steps, random_state=seed
    )
    mean, cov = law(schedule, sampler, steps=steps)
    sd = np.sqrt(np.diag(cov))
    np.testing.assert_array_less(np.abs(X.mean(axis=0) - mean), 5 * sd / np.sqrt(4000))
    np.testing.assert_array_less(
        np.abs(np.cov(X.T) - cov), 5 * np.sqrt(2 / 4000) * np.outer(sd, sd)
    )


def test_the_flow_needs_no_noise_after_its_start():
    """From the same start the same rows, and a step forth undoes a step back for a known noise."""
    schedule = DiffusionSchedule(50)
    back, forth = step_back(schedule, 30, 20, "ddim"), step_back(schedule, 20, 30, "ddim")
    x, e = 1.7, -0.4
    y = back.of_row * x + back.of_noise * e
    assert forth.of_row * y + forth.of_noise * e == pytest.approx(x, rel=1e-12)
    draws = [
        reverse_diffusion(exact_noise(schedule), schedule, 3, 2, sampler="ddim", random_state=1)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*draws)


@pytest.mark.parametrize("steps", [1, 7, 99, 100])
def test_visited_times_rise_to_the_last(steps):
    times = visited(DiffusionSchedule(100), steps)
    assert len(set(times)) == len(times) == steps
    assert times == sorted(times) and times[0] >= 1 and times[-1] == 100


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sampler": "euler"}, "sampler='euler'"),
        ({"variance": "zero"}, "variance='zero'"),
        ({"steps": 11}, "steps=11 is more than the 10 steps of the schedule"),
        ({"steps": 0}, "steps=0"),
        ({"n_samples": 0}, "n_samples=0"),
        ({"n_features": 0}, "n_features=0"),
        ({"predict_noise": lambda x, t: x[:, :1]}, r"predict_noise gave shape \(3, 1\)"),
        ({"predict_noise": lambda x, t: np.nan * x}, "predict_noise gave numbers .* at t=10"),
        ({"predict_noise": 3}, "predict_noise=3 must be a function"),
        ({"schedule": "cosine"}, "schedule='cosine' is no DiffusionSchedule"),
    ],
)
def test_bad_input(given, says):
    schedule = DiffusionSchedule(10)
    arguments = {
        "predict_noise": exact_noise(schedule), "schedule": schedule, "n_samples": 3,
        "n_features": 2, **given,
    }  # fmt: skip
    with pytest.raises((ValueError, TypeError), match=says):
        reverse_diffusion(**arguments)
