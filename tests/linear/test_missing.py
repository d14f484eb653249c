"""The factor model from observed entries: against closed forms, brute force, planted truths."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from lowdim.core.blocks import ArrayBlocks, as_blocks
from lowdim.core.persistence import read_state, write_state
from lowdim.core.validation import check_columns_observed
from lowdim.linalg import condition
from lowdim.linalg.observed import observed_columns
from lowdim.linear import missing
from lowdim.linear.missing import FactorModel, fit_missing, statistics, update
from lowdim.tables.streaming import stream

BOTH = pytest.mark.parametrize("isotropic", [True, False], ids=["isotropic", "diagonal"])


class Learner:
    """Receives what a loop publishes."""


def fit(X, k, *, isotropic=True, weight=None, max_iter=2000, tol=1e-12, seed=0, learner=None):
    return fit_missing(
        learner or Learner(),
        as_blocks(X),
        k,
        isotropic=isotropic,
        weight=weight,
        max_iter=max_iter,
        tol=tol,
        random=np.random.default_rng(seed),
    )


def fit_some(X, k, **arguments):
    """A fit of exactly 8 iterations: two that do the same differ by rounding alone."""
    return fit(X, k, max_iter=8, tol=0, **arguments)


def planted(rng, n, d, k, noise=0.5):
    """Rows of a factor model, and the model."""
    model = FactorModel(rng.normal(size=d), rng.normal(size=(d, k)), np.full(d, noise**2))
    return sampled(rng, n, model), model


def sampled(rng, n, model):
    d, k = model.W.shape
    return (
        rng.normal(size=(n, k)) @ model.W.T
        + model.mean
        + rng.normal(size=(n, d)) * np.sqrt(model.noise)
    )


def with_holes(rng, X, share):
    """X with a share of its entries missing at random, but something left in every column."""
    holes = rng.random(X.shape) < share
    holes[rng.integers(len(X), size=X.shape[1]), np.arange(X.shape[1])] = False
    return np.where(holes, np.nan, X)


def some_model(rng, d, k):
    return FactorModel(rng.normal(size=d), rng.normal(size=(d, k)), rng.uniform(0.1, 2.0, size=d))


def covariance(model):
    return model.W @ model.W.T + np.diag(model.noise)


def objective(X, model, weight=None):
    return statistics(X, *model, weight).by_entry


# ---- golden values -------------------------------------------------------------------------------

# x = (z, z) + e with unit noise; of x = (2, ?) the first entry is seen. By hand:
# z | x ~ N(1, 1/2), so the second entry is N(1, 1/2 + 1); and x_1 ~ N(0, 2).
HAND = FactorModel(np.zeros(2), np.ones((2, 1)), np.ones(2))
HAND_X = np.array([[2.0, np.nan]])


def test_one_hole_worked_by_hand():
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


def test_two_columns_with_monotone_holes_give_the_factored_likelihood(rng):
    """Anderson (1957): with d - 1 factors every covariance is possible, and if only the second of
    two columns has holes, its mean and variance follow from its regression on the first."""
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
    X = with_holes(rng, rng.normal(3.0, [1.0, 2.0, 5.0], size=(100, 3)), 0.3)
    model = fit(X, 0, isotropic=isotropic)
    variance = np.nanvar(X, axis=0)
    if isotropic:
        variance = np.full(3, np.average(variance, weights=(~np.isnan(X)).sum(axis=0)))
    np.testing.assert_allclose(model.mean, np.nanmean(X, axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.noise, variance, rtol=1e-12)
    assert model.W.shape == (3, 0)
    assert missing.encode(X, *model).shape == (100, 0)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, 1, 4])
def test_density_codes_and_fillings_are_those_of_the_joint_gaussian(rng, k):
    d = 6
    model = some_model(rng, d, k)
    X = with_holes(rng, sampled(rng, 30, model), 0.5)
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


def test_statistics_are_what_a_loop_over_rows_adds_up(rng):
    d, k = 7, 3
    model = some_model(rng, d, k)
    X = with_holes(rng, sampled(rng, 40, model), 0.4)
    X[:2] = np.nan
    weight = rng.uniform(0.0, 2.0, size=40)
    sums = statistics(X, *model, weight)

    std = np.sqrt(model.noise)
    V = model.W / std[:, None]
    zz, ez, ee, everywhere = np.zeros((d, k + 1, k + 1)), np.zeros((d, k + 1)), np.zeros(d), 0.0
    for x, w in zip(X, weight, strict=True):
        o = ~np.isnan(x)
        y = (x[o] - model.mean[o]) / std[o]
        C = np.linalg.inv(np.eye(k) + V[o].T @ V[o])
        z = np.append(C @ V[o].T @ y, 1.0)
        E = np.outer(z, z)
        E[:k, :k] += C
        U = np.column_stack([V[o], np.zeros(o.sum())])  # e = y - U (z, 1)
        zz[o] += w * E
        ez[o] += w * (y[:, None] * z - U @ E)
        ee[o] += w * (y**2 - 2 * y * (U @ z) + np.diag(U @ E @ U.T))
        everywhere += w * E * o.any()
    lower = np.tril_indices(k + 1)
    np.testing.assert_allclose(sums.sum_zz, zz[:, *lower], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(sums.sum_ez, ez, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sums.sum_ee, ee, rtol=1e-9)
    np.testing.assert_allclose(sums.sum_all, everywhere[lower], rtol=1e-10, atol=1e-10)
    assert sums.objective == pytest.approx(-weight @ missing.log_density(X, *model), rel=1e-12)


@pytest.mark.parametrize("p, q", [(1, 0), (3, 0), (4, 2)])
def test_sweeping_inverts_regresses_and_takes_the_determinant(rng, p, q):
    matrices = rng.normal(size=(5, p + q, 9))
    matrices = matrices @ matrices.transpose(0, 2, 1)
    lower = np.tril_indices(p + q)
    T = np.ascontiguousarray(matrices[:, *lower].T)
    log_det = missing._sweep(T, np.zeros(p))
    for swept, matrix, value in zip(T.T, matrices, log_det, strict=True):
        A, B, D = matrix[:p, :p], matrix[:p, p:], matrix[p:, p:]
        slope = np.linalg.solve(A, B)
        expected = np.block([[-np.linalg.inv(A), slope], [slope.T, D - B.T @ slope]])
        np.testing.assert_allclose(missing._unpacked(swept), expected, rtol=1e-8, atol=1e-10)
        assert value == pytest.approx(np.linalg.slogdet(A)[1], abs=1e-10)


@BOTH
def test_no_step_of_em_raises_the_objective(rng, isotropic):
    X = with_holes(rng, planted(rng, 60, 8, 2)[0], 0.5)
    model = some_model(rng, 8, 3)
    if isotropic:
        model = model._replace(noise=np.ones(8))
    J = []
    for _ in range(60):
        sums = statistics(X, *model)
        J.append(sums.by_entry)
        model = update(sums, model, isotropic, 0.0)
    assert np.all(np.diff(J) <= 1e-13 * np.abs(J[0]))
    assert J[-1] < J[0]


def test_the_expanded_step_is_quick_where_there_is_little_noise(rng):
    """Without a and R^(1/2), EM moves the mean and the lengths of W by about the noise a step."""
    X, truth = planted(rng, 200, 6, 2, noise=0.05)
    model = FactorModel(truth.mean + 1.0, rng.normal(size=(6, 2)), np.ones(6))
    for _ in range(30):
        model = update(statistics(X, *model), model, True, 0.0)
    np.testing.assert_allclose(model.mean, X.mean(axis=0), atol=1e-4)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))
    np.testing.assert_allclose(np.linalg.eigvalsh(covariance(model))[-2:], values[-2:], rtol=1e-3)


@BOTH
def test_the_gradient_vanishes_at_the_end_and_history_never_rises(rng, isotropic):
    X = with_holes(rng, planted(rng, 300, 8, 2)[0], 0.3)
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
    X = with_holes(rng, planted(rng, 400, 30, 3)[0], 0.7)
    passes, ends = [], []
    for memory in (missing.MEMORY, 0):  # without a past, the search is EM alone
        monkeypatch.setattr(missing, "MEMORY", memory)
        if memory == 0:
            monkeypatch.setattr(
                missing, "_extrapolated", lambda s, safe, J, _: missing._fresh(safe, J)
            )
        rows = Counted(X)
        ends.append(objective(X, fit(rows, 3, tol=1e-9)))
        passes.append(rows.passes)
    assert passes[0] < passes[1]
    assert ends[0] <= ends[1] + 1e-7


def test_many_columns_start_from_some_pairs_only(rng, monkeypatch):
    X = with_holes(rng, planted(rng, 400, 30, 3)[0], 0.7)
    seen = []
    fold = ArrayBlocks.fold
    monkeypatch.setattr(
        ArrayBlocks, "fold", lambda *args, **kw: seen.append(fold(*args, **kw)) or seen[-1]
    )
    ends = []
    for pairs in (2**20, 200):  # 200 pairs: 6 of the 30 columns are paired with all
        monkeypatch.setattr(missing, "LARGEST_PAIRS", pairs)
        ends.append(objective(X, fit(X, 3, tol=1e-9)))
    shapes = [sums.n_pairs.shape for sums in seen if isinstance(sums, missing.PairSums)]
    assert shapes == [(30, 30), (30, 6)]
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)


class Counted(ArrayBlocks):
    """Blocks that count the passes."""

    passes = 0

    def fold(self, *args, **kwargs):
        self.passes += 1
        return super().fold(*args, **kwargs)


# ---- properties ----------------------------------------------------------------------------------


@BOTH
def test_a_weight_of_two_is_a_row_twice_and_of_zero_a_row_left_out(rng, isotropic):
    X = with_holes(rng, planted(rng, 80, 5, 2)[0], 0.2)
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


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
def test_what_is_said_of_a_row_does_not_depend_on_the_rows_beside_it(rng, share, monkeypatch):
    """Rows with the same holes are worked on together, and large blocks in parts."""
    d, k = 5, 2
    model = some_model(rng, d, k)
    X = with_holes(rng, sampled(rng, 120, model), share)
    X[20:80, 3] = np.nan  # a pattern that many rows share
    monkeypatch.setattr(missing, "SHARED_WORK", 250)
    monkeypatch.setattr(missing, "PART_BYTES", 2**13)
    monkeypatch.setattr(missing, "_column_slices", lambda d, h: (slice(0, 2), slice(2, d)))
    assert any(shared for _, shared in missing._turns(~np.isnan(X), k))
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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_observed_entries_stay_bit_for_bit_and_results_have_the_dtype_of_the_rows(rng, dtype):
    model = some_model(rng, 5, 2)
    X = with_holes(rng, sampled(rng, 50, model), 0.3).astype(dtype)
    X.flags.writeable = False
    seen = ~np.isnan(X)
    filled, std = missing.expectation(X, *model), missing.conditional_std(X, *model)
    assert filled.dtype == std.dtype == dtype
    assert all(codes.dtype == dtype for codes in missing.encode_with_std(X, *model))
    np.testing.assert_array_equal(filled[seen], X[seen])
    assert np.isfinite(filled).all()
    assert (std[seen] == 0).all() and (std[~seen] > 0).all()
    assert not np.shares_memory(missing.expectation(np.ascontiguousarray(X[:1] * 0), *model), X)


def test_single_precision_rows_give_the_same_model(rng):
    X = with_holes(rng, planted(rng, 200, 6, 2)[0], 0.3)
    X = X.astype(np.float32)
    for single, double in zip(fit_some(X, 2), fit_some(X.astype(np.float64), 2), strict=True):
        np.testing.assert_allclose(single, double, rtol=1e-6, atol=1e-8)


@BOTH
@pytest.mark.parametrize("unit, offset", [(1e150, 0.0), (1e-150, 0.0), (1.0, 1e8)])
def test_unit_and_origin_do_not_matter(rng, isotropic, unit, offset):
    X = with_holes(rng, planted(rng, 200, 6, 2)[0], 0.3)
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


def test_a_column_that_the_first_rows_do_not_show_keeps_its_digits(rng):
    """The pilot of such a column is 0, and its squares at 1e8 have no digits left."""
    X, _ = planted(rng, 600, 4, 1)
    X[:, 3] += 1e8
    X[:300, 3] = np.nan
    columns = observed_columns(as_blocks(X))
    np.testing.assert_allclose(columns.std, np.nanstd(X, axis=0), rtol=1e-6)
    np.testing.assert_allclose(columns.mean, np.nanmean(X, axis=0), rtol=1e-12)


def test_loadings_are_orthogonal_longest_first_and_of_fixed_sign(rng):
    X = with_holes(rng, planted(rng, 150, 6, 3)[0], 0.2)
    W = fit(X, 3, tol=1e-8).W
    squares = W.T @ W
    np.testing.assert_allclose(squares, np.diag(np.diag(squares)), atol=1e-12 * squares[0, 0])
    assert np.all(np.diff(np.diag(squares)) <= 0)
    assert (W[np.abs(W).argmax(axis=0), np.arange(3)] > 0).all()


# ---- two roads, one result -----------------------------------------------------------------------


@BOTH
def test_array_stream_and_dask_give_the_same_model(rng, isotropic):
    import dask.array as da

    X = with_holes(rng, planted(rng, 210, 6, 2)[0], 0.3)
    cuts = np.split(X, [1, 30, 31, 100, 180])

    expected = fit_some(X, 2, isotropic=isotropic)
    for source in (stream(lambda: iter(cuts)), da.from_array(X, (50, 6))):
        for part, same in zip(fit_some(source, 2, isotropic=isotropic), expected, strict=True):
            np.testing.assert_allclose(part, same, rtol=1e-6, atol=1e-8)


def test_a_search_survives_a_checkpoint_bit_for_bit(rng, tmp_path):
    X = with_holes(rng, planted(rng, 50, 4, 1)[0], 0.2)
    model = some_model(rng, 4, 1)
    sums = statistics(X, *model)
    search = missing._fresh(model)
    for _ in range(3):
        safe = update(sums, search.model, False, 0.0)
        search = missing._extrapolated(search, safe, sums.by_entry, np.ones(4))
    write_state(tmp_path / "state", {}, search)
    _, loaded = read_state(tmp_path / "state")
    assert type(loaded) is missing.Search and type(loaded.model) is FactorModel
    for left, right in zip((*search.model, *search[2:]), (*loaded.model, *loaded[2:]), strict=True):
        np.testing.assert_array_equal(left, right)


@BOTH
def test_data_of_exact_low_rank_are_completed(rng, isotropic):
    """The noise ends at its floor, 1e-10 of the variance: errors of 1e-5 at the most."""
    full = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 15)) + rng.normal(size=15)
    X = with_holes(rng, full, 0.4)
    told = (~np.isnan(X)).sum(axis=1) >= 5  # three entries tell a code, with two to spare
    X, full = X[told], full[told]
    model = fit(X, 3, isotropic=isotropic, tol=1e-9)
    assert (model.noise > 0).all()
    np.testing.assert_allclose(missing.expectation(X, *model), full, atol=1e-3)


# ---- a planted truth -----------------------------------------------------------------------------


@pytest.mark.parametrize("n, d, share", [(1000, 20, 0.3), (1500, 60, 0.9)])
def test_planted_loadings_are_found_through_holes(rng, n, d, share):
    """With m = n (1 - share) observations of a column, its k + 1 coefficients cost about
    (k + 1) / m of the error that the true model itself makes on held-out entries."""
    k = 3
    full, truth = planted(rng, n, d, k)
    X = with_holes(rng, full, share)
    holes = np.isnan(X)
    model = fit(X, k, tol=1e-9)

    def error(filled):
        return np.mean((filled - full)[holes] ** 2)

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
    X = with_holes(rng, full, 0.3)
    holes = np.isnan(X)
    model = fit(X, 2, isotropic=isotropic, tol=1e-8)
    miss = np.abs(missing.expectation(X, *model) - full) / np.where(
        holes, missing.conditional_std(X, *model), 1.0
    )
    assert 0.93 < np.mean(miss[holes] < 1.96) < 0.97


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
    missing._check_memory(100_000, 35)


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
    X = with_holes(rng, full, 0.2)
    model = fit(X, 1, isotropic=False, tol=1e-8)
    np.testing.assert_allclose(missing.expectation(X, *model)[:, 4], 0.1, atol=1e-6)


def test_a_column_that_varies_by_rounding_is_constant():
    X = np.where(np.arange(10) % 2, 0.3, 0.1 + 0.2)[:, None]
    assert np.ptp(X) > 0
    assert observed_columns(as_blocks(X)).std[0] == 0


def test_noise_of_zero_is_read_as_a_tiny_part_of_the_signal(rng):
    W = rng.normal(size=(6, 2))
    x = W @ rng.normal(size=2)
    X = np.where(np.arange(6) < 3, x, np.nan)[None, :]
    for noise in (0.0, 1e-300):
        filled = missing.expectation(X, np.zeros(6), W, np.full(6, noise))
        np.testing.assert_allclose(filled[0], x, atol=1e-3 * np.abs(x).max())


def test_memory_beside_the_sums_stays_small(rng, monkeypatch):
    """600 rows at once would take 5 MB."""
    import tracemalloc

    monkeypatch.setattr(missing, "PART_BYTES", 2**18)
    X = with_holes(rng, rng.normal(size=(600, 100)), 0.2)
    model = some_model(rng, 100, 15)
    tracemalloc.start()
    try:
        for function in (missing.encode, missing.conditional_std, statistics):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            result = function(X, *model)
            peak = tracemalloc.get_traced_memory()[1] - before
            parts = result if isinstance(result, tuple) else (result,)
            assert peak - sum(np.asarray(part).nbytes for part in parts) < 2**20
    finally:
        tracemalloc.stop()
