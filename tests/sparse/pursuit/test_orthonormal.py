"""Formulas of pursuit in an orthonormal basis, against the pursuits themselves."""

import numpy as np

from lowdim.sparse.min_l1.solve import basis_pursuit
from lowdim.sparse.pursuit.greedy import omp
from lowdim.sparse.pursuit.lasso import lars, lasso
from lowdim.sparse.pursuit.orthonormal import (
    largest_numbers,
    shrunk,
    shrunk_to_count,
    shrunk_to_error,
)


def test_formulas_equal_the_pursuits(rng):
    C, G = rng.standard_normal((12, 9)), np.eye(9)
    squares = (C**2).sum(axis=1)
    np.testing.assert_allclose(largest_numbers(C, 3), omp(G, C, squares, 3).toarray())
    enough = 0.3 * squares
    expected = omp(G, C, squares, 9, enough).toarray()
    np.testing.assert_allclose(largest_numbers(C, 9, enough), expected)
    np.testing.assert_allclose(shrunk(C, 0.4), lasso(G, C, 0.4).toarray(), atol=1e-12)
    positive = lasso(G, C, 0.4, positive=True).toarray()
    np.testing.assert_allclose(shrunk(C, 0.4, True), positive, atol=1e-12)
    np.testing.assert_allclose(shrunk_to_count(C, 4), lars(G, C, 4).toarray(), atol=1e-12)


def test_a_code_is_shrunk_as_far_as_the_error_allows(rng):
    C = rng.standard_normal((6, 9))
    enough = np.array([0.0, 0.01, 0.1, 0.5, 0.9, 1.0]) * (C**2).sum(axis=1)
    Z = shrunk_to_error(C, enough)
    np.testing.assert_allclose(((C - Z) ** 2).sum(axis=1), enough, atol=1e-12)
    for c, z, e in zip(C[1:-1], Z[1:-1], enough[1:-1], strict=True):
        np.testing.assert_allclose(z, basis_pursuit(np.eye(9), c, noise=e**0.5).coef, atol=1e-7)
