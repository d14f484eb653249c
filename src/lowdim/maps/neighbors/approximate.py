"""Approximate neighbours: rows are compared with those of the cells around them.

    codes         the points, or their 64 principal components where there are more columns
    cells         about sqrt(n) of them, by k-means (`cells.py`)
    candidates    a cell's rows against all rows of the cells next to it, by products
    second looks  at the neighbours of a row's neighbours, and of those that have it as one
                  (`looks.py`), until hardly any row finds a nearer one
    distances     of the neighbours one by one

From the cells on, rows are in the order of their cells: what is near is near in memory, too. A few
rows are compared with all others: where cells miss too many, as with many independent columns, four
times as many rows are looked at, or all.

Cost: 36 sqrt(n) comparisons of codes for each row, and some 2 k^2 of rows in each second look.
Memory: the rows in float32 twice, 40 bytes for each neighbour, and some megabytes by thread.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.random import random_generator
from lowdim.core.threads import ordered_map
from lowdim.linalg.nearest import BLOCK_BYTES, best_of
from lowdim.linear.pca import PCA
from lowdim.maps.neighbors.cells import Cells, cells_next_to, cells_of
from lowdim.maps.neighbors.exact import exact_neighbors
from lowdim.maps.neighbors.found import Neighbors, ranked
from lowdim.maps.neighbors.looks import second_looks
from lowdim.maps.points import Metric, Points, from_squares, squares_between

MOST_COLUMNS = 64  # of codes
CELLS_NEXT = 36  # to each cell, of the mean size
FEWEST = 4096  # rows, below which all are compared
WIDER = 2  # candidates for each neighbour, where codes are not the points
JUDGED = 256  # rows that are compared with all others
POOR, FARTHER = 0.6, 4  # the share of neighbours found in cells below which they reach farther


def approximate_neighbors(
    points: Points, k: int, metric: Metric, random_state: Any = None
) -> Neighbors:
    """Nearly all of the k nearest other points of each point, by products."""
    n = points.n
    n_cells = int(math.sqrt(n))
    enough = max(CELLS_NEXT * n // n_cells, 8 * k)
    if n <= FEWEST or 2 * enough >= n:
        return exact_neighbors(points, points, k, metric, own=True)
    random = random_generator(random_state)
    Z = codes_of(points, random)
    cells = cells_of(Z, n_cells, random)
    points, Z = points.take(cells.order), Z[cells.order]
    index = _found(Z, points, cells, enough, k, metric, random)
    squares = squares_between(points, points, index, metric)
    squares += points.spread[:, None]
    index, squares = ranked(cells.order[index], squares, k)
    indices, distances = np.empty((n, k), np.int32), np.empty((n, k), points.rows.dtype)
    indices[cells.order], distances[cells.order] = index, from_squares(squares, metric)
    return Neighbors(indices, distances)


def codes_of(points: Points, random: np.random.Generator) -> np.ndarray:
    """The points in float32 about their mean, or their principal components."""
    rows = points.rows
    if sp.issparse(rows) or rows.shape[1] > MOST_COLUMNS:
        most = min(MOST_COLUMNS, *rows.shape)
        seed = int(random.integers(2**31))
        codes = PCA(most, svd_solver="randomized", random_state=seed).fit_transform(rows)
        return np.ascontiguousarray(codes, np.float32)
    center = rows.mean(axis=0, dtype=np.float64)
    return np.subtract(rows, center, dtype=np.float64).astype(np.float32)


def _found(
    Z: np.ndarray,
    points: Points,
    cells: Cells,
    enough: int,
    k: int,
    metric: Metric,
    random: np.random.Generator,
) -> np.ndarray:
    """The neighbours (n, k) of points that are in the order of their cells, as Z is."""
    are_points = Z.shape[1] == points.rows.shape[1] and not sp.issparse(points.rows)
    K = k if are_points else WIDER * k
    index, squares = _nearest_of(points, candidates(Z, points.spread, cells, enough, K), k, metric)
    if _share_found(points, index, metric, random) < POOR:
        if 2 * FARTHER * enough >= points.n:
            return exact_neighbors(points, points, k, metric, own=True).indices
        farther = candidates(Z, points.spread, cells, FARTHER * enough, K)
        index, squares = _nearest_of(points, farther, k, metric)
    return second_looks(points, Z if are_points else None, index, squares, metric)


def _nearest_of(
    points: Points, index: np.ndarray, k: int, metric: Metric
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of the candidates, and |x - y|^2 + s_y."""
    return ranked(index, squares_between(points, points, index, metric), k)


def candidates(Z: np.ndarray, spread: np.ndarray, cells: Cells, enough: int, K: int) -> np.ndarray:
    """The K nearest rows of each among those of the cells next to its own.

    Rows of Z and their numbers are in the order of the cells.
    """
    index = np.empty((len(Z), K), np.int64)
    offset = -(np.einsum("ij,ij->i", Z, Z, dtype=np.float64) + spread) / 2
    offset = offset.astype(np.float32)
    around, starts = cells_next_to(cells, enough), cells.starts

    def work(cell: int) -> None:
        rows = slice(starts[cell], starts[cell + 1])
        others = np.concatenate([np.arange(starts[c], starts[c + 1]) for c in around[cell]])
        X, Y, m = Z[rows], Z[others], rows.stop - rows.start
        itself = sp.csr_array((np.ones(m), np.arange(m), np.arange(m + 1)), shape=(m, len(others)))
        best = best_of(
            lambda i, j: X[i] @ Y[j].T,
            m,
            offset[others],
            K,
            (m, max(64, BLOCK_BYTES // (4 * m))),
            leave_out=itself,
            numbers=others,
        )
        index[rows] = best.column

    for _ in ordered_map(work, range(len(around))):
        pass
    return index


def _share_found(
    points: Points, index: np.ndarray, metric: Metric, random: np.random.Generator
) -> float:
    """The share of the nearest points that were found, of some that are compared with all."""
    k = index.shape[1]
    rows = np.sort(random.choice(points.n, size=JUDGED, replace=False))
    true = exact_neighbors(points.take(rows), points, k + 1, metric).indices
    hits = (index[rows][:, :, None] == true[:, None, :]).any(axis=1) & (true != rows[:, None])
    return float(hits.sum(axis=1).clip(max=k).mean() / k)
