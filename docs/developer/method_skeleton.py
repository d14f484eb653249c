"""k-means, as a skeleton: each row is explained by the nearest of k centers.

    minimise over C, a     J = sum_i w_i ||x_i - c_a(i)||^2

    fixed C:  a(i) = argmin_j ||x_i - c_j||^2      -> statistics
    fixed a:  c_j  = mean of the rows assigned j   -> update

Neither half can raise J. One iteration: O(n k d) time, O(k d) memory beside one block.

This file is a whole method in its shortest form, to copy when you start a new one: what is
minimised, the class, what one block adds up, how the parameters follow from the sums, how a row is
encoded. Its test, `tests/developer/test_method_skeleton.py`, is the skeleton of a test.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClusterMixin

from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.validation import check_at_most, check_weights
from lowdim.linalg.moments import column_variances


class SkeletonKMeans(ClusterMixin, Estimator):
    """k-means from centers spread along the diagonal of the data.

    Minimises  sum_i w_i min_j ||x_i - c_j||^2  by Lloyd's alternation.

    Cost: O(n k d) per pass, O(k d) memory beside one block.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of centers k.
    max_iter : int, default=300
    tol : float, default=1e-6
        Stop when J / n falls by less than this in an iteration.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
    labels_ : ndarray of shape (n,)
    inertia_ : float
        J at the centers.
    """

    shapes: ClassVar[dict] = {  # of all that is learned: files are held against them
        "cluster_centers_": ("k", "d"),
        "labels_": ("n",),
        "inertia_": (),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [AT_LEAST_1],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(self, n_clusters=8, *, max_iter=300, tol=1e-6):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Find the centers of X."""
        rows = self.open_rows(X)
        n = rows.shape[0]
        check_at_most("n_clusters", self.n_clusters, n, f"rows of X (n_samples={n})")
        weight = check_weights(sample_weight, rows)
        total, mean, squares, unit = column_variances(rows, weight)
        steps = np.linspace(-1.0, 1.0, self.n_clusters)[:, None]
        start = mean + steps * np.sqrt(squares / total) * unit

        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
        for centers in loop:
            sums = rows.fold(statistics, centers, along=(weight,))
            loop.record(sums.inertia / sums.count.sum())  # J / n at `centers`, before they move
            loop.params = update(sums, centers)

        self.cluster_centers_ = loop.params
        self.labels_ = rows.map(nearest, loop.params)
        self.inertia_ = float(rows.fold(statistics, loop.params, along=(weight,)).inertia)
        return self

    def predict(self, X):
        """Number of the nearest center for each row."""
        return self.open_rows(X, reset=False).map(nearest, self.cluster_centers_)


class Sums(NamedTuple):
    count: np.ndarray  # (k,)    weight of the rows nearest each center
    sum_x: np.ndarray  # (k, d)  their weighted sum
    inertia: float  #         their part of J


def statistics(X, centers, weight):
    """What one block of rows adds up."""
    label = nearest(X, centers)
    weight = np.ones(len(X)) if weight is None else weight
    member = (label[:, None] == np.arange(len(centers))) * weight[:, None]
    inertia = weight @ np.sum((X - centers[label]) ** 2, axis=1)
    return Sums(member.sum(axis=0), member.T @ X, inertia)


def update(sums, centers):
    """Move each center to the mean of its rows; a center without rows stays."""
    used = sums.count > 0
    moved = centers.copy()
    moved[used] = sums.sum_x[used] / sums.count[used, None]
    return moved


def nearest(X, centers):
    """Number of the nearest center for each row of a block."""
    # argmin ||x - c||^2 = argmin ||c||^2 / 2 - x.c, since ||x||^2 is the same for all c;
    # measured from the middle of the centers, so that data far from zero keep their digits
    middle = centers.mean(axis=0)
    C = centers - middle
    return np.argmin((C**2).sum(axis=1) / 2 - (X - middle) @ C.T, axis=1)
