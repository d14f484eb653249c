"""Vectors are centred, of length 1, and without common directions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lowdim import WordVectors
from lowdim.text.vectors.normalizing import apply, checked_steps, normalize
from tests.text.vectors.examples import random_vectors


def test_steps_by_hand():
    X = np.array([[3.0, 4.0], [0.0, 0.0], [3.0, -4.0]])
    assert_allclose(normalize(X, ["unit"])[0], [[0.6, 0.8], [0, 0], [0.6, -0.8]])
    assert_allclose(normalize(X, ["center"])[0], [[1, 4], [-2, 0], [1, -4]])
    assert_allclose(normalize(X, ["center"], 1)[0], [[1, 0], [-2, 0], [1, 0]], atol=1e-15)
    assert_allclose(normalize(X, ["center", "unit"], 1)[0], [[1, 0], [-1, 0], [1, 0]], atol=1e-15)
    assert normalize(X, [])[0] is X


def test_removed_directions_are_the_principal_ones(rng):
    X = rng.normal(size=(300, 6)) * [5, 4, 3, 1, 1, 1] + 7
    found = normalize(X, ["unit", "center", "unit"], 2)[0]
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    centred = units - units.mean(axis=0)
    _, _, Vt = np.linalg.svd(centred, full_matrices=False)
    left = centred - centred @ Vt[:2].T @ Vt[:2]
    assert_allclose(found, left / np.linalg.norm(left, axis=1, keepdims=True), atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_other_vectors_go_the_same_way(rng, dtype):
    X = rng.normal(size=(50, 4)).astype(dtype)
    found, learned = normalize(X, ["unit", "center", "unit"], 1)
    assert found.dtype == dtype
    assert_allclose(apply(X[:7], learned), found[:7], rtol=1e-5, atol=1e-6)


def test_word_vectors_are_normalized(rng):
    wv = random_vectors(rng)
    found = wv.normalized()
    assert found.index_to_key == wv.index_to_key and found.counts.tolist() == wv.counts.tolist()
    assert found.vectors.dtype == np.float32
    assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, rtol=1e-6)
    assert_allclose(wv.normalized(("center",)).vectors.mean(axis=0), 0, atol=1e-6)


def test_blocks_do_not_count(rng, monkeypatch):
    from lowdim.text.vectors import normalizing

    X = rng.normal(size=(100, 5))
    expected = normalize(X, ["center"], 2)[0]
    monkeypatch.setattr(normalizing, "ROWS", 7)
    assert_allclose(normalize(X, ["center"], 2)[0], expected, atol=1e-12)


def test_wrong_steps_are_refused():
    wv = WordVectors(["a"], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="'whiten', which is no step"):
        wv.normalized(["whiten"])
    with pytest.raises(ValueError, match="remove=2 leaves nothing"):
        wv.normalized(remove=2)
    with pytest.raises(ValueError, match="remove=-1"):
        wv.normalized(remove=-1)
    assert checked_steps("unit") == ("unit",) and checked_steps(None) == ()
