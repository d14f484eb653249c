"""Pairs of places of a text."""

import numpy as np
import pytest

from lowdim.text import read_tokens
from lowdim.text.tokens import pair_counts


def test_apricot_has_the_neighbours_of_the_notes():
    """002 s.17.20, window 2."""
    tokens = read_tokens(["... lemon, a tablespoon of apricot jam, a pinch ..."], min_count=1)
    row = pair_counts(tokens, window=2).toarray()[tokens.words.index("apricot")]
    assert {tokens.words[i]: row[i] for i in np.flatnonzero(row)} == {
        "tablespoon": 1.0,
        "of": 1.0,
        "jam": 1.0,
        "a": 1.0,
    }


def test_windows_reach_over_rare_words():
    tokens = read_tokens(["a x b", "a b"], min_count=2)
    assert tokens.words == ["a", "b"]
    np.testing.assert_array_equal(pair_counts(tokens, window=1).toarray(), [[0, 2], [2, 0]])


def test_a_pair_of_a_word_with_itself_counts_from_both_sides():
    tokens = read_tokens(["a a a"], min_count=1)
    assert pair_counts(tokens, window=1).toarray().tolist() == [[4.0]]
    assert pair_counts(tokens, window="sentence").toarray().tolist() == [[6.0]]


def test_weights_fall_with_distance():
    tokens = read_tokens(["a b c"], min_count=1)
    N = pair_counts(tokens, window=2, weighting="harmonic").toarray()
    np.testing.assert_array_equal(N, [[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]])


def test_sentences_are_all_pairs(rng):
    docs = [" ".join(rng.choice(list("abcdef"), size=size)) for size in (0, 1, 9, 14)]
    tokens = read_tokens(docs, min_count=1)
    expected = pair_counts(tokens, window=14).toarray()
    np.testing.assert_array_equal(pair_counts(tokens, window="sentence").toarray(), expected)


def test_a_long_sentence_is_one(rng):
    words = rng.choice(["one", "two", "three"], size=10**5)
    tokens = read_tokens([words.tolist()])
    N = pair_counts(tokens, window=(0, 1))
    assert tokens.n_sentences == 1 and N.sum() == 10**5 - 1
    assert pair_counts(tokens, window="sentence").sum() == 10**5 * (10**5 - 1)


def test_distances_are_needed_for_weights():
    with pytest.raises(ValueError, match="needs a window with distances"):
        pair_counts(read_tokens(["a b"], min_count=1), window="sentence", weighting="harmonic")
