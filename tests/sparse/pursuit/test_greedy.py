"""Orthogonal matching pursuit and orthogonal least squares from the Gram matrix."""

import numpy as np
import pytest

from lowdim.sparse.pursuit.greedy import ols, omp
from tests.sparse.pursuit.examples import greedy_twin, unit_atoms


def coded(method, D, X, *args):
    return method(D @ D.T, X @ D.T, (X**2).sum(axis=1), *args)


def test_one_atom_makes_both_ones():
    D = np.array([[1.0, 0.0], [0.0, 1.0], [0.5**0.5, 0.5**0.5]])
    for method in (omp, ols):
        Z = coded(method, D, np.array([[1.0, 1.0]]), 1).toarray()
        np.testing.assert_allclose(Z, [[0, 0, 2**0.5]], rtol=1e-15)


@pytest.mark.parametrize("method", [omp, ols])
@pytest.mark.parametrize(("k", "d", "s"), [(12, 8, 3), (40, 16, 7), (130, 20, 9), (3, 5, 3)])
def test_kernel_equals_the_textbook(rng, method, k, d, s):
    D, X = unit_atoms(rng, k, d), rng.standard_normal((15, d))
    D *= rng.uniform(0.5, 2.0, (k, 1))  # of any length
    twin = [greedy_twin(D, x, s, least_squares=method is ols) for x in X]
    np.testing.assert_allclose(coded(method, D, X, s).toarray(), twin, atol=1e-9)


@pytest.mark.parametrize("method", [omp, ols])
def test_a_row_is_done_when_its_error_is_small(rng, method):
    D, X = unit_atoms(rng, 30, 12), rng.standard_normal((20, 12))
    enough = rng.uniform(0.1, 3.0, 20)
    Z = coded(method, D, X, 12, enough).toarray()
    assert (((X - Z @ D) ** 2).sum(axis=1) <= enough + 1e-12).all()
    twin = [greedy_twin(D, *row, least_squares=method is ols) for row in zip(X, [12] * 20, enough)]
    np.testing.assert_allclose(Z, twin, atol=1e-9)
