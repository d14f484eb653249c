"""SoftImpute: closed forms, the conditions of the minimum, two roads to it, exact recovery."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import SoftImpute
from lowdim.completion.centering import learn_centering
from lowdim.completion.entries import observed
from lowdim.completion.soft_impute import balanced, objective
from lowdim.linalg import shrink
from lowdim.linalg.sparse import svd_of_product
from tests.completion.planted import low_rank, with_missing

SOLVERS = pytest.mark.parametrize("solver", ["als", "svd"])


def noisy(rng, n=60, d=40, k=3, part=0.5, noise=0.3):
    return with_missing(low_rank(rng, n, d, k) + noise * rng.normal(size=(n, d)), rng, 1 - part)


def J(X, filled, penalty):
    """The objective, written down once more."""
    seen = ~np.isnan(X)
    nuclear = np.linalg.svd(filled, compute_uv=False).sum()
    return 0.5 * np.sum((X - filled)[seen] ** 2) + penalty * nuclear


@SOLVERS
def test_a_complete_matrix_is_shrunk(rng, solver):
    X = rng.normal(size=(30, 20))
    model = SoftImpute(0.3, center=None, solver=solver, tol=1e-10).fit(X)
    assert model.penalty_ == pytest.approx(0.3 * np.linalg.norm(X, 2), rel=1e-6)
    np.testing.assert_allclose(model.complete(), shrink(X, model.penalty_), atol=1e-4)


@SOLVERS
def test_the_minimum_has_the_subgradient_that_it_must(rng, solver):
    # G = P(Y - X) / lambda is a subgradient of ||X||_* if and only if ||G||_2 <= 1 and
    # <G, X> = ||X||_*: then G = U V' + W with U'W = 0, W V = 0
    X = noisy(rng)
    model = SoftImpute(0.1, center=None, solver=solver, tol=1e-7, max_iter=3000).fit(X)
    filled = model.complete()
    G = np.where(np.isnan(X), 0.0, X - filled) / model.penalty_
    U, s, Vt = np.linalg.svd(filled)
    r = model.rank_
    assert s[r - 1] > 1e-9 * s[0] > s[r]
    assert np.linalg.norm(G, 2) <= 1 + 1e-5
    assert np.sum(G * filled) == pytest.approx(s.sum(), rel=1e-5)
    # singular vectors themselves, where they weigh enough to be determined
    large = s[:r] > 0.1 * s[0]
    np.testing.assert_allclose((U[:, :r].T @ G)[large], Vt[:r][large], atol=5e-3)
    assert model.duality_gap_ <= 1e-6  # it may end where J no longer falls beyond rounding


@SOLVERS
def test_no_nearby_matrix_has_a_smaller_objective(rng, solver):
    X = noisy(rng)
    model = SoftImpute(0.1, center=None, solver=solver, tol=1e-8, max_iter=3000).fit(X)
    best = J(X, model.complete(), model.penalty_)
    for _ in range(20):
        direction = low_rank(rng, 60, 40, 1) if rng.random() < 0.5 else rng.normal(size=(60, 40))
        for size in (1e-3, 1e-1):
            other = model.complete() + size * direction
            assert J(X, other, model.penalty_) >= best * (1 - 1e-7)


def test_the_gap_bounds_the_distance_to_the_minimum(rng):
    X = noisy(rng)
    minimum = SoftImpute(0.05, center=None, tol=1e-8, max_iter=3000).fit(X)
    least = J(X, minimum.complete(), minimum.penalty_)
    for tol in (1e-1, 1e-2, 1e-3):
        model = SoftImpute(0.05, center=None, tol=tol).fit(X)
        here = J(X, model.complete(), model.penalty_)
        assert here * (1 - model.duality_gap_) <= least * (1 + 1e-7)
        assert model.duality_gap_ <= 1.01 * tol


@SOLVERS
def test_the_objective_falls_along_the_path(rng, solver):
    history = SoftImpute(0.01, solver=solver, tol=1e-6, max_iter=2000).fit(noisy(rng)).history_
    assert np.all(np.diff(history) <= 1e-10 * history[0])


def test_the_history_ends_at_the_objective(rng):
    X = noisy(rng)
    model = SoftImpute(0.05, center=None).fit(X)
    seen = np.count_nonzero(~np.isnan(X))
    expected = J(X, model.complete(), model.penalty_) / seen / model.scale_**2
    assert model.history_[-1] == pytest.approx(expected, rel=1e-9)


def test_both_solvers_reach_the_same_minimum(rng):
    X = noisy(rng)
    als, svd = (SoftImpute(0.1, solver=s, tol=1e-7, max_iter=3000).fit(X) for s in ("als", "svd"))
    assert als.rank_ == svd.rank_
    np.testing.assert_allclose(als.complete(), svd.complete(), atol=1e-3)
    assert als.history_[-1] == pytest.approx(svd.history_[-1], rel=1e-6)


def test_balanced_factors_carry_the_nuclear_norm(rng):
    model = svd_of_product(rng.normal(size=(30, 3)), rng.normal(size=(20, 3)))
    L, R = balanced(model)
    assert objective(0.0, L, R, 2.0) == pytest.approx(2.0 * model.s.sum())
    np.testing.assert_allclose(L @ R.T, model.matrix(), atol=1e-12)


def test_the_largest_penalty_leaves_the_means(rng):
    X = noisy(rng)
    model = SoftImpute(1.0).fit(X)
    assert model.rank_ == 0
    np.testing.assert_allclose(model.complete(), np.tile(model.mean_, (60, 1)))
    assert SoftImpute(0.9).fit(X).rank_ >= 1


def test_a_warm_start_ends_where_a_cold_one_does(rng):
    X = noisy(rng)
    warm = SoftImpute(0.3, tol=1e-7, max_iter=3000, warm_start=True).fit(X)
    warm.set_params(penalty=0.1).fit(X)
    cold = SoftImpute(0.1, tol=1e-7, max_iter=3000).fit(X)
    assert warm.rank_ == cold.rank_
    np.testing.assert_allclose(warm.complete(), cold.complete(), atol=1e-3)


@pytest.mark.parametrize("center", [None, "columns", "both"])
def test_folding_in_a_fitted_row_gives_its_code_back(rng, center):
    X = noisy(rng)
    model = SoftImpute(0.1, center=center, tol=1e-7, max_iter=3000).fit(X)
    # biases of rows are learned before, and refitted together with the codes
    if center != "both":
        np.testing.assert_allclose(model.transform(X), model.row_factors_, atol=1e-3)
    assert model.transform(X).shape == model.row_factors_.shape


def test_max_rank_binds(rng):
    X = noisy(rng, noise=1.0)
    model = SoftImpute(1e-3, max_rank=2, tol=1e-6, max_iter=2000).fit(X)
    assert model.rank_ == 2
    assert model.duality_gap_ > 1e-2
    assert model.converged_


def test_streams_and_sparse_matrices_are_the_array(rng):
    X = noisy(rng)
    plain = SoftImpute(0.1).fit(X)
    stored = sp.csr_array(np.nan_to_num(X))
    np.testing.assert_allclose(SoftImpute(0.1).fit(stored).complete(), plain.complete())
    streamed = SoftImpute(0.1).fit(lowdim.stream(lambda: iter(np.split(X, [7, 30]))))
    np.testing.assert_array_equal(streamed.complete(), plain.complete())


def test_float32_agrees_with_float64(rng):
    X = noisy(rng, 200, 100)
    double, single = SoftImpute(0.05).fit(X), SoftImpute(0.05).fit(X.astype(np.float32))
    assert single.components_.dtype == single.complete().dtype == np.float32
    np.testing.assert_allclose(single.complete(), double.complete(), atol=0.05)


def test_a_matrix_of_rank_5_is_recovered_from_15_percent_of_its_entries(rng):
    truth = low_rank(rng, 500, 500, 5)
    model = SoftImpute(1e-8, tol=1e-5, center=None).fit(with_missing(truth, rng, 0.85))
    assert np.linalg.norm(model.complete() - truth) / np.linalg.norm(truth) < 1e-6


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fewer_entries_than_degrees_of_freedom_do_not_recover_it(rng):
    truth = low_rank(rng, 100, 100, 5)  # 975 degrees of freedom
    model = SoftImpute(1e-6, max_iter=100).fit(with_missing(truth, rng, 0.91))
    assert np.linalg.norm(model.complete() - truth) / np.linalg.norm(truth) > 0.1


def test_empty_rows_and_columns_are_predicted_by_the_mean(rng):
    X = noisy(rng)
    X[3], X[:, 5] = np.nan, np.nan
    model = SoftImpute(0.1).fit(X)
    np.testing.assert_allclose(model.complete()[3], model.mean_, atol=1e-8)
    assert np.ptp(model.complete()[:, 5]) < 1e-8


@pytest.mark.parametrize("scale", ["rows", "columns"])
def test_scaling_is_that_of_the_scaled_entries(rng, scale):
    truth = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 40)) * np.exp(rng.normal(size=40))
    X = np.where(rng.random(truth.shape) < 0.5, truth * np.exp(rng.normal(size=(60, 1))), np.nan)
    model = SoftImpute(0.1, scale=scale, tol=1e-9, max_iter=5000).fit(X)
    centering = learn_centering(observed(X), "columns", scale)
    inner = SoftImpute(0.1, center=None, tol=1e-9, max_iter=5000).fit(centering.apply(observed(X)))
    restored = centering.restore(sp.csr_array(inner.complete())).toarray()
    np.testing.assert_allclose(model.complete(), restored, atol=1e-4 * np.nanstd(X))
    assert model.fit(X * 1e3).penalty_ == pytest.approx(inner.penalty_, rel=1e-6)


def test_columns_scaled_are_folded_in_as_they_were_fitted(rng):
    truth = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 30)) * np.exp(rng.normal(size=30))
    X = np.where(rng.random(truth.shape) < 0.6, truth, np.nan)
    model = SoftImpute(0.1, scale="columns", tol=1e-9).fit(X)
    np.testing.assert_allclose(
        model.transform(X) @ model.components_,
        model.row_factors_ @ model.components_,
        atol=1e-3 * np.nanstd(X),
    )
