"""Gaussian mixtures: every form of covariance, missing values, weights, and what goes wrong."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Peer

import lowdim
from lowdim import GaussianMixture
from lowdim.mixture.gaussian.covariances import KINDS
from tests.mixture.gaussian.examples import (
    SHARED_WITH_PEER,
    a_start,
    clusters,
    each_kind,
    full_covariances,
    parameters,
)

each_peer_kind = pytest.mark.parametrize("kind", SHARED_WITH_PEER)


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


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
    # reg_covar is a part of the variances here, and a number in scikit-learn
    peer = Peer(3, **start, max_iter=6, tol=0.0, reg_covar=0.0).fit(X)
    ours = GaussianMixture(3, **start, max_iter=6, tol=0.0, reg_covar=0.0).fit(X)
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


def test_columns_of_variance_one_are_regularised_as_by_scikit_learn(rng):
    X = clusters(rng, apart=2.0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    start = a_start(X, "full")
    peer = Peer(3, **start, max_iter=6, tol=0.0, reg_covar=0.1).fit(X)
    ours = GaussianMixture(3, **start, max_iter=6, tol=0.0, reg_covar=0.1).fit(X)
    np.testing.assert_allclose(ours.covariances_, peer.covariances_, rtol=1e-6, atol=1e-8)


@each_kind
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_densities_of_huge_and_tiny_values_are_those_of_plain_ones(kind, missing, dtype, rng):
    if kind == "unit":
        return  # of variance 1
    X = clusters(rng, n=80, missing=missing).astype(dtype)
    plain = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    n_observed = (~np.isnan(X)).sum(axis=1)
    powers = (650, -650) if dtype is np.float64 else (100, -100)  # 1e196, 1e30
    for power in powers:
        far = X * dtype(2.0**power)
        model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(far)
        expected = plain.score_samples(X) - n_observed * power * np.log(2.0)
        rtol = 1e-9 if dtype is np.float64 else 1e-5
        np.testing.assert_allclose(model.score_samples(far), expected, rtol=rtol, atol=1e-12)
        again = clone(model).set_params(warm_start=True)
        again.__dict__.update(vars(model), warm_start=True)
        assert np.isfinite(again.fit(far).score(far))
        drawn = model.sample(5)[0] / dtype(2.0**power)
        np.testing.assert_allclose(drawn, plain.sample(5)[0], rtol=1e3 * rtol, atol=1e-4)


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


def planted(rng, n=4000):
    """Two components, 10 standard deviations apart, with a fifth of the entries missing."""
    means = np.array([[0.0, 0.0, 0.0], [10.0, -10.0, 10.0]])
    C = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.3], [0.0, 0.3, 1.0]])
    labels = (rng.random(n) < 0.3).astype(int)
    X = means[labels] + rng.normal(size=(n, 3)) @ np.linalg.cholesky(C).T
    incomplete = X.copy()
    incomplete[rng.random(X.shape) < 0.2] = np.nan
    return X, incomplete, labels, means, C


# ---- a planted truth -----------------------------------------------------------------------------


def test_a_planted_mixture_is_found_through_missing_values(rng):
    _, incomplete, labels, means, C = planted(rng)
    model = GaussianMixture(2, random_state=0).fit(incomplete)
    order = np.argsort(model.means_[:, 0])
    # about 960 rows observe an entry of the small component: 5 standard errors are 0.16
    np.testing.assert_allclose(model.means_[order], means, atol=0.2)
    np.testing.assert_allclose(model.covariances_[order], [C, C], atol=0.35)
    assert model.weights_[order[1]] == pytest.approx(0.3, abs=0.04)
    some = ~np.isnan(incomplete).all(axis=1)
    assert (order[labels[some]] == model.predict(incomplete)[some]).mean() > 0.999


def test_intervals_of_filled_values_cover_what_they_claim(rng):
    X, incomplete, *_ = planted(rng)
    filled, std = (
        GaussianMixture(2, random_state=0).fit(incomplete).impute(incomplete, return_std=True)
    )
    known = ~np.isnan(incomplete)
    missing = ~known & (known.sum(axis=1) >= 1)[:, None]  # the component is then known: Gaussian
    inside = np.abs(X - filled)[missing] <= 1.96 * std[missing]
    # 2400 missing values: 5 standard errors are 0.022
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


# ---- the door ------------------------------------------------------------------------------------


def test_a_warm_start_goes_on_where_the_fit_before_ended(rng):
    X = clusters(rng, apart=1.0)
    start = a_start(X, "full")
    whole = GaussianMixture(3, **start, max_iter=8, tol=0.0).fit(X)
    parts = GaussianMixture(3, **start, max_iter=4, tol=0.0, warm_start=True).fit(X).fit(X)
    np.testing.assert_allclose(parts.means_, whole.means_, rtol=1e-9)
    np.testing.assert_allclose(parts.lower_bound_, whole.lower_bound_, rtol=1e-10)


@each_kind
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_fits_of_one_iteration_each_converge_as_one_fit_of_many(kind, missing, rng):
    X = clusters(rng, n=80, missing=missing)
    whole = GaussianMixture(2, **a_start(X, kind, k=2), max_iter=300).fit(X)
    parts = GaussianMixture(2, **a_start(X, kind, k=2), max_iter=1, warm_start=True)
    n_fits = 0
    while not getattr(parts, "converged_", False) and n_fits < 300:
        parts.fit(X)
        n_fits += 1
    assert whole.converged_ and n_fits == whole.n_iter_
    np.testing.assert_allclose(parts.means_, whole.means_, rtol=1e-8)


def test_no_iterations_keep_the_start(rng):
    X = clusters(rng)
    start = a_start(X, "full")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = GaussianMixture(3, **start, max_iter=0).fit(X)
    np.testing.assert_allclose(model.means_, start["means_init"], rtol=1e-12)
    np.testing.assert_allclose(model.precisions_, start["precisions_init"], rtol=1e-9, atol=1e-12)
    assert model.n_iter_ == 0 and not model.converged_


# ---- the picture ---------------------------------------------------------------------------------


@pytest.fixture
def figures():
    plt = pytest.importorskip("matplotlib.pyplot")
    yield plt
    plt.close("all")


def ellipses(ax):
    return [patch for patch in ax.patches if type(patch).__name__ == "Ellipse"]


def test_in_the_plane_a_plot_shows_the_components_as_they_are(rng, figures):
    X = np.vstack([rng.normal(size=(200, 2)) * [1.0, 300.0], rng.normal(size=(100, 2)) + 20.0])
    model = GaussianMixture(2, covariance_type="diag", random_state=0).fit(X)
    ax = model.plot(X)
    inner, outer = ellipses(ax)[:2]  # of component 0, at one and two standard deviations
    np.testing.assert_allclose(inner.get_center(), model.means_[0])
    sizes = 2 * np.sqrt(np.sort(model.covariances_[0])[::-1])
    np.testing.assert_allclose([inner.width, inner.height], sizes, rtol=1e-9)
    np.testing.assert_allclose([outer.width, outer.height], 2 * sizes, rtol=1e-9)
    drawn = np.vstack([part.get_offsets() for part in ax.collections])
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(X, axis=0))


@each_kind
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_plot_takes_every_form_missing_values_and_many_rows(kind, missing, rng, figures):
    X = clusters(rng, n=400, d=4, missing=missing)
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    own = figures.figure().add_subplot()
    ax = model.plot(X, ax=own, sample_size=150)
    assert ax is own and ax.get_xlabel().startswith("principal axis 1 (")
    assert sum(len(part.get_offsets()) for part in ax.collections) == 150
    assert len(ellipses(ax)) in (4, 6)  # two for each component that has rows in the sample


def test_a_missing_value_is_drawn_where_impute_puts_it(rng, figures):
    X = clusters(rng, n=60, d=2, k=2, missing=0.2)
    model = GaussianMixture(2, random_state=0).fit(X)
    drawn = np.vstack([part.get_offsets() for part in model.plot(X).collections])
    filled = model.impute(X)
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(filled, axis=0), rtol=1e-9)
