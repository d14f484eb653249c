"""Texts as a page shows them."""

import pytest

from lowdim.report.page.texts import LONGEST_RUN, beginning, excerpt, harmless
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
