"""Squared maximum mean discrepancy with a Gaussian kernel, without bias.

    mmd = E k(X, X') + E k(Y, Y') - 2 E k(X, Y),     k(x, y) = exp(-|x - y|^2 / (2 h^2))

h is the median distance of pairs of rows, unless one is given. About 0, and a little below as often
as above, if both have the same distribution.

Cost: O(N^2 d) time for N rows, memory of a block.
Gretton et al. (2012), A kernel two-sample test, JMLR 13.
"""

from __future__ import annotations

import numpy as np

from lowdim.selection.samples.pairs import over_blocks, pair_means, parted

FOR_THE_MEDIAN = 500  # rows of each side


def mmd(real: np.ndarray, fake: np.ndarray, bandwidth: float) -> float:
    """The discrepancy of the rows of two matrices."""
    middle = real.mean(axis=0)
    Z = np.vstack([real - middle, fake - middle])

    def similarity(squared: np.ndarray) -> np.ndarray:
        return np.exp(squared / (-2.0 * bandwidth**2))

    means = pair_means(Z, parted(len(real), len(fake)), similarity)
    return float((means.within_real + means.within_fake - 2 * means.between)[0])


def median_distance(real: np.ndarray, fake: np.ndarray) -> float:
    """The median over pairs of the first rows of both sides; 1 if half of them are equal."""
    few = np.vstack([real[:FOR_THE_MEDIAN], fake[:FOR_THE_MEDIAN]]) - real.mean(axis=0)
    squared = np.vstack(list(over_blocks(lambda _, squared: squared, few, few)))
    median = float(np.sqrt(np.median(squared[np.triu_indices(len(few), 1)])))
    return median if median > 0 else 1.0
