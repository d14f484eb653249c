"""Kernels for small dense systems, against LAPACK and the conditions of the minimum."""

import numpy as np
import pytest

from lowdim.linalg.small import (
    factor_block,
    solve_factored,
    solve_nonnegative,
    solve_semidefinite,
)

each_size = pytest.mark.parametrize("q", [1, 3, 4, 5, 11])  # panels of four rows, and what is left


def definite(rng, q):
    B = rng.normal(size=(q + 5, q))
    return B.T @ B + 0.1 * np.eye(q)


# Golden values


def test_a_system_worked_by_hand():
    A, Z = np.array([[[4.0, 2.0], [np.nan, 5.0]]]), np.empty((1, 2))  # no lower triangle is read
    solve_semidefinite(A, np.array([[8.0, 8.0]]), Z)
    np.testing.assert_array_equal(np.triu(A[0]), np.array([[2.0, 1.0], [0.0, 2.0]]))
    np.testing.assert_array_equal(Z, [[1.5, 1.0]])


def test_what_the_other_components_explain_gets_zero():
    A, Z = np.stack([np.ones((2, 2)), np.zeros((2, 2))]), np.empty((2, 2))
    solve_semidefinite(A, np.array([[3.0, 3.0], [0.0, 0.0]]), Z)
    np.testing.assert_array_equal(Z, [[3.0, 0.0], [0.0, 0.0]])


def test_a_coordinate_that_wants_to_be_negative_is_zero():
    Z = np.zeros((1, 2))
    solve_nonnegative(np.array([[[2.0, 1.0], [0.0, 2.0]]]), np.array([[2.0, -1.0]]), Z)
    np.testing.assert_array_equal(Z, [[1.0, 0.0]])


# Against LAPACK


@each_size
def test_systems_are_solved_as_by_lapack(rng, q):
    A, b = np.stack([definite(rng, q) for _ in range(3)]), rng.normal(size=(3, q))
    U, Z = A.copy(), np.empty((3, q))
    solve_semidefinite(U, b, Z)
    np.testing.assert_allclose(Z, np.linalg.solve(A, b[..., None])[..., 0], rtol=1e-8, atol=1e-10)
    upper = np.linalg.cholesky(A).swapaxes(1, 2)
    np.testing.assert_allclose(np.triu(U), upper, rtol=1e-8, atol=1e-10)


@each_size
def test_the_kernel_equals_its_plain_form(rng, q):
    A, b = definite(rng, q)[None], rng.normal(size=(1, q))
    compiled, plain = np.empty((1, q)), np.empty((1, q))
    solve_semidefinite(A.copy(), b, compiled)
    solve_semidefinite.python(A.copy(), b, plain)
    np.testing.assert_allclose(compiled, plain, rtol=1e-10)


@each_size
def test_a_block_is_factored_and_solves_any_number_of_right_sides(rng, q):
    A = definite(rng, q + 3)
    index = rng.permutation(q + 3)[:q]
    block, U = A[np.ix_(index, index)], np.empty((q + 3, q + 3))
    log_det = factor_block(A, np.array([[0, *index, 0]]), 0, 1, q + 1, U)
    assert log_det == pytest.approx(np.linalg.slogdet(block)[1], rel=1e-9, abs=1e-9)
    L = np.linalg.cholesky(block)
    np.testing.assert_allclose(np.triu(U[:q, :q]), L.T, rtol=1e-8, atol=1e-10)

    z = rng.normal(size=q + 3)
    solved = z.copy()
    square = solve_factored(U, solved, q)
    wanted = np.linalg.solve(block, z[:q])
    np.testing.assert_allclose(solved[:q], wanted, rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(solved[q:], z[q:])
    assert square == pytest.approx(z[:q] @ wanted, rel=1e-9)


def test_a_pivot_that_is_all_rounding_is_kept_above_zero():
    A, U = np.ones((2, 2)), np.zeros((2, 2))
    log_det = factor_block(A, np.arange(2)[None], 0, 0, 2, U)
    assert U[1, 1] == np.sqrt(np.finfo(float).eps)
    assert log_det == np.log(np.finfo(float).eps)


# The conditions of the minimum


@each_size
def test_nonnegative_solutions_satisfy_karush_kuhn_and_tucker(rng, q):
    A, b, z = definite(rng, q), rng.normal(size=q), np.abs(rng.normal(size=q))
    solve_nonnegative(np.triu(A)[None], b[None], z[None])
    slope, size = A @ z - b, np.abs(b).max()
    assert (z >= 0).all()
    assert (slope >= -1e-8 * size).all()
    assert np.abs(slope * z).max() <= 1e-8 * size
