"""The prior of clusters with few rows: its closed forms against imaginary rows, and its limits."""

import numpy as np
import pytest

from lowdim.linear import missing
from lowdim.linear.missing import FactorModel
from lowdim.mixture.factor_prior import (
    FactorPrior,
    in_data,
    no_prior,
    prior_of,
    pull,
    shortage,
    step,
)


def some_model(rng, d=4, k=2):
    return FactorModel(rng.normal(size=d), rng.normal(size=(d, k)), rng.uniform(0.2, 1.0, size=d))


def rows_of(C, mean):
    """Rows with exactly this covariance and mean, (2 d, d)."""
    L = np.linalg.cholesky(C) * np.sqrt(len(C))
    return mean + np.vstack([L.T, -L.T])


def covariance(model):
    return model.W @ model.W.T + np.diag(model.noise)


# ---- the derivation ------------------------------------------------------------------------------


def test_the_pull_is_what_rows_of_the_pooled_model_add_up(rng):
    model, pooled = some_model(rng), some_model(rng)
    prior = FactorPrior(pooled, 3.0, 0.0, np.zeros(4))
    rows = rows_of(covariance(pooled), model.mean)  # about the cluster's own mean
    sums = missing.statistics(rows, *model, np.full(8, 3.0 / 8))
    added = pull(model, prior)
    np.testing.assert_allclose(added.sum_zz[np.tril_indices(2)], sums.sum_all[:3], rtol=1e-10)
    np.testing.assert_allclose(added.sum_ez, sums.sum_ez[:, :2], atol=1e-10)
    np.testing.assert_allclose(added.sum_ee, sums.sum_ee, rtol=1e-10)
    assert added.cost == pytest.approx(sums.objective, rel=1e-10)


def test_rows_at_the_mean_of_all_add_up_as_rows_do(rng):
    model, pooled = some_model(rng), some_model(rng)
    sums = missing.statistics(pooled.mean[None], *model, np.array([0.5]))
    added = pull(model, FactorPrior(pooled, 0.0, 0.5, np.zeros(4)))
    np.testing.assert_allclose(added.at_mean[np.tril_indices(3)], sums.sum_all, rtol=1e-10)
    np.testing.assert_allclose(added.left_at_mean, sums.sum_ez, atol=1e-10)
    np.testing.assert_allclose(added.squares_at_mean, sums.sum_ee, rtol=1e-10)
    assert added.cost == pytest.approx(sums.objective, rel=1e-10)


def test_without_a_prior_a_step_is_that_of_factor_analysis(rng):
    model = some_model(rng)
    X = rng.normal(size=(30, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    sums = missing.statistics(X, *model)
    moved, reference = step(sums, model, no_prior(4, 2)), missing.update(sums, model, False, 0.0)
    np.testing.assert_allclose(moved.mean, reference.mean, atol=1e-12)
    np.testing.assert_allclose(moved.W @ moved.W.T, reference.W @ reference.W.T, atol=1e-11)
    np.testing.assert_allclose(moved.left / moved.n_observed, reference.noise, atol=1e-12)
    assert moved.cost == 0.0


@pytest.mark.parametrize("ridge", [0.0, 0.3, 100.0])
@pytest.mark.parametrize("n", [0, 3, 40])
def test_steps_lower_the_objective_to_the_last(ridge, n, rng):
    model, pooled = some_model(rng), some_model(rng)
    X = 3.0 * rng.normal(size=(n, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    prior = FactorPrior(pooled, 2.0, 0.5, np.full(4, ridge))
    history = []
    for _ in range(200):
        sums = missing.statistics(X, *model)
        moved = step(sums, model, prior)
        history.append(sums.objective + moved.cost)
        model = FactorModel(moved.mean, moved.W, moved.left / moved.n_observed)
    assert np.all(np.diff(history) <= 1e-9 * np.abs(history[0]))
    if n == 0 and ridge == 0.0:
        # nothing but the prior: the pooled model, save that half a row of 2.5 has no spread
        np.testing.assert_allclose(model.mean, pooled.mean, atol=1e-6)
        variances = np.diag(covariance(pooled)) * 2.0 / 2.5
        np.testing.assert_allclose(np.diag(covariance(model)), variances, rtol=1e-6)


# ---- properties ----------------------------------------------------------------------------------


def test_the_prior_vanishes_as_values_become_many():
    assert shortage(3, 2, 20) == 1.0
    assert shortage(3, 2, 3600) == pytest.approx(0.01)


@pytest.mark.parametrize("isotropic", [False, True])
def test_the_pooled_model_has_the_variances_within_clusters(isotropic, rng):
    labels = rng.integers(3, size=4000)
    W = rng.normal(size=(5, 1))
    within = rng.normal(size=(4000, 1)) @ W.T + 0.5 * rng.normal(size=(4000, 5))
    Y = within + 6.0 * rng.normal(size=(3, 5))[labels]
    Y -= Y.mean(axis=0)
    Y[rng.random(Y.shape) < 0.3] = np.nan
    prior = prior_of(Y, np.ones(4000), labels, 1, isotropic, 0.0, rng)
    expected = np.square(W[:, 0]) + 0.25
    found = np.diag(covariance(prior.pooled))
    if isotropic:
        assert found.mean() == pytest.approx(expected.mean(), rel=0.1)
        assert np.ptp(prior.pooled.noise) == 0.0
    else:
        np.testing.assert_allclose(found, expected, rtol=0.15)
    assert prior.n_pooled == prior.n_at_mean == 0.0


def test_the_pooled_model_of_scarce_values_varies_as_all_rows_do(rng):
    Y = np.vstack([np.full((5, 3), -1.0), np.full((5, 3), 1.0)])  # nothing varies within clusters
    prior = prior_of(Y, np.ones(10), np.repeat([0, 1], 5), 2, False, 1.0, rng)
    np.testing.assert_allclose(np.diag(covariance(prior.pooled)), 1.0)
    assert (prior.n_pooled, prior.n_at_mean) == (3.0, 0.5)


def test_in_data_scales_what_has_units(rng):
    prior = prior_of(rng.normal(size=(20, 3)), np.ones(20), np.zeros(20, int), 1, False, 0.5, rng)
    scale = np.array([1.0, 10.0, 0.1])
    moved = in_data(prior, np.array([1.0, 2.0, 3.0]), scale)
    both = np.outer(scale, scale)
    np.testing.assert_allclose(covariance(moved.pooled), covariance(prior.pooled) * both)
    np.testing.assert_allclose(moved.ridge, 1.0 / scale**2)
    np.testing.assert_array_equal(moved.pooled.mean, [1.0, 2.0, 3.0])
