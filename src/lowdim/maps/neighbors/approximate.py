"""Approximate neighbours: rows are compared with those of the cells nearest to them.

    codes         the points, or their 64 principal components where there are more columns
    cells         about sqrt(n) of them, by k-means (`cells.py`)
    how many      a few rows are compared with all others: that says in how many of the cells
                  nearest to a row its neighbours are
    candidates    first the rows of the own cell, then those of the next nearest one, and so on: in
                  each turn all rows that look at a cell are multiplied with the rows in it
    second looks  at the neighbours of a row's neighbours, and of those that have it as one, that
                  are in other cells (`looks.py`), until hardly any row finds a nearer one
    distances     of the neighbours one by one

From the cells on, rows are in the order of their cells: what is near is near in memory, too. With
many independent columns neighbours are all over the cells; then all rows are compared.

Cost: some 3 to 12 sqrt(n) comparisons of codes for each row, and of rows what second looks add.
Memory: the rows in float32 twice, 12 bytes for each neighbour, and some megabytes by thread.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.random import random_generator
from lowdim.core.threads import shared_map
from lowdim.linalg.nearest import BLOCK_BYTES, best_of, keep_best
from lowdim.linear.pca import PCA
from lowdim.maps.neighbors.cells import (
    TURNS,
    Cells,
    by_distance,
    cells_of,
    nearest_cells,
    order_of,
    squares_from,
)
from lowdim.maps.neighbors.exact import exact_neighbors
from lowdim.maps.neighbors.found import Neighbors, ranked
from lowdim.maps.neighbors.looks import Met, centered, second_looks
from lowdim.maps.points import Metric, Points, from_squares, squares_between

MOST_COLUMNS = 64  # of codes
FEWEST = 4096  # rows, below which all are compared
FEWEST_CELLS, MANY_CELLS = 3, 12  # that a row looks at
WANTED, POOR = 0.95, 0.6  # shares of the neighbours in few, and in however many cells
WIDER = 2  # candidates for each neighbour, where codes are not the points
JUDGED, AT_ONCE = 128, 32  # rows that are compared with all others
SLAB = 4096  # rows whose distances are measured at once
LOST = 1e-3  # of |x - c|^2: smaller squares are compared anew


def approximate_neighbors(
    points: Points, k: int, metric: Metric, random_state: Any = None
) -> Neighbors:
    """Nearly all of the k nearest other points of each point, by products."""
    n = points.n
    if n <= max(FEWEST, 16 * k):
        return exact_neighbors(points, points, k, metric, own=True)
    random = random_generator(random_state)
    Z = codes_of(points, random)
    cells = cells_of(Z, int(math.sqrt(n)), random)
    points, Z = points.take(cells.order), Z[cells.order]
    X = Z if _are_codes(points) else centered(points)
    near = _cells_to_look_at(Z, X, points, cells, k, metric, random)
    if near is None:
        index = exact_neighbors(points, points, k, metric, own=True).indices
    else:
        index = _found(Z, X, points, cells, near, k, metric)
    indices, distances = np.empty((n, k), np.int32), np.empty((n, k), points.rows.dtype)

    def measure(first: int) -> None:
        rows = slice(first, first + SLAB)
        some, order = points.take(rows), cells.order[rows]
        squares = squares_between(some, points, index[rows], metric) + some.spread[:, None]
        indices[order], squares = ranked(cells.order[index[rows]], squares, k)
        distances[order] = from_squares(squares, metric)

    shared_map(measure, range(0, n, SLAB))  # float64 of all would be most of the memory
    return Neighbors(indices, distances)


def _are_codes(points: Points) -> bool:
    """Whether there are so few columns that the points are compared themselves."""
    return not sp.issparse(points.rows) and points.rows.shape[1] <= MOST_COLUMNS


def codes_of(points: Points, random: np.random.Generator) -> np.ndarray:
    """The points in float32 about their mean, or their principal components."""
    rows = points.rows
    if not _are_codes(points):
        most = min(MOST_COLUMNS, *rows.shape)
        seed = int(random.integers(2**31))
        codes = PCA(most, svd_solver="randomized", random_state=seed).fit_transform(rows)
        return np.ascontiguousarray(codes, np.float32)
    return cast(np.ndarray, centered(points))


def _cells_to_look_at(
    Z: np.ndarray,
    X: np.ndarray | None,
    points: Points,
    cells: Cells,
    k: int,
    metric: Metric,
    random: np.random.Generator,
) -> np.ndarray | None:
    """The cells that each row looks at, its own first; None if all rows are better compared."""
    n, own, g = len(Z), cells.own, len(cells.centers)
    rows = np.sort(random.choice(n, size=min(JUDGED, n), replace=False))
    rank = np.argsort(by_distance(Z[rows], own[rows], cells.centers), axis=1)  # of each cell
    if X is None:
        true = exact_neighbors(points.take(rows), points, k + 1, metric).indices
    else:
        offset = (-(np.einsum("ij,ij->i", X, X) + points.spread) / 2).astype(np.float32)
        some, shape = X[rows], (AT_ONCE, BLOCK_BYTES // (4 * AT_ONCE))
        true = best_of(lambda i, j: some[i] @ X[j].T, len(rows), offset, k + 1, shape).column
    at = np.take_along_axis(rank, own[true], axis=1)[true != rows[:, None]]
    shares = np.cumsum(np.bincount(at, minlength=g)) / len(at)
    enough, fewest = (int(np.searchsorted(shares, share)) + 1 for share in (WANTED, POOR))
    has_room = math.ceil(8 * k / (n / g))
    count = max(min(enough, MANY_CELLS), fewest, FEWEST_CELLS, has_room)
    return None if 3 * count >= g else nearest_cells(Z, cells, count)


def _found(
    Z: np.ndarray,
    X: np.ndarray | None,
    points: Points,
    cells: Cells,
    near: np.ndarray,
    k: int,
    metric: Metric,
) -> np.ndarray:
    """The neighbours (n, k) of points that are in the order of their cells, as Z is."""
    index, squares = candidates(Z, points.spread, cells, near, k if Z is X else WIDER * k)
    _complete(index, squares, points, metric)
    if Z is not X:
        index, squares = ranked(index, squares_between(points, points, index, metric), k)
        return second_looks(points, X, index, squares, metric)
    doubtful = _doubtful(Z, cells, squares)
    near[doubtful], some = len(cells.centers), points.take(doubtful)  # a cell without rows
    index[doubtful], squares[doubtful] = ranked(
        index[doubtful], squares_between(some, points, index[doubtful], metric), k
    )
    return second_looks(points, X, index, squares, metric, met=Met(cells.own, near))


def _doubtful(Z: np.ndarray, cells: Cells, squares: np.ndarray) -> np.ndarray:
    """Rows so near to their neighbours, and so far from the center, that products lost digits."""
    reach = np.empty(len(Z), np.float32)
    for center, first, stop in zip(cells.centers, cells.starts, cells.starts[1:], strict=False):
        reach[first:stop] = squares_from(Z[first:stop], center)
    return np.flatnonzero(squares[:, -1] < LOST * reach)


def _complete(index: np.ndarray, squares: np.ndarray, points: Points, metric: Metric) -> None:
    """Compare rows whose cells have too few others with all rows."""
    short, K = np.flatnonzero(index[:, -1] < 0), index.shape[1]
    if not len(short):
        return
    found = exact_neighbors(points.take(short), points, K + 1, metric).indices
    others = found != short[:, None]
    others[others.all(axis=1), -1] = False
    index[short] = found[others].reshape(-1, K)
    squares[short] = squares_between(points.take(short), points, index[short], metric)


class _Turn(NamedTuple):
    """Rows by the cell that they look at in one turn."""

    rows: np.ndarray  # (n,)
    starts: np.ndarray  # (g + 1,)


def candidates(
    Z: np.ndarray, spread: np.ndarray, cells: Cells, near: np.ndarray, K: int
) -> tuple[np.ndarray, np.ndarray]:
    """The K nearest rows of each among those of the cells that it looks at; |x - y|^2 + s_y.

    Rows of Z and their numbers are in the order of the cells. In a turn a row looks at one cell,
    so that no two threads write to the same row. Products are of differences from the cell's
    center, so that cells that are small and far from each other keep their digits.
    """
    n, g = len(Z), len(cells.centers)
    index, score = np.full((n, K), -1, np.int32), np.full((n, K), -np.inf, np.float32)
    half, nothing = (spread / 2).astype(np.float32), np.zeros(n, np.float32)
    numbers = np.arange(n)

    def look(turn: _Turn, first: int, own: bool) -> None:
        for cell in range(first, min(first + size, g)):
            inside = numbers[cells.starts[cell] : cells.starts[cell + 1]]
            rows = turn.rows[turn.starts[cell] : turn.starts[cell + 1]]
            if not len(rows):
                continue
            Y = _about(Z, inside, cells.centers[cell], half, inside=True)
            step = max(1, BLOCK_BYTES // (4 * len(inside)))
            for a in range(0, len(rows), step):
                some = rows[a : a + step]
                scores = _about(Z, some, cells.centers[cell], nothing, inside=False) @ Y.T
                if own:
                    scores[np.arange(len(some)), some - inside[0]] = -np.inf
                keep_best(scores, inside, nothing[: len(inside)], some, index, score)

    size = max(1, g // TURNS)
    for place in range(near.shape[1]):
        turn = _Turn(*order_of(near[:, place], g))
        work = [(turn, first, place == 0) for first in range(0, g, size)]
        shared_map(lambda task: look(*task), work)
    score *= -2.0
    return index, score


def _about(
    Z: np.ndarray, rows: np.ndarray, center: np.ndarray, half: np.ndarray, *, inside: bool
) -> np.ndarray:
    """Rows x - c with two more columns, so that x~'y~ = -|x - y|^2 / 2 - s_y / 2."""
    moved = np.empty((len(rows), Z.shape[1] + 2), np.float32)
    _subtract(Z, rows, center, half, inside, moved)
    return moved


@kernel(any_order=True)
def _subtract(Z, rows, center, half, inside, moved):
    d = Z.shape[1]
    for i in range(len(rows)):
        row, square = rows[i], np.float32(0.0)
        for f in range(d):
            away = Z[row, f] - center[f]
            moved[i, f] = away
            square += away * away
        length = half[row] + square / np.float32(2.0)
        moved[i, d] = 1.0 if inside else -length
        moved[i, d + 1] = -length if inside else 1.0
