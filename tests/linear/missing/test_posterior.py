"""Codes, fillings and densities of rows with missing values."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from lowdim.linalg import condition
from lowdim.linear import missing
from lowdim.linear.missing import FactorModel, em, pieces, posterior, statistics
from tests.linear.missing.models import covariance, sampled, some_model, with_missing

# ---- golden values -------------------------------------------------------------------------------


# x = (z, z) + e with unit noise; of x = (2, ?) the first entry is seen. By hand:
# z | x ~ N(1, 1/2), so the second entry is N(1, 1/2 + 1); and x_1 ~ N(0, 2).
HAND = FactorModel(np.zeros(2), np.ones((2, 1)), np.ones(2))
HAND_X = np.array([[2.0, np.nan]])


def test_one_missing_value_worked_by_hand():
    Z, std = missing.encode_with_std(HAND_X, *HAND)
    np.testing.assert_allclose(Z, [[1.0]], rtol=1e-15)
    np.testing.assert_allclose(std, [[np.sqrt(0.5)]], rtol=1e-15)
    np.testing.assert_allclose(missing.expectation(HAND_X, *HAND), [[2.0, 1.0]], rtol=1e-15)
    np.testing.assert_allclose(
        missing.conditional_std(HAND_X, *HAND), [[0.0, np.sqrt(1.5)]], rtol=1e-15
    )
    np.testing.assert_allclose(
        missing.log_density(HAND_X, *HAND), -0.5 * (np.log(4 * np.pi) + 2.0), rtol=1e-15
    )


def test_a_row_without_observed_entries_has_the_prior_code_and_log_density_zero(rng):
    model = some_model(rng, 5, 2)
    X = np.full((3, 5), np.nan)
    X[1] = rng.normal(size=5)
    Z, std = missing.encode_with_std(X, *model)
    assert (Z[[0, 2]] == 0).all() and (std[[0, 2]] == 1).all()
    assert (missing.log_density(X, *model)[[0, 2]] == 0).all()
    np.testing.assert_array_equal(missing.expectation(X, *model)[0], model.mean)
    np.testing.assert_allclose(
        missing.conditional_std(X, *model)[0], np.sqrt(np.diag(covariance(model))), rtol=1e-14
    )


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, 1, 4])
def test_density_codes_and_fillings_are_those_of_the_joint_gaussian(rng, k):
    d = 6
    model = some_model(rng, d, k)
    X = with_missing(rng, sampled(rng, 30, model), 0.5)
    X[3] = np.where(np.isnan(X[3]), 0.0, X[3])  # one complete row
    C = covariance(model)
    joint = np.block([[np.eye(k), model.W.T], [model.W, C]])  # of (z, x)
    mean = np.concatenate([np.zeros(k), model.mean])
    Z, std_z = missing.encode_with_std(X, *model)
    filled, std_x = missing.expectation(X, *model), missing.conditional_std(X, *model)
    density = missing.log_density(X, *model)
    for i, x in enumerate(X):
        o = np.flatnonzero(~np.isnan(x))
        if not len(o):
            continue
        rest = condition(mean, joint, k + o, x[o])
        std = np.sqrt(np.diag(rest.covariance))
        np.testing.assert_allclose(Z[i], rest.mean[:k], atol=1e-10)
        np.testing.assert_allclose(std_z[i], std[:k], atol=1e-10)
        np.testing.assert_allclose(filled[i][np.isnan(x)], rest.mean[k:], atol=1e-10)
        np.testing.assert_allclose(std_x[i][np.isnan(x)], std[k:], atol=1e-10)
        expected = multivariate_normal(model.mean[o], C[np.ix_(o, o)]).logpdf(x[o])
        assert density[i] == pytest.approx(expected, abs=1e-10)


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
def test_what_is_said_of_a_row_does_not_depend_on_the_rows_beside_it(rng, share, monkeypatch):
    """Rows with the same missing values are worked on together, and large blocks in parts."""
    d, k = 5, 2
    model = some_model(rng, d, k)
    X = with_missing(rng, sampled(rng, 120, model), share)
    X[20:80, 3] = np.nan  # a pattern that many rows share
    monkeypatch.setattr(posterior, "SHARED_WORK", 250)
    monkeypatch.setattr(pieces, "PART_BYTES", 2**13)
    for module in (em, posterior):
        monkeypatch.setattr(module, "pieces", lambda d, numbers: (slice(0, 2), slice(2, d)))
    assert any(shared for _, shared in posterior._rows_together(~np.isnan(X), k))
    together = statistics(X, *model)
    one_by_one = [statistics(X[i : i + 1], *model) for i in range(120)]
    for sums, parts in zip(together, zip(*one_by_one, strict=True), strict=True):
        np.testing.assert_allclose(sums, sum(parts), rtol=1e-11, atol=1e-11)
    for function in (
        missing.encode,
        missing.expectation,
        missing.conditional_std,
        missing.log_density,
    ):
        alone = np.concatenate([function(X[i : i + 1], *model) for i in range(120)])
        np.testing.assert_allclose(function(X, *model), alone, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("d", "k"), [(5, 2), (61, 7)])
def test_apart_what_is_said_of_a_row_is_the_same_to_the_bit(rng, d, k, monkeypatch):
    model = some_model(rng, d, k)
    X = with_missing(rng, sampled(rng, 120, model), 0.2)
    X[20:80] = np.where(np.isnan(X[20]), np.nan, sampled(rng, 60, model))  # one pattern
    monkeypatch.setattr(posterior, "SHARED_WORK", 250)
    monkeypatch.setattr(pieces, "PART_BYTES", 2**13)
    for function in (missing.expectation, missing.conditional_std):
        together = function(X, *model, apart=True)
        alone = [function(X[i : i + 1], *model, apart=True) for i in range(120)]
        np.testing.assert_array_equal(together, np.concatenate(alone))
        np.testing.assert_allclose(together, function(X, *model), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_observed_entries_stay_bit_for_bit_and_results_have_the_dtype_of_the_rows(rng, dtype):
    model = some_model(rng, 5, 2)
    X = with_missing(rng, sampled(rng, 50, model), 0.3).astype(dtype)
    X.flags.writeable = False
    seen = ~np.isnan(X)
    filled, std = missing.expectation(X, *model), missing.conditional_std(X, *model)
    assert filled.dtype == std.dtype == dtype
    assert all(codes.dtype == dtype for codes in missing.encode_with_std(X, *model))
    np.testing.assert_array_equal(filled[seen], X[seen])
    assert np.isfinite(filled).all()
    assert (std[seen] == 0).all() and (std[~seen] > 0).all()
    assert not np.shares_memory(missing.expectation(np.ascontiguousarray(X[:1] * 0), *model), X)


def test_noise_of_zero_is_read_as_a_tiny_part_of_the_signal(rng):
    W = rng.normal(size=(6, 2))
    x = W @ rng.normal(size=2)
    X = np.where(np.arange(6) < 3, x, np.nan)[None, :]
    for noise in (0.0, 1e-300):
        filled = missing.expectation(X, np.zeros(6), W, np.full(6, noise))
        np.testing.assert_allclose(filled[0], x, atol=1e-3 * np.abs(x).max())
