"""What a Gaussian mixture says of rows: densities, and values in the place of missing ones."""

import numpy as np
import pytest
from scipy.special import logsumexp

from lowdim import GaussianMixture
from lowdim.linalg import condition, log_density
from tests.mixture.gaussian.examples import clusters, each_kind, full_covariances

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def direct_log_density(model, X):
    """log p(x_o) row by row, component by component."""
    densities = np.zeros(len(X))
    for i, x in enumerate(X):
        o = ~np.isnan(x)
        terms = [
            np.log(w)
            + (
                log_density(x[None, o], m[o], np.linalg.cholesky(C[np.ix_(o, o)]))[0]
                if o.any()
                else 0
            )
            for w, m, C in zip(model.weights_, model.means_, full_covariances(model), strict=True)
        ]
        densities[i] = logsumexp(terms)
    return densities


# ---- two roads, one result -----------------------------------------------------------------------


@each_kind
def test_the_density_of_incomplete_rows_is_that_of_what_they_observe(kind, rng):
    X = clusters(rng, n=100, missing=0.3)
    model = GaussianMixture(3, covariance_type=kind, random_state=0, max_iter=5).fit(X)
    direct = direct_log_density(model, X)
    np.testing.assert_allclose(model.score_samples(X), direct, rtol=1e-9, atol=1e-9)
    some = ~np.isnan(X).all(axis=1)  # rows without values say nothing of the model
    assert model.score(X) == pytest.approx(direct[some].mean(), rel=1e-10)


def test_filled_values_are_the_mixture_of_the_conditional_gaussians(rng):
    X = clusters(rng, n=60, missing=0.3)
    model = GaussianMixture(2, random_state=0, max_iter=5).fit(X)
    filled, std = model.impute(X, return_std=True)
    np.testing.assert_array_equal(filled, model.impute(X))
    observed = ~np.isnan(X)
    np.testing.assert_array_equal(filled[observed], X[observed])
    assert (std[observed] == 0).all() and (std[~observed] > 0).all()
    resp = model.predict_proba(X)
    for i in np.flatnonzero(~observed.all(axis=1))[:10]:
        o = observed[i]
        parts = [
            condition(m, C, np.flatnonzero(o), X[i, o])
            for m, C in zip(model.means_, model.covariances_, strict=True)
        ]
        means = np.stack([part.mean for part in parts])
        variances = np.stack([np.diag(part.covariance) for part in parts])
        mean = resp[i] @ means
        np.testing.assert_allclose(filled[i, ~o], mean, rtol=1e-8, atol=1e-8)
        variance = resp[i] @ (variances + np.square(means - mean))
        np.testing.assert_allclose(std[i, ~o], np.sqrt(variance), rtol=1e-7)


# ---- the door ------------------------------------------------------------------------------------


def test_a_row_without_any_value_belongs_to_components_by_their_weights(rng):
    model = GaussianMixture(2, random_state=0).fit(clusters(rng, k=2))
    nothing = np.full((1, 3), np.nan)
    np.testing.assert_allclose(model.predict_proba(nothing)[0], model.weights_, rtol=1e-12)
    assert model.score_samples(nothing)[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(model.impute(nothing)[0], model.weights_ @ model.means_, rtol=1e-9)
