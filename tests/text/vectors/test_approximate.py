"""Neighbours in cells are nearly all of the exact ones."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lowdim
from lowdim import WordVectors
from lowdim.text.vectors import approximate
from tests.text.vectors.examples import random_vectors


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(approximate, "FEWEST", 0)


@pytest.fixture(scope="module")
def many_words():
    """6,000 words about 60 themes: more than are compared one by one; two have no direction."""
    rng = np.random.default_rng(0)
    themes = rng.normal(size=(60, 12))[rng.integers(60, size=6000)]
    vectors = (themes + 0.5 * rng.normal(size=themes.shape)).astype(np.float32)
    vectors[[17, 4711]] = 0.0
    return WordVectors([f"w{i}" for i in range(len(vectors))], vectors)


def test_nearly_all_are_found(always, many_words):
    exact, found = many_words.nearest(topn=5), many_words.nearest(topn=5, approximate=True)
    assert found.index.shape == exact.index.shape
    assert found.index.dtype == exact.index.dtype
    assert (found.index != np.arange(6000)[:, None]).all()
    # by cosines, which are the same where another word is as near: a hundredth may be missed
    assert np.mean(found.similarity >= exact.similarity - 1e-6) > 0.99
    assert (np.diff(found.similarity, axis=1) <= 0).all()


def test_some_words_have_the_neighbours_they_have_among_all(always, many_words):
    all_of_them = many_words.nearest(topn=4, approximate=True)
    some = many_words.nearest(["w90", "w3"], topn=4, approximate=True)
    assert_array_equal(some.index, all_of_them.index[[90, 3]])
    assert_array_equal(some.similarity, all_of_them.similarity[[90, 3]])


def test_neighbours_are_looked_for_in_cells(always, many_words, monkeypatch):
    methods = []

    def noted(*args, **kwargs):
        methods.append(kwargs["method"])
        return lowdim.neighbors(*args, **kwargs)

    monkeypatch.setattr(approximate, "neighbors", noted)
    many_words.nearest(topn=2, approximate=True)
    many_words.nearest(topn=2)
    assert methods == ["approximate"]


def test_other_vectors_are_compared_with_all_words(always, many_words):
    vectors = np.array(many_words[["w9", "w5"]])
    found = many_words.nearest(vectors, topn=4, approximate=True)
    assert_array_equal(found.index, many_words.nearest(vectors, topn=4).index)


def test_few_words_are_compared_with_all_words(rng):
    wv = random_vectors(rng)
    assert_array_equal(wv.nearest(approximate=True).index, wv.nearest().index)
