"""Pairs for skip-grams, written out."""

import numpy as np
import pytest

import lowdim
from lowdim.text import read_tokens, training_pairs
from lowdim.text.pairs.training import places_of_pairs
from lowdim.text.tokens import pair_counts

APRICOT = ["... lemon, a tablespoon of apricot jam, a pinch ..."]


def test_apricot_has_the_contexts_of_the_notes():
    """002 s.17.20: window 2, two words drawn for each pair."""
    table = training_pairs(APRICOT, window=2, negative=2, random_state=0)
    of_apricot = table["word"] == "apricot"
    near = of_apricot & (table["label"] == 1)
    assert table["context"][near].tolist() == ["tablespoon", "of", "jam", "a"]
    assert (of_apricot & (table["label"] == 0)).sum() == 8
    assert table.columns == ["word", "context", "label"]


def test_pairs_are_counted_as_pair_counts_does(rng):
    docs = [" ".join(rng.choice(list("abcdef"), size=size)) for size in (0, 1, 9, 14)]
    tokens = read_tokens(docs, min_count=1)
    number = {word: i for i, word in enumerate(tokens.words)}
    for window in (1, 3, (0, 2), {-2, 4}, "sentence"):
        table = training_pairs(docs, window=window, negative=0)
        N = np.zeros((len(number), len(number)))
        for line in table:
            N[number[line["word"]], number[line["context"]]] += 1
            assert line["label"] == 1
        np.testing.assert_array_equal(N, pair_counts(tokens, window=window).toarray())


def test_pairs_come_in_the_order_of_the_text():
    tokens = read_tokens(["a b c", "d e"], min_count=1)
    left, right = places_of_pairs(tokens, 2)
    assert left.tolist() == [0, 0, 1, 1, 2, 2, 3, 4]
    assert right.tolist() == [1, 2, 0, 2, 0, 1, 4, 3]


def test_words_are_drawn_by_a_power_of_their_counts(seed):
    docs = ["a " * 81 + "b " * 16 + "c"]
    table = training_pairs(docs, 1, 200, seed)
    drawn = table["context"][table["label"] == 0]
    expected = np.array([81.0, 16.0, 1.0]) ** 0.75
    expected /= expected.sum()
    shares = np.array([(drawn == word).mean() for word in "abc"])
    # 5 standard deviations of a share of 196 x 200 draws
    assert (np.abs(shares - expected) < 5 * np.sqrt(expected * (1 - expected) / len(drawn))).all()
    again = training_pairs(docs, 1, 200, seed)
    np.testing.assert_array_equal(again["context"], table["context"])


def test_the_table_is_a_frame():
    pytest.importorskip("pandas")
    frame = training_pairs(APRICOT, 1, 1, 0).to_frame()
    assert list(frame.columns) == ["word", "context", "label"] and len(frame) == 28


def test_the_door():
    with pytest.raises(ValueError, match="negative=-1"):
        training_pairs(APRICOT, negative=-1)
    with pytest.raises(ValueError, match="window=0"):
        training_pairs(APRICOT, window=0)
    with pytest.raises(ValueError, match="There are no words"):
        training_pairs(["..."])
    assert len(lowdim.text.training_pairs(["one"])) == 0
