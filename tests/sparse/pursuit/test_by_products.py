"""Pursuit by products alone equals pursuit from the Gram matrix."""

import numpy as np

from lowdim.sparse.pursuit import by_products, greedy, matching
from lowdim.sparse.pursuit.dictionaries import without_gram
from tests.sparse.pursuit.examples import unit_atoms


def test_codes_are_those_of_the_gram_matrix(rng):
    D, X = unit_atoms(rng, 30, 12), rng.standard_normal((8, 12))
    known = (D @ D.T, X @ D.T, (X**2).sum(axis=1))
    dictionary = without_gram(D)
    for enough in (None, 0.5):
        found, early = by_products.omp(dictionary, X, 6, enough)
        expected = greedy.omp(*known, 6, enough).toarray()
        np.testing.assert_allclose(found.toarray(), expected, atol=1e-9)
        assert not early.any()
        found = by_products.mp(dictionary, X, 9, enough).toarray()
        np.testing.assert_allclose(found, matching.mp(*known, 9, None, enough).codes.toarray())


def test_dependent_atoms_end_a_code_early(rng):
    D, X = unit_atoms(rng, 6, 3), rng.standard_normal((4, 3))
    codes, early = by_products.omp(without_gram(D), X, 5)
    assert early.all()
    np.testing.assert_allclose(codes @ D, X, atol=1e-9)


def test_steps_give_the_code_after_each(rng):
    D, x = unit_atoms(rng, 20, 9), rng.standard_normal(9)
    (steps,) = by_products.omp_steps(without_gram(D), x[None], 4, np.array([-1.0]))
    for s in (1, 2, 4):
        expected = np.linalg.lstsq(D[steps.chosen[:s]].T, x)[0]
        np.testing.assert_allclose(steps.code(s), expected, atol=1e-10)


def test_many_rows_take_a_step_together_and_end_when_each_is_done(rng, monkeypatch):
    D, X = unit_atoms(rng, 40, 12), rng.standard_normal((30, 12))
    enough = rng.uniform(0.01, 0.9, 30) * (X**2).sum(axis=1)
    given = (without_gram(D), X, 12, enough)
    codes, early = by_products.omp(*given)
    monkeypatch.setattr(by_products, "MOST_NUMBERS", 1)  # a row at a time
    alone, early_alone = by_products.omp(*given)
    np.testing.assert_allclose(codes.toarray(), alone.toarray(), atol=1e-10)
    np.testing.assert_array_equal(early, early_alone)
    assert len(set(np.diff(codes.indptr).tolist())) > 3
    left = ((X - codes @ D) ** 2).sum(axis=1)
    assert (left <= enough + 1e-12).all()
