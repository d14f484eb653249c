"""What makes a cluster: its size, what is high and low in it, its most typical row.

    contrast_jf = (mean of column f in cluster j - mean of column f) / standard deviation of f

over the observed entries. The typical row of a cluster is the one nearest to its mean, columns
counted by their standard deviation; a missing entry counts as one standard deviation away.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks


class ClusterProfiles(NamedTuple):
    """One row for each cluster."""

    sizes: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)  over observed entries; NaN where a cluster has none
    contrasts: np.ndarray  # (K, d)  of the means with the whole, in standard deviations
    typical: np.ndarray  # (K,)  number of the most typical row; -1 for a cluster without rows


def cluster_profiles(rows: Blocks, labels: np.ndarray, n_clusters: int) -> ClusterProfiles:
    """Profiles of clusters 0 to n_clusters - 1, in three passes.

    Parameters
    ----------
    rows : Blocks of shape (n, d)
        NaN marks missing values.
    labels : ndarray of int, shape (n,)
        The cluster of each row.
    n_clusters : int
    """
    sums = rows.fold(_cluster_sums, n_clusters, along=(labels,))
    with np.errstate(invalid="ignore"):
        means = sums.sum_x / sums.observed
        mean = sums.sum_x.sum(axis=0) / sums.observed.sum(axis=0)
    squares = rows.fold(_squares_about, np.nan_to_num(mean))
    variance = squares / np.maximum(sums.observed.sum(axis=0), 1)
    deviation = np.sqrt(variance)
    scale = np.where(deviation > 0, deviation, 1.0)
    filled = np.where(np.isfinite(means), means, np.nan_to_num(mean))
    far = rows.map(_distance_to_own, filled, scale, along=(labels,))
    return ClusterProfiles(sums.size, means, (means - mean) / scale, _nearest(far, labels, sums))


class _Sums(NamedTuple):
    size: np.ndarray  # (K,)
    observed: np.ndarray  # (K, d)
    sum_x: np.ndarray  # (K, d)


def _cluster_sums(X: Any, n_clusters: int, labels: np.ndarray) -> _Sums:
    n = X.shape[0]
    member = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(n_clusters, n))
    size = np.bincount(labels, minlength=n_clusters)
    if sp.issparse(X):
        return _Sums(size, np.repeat(size[:, None], X.shape[1], axis=1), (member @ X).toarray())
    known = np.isfinite(X)
    return _Sums(size, member @ known.astype(np.float64), member @ np.where(known, X, 0.0))


def _squares_about(X: Any, mean: np.ndarray) -> np.ndarray:
    D = (X.toarray() if sp.issparse(X) else X) - mean
    return np.nansum(D * D, axis=0)


def _distance_to_own(
    X: Any, means: np.ndarray, scale: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    """Sum of squares of x - (mean of its cluster), in deviations; 1 for a missing entry."""
    D = ((X.toarray() if sp.issparse(X) else X) - means[labels]) / scale
    return np.square(np.where(np.isfinite(D), D, 1.0)).sum(axis=1)


def _nearest(far: Any, labels: np.ndarray, sums: _Sums) -> np.ndarray:
    typical = np.full(len(sums.size), -1)
    order = np.lexsort((np.asarray(far), labels))  # by cluster, then by distance
    first = np.concatenate([[0], np.cumsum(sums.size)[:-1]])
    some = sums.size > 0
    typical[some] = order[first[some].astype(np.intp)]
    return typical
