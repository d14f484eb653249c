"""Keys of rows: equal rows have equal ones, others do not."""

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from lowdim.maps import keys
from lowdim.maps.keys import found_among, grouped, row_keys


def test_rows_are_grouped_with_their_first_row_in_front():
    X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [0.0, 0.0], [3.0, 4.0], [1.0, 2.0]])
    groups = grouped(row_keys(X))
    assert sorted(groups.first) == [0, 1, 3] and not groups.all_differ
    assert_array_equal(groups.first[groups.group], [0, 1, 0, 3, 1, 0])


def test_the_kernels_equal_their_python_twins(rng):
    X = rng.integers(0, 3, size=(20, 6)).astype(float)
    with np.errstate(over="ignore"):
        twin = np.zeros((20, 2), np.uint64)
        keys._add_keys.python(keys._bits(X), twin)
        stored = np.zeros((20, 2), np.uint64)
        S = sp.csr_array(X)
        keys._add_stored_keys.python(S.indptr, S.indices, keys._bits(S.data), stored)
    assert_array_equal(row_keys(X), twin)
    assert_array_equal(row_keys(S), stored)


def test_a_row_has_one_key_in_every_form(rng):
    X = rng.integers(-2, 3, size=(50, 7)).astype(np.float32)
    doubled = sp.csr_array((np.ones(2), [3, 3], [0, 2]), shape=(1, 7))
    for other in (X.astype(float), np.asfortranarray(X), sp.csr_array(X), X + np.float32(-0.0)):
        assert_array_equal(row_keys(other), row_keys(X))
    assert_array_equal(row_keys(doubled), row_keys(doubled.toarray()))


def test_zeros_of_both_signs_are_equal_and_so_are_all_nan():
    other_nan = np.array([0x7FF8000000000001], np.uint64).view(np.float64)[0]
    X = np.array([[0.0, np.nan], [-0.0, other_nan], [np.nan, 0.0]])
    first, second, third = row_keys(X)
    assert_array_equal(first, second)
    assert (first != third).all()


def test_rows_that_differ_have_keys_that_differ(rng):
    X = rng.integers(0, 2, size=(3000, 40)).astype(float)
    assert len(np.unique(row_keys(X)[:, 0])) == len(np.unique(X, axis=0))
    moved = np.roll(X, 1, axis=1)
    same = (moved == X).all(axis=1)
    assert_array_equal((row_keys(moved) == row_keys(X)).all(axis=1), same)


def test_rows_are_found_again(rng):
    X = rng.normal(size=(100, 3))
    X[50:] = X[:50]
    groups = grouped(row_keys(X))
    assert_array_equal(found_among(row_keys(X), groups), np.tile(np.arange(50), 2))
    assert_array_equal(found_among(row_keys(X + 1e-9), groups), np.full(100, -1))
