"""The nearest words, by cosines in the whole space."""

import numpy as np

from lowdim.report.words.near import NEIGHBOURS, nearest_words
from lowdim.report.words.vocabulary import unit_rows
from tests.report.words.planted import planted_vectors


def test_they_are_those_of_all_cosines(rng):
    units = unit_rows(rng.normal(size=(40, 6)))
    own = np.array([3, 7, 30])
    near = nearest_words(units[own], units, own)
    cosines = units[own].astype(np.float64) @ units.T.astype(np.float64)
    cosines[np.arange(3), own] = -9
    np.testing.assert_array_equal(near.index, np.argsort(-cosines, axis=1)[:, :NEIGHBOURS])
    np.testing.assert_allclose(near.cosine, -np.sort(-cosines)[:, :NEIGHBOURS], atol=1e-6)


def test_they_are_those_that_the_vectors_name():
    vectors = planted_vectors()
    units = unit_rows(vectors.vectors)
    place = vectors.key_to_index["ship"]
    near = nearest_words(units[[place]], units, np.array([place]))
    expected = vectors.most_similar("ship", topn=NEIGHBOURS)
    assert [vectors.index_to_key[i] for i in near.index[0]] == [word for word, _ in expected]
    np.testing.assert_allclose(near.cosine[0], [value for _, value in expected], atol=1e-6)


def test_rows_of_another_vocabulary_leave_none_out(rng):
    units = unit_rows(rng.normal(size=(20, 4)))
    near = nearest_words(units[:2], units)
    assert near.index[:, 0].tolist() == [0, 1]
    np.testing.assert_allclose(near.cosine[:, 0], 1.0, atol=1e-6)


def test_no_word_is_its_own_neighbour_even_if_many_are_equal():
    near = nearest_words(np.ones((30, 2)) / 2**0.5, np.ones((30, 2)) / 2**0.5, np.arange(30))
    assert near.index.shape == (30, NEIGHBOURS)
    assert not (near.index == np.arange(30)[:, None]).any()
    assert all(len(set(row)) == NEIGHBOURS for row in near.index.tolist())


def test_few_words_have_few_neighbours():
    assert nearest_words(np.eye(3), np.eye(3), np.arange(3)).index.shape == (3, 2)
    assert nearest_words(np.eye(1), np.eye(1), np.arange(1)).index.shape == (1, 0)
