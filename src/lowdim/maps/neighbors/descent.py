"""Neighbours by pynndescent, for metrics without products and very many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.random import random_generator
from lowdim.maps.neighbors.found import Neighbors, ranked
from lowdim.maps.points import Metric, Points

WIDER = 1.2  # neighbours that are looked for, over those that are wanted: a few more are found
SLOTS = 4  # beyond that, for the row itself and for what was not found


def descent_neighbors(points: Points, k: int, metric: Metric, random_state: Any) -> Neighbors:
    """Nearly all of the k nearest other points of each point.

    On one thread: on several, pynndescent gives other neighbours in every run.
    """
    NNDescent = _descent()
    K = min(points.n, int(WIDER * k) + SLOTS)
    # points are made for products, but sparse ones are not centered for correlations
    is_sparse = metric.name == "correlation" and sp.issparse(points.rows)
    name = "euclidean" if metric.by_products and not is_sparse else metric.name
    seed = int(random_generator(random_state).integers(2**31))
    search = NNDescent(
        points.rows,
        metric=name,
        metric_kwds=metric.params or None,
        n_neighbors=K,
        random_state=seed,
        n_jobs=1,
    )
    index, found = search.neighbor_graph
    index = np.where(index == np.arange(points.n)[:, None], -1, index.astype(np.int64))
    index, found = ranked(index, found.astype(np.float64), k)
    return Neighbors(index.astype(np.int32), found.astype(points.rows.dtype))


def _descent() -> Any:
    try:
        from pynndescent import NNDescent
    except ImportError:
        raise ImportError(
            "method='pynndescent' needs pynndescent: pip install 'lowdim[maps]'. Without it, "
            "method='auto' finds neighbours by itself."
        ) from None
    return NNDescent
