"""What a skeleton says about the numbers that have it: '$0,000.00' is a currency and a body.

Three things need the digits themselves: a leading zero ('007' is an identifier, '0,123' no
thousand), a date without separators (20240301), and an exponent beyond float64 (1e999 is not read
as a number).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lowdim.tables.readings.groups import Details
from lowdim.tables.readings.months import ENGLISH_MONTHS
from lowdim.tables.readings.skeletons import LONGEST, Digits, day_numbers

IDENTIFIER_DIGITS = 17  # float64 does not hold all whole numbers of so many digits
PHONE_DIGITS = 7  # '+' and so many digits is a telephone number
FIRST_YEAR, LAST_YEAR = 1900, 2100  # of dates without separators

_SPACE = " \u00a0\u2009\u202f"
_GROUPING = "'’" + _SPACE
_SYMBOL = "$¢£¤¥฿\u20a0-\u20cf"
_CURRENCY = (
    rf"[A-Z]{{0,3}}[{_SYMBOL}]|Rs\.?|Fr\.?|kr\.?|"
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|IDR|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|"
    "THB|TRY|TWD|USD|ZAR"
)
_LETTER = rf"[^\W\d_]|[°{_SYMBOL}]"
_UNIT = (
    rf"[%‰+\"'′″]|(?!(?:st|nd|rd|th)\b)(?:{_LETTER})(?:{_LETTER}|[²³%/·]){{0,11}}(?:(?<=m)[23])?"
)
_NUMBER = re.compile(
    rf"(\()?(?:([-+−–])[{_SPACE}]?)?((?:{_CURRENCY})[{_SPACE}]?)?([-+−–])?"
    rf"(0+(?:[.,{_GROUPING}]0+)*[.,]?|[.,]0+)"
    rf"([eE][-+]?0+)?([{_SPACE}]?(?:{_UNIT}))?(\))?"
)
_GROUPED = re.compile(rf"0{{1,3}}([.,{_GROUPING}])000(?:\1(?:000))*(?:(?!\1)([.,])(0*))?")
_NOT_PLAIN = re.compile(r"[^-+0-9.eE \n]")


class NumberLayout(NamedTuple):
    """The parts of a number, for all texts of a skeleton.

    Attributes
    ----------
    prefix, suffix : str
        With the space that separates them.
    minus : str
        '-', '−', '–', '(' or, for numbers that are not negative, ''.
    start, end : int
        Where the body with its exponent is.
    kind, kind_from_zero : str
        What the body is, if its first digit is not 0 and if it is; '' for no number.
    thousands : str
        What surely groups thousands.
    digits : int
        Decimals; of '1.234' and '1,234' three.
    exponent : str
        The letter, or ''.
    """

    prefix: str
    suffix: str
    minus: str
    start: int
    end: int
    kind: str
    kind_from_zero: str
    thousands: str
    digits: int
    exponent: str

    @property
    def details(self) -> Details:
        """How such numbers are written."""
        return (
            ("prefix", self.prefix),
            ("suffix", self.suffix),
            ("minus", self.minus),
            ("thousands", self.thousands),
            ("digits", str(self.digits)),
            ("exponent", self.exponent),
        )

    def kinds(self, texts: Sequence[str]) -> list[tuple[str, list[int]]]:
        """Kinds of the texts, and their places; the kind is '' where a text is no number."""
        if self.exponent:
            sizes = self._sizes(texts, "," if self.kind == "comma" else ".")
            return _places([self.kind if finite else "" for finite in np.isfinite(sizes).tolist()])
        if self.kind == self.kind_from_zero:
            return [(self.kind, list(range(len(texts))))]
        kinds = [self.kind_from_zero if text[self.start] == "0" else self.kind for text in texts]
        if self.kind == "ymd":
            days = _are_days(texts)
            kinds = [
                k if k == "identifier" or day else "whole"
                for k, day in zip(kinds, days, strict=True)
            ]
        return _places(kinds)

    def values(self, texts: Sequence[str], decimal: str) -> np.ndarray:
        """The numbers, (n,) float64, if this is their decimal sign."""
        sizes = self._sizes(texts, decimal)
        return -sizes if self.minus else sizes

    def _sizes(self, texts: Sequence[str], decimal: str) -> np.ndarray:
        bodies = "\n".join([text[self.start : self.end] for text in texts])
        for mark in {".", ",", self.thousands} - {decimal, ""}:
            bodies = bodies.replace(mark, "")
        bare = bodies.replace(decimal, ".").split("\n")
        return np.fromiter(map(float, bare), dtype=np.float64, count=len(texts))


def number_layout(skeleton: str) -> NumberLayout | None:
    """The layout of a skeleton; None if its texts are no numbers."""
    found = _NUMBER.fullmatch(skeleton)
    if found is None:
        return None
    opened, outer, prefix, inner, body, exponent, suffix, closed = found.groups("")
    if bool(opened) != bool(closed) or sum(map(bool, (opened, outer, inner))) > 1:
        return None
    written = _body(body)
    if written is None or suffix.strip().lower() in ENGLISH_MONTHS:  # 24 Mar is a day
        return None
    kind, from_zero, thousands, digits = written
    sign = opened or outer or inner
    if exponent:
        if thousands:
            return None
        kind = from_zero  # a single mark is then no group
    elif body.isdigit() and body == skeleton.lstrip("+-−–"):
        kind, from_zero = _bare(len(body), sign)
    start, end = found.start(5), found.end(6) if exponent else found.end(5)
    minus = sign.replace("+", "")
    return NumberLayout(
        prefix, suffix, minus, start, end, kind, from_zero, thousands, digits, exponent[:1]
    )


def plain_numbers(levels: Sequence[str]) -> np.ndarray | None:
    """Numbers that Python reads itself, all at once; None if a text needs a closer look."""
    if max(map(len, levels), default=0) > LONGEST or _NOT_PLAIN.search("\n".join(levels)):
        return None
    try:  # twice as quick as NumPy's conversion of an array of text
        numbers = np.fromiter(map(float, levels), dtype=np.float64, count=len(levels))
    except ValueError:
        return None
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _body(body: str) -> tuple[str, str, str, int] | None:
    """Kind, kind with a first digit 0, what groups thousands, decimals; None if groups are odd."""
    if body.isdigit():
        return "whole", "whole", "", 0
    for mark, kind in ((".", "point"), (",", "comma")):
        head, found, tail = body.partition(mark)
        if found and (head + tail).isdigit():
            ambiguous = len(tail) == 3 and 1 <= len(head) <= 3
            return kind + "?" * ambiguous, kind, "", len(tail)
    grouped = _GROUPED.fullmatch(body)
    if grouped is None:
        return None
    thousands, decimal, tail = grouped.groups("")
    decimal = decimal or {".": ",", ",": "."}.get(thousands, "")
    return {".": "point", ",": "comma", "": "whole"}[decimal], "", thousands, len(tail)


def _bare(n_digits: int, sign: str) -> tuple[str, str]:
    """Kind of a text that is digits only but for a sign, and kind with a first digit 0."""
    if n_digits >= IDENTIFIER_DIGITS or (sign == "+" and n_digits >= PHONE_DIGITS):
        return "identifier", "identifier"
    if sign or n_digits == 1:
        return "whole", "whole"
    return "ymd" if n_digits == 8 else "whole", "identifier"


def _are_days(texts: Sequence[str]) -> list[bool]:
    """Which texts of eight digits are days of our time."""
    digits = Digits(texts)
    year, month, day = (digits.number(span) for span in ((0, 4), (4, 6), (6, 8)))
    possible = day_numbers(year, month, day)[1]
    return (possible & (year >= FIRST_YEAR) & (year <= LAST_YEAR)).tolist()


def _places(labels: Sequence[str]) -> list[tuple[str, list[int]]]:
    places: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        places.setdefault(label, []).append(i)
    return list(places.items())
