"""Texts as a page shows them."""

import numpy as np
import pytest

import lowdim
from lowdim.report.topics.showing import (
    LONGEST_RUN,
    WordFinder,
    beginning,
    colored,
    excerpt,
    harmless,
    plain_pieces,
)
from tests.report.topics.planted import NASTY

SIGN = "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("name", NASTY)
def test_whatever_a_text_holds_it_can_be_written_and_is_short(name):
    for shown in (excerpt(NASTY[name]), beginning(NASTY[name]), harmless(NASTY[name][:99])):
        shown.encode("utf-8")
        assert "\x00" not in shown and "\u202e" not in shown and len(shown) <= 700
    assert "\n" not in excerpt(NASTY[name])


def test_what_cannot_be_shown_becomes_a_sign_and_letters_stay():
    assert harmless("a\x00b\ud800c\u202ed") == f"a{SIGN}b{SIGN}c{SIGN}d"
    kept = "né \U0001f469\u200d\U0001f52c \u0645\u0631\u062d \u4e2d\u6587\ttab"
    assert harmless(kept) == kept


def test_long_words_and_texts_are_cut():
    assert excerpt("x" * 10**6) == "x" * (LONGEST_RUN - 1) + "…" * 2 or len(excerpt("x" * 99)) < 70
    assert excerpt("one two  three", 9) == "one two…"
    assert beginning("a\r\nb\n\n\nc") == "a\nb\nc"


@pytest.fixture
def finder():
    vectorizer = lowdim.CountVectorizer(stop_words=["the"], stemmer=str.upper, lowercase=True)
    return WordFinder(vectorizer.fit(["the cat sat", "dogs bark"]))


def test_words_are_found_as_they_are_written(finder):
    text = "The CAT, the dogs; Cats"
    found = [text[a:b] for a, b, _ in finder.find(text)]
    assert found == ["CAT", "dogs"]


def test_words_have_the_topic_that_they_most_probably_stand_for(finder):
    columns = finder._vocabulary
    topics = np.full((2, 4), 1e-9)
    topics[0, columns["CAT"]] = topics[1, columns["DOGS"]] = topics[0, columns["SAT"]] = 0.5
    topics[1, columns["SAT"]] = 0.5
    text = "A cat sat by dogs."
    pieces = colored(text, finder, topics, np.array([0.5, 0.5]))
    assert pieces == [["A ", -1], ["cat", 0], [" sat by ", -1], ["dogs", 1], [".", -1]]
    assert plain_pieces(pieces) == text
    sure = colored(text, finder, topics, np.array([0.9, 0.1]))
    assert ["sat", 0] in sure


def test_functions_of_the_user_leave_texts_uncoloured():
    vectorizer = lowdim.CountVectorizer(analyzer=str.split).fit(["a b"])
    assert list(WordFinder(vectorizer).find("a b")) == []
