"""Words at the door, and near spellings of unknown ones."""

import pickle

import numpy as np
import pytest

from lowdim.text.vectors.words import (
    UnknownWordError,
    checked_words,
    near_spellings,
    packed_words,
    unpacked_words,
)

KNOWN = {w: i for i, w in enumerate(["the", "Paris", "queen", "queens", "café", "new_york", "x1"])}


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("paris", "Paris"),
        ("THE", "the"),
        ("quen", "queen"),
        ("quene", "queen"),
        ("cafe", "café"),
        ("new york", "new_york"),
        ("x9", "x1"),
        ("queeness", "queens"),
    ],
)
def test_words_that_are_written_nearly_alike_are_found(word, near):
    assert near in near_spellings(word, KNOWN)
    assert near in str(UnknownWordError(word, KNOWN))


def test_the_commonest_of_equally_near_words_comes_first():
    known = {w: i for i, w in enumerate(["bat", "cat", "hat"])}
    assert near_spellings("zat", known) == ["bat", "cat", "hat"]


def test_nothing_near_is_said():
    assert "nothing near it" in str(UnknownWordError("zzzzzz", KNOWN))
    assert near_spellings("q" * 1000, KNOWN) == []


def test_what_is_no_word_is_said_to_be_none():
    assert "number from 0 to 6" in str(UnknownWordError(99, KNOWN))


def test_the_error_travels_between_processes():
    error = pickle.loads(pickle.dumps(UnknownWordError("quen", KNOWN)))
    assert isinstance(error, KeyError) and "queen" in str(error)


def test_a_word_with_signs_that_move_the_cursor_is_shown_safely():
    assert "\x1b" not in str(UnknownWordError("a\x1b[2J", KNOWN))


def test_words_are_packed_and_unpacked():
    words = ["", "a b", "日本", "</script>", "\n"]
    assert unpacked_words(**packed_words(words)) == words


@pytest.mark.parametrize("ends", [[2, 1, 4], [1, 2, 3], [1, 9], [-1, 4]])
def test_ends_that_lie_are_refused(ends):
    with pytest.raises(ValueError, match="do not end"):
        unpacked_words(np.zeros(4, np.uint8), np.array(ends))


def test_half_a_surrogate_pair_is_not_saved():
    with pytest.raises(TypeError, match="surrogate"):
        packed_words(["a\ud800"])


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ([], ValueError, "no words"),
        ("abc", TypeError, "is one text"),
        (["a", 3], TypeError, r"words\[1\]=3 is of type int"),
        (np.arange(3), TypeError, "not text"),
        (["a", "b", "a"], ValueError, "'a' stands in words twice, at 0 and 2"),
    ],
)
def test_what_are_no_words_is_refused(words, error, message):
    with pytest.raises(error, match=message):
        checked_words(words)


def test_arrays_of_text_are_words():
    assert checked_words(np.array(["b", "a"])) == ["b", "a"]
    assert all(type(word) is str for word in checked_words([np.str_("a")]))
