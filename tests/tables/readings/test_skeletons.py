"""Texts that differ only in their digits are looked at together; the calendar is the real one."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.readings.skeletons import LONGEST, Digits, by_skeleton, day_numbers


@pytest.mark.parametrize(
    ("text", "skeleton"),
    [
        ("2024-03-01", "0000-00-00"),
        ("-1,234.50", "-0,000.00"),
        ("USD 12", "USD 00"),
        ("120 m2", "000 m2"),
        ("(33 m3)", "(00 m3)"),
        ("March 5", "March 0"),
        ("x" * 10 + "1", "x" * 10 + "0"),
    ],
)
def test_a_skeleton_has_0_for_every_digit_but_the_power_of_a_unit(text, skeleton):
    assert by_skeleton([text]) == ({skeleton: [0]}, [])


@pytest.mark.parametrize("text", ["", "word", "?", "x" * 11 + "1", "1" * (LONGEST + 1), "٣"])
def test_other_texts_are_words_at_the_first_look(text):
    assert by_skeleton([text]) == ({}, [0])


def test_places_are_those_of_the_texts():
    places, words = by_skeleton(["12", "a", "34", "5", "b"])
    assert places == {"00": [0, 2], "0": [3]} and words == [1, 4]


def test_digits_are_read_at_their_places():
    digits = Digits(["2024-03-01", "1999-12-31"])
    assert len(digits) == 2
    assert digits.number((0, 4)).tolist() == [2024, 1999]
    assert digits.number((5, 7)).tolist() == [3, 12]
    assert digits.number((3, 3)).tolist() == [0, 0]
    assert digits.starts_with_zero((5, 7)).tolist() == [True, False]


@given(st.dates())
def test_days_are_counted_as_python_counts_them(day):
    found, possible = day_numbers(*(np.array([x]) for x in (day.year, day.month, day.day)))
    assert possible.all() and found[0] == (day - dt.date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [(2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0),
     (0, 1, 1), (2024, 1, 32)],
)  # fmt: skip
def test_days_that_are_not_in_the_calendar_are_not_possible(year, month, day):
    assert not day_numbers(*(np.array([x]) for x in (year, month, day)))[1].any()
