"""The factor model from observed entries: against closed forms, brute force, planted truths."""

import numpy as np
import pytest

from lowdim.core.persistence import read_state, write_state
from lowdim.core.validation import check_columns_observed
from lowdim.linear import missing
from lowdim.linear.missing import FactorModel, search, statistics, update
from lowdim.tables.streaming import stream
from tests.linear.missing.models import (
    BOTH,
    Counted,
    Learner,
    covariance,
    fit,
    fit_some,
    objective,
    planted,
    sampled,
    some_model,
    with_missing,
)

# ---- golden values -------------------------------------------------------------------------------


def test_complete_rows_give_the_closed_form_of_probabilistic_pca(rng):
    """Tipping and Bishop (1999), eq. 7 and 8: W W' = U (L - s2) U', s2 the mean of the rest."""
    X, _ = planted(rng, 300, 8, 3)
    model = fit(X, 3)
    values, axes = np.linalg.eigh(np.cov(X.T, bias=True))
    noise = values[:-3].mean()
    np.testing.assert_allclose(model.mean, X.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(model.noise, noise, rtol=1e-6)
    expected = (axes[:, -3:] * (values[-3:] - noise)) @ axes[:, -3:].T
    np.testing.assert_allclose(model.W @ model.W.T, expected, atol=1e-5)


def test_two_columns_with_monotone_missing_values_give_the_factored_likelihood(rng):
    """Anderson (1957): with d - 1 factors every covariance is possible, and if only the second of
    two columns is incomplete, its mean and variance follow from its regression on the first."""
    n, m = 200, 120  # the second column is seen in the first m rows
    x = rng.normal(2.0, 1.5, size=n)
    y = 0.8 * x + rng.normal(size=n)
    slope = np.cov(x[:m], y[:m], bias=True)[0, 1] / x[:m].var()
    mean = y[:m].mean() + slope * (x.mean() - x[:m].mean())
    variance = y[:m].var() + slope**2 * (x.var() - x[:m].var())

    X = np.column_stack([x, np.where(np.arange(n) < m, y, np.nan)])
    model = fit(X, 1)
    np.testing.assert_allclose(model.mean, [x.mean(), mean], atol=1e-5)
    expected = [[x.var(), slope * x.var()], [slope * x.var(), variance]]
    np.testing.assert_allclose(covariance(model), expected, atol=1e-5)


@BOTH
def test_without_factors_it_is_the_mean_and_variance_of_what_was_seen(rng, isotropic):
    X = with_missing(rng, rng.normal(3.0, [1.0, 2.0, 5.0], size=(100, 3)), 0.3)
    model = fit(X, 0, isotropic=isotropic)
    variance = np.nanvar(X, axis=0)
    if isotropic:
        variance = np.full(3, np.average(variance, weights=(~np.isnan(X)).sum(axis=0)))
    np.testing.assert_allclose(model.mean, np.nanmean(X, axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.noise, variance, rtol=1e-12)
    assert model.W.shape == (3, 0)
    assert missing.encode(X, *model).shape == (100, 0)


# ---- the derivation ------------------------------------------------------------------------------


@BOTH
def test_the_gradient_vanishes_at_the_end_and_history_never_rises(rng, isotropic):
    X = with_missing(rng, planted(rng, 300, 8, 2)[0], 0.3)
    learner = Learner()
    model = fit(X, 2, isotropic=isotropic, tol=1e-11, learner=learner)
    assert np.all(np.diff(learner.history_) <= 0)
    assert learner.converged_
    assert objective(X, model) <= learner.history_[-1] + 1e-9  # rounding, if a noise runs to 0

    def J(mean, W, log_noise):
        return objective(X, FactorModel(mean, W, np.exp(log_noise)))

    place = [model.mean, model.W, np.log(model.noise)]
    for _ in range(5):  # along random directions: central differences, error h^2 and eps / h
        # tol = 1e-11 leaves a gradient of about sqrt(tol); at a random place it is about 0.1
        step = [1e-4 * rng.normal(size=part.shape) for part in place]
        if isotropic:
            step[2][:] = step[2][0]
        ahead = J(*(part + s for part, s in zip(place, step, strict=True)))
        behind = J(*(part - s for part, s in zip(place, step, strict=True)))
        assert abs(ahead - behind) / 2e-4 < 1e-4


def test_extrapolation_saves_passes_and_loses_nothing(rng, monkeypatch):
    X = with_missing(rng, planted(rng, 400, 30, 3)[0], 0.7)
    passes, ends = [], []
    for memory in (search.MEMORY, 0):  # without a past, the search is EM alone
        monkeypatch.setattr(search, "MEMORY", memory)
        if memory == 0:
            monkeypatch.setattr(
                search, "_extrapolated", lambda s, safe, J, _: search._fresh(safe, J)
            )
        rows = Counted(X)
        ends.append(objective(X, fit(rows, 3, tol=1e-9)))
        passes.append(rows.passes)
    assert passes[0] < passes[1]
    assert ends[0] <= ends[1] + 1e-7


# ---- properties ----------------------------------------------------------------------------------


@BOTH
def test_a_weight_of_two_is_a_row_twice_and_of_zero_a_row_left_out(rng, isotropic):
    X = with_missing(rng, planted(rng, 80, 5, 2)[0], 0.2)
    weight = rng.integers(0, 3, size=80).astype(float)
    weight[0] = 1.0
    repeated = np.repeat(X, weight.astype(int), axis=0)
    model = some_model(rng, 5, 2)
    weighted, plain = statistics(X, *model, weight), statistics(repeated, *model)
    for left, right in zip(weighted, plain, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-11, atol=1e-11)
    once = fit_some(X, 2, isotropic=isotropic, weight=weight)
    twice = fit_some(repeated, 2, isotropic=isotropic)
    for left, right in zip(once, twice, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-8)


def test_single_precision_rows_give_the_same_model(rng):
    X = with_missing(rng, planted(rng, 200, 6, 2)[0], 0.3)
    X = X.astype(np.float32)
    for single, double in zip(fit_some(X, 2), fit_some(X.astype(np.float64), 2), strict=True):
        np.testing.assert_allclose(single, double, rtol=1e-6, atol=1e-8)


@BOTH
@pytest.mark.parametrize("unit, offset", [(1e150, 0.0), (1e-150, 0.0), (1.0, 1e8)])
def test_unit_and_origin_do_not_matter(rng, isotropic, unit, offset):
    X = with_missing(rng, planted(rng, 200, 6, 2)[0], 0.3)
    X = (X + offset) - offset  # at 1e8 a number has 8 digits behind the point
    here = fit_some(X, 2, isotropic=isotropic)
    there = fit_some(X * unit + offset, 2, isotropic=isotropic)
    atol = 1e-5 if offset else 1e-8
    np.testing.assert_allclose((there.mean - offset) / unit, here.mean, atol=atol)
    np.testing.assert_allclose(there.W / unit, here.W, atol=atol)
    np.testing.assert_allclose(there.noise / unit / unit, here.noise, atol=atol)
    np.testing.assert_allclose(
        (missing.expectation(X * unit + offset, *there) - offset) / unit,
        missing.expectation(X, *here),
        atol=10 * atol,
    )


def test_loadings_are_orthogonal_longest_first_and_of_fixed_sign(rng):
    X = with_missing(rng, planted(rng, 150, 6, 3)[0], 0.2)
    W = fit(X, 3, tol=1e-8).W
    squares = W.T @ W
    np.testing.assert_allclose(squares, np.diag(np.diag(squares)), atol=1e-12 * squares[0, 0])
    assert np.all(np.diff(np.diag(squares)) <= 0)
    assert (W[np.abs(W).argmax(axis=0), np.arange(3)] > 0).all()


# ---- two roads, one result -----------------------------------------------------------------------


@BOTH
def test_array_stream_and_dask_give_the_same_model(rng, isotropic):
    import dask.array as da

    X = with_missing(rng, planted(rng, 210, 6, 2)[0], 0.3)
    cuts = np.split(X, [1, 30, 31, 100, 180])

    expected = fit_some(X, 2, isotropic=isotropic)
    for source in (stream(lambda: iter(cuts)), da.from_array(X, (50, 6))):
        for part, same in zip(fit_some(source, 2, isotropic=isotropic), expected, strict=True):
            np.testing.assert_allclose(part, same, rtol=1e-6, atol=1e-8)


def test_a_search_survives_a_checkpoint_bit_for_bit(rng, tmp_path):
    X = with_missing(rng, planted(rng, 50, 4, 1)[0], 0.2)
    model = some_model(rng, 4, 1)
    sums = statistics(X, *model)
    state = search._fresh(model)
    for _ in range(3):
        safe = update(sums, state.model, False, 0.0)
        state = search._extrapolated(state, safe, sums.by_entry, np.ones(4))
    write_state(tmp_path / "state", {}, state)
    _, loaded = read_state(tmp_path / "state")
    assert type(loaded) is search.EMSearch and type(loaded.model) is FactorModel
    for left, right in zip((*state.model, *state[2:]), (*loaded.model, *loaded[2:]), strict=True):
        np.testing.assert_array_equal(left, right)


@BOTH
def test_data_of_exact_low_rank_are_completed(rng, isotropic):
    """The noise ends at its floor, 1e-10 of the variance: errors of 1e-5 at the most."""
    full = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 15)) + rng.normal(size=15)
    X = with_missing(rng, full, 0.4)
    known = (~np.isnan(X)).sum(axis=1) >= 5  # three entries determine a code, with two to spare
    X, full = X[known], full[known]
    model = fit(X, 3, isotropic=isotropic, tol=1e-9)
    assert (model.noise > 0).all()
    np.testing.assert_allclose(missing.expectation(X, *model), full, atol=1e-3)


# ---- a planted truth -----------------------------------------------------------------------------


@pytest.mark.parametrize("n, d, share", [(1000, 20, 0.3), (1500, 60, 0.9)])
def test_planted_loadings_are_found_through_missing_values(rng, n, d, share):
    """With m = n (1 - share) observations of a column, its k + 1 coefficients cost about
    (k + 1) / m of the error that the true model itself makes on held-out entries."""
    k = 3
    full, truth = planted(rng, n, d, k)
    X = with_missing(rng, full, share)
    absent = np.isnan(X)
    model = fit(X, k, tol=1e-9)

    def error(filled):
        return np.mean((filled - full)[absent] ** 2)

    best = error(missing.expectation(X, *truth))
    cost = (k + 1) / (n * (1 - share))
    assert error(missing.expectation(X, *model)) < best * (1 + 10 * cost)
    assert error(np.broadcast_to(np.nanmean(X, axis=0), X.shape)) > 2 * best
    np.testing.assert_allclose(model.noise, 0.25, rtol=0.15)


@BOTH
def test_intervals_are_calibrated(rng, isotropic):
    full, truth = planted(rng, 1500, 12, 2)
    if not isotropic:
        truth = truth._replace(noise=np.linspace(0.05, 2.0, 12))
        full = sampled(rng, 1500, truth)
    X = with_missing(rng, full, 0.3)
    absent = np.isnan(X)
    model = fit(X, 2, isotropic=isotropic, tol=1e-8)
    miss = np.abs(missing.expectation(X, *model) - full) / np.where(
        absent, missing.conditional_std(X, *model), 1.0
    )
    assert 0.93 < np.mean(miss[absent] < 1.96) < 0.97


# ---- the door ------------------------------------------------------------------------------------


def test_a_column_without_values_is_named():
    with pytest.raises(ValueError, match=r"no observed value in 2 of 3 columns \('a', 'c'\)"):
        check_columns_observed(np.array([0, 5, 0]), ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"in 9 of 9 columns \(0, 1, 2, 3, 4, \.\.\.\).*Drop"):
        check_columns_observed(np.zeros(9))
    check_columns_observed(np.ones(2))
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(ValueError, match=r"1 of 2 columns \(1\)"):
        fit(X, 1, weight=np.array([1.0, 0.0]))


def test_too_many_factors_for_the_memory_are_refused_before_any_pass():
    rows = Counted(np.full((1, 100_000), np.nan))
    with pytest.raises(ValueError, match=r"n_components=50 is too many .* choose .* at most 35"):
        fit(rows, 50)
    assert rows.passes == 0
    search._check_memory(100_000, 35)


@BOTH
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((20, 4)),
        np.full((20, 4), 0.1),
        np.array([[1.0, 2.0, 3.0]]),
        np.array([[1.0, np.nan, 3.0], [np.nan, 2.0, 1.0]]),
        np.repeat([[1.0, 2.0, 3.0], [4.0, 4.0, 1.0]], 10, axis=0),
        np.array([[np.nan, 1.0], [np.nan, 2.0], [5.0, np.nan], [np.nan, np.nan]]),
        np.arange(12.0)[:, None],
    ],
    ids=["zeros", "constant", "one row", "two rows", "repeated", "seen once", "one column"],
)
def test_degenerate_data_give_finite_models(X, isotropic):
    for k in (0, 1, 3):
        model = fit(X, k, isotropic=isotropic, tol=1e-6)
        assert all(np.isfinite(part).all() for part in model)
        assert (model.noise > 0).all()
        for function in (missing.encode, missing.expectation, missing.conditional_std):
            assert np.isfinite(function(X, *model)).all()
        assert np.isfinite(missing.log_density(X, *model)).all()


def test_a_constant_column_among_others_is_filled_with_its_constant(rng):
    full = np.column_stack([planted(rng, 100, 4, 1)[0], np.full(100, 0.1)])
    X = with_missing(rng, full, 0.2)
    model = fit(X, 1, isotropic=False, tol=1e-8)
    np.testing.assert_allclose(missing.expectation(X, *model)[:, 4], 0.1, atol=1e-6)
