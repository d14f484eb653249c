"""How certain filled entries are: by hand, in limits, and on planted matrices."""

import numpy as np
import pytest

import lowdim
from lowdim import ALS, SVP, SVT, GradientFactorization, IterativeSVD, SoftImpute
from lowdim.completion.coding import Coding
from lowdim.completion.entries import observed
from lowdim.completion.uncertainty import (
    MOST_ROWS,
    Noise,
    WeightedSample,
    evenly_spaced,
    fill_with_std,
    learned_noise,
    second_moments,
)
from lowdim.linalg.ridge import Regression
from tests.completion.planted import low_rank, with_missing

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def coding(F, penalty, by_count=False):
    d, q = F.shape
    on = Regression(F, np.zeros(d), np.broadcast_to(float(penalty), q), by_count)
    return Coding(on, np.zeros(d), np.full(d, 2.0))


def stds(X, about, noise):
    return fill_with_std(X, 2.0 * about.on.F.T, about.mean, about, noise)[1]


def test_a_row_worked_by_hand():
    about, noise = coding(np.array([[1.0], [2.0], [3.0]]), 1.0), Noise(0.5, np.array([[4.0]]))
    X = np.array([[6.0, 1.0, np.nan], [np.nan, np.nan, np.nan]])
    # A = 1 + 4 + 1, cov = (5 / 4 + 4) / 36; variance = scale^2 (1 / 4 + 9 cov)
    filled = np.sqrt(4.0 * (0.25 + 9.0 * 5.25 / 36.0))
    nothing = np.sqrt(4.0 * (0.25 + np.array([1.0, 4.0, 9.0]) * 4.0))
    np.testing.assert_allclose(stds(X, about, noise), [[0.0, 0.0, filled], nothing])


def test_with_the_penalty_of_the_prior_it_is_the_posterior(rng):
    F, S, s = rng.normal(size=(6, 2)), np.diag([2.0, 3.0]), 0.7
    about = coding(F, 0.0)
    about = about._replace(on=about.on._replace(penalty=s**2 / np.diag(S)))
    X = np.array([[1.0, 2.0, 3.0, np.nan, np.nan, np.nan]])
    posterior = s**2 * np.linalg.inv(F[:3].T @ F[:3] + np.diag(about.on.penalty))
    variance = s**2 + np.einsum("jr,rs,js->j", F, posterior, F)
    np.testing.assert_allclose(stds(X, about, Noise(s, S))[0, 3:], 2 * np.sqrt(variance[3:]))


@pytest.mark.parametrize("by_count", [False, True])
def test_a_row_without_entries_is_as_uncertain_as_codes_spread(rng, by_count):
    F, S = rng.normal(size=(4, 2)), np.array([[2.0, 0.5], [0.5, 1.0]])
    found = stds(np.full((1, 4), np.nan), coding(F, 0.3, by_count), Noise(0.1, S))[0]
    np.testing.assert_allclose(found, 2 * np.sqrt(0.01 + np.einsum("jr,rs,js->j", F, S, F)))


def test_the_noise_of_a_known_regression_is_found(rng):
    F, Z = rng.normal(size=(12, 2)), rng.normal(size=(2000, 2))
    Y = Z @ F.T + 0.3 * rng.normal(size=(2000, 12))
    about = coding(F, 0.09)
    sample = WeightedSample(observed(with_missing(2.0 * Y, rng, 0.3))[:200])
    noise = learned_noise(sample, about, second_moments(Z), 1400.0)
    assert noise.std == pytest.approx(0.3, rel=0.1)  # 1700 residuals: 2%, and codes' own errors
    np.testing.assert_allclose(noise.codes, np.eye(2), atol=0.25)


def test_a_row_twice_is_a_row_of_weight_2(rng):
    F, Z = rng.normal(size=(8, 2)), rng.normal(size=(30, 2))
    X = observed(with_missing(Z @ F.T + rng.normal(size=(30, 8)), rng, 0.3))
    twice = WeightedSample(X[np.repeat(np.arange(30), 1 + np.arange(30) % 2)])
    weighted = WeightedSample(X, None, 1.0 + np.arange(30) % 2)
    S = second_moments(Z, weighted.by_row)
    first, second = (learned_noise(rows, coding(F, 0.5), S, 20.0) for rows in (twice, weighted))
    assert first.std == pytest.approx(second.std, rel=1e-12)
    np.testing.assert_allclose(first.codes, second.codes)


def test_the_noise_is_learned_from_a_few_rows_evenly_spaced():
    np.testing.assert_array_equal(evenly_spaced(np.arange(5)), np.arange(5))
    chosen = evenly_spaced(np.arange(10_000))
    assert len(chosen) == MOST_ROWS and chosen[0] == 0 and chosen[-1] == 9_999


MODELS = [
    ALS(3, random_state=0),
    ALS(3, weighted_penalty=False, penalty=1.0, random_state=0),
    ALS(3, scale="columns", random_state=0),
    GradientFactorization(3, random_state=0),
    IterativeSVD(3),
    SVP(3, center="columns"),
    SoftImpute(),
    SoftImpute(0.1, scale="columns"),
    SVT(center="columns"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_planted_errors_are_as_large_as_is_said(rng, model):
    Y = low_rank(rng, n=200, d=25, k=3, noise=0.5)
    X = with_missing(Y, rng, 0.3)
    filled, std = model.fit(X).impute(X, return_std=True)
    here = np.isnan(X)
    error = np.abs(filled - Y)[here] / std[here]
    # 1500 errors: 68.3% and 95.4% have standard errors of 1.2% and 0.5%; the spread of the noise
    # that was learned from 3500 residuals, and components that are not known, cost some more
    assert 0.62 < np.mean(error < 1) < 0.77
    assert 0.92 < np.mean(error < 2) < 0.98


def test_streamed_rows_have_the_noise_of_rows_in_memory(rng):
    X = with_missing(low_rank(rng, noise=0.5), rng)
    plain = ALS(2, random_state=0).fit(X)
    streamed = ALS(2, random_state=0).fit(lowdim.stream(lambda: iter(np.split(X, [10, 30]))))
    np.testing.assert_allclose(streamed.noise_std_, plain.noise_std_, rtol=1e-6)
    for first, second in zip(
        plain.impute(X, True),
        streamed.impute(lowdim.stream(lambda: iter(np.split(X, [7]))), True),
        strict=True,
    ):
        np.testing.assert_allclose(second, first, rtol=1e-5, atol=1e-8)


def test_new_columns_have_the_usual_noise(rng):
    X = with_missing(low_rank(rng, noise=0.5), rng)
    model = ALS(2, random_state=0).fit(X[:, :20]).add_columns(X[:, 20:])
    _, std = model.impute(X, return_std=True)
    assert (std[np.isnan(X)] > 0).all()


def test_where_nothing_says_how_certain_a_model_is_it_says_so(rng):
    X = with_missing(np.abs(low_rank(rng)), rng)
    model = ALS(2, feedback="implicit", random_state=0).fit(X)
    with pytest.raises(ValueError, match="feedback='implicit'"):
        model.impute(X, return_std=True)
    model = SVP(2).fit(X)
    del model.noise_std_
    with pytest.raises(ValueError, match="saved by an earlier version"):
        model.impute(X, return_std=True)
