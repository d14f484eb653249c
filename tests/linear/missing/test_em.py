"""One step of EM for the factor model."""

import numpy as np
import pytest

from lowdim.linear import missing
from lowdim.linear.missing import FactorModel, statistics, update
from tests.linear.missing.models import BOTH, covariance, planted, sampled, some_model, with_missing


def test_statistics_are_what_a_loop_over_rows_adds_up(rng):
    d, k = 7, 3
    model = some_model(rng, d, k)
    X = with_missing(rng, sampled(rng, 40, model), 0.4)
    X[:2] = np.nan
    weight = rng.uniform(0.0, 2.0, size=40)
    sums = statistics(X, *model, weight)

    std = np.sqrt(model.noise)
    V = model.W / std[:, None]
    zz, ez, ee, everywhere = np.zeros((d, k + 1, k + 1)), np.zeros((d, k + 1)), np.zeros(d), 0.0
    for x, w in zip(X, weight, strict=True):
        o = ~np.isnan(x)
        y = (x[o] - model.mean[o]) / std[o]
        C = np.linalg.inv(np.eye(k) + V[o].T @ V[o])
        z = np.append(C @ V[o].T @ y, 1.0)
        E = np.outer(z, z)
        E[:k, :k] += C
        U = np.column_stack([V[o], np.zeros(o.sum())])  # e = y - U (z, 1)
        zz[o] += w * E
        ez[o] += w * (y[:, None] * z - U @ E)
        ee[o] += w * (y**2 - 2 * y * (U @ z) + np.diag(U @ E @ U.T))
        everywhere += w * E * o.any()
    lower = np.tril_indices(k + 1)
    np.testing.assert_allclose(sums.sum_zz, zz[:, *lower], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(sums.sum_ez, ez, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sums.sum_ee, ee, rtol=1e-9)
    np.testing.assert_allclose(sums.sum_all, everywhere[lower], rtol=1e-10, atol=1e-10)
    assert sums.objective == pytest.approx(-weight @ missing.log_density(X, *model), rel=1e-12)


@BOTH
def test_no_step_of_em_raises_the_objective(rng, isotropic):
    X = with_missing(rng, planted(rng, 60, 8, 2)[0], 0.5)
    model = some_model(rng, 8, 3)
    if isotropic:
        model = model._replace(noise=np.ones(8))
    J = []
    for _ in range(60):
        sums = statistics(X, *model)
        J.append(sums.by_entry)
        model = update(sums, model, isotropic, 0.0)
    assert np.all(np.diff(J) <= 1e-13 * np.abs(J[0]))
    assert J[-1] < J[0]


def test_the_expanded_step_is_quick_where_there_is_little_noise(rng):
    """Without a and R^(1/2), EM moves the mean and the lengths of W by about the noise a step."""
    X, truth = planted(rng, 200, 6, 2, noise=0.05)
    model = FactorModel(truth.mean + 1.0, rng.normal(size=(6, 2)), np.ones(6))
    for _ in range(30):
        model = update(statistics(X, *model), model, True, 0.0)
    np.testing.assert_allclose(model.mean, X.mean(axis=0), atol=1e-4)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))
    np.testing.assert_allclose(np.linalg.eigvalsh(covariance(model))[-2:], values[-2:], rtol=1e-3)
