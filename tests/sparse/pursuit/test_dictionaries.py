"""Dictionaries of every kind as one thing."""

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from lowdim import sparse
from lowdim.sparse.pursuit import dictionaries
from lowdim.sparse.pursuit.dictionaries import of_atoms, open_dictionary
from tests.sparse.pursuit.examples import unit_atoms


def test_every_kind_makes_the_same_products_and_signals(rng):
    U = sparse.basis("dct-overcomplete", 8)
    atoms = U.matrix().T
    X, Z = rng.standard_normal((3, 8)), rng.standard_normal((3, 16))
    for given in (atoms, U, aslinearoperator(atoms.T), "dct-overcomplete"):
        opened = open_dictionary(given, 8)
        assert opened.shape == (16, 8)
        np.testing.assert_allclose(opened.correlations(X), X @ atoms.T, atol=1e-12)
        np.testing.assert_allclose(opened.signals(Z), Z @ atoms, atol=1e-12)
        assert opened.may_have_gram and opened.gram is None  # it is made where it is needed


def test_an_orthonormal_basis_is_not_written_down(rng):
    opened = open_dictionary("dct", 8)
    assert opened.gram is None and opened.atoms is None
    written = opened.written_down()
    X = rng.standard_normal((3, 8))
    np.testing.assert_allclose(written.correlations(X), opened.correlations(X), atol=1e-12)


def test_many_atoms_have_no_gram(rng, monkeypatch):
    monkeypatch.setattr(dictionaries, "MOST_ATOMS", 10)
    D, X = unit_atoms(rng, 20, 6), rng.standard_normal((3, 6))
    for given in (D, aslinearoperator(D.T)):
        opened = open_dictionary(given, 6)
        assert opened.gram is None and (opened.atoms is None) == (opened.operator is not None)
        np.testing.assert_allclose(opened.correlations(X), X @ D.T, atol=1e-12)
        assert opened.written_down() is opened


def test_float32_stays(rng):
    D = unit_atoms(rng, 5, 4)
    assert of_atoms(D).to(np.float32).gram.dtype == np.float32


@pytest.mark.parametrize(
    ("dictionary", "message"),
    [
        (np.ones((3, 5)), "different numbers of features: dictionary.shape: \\(3, 5\\)"),
        (sparse.basis("dct", 5), "makes signals of 5 numbers, X has 4 columns"),
        (np.ones(4), "shape \\(4,\\); an array of atoms as rows"),
        (np.ones((0, 4)), "shape \\(0, 4\\); an array of atoms as rows"),
        (np.array([[1.0, 0, 0, 0], [0, 0, 0, 0]]), "1 of 2 atoms that are all 0 \\(first: 1\\)"),
        (np.array([[1.0, np.nan, 0, 0]]), "NaN or infinity \\(in atom 0\\)"),
        ("cosines", "kind='cosines' is not known"),
    ],
)
def test_what_is_no_dictionary_is_refused(dictionary, message):
    with pytest.raises(ValueError, match=message):
        open_dictionary(dictionary, 4)


def test_a_gram_of_another_shape_is_refused(rng):
    with pytest.raises(ValueError, match="gram has the shape"):
        open_dictionary(np.eye(4), 4, gram=np.eye(3))
