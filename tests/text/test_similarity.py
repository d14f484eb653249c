"""Cosines of rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.linalg import nearest
from lowdim.text import cosine, similarity

WORDS = np.array([[442.0, 8, 2], [5, 1683, 1670], [5, 3982, 3325]])  # cherry, digital, information


def test_cosines_of_the_notes():
    C = cosine(WORDS)
    np.testing.assert_allclose([C[1, 2], C[0, 2]], [0.9963, 0.0178], atol=6e-5)
    # 002 s.17.4: cosine is correlation only if centred
    battle, fool = np.array([[1.0, 0, 7, 13], [36, 58, 1, 4]])
    np.testing.assert_allclose(cosine([battle], [fool]), [[0.094]], atol=6e-4)
    centred = cosine([battle - battle.mean()], [fool - fool.mean()])
    np.testing.assert_allclose(centred, [[-0.863]], atol=6e-4)


def by_hand(A, B):
    lengths = np.outer(np.linalg.norm(A, axis=1), np.linalg.norm(B, axis=1))
    return np.divide(A @ B.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def test_cosines_are_their_formula(rng, monkeypatch):
    monkeypatch.setattr(nearest, "BLOCK_BYTES", 160)
    monkeypatch.setattr(nearest, "BLOCK_ROWS", 4)
    monkeypatch.setattr(similarity, "SPARSE_BLOCK", 20)
    A, B = rng.normal(size=(13, 4)), rng.normal(size=(7, 4))
    A[3] = B[2] = 0.0
    expected = by_hand(A, B)
    for left, right in (
        (A, B),
        (sp.csr_array(A), B),
        (A, sp.csc_array(B)),
        (A * 1e200, B * 1e-200),
    ):
        np.testing.assert_allclose(cosine(left, right), expected, atol=1e-14)
    sparse = cosine(sp.csr_array(A), sp.csr_array(B))
    np.testing.assert_allclose(sparse, expected, atol=1e-14)
    for left, right in ((A, B), (sp.csr_array(A), sp.csr_array(B))):
        all_cosines = cosine(left, right)
        for top in (1, 3, 7):
            index, values = cosine(left, right, top=top)
            order = np.argsort(-all_cosines, axis=1, kind="stable")[:, :top]
            np.testing.assert_array_equal(index, order)
            np.testing.assert_array_equal(values, np.take_along_axis(all_cosines, order, axis=1))


def test_cosines_of_rows_with_each_other_are_those_with_a_copy(rng, monkeypatch):
    monkeypatch.setattr(nearest, "BLOCK_ROWS", 4)
    monkeypatch.setattr(similarity, "SPARSE_BLOCK", 40)
    A = rng.normal(size=(13, 5)) * (rng.random((13, 5)) < 0.6)
    for X in (A, sp.csr_array(A), sp.csr_array(A[:, ::-1])[:, [4, 0, 2, 3, 1]]):
        own = cosine(X)
        np.testing.assert_allclose(own, own.T, rtol=0, atol=1e-15)
        np.testing.assert_allclose(own, cosine(X, X.copy()), atol=1e-15)
        assert -1.0 <= own.min() and own.max() <= 1.0
    assert len(similarity._write_products.compiled().overloads) == 1  # for one order in memory


def test_a_row_is_not_the_one_that_is_most_like_it():
    index, values = cosine([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], top=2)
    assert index.tolist() == [[1, 2], [0, 2], [0, 1]]
    np.testing.assert_array_equal(values, [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])


def test_the_door():
    with pytest.raises(ValueError, match="A has 3 columns and B has 2"):
        cosine(WORDS, [[1, 2]])
    for top in (0, 3):
        with pytest.raises(ValueError, match=f"top={top} must be from 1 to 2"):
            cosine(WORDS, top=top)
    with pytest.raises(ValueError, match="NaN"):
        cosine([[np.nan]])
