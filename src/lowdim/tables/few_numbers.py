"""Columns of few whole numbers (grades, ages, counts): how often each occurs says everything else.

The sums over n values are sums over some hundred counts, and the levels need no further look. What
the rows before say of a column is where its numbers are expected; a part of the rows with another
number, or a fraction, is looked at like any other column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lowdim.tables.numbers import Moments, NumberSums

MOST_COUNTED = 2048  # numbers from the least to the largest one that may be counted
ROOM = 3  # times the numbers seen before: more may come


class FewNumbers(NamedTuple):
    """How often each whole number occurs in c columns."""

    places: list[int]  # of the columns
    least: np.ndarray  # (c,)  the number that the first count is for; the others follow by 1
    counts: np.ndarray  # (c, w)


def counted(X: np.ndarray, expected: Mapping[int, tuple[float, float]]) -> FewNumbers:
    """The counts for those columns (rows of X) with whole numbers near the expected low and high.

    Columns without any value are not among them.
    """
    ranges = {f: ROOM * int(high - low + 1) for f, (low, high) in expected.items()}
    width = min(max(ranges.values(), default=1), MOST_COUNTED)
    places, least, counts = [], [], []
    for f, (low, high) in expected.items():
        first = low - (width - int(high - low + 1)) // 2
        found = _counts(X[f] - first, width) if high - low < width else None
        if found is not None:
            places.append(f)
            least.append(first)
            counts.append(found)
    return FewNumbers(places, np.array(least, float), np.array(counts).reshape(len(places), width))


def _counts(x: np.ndarray, width: int) -> np.ndarray | None:
    """How often 0, 1, ... occur; None: there is none, or something else. NaN are left out."""
    with np.errstate(invalid="ignore"):  # NaN and infinities, which no whole number equals
        at = x.astype(np.intp)
    if not np.array_equal(at, x):
        known = ~np.isnan(x)
        x, at = x[known], at[known]
        if len(x) == 0 or not np.array_equal(at, x):
            return None
    if at.min() < 0 or at.max() >= width:
        return None
    return np.bincount(at, minlength=width)


def sums(few: FewNumbers) -> NumberSums:
    """The sums over the values, from their counts."""
    counts, c = few.counts, len(few.places)
    values = few.least[:, None] + np.arange(counts.shape[1])
    occurs = counts > 0
    each = np.arange(c)
    low = values[each, occurs.argmax(axis=1)]
    high = values[each, counts.shape[1] - 1 - occurs[:, ::-1].argmax(axis=1)]
    positive = (values > 0) & (low >= 0)[:, None]
    logs = np.log(values, out=np.zeros_like(values), where=positive)
    return NumberSums(
        np.ones(c),
        _moments(values, counts),
        _moments(logs, counts * positive),
        low,
        high,
        np.where(occurs & positive, values, np.inf).min(axis=1, initial=np.inf),
        (counts * (values == 0)).sum(axis=1),
        np.zeros(c, np.int64),
        np.ones(c, bool),
        np.zeros(c, np.int64),
    )


def _moments(values: np.ndarray, counts: np.ndarray) -> Moments:
    total = counts.sum(axis=1)
    mean = (counts * values).sum(axis=1) / np.maximum(total, 1)
    away = values - mean[:, None]
    weighted = counts * away * away
    return Moments(total, mean, weighted.sum(axis=1), (weighted * away).sum(axis=1))


def levels(few: FewNumbers) -> dict[int, dict[float, int]]:
    """By the place of each column, how often each of its numbers occurs."""
    found = {}
    for f, least, counts in zip(few.places, few.least, few.counts, strict=True):
        at = np.flatnonzero(counts)
        found[f] = dict(zip((at + least).tolist(), counts[at].tolist(), strict=True))
    return found
