"""The sums of the E step, and what follows from them."""

import numpy as np
import pytest
from scipy.special import logsumexp

from lowdim import GaussianMixture
from lowdim.linalg import log_density
from lowdim.mixture.gaussian import em
from tests.mixture.gaussian.examples import a_start, clusters, each_kind, parameters

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# ---- the derivation ------------------------------------------------------------------------------


@each_kind
def test_the_sums_are_those_of_the_textbook(kind, rng):
    X = clusters(rng, n=50)
    model = GaussianMixture(3, **a_start(X, kind), max_iter=2, tol=0.0).fit(X)
    w = rng.random(50)
    sums = em.statistics(X, model._gaussians(), w)
    joint = np.stack(
        [
            np.log(p) + log_density(X, m, np.linalg.cholesky(C))
            for p, m, C in zip(*parameters(model), strict=True)
        ],
        axis=1,
    )
    resp = np.exp(joint - logsumexp(joint, axis=1, keepdims=True)) * w[:, None]
    D = X[:, None] - model.means_  # (n, K, d)
    scale = model._gaussians().scale
    np.testing.assert_allclose(sums.sum_resp, resp.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(
        sums.sum_x * scale, np.einsum("ij,ijf->jf", resp, D), rtol=1e-8, atol=1e-8
    )
    scatter = np.einsum("ij,ijf,ijg->jfg", resp, D, D)
    scatter = scatter.sum(axis=0) if kind == "tied" else scatter
    if kind in ("full", "tied"):
        got = sums.sum_xx * scale * scale[:, None]
    else:
        got, scatter = sums.sum_xx * scale**2, np.diagonal(scatter, axis1=1, axis2=2)
    np.testing.assert_allclose(got, scatter, rtol=1e-8, atol=1e-8)
    assert sums.objective == pytest.approx(-(w @ logsumexp(joint, axis=1)), rel=1e-10)


# ---- two roads, one result -----------------------------------------------------------------------


@each_kind
def test_complete_rows_give_the_same_sums_on_the_road_for_missing_values(kind, rng):
    X = clusters(rng, n=60)
    model = GaussianMixture(3, **a_start(X, kind), max_iter=3, tol=0.0).fit(X)._gaussians()
    Y, w = model.measured(X), rng.random(60)
    plain, general = em._complete_statistics(Y, model, w), em._missing_statistics(Y, model, w)
    for left, right in zip(plain, general, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)
