import numpy as np
import pytest
from scipy.optimize import nnls

from lowdim.linear.nmf.exact import SYSTEMS_BYTES, _gather, _runs, _scatter, nonnegative_rows
from tests.linear.nmf.examples import small_problems


def test_a_solution_worked_by_hand():
    G = np.array([[2.0, 1.0], [1.0, 2.0]])
    P = np.array([[3.0, 3.0], [4.0, 1.0], [1.0, -5.0], [-1.0, -1.0]])
    expected = [[1.0, 1.0], [2.0, 0.0], [0.5, 0.0], [0.0, 0.0]]
    np.testing.assert_allclose(nonnegative_rows(G, P), expected, atol=1e-11)


@pytest.mark.parametrize("k", [1, 6, 18])
def test_rows_are_those_of_lawson_and_hanson(k, rng):
    G, P, F, Y = small_problems(rng, k=k)
    expected = np.array([nnls(F, y)[0] for y in Y])
    np.testing.assert_allclose(nonnegative_rows(G, P), expected, atol=1e-7)


def test_the_start_changes_nothing(rng):
    G, P, _, _ = small_problems(rng)
    Z = nonnegative_rows(G, P)
    np.testing.assert_allclose(nonnegative_rows(G, P, rng.random(P.shape)), Z, atol=1e-10)


def test_more_components_than_columns_have_one_solution_and_it_is_a_best_one(rng):
    G, P, F, Y = small_problems(rng, d=5, k=9)
    Z = nonnegative_rows(G, P)
    for y, z in zip(Y, Z, strict=True):
        assert np.linalg.norm(y - F @ z) <= nnls(F, y)[1] + 1e-9
    np.testing.assert_array_equal(nonnegative_rows(G, P), Z)


def test_what_is_gathered_is_the_used_part_filled_up_with_the_unit_matrix(rng):
    G, P, k, m = rng.random((7, 7)), rng.random((5, 7)), 7, 4
    used = np.zeros((5, k), bool)
    for i, n in enumerate([4, 0, 2, 3, 4]):
        used[i, rng.choice(k, n, replace=False)] = True
    rows = np.array([3, 2, 0])
    A, b, X = np.empty((3, m, m)), np.empty((3, m)), np.zeros((5, k))
    _gather(G, P, used, rows, np.empty(k, np.intp), A, b)
    _scatter(used, rows, b, X)
    np.testing.assert_array_equal(X[rows], np.where(used[rows], P[rows], 0.0))
    assert not X[[1, 4]].any()
    for part, right, own in zip(A, b, used[rows], strict=True):
        F = np.flatnonzero(own)
        expected = np.eye(m)
        expected[: len(F), : len(F)] = G[np.ix_(F, F)]
        np.testing.assert_array_equal(np.triu(part), np.triu(expected))
        assert not right[len(F) :].any()


def test_equations_that_are_written_down_together_stay_in_their_memory(rng):
    count = np.concatenate([np.zeros(5, int), np.ones(2000, int), rng.integers(1, 60, 1000)])
    order = np.argsort(count, kind="stable")
    runs = _runs(order, count)
    np.testing.assert_array_equal(np.concatenate(runs), order[5:])
    for rows in runs:
        assert len(rows) <= 4 or 8 * len(rows) * count[rows].max() ** 2 <= SYSTEMS_BYTES


def test_rows_that_are_worked_on_together_change_nothing(rng, monkeypatch):
    G, P, _, _ = small_problems(rng, k=6)
    Z = nonnegative_rows(G, P)
    monkeypatch.setattr("lowdim.linear.nmf.exact.NUMBERS_AT_A_TIME", 13)
    np.testing.assert_allclose(nonnegative_rows(G, P), Z, rtol=1e-12, atol=1e-14)


def test_equal_components_and_components_of_zeros_are_no_trouble():
    F = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    Z = nonnegative_rows(F.T @ F, np.array([[2.0, 2.0]]) @ F)
    assert np.isfinite(Z).all() and (Z >= 0).all()
    assert Z[0, :2].sum() == pytest.approx(2.0)
