"""Neighbours among few points: all scores of a row are made at once, and looked at in the cache.

    strides    scores j, j + s, j + 2 s, ... for each of s strides: the largest of each
    bound      of these the K-th largest or a little less: so many scores at least reach it
    found      all that do, in the strides that have one: K and some more
    nearest    of these, by their distances, which are summed up by themselves (`settling.py`)

One kernel does all of this for some rows: steps that look at all rows in turn would each take as
long as the products.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.maps.direct import squared_distance
from lowdim.maps.neighbors.settling import put

STRIDES, STRIDES_EACH = 64, 3  # at least, and for each of K
HALVINGS = 24  # of the range in which a bound is looked for
CLOSE = 8  # a K-th part more than K is near enough
CROWDED = 2  # times K found: then a bound is looked for among them


def strides_for(K: int, n: int) -> int:
    """How many strides say which K of n scores are largest; 0 where all come into question."""
    wanted = -16 * (-max(STRIDES, STRIDES_EACH * K) // 16)
    fitting = n // 2 - n // 2 % 16  # of two scores at least: one may be the row's own
    strides = min(wanted, fitting)
    return strides if strides >= K + K // CLOSE else 0


@kernel
def nearest_by_scores(
    scores, offset, X, Y, spread, itself, K, largest, found, values, index, squares, bound
):
    """The k nearest of all points for each row, and a score that all points left out stay below.

    `scores` with all points are written into; `itself` is the number of the first row among the
    points, or negative. `largest` (strides,), `found` and `values` (n + 1,) are to work in.
    """
    for i in range(len(scores)):
        row = scores[i]
        if itself >= 0:
            row[itself + i] = -np.inf
        if len(largest) > 0:
            _largest_of_strides(row, offset, largest)
            least = _reached_by(largest, K)
            count = _found_in_strides(row, offset, largest, least, found)
        else:
            least = row.dtype.type(-np.inf)
            count = _all_but(row, itself + i if itself >= 0 else -1, found)
        if len(largest) > 0 and count > CROWDED * K:
            least, count = _fewer(row, offset, K, count, found, values)
        bound[i] = least
        near, numbers = squares[i], index[i]
        for e in range(len(near)):
            near[e], numbers[e] = np.inf, -1
        for e in range(count):
            j = found[e]
            put(near, numbers, squared_distance(X[i], Y[j]) + spread[j], j)


@kernel(within=True)
def _largest_of_strides(row, offset, largest):
    strides = len(largest)
    whole = len(row) // strides
    for j in range(strides):
        largest[j] = row[j] + offset[j]
    for step in range(1, whole):
        part = row[step * strides : (step + 1) * strides]
        shift = offset[step * strides : (step + 1) * strides]
        for j in range(strides):
            score = part[j] + shift[j]
            largest[j] = score if score > largest[j] else largest[j]
    for j in range(whole * strides, len(row)):
        score, stride = row[j] + offset[j], j - whole * strides
        largest[stride] = score if score > largest[stride] else largest[stride]


@kernel(within=True)
def _reached_by(values, K):
    """A value that K of them reach, and hardly more."""
    low = high = values[0]
    for j in range(len(values)):
        low = values[j] if values[j] < low else low
        high = values[j] if values[j] > high else high
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        count = 0
        for j in range(len(values)):
            count += values[j] >= middle
        if count >= K:
            low = middle
            if count <= K + K // CLOSE:
                break
        else:
            high = middle
    return low


@kernel(within=True)
def _found_in_strides(row, offset, largest, least, found):
    """The places of all scores that reach the bound: how many, and which."""
    strides, count = len(largest), 0
    for j in range(strides):
        if largest[j] >= least:
            for step in range((len(row) - j + strides - 1) // strides):
                place = j + step * strides
                found[count] = place
                count += row[place] + offset[place] >= least
    return count


@kernel(within=True)
def _all_but(row, own, found):
    count = 0
    for j in range(len(row)):
        found[count] = j
        count += j != own
    return count


@kernel(within=True)
def _fewer(row, offset, K, count, found, values):
    """Of those found the K with the largest scores and hardly more: a new bound, and how many."""
    for e in range(count):
        values[e] = row[found[e]] + offset[found[e]]
    least, kept = _reached_by(values[:count], K), 0
    for e in range(count):
        found[kept] = found[e]
        kept += values[e] >= least
    return least, kept
