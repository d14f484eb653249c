"""Full gradient descent: all vectors at once, against the gradient of H.

    theta <- theta - rate grad H(theta)

As H sums over all pairs, rates that suit a pair are far too large for a common word: where H would
rise, the rate is halved, and stays so. H never rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.linalg.sparse import SparseBothWays, both_ways, row_numbers
from lowdim.text.embeddings.glove.objective import Pairs, Vectors, residuals

MOST_HALVINGS = 100


class Point(NamedTuple):
    """Where the descent stands."""

    at: Vectors
    rate: float
    objective: float  # H


class Field(NamedTuple):
    """H, as a function of the vectors."""

    pairs: Pairs
    entries: SparseBothWays
    penalty: float
    bias: bool

    def objective(self, at: Vectors) -> float:
        r = residuals(self.pairs, at)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = float((at.W**2).sum() + (at.C**2).sum())
            return float(self.pairs.weight @ (r * r)) + self.penalty * squares

    def gradient(self, at: Vectors) -> Vectors:
        """Of H in each of its arguments."""
        pull = -2.0 * self.pairs.weight * residuals(self.pairs, at)
        S = self.entries.with_values(pull)
        W = S.times(at.C) + 2.0 * self.penalty * at.W
        C = S.transposed_times(at.W) + 2.0 * self.penalty * at.C
        n, v = S.shape
        if not self.bias:
            return Vectors(W, C, np.zeros(n), np.zeros(v))
        rows, columns = row_numbers(S.by_rows), S.by_rows.indices
        return Vectors(W, C, np.bincount(rows, pull, n), np.bincount(columns, pull, v))


def field(pairs: Pairs, penalty: float, bias: bool) -> Field:
    return Field(pairs, both_ways(pairs.logs), penalty, bias)


def descended(H: Field, point: Point) -> Point:
    """The point after one step; where it was, if no step lowers H."""
    slope, rate = H.gradient(point.at), point.rate
    for _ in range(MOST_HALVINGS):
        there = Vectors(*(x - rate * g for x, g in zip(point.at, slope, strict=True)))
        objective = H.objective(there)
        if objective <= point.objective:
            return Point(there, rate, objective)
        rate /= 2.0
    return point
