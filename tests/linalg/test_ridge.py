"""Row-wise ridge regressions: the kernels against plain NumPy, one row at a time."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.linalg import ridge
from lowdim.linalg.ridge import Regression, row_systems, solve_rows, solve_systems

each_feedback = pytest.mark.parametrize("implicit", [False, True], ids=["explicit", "implicit"])
each_count = pytest.mark.parametrize("by_count", [False, True])


def some_entries(rng, least=0.0):
    """9 x 8, about four in ten missing."""
    values = rng.random((9, 8)) + least
    return sp.csr_array(np.where(rng.random((9, 8)) < 0.4, 0.0, values))


def regression(rng, m, q, *, penalty=0.3, by_count=False, implicit=False, dtype=np.float64):
    F = rng.normal(size=(m, q)).astype(dtype)
    offset = np.zeros(m) if implicit else rng.normal(size=m)
    gram = F.T @ F if implicit else None
    return Regression(F, offset, np.full(q, penalty), by_count, gram)


def equations(X, on, weight, i):
    """Normal equations of row i, the plain way."""
    cut = slice(X.indptr[i], X.indptr[i + 1])
    F, y, w = on.F[X.indices[cut]], X.data[cut], weight[cut]
    P = np.diag(on.penalty * (w.sum() if on.by_count else 1.0))
    if on.gram is not None:
        return P + on.gram + (F * (w * y)[:, None]).T @ F, F.T @ (w * (1.0 + y))
    return P + (F * w[:, None]).T @ F, F.T @ (w * (y - on.offset[X.indices[cut]]))


def loss_at_zero(X, on, weight, i):
    """Of row i, without penalty."""
    cut = slice(X.indptr[i], X.indptr[i + 1])
    y = X.data[cut]
    squares = 1.0 + y if on.gram is not None else (y - on.offset[X.indices[cut]]) ** 2
    return weight[cut] @ squares


# Golden values


def test_one_factor_of_one_row_has_a_closed_form():
    X = sp.csr_array([[1.0, 0.0, 3.0]])
    on = Regression(np.array([[2.0], [5.0], [1.0]]), np.zeros(3), np.array([0.5]))
    Z, loss = solve_rows(X, on)
    assert Z[0, 0] == pytest.approx(5.0 / 5.5, rel=1e-15)  # (2 + 3) / (4 + 1 + 1/2)
    assert loss[0] == pytest.approx(10.0 - 25.0 / 5.5, rel=1e-14)


# The kernels and their twin


@each_feedback
@each_count
def test_the_kernel_equals_its_numpy_twin(rng, implicit, by_count):
    X = some_entries(rng, 0.5)
    weight = rng.random(X.nnz) + 0.1
    on = regression(rng, 8, 3, by_count=by_count, implicit=implicit)
    run = solve_rows(X, on, weight=weight)
    for i in range(9):
        A, b = equations(X, on, weight, i)
        z = np.linalg.lstsq(A, b)[0]  # a row may have no entry, and no penalty then
        np.testing.assert_allclose(run.Z[i], z, rtol=1e-9, atol=1e-12)
        constant = loss_at_zero(X, on, weight, i)
        np.testing.assert_allclose(run.loss[i], constant - b @ z, rtol=1e-9, atol=1e-12)


def test_rows_longer_than_the_buffer_are_solved_all_the_same(rng):
    m = ridge.CHUNK + 700
    X = sp.csr_array(np.vstack([rng.normal(size=m), np.zeros(m)]))
    on = regression(rng, m, 4)
    A, b = equations(X, on, np.ones(m), 0)
    exact = np.linalg.solve(A, b)
    for method in ("cholesky", "cg"):
        solved = solve_rows(X, on, method=method, steps=20)
        np.testing.assert_allclose(solved.Z[0], exact, rtol=1e-9)
        left = X.data - on.offset - on.F @ exact
        assert solved.loss[0] == pytest.approx(left @ left + 0.3 * exact @ exact, rel=1e-10)
        np.testing.assert_array_equal(solved.Z[1], 0.0)


@each_feedback
def test_conjugate_gradients_reach_the_exact_solution_in_as_many_steps_as_unknowns(rng, implicit):
    X = some_entries(rng, 0.5)
    weight = X.data - 0.4
    on = regression(rng, 8, 3, implicit=implicit)
    exact = solve_rows(X, on, weight=weight)
    start = rng.normal(size=exact.Z.shape)
    found = solve_rows(X, on, weight=weight, method="cg", steps=6, start=start)
    np.testing.assert_allclose(found.Z, exact.Z, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.loss, exact.loss, rtol=1e-9, atol=1e-12)


@each_feedback
def test_every_step_of_conjugate_gradients_lowers_the_loss_it_reports(rng, implicit):
    X = some_entries(rng, 0.5)
    weight = X.data - 0.4
    on = regression(rng, 8, 5, implicit=implicit)
    start = rng.normal(size=(9, 5))
    losses = [
        solve_rows(X, on, weight=weight, method="cg", steps=s, start=start).loss
        for s in range(1, 5)
    ]
    assert (np.diff(losses, axis=0) <= 1e-12 * np.abs(losses[0])).all()
    # the loss reported after some steps is the loss at the codes returned
    Z = solve_rows(X, on, weight=weight, method="cg", steps=2, start=start).Z
    for i in range(9):
        A, b = equations(X, on, weight, i)
        constant = loss_at_zero(X, on, weight, i)
        wanted = constant - 2 * b @ Z[i] + Z[i] @ A @ Z[i]
        assert losses[1][i] == pytest.approx(wanted, rel=1e-10)


@each_feedback
def test_non_negative_codes_satisfy_the_conditions_of_karush_kuhn_and_tucker(rng, implicit):
    X = some_entries(rng)
    weight = X.data + 0.1
    on = regression(rng, 8, 4, implicit=implicit)
    Z = solve_rows(X, on, weight=weight, method="nonnegative").Z
    assert (Z >= 0).all()
    for i in range(9):
        A, b = equations(X, on, weight, i)
        slope = A @ Z[i] - b
        size = np.abs(b).max(initial=1.0)
        assert (slope >= -1e-8 * size).all()  # no coordinate wants to rise
        assert np.abs(slope * Z[i]).max() <= 1e-8 * size  # and one above 0 wants nothing


@each_feedback
@each_count
def test_normal_equations_added_up_over_blocks_give_the_same_codes(rng, implicit, by_count):
    X = some_entries(rng, 0.5)
    weight = X.data - 0.4
    on = regression(rng, 8, 3, by_count=by_count, implicit=implicit)
    systems = row_systems(X, on, weight=weight)
    for method in ("cholesky", "nonnegative"):
        one = solve_rows(X, on, weight=weight, method=method).Z
        added = solve_systems(systems, on.penalty, by_count=by_count, gram=on.gram, method=method)
        np.testing.assert_allclose(added, one, atol=1e-9)


def test_without_a_penalty_what_no_entry_determines_is_zero():
    X = sp.csr_array([[2.0, 0.0], [0.0, 0.0]])
    F = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    Z, loss = solve_rows(X, Regression(F, np.zeros(2), np.zeros(3)))
    np.testing.assert_allclose(Z, [[2, 0, 0], [0, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(loss, 0, atol=1e-28)


# Properties


@pytest.mark.parametrize("method", ["cholesky", "cg", "nonnegative"])
def test_cuts_and_threads_change_no_bit(rng, monkeypatch, method):
    X = sp.csr_array(np.where(rng.random((40, 8)) < 0.5, 0.0, rng.normal(size=(40, 8))))
    on = regression(rng, 8, 5)
    whole = solve_rows(X, on, method=method)
    monkeypatch.setattr(ridge, "WORK_PER_CUT", 500)
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            cut = solve_rows(X, on, method=method)
        np.testing.assert_array_equal(cut.Z, whole.Z)
        np.testing.assert_array_equal(cut.loss, whole.loss)


def test_float32_factors_give_float32_codes_and_losses_in_float64(rng):
    X = some_entries(rng, 0.5)
    on = regression(rng, 8, 3, dtype=np.float32)
    single, double = solve_rows(X, on), solve_rows(X, on._replace(F=on.F.astype(np.float64)))
    assert single.Z.dtype == np.float32 and single.loss.dtype == np.float64
    np.testing.assert_allclose(single.Z, double.Z, rtol=1e-3, atol=1e-4)


def test_the_start_is_left_as_it_is(rng):
    X, on, start = some_entries(rng, 0.5), regression(rng, 8, 3), rng.normal(size=(9, 3))
    before = start.copy()
    solve_rows(X, on, method="cg", start=start)
    np.testing.assert_array_equal(start, before)
