"""Normal scores: each number of a column becomes the normal quantile of its place among all rows.

    the i-th of n rows, in order      share u_i = (i + 1/2) / n, from i = 0;   score Phi^-1(u_i)
    rows with equal numbers           the share of their middle place; their shares are a range
    between two numbers               shares on the straight line from the last one of the lower
                                      number to the first one of the upper number
    beyond the least, the largest     scores on a line with the slope of the outermost part

and, so that columns count alike, minus the mean and over the standard deviation of the rows'
scores. The way back is the same broken line: any share within the range of a number that many rows
have becomes this number, so normal draws have it as often as the table. A model of Gaussian shape
need not learn where a column has two tops, a long tail, an edge or a heap of zeros.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from lowdim.tables.ranks import Steps

MOST = 512  # numbers of a column that are kept if no number is frequent
OUTERMOST = 1.0  # in scores: the part of a column by which it goes on beyond its ends


class Scores(NamedTuple):
    """A broken line between numbers and shares of the rows."""

    values: np.ndarray  # (k,) rising
    first: np.ndarray  # (k,)  share of the first row with this number
    last: np.ndarray  # (k,)
    below: float  # change of the number by the score, beyond the least number
    above: float  # beyond the largest one
    center: float  # of all rows' scores
    scale: float

    def of(self, y: np.ndarray) -> np.ndarray:
        """The scores of numbers; NaN stays."""
        values, top = self.values, len(self.values) - 1
        right = np.minimum(np.searchsorted(values, y), top)
        left = np.maximum(right - 1, 0)
        way = (y - values[left]) / np.where(right > left, values[right] - values[left], 1.0)
        between = self.last[left] + np.clip(way, 0.0, 1.0) * (self.first[right] - self.last[left])
        same = y == values[right]
        z = ndtri(np.where(same, (self.first[right] + self.last[right]) / 2, between))
        z = np.where(y < values[0], ndtri(self.first[0]) + (y - values[0]) / self.below, z)
        z = np.where(y > values[top], ndtri(self.last[top]) + (y - values[top]) / self.above, z)
        return (z - self.center) / self.scale

    def back(self, z: np.ndarray) -> np.ndarray:
        """The numbers of scores; NaN stays."""
        z = z * self.scale + self.center
        ends = np.column_stack([self.first, self.last]).ravel()
        y = np.interp(ndtr(z), ends, np.repeat(self.values, 2))
        y += self.below * np.minimum(z - ndtri(ends[0]), 0.0)
        y += self.above * np.maximum(z - ndtri(ends[-1]), 0.0)
        return y


def scores_of(steps: Steps) -> Scores | None:
    """The scores of the rows of a column; None if it has less than two different numbers."""
    values, first, last = steps if len(steps.values) < 2 else _apart(steps)
    if len(values) < 2:
        return None
    n = int(last[-1]) + 1
    center, scale = _moments(first, last, n)
    first, last = (first + 0.5) / n, (last + 0.5) / n
    z = ndtri((first + last) / 2)
    low = min(int(np.searchsorted(z, z[0] + OUTERMOST)), len(z) - 1)
    high = max(int(np.searchsorted(z, z[-1] - OUTERMOST, side="right")) - 1, 0)
    below = float((values[low] - values[0]) / (z[low] - z[0]))
    above = float((values[-1] - values[high]) / (z[-1] - z[high]))
    kept = _kept(first, last)
    return Scores(values[kept], first[kept], last[kept], below, above, center, scale)


def _apart(steps: Steps) -> Steps:
    """Numbers that rounding has made equal are one."""
    values, first, last = steps
    new = np.append(True, values[1:] > values[:-1])
    return Steps(values[new], first[new], last[np.append(new[1:], True)])


def _moments(first: np.ndarray, last: np.ndarray, n: int) -> tuple[float, float]:
    """Mean and standard deviation of all rows' scores; rows between two numbers lie midway."""
    place = np.concatenate([(first + last) / 2, (last[:-1] + first[1:]) / 2])
    rows = np.concatenate([last - first + 1, first[1:] - last[:-1] - 1])
    z = ndtri((place + 0.5) / n)
    mean = float(z @ rows / n)
    return mean, float(np.sqrt((z - mean) ** 2 @ rows / n))


def _kept(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Which numbers tell: MOST at even distances of their scores, and the frequent ones."""
    if len(first) <= MOST:
        return np.ones(len(first), dtype=bool)
    z = ndtri((first + last) / 2)
    width = (z[-1] - z[0]) / MOST
    cell = np.floor((z - z[0]) / width)
    kept = (ndtri(last) - ndtri(first) > width) | np.append(True, cell[1:] > cell[:-1])
    kept[-1] = True
    return kept
