"""How many rows of a column of numbers lie below a number, in bounded memory and whatever the cut.

    key(x)     the bits of a float64 as a whole number that rises with x
    bucket     all numbers whose keys agree but for the last `shift` bits: its least and largest
               number, how many rows have each of these two, and how many rows there are in all

`shift` is the least for which MOST buckets are enough, so it follows from the set of different
numbers alone, and can only grow with it: parts of a table, put together in any order, give what the
whole would have given. Up to MOST different numbers nothing is left out. Buckets are narrow where
numbers are near 0 or near each other: of a column without gaps each holds few of the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST = 4096  # buckets
SIGN = np.uint64(1 << 63)


class Ranks(NamedTuple):
    """How the numbers of a column are distributed: m buckets, rising."""

    shift: int
    low: np.ndarray  # (m,)  least number of each bucket
    high: np.ndarray  # (m,)
    n_rows: np.ndarray  # (m,)
    n_low: np.ndarray  # (m,)  rows with the least one
    n_high: np.ndarray  # (m,)


class Steps(NamedTuple):
    """Numbers, and the rows that have them if all rows are put in order; others lie between."""

    values: np.ndarray  # (k,) rising
    first: np.ndarray  # (k,)  place of the first row with this number, from 0
    last: np.ndarray  # (k,)


def ranks_of(x: np.ndarray) -> Ranks:
    """Of the finite numbers in x."""
    return ranks_of_counts(*np.unique(x[np.isfinite(x)], return_counts=True))


def ranks_of_counts(values: np.ndarray, counts: np.ndarray) -> Ranks:
    """Of different numbers, rising, and how often each occurs."""
    values = np.asarray(values, dtype=np.float64) + 0.0  # -0 is 0
    counts = np.asarray(counts, dtype=np.int64)
    return _narrowed(Ranks(0, values, values, counts, counts, counts))


def merged(left: Ranks, right: Ranks) -> Ranks:
    """Of the rows of both parts."""
    both = [np.concatenate(pair) for pair in zip(left[1:], right[1:], strict=True)]
    return _narrowed(_gathered(Ranks(max(left.shift, right.shift), *both)))


def steps_of(ranks: Ranks) -> Steps:
    """The least and the largest number of each bucket, with the places of their rows."""
    end = np.cumsum(ranks.n_rows)
    start = end - ranks.n_rows
    two = ranks.low < ranks.high
    values = np.concatenate([ranks.low, ranks.high[two]])
    first = np.concatenate([start, (end - ranks.n_high)[two]])
    last = np.concatenate([start + ranks.n_low, end[two]]) - 1
    order = np.argsort(first, kind="stable")
    return Steps(values[order], first[order], last[order])


def _narrowed(ranks: Ranks) -> Ranks:
    """With MOST buckets at the most."""
    if len(ranks.low) <= MOST:
        return ranks
    key = _keys(ranks.low)
    gap = key[1:] ^ key[:-1]  # two numbers are apart while a bit of their difference is left
    widest = np.partition(gap, -MOST)[-MOST]
    return _gathered(ranks._replace(shift=int(widest).bit_length()))


def _gathered(ranks: Ranks) -> Ranks:
    """With one bucket for each key."""
    key = _keys(ranks.low) >> np.uint64(ranks.shift)
    order = np.argsort(key, kind="stable")
    key = key[order]
    _, low, high, n_rows, n_low, n_high = (ranks[0], *(part[order] for part in ranks[1:]))
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])[: len(key)])
    size = np.diff(np.append(starts, len(key)))
    least, largest = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    return Ranks(
        ranks.shift,
        least,
        largest,
        np.add.reduceat(n_rows, starts),
        np.add.reduceat(np.where(low == np.repeat(least, size), n_low, 0), starts),
        np.add.reduceat(np.where(high == np.repeat(largest, size), n_high, 0), starts),
    )


def _keys(x: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(x, dtype=np.float64).view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN)
