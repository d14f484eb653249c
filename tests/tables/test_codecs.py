"""Codecs: closed forms, round trips, what is possible, ranges that are never upside down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.core.persistence import read_state, write_state
from lowdim.tables import readings
from lowdim.tables.codecs import (
    DAY,
    CategoryCodec,
    DateCodec,
    FlagCodec,
    NumberCodec,
    OrderedCodec,
    level_places,
    number_places,
    words_of,
)
from lowdim.tables.errors import TableError
from lowdim.tables.frames.values import Values

HURRICANE = NumberCodec("whole number", 1.0, 5.0, center=2.0, scale=1.0)
SHARE = NumberCodec("share", 0.1, 0.9, center=0.5, scale=0.2, most=1.0)
SIZE = NumberCodec("positive", 34.0, 45.0, center=40.0, scale=2.0)
HEAVY = NumberCodec("positive", 0.0, 1e6, center=3.0, scale=2.0, zero=0.5)
COLOR = CategoryCodec(("blue", "green", "red"), np.array([0.5, 0.3, 0.2]))
FREE = COLOR._replace(left_out=0)
GRADE = OrderedCodec(("low", "middle", "high"), center=1.0, scale=0.8, low=0, high=1)
BORN = DateCodec(0.0, 1000.0 * DAY, center=500.0, scale=200.0, finest=DAY, season=True, hour=True)
ALL = [HURRICANE, SHARE, SIZE, HEAVY, COLOR, FREE, GRADE, BORN, FlagCodec(0.3, 0.4, 0.3)]


def numbers(*values):
    return Values("number", np.array(values, dtype=np.float64))


# ---- closed forms -------------------------------------------------------------------------------


def test_a_number_is_centered_and_scaled():
    np.testing.assert_allclose(
        SIZE.encode("x", numbers(40.0, 44.0, np.nan))[:, 0], [0.0, 2.0, np.nan]
    )


def test_a_level_is_its_indicator_minus_its_share_over_the_root_of_it():
    Z = COLOR.encode("x", words_of(["red", None]))
    p = COLOR.shares
    np.testing.assert_allclose(Z[0], (np.array([0, 0, 1]) - p) / np.sqrt(p))
    assert np.isnan(Z[1]).all()


def test_columns_of_categories_have_mean_0_and_total_variance_of_levels_minus_1():
    values = words_of(["blue"] * 5 + ["green"] * 3 + ["red"] * 2)
    Z = COLOR.encode("x", values)
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-15)
    np.testing.assert_allclose(Z.var(axis=0).sum(), 2.0)
    np.testing.assert_allclose(FREE.encode("x", values).var(axis=0), 1.0)


def test_a_logarithm_takes_zeros_for_half_of_the_least_positive_value():
    np.testing.assert_allclose(
        HEAVY.encode("x", numbers(0.0, -3.0, 1.0))[:, 0] * 2 + 3, [np.log(0.5), np.log(0.5), 0.0]
    )


def test_season_and_hour_are_points_on_a_circle():
    Z = BORN.encode("x", Values("moment", np.array([0.0, 0.25 * DAY, 365.2425 * DAY])))
    assert Z.shape == (3, 5)
    np.testing.assert_allclose((Z[:, 1:3] ** 2).sum(axis=1), 2.0)
    np.testing.assert_allclose(Z[:2, 3], [0.0, np.sqrt(2)], atol=1e-12)  # six o'clock is a quarter
    np.testing.assert_allclose(Z[2, 1:3], Z[0, 1:3], atol=1e-9)  # a year later


# ---- what is possible ---------------------------------------------------------------------------


def test_whole_numbers_come_back_whole_and_above_zero():
    Z = np.array([[-6.8], [0.4], [9.0]])
    np.testing.assert_array_equal(HURRICANE.decode(Z).numbers, [1.0, 2.0, 11.0])
    np.testing.assert_array_equal(HURRICANE.decode(Z, "observed").numbers, [1.0, 2.0, 5.0])
    np.testing.assert_allclose(HURRICANE.decode(Z, None).numbers, [-4.8, 2.4, 11.0])


def test_shares_stay_within_0_and_1_and_positive_numbers_positive():
    np.testing.assert_array_equal(SHARE.decode(np.array([[9.0], [-9.0]])).numbers, [1.0, 0.05])
    assert SIZE.decode(np.array([[-1000.0]])).numbers[0] == 17.0  # half of the least that was seen
    assert SIZE.decode(np.array([[110.0]]), "observed").numbers[0] == 45.0


def test_zeros_survive_a_logarithm():
    x = np.array([0.0, 1.0, 250.0, 1e6])
    np.testing.assert_allclose(HEAVY.decode(HEAVY.encode("x", Values("number", x))).numbers, x)


def test_huge_codes_do_not_overflow():
    assert np.isfinite(HEAVY.decode(np.array([[1e6]])).numbers).all()


def test_the_most_probable_level_is_taken():
    Z = COLOR.encode("x", words_of(["green", "red"]))
    assert COLOR.decode(0.6 * Z).levels == ("green", "red")
    share = COLOR.probabilities(np.array([[5.0, -5.0, 0.0]]))
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    assert (share > 0).all()


def test_a_level_that_is_left_out_is_what_the_others_leave():
    values = words_of(["blue", "green", None])
    Z = FREE.encode("x", values)
    assert Z.shape == (3, 2)
    assert FREE.decode(Z).places.tolist() == values.places.tolist()
    np.testing.assert_allclose(FREE.probabilities(Z)[0], [1.0, 0.0, 0.0], atol=1e-5)


def test_levels_in_order_are_rounded_to_the_next_one():
    decoded = GRADE.decode(np.array([[-9.0], [0.2], [9.0], [np.nan]]))
    assert [decoded.levels[c] for c in decoded.places[:3]] == ["low", "middle", "high"]
    assert decoded.places[3] == -1
    assert "high" not in GRADE.decode(np.array([[9.0]]), "observed").levels


def test_dates_are_as_fine_as_those_that_were_seen():
    x = BORN.decode(np.column_stack([[0.0031], *np.zeros((4, 1))])).numbers
    assert x[0] % DAY == 0


# ---- round trips --------------------------------------------------------------------------------


@given(st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=1, max_size=9))
def test_whole_numbers_go_there_and_back(values):
    x = np.array([np.nan if v is None else v for v in values], dtype=float)
    back = HURRICANE.decode(HURRICANE.encode("x", Values("number", x)), "observed")
    np.testing.assert_array_equal(back.numbers, x)


@given(st.lists(st.sampled_from([None, "blue", "green", "red"]), min_size=1, max_size=9))
def test_levels_go_there_and_back(values):
    words = words_of(values)
    for codec in (COLOR, FREE, COLOR._replace(scaled=False)):
        back = codec.decode(codec.encode("x", words))
        assert (back.levels, back.places.tolist()) == (words.levels, words.places.tolist())


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=9))
def test_days_go_there_and_back(days):
    x = np.array(days, dtype=float) * DAY
    back = BORN.decode(BORN.encode("x", Values("moment", x)), "observed")
    np.testing.assert_array_equal(back.numbers, x)


@given(st.floats(-1e3, 1e3), st.floats(0, 1e3), st.sampled_from([HURRICANE, SHARE, SIZE, HEAVY]))
def test_ranges_stay_possible_and_are_never_upside_down(z, s, codec):
    low, high = codec.ranges(np.array([[z]]), np.array([s]), 1.96)
    assert low[0] <= high[0]
    assert low[0] >= 0
    assert codec is not SHARE or high[0] <= 1


# ---- values of other forms ----------------------------------------------------------------------


def test_numbers_are_read_from_text():
    codec = SIZE._replace(reading=readings.NumberText(suffix=" cm", digits=1, fixed=True))
    values = words_of(["36.5 cm", None, "40.0 cm"])
    Z = codec.encode("x", values)
    np.testing.assert_allclose(Z[:, 0], [-1.75, np.nan, 0.0])
    assert codec.decode(Z).levels == ("36.5 cm", "40.0 cm")


def test_text_where_numbers_were_is_refused_by_name():
    with pytest.raises(TableError, match=r"Column 'mass' holds text such as 'heavy'"):
        SIZE.encode("mass", words_of(["heavy", "3"]))


def test_marks_of_missing_values_are_no_text():
    np.testing.assert_allclose(SIZE.encode("x", words_of(["NA", "40"]))[:, 0], [np.nan, 0.0])


def test_numbers_can_be_levels():
    codec = CategoryCodec(("1", "7"), np.array([0.5, 0.5]), numbers=np.array([1.0, 7.0]))
    values = numbers(7.0, np.nan, 3.0)
    assert codec.places(values).tolist() == [1, -1, -2]
    np.testing.assert_array_equal(
        codec.decode(codec.encode("x", values)).numbers[:2], [7.0, np.nan]
    )


def test_places_of_unknown_levels_are_marked():
    assert level_places(words_of(["a", "z", None]), ("a", "b")).tolist() == [0, -2, -1]
    assert number_places(np.array([2.0, 5.0, np.nan]), np.array([5.0, 1.0])).tolist() == [-2, 0, -1]
    assert number_places(np.array([2.0]), np.array([])).tolist() == [-2]


# ---- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ALL, ids=lambda codec: codec.kind)
def test_a_codec_is_plain_data_that_a_file_can_hold(codec, tmp_path):
    write_state(tmp_path / "codec", {}, codec)
    again = read_state(tmp_path / "codec")[1]
    assert type(again) is type(codec)
    np.testing.assert_array_equal(
        again.decode(np.zeros((1, codec.width))).missing,
        codec.decode(np.zeros((1, codec.width))).missing,
    )
    assert again.feature_names("x") == codec.feature_names("x")
    assert len(codec.feature_names("x")) == codec.width
