"""Orthogonal matching pursuit and orthogonal least squares from the Gram matrix."""

import numpy as np
import pytest

import lowdim
from lowdim import sparse
from lowdim.sparse.pursuit.greedy import as_csr, ols, omp, pursue, rows_at_a_time
from tests.sparse.pursuit.examples import greedy_twin, planted, unit_atoms

both = pytest.mark.parametrize("method", [omp, ols])


def coded(method, D, X, *args):
    return method(D @ D.T, X @ D.T, (X**2).sum(axis=1), *args)


@both
def test_one_atom_makes_both_ones(method):
    D = np.array([[1.0, 0.0], [0.0, 1.0], [0.5**0.5, 0.5**0.5]])
    Z = coded(method, D, np.array([[1.0, 1.0]]), 1).toarray()
    np.testing.assert_allclose(Z, [[0, 0, 2**0.5]], rtol=1e-15)


@both
@pytest.mark.parametrize(("k", "d", "s"), [(12, 8, 3), (40, 16, 7), (130, 20, 9), (3, 5, 3)])
def test_kernel_equals_the_textbook(rng, method, k, d, s):
    D, X = unit_atoms(rng, k, d), rng.standard_normal((15, d))
    D *= rng.uniform(0.5, 2.0, (k, 1))  # of any length
    twin = [greedy_twin(D, x, s, least_squares=method is ols) for x in X]
    np.testing.assert_allclose(coded(method, D, X, s).toarray(), twin, atol=1e-8)


@both
def test_a_row_is_done_when_its_error_is_small(rng, method):
    D, X = unit_atoms(rng, 30, 12), rng.standard_normal((20, 12))
    enough = rng.uniform(0.1, 3.0, 20)
    Z = coded(method, D, X, 12, enough).toarray()
    assert (((X - Z @ D) ** 2).sum(axis=1) <= enough + 1e-12).all()
    given = zip(X, [12] * 20, enough, strict=True)
    twin = [greedy_twin(D, *row, least_squares=method is ols) for row in given]
    np.testing.assert_allclose(Z, twin, atol=1e-8)


@both
def test_codes_are_float32_in_float32(rng, method):
    D, X = unit_atoms(rng, 40, 16), rng.standard_normal((10, 16))
    single = coded(method, D.astype(np.float32), X.astype(np.float32), 3)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single.toarray(), coded(method, D, X, 3).toarray(), atol=1e-4)


def test_ols_leaves_no_more_than_any_other_atom_would(rng):
    D, X = unit_atoms(rng, 30, 10), rng.standard_normal((10, 10))
    first, second = (coded(ols, D, X, s).toarray() for s in (1, 2))
    for x, z, both_ in zip(X, first, second, strict=True):
        (j,) = np.flatnonzero(z)
        left = [np.linalg.lstsq(D[[j, m]].T, x)[1][0] for m in range(30) if m != j]
        assert ((x - both_ @ D) ** 2).sum() <= min(left) + 1e-12


@both
def test_what_guarantees_promise_is_found(rng, method):
    U = sparse.union(sparse.basis("identity", 32), sparse.basis("hadamard", 32))
    s = sparse.guarantees(U).sparsity
    D = U.matrix().T
    Z = np.zeros((30, 64))
    for z in Z:
        z[rng.choice(64, s, replace=False)] = rng.uniform(0.1, 2, s) * rng.choice([-1, 1], s)
    np.testing.assert_allclose(coded(method, D, Z @ D, s).toarray(), Z, atol=1e-10)


@both
def test_the_sparsest_code_is_found(rng, method):
    D, _, X = planted(rng, 5, 12, 10, 2)
    for x, z in zip(X, coded(method, D, X, 2).toarray(), strict=True):
        if np.linalg.norm(x - z @ D) < 1e-9:  # else it was misled
            np.testing.assert_allclose(z, sparse.sparsest(D.T, x).coef, atol=1e-9)


def test_dependent_atoms_end_a_code_early(rng):
    D = unit_atoms(rng, 6, 3)
    X = rng.standard_normal((4, 3))
    found = pursue(D @ D.T, X @ D.T, (X**2).sum(axis=1), 5)
    assert found.ended_early.all() and (np.diff(found.codes.indptr) == 3).all()
    np.testing.assert_allclose(found.codes @ D, X, atol=1e-9)
    assert not pursue(D @ D.T, X @ D.T, (X**2).sum(axis=1), 3).ended_early.any()


def test_rows_of_zeros_have_no_atoms(rng):
    D, X = unit_atoms(rng, 6, 3), np.zeros((2, 3))
    for method in (omp, ols):
        assert coded(method, D, X, 2).nnz == 0


@both
def test_codes_do_not_depend_on_threads_or_other_rows(rng, method):
    D, X = unit_atoms(rng, 50, 20), rng.standard_normal((300, 20))
    with lowdim.config_context(threads=1):
        one = coded(method, D, X, 5)
    with lowdim.config_context(threads=3):
        three = coded(method, D, X, 5)
    assert abs(one - three).max() == 0
    part = coded(method, D, X[100:104], 5).toarray()
    np.testing.assert_allclose(part, one[100:104].toarray(), atol=1e-12)


def test_pieces_have_a_row_at_least_and_a_limit():
    assert rows_at_a_time(1, 10, 2**15) == 1 and rows_at_a_time(10**6, 2**19, 2**19) == 1
    assert rows_at_a_time(10**6, 8, 2**9) == 2**15
    assert rows_at_a_time(1000, 8, 2**12) == 250 and rows_at_a_time(100, 8, 2**9) == 32


def test_entries_become_rows_ordered_by_columns():
    index, value = np.array([[5, 2], [1, 9]]), np.array([[1.0, 2.0], [3.0, 9.0]])
    found = as_csr(index, value, np.array([2, 1]), 6)
    assert found.indices.tolist() == [2, 5, 1] and found.data.tolist() == [2.0, 1.0, 3.0]
