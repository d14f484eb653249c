import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.sparse.dictionary.learning import (
    RUN,
    Coder,
    distinct_rows,
    errors,
    gram_of,
    measured,
    replaced,
    statistics,
    unit_of,
)
from lowdim.sparse.dictionary.start import random_atoms

LASSO = Coder(0.3, 0)


def test_the_cost_of_the_sums_is_that_of_the_codes(rng):
    X, D = rng.normal(size=(30, 6)), random_atoms(8, 6, rng)
    for coder in (LASSO, Coder(None, 2)):
        Z = coder.codes(X, D, gram_of(D)).as_csr()
        cost = 0.5 * np.sum((X - Z @ D) ** 2) + (coder.alpha or 0.0) * np.abs(Z).sum()
        sums = statistics(X, D, gram_of(D), coder, None)
        assert coder.cost(sums, D) == pytest.approx(cost)
        np.testing.assert_allclose(
            errors(X, D, gram_of(D), coder, None), ((X - Z @ D) ** 2).sum(axis=1)
        )


def test_units_of_rows_and_price_go_together(rng):
    X, D = rng.normal(size=(20, 6)), random_atoms(8, 6, rng)
    Z = LASSO.codes(X, D, gram_of(D))
    scaled = LASSO.in_unit(0.25).codes(X / 0.25, D, gram_of(D))
    np.testing.assert_allclose(0.25 * scaled.as_csr().toarray(), Z.as_csr().toarray(), atol=1e-12)
    assert Coder(None, 2).in_unit(3.0) == Coder(None, 2)


def test_unused_atoms_become_the_rows_that_are_coded_worst(rng):
    X = np.eye(4) * [1.0, 5.0, 3.0, 9.0]
    D = np.array([[0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 0.0, 0.0]])
    new = replaced(ArrayBlocks(X), None, D, np.array([1, 2]), Coder(0.1, 0))
    np.testing.assert_array_equal(new, np.eye(4)[[3, 1, 2]])
    weight = np.array([1.0, 0.0, 1.0, 1.0])
    new = replaced(ArrayBlocks(X), weight, D, np.array([1]), Coder(0.1, 0))
    np.testing.assert_array_equal(new[1], np.eye(4)[2])


def test_rows_that_are_alike_are_taken_once():
    rows = np.array([[2.0, 0.0], [-3.0, 0.01], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = distinct_rows(rows, np.zeros((0, 2)), 5)
    np.testing.assert_allclose(found, [[1, 0], [0, 1], [0.5**0.5, 0.5**0.5]])
    np.testing.assert_allclose(distinct_rows(rows, np.array([[1.0, 0.0]]), 1), [[0, 1]])


def test_rows_are_compared_beyond_those_next_to_them(rng):
    first = random_atoms(RUN + 10, 30, rng)
    rows = np.concatenate([first, -2.0 * first[::-1], random_atoms(5, 30, rng)])
    found = distinct_rows(rows, first[:3], len(rows))
    np.testing.assert_allclose(found, np.concatenate([first[3:], rows[-5:]]))


def test_the_unit_is_1_unless_squares_are_in_danger(rng):
    X = rng.normal(size=(20, 3))
    assert unit_of(ArrayBlocks(X)) == 1.0
    unit = unit_of(ArrayBlocks(X * 1e150))
    assert 1e149 < unit < 1e152 and np.log2(unit) % 1 == 0
    assert measured(ArrayBlocks(X), 1.0).in_memory is not None
    assert np.isfinite(measured(ArrayBlocks(X * 1e150), unit).take(np.arange(3))).all()
