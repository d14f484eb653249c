"""How good are clusters?

    without the truth    silhouette: is a row nearer to its own cluster than to the next one?
    against a truth      adjusted Rand index, mutual information, ...: scikit-learn's, as they are

The silhouette compares all pairs of rows; here those of a random sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    completeness_score,
    homogeneity_score,
    normalized_mutual_info_score,
    rand_score,
    silhouette_score,
    v_measure_score,
)
from sklearn.metrics.pairwise import nan_euclidean_distances

from lowdim.core.blocks import Blocks
from lowdim.core.numeric import as_array
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, open_rows_for

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "homogeneity_score",
    "normalized_mutual_info_score",
    "rand_score",
    "silhouette",
    "v_measure_score",
]


@single_threaded_blas()
def silhouette(X: Any, labels: Any, *, sample_size: int = 2_000, random_state: Any = None) -> float:
    """Mean silhouette of a random sample of rows: from -1 (wrong clusters) over 0 to 1 (far apart).

    (b - a) / max(a, b) for each row, where a is its mean distance to the rows of its own cluster,
    and b that to the rows of the nearest other cluster.

    Cost: O(sample_size^2 d) time, sample_size^2 memory with NaN.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        With NaN, distances are those of the entries that two rows have in common, scaled up; two
        rows that have none in common are at the mean distance.
    labels : array of shape (n,)
        The cluster of each row, as `predict` gives it; at least 2 different ones.
    sample_size : int, default=2000
        Rows compared; more are slower and steadier. All, if there are not more.
    random_state : int, Generator, RandomState or None, default=None
        For the sample.

    Returns
    -------
    float

    References
    ----------
    Rousseeuw (1987), Silhouettes, J. Comput. Appl. Math. 20.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> round(lowdim.silhouette(np.array([[0.0], [1.0], [10.0], [11.0]]), [0, 0, 1, 1]), 2)
    0.9
    """
    sample_size = check_at_least("sample_size", sample_size, 3)
    rows = open_rows_for("silhouette", X, nan=True)
    n = rows.shape[0]
    labels = as_array(labels, "labels", "silhouette")  # Dask arrays are computed
    if labels.shape != (n,):
        raise ValueError(f"labels has shape {labels.shape}; X has {n} rows, with one label each.")
    index = np.arange(n)
    if n > sample_size:
        index = np.sort(random_generator(random_state).choice(n, size=sample_size, replace=False))
    return silhouette_of(rows, labels, index)


def silhouette_of(rows: Blocks, labels: np.ndarray, index: np.ndarray) -> float:
    """Mean silhouette of the rows with these numbers."""
    of_sample = labels[index]
    n_clusters = len(np.unique(of_sample))
    if not 2 <= n_clusters < len(index):
        raise ValueError(
            f"labels has {n_clusters} clusters among the {len(index)} rows compared; a silhouette "
            "needs at least 2, and fewer than there are rows."
        )
    sample = rows.take(index)
    if sp.issparse(sample) or not np.isnan(sample).any():
        return float(silhouette_score(sample, of_sample))
    distance = nan_euclidean_distances(sample)
    distance[np.isnan(distance)] = np.nanmean(distance)
    np.fill_diagonal(distance, 0.0)
    return float(silhouette_score(distance, of_sample, metric="precomputed"))
