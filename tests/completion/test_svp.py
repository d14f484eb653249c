"""Singular value projection: the best step by hand, monotone descent, exact recovery."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim import SVP
from lowdim.completion.entries import Entries, observed
from lowdim.completion.svp import low_rank_fit, projected, tangent_step
from lowdim.linalg import best_rank_k
from lowdim.linalg.sparse import both_ways, top_svd
from tests.completion.planted import low_rank, with_missing


def relative_error(model, truth):
    return np.linalg.norm(model.complete() - truth) / np.linalg.norm(truth)


def test_a_complete_matrix_gives_its_best_approximation_in_one_step(rng):
    X = rng.normal(size=(30, 20))
    model = SVP(3, step=1.0, tol=1e-12).fit(X)
    np.testing.assert_allclose(model.complete(), best_rank_k(X, 3).approximation, atol=1e-6)
    np.testing.assert_allclose(
        model.singular_values_, np.linalg.svd(X, compute_uv=False)[:3], rtol=1e-9
    )


def test_the_fourth_corner_of_a_rank_one_square_is_the_product():
    X = np.array([[2.0, 6.0], [5.0, np.nan]])
    model = SVP(1, max_iter=5000, tol=1e-13).fit(X)
    assert model.complete()[1, 1] == pytest.approx(15.0, rel=1e-4)


def test_a_projected_step_is_the_truncated_svd_of_the_dense_step(rng):
    X = with_missing(low_rank(rng, 60, 40, 3), rng, 0.6)
    entries = both_ways(observed(X))
    model = top_svd(entries, 3)
    at = low_rank_fit(model, entries)
    gradient = entries.with_values(at.residual)
    new = projected(model, gradient, 1.7, 3)
    dense = model.matrix() + 1.7 * gradient.by_rows.toarray()
    np.testing.assert_allclose(new.matrix(), best_rank_k(dense, 3).approximation, atol=1e-5)


def test_the_automatic_step_minimises_the_objective_along_the_tangent(rng):
    X = with_missing(low_rank(rng, 40, 30, 2), rng, 0.5)
    entries = both_ways(observed(X))
    at = low_rank_fit(top_svd(entries, 2), entries)
    G = entries.with_values(at.residual).by_rows.toarray()
    P, Q = at.U @ at.U.T, at.Vt.T @ at.Vt
    T = P @ G + G @ Q - P @ G @ Q
    seen = T[~np.isnan(X)]

    def J(step):
        return np.sum((at.residual - step * seen) ** 2)

    best = tangent_step(at, entries.with_values(at.residual), 2)
    assert J(best) < min(J(0.99 * best), J(1.01 * best))


@pytest.mark.parametrize("step", ["auto", 1.0, 20.0])
def test_the_objective_never_rises(rng, step):
    X = with_missing(low_rank(rng, 50, 40, 3) + 0.3 * rng.normal(size=(50, 40)), rng, 0.6)
    history = SVP(3, step=step, max_iter=60, tol=0).fit(X).history_
    assert np.all(np.diff(history) <= 1e-12 * history[0])


def test_rows_columns_and_units_may_be_exchanged(rng):
    X = with_missing(low_rank(rng, 50, 40, 2), rng, 0.5)
    plain = SVP(2, tol=1e-10).fit(X).complete()
    np.testing.assert_allclose(SVP(2, tol=1e-10).fit(X.T).complete().T, plain, atol=1e-5)
    np.testing.assert_allclose(SVP(2, tol=1e-10).fit(1e3 * X).complete(), 1e3 * plain, rtol=1e-6)


def test_sparse_and_entries_are_the_array_with_nan(rng):
    X = with_missing(low_rank(rng, 50, 40, 2), rng, 0.5)
    plain = SVP(2).fit(X)
    stored = sp.csr_array(observed(X))
    for other in (stored, sp.csc_array(stored), Entries(X)):
        np.testing.assert_array_equal(SVP(2).fit(other).complete(), plain.complete())


def test_a_warm_start_at_the_solution_stays(rng):
    X = with_missing(low_rank(rng, 50, 40, 2), rng, 0.5)
    model = SVP(2, tol=1e-9, warm_start=True).fit(X)
    before = model.complete()
    model.fit(X)
    assert model.n_iter_ <= 3
    np.testing.assert_allclose(model.complete(), before, atol=1e-6)
    with pytest.raises(ValueError, match="warm_start=True goes on from the last fit"):
        model.fit(X[:20])


def test_folding_in_a_fitted_row_gives_its_code_back(rng):
    X = with_missing(low_rank(rng, 60, 40, 2), rng, 0.5)
    model = SVP(2, tol=1e-12, max_iter=2000).fit(X)
    np.testing.assert_allclose(model.transform(X), model.row_factors_, atol=1e-5)


def test_a_matrix_of_rank_5_is_recovered_from_15_percent_of_its_entries(rng):
    truth = low_rank(rng, 500, 500, 5)
    model = SVP(5, tol=1e-9).fit(with_missing(truth, rng, 0.85))
    assert relative_error(model, truth) < 1e-6


def test_fewer_entries_than_degrees_of_freedom_do_not_recover_it(rng):
    truth = low_rank(rng, 100, 100, 5)  # 975 degrees of freedom
    X = with_missing(truth, rng, 0.91)
    model = SVP(5, max_iter=100, tol=0).fit(X)
    assert relative_error(model, truth) > 0.1


def test_empty_rows_and_columns_are_predicted_by_the_mean(rng):
    X = with_missing(low_rank(rng, 50, 40, 2), rng, 0.4)
    X[3], X[:, 5] = np.nan, np.nan
    model = SVP(2, center="columns").fit(X)
    np.testing.assert_allclose(model.complete()[3], model.mean_, atol=1e-8)
    assert np.isfinite(model.complete()).all()
    with pytest.raises(ValueError, match="no observed entries"):
        SVP(2).fit(np.full((5, 4), np.nan))


def test_parts_that_share_nothing_are_completed_each_on_its_own(rng):
    X = np.full((60, 40), np.nan)
    X[:30, :20], X[30:, 20:] = low_rank(rng, 30, 20, 1), low_rank(rng, 30, 20, 1)
    model = SVP(2, tol=1e-12).fit(X)
    np.testing.assert_allclose(model.complete()[:30, :20], X[:30, :20], atol=1e-6)
    assert np.abs(model.complete()[:30, 20:]).max() < 1e-6


def test_weights_are_refused(rng):
    entries = Entries(rng.normal(size=(5, 4)), weight=np.ones((5, 4)))
    with pytest.raises(ValueError, match="counts every entry the same"):
        SVP(1).fit(entries)
