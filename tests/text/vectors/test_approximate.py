"""Neighbours by pynndescent: with a stand-in that finds some of them, and the real one."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowdim.text.vectors import approximate
from tests.text.vectors.examples import random_vectors


class Finds:
    """Gives exact neighbours as pynndescent does: the row itself among them, in any order."""

    def __init__(self, X, metric, n_neighbors, random_state, n_jobs):
        self.X, self.k = X, n_neighbors

    def query(self, Z, k):
        order = np.argsort(-Z @ self.X.T, axis=1)[:, :k]
        return order[:, ::-1].astype(np.int32), None

    @property
    def neighbor_graph(self):
        found = self.query(self.X, self.k)[0]
        found[0, 0] = -1  # one that was not found
        return found, None


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(approximate, "FEWEST", 0)


def test_what_was_found_is_ranked_without_the_word_itself(rng, monkeypatch, always):
    monkeypatch.setattr(approximate, "_descent", lambda: Finds)
    wv = random_vectors(rng)
    exact, found = wv.nearest(topn=4), wv.nearest(topn=4, approximate=True)
    assert_array_equal(found.index, exact.index)
    np.testing.assert_allclose(found.similarity, exact.similarity, atol=1e-6)
    some = wv.nearest(["w9", "w3"], topn=4, approximate=True)
    assert_array_equal(some.index, exact.index[[9, 3]])
    by_vector = wv.nearest(np.array(wv[["w9"]]), topn=4, approximate=True)
    assert_array_equal(by_vector.index[0], [9, *exact.index[9, :3]])


@pytest.mark.slow
def test_pynndescent_finds_nearly_all(always):
    pytest.importorskip("pynndescent")
    rng = np.random.default_rng(0)
    wv = random_vectors(rng, n=2000)
    exact, found = wv.nearest(topn=5).index, wv.nearest(topn=5, approximate=True).index
    shared = [len(set(a) & set(b)) for a, b in zip(exact, found, strict=True)]
    assert np.mean(shared) > 4.75


def test_few_words_are_looked_at_one_by_one(rng, monkeypatch):
    monkeypatch.setattr(approximate, "_descent", lambda: None)
    wv = random_vectors(rng)
    assert_array_equal(wv.nearest(approximate=True).index, wv.nearest().index)


def test_without_pynndescent_the_way_out_is_said(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"pip install 'lowdim\[maps\]'"):
        random_vectors(rng).nearest(approximate=True)
