"""What is added up over columns of numbers, before anyone knows what the columns are.

For each column: how many values, their mean and the sums of (x - mean)^2 and (x - mean)^3, least
and largest value, zeros, whether all are whole; and the same three moments of log x over the
positive values. From these follow kind, center, scale and whether a logarithm is wanted. Two parts
are put together exactly (Pébay 2008, eq. 2.1): a table is looked at once, in any cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

BLOCK_BYTES = 2**20  # a block of numbers stays in the cache through all the sums over it
BLOCK_COLUMNS = 64  # of more columns there would be few rows in a block
EXTREME = 2.0**200  # beyond, cubes would not fit a float64: sums are in units of a power of two
MOST_DIGITS = 15  # decimals that are looked for;
ROUGH_DIGITS, ROUNDING = 6, 1e-13  # so many may also be had by rounding: 0.1 + 0.2 has one
EXACT = 2.0**53  # whole numbers up to here are float64
LOOKED_AT = 256  # rows of a chunk in which decimals are looked for


class Moments(NamedTuple):
    """Sums of d columns; NaN are left out."""

    count: np.ndarray  # type: ignore[assignment]  # (d,)  values
    mean: np.ndarray  # (d,)
    square: np.ndarray  # (d,)  sum (x - mean)^2
    cube: np.ndarray  # (d,)  sum (x - mean)^3

    @property
    def variance(self) -> np.ndarray:
        return self.square / np.maximum(self.count, 1)

    @property
    def skewness(self) -> np.ndarray:
        """Third standardised moment; 0 where all values are the same."""
        variance = self.variance
        spread = np.where(variance > 0, variance, 1.0) ** 1.5
        return np.where(variance > 0, self.cube / np.maximum(self.count, 1) / spread, 0.0)


class NumberSums(NamedTuple):
    """What one part of the rows says about d columns of numbers."""

    unit: np.ndarray  # (d,)  a power of two: `values` are moments of x / unit
    values: Moments
    logs: Moments  # of log x over positive x; nothing where there are negative ones
    low: np.ndarray  # (d,)  inf where there is no value
    high: np.ndarray  # (d,)
    least_positive: np.ndarray  # (d,)  inf where there is none
    zeros: np.ndarray  # (d,)
    infinite: np.ndarray  # (d,)  left out of everything else
    whole: np.ndarray  # (d,) bool
    digits: np.ndarray  # (d,)  most decimals of the values looked at, MOST_DIGITS + 1: more

    @property
    def mean(self) -> np.ndarray:
        return self.values.mean * self.unit

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviation, dividing by n."""
        return np.sqrt(self.values.variance) * self.unit


_OF_MOMENTS = dict.fromkeys(Moments._fields, ("seen",))
NUMBER_SHAPES = {  # of the columns that were looked at
    **dict.fromkeys(NumberSums._fields, ("seen",)),
    "values": _OF_MOMENTS,
    "logs": _OF_MOMENTS,
}


def number_sums(X: np.ndarray, digits: np.ndarray | None = None) -> NumberSums:
    """The sums of a block of rows (n, d).

    `digits` are those of rows before: fewer decimals than these are not looked for.
    """
    d = X.shape[1]
    groups = [range(f, min(f + BLOCK_COLUMNS, d)) for f in range(0, d, BLOCK_COLUMNS)]
    parts = [(group, _of_columns(X[:, group.start : group.stop])) for group in groups]
    sums = of_all(parts, d) if parts else _of_columns(X)
    return sums._replace(digits=_digits(X[:LOOKED_AT], digits))


def _of_columns(X: np.ndarray) -> NumberSums:
    n, d = X.shape
    size = max(1, BLOCK_BYTES // (8 * max(d, 1)))
    parts = [_of_block(X[start : start + size]) for start in range(0, n, size)]
    while len(parts) > 1:  # two by two: rounding grows with the logarithm of their number
        pairs = [merged(*parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
        parts = pairs + parts[2 * len(pairs) :]
    return parts[0] if parts else _of_block(np.full((1, d), np.nan))


def of_all(parts: Sequence[tuple[Sequence[int], NumberSums]], d: int) -> NumberSums:
    """The sums of d columns, from those of columns at some places; the others have no values."""
    if len(parts) == 1 and len(parts[0][0]) == d:
        return parts[0][1]
    empty = _of_block(np.full((1, 1), np.nan))

    def placed(none: np.ndarray, *some: np.ndarray) -> np.ndarray:
        full = np.repeat(none.astype(some[0].dtype) if some else none, d)
        for (places, _), values in zip(parts, some, strict=True):
            full[list(places)] = values
        return full

    def field(none: Any, *some: Any) -> Any:
        if isinstance(none, Moments):
            return Moments(*map(placed, none, *some))
        return placed(none, *some)

    return NumberSums(*map(field, empty, *(sums for _, sums in parts)))


def sums_of_counts(values: np.ndarray, counts: np.ndarray) -> NumberSums:
    """The sums of one column whose different values occur so many times."""
    values = np.asarray(values, dtype=np.float64)
    one = number_sums(values[:, None])
    x, positive = values / one.unit[0], (values > 0) & (one.low[0] >= 0)
    logs = np.log(values, out=np.zeros(len(values)), where=positive)
    return one._replace(
        values=_weighted(x, counts * np.isfinite(x)),
        logs=_weighted(logs, counts * positive),
        zeros=np.array([counts[values == 0].sum()]),
        infinite=np.array([counts[np.isinf(values)].sum()]),
        digits=_digits(values[:, None]),
    )


def _weighted(x: np.ndarray, counts: np.ndarray) -> Moments:
    total = counts.sum()
    x = np.where(counts > 0, x, 0.0)
    mean = (counts * x).sum() / max(total, 1)
    away = x - mean
    sums = (total, mean, (counts * away**2).sum(), (counts * away**3).sum())
    return Moments(*(np.array([value]) for value in sums))


def _of_block(X: np.ndarray) -> NumberSums:
    X = np.asarray(X, dtype=np.float64)
    infinite = np.zeros(X.shape[1], dtype=np.int64)
    seen = None  # all of them
    with np.errstate(invalid="ignore", over="ignore"):  # infinities, and what adds up to one
        total = _total(X)
    all_finite = bool(np.isfinite(total).all())
    if not all_finite:
        infinite = np.isinf(X).sum(axis=0)
        if infinite.any():
            X = np.where(np.isinf(X), np.nan, X)
        seen = ~np.isnan(X)
    low, high = _bounds(X, seen)
    unit = _unit(low, high)
    of_all = total / unit if all_finite else None
    logs, least_positive = _log_sums(X, low)
    return NumberSums(
        unit,
        _moments(_known(X / unit if np.any(unit != 1) else X, seen), seen, of_all),
        logs,
        low,
        high,
        least_positive,
        _counts(X == 0) if np.any((low <= 0) & (high >= 0)) else np.zeros_like(infinite),
        infinite,
        _are_whole(X, low, high, seen is None),
        np.zeros(X.shape[1], dtype=np.int64),
    )


def _total(X: np.ndarray) -> np.ndarray:
    return _ones(len(X)) @ X  # BLAS adds columns up four times faster than X.sum(axis=0)


def _counts(are: np.ndarray) -> np.ndarray:
    """How many are true in each column: three times faster than their sum."""
    return np.array([np.count_nonzero(column) for column in are.T], dtype=np.int64)


def _known(X: np.ndarray, seen: np.ndarray | None) -> np.ndarray:
    return X if seen is None else np.where(seen, X, 0.0)


@lru_cache(maxsize=4)
def _ones(n: int) -> np.ndarray:
    """Kept from block to block: most have as many rows, and new memory costs as much as the sum."""
    ones = np.ones(n)
    ones.setflags(write=False)
    return ones


def _bounds(X: np.ndarray, seen: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of each column; inf and -inf where there is none."""
    if seen is None:
        return X.min(axis=0), X.max(axis=0)
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    empty = np.isnan(low)
    return np.where(empty, np.inf, low), np.where(empty, -np.inf, high)


def _log_sums(X: np.ndarray, low: np.ndarray) -> tuple[Moments, np.ndarray]:
    """Moments of log x over positive x, and the least of these; a column with negative values
    gets no logarithm, and its sums here are nothing."""
    d = X.shape[1]
    sums, least = np.zeros((4, d)), np.full(d, np.inf)
    wanted = np.flatnonzero((low >= 0) & (low < np.inf))
    if len(wanted):
        part = X if len(wanted) == d else _columns(X, wanted)
        positive = part > 0
        some = None if positive.all() else positive
        # without where=, NumPy takes four logarithms at a time; that of 1 is 0
        logs = np.log(part if some is None else np.where(positive, part, 1.0))
        sums[:, wanted] = np.array(_moments(logs, some))
        least[wanted] = (part if some is None else np.where(positive, part, np.inf)).min(axis=0)
    count, mean, square, cube = sums
    return Moments(count.astype(np.int64), mean, square, cube), least


def _columns(X: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Some columns, each in one piece: X[:, wanted] would mix them, which is slow to reduce."""
    return X.T[wanted].T


def _are_whole(X: np.ndarray, low: np.ndarray, high: np.ndarray, all_seen: bool) -> np.ndarray:
    whole = np.maximum(np.abs(low), np.abs(high)) < 2.0**53
    whole |= ~np.isfinite(low)  # no value is against it
    for rows in (slice(8), slice(None)):  # most columns show in a few rows that they are not
        some = np.flatnonzero(whole)
        if len(some) == 0:
            break
        part = X[rows] if len(some) == len(whole) else _columns(X[rows], some)
        fits = np.rint(part) == part
        whole[some] = (fits if all_seen else fits | np.isnan(part)).all(axis=0)
    return whole


def _moments(X: np.ndarray, seen: np.ndarray | None, total: np.ndarray | None = None) -> Moments:
    """Of the entries that are seen, None: of all; the others are 0. `total` is their sum."""
    count = np.full(X.shape[1], len(X)) if seen is None else _counts(seen)
    mean = (_total(X) if total is None else total) / np.maximum(count, 1)
    away = X - mean
    if seen is not None:
        away *= seen
    squares = away * away
    square = _total(squares)
    squares *= away
    return Moments(count, mean, square, _total(squares))


def _unit(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """1, but for columns whose cubes would be too large or too small for a float64."""
    largest = np.maximum(np.abs(low), np.abs(high))
    extreme = (np.isfinite(largest) & (largest > EXTREME)) | (
        (largest > 0) & (largest < 1 / EXTREME)
    )
    exponent = np.frexp(np.where(extreme, largest, 1.0))[1] - 1
    return np.where(extreme, np.ldexp(1.0, exponent), 1.0)


def merged(left: NumberSums, right: NumberSums) -> NumberSums:
    """The sums of both parts."""
    left, right = _same_unit(left, right)
    low = np.minimum(left.low, right.low)
    logs = merged_moments(left.logs, right.logs)
    positive = low >= 0  # of the others, a part may have had no negative values
    return NumberSums(
        left.unit,
        merged_moments(left.values, right.values),
        Moments(*(np.where(positive, part, 0) for part in logs)),
        low,
        np.maximum(left.high, right.high),
        np.where(positive, np.minimum(left.least_positive, right.least_positive), np.inf),
        left.zeros + right.zeros,
        left.infinite + right.infinite,
        left.whole & right.whole,
        np.maximum(left.digits, right.digits),
    )


def _same_unit(left: NumberSums, right: NumberSums) -> tuple[NumberSums, NumberSums]:
    if np.array_equal(left.unit, right.unit):
        return left, right
    # a part without values has no unit of its own; else the larger one holds both
    a = np.where(left.values.count > 0, left.unit, 0.0)
    b = np.where(right.values.count > 0, right.unit, 0.0)
    unit = np.maximum(a, b)
    unit[unit == 0] = 1.0
    return _in_unit(left, unit), _in_unit(right, unit)


def _in_unit(sums: NumberSums, unit: np.ndarray) -> NumberSums:
    ratio = sums.unit / unit  # a power of two: nothing is rounded
    count, mean, square, cube = sums.values
    moments = Moments(count, mean * ratio, square * ratio**2, cube * ratio**3)
    return sums._replace(unit=unit, values=moments)


def merged_moments(left: Moments, right: Moments) -> Moments:
    n = np.maximum(left.count + right.count, 1)
    gap = right.mean - left.mean
    share = right.count / n
    both = left.count * share  # n_left n_right / n
    # a part without values has mean 0, which must not move the other's
    mean = np.where(left.count > 0, left.mean + gap * share, right.mean)
    square = left.square + right.square + gap**2 * both
    cube = (
        left.cube
        + right.cube
        + gap**3 * both * (left.count - right.count) / n
        + 3 * gap * (left.count * right.square - right.count * left.square) / n
    )
    return Moments(left.count + right.count, mean, square, cube)


def number_text(value: float) -> str:
    """A number as text that reads back the same: 3 rather than 3.0."""
    return str(int(value)) if value == round(value) and abs(value) < 1e15 else repr(float(value))


def _digits(X: np.ndarray, least: np.ndarray | None = None) -> np.ndarray:
    """The fewest decimals (of `least` or more) with which each column can be written."""
    digits = np.full(X.shape[1], MOST_DIGITS + 1)
    start = np.zeros(X.shape[1], np.int64) if least is None else least
    left = np.flatnonzero(start <= MOST_DIGITS)
    X = np.where(np.isfinite(X), X, 0.0) if len(left) else X
    for k in range(start.min(initial=0), MOST_DIGITS + 1):
        if len(left) == 0:
            break
        enough = _has_digits(X[:, left], k)
        digits[left[enough]] = k
        left = left[~enough]
    return digits


def _has_digits(X: np.ndarray, k: int) -> np.ndarray:
    """Which columns have so many decimals or fewer; more than a few of them exactly, as text has.

    The quotient of two whole numbers below 2^53 is rounded as a text with decimals is on reading.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # infinite ones are not
        part = X * 10.0**k
        whole = np.rint(part)
        if k <= ROUGH_DIGITS:
            exact = np.abs(part - whole) <= ROUNDING * np.abs(part)
        else:
            exact = (whole / 10.0**k == X) & (np.abs(whole) < EXACT)
    return np.asarray(exact.all(axis=0))
