"""Gaussian mixtures: every form of covariance, holes, weights, and what goes wrong."""

import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Peer

import lowdim
from lowdim import GaussianMixture
from lowdim.core.blocks import as_blocks
from lowdim.linalg import condition, log_density
from lowdim.linalg.observed import observed_columns
from lowdim.mixture import collapse as gaussian_collapse
from lowdim.mixture.collapse import CollapsedComponentWarning
from lowdim.mixture.gaussian import estimator as gm
from lowdim.mixture.gaussian import missing as gaussian_missing
from lowdim.mixture.gaussian.covariances import KINDS, scaled_squares

SHARED_WITH_PEER = ["full", "tied", "diag", "spherical"]
each_kind = pytest.mark.parametrize("kind", [*SHARED_WITH_PEER, "unit"])
each_peer_kind = pytest.mark.parametrize("kind", SHARED_WITH_PEER)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def clusters(rng, n=300, d=3, k=3, apart=4.0, missing=0.0):
    """Rows of k Gaussians with their own shapes, with holes at random."""
    means = apart * rng.normal(size=(k, d))
    shapes = rng.normal(size=(k, d, d)) / np.sqrt(d) + 0.3 * np.eye(d)
    labels = rng.integers(k, size=n)
    X = means[labels] + np.einsum("ide,ie->id", shapes[labels], rng.normal(size=(n, d)))
    X[rng.random(X.shape) < missing] = np.nan
    return X


def a_start(X, kind, k=3):
    """The same start for everybody."""
    d = X.shape[1]
    identity = {
        "full": np.tile(np.eye(d), (k, 1, 1)),
        "tied": np.eye(d),
        "diag": np.ones((k, d)),
        "spherical": np.ones(k),
        "unit": np.ones(k),
    }
    weights = np.arange(1.0, k + 1)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return {
        "covariance_type": kind,
        "weights_init": weights / weights.sum(),
        "means_init": filled[:k] + 0.1 * np.arange(k)[:, None],
        "precisions_init": identity[kind] / np.nanvar(X) if kind != "unit" else identity[kind],
    }


def full_covariances(model):
    """(K, d, d), whatever the type."""
    k, d = model.means_.shape
    C = model.covariances_
    if model.covariance_type == "full":
        return C
    if model.covariance_type == "tied":
        return np.tile(C, (k, 1, 1))
    variances = C if model.covariance_type == "diag" else np.repeat(C[:, None], d, axis=1)
    return np.stack([np.diag(v) for v in variances])


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


def parameters(model):
    """Weights, means and covariance matrices."""
    return [model.weights_, model.means_, full_covariances(model)]


# ---- golden values -------------------------------------------------------------------------------


def test_one_component_is_the_mean_and_the_covariance(rng):
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) + 5.0
    C = np.cov(X.T, bias=True)
    one = {kind: GaussianMixture(covariance_type=kind, reg_covar=0.0).fit(X) for kind in KINDS}
    for model in one.values():
        np.testing.assert_allclose(model.means_[0], X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(one["full"].covariances_[0], C, rtol=1e-10)
    np.testing.assert_allclose(one["tied"].covariances_, C, rtol=1e-10)
    np.testing.assert_allclose(one["diag"].covariances_[0], np.diag(C), rtol=1e-10)
    np.testing.assert_allclose(one["spherical"].covariances_, [np.diag(C).mean()], rtol=1e-10)
    np.testing.assert_array_equal(one["unit"].covariances_, [1.0])


@pytest.mark.parametrize(
    "kind, number",
    # K - 1 weights, K d means, and of covariances with d = 4 columns and K = 3 components:
    [
        ("full", 14 + 3 * 10),
        ("tied", 14 + 10),
        ("diag", 14 + 12),
        ("spherical", 14 + 3),
        ("unit", 14),
    ],
)
def test_the_number_of_parameters_is_that_of_the_covariance_type(kind, number):
    X = load_iris().data
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    assert model._n_parameters() == number
    # 2 log p cancels: what is left is number (log n - 2)
    gap = model.bic(X) - model.aic(X)
    assert gap == pytest.approx(number * (np.log(150) - 2), rel=1e-9)


def test_iris_reaches_the_likelihood_of_the_best_of_ten_starts_of_scikit_learn(seed):
    # scikit-learn 1.9.1: GaussianMixture(3, n_init=10, tol=1e-6, max_iter=1000).score(X)
    X = load_iris().data
    ours = GaussianMixture(3, n_init=10, random_state=seed, tol=1e-6, max_iter=1000).fit(X)
    assert ours.score(X) >= -1.2012366 - 1e-6


# ---- the derivation ------------------------------------------------------------------------------


@each_kind
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_likelihood_never_falls(kind, missing, rng):
    X = clusters(rng, apart=1.5, missing=missing)
    model = GaussianMixture(3, **a_start(X, kind), reg_covar=0.0, tol=0.0, max_iter=30).fit(X)
    assert len(model.history_) > 5
    assert np.all(np.diff(model.history_) <= 1e-9 * np.abs(model.history_[1:]).max())
    np.testing.assert_array_equal(model.lower_bounds_, -model.history_)


@each_kind
def test_the_sums_are_those_of_the_textbook(kind, rng):
    X = clusters(rng, n=50)
    model = GaussianMixture(3, **a_start(X, kind), max_iter=2, tol=0.0).fit(X)
    w = rng.random(50)
    sums = gm.statistics(X, model._gaussians(), w)
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


def test_squares_expanded_or_not_are_the_same(rng):
    Y, means, whiten = rng.normal(size=(70, 4)), rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.5
    direct = np.square((Y - means[:, None]) * whiten[:, None]).sum(axis=2)
    np.testing.assert_allclose(scaled_squares(Y, means, whiten), direct, rtol=1e-10, atol=1e-12)
    far = means + 1e7  # here the expansion would leave two digits
    np.testing.assert_allclose(scaled_squares(Y + 1e7, far, whiten), direct, rtol=1e-6, atol=1e-6)


# ---- properties ----------------------------------------------------------------------------------


@each_kind
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_row_of_weight_two_is_a_row_twice(kind, missing, rng):
    X = clusters(rng, n=80, missing=missing)
    weight = rng.integers(0, 3, size=80)
    weighted = GaussianMixture(2, covariance_type=kind, random_state=0)
    repeated = GaussianMixture(2, covariance_type=kind, random_state=0)
    weighted.fit(X, sample_weight=weight)
    repeated.fit(np.repeat(X, weight, axis=0))
    for left, right in zip(parameters(weighted), parameters(repeated), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-7, atol=1e-9)
    score = weighted.score(X, sample_weight=weight)
    assert score == pytest.approx(weighted.score(np.repeat(X, weight, axis=0)), rel=1e-10)


@pytest.mark.parametrize("kind", ["full", "tied", "diag"])
def test_units_and_origins_of_columns_do_not_matter(kind, rng):
    X = clusters(rng)
    a, b = np.array([1e-3, 1.0, 1e6]), np.array([1e5, -3.0, 0.0])
    plain = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, random_state=0).fit(X)
    moved = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, random_state=0).fit(X * a + b)
    assert plain.n_iter_ == moved.n_iter_
    np.testing.assert_allclose(moved.means_, plain.means_ * a + b, rtol=1e-6)
    np.testing.assert_allclose(
        moved.lower_bound_, plain.lower_bound_ - np.log(a).sum(), rtol=0, atol=1e-6
    )


@each_kind
def test_float32_gives_float32_near_the_float64_result(kind, rng):
    X = clusters(rng)
    start = a_start(X, kind)
    double = GaussianMixture(3, **start, max_iter=5).fit(X)
    single = GaussianMixture(3, **start, max_iter=5).fit(X.astype(np.float32))
    assert single.means_.dtype == single.predict_proba(X.astype(np.float32)).dtype == np.float32
    # 24 bits, of values about 10 times their spread
    np.testing.assert_allclose(single.means_, double.means_, atol=1e-3)


# ---- two roads, one result -----------------------------------------------------------------------


@each_peer_kind
def test_from_the_same_start_the_steps_are_those_of_scikit_learn(kind, rng):
    X = clusters(rng, apart=2.0)
    start = a_start(X, kind)
    peer = Peer(3, **start, max_iter=6, tol=0.0).fit(X)
    ours = GaussianMixture(3, **start, max_iter=6, tol=0.0).fit(X)
    names = ["weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"]
    for name in [*names, "lower_bound_", "lower_bounds_"]:
        want = getattr(peer, name)
        np.testing.assert_allclose(
            getattr(ours, name), want, rtol=1e-6, atol=1e-8 * np.abs(want).max(), err_msg=name
        )
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-7)
    np.testing.assert_allclose([ours.aic(X), ours.bic(X)], [peer.aic(X), peer.bic(X)], rtol=1e-7)


def test_a_spherical_covariance_that_vanishes_gives_the_nearest_mean(rng):
    X = clusters(rng, apart=1.0)
    centers = X[:4]
    model = GaussianMixture(
        4,
        covariance_type="spherical",
        means_init=centers,
        weights_init=np.full(4, 0.25),
        precisions_init=np.full(4, 1e10),
        max_iter=0,
    ).fit(X)
    nearest = np.square(X[:, None] - centers).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X), nearest)


def test_unit_covariances_on_large_data_are_k_means(rng):
    X = 1e5 * clusters(rng, apart=1.0)
    centers = X[rng.choice(300, size=4, replace=False)]
    kmeans = KMeans(4, init=centers, n_init=1, tol=0.0, max_iter=500).fit(X)
    model = GaussianMixture(4, covariance_type="unit", means_init=centers, tol=0.0, max_iter=200)
    model.set_params(weights_init=np.full(4, 0.25)).fit(X)
    np.testing.assert_array_equal(model.predict(X), kmeans.labels_)
    np.testing.assert_allclose(model.means_, kmeans.cluster_centers_, rtol=1e-9, atol=1e-3)


@each_kind
def test_complete_rows_give_the_same_sums_on_the_road_for_holes(kind, rng):
    X = clusters(rng, n=60)
    model = GaussianMixture(3, **a_start(X, kind), max_iter=3, tol=0.0).fit(X)._gaussians()
    Y, w = model.measured(X), rng.random(60)
    plain, holes = gm._complete_statistics(Y, model, w), gm._missing_statistics(Y, model, w)
    for left, right in zip(plain, holes, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)


@each_kind
def test_the_density_of_rows_with_holes_is_that_of_what_they_observe(kind, rng):
    X = clusters(rng, n=100, missing=0.3)
    model = GaussianMixture(3, covariance_type=kind, random_state=0, max_iter=5).fit(X)
    direct = direct_log_density(model, X)
    np.testing.assert_allclose(model.score_samples(X), direct, rtol=1e-9, atol=1e-9)
    assert model.score(X) == pytest.approx(direct.mean(), rel=1e-10)


def nearly_dependent(rng, d, own_variance):
    """A covariance in which the last column keeps so much of its variance, given the others."""
    A = rng.normal(size=(d, 2 * d))
    C = A @ A.T / (2 * d)
    C[-1] = C[:, -1] = C[:-1].sum(axis=0)
    C[-1, -1] = C[:-1, -1].sum()
    C[-1, -1] /= 1.0 - own_variance
    return C


@pytest.mark.parametrize("own_variance", [0.5, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("missing", [0.15, 0.6])
def test_precisions_and_covariances_tell_the_same_of_holes(own_variance, missing, rng, monkeypatch):
    d = 7
    C = np.stack([nearly_dependent(rng, d, own_variance) for _ in range(2)])
    mixture = gm.fresh(np.array([0.3, 0.7]), rng.normal(size=(2, d)), C)
    model = gm.prepared("full", mixture, gm.Space(np.zeros(d), np.ones(d), np.ones(d)))
    labels = rng.integers(2, size=60)
    L = np.linalg.cholesky(C)[labels]
    Y = mixture.means[labels] + np.einsum("ide,ie->id", L, rng.normal(size=(60, d)))
    Y[rng.random(Y.shape) < missing] = np.nan
    Y[0] = np.nan
    w = rng.random(60)

    def told():
        return gm._missing_statistics(Y, model, w), gm.expectation_with_std(Y, model)

    used = gaussian_missing._matrices(model).has_precision
    assert used.all() if own_variance > 1e-8 else not used.any()
    sums, (filled, std) = told()
    monkeypatch.setattr(gaussian_missing, "LEAST_OWN_VARIANCE", np.inf)  # covariances for all
    direct, (direct_filled, direct_std) = told()
    # rounding, enlarged by the condition: about 1 / own_variance, of sizes of about 10
    rtol = 1e-13 / own_variance
    for left, right in zip(sums, direct, strict=True):
        np.testing.assert_allclose(left, right, rtol=rtol, atol=10 * rtol)
    np.testing.assert_allclose(filled, direct_filled, rtol=rtol, atol=10 * rtol)
    np.testing.assert_allclose(np.square(std), np.square(direct_std), rtol=rtol, atol=10 * rtol)


@pytest.mark.parametrize("kind", ["full", "tied"])
@pytest.mark.parametrize("missing", [0.1, 0.7])
def test_the_sums_over_holes_are_those_of_conditional_gaussians(kind, missing, rng):
    X = clusters(rng, n=60, d=5, missing=missing)
    fitted = GaussianMixture(2, covariance_type=kind, random_state=0, max_iter=3).fit(X)
    w = rng.random(60)
    sums = gm.statistics(X, fitted._gaussians(), w)
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


@each_kind
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_streams_and_dask_give_the_fit_in_memory(kind, missing, rng):
    da = pytest.importorskip("dask.array")
    X = clusters(rng, n=120, missing=missing)
    model = GaussianMixture(2, covariance_type=kind, random_state=0, max_iter=5, tol=0.0)
    whole = model.fit(X)
    want, labels, filled = parameters(whole), whole.predict(X), whole.impute(X)
    streamed = lowdim.stream(lambda: iter(np.split(X, [1, 50, 90])))
    chunked = da.from_array(X, chunks=((70, 50), 3))
    for source in (streamed, chunked):
        other = model.fit(source)
        for left, right in zip(want, parameters(other), strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-10)
        np.testing.assert_array_equal(np.asarray(other.predict(source)), labels)
        np.testing.assert_allclose(np.asarray(other.impute(source)), filled, rtol=1e-7)


def start_from_few_rows(monkeypatch, n):
    monkeypatch.setattr(gm, "START_ROWS", n)
    monkeypatch.setattr(gm, "START_ROWS_PER_COLUMN", 1)


def test_large_data_start_from_a_part_of_the_rows(rng, monkeypatch):
    start_from_few_rows(monkeypatch, 100)
    X = clusters(rng, n=1000, k=2, apart=20.0)
    part = GaussianMixture(2, random_state=0, tol=1e-9, max_iter=500).fit(X)
    monkeypatch.undo()
    whole = GaussianMixture(2, random_state=0, tol=1e-9, max_iter=500).fit(X)
    assert part.lower_bound_ == pytest.approx(whole.lower_bound_, abs=1e-6)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_coreset_of_a_start_has_the_moments_of_all_rows(missing, rng):
    X = clusters(rng, n=4000, missing=missing)
    weight = rng.integers(0, 3, size=4000).astype(float)
    rows = as_blocks(X)
    columns = observed_columns(rows, weight)
    space = gm._space(columns.mean, columns.std, "full")
    some = gm.some_rows(rows, weight, space, rng, 1000)
    Z = np.nan_to_num((X - columns.mean) / columns.std)  # holes at the mean
    assert some.rows.shape == (1000, 3)
    # no row weighs more than twice the mean: sums of 1000 of size about 1 are good to 6 errors
    assert some.weight.max() <= 2 * weight.sum() / 1000 * (1 + 1e-9)
    assert some.weight.sum() == pytest.approx(weight.sum(), rel=6 / np.sqrt(1000))
    error = 6 * 2 / np.sqrt(1000)
    share, w = some.weight / some.weight.sum(), weight / weight.sum()
    np.testing.assert_allclose(share @ some.rows, w @ Z, atol=error)
    squares = w @ np.square(Z)
    np.testing.assert_allclose(share @ np.square(some.rows), squares, atol=3 * error)


@pytest.mark.parametrize("init", ["kmeans", "k-means++"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("source", ["memory", "stream", "dask"])
def test_a_few_rows_far_away_are_seen_by_the_start(init, missing, source, rng, monkeypatch):
    start_from_few_rows(monkeypatch, 200)
    X = rng.normal(size=(6000, 2))
    X[:12] += 100.0  # a random part of 200 rows would have none of them 2 times in 3
    X[12:][rng.random((5988, 2)) < missing] = np.nan
    rows = X
    if source == "stream":
        rows = lowdim.stream(lambda: iter(np.split(X, [1, 2500])))
    elif source == "dask":
        rows = pytest.importorskip("dask.array").from_array(X, chunks=(2000, 2))
    model = GaussianMixture(2, init_params=init, max_iter=0, random_state=0).fit(rows)
    far = int(np.argmax(model.means_[:, 0]))
    # they hold half of all squares, and so a quarter of the chances: about 50 of 200 rows drawn
    np.testing.assert_allclose(model.means_[far], 100.0, atol=3.0)
    assert model.weights_[far] == pytest.approx(12 / 6000, rel=0.9)


# ---- a planted truth -----------------------------------------------------------------------------


def planted(rng, n=4000):
    """Two components, 10 standard deviations apart, with a fifth of the entries missing."""
    means = np.array([[0.0, 0.0, 0.0], [10.0, -10.0, 10.0]])
    C = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.3], [0.0, 0.3, 1.0]])
    labels = (rng.random(n) < 0.3).astype(int)
    X = means[labels] + rng.normal(size=(n, 3)) @ np.linalg.cholesky(C).T
    holes = X.copy()
    holes[rng.random(X.shape) < 0.2] = np.nan
    return X, holes, labels, means, C


def test_a_planted_mixture_is_found_through_holes(rng):
    _, holes, labels, means, C = planted(rng)
    model = GaussianMixture(2, random_state=0).fit(holes)
    order = np.argsort(model.means_[:, 0])
    # about 960 rows observe an entry of the small component: 5 standard errors are 0.16
    np.testing.assert_allclose(model.means_[order], means, atol=0.2)
    np.testing.assert_allclose(model.covariances_[order], [C, C], atol=0.35)
    assert model.weights_[order[1]] == pytest.approx(0.3, abs=0.04)
    some = ~np.isnan(holes).all(axis=1)
    assert (order[labels[some]] == model.predict(holes)[some]).mean() > 0.999


def test_intervals_of_filled_values_cover_what_they_claim(rng):
    X, holes, *_ = planted(rng)
    filled, std = GaussianMixture(2, random_state=0).fit(holes).impute(holes, return_std=True)
    known = ~np.isnan(holes)
    missing = ~known & (known.sum(axis=1) >= 1)[:, None]  # the component is then known: Gaussian
    inside = np.abs(X - filled)[missing] <= 1.96 * std[missing]
    # 2400 holes: 5 standard errors are 0.022
    assert inside.mean() == pytest.approx(0.95, abs=0.03)
    assert np.square(X - filled)[missing].mean() < 0.75  # the columns' own variance is 1


@each_kind
def test_samples_have_the_moments_of_the_model(kind, rng):
    X = clusters(rng, k=2)
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    new, labels = model.sample(40_000)
    assert np.all(np.diff(labels) >= 0)
    for j, C in enumerate(full_covariances(model)):
        own = new[labels == j]
        size = np.sqrt(np.diag(C).max())
        error = 6 / np.sqrt(max(len(own), 1))
        np.testing.assert_allclose(own.mean(axis=0), model.means_[j], atol=error * size)
        np.testing.assert_allclose(np.cov(own.T), C, atol=2 * error * size**2)
    again, _ = model.sample(40_000)
    np.testing.assert_array_equal(new, again)  # random_state=0, as in scikit-learn
    assert not np.array_equal(model.sample(5, random_state=1)[0], new[:5])


# ---- components that collapse --------------------------------------------------------------------


def with_outlier(rng):
    return np.vstack([rng.normal(size=(100, 2)), [[50.0, 50.0]]])


@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_a_component_on_a_single_row_is_restarted_with_a_warning(kind, rng):
    X = with_outlier(rng)
    means = np.array([[0.0, 0.0], [50.0, 50.0]])
    # from elsewhere the second component goes back to the bulk of rows or to the outlier again
    model = GaussianMixture(2, covariance_type=kind, means_init=means, random_state=0)
    with pytest.warns(CollapsedComponentWarning, match="of 2 components"):
        model.fit(X)
    assert np.isfinite(model.covariances_).all()
    assert np.isfinite(model.score(X))


def test_a_component_without_rows_is_restarted_with_a_warning(rng):
    X = rng.normal(size=(200, 2))
    X[100:, 0] += 8.0
    means = np.array([[4.0, 0.0], [1e4, 1e4]])
    model = GaussianMixture(
        2,
        covariance_type="tied",
        means_init=means,
        weights_init=[0.5, 0.5],
        precisions_init=np.eye(2),
        tol=1e-6,
    )
    with pytest.warns(CollapsedComponentWarning, match="all recovered"):
        model.fit(X)
    # where it ends depends on the rows, but it has some of them again
    assert model.weights_.min() > 0.01
    assert np.all((model.means_ > X.min(axis=0)) & (model.means_ < X.max(axis=0)))


def test_equal_rows_are_fitted_and_warned_about():
    X = np.repeat(np.array([[0.0, 0.0], [1.0, 3.0]]), 10, axis=0)
    with pytest.warns(CollapsedComponentWarning, match="2 of them are so at the end"):
        model = GaussianMixture(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.weights_, 0.5, rtol=1e-6)
    assert len(set(model.predict(X))) == 2


def test_of_several_starts_one_that_did_not_collapse_is_kept(rng, monkeypatch):
    X = with_outlier(rng)
    half, spread = np.full(2, 0.5), np.tile(np.eye(2), (2, 1, 1))
    on_outlier = gm.fresh(half, np.array([[0.0, 0.0], [12.0, 12.0]]), 0.1 * spread)
    both_on_all = gm.fresh(half, np.zeros((2, 2)), spread)  # equal components stay so
    starts = iter([on_outlier, both_on_all])
    monkeypatch.setattr(gm, "start", lambda *arguments: next(starts))
    monkeypatch.setattr(gaussian_collapse, "MOST_RESTARTS", 0)
    model = GaussianMixture(2, n_init=2).fit(X)
    np.testing.assert_allclose(model.means_, np.tile(X.mean(axis=0), (2, 1)), rtol=1e-9)


@each_kind
def test_the_halves_of_a_component_have_its_moments(kind, rng):
    form, d = KINDS[kind], 3
    A = rng.normal(size=(2, d, d))
    C = A @ np.swapaxes(A, 1, 2)
    C = {"full": C, "tied": C[0]}.get(kind, np.repeat(rng.random((2, 1)) + 0.5, d, axis=1))
    offset = 0.7 * form.longest_axis(C, 0)
    halves = form.halved(C, offset, 1.0, 0, 1)
    two = np.square(offset) + form.variances(halves)[0]
    if kind == "unit":
        np.testing.assert_array_equal(halves, C[[0, 0]])
    else:  # spherical ones can keep their size on average only
        want = form.variances(C)[0]
        same = (two.mean(), want.mean()) if kind == "spherical" else (two, want)
        np.testing.assert_allclose(*same, rtol=1e-10)


# ---- the door ------------------------------------------------------------------------------------


def test_what_cannot_be_a_start_is_refused(rng):
    X = clusters(rng, n=30)

    def refused(match, **arguments):
        with pytest.raises(ValueError, match=match):
            GaussianMixture(**{"n_components": 3, **arguments}).fit(X)

    refused("n_components=31 is more than the 30 rows", n_components=31)
    refused(r"means_init has shape \(2, 3\); \(3, 3\) is needed", means_init=X[:2])
    refused(r"weights_init has shape \(2,\)", weights_init=[0.5, 0.5])
    refused("weights_init has the sum 1.2", weights_init=[0.4, 0.4, 0.4])
    refused("smallest value -0.5", weights_init=[1.0, 0.5, -0.5])
    refused(r"precisions_init has shape \(3,\); \(3, 3, 3\)", precisions_init=np.ones(3))
    indefinite = np.tile(np.diag([1.0, 1.0, -1.0]), (3, 1, 1))
    refused("precisions_init is not positive definite", precisions_init=indefinite)
    refused("not symmetric", precisions_init=np.tile(np.triu(np.ones((3, 3))), (3, 1, 1)))
    refused("not positive", precisions_init=np.zeros(3), covariance_type="spherical")
    refused("NaN", means_init=np.full((3, 3), np.nan))
    refused("covariance_type", covariance_type="round")
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 rows"):
        GaussianMixture(3).fit(X, sample_weight=[1.0, 1.0] + 28 * [0.0])
    with pytest.raises(ValueError, match="n_samples=0 is too small"):
        GaussianMixture(2, random_state=0).fit(X).sample(0)


@pytest.mark.filterwarnings(
    "ignore::lowdim.mixture.collapse.CollapsedComponentWarning"  # on a single random row
)
@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random_from_data"])
def test_every_start_reaches_clusters_that_lie_far_apart(init, rng):
    X = np.vstack([rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + 30.0])
    # with two random rows from one cluster EM needs its time, or another start
    model = GaussianMixture(2, init_params=init, n_init=8, tol=1e-6, max_iter=500, random_state=0)
    model.fit(X)
    assert len(set(model.predict(X[:50]))) == len(set(model.predict(X[50:]))) == 1
    assert model.predict(X[:1]) != model.predict(X[50:51])


def test_random_responsibilities_start_from_nearly_equal_components(rng):
    X = clusters(rng)
    model = GaussianMixture(2, init_params="random", max_iter=0, random_state=0).fit(X)
    error = X.std(axis=0) / np.sqrt(300)  # of a mean; here with about half of the rows' weight
    assert np.all(np.abs(model.means_ - X.mean(axis=0)) < 5 * error)
    assert not np.array_equal(model.means_[0], model.means_[1])


def test_a_warm_start_goes_on_where_the_fit_before_ended(rng):
    X = clusters(rng, apart=1.0)
    start = a_start(X, "full")
    whole = GaussianMixture(3, **start, max_iter=8, tol=0.0).fit(X)
    parts = GaussianMixture(3, **start, max_iter=4, tol=0.0, warm_start=True).fit(X).fit(X)
    np.testing.assert_allclose(parts.means_, whole.means_, rtol=1e-9)
    np.testing.assert_allclose(parts.lower_bound_, whole.lower_bound_, rtol=1e-10)


def test_no_iterations_keep_the_start(rng):
    X = clusters(rng)
    start = a_start(X, "full")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = GaussianMixture(3, **start, max_iter=0).fit(X)
    np.testing.assert_allclose(model.means_, start["means_init"], rtol=1e-12)
    np.testing.assert_allclose(model.precisions_, start["precisions_init"], rtol=1e-9, atol=1e-12)
    assert model.n_iter_ == 0 and not model.converged_


def test_a_row_without_any_value_belongs_to_components_by_their_weights(rng):
    model = GaussianMixture(2, random_state=0).fit(clusters(rng, k=2))
    nothing = np.full((1, 3), np.nan)
    np.testing.assert_allclose(model.predict_proba(nothing)[0], model.weights_, rtol=1e-12)
    assert model.score_samples(nothing)[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(model.impute(nothing)[0], model.weights_ @ model.means_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::lowdim.mixture.collapse.CollapsedComponentWarning")
@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_several_components_that_fall_onto_points_restart_from_one(rng, covariance_type):
    X = np.repeat(rng.normal(size=(10, 4)), 20, axis=0)
    for k in (7, 8, 9):
        model = GaussianMixture(k, covariance_type=covariance_type, random_state=0).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
