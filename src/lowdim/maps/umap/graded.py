"""Targets in UMAP's graph of which some are nearer than others: ranks, counts, texts.

v_ij is multiplied by exp(-price |y_i - y_j|),    price = 2.5 / (1 - target_weight)

ordinal    |y_i - y_j| in units of half the range of y
count      the same, of counts placed by how unlikely those below them are
string     letters that differ, in units of a third of the longest text
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.stats

from lowdim.maps.umap.supervised import (
    SMALLEST,
    check_length,
    checked_targets,
    connected_again,
    price_of_distance,
)

GRADED = ("ordinal", "count", "string")
EDGES_AT_ONCE = 2**14


def checked_grades(y: Any, n: int, metric: str) -> np.ndarray:
    """Targets (n,) of a metric of GRADED: texts, counts or ranks."""
    if metric == "string":
        texts = np.array([str(text) for text in np.asarray(y, dtype=object).reshape(-1)])
        check_length(texts, n)
        return texts
    values = checked_targets(y, n)
    if values.shape[1] != 1:
        raise ValueError(
            f"y has {values.shape[1]} columns, and target_metric={metric!r} takes one value for "
            "each row; choose target_metric='euclidean' for several."
        )
    if metric == "count" and (values.min() < 0 or np.any(values != np.floor(values))):
        raise ValueError(
            "y has values that are no counts (whole numbers from 0 up), and target_metric='count'; "
            "choose target_metric='ordinal' or 'euclidean'."
        )
    return values[:, 0]


def joined_by_grades(
    graph: sp.csr_array, y: np.ndarray, metric: str, weight: float
) -> sp.csr_array:
    """The graph with edges the weaker, the farther their targets are from each other."""
    price = price_of_distance(weight)
    row = np.repeat(np.arange(len(y)), np.diff(graph.indptr))
    apart = {"ordinal": _ranks_apart, "count": _counts_apart, "string": letters_apart}[metric]
    data = graph.data * np.exp(-price * apart(y, row, graph.indices))
    return connected_again(sp.csr_array((data, graph.indices, graph.indptr), shape=graph.shape))


def _ranks_apart(y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    half = (y.max() - y.min()) / 2.0
    return np.abs(y[i] - y[j]) / (half or 1.0)


def _counts_apart(y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Sums of -log p(k) over the counts between, of a Poisson law with the mean of y.

    In units of half the sum over all.
    """
    low, high = int(y.min()), int(y.max())
    between = -scipy.stats.poisson.logpmf(np.arange(low, high), max(y.mean(), SMALLEST))
    position = np.concatenate([[0.0], np.cumsum(between)])[y.astype(np.int64) - low]
    return _ranks_apart(position, i, j)


def letters_apart(y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Letters to insert, leave out or change between the texts of each pair (Levenshtein).

    At most a third of the longest text's letters, in units of this third.
    """
    letters = y.astype(f"<U{max(1, max(map(len, y.tolist())))}")
    width = letters.dtype.itemsize // 4
    codes, length = letters.view(np.uint32).reshape(len(y), width), np.char.str_len(y)
    most = length.max(initial=0) / 3.0
    i, j = np.asarray(i), np.asarray(j)
    found = np.empty(len(i))
    for start in range(0, len(i), EDGES_AT_ONCE):
        part = slice(start, start + EDGES_AT_ONCE)
        a, b = i[part], j[part]
        found[part] = _changes(codes[a], codes[b], length[a], length[b])
    return np.minimum(found, most) / (most or 1.0)


def _changes(A: np.ndarray, B: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    """For each pair of rows the fewest changes from the first n_a letters to the first n_b."""
    pairs, width = A.shape
    before = np.tile(np.arange(width + 1.0), (pairs, 1))  # from the first a letters of A to b of B
    found = np.where(n_a == 0, n_b, np.nan)
    for a in range(width):
        now = np.empty_like(before)
        now[:, 0] = a + 1
        for b in range(width):
            changed = before[:, b] + (A[:, a] != B[:, b])
            now[:, b + 1] = np.minimum(changed, np.minimum(before[:, b + 1], now[:, b]) + 1)
        before = now
        ends = n_a == a + 1
        found[ends] = before[ends, n_b[ends]]
    return found
