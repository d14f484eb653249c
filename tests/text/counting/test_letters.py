"""Tables of letters say what `re` and `str.lower` say."""

import re

import numpy as np
import pytest

from lowdim.text.counting.letters import (
    NOT_ALONE,
    Runs,
    code_points,
    letter_table,
    lower_case_is_by_letter,
    runs_of,
    text_of,
)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"(?u)\b\w\w+\b", Runs(r"\w", 2)),
        (r"\b\w+\b", Runs(r"\w", 1)),
        (r"\w+", Runs(r"\w", 1)),
        (r"\w{3,}", Runs(r"\w", 3)),
        (r"[a-zA-Z]+", Runs("[a-zA-Z]", 1)),
        (r"[a-z][a-z]+", Runs("[a-z]", 2)),
    ],
)
def test_runs_of_one_class_are_known(pattern, expected):
    assert runs_of(pattern) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        None,
        "",
        r"\b\w\w\b",
        r"\w\w+\b",
        r"\b[a-z]+\b",
        r"[^a]+",
        r"[a-z]\w+",
        r"(\w+)s",
        r"(?i)\w+",
        r"\w+'\w+",
        r"[a-z ]+",
        r"\S+?",
        r"[\w-]+",
        r"\w*",
    ],
)
def test_other_patterns_are_left_to_re(pattern):
    assert runs_of(pattern) is None


@pytest.mark.parametrize("one", [r"\w", "[a-zà-ÿ]"])
@pytest.mark.parametrize("lowercase", [True, False])
def test_the_table_agrees_with_re_and_lower(one, lowercase):
    table = letter_table(one, lowercase)
    letters = [chr(c) for c in range(0x110000) if chr(c) not in NOT_ALONE]
    picked = letters[::37] + letters[:0x600]
    for letter in picked:
        lower = letter.lower() if lowercase else letter
        expected = ord(lower) if re.fullmatch(one, lower) else -1
        assert table[ord(letter)] == expected


def test_only_two_letters_have_no_lower_case_of_their_own():
    for c in range(0x110000):
        letter = chr(c)
        around = f"a{letter}".lower()[1:], f"a{letter}b".lower()[1:-1]
        if len(set(around)) > 1 or len(letter.lower()) != 1:
            assert not lower_case_is_by_letter(letter)


def test_texts_and_code_points_go_both_ways():
    text = "a\0é\ud800\N{GRINNING FACE}"
    codes = code_points(text)
    assert codes.dtype == np.int32 and len(codes) == 5
    assert text_of(codes) == text
