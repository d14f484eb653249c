"""A column of some rows as numbers or as words, whatever held it.

    number    as it is, NaN where there is no value
    flag      0 or 1
    words     the place of each word among the sorted distinct words, -1 where there is none
    moment    microseconds since 1970, UTC; a time without a zone as if it were UTC
    span      microseconds: durations, times of day
    other     what neither is (lists, bytes): 0 where there is something, NaN where there is not

A float64 holds every microsecond from 1685 to 2255, and every whole number up to 2^53.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, repeat

import numpy as np

DAY = 86_400_000_000  # in microseconds
TICKS = {"D": DAY, "s": 1_000_000, "ms": 1_000, "us": 1}  # microseconds; "ns" is less than one
LARGEST = {"ns": 9.2e15, "us": 9.2e18}  # microseconds that fit an int64 in these units


@dataclass(frozen=True, eq=False)
class Values:
    """A column of n rows. The arrays may be views of the user's data: read only.

    A column without any value, and of no type that says more, is 'number'.
    """

    form: str  # 'number', 'flag', 'words', 'moment', 'span', 'other'
    numbers: np.ndarray | None = None  # (n,) float64 or float32, of all forms but 'words'
    places: np.ndarray | None = None  # (n,) int32, places in `levels`, of 'words'
    levels: tuple[str, ...] = ()  # the distinct words, sorted by their characters; each occurs

    @cached_property
    def missing(self) -> np.ndarray:
        """Where there is no value, (n,) bool."""
        if self.places is not None:
            return self.places < 0
        assert self.numbers is not None
        return np.isnan(self.numbers)

    def __len__(self) -> int:
        rows = self.places if self.places is not None else self.numbers
        assert rows is not None
        return len(rows)


def numbers(array: np.ndarray, form: str = "number") -> Values:
    """Numbers of any NumPy dtype: float32 and float64 as they are."""
    small = array.dtype in (np.float16, np.float32)
    return Values(form, array.astype(np.float32 if small else np.float64, copy=False))


def words(at: np.ndarray, texts: Sequence[str | None]) -> Values:
    """Words from places in `texts`, which may hold None, the same text twice, or too many.

    A place of -1 means that there is none.
    """
    occurs = np.zeros(len(texts) + 1, dtype=bool)  # the last one is for -1
    occurs[at] = True
    distinct = set(compress(texts, occurs))
    levels = sorted(text for text in distinct if text is not None)
    place = dict(zip(levels, range(len(levels)), strict=True))
    places = np.full(len(texts) + 1, -1, dtype=np.int32)
    lookup: Callable = place.get
    places[:-1] = list(map(lookup, texts, repeat(-1)))
    return Values("words", places=places[at], levels=tuple(levels))


def other(missing: np.ndarray) -> Values:
    """What is neither numbers nor words."""
    return Values("other", np.where(missing, np.nan, 0.0))


def nothing(n: int) -> Values:
    """n missing values of no type."""
    return Values("number", np.full(n, np.nan))


# ---- times ---------------------------------------------------------------------------------------


def microseconds(ticks: np.ndarray, unit: str, missing: np.ndarray) -> np.ndarray:
    """Whole numbers of a unit as microseconds, NaN where missing."""
    if unit == "ns":  # in two parts, so that whole microseconds stay exact
        whole, rest = np.divmod(ticks, 1000)
        result = whole + rest / 1000
    else:
        result = ticks * np.float64(TICKS[unit])
    result[missing] = np.nan
    return result


def times(array: np.ndarray) -> Values:
    """Values of an array of datetime64 or timedelta64."""
    kind, (unit, step) = array.dtype.kind, np.datetime_data(array.dtype)
    if step != 1 or unit not in (*TICKS, "ns"):
        array, unit = array.astype(f"{kind}8[us]"), "us"
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    ticks = np.ascontiguousarray(array).view(np.int64)
    return Values("moment" if kind == "M" else "span", microseconds(ticks, unit, np.isnat(array)))


def ticks(micros: np.ndarray, unit: str) -> np.ndarray | None:
    """Microseconds as whole numbers of a unit, 0 where missing; None if they are not whole.

    Parts of a microsecond count for nanoseconds only: elsewhere they are rounding. What is farther
    away than 290,000 years is put there.
    """
    micros = np.where(np.isfinite(micros), micros, 0.0).astype(np.float64)
    micros = np.clip(micros, -LARGEST["us"], LARGEST["us"])
    if unit == "ns":
        if np.abs(micros).max(initial=0.0) > LARGEST["ns"]:
            return None
        whole = np.floor(micros)
        return whole.astype(np.int64) * 1000 + np.rint((micros - whole) * 1000).astype(np.int64)
    whole, rest = np.divmod(np.rint(micros).astype(np.int64), TICKS[unit])
    return None if rest.any() else whole


# ---- whole numbers -------------------------------------------------------------------------------


def whole_numbers(array: np.ndarray, dtype: np.dtype) -> np.ndarray | None:
    """Numbers in a dtype of integers, 0 where they are missing; None if one does not fit."""
    array = np.where(np.isnan(array), 0, array)
    bounds = np.iinfo(dtype)
    fits = (array == np.rint(array)) & (array >= bounds.min) & (array < bounds.max + 1)
    return array.astype(dtype) if fits.all() else None
