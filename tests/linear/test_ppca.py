"""Probabilistic PCA: the closed form, EM with missing values, and honest uncertainty."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import lowdim
from lowdim import PCA, ProbabilisticPCA


def planted(rng, n=1000, d=8, k=2, noise=0.5):
    W = rng.normal(size=(d, k)) * np.linspace(3.0, 2.0, k)
    X = rng.normal(size=(n, k)) @ W.T + noise * rng.normal(size=(n, d)) + 4.0
    return X, W


def test_two_columns_and_one_factor_have_the_solution_worked_out_by_hand():
    # covariance diag(4, 1) divided by n: noise 1, W = (sqrt(4 - 1), 0)
    X = np.array([[2.0, 1.0], [-2.0, 1.0], [2.0, -1.0], [-2.0, -1.0]])
    model = ProbabilisticPCA(1).fit(X)
    assert model.noise_variance_ == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(model.W_, [[np.sqrt(3)], [0.0]], atol=1e-12)
    # E[z | x] = W'(x - mean) / (W'W + noise) = sqrt(3) x_1 / 4
    np.testing.assert_allclose(model.transform([[2.0, 7.0]]), [[np.sqrt(3) / 2]], atol=1e-12)


def test_the_closed_form_is_a_maximum_of_the_likelihood(rng):
    X, _ = planted(rng)
    model = ProbabilisticPCA(2).fit(X)
    best = model.score(X)
    for _ in range(10):
        other = ProbabilisticPCA(2).fit(X)
        other.components_ = model.components_ + 0.05 * rng.normal(size=(2, 8))
        other.noise_variance_ = model.noise_variance_ * np.exp(0.1 * rng.normal())
        assert other.score(X) < best
    assert model.loglike_ == pytest.approx(best * 1000, rel=1e-10)


def test_score_is_the_gaussian_log_density(rng):
    X, _ = planted(rng, n=50)
    model = ProbabilisticPCA(2).fit(X)
    exact = multivariate_normal(model.mean_, model.get_covariance()).logpdf(X)
    np.testing.assert_allclose(model.score_samples(X), exact, rtol=1e-9)
    np.testing.assert_allclose(model.get_precision() @ model.get_covariance(), np.eye(8), atol=1e-9)


def test_it_spans_the_axes_of_pca(rng):
    X, _ = planted(rng)
    ppca, pca = ProbabilisticPCA(2).fit(X), PCA(2).fit(X)
    unit = ppca.components_ / np.linalg.norm(ppca.components_, axis=1, keepdims=True)
    np.testing.assert_allclose(unit, pca.components_, atol=1e-9)


def test_em_with_one_missing_value_ends_near_the_closed_form(rng):
    X, _ = planted(rng, n=300)
    incomplete = X.copy()
    incomplete[0, 0] = np.nan
    closed, em = ProbabilisticPCA(2).fit(X), ProbabilisticPCA(2, random_state=0).fit(incomplete)
    # one entry of 2400 is missing: the difference is of that order
    np.testing.assert_allclose(em.components_, closed.components_, atol=0.02)
    assert em.noise_variance_ == pytest.approx(closed.noise_variance_, rel=0.01)


def test_the_likelihood_of_observed_entries_never_falls(rng):
    X, _ = planted(rng, n=200)
    X[rng.random(X.shape) < 0.3] = np.nan
    history = ProbabilisticPCA(2, random_state=0).fit(X).history_
    assert len(history) > 3
    assert np.all(np.diff(history) <= 1e-12 * abs(history[0]))


def test_intervals_cover_what_was_held_out(rng):
    X, _ = planted(rng, n=3000)
    absent = rng.random(X.shape) < 0.3
    incomplete = np.where(absent, np.nan, X)
    filled, std = (
        ProbabilisticPCA(2, random_state=0).fit(incomplete).impute(incomplete, return_std=True)
    )
    covered = np.abs(filled - X)[absent] <= 1.96 * std[absent]
    assert 0.93 < covered.mean() < 0.97  # 7200 entries: standard error 0.0026
    np.testing.assert_array_equal(filled[~absent], X[~absent])


def test_codes_of_rows_with_missing_are_less_certain(rng):
    X, _ = planted(rng)
    model = ProbabilisticPCA(2).fit(X)
    rows = X[:1].repeat(2, axis=0)
    rows[1, :6] = np.nan
    _, std = model.transform(rows, return_std=True)
    assert (std[1] > std[0]).all()
    _, prior = model.transform(np.full((1, 8), np.nan), return_std=True)
    np.testing.assert_allclose(prior, 1.0, rtol=1e-12)  # nothing observed: z ~ N(0, I)


def test_sampled_rows_have_the_models_covariance(rng):
    X, _ = planted(rng)
    model = ProbabilisticPCA(2).fit(X)
    sample = model.sample(100_000, random_state=0)
    size = np.abs(model.get_covariance()).max()
    # standard error of a covariance: size sqrt(2 / 1e5)
    np.testing.assert_allclose(np.cov(sample.T), model.get_covariance(), atol=0.025 * size)


def test_weights_are_repetitions(rng):
    X, _ = planted(rng, n=100)
    weight = rng.integers(0, 3, size=100)
    weighted = ProbabilisticPCA(2).fit(X, sample_weight=weight)
    repeated = ProbabilisticPCA(2).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-9)
    assert weighted.noise_variance_ == pytest.approx(repeated.noise_variance_, rel=1e-9)


def test_exactly_flat_data_keep_a_density(rng):
    X = rng.normal(size=(50, 1)) @ rng.normal(size=(1, 4))
    model = ProbabilisticPCA(1).fit(X)
    assert np.isfinite(model.score(X))
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-6)


def test_streams_agree(rng):
    X, _ = planted(rng)
    streamed = ProbabilisticPCA(2).fit(lowdim.stream(lambda: iter(np.split(X, [100, 350]))))
    np.testing.assert_allclose(
        streamed.components_, ProbabilisticPCA(2).fit(X).components_, atol=1e-9
    )


def test_as_many_components_as_columns_are_refused(rng):
    with pytest.raises(ValueError, match="n_components=8 is more than the 7 columns of X less one"):
        ProbabilisticPCA(8).fit(planted(rng)[0])
