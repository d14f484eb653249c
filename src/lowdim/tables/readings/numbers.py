"""Numbers as people write them: '$1,200.50', '60 %', '1.234,5', '(1,200)', '−5', "1'234".

    ( sign prefix sign body exponent suffix )      all but the body may be absent

What the body says about the decimal sign decides its kind:

    kind          example               decimal sign
    whole         12, 1 234, 1'234      '.' or ','
    point         1.5, 1,234.5          '.'
    comma         1,5, 1.234,5          ','
    point?        1.234                 '.', or ',' if the point groups thousands
    comma?        1,234                 ',', or '.' if the comma groups thousands
    ymd           20240301              as whole; also a date, if the caller says that it is one
    identifier    007, +4930123456      as whole; but too many of them name things, count nothing

The sign that most cells allow is taken, '.' among equals: '1,234' alone is a thousand.

The prefix is a currency: other words before a number make a name ('Room 12', 'Q1'). The suffix is
any unit; but ordinals ('4th') are names too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lowdim.tables.readings.groups import Details, Group, Key, most_common, total
from lowdim.tables.readings.number_layouts import NumberLayout, number_layout, plain_numbers
from lowdim.tables.readings.skeletons import by_skeleton

NUMBER = "number"
DECIMALS = {
    "whole": ".,",
    "ymd": ".,",
    "identifier": ".,",
    "point?": ".,",
    "comma?": ".,",
    "point": ".",
    "comma": ",",
}
IDENTIFIERS_SHARE = 0.01  # of cells that are identifiers, from which on all are


class NumberText(NamedTuple):
    """How the numbers of a column are written.

    Attributes
    ----------
    prefix, suffix : str
        What stands before and after, with its space: '$', ' %'. A percentage is not divided by 100.
    thousands : str
        What groups three digits; '' for nothing. `parse` takes whatever is not the decimal sign.
    decimal : {'.', ','}
    digits : int
        Most decimals seen.
    fixed : bool
        Whether every number is written with as many decimals.
    minus : {'-', '−', '–', '('}
        How negative numbers are marked; '(' means parentheses. `parse` takes all of them.
    exponent : {'', 'e', 'E'}
        Of numbers such as 1e-3: the letter. They are written with all their digits, not rounded.
    """

    prefix: str = ""
    suffix: str = ""
    thousands: str = ""
    decimal: str = "."
    digits: int = 0
    fixed: bool = False
    minus: str = "-"
    exponent: str = ""

    def parse(self, levels: Sequence[str]) -> np.ndarray:
        """The numbers, (n,) float64; NaN where a text is no such number or is beyond float64."""
        if not self.prefix and not self.suffix and self.decimal == ".":
            plain = plain_numbers(levels)
            if plain is not None:
                return plain
        texts = [level.strip() for level in levels]
        numbers = np.full(len(texts), np.nan)
        for skeleton, places in by_skeleton(texts)[0].items():
            layout = number_layout(skeleton)
            if layout is None:
                continue
            for kind, members in layout.kinds([texts[i] for i in places]):
                if kind and self.fits(_key(layout, kind)):
                    at = [places[j] for j in members]
                    numbers[at] = layout.values([texts[i] for i in at], self.decimal)
        return numbers

    def format(self, numbers: np.ndarray) -> list[str | None]:
        """The numbers as text, rounded to `digits`; None for NaN and infinity."""
        return [
            self._text(x) if math.isfinite(x) else None
            for x in np.asarray(numbers, dtype=np.float64).tolist()
        ]

    def fits(self, key: Key) -> bool:
        """Whether texts of this key are such numbers."""
        return (
            key[0] == NUMBER
            and key[1:3] == (self.prefix.strip(), self.suffix.strip())
            and self.decimal in DECIMALS[key[3]]
        )

    def _text(self, x: float) -> str:
        if self.exponent:
            size = repr(abs(x)).removesuffix(".0").replace("e", self.exponent)
        else:
            size = f"{abs(x):{',' * bool(self.thousands)}.{self.digits}f}"
            if self.digits and not self.fixed:
                size = size.rstrip("0").rstrip(".")
        negative = x < 0 and size.strip("0.,") != ""  # -0.001 to two decimals is 0.00
        head, point, tail = size.partition(".")
        size = head.replace(",", self.thousands) + (self.decimal if point else "") + tail
        size = self.prefix + size + self.suffix
        if not negative:
            return size
        return f"({size})" if self.minus == "(" else self.minus + size


def number_shapes(
    skeleton: str, texts: Sequence[str]
) -> list[tuple[Key | None, Details, list[int]]] | None:
    """Keys and details of texts with one skeleton, and their places; None if none is a number.

    The key is None where a text is no number although others of its skeleton are.
    """
    layout = number_layout(skeleton)
    if layout is None:
        return None
    return [
        (_key(layout, kind) if kind else None, layout.details, places)
        for kind, places in layout.kinds(texts)
    ]


def _key(layout: NumberLayout, kind: str) -> Key:
    return (NUMBER, layout.prefix.strip(), layout.suffix.strip(), kind)


def most_common_numbers(groups: Mapping[Key, Group]) -> NumberText | None:
    """How most of the numbers among these groups are written; None if there are none."""
    cells: Counter[tuple[str, str, str]] = Counter()
    for key, group in groups.items():
        if key[0] == NUMBER:
            for decimal in DECIMALS[key[3]]:
                cells[key[1], key[2], decimal] += group.cells
    if not cells:
        return None
    prefix, suffix, decimal = min(cells, key=lambda c: (-cells[c], c[2] != ".", c))
    bare = NumberText(prefix, suffix, decimal=decimal)
    fitting = ((key, group) for key, group in groups.items() if bare.fits(key))
    details = _details(fitting, decimal)
    digits = {int(value) for (name, value), n in details.items() if name == "digits" and n}
    return NumberText(
        prefix=most_common(details, "prefix"),
        suffix=most_common(details, "suffix"),
        thousands=most_common(details, "thousands"),
        decimal=decimal,
        digits=max(digits),
        fixed=len(digits) == 1 and digits != {0},
        minus=most_common(details, "minus", "-"),
        exponent=most_common(details, "exponent"),
    )


def are_numbers(groups: Mapping[Key, Group]) -> bool:
    """Whether these groups, all of one style, count something.

    They do not if at least 1 % are identifiers such as '007', or if all stand in parentheses, as
    references do.
    """
    cells = total(groups.values())
    identifiers = total(group for key, group in groups.items() if key[3] == "identifier")
    enclosed = sum(group.details.get(("minus", "("), 0) for group in groups.values())
    return identifiers < IDENTIFIERS_SHARE * cells and enclosed < cells


def _details(groups: Iterable[tuple[Key, Group]], decimal: str) -> Counter[tuple[str, str]]:
    """Details of groups that are read with this decimal sign."""
    details: Counter[tuple[str, str]] = Counter()
    for key, group in groups:
        details.update(group.details)
        mark = {"point?": ".", "comma?": ","}.get(key[3], decimal)
        if mark != decimal:  # it groups thousands
            details["thousands", mark] += group.cells
            details["digits", "3"] -= group.cells
            details["digits", "0"] += group.cells
    return details
