"""A column as numbers or words: exact times, whole numbers that fit, words in their order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.frames.values import (
    DAY,
    Values,
    microseconds,
    nothing,
    numbers,
    other,
    ticks,
    times,
    whole_numbers,
    words,
)


def test_words_are_places_among_the_sorted_words_that_occur():
    found = words(np.array([2, 0, -1, 3, 2]), ["b", "never", "a", None, "b"])
    assert found.levels == ("a", "b")
    assert found.places.tolist() == [0, 1, -1, -1, 0] and found.places.dtype == np.int32


@given(st.lists(st.sampled_from(["x", "y", "é", "Z", None]), min_size=1), st.data())
def test_words_stay_what_they_were(texts, data):
    places = np.array(data.draw(st.lists(st.integers(-1, len(texts) - 1))), dtype=np.intp)
    found = words(places, texts)
    expected = [None if j < 0 else texts[j] for j in places]
    assert [None if j < 0 else found.levels[j] for j in found.places] == expected
    assert list(found.levels) == sorted({text for text in expected if text is not None})


def test_missing_is_what_has_no_value():
    assert Values("number", np.array([1.0, np.nan])).missing.tolist() == [False, True]
    assert words(np.array([0, -1]), ["a"]).missing.tolist() == [False, True]
    assert other(np.array([True, False])).missing.tolist() == [True, False]
    assert nothing(3).missing.all() and len(nothing(3)) == 3


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i1", "f8"), ("u8", "f8"), ("?", "f8")],
)
def test_small_floats_stay_small(dtype, kept):
    assert numbers(np.zeros(2, dtype)).numbers.dtype == np.dtype(kept)


def test_numbers_are_not_copied():
    array = np.ones(3)
    assert numbers(array).numbers is array


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_times_are_microseconds_and_back(unit):
    array = np.array(["1970-01-02", "2024-02-29", "NaT"], dtype=f"datetime64[{unit}]")
    found = times(array)
    assert found.form == "moment"
    np.testing.assert_array_equal(found.numbers, [DAY, 19_782 * DAY, np.nan])
    again = ticks(found.numbers, unit)
    np.testing.assert_array_equal(again[:2], array.view(np.int64)[:2])
    assert again[2] == 0


def test_durations_of_other_units_and_byte_orders_are_read():
    assert times(np.array([2], "timedelta64[h]")).numbers.tolist() == [7200e6]
    assert times(np.array([3], ">m8[10s]")).numbers.tolist() == [30e6]
    assert times(np.array([3], ">m8[s]")).form == "span"


@given(st.integers(-(2**62), 2**62))
def test_nanoseconds_are_exact_in_their_whole_microseconds(tick):
    (found,) = microseconds(np.array([tick]), "ns", np.array([False]))
    assert abs(found - tick / 1000) <= max(abs(tick) / 1000, 1) * 2**-52
    assert tick % 1000 or abs(tick) > 1000 * 2**53 or found == tick // 1000


def test_times_that_are_not_whole_in_a_unit_have_no_ticks():
    assert ticks(np.array([1.0]), "s") is None
    assert ticks(np.array([1e6, np.nan]), "s").tolist() == [1, 0]
    assert ticks(np.array([1.4]), "us").tolist() == [1]  # rounding
    assert ticks(np.array([1.5]), "ns").tolist() == [1500]
    assert ticks(np.array([1e17]), "ns") is None  # the year 5138


def test_times_beyond_all_years_are_put_at_the_edge():
    low, high = ticks(np.array([-1e300, 1e300]), "us")
    assert low == -high and high > 9e18


@pytest.mark.parametrize(
    ("values", "dtype", "fits"),
    [
        ([1.0, np.nan], "i1", [1, 0]),
        ([127.0, -128.0], "i1", [127, -128]),
        ([128.0], "i1", None),
        ([-1.0], "u1", None),
        ([1.5], "i8", None),
        ([np.inf], "i8", None),
        ([2.0**63], "i8", None),
        ([2.0**63], "u8", [2**63]),
    ],
)
def test_whole_numbers_fit_or_not(values, dtype, fits):
    found = whole_numbers(np.array(values), np.dtype(dtype))
    assert (found if found is None else found.tolist()) == fits
