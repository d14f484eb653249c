import numpy as np
import pytest

from lowdim.sparse.dictionary.encoding import Pursuit, codes, encode, fill, fill_with_std
from lowdim.sparse.dictionary.start import random_atoms


def test_each_row_has_the_code_that_it_has_alone(rng):
    D, X = random_atoms(9, 6, rng), rng.normal(size=(20, 6))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[3] *= 1e200
    X[4] *= 1e-200
    X[5] = np.nan
    Z = encode(X, Pursuit(D, 2, None), False)
    for i in range(20):
        alone = encode(X[i : i + 1], Pursuit(D, 2, None), False)[0]
        np.testing.assert_allclose(Z[i], alone, rtol=1e-9)
    assert np.isfinite(Z).all() and not Z[5].any()


def test_units_of_a_row_do_not_matter(rng):
    D, X = random_atoms(9, 6, rng), rng.normal(size=(4, 6))
    for error in (None, 0.4):
        by = Pursuit(D, 3, error)
        plain = codes(X, by).toarray()
        np.testing.assert_allclose(codes(X * 2.0**600, by).toarray(), plain * 2.0**600)


def test_the_uncertainty_is_that_of_least_squares(rng):
    """A code of one atom d: x_f = z d_f with z of variance sigma^2 / |d_observed|^2."""
    D = random_atoms(1, 4, rng)
    X = 2.0 * D
    X[0, 3] = np.nan
    by = Pursuit(D, 1, None)
    filled, std = fill_with_std(X, by, 0.1, np.ones(4))
    np.testing.assert_allclose(filled, 2.0 * D)
    np.testing.assert_array_equal(filled, fill(X, by))
    expected = 0.1 * np.sqrt(1.0 + D[0, 3] ** 2 / np.sum(D[0, :3] ** 2))
    np.testing.assert_allclose(std, [[0, 0, 0, expected]])
    empty = fill_with_std(np.full((1, 4), np.nan), by, 0.1, np.arange(4.0))
    np.testing.assert_array_equal(empty[1], [[0, 1, 2, 3]])
    assert empty[0] == pytest.approx(0.0)
