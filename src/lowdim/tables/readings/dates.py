"""Dates as people write them: '2024-03-01T10:00+01:00', '10/16/17', '16.10.2017', 'Mar 1, 2024'.

'03/04/05' is a date in three orders, '10/16/17' in one, since there is no 16th month. The order in
which most cells are days of the calendar is taken; among equals the month comes first if '/' is
between, else the day.

A time without a zone is taken as it stands. Times of one zone keep it; those of several are
converted to UTC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from lowdim.tables.readings.date_layouts import (
    CENTURY_STARTS,
    DAY,
    MINUTE,
    SECOND,
    DateLayout,
    date_layout,
    microseconds_ahead,
)
from lowdim.tables.readings.groups import Details, Group, Key, most_common
from lowdim.tables.readings.months import month_name
from lowdim.tables.readings.skeletons import Digits, Span, by_skeleton

DATE = "date"
COMPACT = ("number", "", "", "ymd")  # 20240301 is a date only if the caller says so
PREFERRED = {"/": ("mdy", "dmy", "ymd", "ym", "my")}  # orders among equals, by separator
USUAL = ("dmy", "mdy", "ymd", "ym", "my")
ORDINAL_OF_1970 = date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = (day.toordinal() - ORDINAL_OF_1970 for day in (date.min, date.max))
FARTHEST = 4e17  # microseconds, more than there are in 9999 years


class DateText(NamedTuple):
    """How the dates of a column are written.

    Attributes
    ----------
    order : {'ymd', 'dmy', 'mdy', 'ym', 'my'}
    separator : str
        What stands between the numbers; '' for eight digits, 20240301. With names of months, what
        stands after the day or, where the month comes first, before the year: '. ', ', '.
    month : str
        '' for numbers, else how names of months are written: 'en short title' is Mar.
    year_digits : {2, 4}
        Years other than 1969 to 2068 are always written with four. `parse` takes both.
    padded : bool
        Whether days and months are written with two digits: 01.
    time : {'', 'hh:mm', 'h:mm', 'hh:mm:ss', 'h:mm:ss'}
    digits : int
        Decimals of the seconds, at most 6.
    half_day : str
        How the morning is written, ' AM'; '' if hours go from 0 to 23.
    joint : str
        What stands between date and time: ' ', 'T'.
    time_first : bool
    zone : str
        '' if times have none; the one that all have; else 'Z' or '+00:00'.
    """

    order: str = "ymd"
    separator: str = "-"
    month: str = ""
    year_digits: int = 4
    padded: bool = True
    time: str = ""
    digits: int = 0
    half_day: str = ""
    joint: str = " "
    time_first: bool = False
    zone: str = ""

    def parse(self, levels: Sequence[str]) -> np.ndarray:
        """Microseconds since 1970 (UTC), (n,) float64; NaN where a text is no such date."""
        texts = [level.strip() for level in levels]
        microseconds = np.full(len(texts), np.nan)
        for skeleton, places in by_skeleton(texts)[0].items():
            layout = date_layout(skeleton)
            if layout is None or not self.fits(_key(layout, layout.day.orders)):
                continue
            digits = Digits([texts[i] for i in places])
            days, in_calendar = layout.day.days(digits, self.order)
            clock, possible = layout.clock(digits)
            microseconds[places] = np.where(in_calendar & possible, days * DAY + clock, np.nan)
        return microseconds

    def format(self, microseconds: np.ndarray) -> list[str | None]:
        """The nearest dates that can be written so; None for NaN and outside of years 1 to 9999."""
        x = np.asarray(microseconds, dtype=np.float64)
        unit = self._unit
        known = np.flatnonzero(np.abs(x) < FARTHEST)  # NaN is not
        local = np.rint(x[known]).astype(np.int64) + microseconds_ahead(self.zone)
        day, rest = np.divmod((local + unit // 2) // unit * unit, DAY)
        inside = (day >= FIRST_DAY) & (day <= LAST_DAY)
        texts = _each(self._day_text, day[inside])
        if self.time:
            times = _each(self._time_text, rest[inside])
            first, last = (times, texts) if self.time_first else (texts, times)
            texts = first + self.joint + last + self.zone
        written = np.full(len(x), None, dtype=object)
        written[known[inside]] = texts
        return written.tolist()

    def fits(self, key: Key) -> bool:
        """Whether texts of this key are such dates."""
        if key == COMPACT:
            return self.separator == "" and self.order == "ymd" and not self.month
        form = ("name", "") if self.month else ("number", self.separator)
        return (
            key[0] == DATE
            and key[1:3] == form
            and self.order in key[3].split(" ")
            and key[4] in ("day", "zone" if self.zone else "local")
        )

    @property
    def _unit(self) -> int:
        """Microseconds between two times that are written one after the other."""
        if not self.time:
            return DAY
        return SECOND // 10**self.digits if self.time.endswith("ss") else MINUTE

    def _day_text(self, days: int) -> str:
        day = date.fromordinal(days + ORDINAL_OF_1970)
        if "d" not in self.order:
            day = _nearest_month(day)
        short = self.year_digits == 2 and 0 <= day.year - CENTURY_STARTS < 100
        width = 2 if self.padded else 1
        fields = {
            "y": f"{day.year % 100:02d}" if short else f"{day.year:04d}",
            "m": month_name(day.month, self.month) if self.month else f"{day.month:0{width}d}",
            "d": f"{day.day:0{width}d}",
        }
        written = [fields[letter] for letter in self.order]
        if not self.month or len(written) == 2:
            return self.separator.join(written)
        other = self.separator if self.separator in "-/." else " "
        first, second = self.separator, other  # 1. Mar 2024
        if self.order == "mdy":  # Mar 1, 2024
            first, second = second, first
        return f"{written[0]}{first}{written[1]}{second}{written[2]}"

    def _time_text(self, microseconds: int) -> str:
        seconds, rest = divmod(microseconds, SECOND)
        hour, half_day = seconds // 3600, self.half_day
        if half_day:
            half_day = half_day if hour < 12 else half_day.replace("A", "P").replace("a", "p")
            hour = (hour - 1) % 12 + 1
        text = f"{hour:0{self.time.index(':')}d}:{seconds // 60 % 60:02d}"
        if self.time.endswith("ss"):
            text += f":{seconds % 60:02d}" + f".{rest:06d}"[: self.digits + 1 if self.digits else 0]
        return text + half_day


def date_shapes(
    skeleton: str, texts: Sequence[str]
) -> list[tuple[Key | None, Details, list[int]]] | None:
    """Keys and details of texts with one skeleton, and their places; None if none is a date.

    The key is None where a text is no date although others of its skeleton may be.
    """
    layout = date_layout(skeleton)
    if layout is None:
        return None
    digits = Digits(texts)
    possible = layout.clock(digits)[1]
    in_order = {o: layout.day.days(digits, o)[1] & possible for o in layout.day.orders}
    alike = _written_alike(layout, digits, list(in_order.values()))
    shapes: list[tuple[Key | None, Details, list[int]]] = []
    for kind in np.unique(alike):
        places = np.flatnonzero(alike == kind).tolist()
        orders = [order for order, there in in_order.items() if there[places[0]]]
        key = _key(layout, orders) if orders else None
        shapes.append((key, _details(layout, texts[places[0]]), places))
    return shapes


def _written_alike(
    layout: DateLayout, digits: Digits, in_order: Sequence[np.ndarray]
) -> np.ndarray:
    """Equal numbers, (n,) int64, for texts that have orders, leading zeros and zone in common."""
    hours = layout.time[:1] if layout.time else ()
    zeros = [digits.starts_with_zero(span) for span in (*layout.day.short, *hours)]
    alike = np.zeros(len(digits), dtype=np.int64)
    for there in (*in_order, *zeros):
        alike = 2 * alike + there
    if layout.zone is None:
        return alike
    zone = 100 * digits.number(layout.zone.hour) + digits.number(layout.zone.minute)
    return 10_000 * alike + zone


def _key(layout: DateLayout, orders: Iterable[str]) -> Key:
    """What decides whether dates of this layout, possible in these orders, fit a reading."""
    day = layout.day
    if day.separator == "" and layout.time is None:
        return COMPACT
    form = ("name", "") if day.month else ("number", day.separator)
    zoned = "day" if layout.time is None else "local" if layout.zone is None else "zone"
    return (DATE, *form, " ".join(orders), zoned)


def _details(layout: DateLayout, text: str) -> Details:
    """How a text of this layout is written."""
    day, time, zone = layout.day, layout.time, layout.zone
    details = [
        ("separator", day.separator),
        ("month", day.month),
        ("year_digits", str(day.year_digits)),
        ("padded", _padded(text, day.short)),
    ]
    if time is not None:
        details += [
            ("hour", _padded(text, [time.hour])),
            ("time", "mm:ss" if time.second[0] >= 0 else "mm"),
            ("digits", str(min(time.fraction[1] - time.fraction[0], 6))),
            ("half_day", time.half.replace("P", "A").replace("p", "a")),
            ("joint", layout.joint),
            ("time_first", "yes" if layout.time_first else "no"),
            ("zone", "" if zone is None else text[slice(*zone.text)]),
        ]
    return tuple(details)


def _padded(text: str, spans: Sequence[Span]) -> str:
    """Whether numbers below ten have two digits, 'yes' or 'no'; '' if there are none."""
    if any(end - start == 1 for start, end in spans):
        return "no"
    return "yes" if any(text[start] == "0" for start, _ in spans) else ""


def most_common_dates(groups: Mapping[Key, Group]) -> DateText | None:
    """How most of the dates among these groups are written; None if there are none."""
    cells: Counter[tuple[str, str, str, str]] = Counter()
    for key, group in groups.items():
        if key[0] == DATE:
            for order in key[3].split(" "):
                for zoned in ("local", "zone") if key[4] == "day" else key[4:]:
                    cells[key[1], key[2], order, zoned] += group.cells
    if not cells:
        return None
    form, separator, order, zoned = min(cells, key=lambda c: (-cells[c], _rank(*c), c))
    bare = DateText(
        order,
        separator,
        month="en long title" if form == "name" else "",
        zone="Z" if zoned == "zone" else "",
    )
    details: Counter[tuple[str, str]] = Counter()
    for key, group in groups.items():
        if bare.fits(key):
            details.update(group.details)
    return _as_written(bare, details)


def _rank(form: str, separator: str, order: str, zoned: str) -> tuple[bool, int]:
    return zoned == "zone", PREFERRED.get(separator, USUAL).index(order)


def _as_written(bare: DateText, details: Mapping[tuple[str, str], int]) -> DateText:
    """The details that most of the cells have; of times the finest, so that none is cut."""
    seen = {name: {v for n, v in details if n == name} for name in ("time", "digits", "zone")}
    time = max(seen["time"], key=len, default="")
    hour = "h" if most_common(details, "hour") == "no" else "hh"
    joint = most_common(details, "joint", " ")
    zone = bare.zone
    if zone:
        common = "Z" if joint == "T" else "+00:00"
        zone = seen["zone"].pop() if len(seen["zone"]) == 1 else common
    return DateText(
        bare.order,
        most_common(details, "separator"),
        _month_style(details) if bare.month else "",
        int(most_common(details, "year_digits")),
        most_common(details, "padded") != "no",
        f"{hour}:{time}" if time else "",
        max(map(int, seen["digits"]), default=0),
        most_common(details, "half_day"),
        joint,
        most_common(details, "time_first") == "yes",
        zone,
    )


def _month_style(details: Mapping[tuple[str, str], int]) -> str:
    """The style in which most of the names of months are written."""
    cells: Counter[str] = Counter()
    for (name, styles), n in details.items():
        if name == "month":
            cells.update(dict.fromkeys(styles.split(","), n))
    return min(cells, key=lambda style: (-cells[style], not style.startswith("en"), style))


def _each(write: Callable[[int], str], values: np.ndarray) -> np.ndarray:
    """The text of each value, (n,) object; each different value is written once."""
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([write(value) for value in distinct.tolist()], dtype=object)[place]


def _nearest_month(day: date) -> date:
    """The first day of a month that is nearest."""
    first = day.replace(day=1)
    if day.day <= 15 or day >= date(9999, 12, 1):
        return first
    following = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return following if following - day < day - first else first
