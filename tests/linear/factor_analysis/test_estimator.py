"""Factor analysis: the lecture's example, planted loadings, missing values."""

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.decomposition import FactorAnalysis as ScikitFactorAnalysis

import lowdim
from lowdim import FactorAnalysis
from lowdim.linear.factor_analysis import HeywoodWarning
from tests.linear.factor_analysis.tables import planted

# ---- golden values -------------------------------------------------------------------------------


def test_iris_reaches_the_best_known_likelihood_and_warns_of_its_heywood_case():
    X = load_iris().data - load_iris().data.mean(axis=0)
    with pytest.warns(HeywoodWarning, match="noise variance of 2 of 4 columns ran to 0"):
        model = FactorAnalysis(2).fit(X)
    assert model.loglike_[-1] >= -389.11  # scikit-learn stops at -389.88
    assert model.score(X) * 150 == pytest.approx(model.loglike_[-1], abs=1e-3)
    # the maximum that the lecture notes approach: their printed varimax loadings
    rotated = lowdim.rotate(model.components_.T, "varimax")
    np.testing.assert_allclose(np.abs(rotated.loadings[0]), [0.756, 0.0], atol=0.02)
    np.testing.assert_allclose(np.sum(rotated.loadings**2, axis=0), [3.916, 0.473], atol=0.02)


# ---- two roads -----------------------------------------------------------------------------------


def test_scikit_learn_climbs_to_the_same_maximum(rng):
    X, _, _ = planted(rng)
    ours = FactorAnalysis(2).fit(X)
    theirs = ScikitFactorAnalysis(2, tol=1e-8, max_iter=5000, svd_method="lapack").fit(X)
    assert ours.score(X) >= theirs.score(X) - 1e-7
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, atol=1e-3)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-3)
    np.testing.assert_allclose(
        np.abs(ours.transform(X[:5])), np.abs(theirs.transform(X[:5])), atol=2e-3
    )


def test_score_is_the_gaussian_log_density(rng):
    X, _, _ = planted(rng)
    model = FactorAnalysis(2).fit(X)
    exact = multivariate_normal(model.mean_, model.get_covariance()).logpdf(X)
    np.testing.assert_allclose(model.score_samples(X), exact, rtol=1e-9)


# ---- properties ----------------------------------------------------------------------------------


def test_units_do_not_matter(rng):
    X, _, _ = planted(rng)
    unit = 10.0 ** rng.integers(-3, 4, size=10)
    plain, scaled = FactorAnalysis(2, tol=1e-8).fit(X), FactorAnalysis(2, tol=1e-8).fit(X * unit)
    np.testing.assert_allclose(scaled.noise_variance_ / unit**2, plain.noise_variance_, rtol=1e-5)
    np.testing.assert_allclose(
        np.abs(scaled.components_ / unit), np.abs(plain.components_), atol=1e-4
    )


@pytest.mark.parametrize(
    "rotation", ["varimax", "quartimax", "equamax", "ordered", "lower", "oblimin", "promax"]
)
def test_rotations_change_loadings_and_codes_but_not_the_model(rng, rotation):
    X, _, _ = planted(rng, k=3)
    plain = FactorAnalysis(3).fit(X)
    rotated = FactorAnalysis(3, rotation=rotation).fit(X)
    np.testing.assert_allclose(rotated.get_covariance(), plain.get_covariance(), atol=1e-8)
    np.testing.assert_allclose(rotated.score_samples(X), plain.score_samples(X), rtol=1e-9)
    L, phi = rotated.components_, rotated.factor_correlations_
    common = plain.components_.T @ plain.components_
    np.testing.assert_allclose(L.T @ phi @ L, common, atol=1e-8)
    np.testing.assert_allclose(
        rotated.inverse_transform(rotated.transform(X)),
        plain.inverse_transform(plain.transform(X)),
        atol=1e-8,
    )
    if rotation == "lower":
        np.testing.assert_allclose(np.triu(L.T[:3], 1), 0.0, atol=1e-10)


@pytest.mark.filterwarnings("ignore:FactorAnalysis did not converge")  # theirs, in some seeds
def test_scikit_learns_varimax_is_not_simpler_than_ours_without_kaiser(rng):
    X, _, _ = planted(rng, n=1000, k=3)
    ours = FactorAnalysis(3, rotation="varimax", tol=1e-8).fit(X).components_
    theirs = ScikitFactorAnalysis(3, rotation="varimax", tol=1e-4, svd_method="lapack").fit(X)

    def simplicity(components):
        return np.var(components**2, axis=1).sum()

    # theirs may be a little off where its EM has not ended
    assert simplicity(ours) > simplicity(theirs.components_) * (1 - 1e-2)


def test_weights_are_repetitions(rng):
    X, _, _ = planted(rng, n=300)
    weight = rng.integers(0, 3, size=300)
    weighted = FactorAnalysis(2, tol=1e-8).fit(X, sample_weight=weight)
    repeated = FactorAnalysis(2, tol=1e-8).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.noise_variance_, repeated.noise_variance_, atol=1e-6)


# ---- planted truth and missing values ------------------------------------------------------------


def deviations(model, W, noise):
    """Of the common covariance from the planted one, in standard deviations of the columns."""
    found, planted = model.components_.T @ model.components_, W @ W.T
    std = np.sqrt(np.diag(planted) + noise)
    return np.abs(found - planted) / np.outer(std, std)


def test_planted_noise_is_found(rng):
    X, W, noise = planted(rng, n=20_000)
    model = FactorAnalysis(2).fit(X)
    # relative standard error of a variance: sqrt(2 / 20000) = 0.01, some more for the loadings
    np.testing.assert_allclose(model.noise_variance_, noise, rtol=0.15)
    # standard error of a covariance: up to sqrt(2 / 20000) sqrt(c_ii c_jj); six of them
    assert (deviations(model, W, noise) < 0.06).all()


def test_planted_noise_is_found_behind_missing_values(rng):
    X, W, noise = planted(rng, n=5000)
    X[rng.random(X.shape) < 0.3] = np.nan
    model = FactorAnalysis(2).fit(X)
    np.testing.assert_allclose(model.noise_variance_, noise, rtol=0.3)
    # half of the pairs are observed: six standard errors of sqrt(2 / 2450)
    assert (deviations(model, W, noise) < 0.17).all()
    assert np.isfinite(model.transform(X)).all()


def test_a_few_missing_values_change_little(rng):
    X, _, _ = planted(rng)
    incomplete = X.copy()
    incomplete[:3, 0] = np.nan
    np.testing.assert_allclose(
        FactorAnalysis(2, tol=1e-4).fit(incomplete).noise_variance_,
        FactorAnalysis(2, tol=1e-4).fit(X).noise_variance_,
        rtol=0.02,
    )


def test_streams_need_one_pass(rng):
    X, _, _ = planted(rng)
    passes = 0

    def blocks():
        nonlocal passes
        passes += 1
        yield from np.array_split(X, 4)

    rows = lowdim.stream(blocks)
    passes = 0
    streamed = FactorAnalysis(2).fit(rows)
    assert passes == 2  # the pilot reads the first block, then one whole pass
    np.testing.assert_allclose(
        streamed.noise_variance_, FactorAnalysis(2).fit(X).noise_variance_, rtol=1e-8
    )


# ---- the door ------------------------------------------------------------------------------------


def test_fewer_rows_than_columns_end_at_a_stated_floor(rng):
    X = rng.normal(size=(8, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeywoodWarning)
        model = FactorAnalysis(2).fit(X)
    assert np.isfinite(model.score(X))
    assert (model.noise_variance_ >= 0.0049 * X.var(axis=0)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_components": 11}, "n_components=11 is more than the 10 columns of X"),
        ({"rotation": "spin"}, "rotation"),
        ({"noise_variance_init": np.ones(3)}, r"noise_variance_init has shape \(3,\)"),
    ],
)
def test_bad_arguments_are_named(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        FactorAnalysis(**{"n_components": 2, **arguments}).fit(planted(rng)[0])
