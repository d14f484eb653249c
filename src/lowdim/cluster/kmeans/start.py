"""The centers that k-means starts from: those that are given, or rows drawn by `seeding.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from lowdim.cluster.kmeans.lloyd import best_of, run
from lowdim.cluster.kmeans.seeding import (
    ROWS_FOR_START,
    in_frame,
    part_in_memory,
    random_rows,
    scalable_seeds,
    seeds,
)
from lowdim.cluster.kmeans.summary import DataSummary
from lowdim.core.blocks import Blocks

ROWS_PER_SEED = 100  # rows that seeds are drawn from, for each of them, if there are many
FEWEST_ROWS, FEW_PER_SEED = 1000, 50  # on which several starts are compared
STEPS_BEFORE = 50  # of Lloyd's algorithm on a part of the rows, before all rows are looked at
ROWS_FOR_ONLINE, ONLINE_ROWS_PER_SEED = 1000, 20  # that online learning begins with


def start(
    estimator: Any,
    rows: Blocks,
    weight: np.ndarray | None,
    summary: DataSummary,
    random: np.random.Generator,
) -> np.ndarray:
    """Centers to start from, measured in the frame."""
    k, init = estimator.n_clusters, estimator.init
    if not isinstance(init, str):
        return summary.in_frame(_given_centers(estimator, rows, random))
    at_most = max(ROWS_FOR_START, ROWS_PER_SEED * k)
    part = part_in_memory(rows, random, weight, at_most)
    D = in_frame(part.rows, summary.frame, summary.fill)
    if init == "k-means||":
        first = random_rows(D, 1, random, part.weight)
        return scalable_seeds(rows, k, random, weight, summary.frame, first, summary.has_missing)
    draw = seeds if init == "k-means++" else random_rows
    if rows.shape[0] <= at_most or sp.issparse(D):  # which have no bounds: it would cost more
        return draw(D, k, random, part.weight)
    few = np.sort(random.choice(len(D), min(len(D), max(FEWEST_ROWS, FEW_PER_SEED * k)), False))
    first, its_weight = D[few], part.weight[few]
    starts = (draw(first, k, random, its_weight) for _ in range(_starts_before(k)))
    best = best_of([run(first, its_weight, start, STEPS_BEFORE) for start in starts])
    return run(D, part.weight, best.centers, STEPS_BEFORE).centers


def online_start(
    estimator: Any,
    rows: Blocks,
    weight: np.ndarray | None,
    summary: DataSummary,
    random: np.random.Generator,
) -> np.ndarray:
    """The same for `partial_fit`: from some of its first rows, which are soon forgotten."""
    k = estimator.n_clusters
    if not isinstance(estimator.init, str):
        return summary.in_frame(_given_centers(estimator, rows, random))
    part = part_in_memory(rows, random, weight, max(ROWS_FOR_ONLINE, ONLINE_ROWS_PER_SEED * k))
    draw = random_rows if estimator.init == "random" else seeds
    return draw(in_frame(part.rows, summary.frame, summary.fill), k, random, part.weight)


def _given_centers(estimator: Any, rows: Blocks, random: np.random.Generator) -> np.ndarray:
    k, init = estimator.n_clusters, estimator.init
    if callable(init):
        X = rows.in_memory
        if X is None:
            X = part_in_memory(rows, random).rows
        legacy = np.random.RandomState(random.integers(2**32, dtype=np.uint64))
        init = init(X, k, random_state=legacy)
    init = init.toarray() if sp.issparse(init) else init
    centers = check_array(init, dtype=np.float64, input_name="init", estimator=estimator)
    if centers.shape != (k, rows.n_columns):
        raise ValueError(
            f"The centers of init have shape {centers.shape}; n_clusters={k} and the "
            f"{rows.n_columns} columns of X ask for {(k, rows.n_columns)}."
        )
    return centers


def _starts_before(k: int) -> int:
    """Starts on a part of the rows: several where they are cheap and a bad one costs much."""
    return min(4, max(1, 256 // k))
