"""Newton's method on the profile likelihood."""

import warnings

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.decomposition import FactorAnalysis as ScikitFactorAnalysis

from lowdim import FactorAnalysis
from lowdim.linear.factor_analysis import newton
from lowdim.linear.factor_analysis.newton import hessian, profile
from tests.linear.factor_analysis.tables import planted


@pytest.mark.parametrize("k", [1, 3])
def test_derivatives_of_the_profile_are_numerical_ones(rng, k):
    R = np.corrcoef(planted(rng, d=6, k=3)[0].T)
    t = np.log(rng.uniform(0.2, 0.6, size=6))
    at = profile(R, t, k)
    slope = approx_fprime(t, lambda s: profile(R, s, k).f, 1e-7)
    np.testing.assert_allclose(
        at.gradient, slope, atol=1e-5
    )  # differences of 1e-7: half the digits
    curvature = approx_fprime(t, lambda s: profile(R, s, k).gradient, 1e-7)
    np.testing.assert_allclose(hessian(at), curvature, atol=1e-5)


def test_newton_never_raises_the_objective_and_ends_where_the_gradient_vanishes(rng):
    X, _, _ = planted(rng)
    model = FactorAnalysis(2, tol=1e-9).fit(X)
    assert np.all(np.diff(model.history_) <= 1e-7)
    scale = X.std(axis=0)
    at = profile(np.corrcoef(X.T), np.log(model.noise_variance_ / scale**2), 2)
    np.testing.assert_allclose(at.gradient, 0.0, atol=1e-5)
    assert model.n_iter_ < 15


def test_second_derivatives_of_strong_factors_are_nearly_exact(rng, monkeypatch):
    X, _, noise = planted(rng, n=2000, d=120, k=3)
    R = np.corrcoef(X.T)
    at = profile(R, np.log(noise / X.var(axis=0)), 3)
    near = hessian(at)
    monkeypatch.setattr(newton, "EXACT_COLUMNS", 120)
    exact = hessian(at)
    # the series leaves out 2 (g_r / g_q)^2 < 0.02 of each term
    assert np.linalg.norm(near - exact, 2) < 0.02 * np.linalg.norm(exact, 2)


def test_little_noise_is_no_reason_to_search_from_each_column(rng, monkeypatch):
    steps = []

    def noted(R, t, k):
        steps.append(t)
        return profile(R, t, k)

    monkeypatch.setattr(newton, "profile", noted)
    X = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 20)) + 0.05 * rng.normal(size=(500, 20))
    model = FactorAnalysis(3).fit(X)
    assert 1e-5 < (model.noise_variance_ / X.var(axis=0)).min() < 1e-2
    # some ten steps from the first start, and RACE from noise alone, of at most a few trials each
    assert len(steps) < 60


@pytest.mark.parametrize("table", range(12))
def test_the_likelihood_is_that_of_a_climb_from_noise_alone_or_above(table):
    random = np.random.default_rng(table)
    d = int(random.integers(4, 14))
    k, n = int(random.integers(1, d // 2 + 1)), int(random.integers(d + 2, 200))
    W, noise = random.normal(size=(k, d)), 10 ** random.uniform(-1.5, 0.3)
    X = random.normal(size=(n, k)) @ W + noise * random.normal(size=(n, d))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a noise that has run to 0
        peer = ScikitFactorAnalysis(k, tol=1e-8, max_iter=5000).fit(X)
        ours = FactorAnalysis(k).fit(X)
    assert n * ours.score(X) > n * peer.score(X) - ours.tol
