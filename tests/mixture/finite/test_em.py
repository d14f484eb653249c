"""EM for finite mixtures: sums, steps and densities beside those written out."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from lowdim import MixtureModel
from lowdim.mixture.families import FAMILIES
from lowdim.mixture.finite.em import FiniteParams, average_of, statistics, sums_of_all, update
from lowdim.mixture.finite.parts import Part
from tests.mixture.finite.examples import each_name, fit_some, planted, with_missing


def direct_bernoulli_em(X, weights, p, n_iter):
    """EM for a mixture of Bernoulli rows, written out entry by entry."""
    for _ in range(n_iter):
        joint = np.empty((len(X), len(weights)))
        for i, x in enumerate(X):
            for j, share in enumerate(weights):
                joint[i, j] = np.log(share) + np.log(np.where(x == 1, p[j], 1 - p[j])).sum()
        log_likelihood = logsumexp(joint, axis=1)
        resp = np.exp(joint - log_likelihood[:, None])
        weights = resp.mean(axis=0)
        p = np.array([resp[:, j] @ X / resp[:, j].sum() for j in range(len(weights))])
    return weights, p, log_likelihood.sum()


# ---- golden values -------------------------------------------------------------------------------


def test_bernoulli_components_are_those_of_direct_em(rng):
    X = (rng.random((40, 5)) < 0.5).astype(float)
    weights, p = np.array([0.4, 0.6]), rng.uniform(0.2, 0.8, size=(2, 5))
    parts, mixture = (
        (Part(FAMILIES["bernoulli"]()),),
        FiniteParams(weights, ({"probabilities": p},)),
    )
    average = average_of(sums_of_all(X, parts, None), parts)
    for _ in range(5):
        sums = statistics(X, parts, mixture, None)
        mixture = update(sums, parts, average, 0.0)
    weights, p, log_likelihood = direct_bernoulli_em(X, weights, p, 5)
    np.testing.assert_allclose(mixture.weights, weights, rtol=1e-10)
    np.testing.assert_allclose(mixture.params[0]["probabilities"], p, rtol=1e-8)
    np.testing.assert_allclose(-sums.objective, log_likelihood, rtol=1e-12)


def test_incomplete_rows_have_their_marginal_likelihood(rng):
    X, _ = planted(rng, "gaussian")
    model = fit_some(X, "gaussian")
    incomplete = with_missing(rng, X[:50], 0.4)
    incomplete[0] = np.nan
    expected = np.empty(50)
    for i, x in enumerate(incomplete):
        o = ~np.isnan(x)
        by_component = norm.logpdf(x[o], model.means_[:, o], np.sqrt(model.variances_[:, o]))
        expected[i] = logsumexp(by_component.sum(axis=1), b=model.weights_)
    np.testing.assert_allclose(model.score_samples(incomplete), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.score(incomplete), expected[1:].mean(), rtol=1e-9)


def test_smoothing_adds_rows_like_the_average():
    # components of 4 rows of ones and 4 of zeros far apart in the other columns; mean 1/2
    X = np.repeat([[1.0] * 6 + [0.0] * 6, [0.0] * 6 + [1.0] * 6], 4, axis=0)
    p = MixtureModel("bernoulli", smoothing=1.0, tol=0, random_state=0).fit(X).probabilities_
    np.testing.assert_allclose(p.max(axis=0), 4.5 / 5, rtol=1e-3)
    np.testing.assert_allclose(p.min(axis=0), 0.5 / 5, rtol=1e-3)


# ---- the derivation ------------------------------------------------------------------------------


@each_name
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_objective_never_rises(rng, name, missing):
    if missing and name == "multinomial":
        return
    X, _ = planted(rng, name, n=150)
    X = rng.permuted(X, axis=0)  # no clusters left: many iterations
    X = with_missing(rng, X, missing) if missing else X
    for smoothing in (0.0, 0.01, 1.0):
        model = fit_some(X, name, max_iter=30, smoothing=smoothing)
        assert np.all(np.diff(model.history_) <= 1e-10 * abs(model.history_[0]))
        assert model.lower_bound_ == -model.history_[-1]
