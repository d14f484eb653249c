"""The words that a page is about."""

import json

import numpy as np
import pytest

from lowdim.report.words.vocabulary import (
    LONGEST_WORD,
    NO_LETTERS,
    commonest,
    shown_name,
    unit_rows,
)
from tests.report.words.planted import NASTY


def test_rows_have_length_1_and_zeros_stay():
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1e200, 1e200], [1e-200, 0.0]])
    half = 0.5**0.5
    np.testing.assert_allclose(unit_rows(X), [[0.6, 0.8], [0, 0], [half, half], [1, 0]], rtol=1e-6)


def test_the_commonest_words_come_first_and_equal_counts_keep_their_order():
    found = commonest("x", list("abcd"), np.eye(4), np.array([1, 5, 5, 2]), most=3)
    assert found.words == list("bcd") and found.counts.tolist() == [5, 5, 2]
    assert found.n_all == 4 and found.place == {"b": 0, "c": 1, "d": 2}
    np.testing.assert_array_equal(found.units, np.eye(4)[[1, 2, 3]])


def test_without_counts_words_stay_in_their_order():
    found = commonest("x", list("cab"), np.eye(3), None)
    assert found.words == list("cab") and found.counts is None


def test_words_that_take_much_room_are_fewer():
    words = [chr(0x4E00 + i) * 10 for i in range(1000)]
    found = commonest("x", words, np.ones((1000, 1)), None, room=10_000)
    size = sum(len(json.dumps(shown_name(word))) + 1 for word in found.words)
    assert size <= 10_000 < size + 70


@pytest.mark.parametrize("word", NASTY, ids=range(len(NASTY)))
def test_every_word_has_a_name_that_can_be_written(word):
    name = shown_name(word)
    name.encode("utf-8")
    assert name.strip() and len(name) <= LONGEST_WORD and "\n" not in name
    assert "\u202e" not in name and "\x00" not in name


def test_a_blank_word_is_called_so():
    assert shown_name(" ") == shown_name("") == NO_LETTERS
