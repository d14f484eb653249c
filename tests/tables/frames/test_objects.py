"""Columns of Python objects: what they are is seen in their values, and they are made again."""

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from lowdim.tables.frames.objects import (
    decimal_texts,
    detail_of,
    first_container,
    form_of_objects,
    missing_objects,
    objects_from,
    values_of_objects,
    words_as,
    words_of_objects,
    zone_of,
)


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


BERLIN = ZoneInfo("Europe/Berlin")
CASES = {
    "flags": (objects(True, None, False), "flag", "bool||None"),
    "whole numbers": (objects(3, None, -(10**6)), "number", "int||None"),
    "floats": (objects(1.5, math.nan), "number", "float||nan"),
    "decimals": (objects(Decimal("1.25"), Decimal("3")), "number", "Decimal|2|None"),
    "whole decimals": (objects(Decimal("3"), Decimal("1E+2")), "number", "Decimal|0|None"),
    "fractions": (objects(Fraction(1, 3), None), "number", "Fraction||None"),
    "days": (objects(date(2024, 2, 29), None), "moment", "date||None"),
    "moments": (objects(datetime(2024, 2, 29, 10, 30), pd.NaT), "moment", "datetime||NaT"),
    "moments of a zone": (
        objects(datetime(2024, 7, 1, 10, tzinfo=BERLIN)),
        "moment",
        "datetime|Europe/Berlin|None",
    ),
    "times of day": (objects(time(10, 30, 0, 5), None), "span", "time||None"),
    "durations": (objects(timedelta(days=-1, microseconds=7)), "span", "timedelta||None"),
    "of pandas": (objects(pd.Timestamp("2024-02-29"), pd.NaT), "moment", "Timestamp||NaT"),
    "words": (objects("b", None, "a", "b"), "words", "str||None"),
    "words beside pandas.NA": (objects("b", pd.NA), "words", "str||NA"),
}


@pytest.mark.parametrize("case", CASES)
def test_objects_have_a_form_and_a_detail_and_come_back(case):
    column, form, detail = CASES[case]
    values = values_of_objects(column)
    assert values.form == form_of_objects(column) == form
    assert detail_of(column) == detail
    again = objects_from(values, detail)
    absent = missing_objects(column)
    assert again[~absent].tolist() == column[~absent].tolist()
    assert [type(v) for v in again] == [type(v) for v in column]


def test_numbers_and_words_together_are_words():
    values = values_of_objects(objects(1, "x", None, 2.5))
    assert values.levels == ("1", "2.5", "x") and values.places.tolist() == [0, 2, -1, 1]
    assert words_of_objects(objects(7, 7)).levels == ("7",)


def test_lists_are_neither_numbers_nor_words():
    column = objects("x", [1], {"a": 1})
    assert form_of_objects(column) == "other" and first_container(column) == 1
    assert first_container(objects("x", 1)) is None
    assert values_of_objects(objects([1], None)).missing.tolist() == [False, True]
    assert objects_from(values_of_objects(column), detail_of(column)).tolist() == [None] * 3


def test_every_kind_of_missing_value_is_found():
    column = objects(None, math.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("nan"), 0, "", "nan")
    assert missing_objects(column).tolist() == [True] * 6 + [False] * 3
    assert missing_objects(np.array(["a", "b"], dtype=object)).tolist() == [False, False]


def test_numbers_beyond_all_floats_are_infinite():
    assert values_of_objects(objects(10**400, -(10**400))).numbers.tolist() == [np.inf, -np.inf]


def test_moments_of_several_zones_become_those_of_utc():
    column = objects(datetime(2024, 7, 1, 12, tzinfo=BERLIN), datetime(2024, 7, 1, 10, tzinfo=UTC))
    values = values_of_objects(column)
    assert values.numbers[0] == values.numbers[1]
    assert detail_of(column) == "datetime|UTC|None"


def test_what_does_not_fit_its_kind_gets_the_nearest():
    halves = values_of_objects(objects(0.5, 2.0))
    assert objects_from(halves, "int||None").tolist() == [0.5, 2.0]
    assert objects_from(halves, "bool||None").tolist() == [0.5, 2.0]
    assert objects_from(halves, "Decimal|1|None").tolist() == [Decimal("0.5"), Decimal("2.0")]
    assert objects_from(halves, "Decimal|0|None").tolist() == [0.5, 2.0]
    assert objects_from(halves, "Fraction||None").tolist() == [Fraction(1, 2), Fraction(2)]


@pytest.mark.parametrize(
    ("digits", "texts"), [(2, ["0.50", "1.25"]), (1, None), (3, ["0.500", "1.250"])]
)
def test_decimals_have_digits_enough_or_none_are_written(digits, texts):
    assert decimal_texts(np.array([0.5, 1.25]), digits) == texts


@pytest.mark.parametrize(
    ("texts", "form", "meaning"),
    [
        (["3", "5"], "number", [3.0, 5.0]),
        (["3", "x"], "number", None),
        ([str(2**62 + 1)], "number", None),  # no float is this number
        (["False", "True"], "flag", [0.0, 1.0]),
        (["no"], "flag", None),
        (["1970-01-02"], "moment", [86_400e6]),
        (["3"], "words", None),
    ],
)
def test_words_mean_numbers_if_all_of_them_do(texts, form, meaning):
    found = words_as(words_of_objects(objects(*texts)), form)
    assert (found if found is None else found.numbers.tolist()) == meaning


@pytest.mark.parametrize(
    ("name", "offset"),
    [
        ("UTC", timedelta(0)),
        ("UTC+05:30", timedelta(hours=5, minutes=30)),
        ("-09:00", -timedelta(hours=9)),
        ("no/such", timedelta(0)),
        ("../../etc/passwd", timedelta(0)),
    ],
)
def test_zones_are_found_by_name_or_are_utc(name, offset):
    assert zone_of(name).utcoffset(datetime(2024, 1, 1)) == offset
    assert zone_of("Europe/Berlin") == BERLIN
    assert isinstance(zone_of("+01:00"), timezone)
