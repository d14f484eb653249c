"""Approximate neighbours: rows are compared with those of the cells nearest to them.

    codes         the points, or their 64 principal components where points are sparse, or so many
                  that products with all columns cost more than the components
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
Memory: the rows once more and in float32 twice, 12 bytes for each neighbour, and some megabytes by
thread.
"""

from __future__ import annotations

import math
import threading
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.random import random_generator
from lowdim.core.threads import shared_map
from lowdim.linalg.nearest import BLOCK_BYTES, RUN, best_of, keep_best_rows
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

MOST_COLUMNS = 64  # of codes that are not the points
MANY = 200_000  # rows from which on those of more columns have codes
FEWEST = 4096  # rows, below which all are compared
FEWEST_CELLS, MANY_CELLS = 3, 12  # that a row looks at
MOST_CELLS = 1 / 8  # of all: to compare all rows takes about as long, each pair once
WANTED, POOR = 0.95, 0.6  # shares of the neighbours in few, and in however many cells
WIDER = 2  # candidates for each neighbour, where codes are not the points
JUDGED, AT_ONCE = 128, 32  # rows that are compared with all others
LOOKING = 2048  # rows that are multiplied with those of a cell at once, at the most
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
    """Whether the points are compared themselves."""
    is_quick = points.rows.shape[1] <= MOST_COLUMNS or points.n < MANY
    return is_quick and not sp.issparse(points.rows)


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
    return None if count >= MOST_CELLS * g else nearest_cells(Z, cells, count)


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
    half, numbers = (spread / 2).astype(np.float32), np.arange(n)
    most, memory = int(np.diff(cells.starts).max()), threading.local()

    def look(rows: np.ndarray, at: np.ndarray, first: int, own: bool) -> None:
        if not hasattr(memory, "of_this_thread"):
            memory.of_this_thread = _memory(most, Z.shape[1] + 2)
        some = cells.starts[first : first + size + 1], at[first : first + size + 1]
        results = index, score, *memory.of_this_thread
        _look(Z, half, cells.centers[first : first + size], numbers, rows, *some, own, *results)

    size = max(1, g // TURNS)
    for place in range(near.shape[1]):
        rows, at = order_of(near[:, place], g)
        work = [(rows, at, first, place == 0) for first in range(0, g, size)]
        shared_map(lambda task: look(*task), work)
    score *= -2.0
    return index, score


def _memory(most: int, columns: int) -> tuple[np.ndarray, ...]:
    """What a thread works in, for cells of so many rows at most."""
    X, Y = np.empty((LOOKING, columns), np.float32), np.empty((most, columns), np.float32)
    zeros, scores = np.zeros(most, np.float32), np.empty(max(most, BLOCK_BYTES // 4), np.float32)
    return X, Y, zeros, scores, np.empty(RUN, np.float32), np.empty(RUN, np.int32)


@kernel(allocates=True)
def _look(
    Z,
    half,
    centers,
    numbers,
    rows,
    starts,
    at,
    own,
    index,
    score,
    X,
    Y,
    zeros,
    scores,
    largest,
    places,
):
    """Rows that look at some cells are compared with the rows in these.

    In Python, threads would wait for each other between one small product and the next. `X`, `Y`,
    `scores`, `largest` and `places` are to work in.
    """
    for cell in range(len(centers)):
        inside, center = numbers[starts[cell] : starts[cell + 1]], centers[cell]
        w, looking = len(inside), rows[at[cell] : at[cell + 1]]
        if w == 0 or len(looking) == 0:
            continue
        _subtract(Z, inside, center, half, True, Y)
        step = len(scores) // w
        step = step if step < len(X) else len(X)
        for first in range(0, len(looking), step):
            some = looking[first : first + step]
            m = len(some)
            _subtract(Z, some, center, half, False, X)
            block = scores[: m * w].reshape(m, w)
            np.dot(X[:m], Y[:w].T, block)
            if own:
                for i in range(m):
                    block[i, some[i] - inside[0]] = -np.inf
            keep_best_rows(block, inside, zeros[:w], some, index, score, largest, places)


@kernel(any_order=True, within=True)
def _subtract(Z, rows, center, half, inside, moved):
    """Rows x - c with two more columns, so that x~'y~ = -|x - y|^2 / 2 - s_y / 2, y inside."""
    d = Z.shape[1]
    for i in range(len(rows)):
        row, square = rows[i], np.float32(0.0)
        for f in range(d):
            away = Z[row, f] - center[f]
            moved[i, f] = away
            square += away * away
        length = square / np.float32(2.0)
        moved[i, d] = 1.0 if inside else -length
        moved[i, d + 1] = -(length + half[row]) if inside else 1.0
