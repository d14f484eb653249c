"""Mixtures of factor analyzers: against brute force, one cluster's closed form, planted truths."""

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import lowdim
from lowdim.mixture.collapse import CollapsedComponentWarning
from lowdim.mixture.factor_analyzers import (
    FactorAnalyzersParams,
    MixtureOfFactorAnalyzers,
    expectation_with_std,
    log_joint,
    statistics,
    update,
)
from lowdim.mixture.factor_prior import in_data, prior_of, shortage
from lowdim.mixture.methods import log_density

NOISE = pytest.mark.parametrize(
    "noise",
    [
        {},
        {"shared_noise": False},
        {"isotropic": True},
        {"isotropic": True, "shared_noise": False},
    ],
    ids=["shared", "own", "isotropic", "own isotropic"],
)


def planted(rng, n=400, d=5, k=1, n_clusters=2, noise=0.3, apart=4.0):
    """Rows of a mixture, their clusters, and the mixture."""
    means = apart * np.eye(n_clusters, d) * np.sqrt(d) + rng.normal(size=(n_clusters, d))
    W = rng.normal(size=(n_clusters, d, k))
    mixture = FactorAnalyzersParams(
        np.full(n_clusters, 1 / n_clusters), means, W, np.full((n_clusters, d), noise**2)
    )
    labels = rng.integers(n_clusters, size=n)
    X = means[labels] + np.einsum("ifj,ij->if", W[labels], rng.normal(size=(n, k)))
    return X + noise * rng.normal(size=(n, d)), labels, mixture


def with_missing(rng, X, share=0.2):
    hidden = rng.random(X.shape) < share
    hidden[:2] = False
    return np.where(hidden, np.nan, X)


def fit_some(X, n_clusters=2, k=1, weight=None, **arguments):
    """A fit of exactly 8 iterations: two that do the same differ by rounding alone."""
    settings = {"tol": 0, "max_iter": 8, "random_state": 0, **arguments}
    return MixtureOfFactorAnalyzers(n_clusters, k, **settings).fit(X, sample_weight=weight)


def assert_same_mixture(one, other, atol=1e-8):
    for name in ("weights_", "means_", "noise_variance_"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=atol)
    for W, V in zip(one.components_, other.components_, strict=True):
        np.testing.assert_allclose(W.T @ W, V.T @ V, atol=atol)


# ---- golden values, by brute force ---------------------------------------------------------------


def brute_joint(X, mixture):
    """log weight + log N over the observed entries, from the full covariances."""
    joint = np.empty((len(X), len(mixture.weights)))
    for j, (mean, W, noise) in enumerate(mixture.models):
        C = W @ W.T + np.diag(noise)
        for i, x in enumerate(X):
            o = ~np.isnan(x)
            density = multivariate_normal(mean[o], C[np.ix_(o, o)]).logpdf(x[o]) if o.any() else 0.0
            joint[i, j] = np.log(mixture.weights[j]) + density
    return joint


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_densities_are_those_of_the_full_covariances(missing, rng):
    X, _, mixture = planted(rng, n=20)
    X = with_missing(rng, X, missing)
    X[3] = np.nan if missing else X[3]
    joint = brute_joint(X, mixture)
    np.testing.assert_allclose(log_joint(X, mixture), joint, rtol=1e-9)
    np.testing.assert_allclose(
        log_density(X, log_joint, (mixture,)), np.log(np.exp(joint).sum(axis=1))
    )


def test_filled_values_are_the_conditional_expectation_of_the_mixture(rng):
    X, _, mixture = planted(rng, n=30, apart=0.5)
    X = with_missing(rng, X, 0.4)
    filled, std = expectation_with_std(X, mixture)
    joint = brute_joint(X, mixture)
    resp = np.exp(joint - joint.max(axis=1, keepdims=True))
    resp /= resp.sum(axis=1, keepdims=True)
    for x, r, fill, sd in zip(X, resp, filled, std, strict=True):
        o, h = ~np.isnan(x), np.isnan(x)
        first, second = np.zeros(h.sum()), np.zeros(h.sum())
        for weight, (mean, W, noise) in zip(r, mixture.models, strict=True):
            C = W @ W.T + np.diag(noise)
            gain = np.linalg.solve(C[np.ix_(o, o)], C[np.ix_(o, h)]).T
            m = mean[h] + gain @ (x[o] - mean[o])
            first += weight * m
            second += weight * (np.diag(C[np.ix_(h, h)] - gain @ C[np.ix_(o, h)]) + m**2)
        np.testing.assert_allclose(fill[h], first, atol=1e-9)
        np.testing.assert_allclose(sd[h], np.sqrt(second - first**2), atol=1e-6)
        np.testing.assert_array_equal(fill[o], x[o])
        assert not sd[o].any()


# ---- the derivation ------------------------------------------------------------------------------


@NOISE
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.filterwarnings("ignore:.*clusters collapsed")  # a third cluster of two may
def test_the_objective_never_rises(noise, missing, rng):
    X, _, _ = planted(rng, n=150, apart=1.0)
    model = fit_some(with_missing(rng, X, missing), 3, 2, max_iter=40, **noise)
    assert len(model.history_) == 40
    assert np.all(np.diff(model.history_) <= 1e-10)
    assert model.lower_bound_ == -model.history_[-1]


@NOISE
def test_updates_come_to_rest_in_a_minimum(noise, rng):
    X, labels, mixture = planted(rng, n=120)
    t = shortage(2, 1, 120)
    prior = prior_of(X - X.mean(axis=0), np.ones(120), labels, 1, "isotropic" in noise, t, rng)
    prior = in_data(prior, X.mean(axis=0), np.ones(5))
    noise = {"shared_noise": True, "isotropic": False, **noise}

    def J(mixture):
        sums = statistics(X, mixture, None)
        return sums.objective + update(sums, mixture, prior, least_noise=1e-9, **noise)[1]

    for _ in range(800):
        mixture, _ = update(statistics(X, mixture, None), mixture, prior, least_noise=1e-9, **noise)
    lowest = J(mixture)
    for f in range(3):  # nearby mixtures are worse
        for change in (-0.02, 0.02):
            bump = np.zeros_like(mixture.means)
            bump[0, f] = change
            assert J(mixture._replace(means=mixture.means + bump)) > lowest
            assert J(mixture._replace(W=mixture.W + bump[:, :, None])) > lowest
            assert J(mixture._replace(noise=mixture.noise * (1 + change))) > lowest


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_row_of_weight_two_is_a_row_twice_in_any_order(missing, rng):
    X, _, _ = planted(rng, n=80)
    X = with_missing(rng, X, missing)
    weight = rng.integers(0, 3, size=80)
    weight[:2] = 1
    repeated = np.repeat(X, weight, axis=0)
    one = fit_some(X, weight=weight)
    other = fit_some(repeated[rng.permutation(len(repeated))])
    assert_same_mixture(one, other)
    assert one.score(X, sample_weight=weight) == pytest.approx(other.score(repeated))


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_memory_stream_and_dask_agree(missing, rng):
    da = pytest.importorskip("dask.array")
    X, _, _ = planted(rng, n=90)
    X = with_missing(rng, X, missing)
    reference = fit_some(X)
    assert_same_mixture(reference, fit_some(lowdim.stream(lambda: iter(np.split(X, [7, 50, 51])))))
    chunked = da.from_array(X, chunks=(40, 5))
    model = fit_some(chunked)
    assert_same_mixture(reference, model)
    np.testing.assert_allclose(np.asarray(model.impute(chunked)), reference.impute(X), atol=1e-8)


def test_units_of_columns_do_not_matter(rng):
    X, _, _ = planted(rng, n=150)
    units = np.array([1e-3, 1.0, 1e3, 10.0, 0.1])
    plain, scaled = fit_some(X), fit_some(X * units)
    np.testing.assert_allclose(scaled.means_, plain.means_ * units, rtol=1e-7)
    np.testing.assert_allclose(scaled.noise_variance_, plain.noise_variance_ * units**2, rtol=1e-6)
    np.testing.assert_array_equal(scaled.predict(X * units), plain.predict(X))


@pytest.mark.parametrize("factor", [1e150, 1e-150])
def test_huge_and_tiny_values_are_learned_from(factor, rng):
    X, _, _ = planted(rng, n=150)
    plain, scaled = fit_some(X), fit_some(X * factor)
    np.testing.assert_allclose(scaled.means_ / factor, plain.means_, rtol=1e-6)
    np.testing.assert_array_equal(scaled.predict(X * factor), plain.predict(X))


@pytest.mark.parametrize("far", [2.0**650, 2.0**-650])  # about 1e196; rounds nothing
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_densities_of_huge_and_tiny_values_are_those_of_plain_ones(missing, far, rng):
    X = with_missing(rng, planted(rng, n=100)[0], missing)
    plain, scaled = fit_some(X), fit_some(X * far)
    expected = plain.score_samples(X) - (~np.isnan(X)).sum(axis=1) * np.log(far)
    np.testing.assert_allclose(scaled.score_samples(X * far), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scaled.impute(X * far) / far, plain.impute(X), rtol=1e-9)
    np.testing.assert_allclose(scaled.transform(X * far), plain.transform(X), atol=1e-9)
    drawn = scaled.sample(5, random_state=0)[0] / far
    np.testing.assert_allclose(drawn, plain.sample(5, random_state=0)[0], rtol=1e-9)


def test_float32_stays_float32(rng):
    X = planted(rng)[0].astype(np.float32)
    model = fit_some(X)
    for name in ("weights_", "means_", "components_", "noise_variance_"):
        assert getattr(model, name).dtype == np.float32
    results = model.transform(X), model.impute(X), model.predict_proba(X), model.sample(3)[0]
    assert all(result.dtype == np.float32 for result in results)


# ---- two roads, one result -----------------------------------------------------------------------


def test_one_isotropic_cluster_is_probabilistic_pca(rng):
    X, _, _ = planted(rng, k=2)
    model = MixtureOfFactorAnalyzers(1, 2, isotropic=True, tol=1e-13, max_iter=5000).fit(X)
    reference = lowdim.ProbabilisticPCA(2).fit(X)
    assert model.score(X) == pytest.approx(reference.score(X), abs=1e-8)
    np.testing.assert_allclose(model.noise_variance_, reference.noise_variance_, rtol=1e-3)


def test_one_cluster_is_factor_analysis(rng):
    X, _, _ = planted(rng, n=1000, d=8, k=1, n_clusters=1, noise=0.7)
    model = MixtureOfFactorAnalyzers(1, 1, tol=1e-12, max_iter=5000).fit(X)
    reference = lowdim.FactorAnalysis(1, tol=1e-9).fit(X)
    assert model.score(X) == pytest.approx(reference.score(X), abs=1e-6)


def test_the_best_of_several_starts_is_kept(rng):
    X, _, _ = planted(rng, n=120, n_clusters=4, apart=1.0)
    one, several = (fit_some(X, 4, max_iter=30, n_init=n_init) for n_init in (1, 4))
    assert several.lower_bound_ >= one.lower_bound_
    assert several.n_iter_ == len(several.history_)


# ---- a planted truth -----------------------------------------------------------------------------


@NOISE
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_planted_clusters_are_found(noise, missing, rng):
    X, labels, truth = planted(rng, n=900, n_clusters=3)
    incomplete = with_missing(rng, X, missing)
    model = MixtureOfFactorAnalyzers(3, 1, random_state=0, **noise).fit(incomplete)
    assert adjusted_rand_score(labels, model.predict(X)) > 0.98
    # the likelihood is the highest for complete rows, and not far from it for incomplete rows
    assert model.score(X) > log_density(X, log_joint, (truth,)).mean() - (0.05 if missing else 0.0)
    # the median: the noise of a column that the factor follows nearly alone is not well known
    assert np.median(model.noise_variance_) == pytest.approx(0.09, abs=0.02)


@NOISE
@pytest.mark.parametrize("kind", ["noise", "factors", "clusters", "rare values"])
@pytest.mark.filterwarnings("ignore:.*clusters collapsed")  # of five among four, one has no rows
def test_values_filled_in_small_wide_tables_are_no_worse_than_means(kind, noise, rng):
    n, d = 30, 25
    X = rng.normal(size=(n, d))
    if kind == "factors":
        X += 2.0 * rng.normal(size=(n, 2)) @ rng.normal(size=(2, d))
    if kind == "clusters":
        X += 3.0 * rng.normal(size=(4, d))[rng.integers(4, size=n)]
    if kind == "rare values":  # as the corners of pictures: columns that hardly ever vary
        X[:, ::2] = np.where(rng.random((n, 13)) < 0.1, 5.0, 0.01) * rng.random((n, 13))
    hidden = rng.random(X.shape) < 0.15
    incomplete = np.where(hidden, np.nan, X)
    unit = np.nanstd(incomplete, axis=0)
    from_means = np.square((np.nanmean(incomplete, axis=0) - X) / unit)[hidden].mean()
    for n_clusters, k in ((2, 3), (4, 1), (5, 5)):
        model = MixtureOfFactorAnalyzers(n_clusters, k, random_state=0, tol=1e-3, **noise)
        from_model = np.square((model.fit(incomplete).impute(incomplete) - X) / unit)[hidden].mean()
        # the mixture may be wrong about noise, but by no more than the columns' size
        assert np.sqrt(from_model) < 2.0 * np.sqrt(from_means)


@pytest.mark.parametrize("kind", ["near-constant columns", "duplicated rows", "clusters of few"])
@pytest.mark.filterwarnings("ignore:.*clusters collapsed", "ignore:.*stopped after 20 iterations")
def test_new_rows_of_small_wide_tables_are_filled_no_worse_than_by_means(kind, rng):
    n, d = 24, 60
    centers, labels = 3.0 * rng.normal(size=(5, d)), rng.integers(5, size=2 * n)
    X = centers[labels] + rng.normal(size=(2 * n, 2)) @ rng.normal(size=(2, d))
    X += 0.5 * rng.normal(size=X.shape)
    if kind == "near-constant columns":
        X[:, ::3] = 1.0 + 1e-6 * rng.normal(size=(2 * n, 20))
    if kind == "duplicated rows":
        X[n // 2 : n] = X[: n // 2]
    if kind == "clusters of few":
        X[:2] += 50.0
    seen, new = X[:n], X[n:]
    hidden = rng.random(new.shape) < 0.3
    unit = seen.std(axis=0)
    from_means = np.square((seen.mean(axis=0) - new) / unit)[hidden].mean()
    model = MixtureOfFactorAnalyzers(5, 4, random_state=0, max_iter=20, tol=1e-3).fit(seen)
    filled = model.impute(np.where(hidden, np.nan, new))
    error = np.sqrt(np.square((filled - new) / unit)[hidden].mean())
    assert error < min(3.0, 1.5 * np.sqrt(from_means))
    assert model.score(new) / d > -30.0  # log p of a value, on average


def test_intervals_of_filled_values_are_calibrated(rng):
    X, _, _ = planted(rng, n=1500, d=6, k=2, noise=0.5)
    incomplete = with_missing(rng, X, 0.15)
    model = MixtureOfFactorAnalyzers(2, 2, random_state=0).fit(incomplete)
    filled, std = model.impute(incomplete, return_std=True)
    missing = np.isnan(incomplete)
    covered = np.mean(np.abs(filled - X)[missing] <= 1.96 * std[missing])
    assert 0.92 < covered < 0.975  # 1300 entries: 0.95 +- 4 standard errors
    np.testing.assert_array_equal(filled, model.impute(incomplete))


def test_samples_look_like_the_model(rng):
    X, _, _ = planted(rng)
    model = fit_some(X)
    Y, labels = model.sample(4000, random_state=0)
    assert Y.shape == (4000, 5)
    np.testing.assert_allclose(np.bincount(labels) / 4000, model.weights_, atol=0.04)
    for j, mixture in enumerate(model._mixture()[0].models):
        C = mixture.W @ mixture.W.T + np.diag(mixture.noise)
        spread = np.sqrt(np.diag(C) / 1500)
        assert np.all(np.abs(Y[labels == j].mean(axis=0) - mixture.mean) < 6 * spread)
        np.testing.assert_allclose(np.cov(Y[labels == j].T), C, atol=0.25 * np.diag(C).max())


def test_criteria_count_the_parameters(rng):
    X, _, _ = planted(rng, n=100)
    for shared, isotropic, expected in [
        (True, False, 1 + 2 * 5 + 2 * (10 - 1) + 5),
        (False, False, 1 + 2 * 5 + 2 * (10 - 1) + 10),
        (True, True, 1 + 2 * 5 + 2 * (10 - 1) + 1),
        (False, True, 1 + 2 * 5 + 2 * (10 - 1) + 2),
    ]:
        model = fit_some(X, 2, 2, shared_noise=shared, isotropic=isotropic)
        loglike = 100 * model.score(X)
        assert model.aic(X) == pytest.approx(-2 * loglike + 2 * expected)
        assert model.bic(X) == pytest.approx(-2 * loglike + np.log(100) * expected)


def test_codes_are_those_of_the_winning_cluster(rng):
    X, _, _ = planted(rng)
    model = fit_some(X)
    Z, labels = model.transform(X), model.predict(X)
    np.testing.assert_array_equal(labels, model.predict_proba(X).argmax(axis=1))
    for j in range(2):
        mean, W, noise = model._mixture()[0].models[j]
        B = np.linalg.solve(np.eye(1) + (W.T / noise) @ W, W.T / noise)
        np.testing.assert_allclose(Z[labels == j], (X[labels == j] - mean) @ B.T, atol=1e-10)
    assert not hasattr(model, "inverse_transform")


# ---- the door ------------------------------------------------------------------------------------


def test_a_cluster_that_sits_on_a_point_is_kept_from_shrinking_and_named(rng):
    X = np.vstack([rng.normal(size=(50, 3)), np.full((10, 3), 5.0)])
    with pytest.warns(CollapsedComponentWarning, match="1 of 2 clusters collapsed"):
        model = fit_some(X, shared_noise=False, max_iter=100, reg_noise=0.05)
    assert np.isfinite(model.score(X))
    assert np.all(model.noise_variance_ > 0)


def test_a_cluster_that_sits_on_a_point_has_noise_from_the_others(rng):
    X = np.vstack([rng.normal(size=(50, 3)), np.full((10, 3), 20.0)])
    model = fit_some(X, shared_noise=False, max_iter=100)
    # t = 16 / 60, 2 t rows of the pooled model among 10: at least 0.1 t of a variance of 56 each
    assert np.all(model.noise_variance_ > 0.05 * 0.1 * 0.27 * 56)
    assert set(model.predict(X)[50:]) != set(model.predict(X)[:50])


def test_more_clusters_than_different_rows_are_fitted(rng):
    X = np.repeat(rng.normal(size=(3, 4)), 10, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollapsedComponentWarning)
        model = fit_some(X, 5)
    assert np.isfinite(model.means_).all()
    assert np.isfinite(model.score(X))


def test_bad_input_is_refused_with_a_reason(rng):
    X, _, _ = planted(rng, n=20)
    with pytest.raises(ValueError, match="n_components=6 is more than the 5 columns of X"):
        MixtureOfFactorAnalyzers(2, 6).fit(X)
    with pytest.raises(ValueError, match="n_clusters=21 is more than the 20 rows of X"):
        MixtureOfFactorAnalyzers(21).fit(X)
    with pytest.raises(ValueError, match=r"no observed value in 1 of 5 columns \(2\)"):
        MixtureOfFactorAnalyzers(2).fit(np.where(np.arange(5) == 2, np.nan, X))
    with pytest.raises(ValueError, match="infinity"):
        MixtureOfFactorAnalyzers(2).fit(np.where(np.arange(5) == 2, np.inf, X))
    with pytest.raises(ValueError, match="n_samples=0 is too small"):
        fit_some(X).sample(0)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations"):
        MixtureOfFactorAnalyzers(2, max_iter=2, tol=1e-12).fit(X)
