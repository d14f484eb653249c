"""Texts that differ only in their digits, looked at together.

The skeleton of a text has 0 for every digit: '2024-03-01' and '1999-12-31' share '0000-00-00'; only
the power of a unit stays, '120 m2' has '000 m2'. A column of a million numbers or dates has few
skeletons: what a text is made of is found once for each of them, and the digits of all its texts
are read by NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

LONGEST = 64  # characters of a number or a date
Span = tuple[int, int]

_ZEROS = str.maketrans("123456789", "000000000")
_BEGINS = re.compile(r"\W{0,4}(?:[^\W\d_]{1,10}\W{0,3})?[0-9]")  # at most a word before a digit
_POWERS = ("m2", "m3", "m2)", "m3)")
_FIRST_DAY = np.datetime64("1970-01-01")


def by_skeleton(texts: Sequence[str]) -> tuple[dict[str, list[int]], list[int]]:
    """Places of the texts that share a skeleton, and of those that are words at the first look."""
    places: dict[str, list[int]] = {}
    words = []
    for i, text in enumerate(texts):
        if len(text) > LONGEST or not _BEGINS.match(text):
            words.append(i)
            continue
        skeleton = text.translate(_ZEROS)
        if text.endswith(_POWERS):
            power = max(text.rfind("2"), text.rfind("3"))
            skeleton = skeleton[:power] + text[power:]
        places.setdefault(skeleton, []).append(i)
    return places, words


class Digits:
    """The digits of texts with one skeleton."""

    def __init__(self, texts: Sequence[str]):
        n, length = len(texts), len(texts[0])
        # a text may end in NUL, which NumPy drops; but then it is neither number nor date
        self._characters = np.array(texts, dtype=f"U{length}").view(np.uint32).reshape(n, length)

    def __len__(self) -> int:
        return len(self._characters)

    def number(self, span: Span) -> np.ndarray:
        """The whole numbers at these places, (n,) int64; 0 if the span is empty."""
        number = np.zeros(len(self._characters), dtype=np.int64)
        for place in range(*span):
            number = 10 * number + (self._characters[:, place].astype(np.int64) - ord("0"))
        return number

    def starts_with_zero(self, span: Span) -> np.ndarray:
        """Where the first digit is 0, (n,) bool."""
        return self._characters[:, span[0]] == ord("0")


def day_numbers(
    year: np.ndarray, month: np.ndarray, day: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Days since 1970, (n,) int64, and which of them are in the calendar, (n,) bool."""
    months = (12 * (year - 1970) + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    possible = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    possible &= days.astype("datetime64[M]") == months  # not the 31st of February
    return (days - _FIRST_DAY).astype(np.int64), possible
