"""What a skeleton says about its dates: where day, time and zone are, in which orders."""

import datetime as dt

import pytest

from lowdim.tables.readings.date_layouts import DAY, MINUTE, date_layout, microseconds_ahead
from lowdim.tables.readings.skeletons import Digits, by_skeleton


def layout_of(text):
    (skeleton,), _ = by_skeleton([text])
    return date_layout(skeleton)


@pytest.mark.parametrize(
    ("text", "orders", "separator"),
    [
        ("2024-03-01", ["ymd"], "-"),
        ("01.03.2024", ["dmy", "mdy"], "."),
        ("01/03/24", ["ymd", "dmy", "mdy"], "/"),
        ("20240301", ["ymd"], ""),
        ("2024-03", ["ym"], "-"),
        ("03/2024", ["my"], "/"),
        ("1 Mar 2024", ["dmy"], " "),
        ("March 1, 2024", ["mdy"], ", "),
        ("Mar-24", ["my"], "-"),
    ],
)
def test_the_widths_of_numbers_allow_some_orders(text, orders, separator):
    day = layout_of(text).day
    assert list(day.orders) == orders and day.separator == separator


@pytest.mark.parametrize(
    ("text", "order", "date"),
    [
        ("2024-03-01", "ymd", dt.date(2024, 3, 1)),
        ("01/03/24", "dmy", dt.date(2024, 3, 1)),
        ("01/03/24", "mdy", dt.date(2024, 1, 3)),
        ("01/03/69", "dmy", dt.date(1969, 3, 1)),
        ("01/03/68", "dmy", dt.date(2068, 3, 1)),
        ("Mar 2024", "my", dt.date(2024, 3, 1)),
        ("31/02/24", "dmy", None),
        ("12-3456", "my", None),  # no month of our time
    ],
)
def test_an_order_gives_a_day_or_none(text, order, date):
    days, possible = layout_of(text).day.days(Digits([text]), order)
    assert possible.tolist() == [date is not None]
    assert date is None or days[0] == (date - dt.date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("2024-03-01", 0),
        ("2024-03-01 10:30", 630 * MINUTE),
        ("2024-03-01T10:30:05.25", 630 * MINUTE + 5_250_000),
        ("2024-03-01 12:05 AM", 5 * MINUTE),
        ("2024-03-01 12:05 p.m.", 725 * MINUTE),
        ("10:30 2024-03-01", 630 * MINUTE),
        ("2024-03-01T10:30Z", 630 * MINUTE),
        ("2024-03-01T10:30+01:30", 540 * MINUTE),
        ("2024-03-01T23:00-0200", 25 * 60 * MINUTE),
        ("2024-03-01 24:00", None),
        ("2024-03-01 13:05 PM", None),
        ("2024-03-01 10:61", None),
        ("2024-03-01T10:30+25:00", None),
    ],
)
def test_clocks_are_read_in_utc(text, microseconds):
    found, possible = layout_of(text).clock(Digits([text]))
    assert possible.tolist() == [microseconds is not None]
    assert microseconds is None or found[0] == microseconds < 2 * DAY


@pytest.mark.parametrize(
    "text",
    ["10.2024", "3/24", "1-2/2024", "10:30 2024-03-01 10:30", "2024-03-01Z", "Mar 24", "1 Foo 2024",
     "2024-03-001", "12345-01-01"],
)  # fmt: skip
def test_other_texts_are_no_dates(text):
    assert layout_of(text) is None


@pytest.mark.parametrize(
    ("zone", "minutes"), [("", 0), ("Z", 0), (" UTC", 0), ("+01:30", 90), ("-0200", -120)]
)
def test_zones_are_ahead_of_utc_by_so_much(zone, minutes):
    assert microseconds_ahead(zone) == minutes * MINUTE
