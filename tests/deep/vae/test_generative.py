"""Filling, drawing and coding against the conditional moments of a Gaussian."""

import numpy as np
import pytest

import lowdim
from tests.deep.vae.generated_rows import linear, own_gaussian, planes

torch = pytest.importorskip("torch")


def test_filled_values_and_draws_have_the_conditional_moments_of_the_gaussian():
    _, new = planes()
    model = linear("column")
    mean, W, variance = own_gaussian(model)
    C = W @ W.T + np.diag(variance)
    holes = new[:60].copy()
    holes[:, 1] = np.nan
    o = np.array([0, 2, 3, 4, 5])
    gain = C[1, o] @ np.linalg.inv(C[np.ix_(o, o)])
    expected = mean[1] + (new[:60][:, o] - mean[o]) @ gain
    std = np.sqrt(C[1, 1] - gain @ C[o, 1])
    filled, spread = model.impute(holes, return_std=True, n_samples=2000)
    assert np.sqrt(np.mean((filled[:, 1] - expected) ** 2)) < 0.15 * std
    assert np.mean(spread[:, 1]) == pytest.approx(std, rel=0.1)
    draws = model.draw_imputations(holes, 40, n_samples=400)[:, :, 1]
    assert np.mean(draws - expected) == pytest.approx(0.0, abs=0.15 * std)
    assert np.mean((draws - expected) ** 2) == pytest.approx(std**2, rel=0.2)


@pytest.mark.parametrize("given", [0, 3])
def test_draws_of_rows_that_are_all_alike_have_the_conditional_moments(given):
    model = linear("column")
    mean, W, variance = own_gaussian(model)
    C = W @ W.T + np.diag(variance)
    rows = np.full((4000, 6), np.nan)
    rows[:, given] = mean[given] + np.sqrt(C[given, given])
    (draws,) = model.draw_imputations(rows, 1, random_state=0)
    gain = C[:, given] / C[given, given]
    std = np.sqrt(np.maximum(np.diag(C) - gain * C[given], 1e-12))
    away = np.delete((draws - mean - gain * (rows[0, given] - mean[given])) / std, given, axis=1)
    np.testing.assert_allclose(away.mean(axis=0), 0.0, atol=0.08)
    np.testing.assert_allclose(away.std(axis=0), 1.0, atol=0.06)


def test_new_rows_have_the_moments_of_the_gaussian():
    model = linear("column")
    mean, W, variance = own_gaussian(model)
    drawn = model.sample(20_000, random_state=1)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.T), W @ W.T + np.diag(variance), atol=0.12)


def test_a_row_with_nothing_observed_gets_the_prior():
    model = linear("shared")
    nothing = np.full((1, 6), np.nan)
    Z, std = model.transform(nothing, return_std=True)
    np.testing.assert_array_equal(Z, 0.0)
    np.testing.assert_allclose(std, 1.0)
    assert model.score_samples(nothing) == pytest.approx(0.0, abs=1e-9)


def test_a_row_with_nothing_observed_gets_the_moments_of_a_mixture(rng):
    X = np.concatenate([rng.normal(size=(60, 3)) - 4.0, rng.normal(size=(30, 3)) + 4.0])
    model = lowdim.VAE(1, prior="mixture", n_clusters=2, hidden=(8,), max_iter=10, random_state=0)
    model.fit(X)
    nothing = np.full((1, 3), np.nan)
    w = {
        name[6:]: value.astype(float) for name, value in model.weights_.items() if "prior." in name
    }
    share = np.exp(w["logits"]) / np.exp(w["logits"]).sum()
    mean = share @ w["means"][:, 0]
    variance = share @ (np.exp(2 * w["log_std"]) + w["means"][:, 0] ** 2) - mean**2
    Z, std = model.transform(nothing, return_std=True)
    assert (Z[0, 0], std[0, 0]) == (pytest.approx(mean, abs=1e-5), pytest.approx(variance**0.5))
    assert model.score_samples(nothing) == 0.0  # nothing is certain
    np.testing.assert_allclose(model.predict_proba(nothing, y=None)[0], share, atol=0.1)
