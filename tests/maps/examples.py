"""What tests of maps share: neighbours by sorting all distances, and points of plain rows."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from lowdim.maps.framing import frame_of, points_of
from lowdim.maps.points import metric_of


def sorted_neighbors(X, k, metric="euclidean"):
    """The k nearest other rows of each row and their distances; of equal ones, the first."""
    X = X.toarray() if sp.issparse(X) else X
    D = X if metric == "precomputed" else pairwise_distances(X.astype(float), metric=metric)
    D = D + np.diag(np.full(len(D), np.inf))
    index = np.argsort(D, axis=1, kind="stable")[:, :k]
    return index, np.take_along_axis(D, index, axis=1)


def as_points(X, metric="euclidean"):
    """Rows as points of a frame of their own."""
    known = metric_of(metric)
    return points_of(X, frame_of(X, known), known)


def recall(found, true):
    """The share of the true neighbours that were found."""
    hits = (found[:, :, None] == true[:, None, :]).any(axis=1)
    return hits.mean()
