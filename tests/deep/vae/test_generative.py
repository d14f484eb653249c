"""Filling, drawing and coding against the conditional moments of a Gaussian."""

import numpy as np
import pytest

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
