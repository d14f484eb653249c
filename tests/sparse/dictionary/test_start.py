import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.sparse.dictionary import start
from lowdim.sparse.dictionary.start import (
    cosines,
    data_atoms,
    given_atoms,
    principal_atoms,
    random_atoms,
)


def test_principal_atoms_are_singular_vectors(rng, monkeypatch):
    X, w = rng.normal(size=(50, 6)) * [9, 5, 3, 2, 1, 0.1], rng.integers(0, 3, size=50)
    expected = np.linalg.svd(np.sqrt(w)[:, None] * X)[2]
    found = principal_atoms(ArrayBlocks(X), w.astype(float), 6, rng)
    np.testing.assert_allclose(np.abs(found @ expected.T), np.eye(6), atol=1e-9)
    assert (found[np.arange(6), np.abs(found).argmax(axis=1)] > 0).all()
    monkeypatch.setattr(start, "FOR_SCATTER", 1)  # as for very many columns
    few = principal_atoms(ArrayBlocks(X), w.astype(float), 2, rng)
    np.testing.assert_allclose(np.abs(few @ expected[:2].T), np.eye(2), atol=1e-2)


def test_more_atoms_than_directions_are_rows_then_anything(rng):
    X = rng.normal(size=(5, 9))
    atoms = principal_atoms(ArrayBlocks(X), None, 12, rng)
    assert atoms.shape == (12, 9)
    np.testing.assert_allclose(np.linalg.norm(atoms, axis=1), 1.0)
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(atoms[5:10] @ U.T).max(axis=1), 1.0)


def test_rows_are_drawn_alike_in_any_order_and_however_often(rng, seed):
    X = rng.normal(size=(40, 4))
    order, weight = rng.permutation(40), np.where(np.arange(40) < 10, 0.0, 1.0)
    first = data_atoms(ArrayBlocks(X), weight, 6, np.random.default_rng(seed))
    second = data_atoms(ArrayBlocks(X[order]), weight[order], 6, np.random.default_rng(seed))
    twice = data_atoms(
        ArrayBlocks(np.repeat(X[10:], 2, axis=0)), None, 6, np.random.default_rng(seed)
    )
    np.testing.assert_allclose(second, first, atol=1e-12)
    np.testing.assert_allclose(twice, first, atol=1e-12)
    other = data_atoms(ArrayBlocks(X), weight, 6, np.random.default_rng(seed + 1))
    assert not np.allclose(other, first)


def test_starts_of_the_notes_have_length_1(rng):
    for atoms in (random_atoms(7, 4, rng), cosines(7, 4), cosines(3, 4)):
        np.testing.assert_allclose(np.linalg.norm(atoms, axis=1), 1.0)
    np.testing.assert_allclose(cosines(3, 4)[0], 0.5)


def test_given_atoms_are_checked():
    with pytest.raises(ValueError, match=r"dict_init has shape \(2,\); \(1, 2\) is needed"):
        given_atoms([1.0, 2.0], 1, 2, np.float64)
    with pytest.raises(ValueError, match="NaN or infinite"):
        given_atoms([[1.0, np.inf]], 1, 2, np.float64)
