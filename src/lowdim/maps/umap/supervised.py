"""Labels and targets in UMAP's graph: rows with the same label stay together.

    labels    v_ij of rows with different labels is multiplied by exp(-far), with one label unknown
              (-1) by exp(-1); far = 2.5 / (1 - target_weight)
    numbers   the graph of the targets is a graph like that of the rows; both are intersected:
              v^(1-s) t^s, up to a power that leaves the larger share at 1, s = target_weight

Afterwards every row's strongest edge is 1 again, and both directions are united.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.numeric import as_array
from lowdim.maps.umap.graph import fuzzy_union

UNKNOWN = 1.0  # what it costs, in logs, that a label is unknown
FAR = 2.5
NEVER = 1e12  # target_weight 1: rows with different labels are not joined at all
SMALLEST = 1e-8
WEAK = 1e-4  # no more where targets are not joined: weights of few targets may all be large


def checked_labels(y: Any, n: int) -> np.ndarray:
    """Labels (n,) as whole numbers, -1 where they are unknown."""
    labels = as_array(y, "y", "UMAP")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    check_length(labels, n)
    if labels.ndim != 1:
        raise ValueError(
            f"y has shape {labels.shape}, and target_metric='categorical' takes one label for each "
            "row; choose target_metric='euclidean' for targets that are numbers."
        )
    if labels.dtype.kind == "f":
        _check_finite(labels)
    if labels.dtype.kind in "biuf":
        unknown = labels == -1 if labels.dtype.kind != "b" else np.zeros(n, dtype=bool)
    else:
        unknown = np.array([label is None or label == -1 for label in labels.tolist()], dtype=bool)
        labels = labels.astype(str)
    _, codes = np.unique(labels, return_inverse=True)
    return np.where(unknown, -1, codes.reshape(-1))


def checked_targets(y: Any, n: int) -> np.ndarray:
    """Targets as a table (n, t) of float64."""
    try:
        targets = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "y has values that are no numbers; choose target_metric='categorical' for labels."
        ) from error
    check_length(targets, n)
    _check_finite(targets)
    return np.ascontiguousarray(targets.reshape(n, -1))


def check_length(y: np.ndarray, n: int) -> None:
    if y.ndim == 0 or len(y) != n:
        found = "one value" if y.ndim == 0 else f"{len(y)} values"
        raise ValueError(
            f"y has {found}, and X has {n} rows (inconsistent numbers of samples); give one for "
            "each row, and -1 where a label is unknown."
        )


def _check_finite(y: np.ndarray) -> None:
    if not np.isfinite(y).all():
        raise ValueError(
            "y has NaN or infinity. With target_metric='categorical' -1 marks labels that are "
            "unknown; leave rows out whose target is unknown otherwise."
        )


def price_of_distance(weight: float) -> float:
    """What it costs an edge, in logs, that its targets are far from each other."""
    return FAR / (1.0 - weight) if weight < 1.0 else NEVER


def joined_by_labels(graph: sp.csr_array, labels: np.ndarray, weight: float) -> sp.csr_array:
    """The graph with weaker edges between rows of different or unknown labels."""
    far = price_of_distance(weight)
    row = np.repeat(labels, np.diff(graph.indptr))
    column = labels[graph.indices]
    unknown = (row == -1) | (column == -1)
    factor = np.where(unknown, np.exp(-UNKNOWN), np.where(row == column, 1.0, np.exp(-far)))
    data = graph.data * factor
    return connected_again(sp.csr_array((data, graph.indices, graph.indptr), shape=graph.shape))


def joined_by_targets(graph: sp.csr_array, targets: sp.csr_array, weight: float) -> sp.csr_array:
    """The intersection of the graph of the rows with that of the targets."""
    graph, targets = graph.astype(np.float64), targets.astype(np.float64)
    both = sp.csr_array(((graph != 0) + (targets != 0)).astype(np.float64))
    both.sort_indices()
    row = np.repeat(np.arange(both.shape[0]), np.diff(both.indptr))
    left = _values(graph, row, both.indices, 1.0)
    right = _values(targets, row, both.indices, WEAK)
    if weight < 0.5:
        data = left * right ** (weight / (1.0 - weight))
    else:
        data = left ** ((1.0 - weight) / weight) * right
    return connected_again(sp.csr_array((data, both.indices, both.indptr), shape=both.shape))


def _values(graph: sp.csr_array, row: np.ndarray, column: np.ndarray, at_most: float) -> np.ndarray:
    """The weights of these edges; where there is none, half of the smallest weight there is."""
    weight = np.asarray(graph[row, column]).ravel()
    least = min(max(float(graph.data.min(initial=1.0)) / 2, SMALLEST), at_most)
    return np.where(weight > 0, weight, least)


def connected_again(graph: sp.csr_array) -> sp.csr_array:
    """Every row's strongest edge is 1 again, and both directions are united."""
    graph = sp.csr_array(graph, dtype=np.float64)
    graph.eliminate_zeros()
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    largest = np.zeros(graph.shape[0])
    np.maximum.at(largest, row, graph.data)
    graph.data = graph.data / largest[row]
    return fuzzy_union(graph)
