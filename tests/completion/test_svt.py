"""Singular value thresholding: the kicking start, the dual, the optimality condition, recovery."""

import numpy as np
import pytest

from lowdim import SVT
from lowdim.completion.entries import observed
from lowdim.completion.svt import dual_at, dual_objective, dual_start, next_dual
from lowdim.linalg import shrink
from lowdim.linalg.sparse import both_ways
from tests.completion.planted import low_rank, with_missing


def entries_of(X):
    return both_ways(observed(X))


def test_the_kick_is_the_number_of_steps_that_leave_x_at_zero(rng):
    entries = entries_of(with_missing(low_rank(rng, 30, 20, 2), rng, 0.5))
    dense, tau, step = entries.by_rows.toarray(), 200.0, 2.0
    Q = np.zeros_like(dense)
    while not shrink(Q, tau).any():  # the plain iteration from Q = 0, until X begins to move
        Q += step * dense
    start = dual_start(entries, tau, step)
    np.testing.assert_allclose(start.q * tau, entries.with_values(Q[dense != 0]).values, rtol=1e-9)


def test_a_step_is_that_of_the_dense_iteration(rng):
    X = with_missing(low_rank(rng, 30, 20, 2), rng, 0.5)
    entries, tau, step = entries_of(X), 50.0, 1.5
    dense, seen = np.nan_to_num(X), ~np.isnan(X)
    at = dual_start(entries, tau, step)
    Q = np.zeros_like(dense)
    Q[seen] = at.q * tau
    new = next_dual(at, entries, tau)
    Q += step * seen * (dense - shrink(Q, tau))
    np.testing.assert_allclose(new.q * tau, Q[seen], atol=1e-6 * np.abs(Q).max())
    np.testing.assert_allclose(new.model().matrix(), shrink(Q, tau), atol=1e-5)


def test_the_residual_is_the_gradient_of_the_dual(rng):
    entries = entries_of(with_missing(low_rank(rng, 20, 15, 2), rng, 0.4))
    tau = 10.0
    q = rng.normal(size=len(entries.values))
    at = dual_at(q, entries, tau, 1.0)
    h, direction = 1e-6, rng.normal(size=len(q))
    up, down = (dual_at(q + e * direction, entries, tau, 1.0) for e in (h, -h))
    slope = dual_objective(up, entries, tau) - dual_objective(down, entries, tau)
    # -g / (N tau), and q is Q / tau
    expected = -np.dot(at.residual, direction) / len(q)
    assert slope / (2 * h) == pytest.approx(expected, rel=1e-4, abs=1e-8)


def test_the_dual_never_falls(rng):
    X = with_missing(low_rank(rng, 60, 50, 2), rng, 0.4)
    history = SVT(tol=1e-7).fit(X).history_
    # it is judged by slopes, which are exact to second order
    assert np.all(np.diff(history) <= 1e-6 * abs(history[0]))


def test_the_solution_meets_the_entries_and_its_optimality_condition(rng):
    # Q on the observed entries with X = shrink(Q) and P(X) = Y is the condition for the minimum
    X = with_missing(low_rank(rng, 60, 50, 2), rng, 0.4)
    model = SVT(tol=1e-8, max_iter=2000).fit(X)
    seen = ~np.isnan(X)
    np.testing.assert_allclose(model.complete()[seen], X[seen], atol=1e-6 * model.scale_)
    # where the iteration ends, at tol, a third singular value may not be gone yet
    assert (model.singular_values_[2:] < 1e-6 * model.singular_values_[0]).all()


def test_a_complete_matrix_is_reproduced(rng):
    X = rng.normal(size=(20, 10))
    np.testing.assert_allclose(SVT(tol=1e-9).fit(X).complete(), X, atol=1e-7)


def test_units_do_not_matter(rng):
    X = with_missing(low_rank(rng, 60, 50, 2), rng, 0.4)
    np.testing.assert_allclose(
        SVT().fit(1e-3 * X).complete(), 1e-3 * SVT().fit(X).complete(), rtol=1e-6, atol=1e-12
    )


def test_a_step_that_is_too_long_is_cut(rng):
    X = with_missing(low_rank(rng, 60, 50, 2), rng, 0.4)
    model = SVT(step=100.0, tol=1e-6, max_iter=2000).fit(X)
    assert model.converged_


def test_a_matrix_of_rank_5_is_recovered_from_15_percent_of_its_entries(rng):
    truth = low_rank(rng, 500, 500, 5)
    model = SVT(tol=4e-7).fit(with_missing(truth, rng, 0.85))
    error = np.linalg.norm(model.complete() - truth) / np.linalg.norm(truth)
    assert error < 1e-6
    assert model.rank_ == 5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fewer_entries_than_degrees_of_freedom_do_not_recover_it(rng):
    truth = low_rank(rng, 100, 100, 5)  # 975 degrees of freedom
    model = SVT(max_iter=100).fit(with_missing(truth, rng, 0.91))
    assert np.linalg.norm(model.complete() - truth) / np.linalg.norm(truth) > 0.1


def test_entries_that_are_all_the_mean_need_no_component():
    X = np.full((5, 4), 3.0)
    model = SVT(center="global").fit(X)
    assert model.rank_ == 0
    np.testing.assert_allclose(model.complete(), X)
    assert model.transform(X).shape == (5, 1)


def test_fitted_rows_are_coded_as_they_were_fitted(rng):
    """X is the minimum only if each row's code is the smallest, in the norm of 1 + tau / s."""
    X = with_missing(low_rank(rng, n=60, d=12, noise=0.3), rng)
    model = SVT(tol=1e-7, max_iter=5000).fit(X)
    assert model.rank_ > 6  # rows have fewer entries than the model components
    np.testing.assert_allclose(model.transform(X), model.row_factors_, atol=1e-4)
    np.testing.assert_allclose(
        model.impute(X)[np.isnan(X)], model.complete()[np.isnan(X)], atol=1e-4
    )
