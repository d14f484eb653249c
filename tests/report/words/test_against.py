"""Two vocabularies in one space."""

import numpy as np

from lowdim.report.words.against import LISTED, NAMED, alike, compared, in_one_space
from lowdim.report.words.vocabulary import Vocabulary, commonest
from tests.report.words.planted import planted_vectors, turned


def vocabulary(vectors):
    return commonest("x", vectors.index_to_key, vectors.vectors, vectors.counts)


def test_words_of_both_are_found_by_their_place_in_the_first():
    one, other = (Vocabulary("x", list(words), np.eye(3), None, 3) for words in ("abc", "cxa"))
    assert alike(one, other).tolist() == [[0, 2], [2, 0]]
    assert alike(one, other, 2).tolist() == []


def test_vectors_that_were_turned_are_not_in_one_space(seed):
    vectors = planted_vectors(seed)
    near = planted_vectors(seed, noise=0.15)
    assert in_one_space(vocabulary(vectors), vocabulary(near))
    assert not in_one_space(vocabulary(vectors), vocabulary(turned(near, seed)))


def test_other_sizes_are_not_one_space(rng):
    one, other = (Vocabulary("x", list("abc"), np.eye(3, d), None, 3) for d in (3, 2))
    assert not in_one_space(one, other)


def test_words_that_moved_come_first(seed):
    one, other = vocabulary(planted_vectors(seed)), vocabulary(planted_vectors(seed, noise=0.05))
    place = other.place["ship"]
    other.units[place] = other.units[other.place["bread"]]
    found = compared(one, other, "so")
    assert found.moved[0].word == "ship" and found.moved[0].cosine < 0.5
    assert "harbour" in one.words and len(found.moved[0].here) == NAMED
    assert "bread" in found.moved[0].there
    assert found.n_both == len(one.words) == len(found.cosines)
    assert found.stayed[0].cosine >= found.stayed[-1].cosine > found.moved[-1].cosine
    assert not {one.word for one in found.moved} & {one.word for one in found.stayed}


def test_the_commonest_words_have_their_match():
    found = compared(vocabulary(planted_vectors()), vocabulary(planted_vectors()), "so")
    assert len(found.matched) == min(LISTED, 46)
    assert all(match.there[0] == match.word for match in found.matched)


def test_vocabularies_without_a_common_word_have_matches_alone():
    one, other = (Vocabulary("x", list(words), np.eye(3), None, 3) for words in ("abc", "xyz"))
    found = compared(one, other, "so")
    assert found.n_both == 0 and found.moved == [] == found.stayed
    assert [match.there[0] for match in found.matched] == ["x", "y", "z"]
