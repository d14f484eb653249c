"""Energy distance of two samples, and how often chance gives as much.

    energy = 2 E|X - Y| - E|X - X'| - E|Y - Y'|        0 only if both have the same distribution

Means are over pairs of different rows: what is estimated does not depend on the number of rows, and
may be a little below 0. For p, rows are dealt to the two sides at random, and all deals are added
up in one pass over the distances.

Cost: O(N^2 (d + deals)) time for N rows, memory of a block.
Szekely and Rizzo (2013), Energy statistics, J. of Statistical Planning and Inference 143.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.selection.samples.pairs import PairMeans, pair_means, parted

DEALS = 199  # p is a multiple of 1 / 200


class Energy(NamedTuple):
    """The distance, and the share of random deals that give at least as much."""

    distance: float
    p: float


def energy(real: np.ndarray, fake: np.ndarray, random: np.random.Generator) -> Energy:
    """Energy distance of the rows of two matrices."""
    n, m = len(real), len(fake)
    middle = real.mean(axis=0)
    Z = np.vstack([real - middle, fake - middle])
    own = parted(n, m)
    dealt = [random.permutation(own[:, 0]) for _ in range(DEALS)]
    found = _distance(pair_means(Z, np.column_stack([own, *dealt]), np.sqrt))
    # sums of equal terms in another order differ in their last digits
    as_large = found[1:] >= found[0] - 1e-12 * np.abs(found).max()
    return Energy(float(found[0]), float((1 + as_large.sum()) / (DEALS + 1)))


def _distance(means: PairMeans) -> np.ndarray:
    return 2 * means.between - means.within_real - means.within_fake
