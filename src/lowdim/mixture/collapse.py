"""Components of a mixture that fall onto a point, or lose all their rows.

The likelihood of a Gaussian mixture has no maximum: a component that sits on one row and shrinks
makes it as large as one likes. Such a component says nothing about the rows. It is taken away and
helps out where the most rows are: the largest component is split in two along its longest axis, and
the halves together have the mean and the covariance that it had.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Variances in all columns below this part of the variance of all rows: a point
POINT = 1e-12
# A component with less than this share of the rows has none
LEAST_SHARE = 1e-10
# How often a component may start anew; data with many equal rows are points in truth
MOST_RESTARTS = 3
# The halves of a component lie this many standard deviations from its mean
HALF = 0.7


class CollapsedComponentWarning(UserWarning):
    """A component of a mixture has lost all its rows, or all its noise."""


def restarted(kind: Any, mixture: Any, spread: Any) -> Any:
    """The mixture with its collapsed components moved into the halves of the largest ones.

    Parameters
    ----------
    kind : covariance type, of `gaussian/covariances.py`
    mixture : GaussianParams
        Its `collapsed` says which components are; those that started anew too often stay.
    spread : array
        The covariances before any floor, which give the axes to split along.
    """
    weights, means = mixture.weights.copy(), mixture.means.copy()
    covariances, restarts = mixture.covariances.copy(), mixture.restarts.copy()
    free = np.flatnonzero(mixture.collapsed & (restarts < MOST_RESTARTS))
    whole = ~mixture.collapsed  # what can be split; once, as its axes are known before that only
    for j in free:
        if not whole.any():
            break
        largest = int(np.argmax(np.where(whole, weights, -1.0)))
        whole[largest] = False
        offset = HALF * kind.longest_axis(spread, largest)
        covariances = kind.halved(covariances, offset, weights[largest], largest, j)
        weights[[largest, j]] = weights[largest] / 2
        means[j] = means[largest] + offset
        means[largest] = means[largest] - offset
        restarts[j] += 1
    return mixture._replace(
        weights=weights / weights.sum(), means=means, covariances=covariances, restarts=restarts
    )
