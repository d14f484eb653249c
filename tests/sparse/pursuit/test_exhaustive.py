"""All sets of atoms."""

import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.dictionary.learning import gram_of, squares_of
from lowdim.sparse.pursuit.exhaustive import are_few, best_codes
from lowdim.sparse.pursuit.greedy import omp
from tests.sparse.pursuit.examples import unit_atoms


def test_a_pursuit_misses_what_all_sets_find():
    """The first atom is nearest to x = (1, 1, 0), and no other leaves nothing beside it."""
    D = np.array([[0.9, 0.9, 0.7], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    X = np.array([[1.0, 1.0, 0.0]])
    assert omp(gram_of(D), X @ D.T, squares_of(X), 2).toarray()[0, 0] != 0
    np.testing.assert_allclose(best_codes(X, D, 2).toarray(), [[0, 1, 1]], atol=1e-15)


@pytest.mark.parametrize("s", [2, 3])
def test_no_set_leaves_less(rng, s):
    D, X = unit_atoms(rng, 6, 5), rng.standard_normal((7, 5))
    Z = best_codes(X, D, s).toarray()
    assert ((Z != 0).sum(axis=1) <= s).all()
    for x, z in zip(X, Z, strict=True):
        error = np.linalg.norm(x - z @ D) / np.linalg.norm(x)
        found = sparse.sparsest(D.T, x, max_error=error * (1 + 1e-9), max_nonzero=s)
        np.testing.assert_allclose(z, found.coef, atol=1e-9)


def test_what_one_atom_explains_has_one_non_zero(rng):
    D = unit_atoms(rng, 5, 4)
    Z = best_codes(np.stack([3 * D[2], np.zeros(4)]), D, 2)
    assert Z.nnz == 1 and Z[0, 2] == pytest.approx(3.0)


def test_equal_atoms_do_no_harm(rng):
    D = unit_atoms(rng, 4, 3)
    D[3] = D[0]
    X = rng.standard_normal((5, 2)) @ D[[0, 1]]
    Z = best_codes(X, D, 2)
    np.testing.assert_allclose(Z @ D, X, atol=1e-12)
    assert set(Z.indices) == {0, 1}


def test_float32_stays(rng):
    D, X = unit_atoms(rng, 4, 3).astype(np.float32), rng.standard_normal((5, 3))
    assert best_codes(X.astype(np.float32), D, 2).dtype == np.float32


def test_sets_are_few_or_one_atom_is_enough():
    assert are_few(4, 2) and are_few(11, 2) and not are_few(12, 2)
    assert not are_few(30, 1) and not are_few(4, 4)
