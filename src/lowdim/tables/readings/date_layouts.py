"""What a skeleton says about the dates that have it: '00/00/0000 00:00' is a day and a time.

    [time] date [time] [zone]

    date    three numbers between '-', '/' or '.'; or a day, the name of a month and a year; or a
            month and a year ('2024-03', '03/2024', 'Mar 2024'), which stand for their first day;
            or eight digits
    time    10:00, 10:00:30, 10:00:30.25, 9:05 PM
    zone    Z, UTC, GMT, +01:00, +0100, +01, after a time

Years of two digits: 69 to 99 are 1969 to 1999, 00 to 68 are 2000 to 2068, as in POSIX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from lowdim.tables.readings.months import month_of
from lowdim.tables.readings.skeletons import Digits, Span, day_numbers

SECOND = 1_000_000  # microseconds
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
CENTURY_STARTS = 1969  # first of the hundred years that two digits stand for
FIRST_YEAR, LAST_YEAR = 1500, 2200  # of months: '12-3456' is not December 3456
Places = tuple[Span, Span | int, Span | None]  # of year, month and day

_FIELD = r"(?:0{1,4}|[^\W\d_]{3,10}\.?)"
_BETWEEN = r"(?:\.?,? |[-/.])"
_DAY = re.compile(rf"({_FIELD})({_BETWEEN})({_FIELD})(?:({_BETWEEN})(0{{1,4}}))?")
_TIME = r"(0{1,2}):(00)(?::(00)(?:[.,](0{1,9}))?)?( ?[AaPp]\.?[Mm]\.?)?"
_ZONE = r" ?(?:Z|UTC|GMT|([-+−])(00)(?::?(00))?)"
_DATE = re.compile(
    rf"(?:{_TIME}(,? ))?(0{{8}}|{_FIELD}{_BETWEEN}{_FIELD}(?:{_BETWEEN}0{{1,4}})?)"
    rf"(?:(T|,? ){_TIME})?({_ZONE})?"
)


class DayLayout(NamedTuple):
    """Where the numbers of a day are.

    Attributes
    ----------
    orders : dict of str to Places
        Where year, month and day are, for every order that the widths allow; a named month is its
        number, a day that is not written is None.
    separator : str
    month : str
        Styles that the name of the month may have, with commas between; '' for a number.
    year_digits : {2, 4}
    """

    orders: dict[str, Places]
    separator: str
    month: str
    year_digits: int

    @property
    def short(self) -> list[Span]:
        """Where numbers of a month or a day are, in the last of the orders."""
        return _spans(list(self.orders.values())[-1][1:])

    def days(self, digits: Digits, order: str) -> tuple[np.ndarray, np.ndarray]:
        """Days since 1970 in this order, (n,) int64, and which are in the calendar, (n,) bool."""
        year_at, month_at, day_at = self.orders[order]
        year = digits.number(year_at)
        if _width(year_at) == 2:
            year += np.where(1900 + year >= CENTURY_STARTS, 1900, 2000)
        if isinstance(month_at, int):
            month = np.full_like(year, month_at)
        else:
            month = digits.number(month_at)
        if day_at is not None:
            return day_numbers(year, month, digits.number(day_at))
        days, possible = day_numbers(year, month, np.ones_like(year))
        return days, possible & (year >= FIRST_YEAR) & (year <= LAST_YEAR)


class TimeLayout(NamedTuple):
    """Where the numbers of a time are; spans of what is not written are empty."""

    hour: Span
    minute: Span
    second: Span
    fraction: Span
    half: str  # ' PM' or, if hours go from 0 to 23, ''

    def microseconds(self, digits: Digits) -> tuple[np.ndarray, np.ndarray]:
        """Since midnight, (n,) int64, and which are times of a day, (n,) bool."""
        hour, minute, second, fraction = (digits.number(span) for span in self[:4])
        possible = (hour <= 23) & (minute <= 59) & (second <= 59)
        if self.half:
            possible &= (hour >= 1) & (hour <= 12)
            hour = hour % 12 + (12 if "p" in self.half.lower() else 0)
        since_midnight = ((60 * hour + minute) * 60 + second) * SECOND
        return since_midnight + fraction * SECOND // 10 ** _width(self.fraction), possible


class ZoneLayout(NamedTuple):
    """Where the numbers of a zone are."""

    text: Span
    sign: int  # of +01:00 it is 1, of -01:00 -1, of UTC 0
    hour: Span
    minute: Span

    def ahead(self, digits: Digits) -> tuple[np.ndarray, np.ndarray]:
        """Microseconds that its clocks are ahead of UTC, (n,) int64, and which are possible."""
        hour, minute = digits.number(self.hour), digits.number(self.minute)
        return self.sign * (60 * hour + minute) * MINUTE, (hour <= 23) & (minute <= 59)


class DateLayout(NamedTuple):
    """The parts of a date, for all texts of a skeleton."""

    day: DayLayout
    time: TimeLayout | None
    zone: ZoneLayout | None
    joint: str  # what stands between date and time
    time_first: bool

    def clock(self, digits: Digits) -> tuple[np.ndarray, np.ndarray]:
        """Microseconds since midnight UTC, (n,) int64, and which are possible, (n,) bool."""
        if self.time is None:
            return np.zeros(len(digits), dtype=np.int64), np.ones(len(digits), dtype=bool)
        microseconds, possible = self.time.microseconds(digits)
        if self.zone is None:
            return microseconds, possible
        ahead, in_use = self.zone.ahead(digits)
        return microseconds - ahead, possible & in_use


def date_layout(skeleton: str) -> DateLayout | None:
    """The layout of a skeleton; None if its texts are no dates."""
    found = _DATE.fullmatch(skeleton)
    if found is None or (found[1] and found[9]):  # two times
        return None
    day = _day_layout(skeleton, found.span(7))
    if day is None:
        return None
    time = _time_layout(found, 1) or _time_layout(found, 9)
    if found[14] is None:
        zone = None
    elif time is None:
        return None
    else:
        sign = {None: 0, "+": 1}.get(found[15], -1)
        zone = ZoneLayout(found.span(14), sign, found.span(16), found.span(17))
    return DateLayout(day, time, zone, found[6] or found[8] or "", found[1] is not None)


def microseconds_ahead(zone: str) -> int:
    """Of a zone that was found in a text, or of '': how far its clocks are ahead of UTC."""
    digits = "".join(filter(str.isdigit, zone))
    minutes = 60 * int(digits[:2] or 0) + int(digits[2:] or 0)
    return (minutes if "+" in zone else -minutes) * MINUTE


def _time_layout(found: re.Match[str], first: int) -> TimeLayout | None:
    """The time in the five groups from this one on; None if it is not there."""
    if found[first] is None:
        return None
    hour, minute, second, fraction = (found.span(first + i) for i in range(4))
    return TimeLayout(hour, minute, second, fraction, found[first + 4] or "")


def _day_layout(skeleton: str, span: Span) -> DayLayout | None:
    found = _DAY.fullmatch(skeleton, *span)
    if found is None:
        year, month, day = (
            (span[0], span[0] + 4),
            (span[0] + 4, span[0] + 6),
            (span[0] + 6, span[1]),
        )
        return DayLayout({"ymd": (year, month, day)}, "", "", 4)
    if found[1].isdigit() and found[3].isdigit():
        return _in_numbers(found)
    return _with_name(found, 3 if found[1].isdigit() else 1)


def _in_numbers(found: re.Match[str]) -> DayLayout | None:
    a, b, c = (found.span(group) for group in (1, 3, 5))
    between = found[2]
    if found[5] is not None:
        if between != found[4] or between not in "-/.":
            return None
        return _possible({"ymd": (a, b, c), "dmy": (c, b, a), "mdy": (c, a, b)}, between)
    if between not in "-/" or 4 not in (_width(a), _width(b)):  # 10.2024 is a number, 3/24 a part
        return None
    return _possible({"ym": (a, b, None), "my": (b, a, None)}, between)


def _with_name(found: re.Match[str], group: int) -> DayLayout | None:
    """The layout if the name of the month is in this group."""
    named = month_of(found[group])
    other = found.span(4 - group)
    if named is None or not found[4 - group].isdigit():
        return None
    month, styles = named
    between, last, whole = found[2], found.span(5), found[5] is not None
    if group == 1:
        between = found[4] or between
        if not whole and _width(other) == 2 and between != "-":  # Mar-24 is a month, Mar 24 a day
            return None
        orders = {"mdy": (last, month, other)} if whole else {"my": (other, month, None)}
    elif whole:
        orders = {"ymd": (other, month, last), "dmy": (last, month, other)}
    else:
        orders = {"ym": (other, month, None)} if _width(other) == 4 else {}
    return _possible(orders, between, ",".join(styles))


def _possible(orders: Mapping[str, Places], separator: str, month: str = "") -> DayLayout | None:
    """The layout with the orders whose widths are possible; None if there is none."""
    kept = {
        order: places
        for order, places in orders.items()
        if _width(places[0]) in (2, 4) and all(_width(span) <= 2 for span in _spans(places[1:]))
    }
    if not kept:
        return None
    year_digits = max(_width(year) for year, _, _ in kept.values())
    return DayLayout(kept, separator, month, year_digits)


def _spans(places: Iterable[Span | int | None]) -> list[Span]:
    return [place for place in places if isinstance(place, tuple)]


def _width(span: Span) -> int:
    return span[1] - span[0]
