import numpy as np
import pytest
import scipy.sparse as sp

from lowdim import NMF
from lowdim.linalg.entries import observed
from lowdim.linear.nmf.codes import Coding, encode
from lowdim.linear.nmf.objective import Penalty
from lowdim.linear.nmf.uncertainty import (
    MOST_ROWS,
    Noise,
    covariances,
    learned_noise,
    sample_of,
    spread_of,
)

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def example(rng, beta, n=300, d=20, k=3):
    Y = rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, d)) + 0.5
    X = rng.poisson(Y).astype(float) if beta == 1.0 else Y + 0.3 * rng.normal(size=Y.shape)
    X = np.maximum(X, 0.0)
    return X, np.where(rng.random(X.shape) < 0.2, np.nan, X)


@quietly
@pytest.mark.parametrize("how", [{}, {"solver": "mu", "beta_loss": 1.0}], ids=str)
def test_errors_of_filled_entries_are_as_large_as_is_said(how, rng):
    truth, X = example(rng, how.get("beta_loss", 2.0))
    filled, std = NMF(3, max_iter=300, **how).fit(X).impute(X, return_std=True)
    gone = np.isnan(X)
    z = (filled - truth)[gone] / std[gone]
    # 1200 entries: the root mean square of standardised errors is good to some percent; the rest
    # is what local minima and few entries of a row do
    assert 0.7 < np.sqrt(np.mean(z**2)) < 1.4
    assert (std[~gone] == 0).all()


@quietly
def test_counts_are_less_certain_where_they_are_large(rng):
    _, X = example(rng, 1.0)
    filled, std = NMF(3, solver="mu", beta_loss=1.0, max_iter=300).fit(X).impute(X, return_std=True)
    gone = np.isnan(X)
    large = filled[gone] > np.quantile(filled[gone], 0.8)
    assert std[gone][large].mean() > 1.3 * std[gone][~large].mean()


def test_a_row_that_has_observed_less_is_less_certain(rng):
    _, X = example(rng, 2.0)
    model = NMF(3).fit(X)
    rows = np.repeat(X[:1], 3, axis=0)
    rows[:] = 1.0
    rows[0, 0] = rows[1, :10] = rows[2] = np.nan
    std = model.impute(rows, return_std=True)[1]
    assert std[0, 0] <= std[1, 0] <= std[2, 0]


@quietly
@pytest.mark.parametrize("how", [{}, {"solver": "mu", "beta_loss": 1.0}], ids=["squares", "counts"])
@pytest.mark.parametrize("fixed", [1, 2, 6])
def test_as_many_parts_as_columns_leave_what_is_missing_uncertain(how, fixed):
    X = np.random.default_rng(fixed).poisson(2.0, size=(5, 4)).astype(float)
    X[0, 1] = np.nan
    model = NMF(4, init="random", random_state=0, max_iter=300, **how).fit(X)
    filled, std = model.impute(X, return_std=True)
    assert np.isfinite(filled).all()
    assert np.isfinite(std).all() and std[0, 1] > 0
    assert np.count_nonzero(std) == 1


def testcovariances_are_the_inverse_and_without_noise_what_is_not_observed(rng):
    V, C = rng.random((5, 3)), np.diag([1.0, 2.0, 3.0])
    X = sp.csr_array(np.ones((1, 5)))
    weight = rng.random(5) + 0.5
    found = covariances(X, weight, V, Noise(0.3, C))[0]
    expected = np.linalg.inv((V * weight[:, None]).T @ V / 0.3 + np.linalg.inv(C))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    only_first = sp.csr_array(([1.0], [0], [0, 1]), shape=(1, 5))
    v = np.array([[1.0, 0.0, 0.0]] * 5)
    found = covariances(only_first, np.ones(1), v, Noise(1e-300, C))[0]
    np.testing.assert_allclose(found, np.diag([0.0, 2.0, 3.0]), atol=1e-9)


@pytest.mark.parametrize("unit", [1.0, 4.0])
@pytest.mark.parametrize("by_column", [300.0, 2.0])
def test_complete_rows_say_what_the_same_rows_say_entry_by_entry(unit, by_column, rng):
    X, _ = example(rng, 2.0)
    by = Coding(rng.gamma(1.0, size=(20, 3)), Penalty(), unit, mean=np.ones(3))
    W = encode(X, by)
    C = spread_of(W, None, by.root)
    found, usual = learned_noise(X, by, W, C, by_column)
    expected, _ = learned_noise(observed(X), by, W, C, by_column, observed_only=True)
    assert found.variance == pytest.approx(expected.variance, rel=1e-10)
    np.testing.assert_allclose(found.codes, expected.codes, rtol=1e-10)
    np.testing.assert_array_equal(usual, np.ones(3))
    sparse, _ = learned_noise(sp.csr_array(X), by, W, C, by_column)
    assert sparse.variance == pytest.approx(found.variance, rel=1e-12)


def test_complete_rows_without_noise_have_next_to_none(rng):
    by = Coding(np.ones((4, 1)), Penalty(), 1.0, mean=np.ones(1))
    W = rng.gamma(1.0, size=(9, 1))
    noise, _ = learned_noise(np.repeat(W, 4, axis=1), by, W, np.eye(1), 9.0)
    assert 0.0 < noise.variance < 1e-300


def test_some_rows_are_looked_at_evenly_spaced():
    assert len(sample_of(10_000, 10, 2)) == MOST_ROWS
    np.testing.assert_array_equal(sample_of(3, 10, 2), [0, 1, 2])
    assert len(sample_of(10_000, 100_000, 50)) == 4


def test_the_spread_is_the_covariance(rng):
    W, weight = rng.random((50, 3)), rng.integers(1, 4, size=50).astype(float)
    expected = np.cov(W.T, fweights=weight.astype(int), bias=True)
    np.testing.assert_allclose(spread_of(W, weight), expected, atol=1e-6)
