"""Pursuits that keep the largest."""

import numpy as np
import pytest

from lowdim.sparse.pursuit.hard import cosamp, iht, keep_largest, least_squares_on
from tests.sparse.pursuit.examples import planted, unit_atoms

both = pytest.mark.parametrize("method", [iht, cosamp])


def test_the_largest_stay_and_of_equals_the_first():
    Z = keep_largest(np.array([[1.0, -3.0, 2.0], [1.0, 1.0, 1.0]]), 2)
    assert Z.tolist() == [[0, -3, 2], [1, 1, 0]]
    assert keep_largest(np.ones((1, 2)), 5).tolist() == [[1, 1]]


def test_least_squares_on_some_atoms(rng):
    D, X = unit_atoms(rng, 12, 8), rng.standard_normal((5, 8))
    used = rng.random((5, 12)) < 0.3
    for x, z, u in zip(X, least_squares_on(D, X, used), used, strict=True):
        assert not z[~u].any()
        np.testing.assert_allclose(z[u], np.linalg.lstsq(D[u].T, x)[0], atol=1e-10)


@both
def test_planted_codes_are_found(rng, method):
    D, Z, X = planted(rng, 20, 60, 40, 3)
    np.testing.assert_allclose(method(D, X, 3, 1000, np.zeros(20)), Z, atol=1e-4)


@both
def test_the_error_never_rises(rng, method):
    D, X = unit_atoms(rng, 40, 10), rng.standard_normal((10, 10))
    errors = [
        ((X - method(D, X, 3, steps, np.zeros(10)) @ D) ** 2).sum(axis=1) for steps in range(6)
    ]
    assert (np.diff(errors, axis=0) <= 1e-12).all()
    assert (errors[-1] < errors[0]).all()


@both
def test_it_ends_where_the_error_is_small(rng, method):
    D, _, X = planted(rng, 5, 60, 40, 3)
    enough = 0.3 * (X**2).sum(axis=1)
    Z = method(D, X, 3, 1000, enough)
    assert (((X - Z @ D) ** 2).sum(axis=1) <= enough).all() and (np.count_nonzero(Z, 1) <= 3).all()
