"""Rows with missing values under Gaussians: two columns of formulas, one result."""

import numpy as np
import pytest

from lowdim import GaussianMixture
from lowdim.linalg import condition
from lowdim.mixture.gaussian import em
from lowdim.mixture.gaussian import missing as gaussian_missing
from lowdim.mixture.gaussian.density import expectation_with_std
from lowdim.mixture.gaussian.units import Space
from tests.mixture.gaussian.examples import clusters, full_covariances

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def nearly_dependent(rng, d, own_variance):
    """A covariance in which the last column keeps so much of its variance, given the others."""
    A = rng.normal(size=(d, 2 * d))
    C = A @ A.T / (2 * d)
    C[-1] = C[:, -1] = C[:-1].sum(axis=0)
    C[-1, -1] = C[:-1, -1].sum()
    C[-1, -1] /= 1.0 - own_variance
    return C


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("own_variance", [0.5, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("missing", [0.15, 0.6])
def test_precisions_and_covariances_agree_on_missing_values(
    own_variance, missing, rng, monkeypatch
):
    d = 7
    C = np.stack([nearly_dependent(rng, d, own_variance) for _ in range(2)])
    mixture = em.fresh(np.array([0.3, 0.7]), rng.normal(size=(2, d)), C)
    model = em.prepared("full", mixture, Space(np.zeros(d), np.ones(d), np.ones(d)))
    labels = rng.integers(2, size=60)
    L = np.linalg.cholesky(C)[labels]
    Y = mixture.means[labels] + np.einsum("ide,ie->id", L, rng.normal(size=(60, d)))
    Y[rng.random(Y.shape) < missing] = np.nan
    Y[0] = np.nan
    w = rng.random(60)

    def results():
        return em._missing_statistics(Y, model, w), expectation_with_std(Y, model)

    used = gaussian_missing._matrices(model).has_precision
    assert used.all() if own_variance > 1e-8 else not used.any()
    sums, (filled, std) = results()
    monkeypatch.setattr(gaussian_missing, "LEAST_OWN_VARIANCE", np.inf)  # covariances for all
    direct, (direct_filled, direct_std) = results()
    # rounding, enlarged by the condition: about 1 / own_variance, of sizes of about 10
    rtol = 1e-13 / own_variance
    for left, right in zip(sums, direct, strict=True):
        np.testing.assert_allclose(left, right, rtol=rtol, atol=10 * rtol)
    np.testing.assert_allclose(filled, direct_filled, rtol=rtol, atol=10 * rtol)
    np.testing.assert_allclose(np.square(std), np.square(direct_std), rtol=rtol, atol=10 * rtol)


@pytest.mark.parametrize("kind", ["full", "tied"])
@pytest.mark.parametrize("missing", [0.1, 0.7])
def test_the_sums_over_missing_values_are_those_of_conditional_gaussians(kind, missing, rng):
    X = clusters(rng, n=60, d=5, missing=missing)
    fitted = GaussianMixture(2, covariance_type=kind, random_state=0, max_iter=3).fit(X)
    w = rng.random(60)
    sums = em.statistics(X, fitted._gaussians(), w)
    resp = fitted.predict_proba(X) * w[:, None]
    scale = fitted._gaussians().scale
    sum_x, sum_xx = np.zeros((2, 5)), np.zeros((2, 5, 5))
    for i, x in enumerate(X):
        o, m = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
        for j, C in enumerate(full_covariances(fitted)):
            mean, left = (
                condition(fitted.means_[j], C, o, x[o]) if len(o) else (fitted.means_[j], C)
            )
            D = x - fitted.means_[j]
            D[m] = mean - fitted.means_[j][m]
            sum_x[j] += resp[i, j] * D
            sum_xx[j] += resp[i, j] * np.outer(D, D)
            sum_xx[j][np.ix_(m, m)] += resp[i, j] * left
    sum_xx = sum_xx.sum(axis=0) if kind == "tied" else sum_xx
    np.testing.assert_allclose(sums.sum_x * scale, sum_x, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(sums.sum_xx * scale * scale[:, None], sum_xx, rtol=1e-7, atol=1e-7)
