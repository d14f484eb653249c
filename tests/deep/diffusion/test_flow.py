"""The flow and the bound, with the exact noise of a Gaussian."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lowdim.deep import DiffusionSchedule
from lowdim.deep.diffusion.flow import bound, carried, legs, log_density
from tests.deep.diffusion.gaussians import COV, MEAN, drawn, exact_velocity
from tests.deep.diffusion.gaussians import log_density as true_log_density

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def schedule():
    return DiffusionSchedule(1000)


def test_a_hundred_steps_give_the_log_density(schedule, rng):
    X = drawn(rng, 50)
    found = log_density(exact_velocity(schedule), torch.from_numpy(X), legs(schedule, 100))
    assert np.abs(found.numpy() - true_log_density(X)).mean() < 3e-4


def test_the_error_falls_with_the_square_of_the_steps(schedule, rng):
    X = drawn(rng, 50)
    velocity, rows = exact_velocity(schedule), torch.from_numpy(X)
    errors = [
        np.abs(log_density(velocity, rows, legs(schedule, k)).numpy() - true_log_density(X)).mean()
        for k in (10, 20)
    ]
    assert errors[1] < errors[0] / 3


def test_rows_flow_to_standard_noise_and_back(schedule):
    """The flow of a Gaussian is affine, z = A (x - m) with A S A' = I."""
    X = torch.from_numpy(np.vstack([MEAN, MEAN + np.eye(4)]))
    velocity = exact_velocity(schedule)
    Z = carried(velocity, X, legs(schedule, 50))
    A = (Z[1:] - Z[0]).numpy().T
    np.testing.assert_allclose(Z[0], 0.0, atol=1e-3)
    np.testing.assert_allclose(A @ COV @ A.T, np.eye(4), atol=2e-3)
    back = carried(velocity, Z, legs(schedule, 50, back=True))
    assert (back - X).abs().max() < 1e-3


def test_a_leg_back_is_the_other_way_round(schedule):
    there, back = legs(schedule, 3), legs(schedule, 3, back=True)
    assert [leg.at for leg in there] == [1, 1, 333, 667]
    assert [leg.to for leg in there] == [None, 333, 667, 1000]
    assert [(leg.at, leg.to) for leg in back] == [(1000, 667), (667, 333), (333, 1), (1, None)]
    assert sum(leg.turn for leg in there) == pytest.approx(np.pi / 2, abs=1e-3)
    assert [leg.turn for leg in back] == [-leg.turn for leg in there[::-1]]


def test_one_step_is_a_flow_too():
    schedule = DiffusionSchedule(1)
    path = legs(schedule, None)
    assert [(leg.at, leg.to) for leg in path] == [(1, None)]


def test_many_columns_are_estimated(schedule, rng):
    """Beyond 64 columns: of independent ones K is diagonal, which signs trace without error."""
    d = 70
    mean, cov = np.zeros(d), np.diag(np.linspace(0.2, 2.0, d))
    X = rng.normal(size=(5, d)) * np.sqrt(np.diag(cov))
    velocity = exact_velocity(schedule, mean, cov)
    found = log_density(velocity, torch.from_numpy(X), legs(schedule, 50)).numpy()
    true = -0.5 * (X**2 / np.diag(cov) + np.log(2 * np.pi * np.diag(cov))).sum(axis=1)
    np.testing.assert_allclose(found, true, atol=0.05)


def test_entries_that_are_not_free_do_not_count(schedule, rng):
    """Two columns of an independent pair are left out: what is left is the others' density."""
    free = torch.tensor([[1.0, 0.0, 1.0, 0.0]], dtype=torch.float64).expand(6, 4)
    X = torch.from_numpy(rng.normal(size=(6, 4))) * free

    def velocity(x, t):  # of N(0, I)
        return torch.zeros_like(x) + 0.0 * x

    found = log_density(velocity, X, legs(schedule, 10), free)
    true = -0.5 * (X**2).sum(dim=1) - np.log(2 * np.pi)
    np.testing.assert_allclose(found, true, atol=1e-12)


def test_the_bound_is_below_and_tighter_with_more_steps(rng):
    """At 200 steps it is loose by one to four nats, though the noise is exact."""
    X = drawn(rng, 300)
    gaps = {}
    for T in (20, 200):
        schedule = DiffusionSchedule(T)
        found = bound(exact_velocity(schedule), torch.from_numpy(X), schedule, None)
        gaps[T] = (true_log_density(X) - found.numpy()).mean()
    assert 1.0 < gaps[200] < 4.0 and gaps[200] < gaps[20]


def test_the_bound_of_standard_noise_is_its_formula(rng):
    """With v = 0 the error of each time is that of v itself: all terms by hand, for one step."""
    schedule = DiffusionSchedule(1)
    X = torch.from_numpy(rng.normal(size=(4, 2)))
    found = bound(lambda x, t: torch.zeros_like(x), X, schedule, None)
    a, b = float(schedule.alpha_bar[0]), float(schedule.beta_bar[0])
    e = np.random.default_rng(0).normal(size=(64, 2))
    error = ((a * e - b * X.numpy()[:, None, :]) ** 2).sum(axis=2).mean(axis=1)
    end = ((a * X.numpy()) ** 2 + b**2 - 1 - np.log(b**2)).sum(axis=1)
    expected = -0.5 * (end + error + 2 * np.log(2 * np.pi * b**2))
    np.testing.assert_allclose(found.numpy(), expected)
