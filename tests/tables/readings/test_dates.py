"""Dates are read as people write them, and written in the same style again."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.readings import DateText, NumberText, odd_values, reading_of, tally

DAY = 86_400_000_000


def reading(*levels, **options):
    """What a column of these texts is."""
    return reading_of(tally(levels, np.ones(len(levels), int)), **options)


def at(*parts, zone=UTC):
    """Microseconds since 1970 of a date and time."""
    return (datetime(*parts, tzinfo=zone) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(0, 0, 1)


# Each style: texts of a column, how they are written, what they say


CASES = {
    "iso": (("2024-03-01", "1999-12-31"), DateText(), (at(2024, 3, 1), at(1999, 12, 31))),
    "us": (
        ("10/16/17", "3/1/17"),
        DateText("mdy", "/", year_digits=2, padded=False),
        (at(2017, 10, 16), at(2017, 3, 1)),
    ),
    "german": (
        ("16.10.2017", "01.03.2024"),
        DateText("dmy", "."),
        (at(2017, 10, 16), at(2024, 3, 1)),
    ),
    "japanese": (
        ("2024/3/1", "2024/12/5"),
        DateText("ymd", "/", padded=False),
        (at(2024, 3, 1), at(2024, 12, 5)),
    ),
    "time of a zone": (
        ("2024-03-01T10:00+01:00", "2024-03-02T00:30+01:00"),
        DateText(time="hh:mm", joint="T", zone="+01:00"),
        (at(2024, 3, 1, 9), at(2024, 3, 1, 23, 30)),
    ),
    "utc": (
        ("2024-03-01T10:00:05Z", "2024-03-02T00:30:00Z"),
        DateText(time="hh:mm:ss", joint="T", zone="Z"),
        (at(2024, 3, 1, 10, 0, 5), at(2024, 3, 2, 0, 30)),
    ),
    "local time": (
        ("2024-03-01 10:00", "2024-03-02 00:30"),
        DateText(time="hh:mm"),
        (at(2024, 3, 1, 10), at(2024, 3, 2, 0, 30)),
    ),
    "parts of a second": (
        ("2024-03-01 10:00:00.25", "2024-03-01 10:00:00.50"),
        DateText(time="hh:mm:ss", digits=2),
        (at(2024, 3, 1, 10, 0, 0, 250_000), at(2024, 3, 1, 10, 0, 0, 500_000)),
    ),
    "morning and evening": (
        ("3/1/2024 9:05 PM", "3/31/2024 12:05 AM"),
        DateText("mdy", "/", padded=False, time="h:mm", half_day=" AM"),
        (at(2024, 3, 1, 21, 5), at(2024, 3, 31, 0, 5)),
    ),
    "time first": (
        ("10:30 03/01/2024", "11:30 03/25/2024"),
        DateText("mdy", "/", time="hh:mm", time_first=True),
        (at(2024, 3, 1, 10, 30), at(2024, 3, 25, 11, 30)),
    ),
    "day and name": (
        ("1 Mar 2024", "15 Apr 2023"),
        DateText("dmy", " ", "en short title", padded=False),
        (at(2024, 3, 1), at(2023, 4, 15)),
    ),
    "name and day": (
        ("Mar 1, 2024", "May 12, 2024"),
        DateText("mdy", ", ", "en short title", padded=False),
        (at(2024, 3, 1), at(2024, 5, 12)),
    ),
    "long names": (
        ("March 1 2024", "August 12 2024"),
        DateText("mdy", " ", "en long title", padded=False),
        (at(2024, 3, 1), at(2024, 8, 12)),
    ),
    "spreadsheet": (
        ("01-MAR-24", "16-OCT-17"),
        DateText("dmy", "-", "en short upper", 2),
        (at(2024, 3, 1), at(2017, 10, 16)),
    ),
    "german names": (
        ("1. März 2024", "2. Mai 2023"),
        DateText("dmy", ". ", "de long title", padded=False),
        (at(2024, 3, 1), at(2023, 5, 2)),
    ),
    "french names": (
        ("1 janv. 2024", "12 févr. 2023"),
        DateText("dmy", " ", "fr short lower.", padded=False),
        (at(2024, 1, 1), at(2023, 2, 12)),
    ),
    "year, name and day": (
        ("2024-Mar-01", "2023-Dec-15"),
        DateText("ymd", "-", "en short title"),
        (at(2024, 3, 1), at(2023, 12, 15)),
    ),
    "months": (("2024-03", "1999-12"), DateText("ym"), (at(2024, 3, 1), at(1999, 12, 1))),
    "months first": (
        ("03/2024", "12/1999"),
        DateText("my", "/"),
        (at(2024, 3, 1), at(1999, 12, 1)),
    ),
    "names of months": (
        ("March 2024", "December 1999"),
        DateText("my", " ", "en long title"),
        (at(2024, 3, 1), at(1999, 12, 1)),
    ),
    "eight digits and a time": (
        ("20240301 10:30", "20231215 11:30"),
        DateText("ymd", "", time="hh:mm"),
        (at(2024, 3, 1, 10, 30), at(2023, 12, 15, 11, 30)),
    ),
}


@pytest.mark.parametrize("levels, style, microseconds", CASES.values(), ids=CASES)
def test_styles_are_recognised_and_written_again(levels, style, microseconds):
    assert reading(*levels) == style
    np.testing.assert_array_equal(style.parse(levels), microseconds)
    assert style.format(np.array(microseconds)) == list(levels)


# Orders


@pytest.mark.parametrize(
    "levels, order",
    [
        (("03/04/2005",), "mdy"),
        (("03.04.2005",), "dmy"),
        (("03-04-2005",), "dmy"),
        (("2005-04-03",), "ymd"),
        (("03/04/05",), "mdy"),
        (("03.04.05",), "dmy"),
        (("03/04/05", "10/16/17"), "mdy"),
        (("03/04/05", "16/10/17"), "dmy"),
        (("03-04-05", "45-12-31"), "ymd"),
        (("01-Mar-24",), "dmy"),
        (("01-Mar-24", "45-Mar-02"), "ymd"),
    ],
)
def test_the_calendar_decides_on_the_order_and_the_separator_if_it_cannot(levels, order):
    assert reading(*levels).order == order


def test_the_order_of_most_cells_is_taken():
    levels = ["01/16/2024", *(f"{day}/01/2024" for day in range(10, 32))]
    seen = tally(levels, np.ones(len(levels), int))
    assert reading_of(seen).order == "dmy"
    assert odd_values(seen, reading_of(seen)) == ["01/16/2024"]


# Centuries, months, zones


@pytest.mark.parametrize("two, four", [("00", 2000), ("68", 2068), ("69", 1969), ("99", 1999)])
def test_two_digits_are_years_from_1969_to_2068(two, four):
    style = DateText("dmy", ".", year_digits=2)
    np.testing.assert_array_equal(style.parse([f"01.02.{two}"]), [at(four, 2, 1)])
    assert style.format(np.array([at(four, 2, 1)])) == [f"01.02.{two}"]


def test_years_that_two_digits_cannot_say_are_written_with_four():
    style = DateText("mdy", "/", year_digits=2)
    x = np.array([at(1968, 12, 31), at(2069, 1, 1)])
    assert style.format(x) == ["12/31/1968", "01/01/2069"]
    np.testing.assert_array_equal(style.parse(style.format(x)), x)


def test_several_zones_become_utc():
    levels = ("2024-03-01T10:00+01:00", "2024-07-01T10:00+02:00", "2024-07-01T10:00-0330")
    found = reading(*levels)
    assert found.zone == "Z"
    times = ["2024-03-01T09:00Z", "2024-07-01T08:00Z", "2024-07-01T13:30Z"]
    assert found.format(found.parse(levels)) == times


def test_times_without_a_zone_are_odd_among_times_with_one():
    levels = ["2024-03-01 10:00", *(f"2024-03-01 {h:02d}:00Z" for h in range(24))]
    seen = tally(levels, np.ones(25, int))
    assert odd_values(seen, reading_of(seen)) == ["2024-03-01 10:00"]


def test_days_and_the_finest_time_go_together():
    levels = ("2024-03-01", "2024-03-01 10:00", "2024-03-01 10:00:30")
    assert reading(*levels) == DateText(time="hh:mm:ss")
    assert reading(*levels).parse(levels[:1]) == at(2024, 3, 1)


def test_eight_digits_are_dates_only_if_asked():
    levels = ("20240301", "19991231")
    assert reading(*levels) == NumberText()
    assert reading(*levels, compact_dates=True) == DateText("ymd", "")
    np.testing.assert_array_equal(
        DateText("ymd", "").parse(levels), [at(2024, 3, 1), at(1999, 12, 31)]
    )
    assert reading("20240301", "12345678", compact_dates=True) == NumberText()


# What is no date


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-31",
        "2023-02-29",
        "31.04.2024",
        "2024-13-01",
        "2024-00-10",
        "0000-01-01",
        "2024-03-01T24:00",
        "2024-03-01 10:60",
        "2024-03-01 13:00 PM",
        "2024-03-01 10:00+24:00",
        "2024-03-01Z",
        "10:00",
        "10:00 2024-03-01 10:00",
        "2024-03/01",
        "1.2.3",
        "555-1234",
        "12-3456",
        "123-45-6789",
        "192.168.0.1",
        "2023-24",
        "10/16",
        "3/24",
        "Mar 24",
        "24-Mar",
        "Foo 1, 2024",
        "mArch 1, 2024",
        "1 Mar",
        "２０２４-03-01",
    ],
)
def test_what_is_not_in_the_calendar_is_no_date(text):
    assert reading(text) is None
    for style in (DateText(), DateText("mdy", "/"), DateText("dmy", "."), DateText("my", "-")):
        assert np.isnan(style.parse([text])).all()


def test_an_impossible_day_among_many_is_an_odd_value():
    levels = ["2024-02-31", *(f"2024-01-{day:02d}" for day in range(1, 32))]
    seen = tally(levels, np.ones(32, int))
    assert reading_of(seen) == DateText()
    assert odd_values(seen, DateText()) == ["2024-02-31"]


# Writing


def test_times_are_written_to_the_nearest_unit():
    x = np.array([at(2024, 3, 1, 13), at(2024, 3, 1, 11), np.nan, np.inf, 1e30])
    assert DateText().format(x) == ["2024-03-02", "2024-03-01", None, None, None]
    minutes = DateText(time="hh:mm", zone="+01:00")
    assert minutes.format(np.array([at(2024, 3, 1, 23, 0, 31)])) == ["2024-03-02 00:01+01:00"]
    months = DateText("ym")
    assert months.format(np.array([at(2024, 3, 30), at(2024, 3, 2)])) == ["2024-04", "2024-03"]
    assert months.format(np.array([at(9999, 12, 31)])) == ["9999-12"]


def test_years_outside_of_1_to_9999_are_not_written():
    x = np.array([at(1, 1, 1), at(1, 1, 1) - DAY, at(9999, 12, 31), at(9999, 12, 31) + DAY])
    assert DateText().format(x) == ["0001-01-01", None, "9999-12-31", None]


STYLES = st.builds(
    DateText,
    order=st.sampled_from(["ymd", "dmy", "mdy"]),
    separator=st.sampled_from(["-", "/", "."]),
    month=st.just(""),
    year_digits=st.sampled_from([2, 4]),
    padded=st.booleans(),
    time=st.sampled_from(["", "hh:mm", "h:mm", "hh:mm:ss", "h:mm:ss"]),
    digits=st.integers(0, 6),
    half_day=st.sampled_from(["", " AM", "AM", " am", " a.m."]),
    joint=st.sampled_from([" ", ", "]),
    time_first=st.booleans(),
    zone=st.sampled_from(["", "Z", " UTC", "+01:00", "-0330", " +05"]),
)
MONTHS = st.tuples(
    st.sampled_from(["en", "de", "fr", "es", "it"]),
    st.sampled_from(["long", "short"]),
    st.sampled_from(["title", "lower", "upper", "title.", "lower."]),
).map(" ".join)
NAMED = st.builds(
    lambda style, separator, month: style._replace(separator=separator, month=month),
    STYLES,
    st.sampled_from([" ", "-", "/", ". ", ", "]),
    MONTHS,
)
MOMENTS = st.datetimes(datetime(1969, 1, 2), datetime(2068, 12, 30))


@given(st.one_of(STYLES, NAMED), st.lists(MOMENTS))
def test_parsing_undoes_writing_in_every_style(style, moments):
    style = style if style.time else style._replace(zone="")
    style = style if style.time.endswith("ss") else style._replace(digits=0)
    x = np.array([at(*m.timetuple()[:6], m.microsecond) for m in moments])
    texts = style.format(x)
    unit = 10 ** (6 - style.digits) if style.time.endswith("ss") else 60e6 if style.time else DAY
    assert np.all(np.abs(style.parse(texts) - x) <= unit / 2)
    assert style.format(style.parse(texts)) == texts


@given(st.lists(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)), min_size=1))
def test_iso_texts_are_read_as_python_reads_them(moments):
    levels = [m.replace(microsecond=0).isoformat() for m in moments]
    expected = [at(*m.timetuple()[:6]) for m in moments]
    np.testing.assert_array_equal(DateText().parse(levels), expected)


@given(MOMENTS, st.integers(-1439, 1439))
def test_zones_are_read_as_python_reads_them(moment, minutes):
    zone = timezone(timedelta(minutes=minutes))
    text = moment.replace(microsecond=0, tzinfo=zone).isoformat()
    expected = at(*moment.timetuple()[:6], zone=zone)
    np.testing.assert_array_equal(reading(text).parse([text]), [expected])


def test_no_texts_are_no_dates():
    assert DateText().parse([]).shape == (0,)
    assert DateText(time="hh:mm").format(np.empty(0)) == []
