"""DLGM: with affine layers the Gaussian that its weights say; several layers, kinds, the door."""

import functools

import numpy as np
import pytest
import scipy.stats

import lowdim
from tests.deep.vae.generated_rows import KINDS, affine_gaussian, mixed, planes

torch = pytest.importorskip("torch")

AFFINE = {"hidden": (), "learning_rate": 0.02, "n_samples": 2, "max_iter": 40, "random_state": 0}
POSTERIORS = ["diagonal", "rank1", "full"]


@functools.cache
def affine(posterior):
    return lowdim.DLGM((2, 1), posterior=posterior, **AFFINE).fit(planes()[0])


@pytest.mark.parametrize("posterior", POSTERIORS)
def test_affine_layers_have_the_density_of_the_gaussian_they_imply(posterior):
    _, new = planes()
    model = affine(posterior)
    mean, W, noise = affine_gaussian(model)
    C = W @ W.T + np.diag(noise)
    density = scipy.stats.multivariate_normal(mean, C)
    found = model.score_samples(new[:100], n_samples=4000)
    np.testing.assert_allclose(found, density.logpdf(new[:100]), atol=0.15)
    assert np.mean(found - density.logpdf(new[:100])) == pytest.approx(0.0, abs=0.02)
    holes = new[:50].copy()
    holes[:, 2] = np.nan  # a marginal is a density of what is left
    kept = np.array([0, 1, 3, 4, 5])
    part = scipy.stats.multivariate_normal(mean[kept], C[np.ix_(kept, kept)])
    found = model.score_samples(holes, n_samples=4000)
    assert np.mean(found - part.logpdf(holes[:, kept])) == pytest.approx(0.0, abs=0.05)


def test_affine_layers_come_to_the_likelihood_of_factor_analysis_and_not_above_it():
    X, _ = planes()
    peer = lowdim.FactorAnalysis(2).fit(X)  # x^1 has two numbers, whatever is above it
    assert peer.score(X) - 0.1 < affine("diagonal").score(X) < peer.score(X) + 0.005


def test_filled_values_and_new_rows_have_the_moments_of_the_gaussian():
    _, new = planes()
    model = affine("full")
    mean, W, noise = affine_gaussian(model)
    C = W @ W.T + np.diag(noise)
    holes = new[:60].copy()
    holes[:, 1] = np.nan
    o = np.array([0, 2, 3, 4, 5])
    gain = C[1, o] @ np.linalg.inv(C[np.ix_(o, o)])
    expected = mean[1] + (new[:60][:, o] - mean[o]) @ gain
    std = np.sqrt(C[1, 1] - gain @ C[o, 1])
    filled, spread = model.impute(holes, return_std=True, n_samples=2000)
    assert np.sqrt(np.mean((filled[:, 1] - expected) ** 2)) < 0.15 * std
    assert np.mean(spread[:, 1]) == pytest.approx(std, rel=0.1)
    drawn = model.sample(20_000, random_state=1)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.T), C, atol=0.12)


def test_codes_of_all_layers_stand_side_by_side_the_bottom_one_first():
    model = affine("diagonal")
    Z, std = model.transform(planes()[1], return_std=True)
    assert Z.shape == std.shape == (400, 3)
    assert list(model.get_feature_names_out()) == ["dlgm0", "dlgm1", "dlgm2"]
    _, W, _ = affine_gaussian(model)
    unit = model.inverse_transform(np.eye(3)) - model.inverse_transform(np.zeros((1, 3)))
    np.testing.assert_allclose(unit.T, W, rtol=1e-4, atol=1e-4)
    nothing = np.full((1, 6), np.nan)
    Z, std = model.transform(nothing, return_std=True)
    np.testing.assert_array_equal(Z, 0.0)
    np.testing.assert_allclose(std, 1.0)


def test_one_layer_and_three_learn(rng):
    t = rng.uniform(-3, 3, size=(300, 1))
    X = np.hstack([np.cos(t), np.sin(t), t]) + 0.05 * rng.normal(size=(300, 3))
    for layers in (2, (2,), (3, 2, 1)):
        model = lowdim.DLGM(layers, hidden=(32,), max_iter=20, learning_rate=0.01, random_state=0)
        model.fit(X)
        assert model.history_[-1] < model.history_[0] - 0.2
        assert model.sample(5).shape == (5, 3)
        assert model.transform(X).shape == (300, np.sum(layers))


def test_kinds_of_columns_missing_values_conditions_and_images(rng):
    X, group = mixed(rng, n=80)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = lowdim.DLGM((2, 1), likelihood=KINDS, conditional=True, max_iter=2, random_state=0)
    model.fit(X, group)
    assert not np.isnan(model.impute(X, y=group)).any()
    assert np.isfinite(model.score(X, group)) and model.sample(3, y=1).shape == (3, 4)
    pictures = rng.random((40, 36))
    conv = lowdim.DLGM(
        (3, 2), likelihood="bernoulli", network="conv", binarize=True, max_iter=1, random_state=0
    )
    assert conv.fit(pictures).sample(2).shape == (2, 36)


@pytest.mark.parametrize("bad", [(), (3, 0), (2.5,), 0, "two"])
def test_sizes_of_layers_are_whole_numbers_from_1_up(bad):
    with pytest.raises(ValueError, match="n_components"):
        lowdim.DLGM(bad).fit(planes()[0])


def test_a_baseline_needs_two_draws():
    with pytest.raises(ValueError, match="gradient='reinforce' with n_samples=1"):
        lowdim.DLGM((2, 1), gradient="reinforce").fit(planes()[0])
