"""Neighbours among points of few columns: SciPy's k-d tree looks at the boxes around a row only.

    |x - y|^2 of every point y that is not among the K found >= r_K^2 (1 - some roundings)

so where the k-th of those found, summed up by itself (`settling.py`), is nearer than that, the k
are the nearest; of the other rows, on lattices for example, twice as many are found. Where most
rows have very many others at one distance, products are quicker: all distances are 0, say, beside
that to a row whose square is 1e320 times as large.

Cost: some dozens of comparisons for each neighbour with two columns, and with each more nearly
twice as many: with more than six, or with few points, products are quicker. Memory: the rows once
more in float64, and some megabytes by thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.config import get_config
from lowdim.core.threads import shared_map
from lowdim.maps.neighbors.settling import MOST, settle

FEWEST = (300, 2_000, 4_100, 6_000, 12_000, 50_000)  # points for which it pays, by columns
MORE = 2  # candidates beyond k
CANDIDATES = 2**17  # that are held at a time
SETTLED = 2**9  # rows at once
TRIED, DOUBLINGS = 256, 3  # rows, most of which should have their neighbours after so many of K
ROUNDING = 2.0**-48  # of a squared distance of few columns


def tree_pays(n: int, d: int, k: int) -> bool:
    """Whether a tree finds the k nearest of n points of d columns sooner than products do."""
    return 1 <= d <= len(FEWEST) and n >= FEWEST[d - 1] and k <= MOST


def tree_neighbors(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The k nearest other rows of each row of a table, and |x - y|^2, rising.

    None where more candidates than a tree finds quickly are equally near.
    """
    from scipy.spatial import cKDTree

    n = len(X)
    tree = cKDTree(X, balanced_tree=False)  # medians of columns with equal values take long
    index, squares = np.empty((n, k), np.int32), np.empty((n, k))
    first = k + 1 + MORE
    tried = np.arange(0, n, -(-n // TRIED))
    if len(_unsettled(tree, X, tried, first, first << DOUBLINGS, index, squares)) > len(tried) / 2:
        return None
    _unsettled(tree, X, np.arange(n), first, n, index, squares)
    return index, squares


def _unsettled(
    tree: Any,
    X: np.ndarray,
    rows: np.ndarray,
    K: int,
    most: int,
    index: np.ndarray,
    squares: np.ndarray,
) -> np.ndarray:
    """Write the nearest of some rows among K candidates, and twice as many where these do not do.

    Returns the rows for which `most` candidates are not enough.
    """
    n = len(X)
    while len(rows) and K < 2 * min(most, n):
        K = min(K, n)
        size = max(1, CANDIDATES // K)
        parts = [rows[first : first + size] for first in range(0, len(rows), size)]
        sure = [_settled(tree, X, part, K, index, squares) for part in parts]
        rows, K = rows[~np.concatenate(sure)], 2 * K
    return rows


def _settled(
    tree: Any, X: np.ndarray, rows: np.ndarray, K: int, index: np.ndarray, squares: np.ndarray
) -> np.ndarray:
    """Write the nearest of some rows among K candidates; which rows these are certain for."""
    distance, found = tree.query(X[rows], K, workers=get_config().n_threads)
    found = found.astype(np.int32)
    found[found == rows[:, None]] = -1
    near, far = (np.empty((len(rows), index.shape[1]), dtype) for dtype in (np.int32, np.float64))
    nothing = np.zeros(len(X))

    def work(first: int) -> None:
        some = slice(first, first + SETTLED)
        settle(X[rows[some]], X, nothing, found[some], near[some], far[some])

    shared_map(work, range(0, len(rows), SETTLED))
    index[rows], squares[rows] = near, far
    return (distance[:, -1] ** 2 * (1.0 - ROUNDING) > far[:, -1]) | (K == len(X))
