"""Plain EM on the covariance."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lowdim import FactorAnalysis
from lowdim.linear.factor_analysis.em import em_update, negative_log_likelihood
from tests.linear.factor_analysis.tables import planted


@pytest.mark.filterwarnings("ignore::lowdim.linear.factor_analysis.HeywoodWarning")
def test_plain_em_from_the_principal_axes_climbs_slowly_to_a_heywood_case():
    X = load_iris().data
    model = FactorAnalysis(2, solver="em", max_iter=4000, tol=0).fit(X)
    assert model.n_iter_ == 4000
    assert np.all(np.diff(model.history_) <= 1e-9)
    # 0.14 below the maximum that it approaches, and that Newton's method finds
    best = FactorAnalysis(2, tol=1e-10).fit(X).loglike_[-1]
    assert best - 0.15 < model.loglike_[-1] < best - 0.1


def test_an_em_step_never_lowers_the_likelihood(rng):
    R = np.corrcoef(planted(rng, d=6)[0].T)
    W, psi = rng.normal(size=(6, 2)), rng.uniform(0.1, 1.0, size=6)
    past = np.inf
    for _ in range(30):
        value = negative_log_likelihood(R, W, psi, 100.0, 0.0)
        assert value <= past + 1e-9
        past = value
        W, psi = em_update(R, W, psi, 1e-8)


def test_units_of_columns_do_not_change_the_road_of_em(rng):
    X, _, _ = planted(rng, d=6)
    units = 2.0 ** rng.integers(-30, 30, size=6)
    plain = FactorAnalysis(2, solver="em", max_iter=20, tol=0).fit(X)
    scaled = FactorAnalysis(2, solver="em", max_iter=20, tol=0).fit(X * units)
    # sums of squares may be about another origin: rounding, of correlations, 20 times
    np.testing.assert_allclose(scaled.noise_variance_ / units**2, plain.noise_variance_, rtol=1e-10)


def test_newton_and_em_end_together(rng):
    X, _, _ = planted(rng, d=6, k=1)
    newton = FactorAnalysis(1, tol=1e-8).fit(X)
    em = FactorAnalysis(1, solver="em", tol=1e-8, max_iter=20_000).fit(X)
    assert newton.loglike_[-1] == pytest.approx(em.loglike_[-1], abs=1e-4)
    assert newton.n_iter_ < em.n_iter_ / 3
