"""Exact neighbours by products: candidates in float32, their distances one by one, and a proof.

    score_ij = x_i'y_j - (|y_j|^2 + s_j) / 2        |x_i - y_j|^2 + s_j = |x_i|^2 - 2 score_ij

Of each row the K = k + some largest scores are kept (`few.py`, of many points
`linalg/nearest`), and the squared distances of these are summed up by themselves
(`settling.py`). A score is wrong by at most

    E = u ((c + 8) |x| |y| + 4 |y|^2),      c columns, u = 2^-24 for float32

and a point nearer than the k-th found, at distance r, has |y| <= |x| + r. So where the K-th score
leaves no room for one, |x|^2 - 2 score_K - 2 E > r^2, the k found are the k nearest. For the other
rows all scores are made once more in float64, and every point that could be among the k nearest is
summed up by itself. Scores of small whole numbers have no error at all.

Cost: n m c multiplications in float32. Memory: the rows in float32 and some megabytes by thread.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map, shared_map
from lowdim.linalg.nearest import Best, best_among, best_of, block_shape
from lowdim.maps.neighbors.few import nearest_by_scores, strides_for
from lowdim.maps.neighbors.found import Neighbors, ranked
from lowdim.maps.neighbors.settling import MOST, settle
from lowdim.maps.points import Metric, Points, from_squares, row_means, squares_between

EXTRA, ONE_MORE_FOR = 2, 8  # candidates beyond k, and how many of k bring one more
WHOLE = 2.0**23  # up to here float32 holds all whole numbers and halves
CENTER_STEPS = 16.0  # the center is a multiple of 1 / 16: whole numbers stay so
FEW = 2**12  # points, all of whose scores are made at once
FEW_SCORES, FEW_ROWS = 2**18, 128  # that are made together, with few points
SLAB = 2**12  # rows whose neighbours are held in float64 at a time
SETTLED = 2**8  # of them at once
HELD = 2**20  # neighbours that are held in float64 at a time, if they are many
NUMBERS = 2**14  # of rows that are looked at in float64 at a time: they stay in the cache
MULTIPLIED = 2**19  # of points that are multiplied in float64 at a time
FARTHEST = 2.0**100  # of a new point's values, whose products with points float32 can hold
SPARSE_BLOCK = (32, 4096)
DOUBT_BYTES = 2**25  # of scores in float64, of rows that are looked at once more


def exact_neighbors(
    new: Points, points: Points, k: int, metric: Metric, *, own: bool = False
) -> Neighbors:
    """The k points nearest to each new one, by products.

    Parameters
    ----------
    new, points : Points
    k : int
        At most the number of points (less 1, if `own`).
    metric : Metric
    own : bool
        The new points are the points: none is its own neighbour.
    """
    Search: Any = _SparseSearch if sp.issparse(points.rows) else _DenseSearch
    search = Search(new, points, metric, own)
    indices = np.empty((new.n, k), np.int32)
    distances = np.empty((new.n, k), points.rows.dtype)
    size = min(SLAB, max(1, HELD // k))
    for first in range(0, new.n, size):
        rows = slice(first, min(first + size, new.n))
        index, squares = search.nearest(rows, k)
        squares += new.spread[rows][:, None]
        indices[rows], distances[rows] = index, from_squares(squares, metric)
    return Neighbors(indices, distances)


def measured(points: Points, index: np.ndarray, metric: Metric) -> Neighbors:
    """Chosen other points of each point, by their distances, which are summed up one by one."""
    squares = squares_between(points, points, index, metric)
    squares += points.spread[:, None]
    index, squares = ranked(index, squares, index.shape[1])
    found = from_squares(squares, metric).astype(points.rows.dtype, copy=False)
    return Neighbors(index.astype(np.int32), found)


class Likely(NamedTuple):
    """The nearest points of some rows, unless rounding misled."""

    numbers: np.ndarray  # (m, k)
    squares: np.ndarray  # (m, k)  |x - y|^2 + s_y
    least: np.ndarray  # (m,)  a score that all points that were left out stay below, or have


class _Search(ABC):
    """Scores of new points with points, in single and in double precision."""

    u: float  # unit roundoff of the scores for candidates
    is_whole = False  # whether they have no error
    lengths: np.ndarray  # (m,)  |x|^2

    def __init__(self, new: Points, points: Points, metric: Metric, own: bool):
        self.new, self.points, self.metric, self.own = new, points, metric, own
        self.n, self.columns = points.rows.shape
        self.order = _spread_out(self.n)  # in which the points are looked at
        self.place = np.empty(self.n, np.int64)  # of each in this order
        self.place[self.order] = np.arange(self.n)

    @abstractmethod
    def wide_scores(self, rows: np.ndarray) -> np.ndarray:
        """The scores of some new points with all points, in float64."""

    def squares(self, rows: Any, index: np.ndarray) -> np.ndarray:
        """|x - y|^2 + s_y of some new points with the points that each names."""
        return squares_between(self.new.take(rows), self.points, index, self.metric)

    def error(self, rows: Any, radius: Any, u: float) -> np.ndarray:
        """By how much a score may be wrong, of a point that is nearer than the radius."""
        a = np.sqrt(self.lengths[rows])
        b = a + radius
        return u * ((self.columns + 8) * a * b + 4 * b**2)

    @abstractmethod
    def likely(self, rows: slice, k: int, K: int) -> Likely:
        """The k nearest of K candidates or more of some new points."""

    def nearest(self, rows: slice, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest points of some new ones, and |x - y|^2 + s_y."""
        K = min(self.n - self.own, k + EXTRA + k // ONE_MORE_FOR)
        if 4 * K >= self.n and self.n <= FEW and (k > MOST or sp.issparse(self.points.rows)):
            others = self._all_others(rows)  # to rank them all is less than to choose
            return ranked(others, self.squares(rows, others), k)
        index, squares, least = self.likely(rows, k, K)
        if self.n - self.own > K and not self.is_whole:
            radius = np.sqrt(squares[:, -1])
            error = self.error(rows, radius, self.u)
            room = self.lengths[rows] - 2.0 * (least + error)
            doubtful = np.flatnonzero(~(room > squares[:, -1]))
            self._look_again(rows.start + doubtful, k, doubtful, index, squares)
        return index, squares

    def _all_others(self, rows: slice) -> np.ndarray:
        m, columns = rows.stop - rows.start, np.arange(self.n - self.own)
        if not self.own:
            return np.tile(columns, (m, 1))
        return columns + (columns >= np.arange(rows.start, rows.stop)[:, None])

    def _look_again(
        self, rows: np.ndarray, k: int, place: np.ndarray, index: np.ndarray, squares: np.ndarray
    ) -> None:
        """Find the neighbours of doubtful rows, and write them to their place."""
        size = max(1, DOUBT_BYTES // (8 * self.n))

        def work(first: int) -> None:
            part = slice(first, min(first + size, len(rows)))
            scores = self.wide_scores(rows[part])
            for i, p, row in zip(rows[part], place[part], scores, strict=True):
                if self.own:
                    row[i] = -np.inf
                index[p], squares[p] = self._certain(i, k, row)

        for _ in ordered_map(work, range(0, len(rows), size)):
            pass

    def _certain(self, i: int, k: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        last = np.partition(scores, self.n - k)[self.n - k]
        length = self.lengths[i]
        radius = math.sqrt(max(length - 2.0 * last, 0.0) + 1e-12 * length)
        error = float(self.error(i, radius, 2.0**-53))
        near = np.flatnonzero(scores >= last - 2.0 * error)[None]
        index, squares = ranked(near, self.squares(slice(i, i + 1), near), k)
        return index[0], squares[0]


def _spread_out(n: int) -> np.ndarray:
    """The numbers 0 to n - 1 in an order in which neighbours are far apart.

    Rows in the order of time come nearer and nearer to each row, and every one would be kept for a
    while.
    """
    step = max(1, int(0.6180339887 * n))
    while math.gcd(step, n) != 1:
        step += 1
    return (np.arange(n, dtype=np.int64) * step) % n


class _DenseSearch(_Search):
    u = 2.0**-24

    def __init__(self, new: Points, points: Points, metric: Metric, own: bool):
        super().__init__(new, points, metric, own)
        self.are_few = self.n <= FEW
        if self.are_few:
            self.order = self.place = np.arange(self.n)
        mean = points.rows.mean(axis=0, dtype=np.float64)
        self.center = np.rint(mean * CENTER_STEPS) / CENTER_STEPS
        self.lengths = _square_lengths(new.rows, self.center)
        self.own_lengths = self.lengths if own else _square_lengths(points.rows, self.center)
        offset = (-(self.own_lengths + points.spread) / 2).astype(np.float32)
        self.offset = offset[self.order]
        self.Y = np.empty(points.rows.shape, np.float32)
        for part in _parts(self.Y):
            self.Y[part] = _about(points.rows[self.order[part]], self.center, np.float32)
        dtype = np.result_type(new.rows, points.rows)  # the kernels are compiled for one
        self.wide = [np.require(rows, dtype, ["C", "W"]) for rows in (new.rows, points.rows)]
        self.is_whole = self._has_no_error()
        self._buffers = threading.local()
        self._best: Best | None = None

    def _has_no_error(self) -> bool:
        """Whether points are whole multiples of a number, so few that float32 holds their sums."""
        if self.points.spread.any():
            return False
        largest = max(self.lengths.max(initial=0.0), self.own_lengths.max(initial=0.0))
        step = 2.0 ** math.ceil(math.log2(largest / WHOLE) / 2) if largest > 0 else 1.0
        return _are_multiples(self.points.rows, self.center, step) and (
            self.own or _are_multiples(self.new.rows, self.center, step)
        )

    def likely(self, rows: slice, k: int, K: int) -> Likely:
        m = rows.stop - rows.start
        index, squares = np.empty((m, k), np.int32), np.empty((m, k))
        if self.are_few and k <= MOST:
            return Likely(index, squares, self._by_all_scores(rows, K, index, squares))
        found, scores = self._mutual(rows, K) if self.own else self._candidates(rows, K)
        if k > MOST:
            return Likely(*ranked(found, self.squares(rows, found), k), scores[:, -1])
        X, Y = self.wide[0][rows], self.wide[1]

        def work(first: int) -> None:
            some = slice(first, first + SETTLED)
            settle(X[some], Y, self.points.spread, found[some], index[some], squares[some])

        shared_map(work, range(0, m, SETTLED))
        return Likely(index, squares, scores[:, -1].astype(np.float64))

    def _by_all_scores(
        self, rows: slice, K: int, index: np.ndarray, squares: np.ndarray
    ) -> np.ndarray:
        """Write the nearest of few points; returns a score that the others stay below."""
        m, strides = len(index), strides_for(K, self.n)
        size, least = max(1, min(FEW_ROWS, FEW_SCORES // self.n)), np.empty(m, np.float32)
        X, Y = self.wide

        def work(first: int) -> None:
            some = slice(first, min(first + size, m))
            of_all = slice(rows.start + some.start, rows.start + some.stop)
            x = self.Y[of_all] if self.own else _single(self.new.rows[of_all], self.center)
            scores = np.matmul(x, self.Y.T, out=self._buffer((size, self.n), len(x), self.n))
            memory = self._memory(strides)
            itself = of_all.start if self.own else -1
            places = scores, self.offset, X[of_all], Y, self.points.spread, itself, K, *memory
            nearest_by_scores(*places, index[some], squares[some], least[some])

        shared_map(work, range(0, m, size))
        return least.astype(np.float64)

    def _memory(self, strides: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a thread finds neighbours among few points in."""
        if not hasattr(self._buffers, "found"):
            self._buffers.found = np.empty(self.n + 1, np.int32), np.empty(self.n + 1, np.float32)
        return np.empty(strides, np.float32), *self._buffers.found

    def _candidates(self, rows: slice, K: int) -> tuple[np.ndarray, np.ndarray]:
        """The K points with the largest scores for some new points, and the scores."""
        X = _single(self.new.rows[rows], self.center)
        shape = block_shape(len(X), 4)

        def scores_of(i: slice, j: slice) -> np.ndarray:
            out = self._buffer(shape, i.stop - i.start, j.stop - j.start)
            return np.matmul(X[i], self.Y[j].T, out=out)

        best = best_of(scores_of, len(X), self.offset, K, shape, numbers=self.order)
        return best.column, best.score

    def _buffer(self, shape: tuple[int, int], m: int, n: int) -> np.ndarray:
        """Where a thread writes its scores: memory that is asked for anew costs a tenth more."""
        if not hasattr(self._buffers, "scores"):
            self._buffers.scores = np.empty(shape[0] * shape[1], np.float32)
        return self._buffers.scores[: m * n].reshape(m, n)

    def _mutual(self, rows: slice, K: int) -> tuple[np.ndarray, np.ndarray]:
        """The same among the points themselves, for all at once: each product is made once."""
        if self._best is None:
            self._best = best_among(self.Y, self.offset, K, self.order)
        place = self.place[rows]
        return self._best.column[place], self._best.score[place]

    def wide_scores(self, rows: np.ndarray) -> np.ndarray:
        X = _about(self.new.rows[rows], self.center, np.float64)
        scores = np.empty((len(rows), self.n))
        for part in _parts(self.points.rows, MULTIPLIED):
            np.matmul(X, _about(self.points.rows[part], self.center).T, out=scores[:, part])
        scores -= (self.own_lengths + self.points.spread) / 2
        return scores


def _about(rows: np.ndarray, center: np.ndarray, dtype: Any = np.float64) -> np.ndarray:
    moved = np.empty(rows.shape, dtype)
    np.subtract(rows, center, out=moved, casting="same_kind")
    return moved


def _single(rows: np.ndarray, center: np.ndarray) -> np.ndarray:
    """In float32, with 0 for rows so far away that its products are no numbers: any is doubtful."""
    with np.errstate(over="ignore"):
        X = _about(rows, center, np.float32)
    if not -FARTHEST < X.min(initial=0.0) <= X.max(initial=0.0) < FARTHEST:
        X[~(np.abs(X).max(axis=1) < FARTHEST)] = 0.0
    return X


def _square_lengths(rows: np.ndarray, center: np.ndarray) -> np.ndarray:
    lengths = np.empty(len(rows))
    for part in _parts(rows):
        moved = _about(rows[part], center)
        np.einsum("ij,ij->i", moved, moved, out=lengths[part])
    return lengths


def _are_multiples(rows: np.ndarray, center: np.ndarray, step: float) -> bool:
    """Whether the numbers of rows about a center are whole multiples of a step."""
    return all(
        bool((np.rint(moved / step) * step == moved).all())
        for moved in (_about(rows[part], center) for part in _parts(rows))
    )


def _parts(rows: np.ndarray, numbers: int = NUMBERS) -> list[slice]:
    """Some rows at a time, of so many numbers."""
    size = max(1, numbers // max(1, rows.shape[1]))
    return [slice(first, first + size) for first in range(0, len(rows), size)]


class _SparseSearch(_Search):
    u = 2.0**-53

    def __init__(self, new: Points, points: Points, metric: Metric, own: bool):
        super().__init__(new, points, metric, own)
        self.is_centered = metric.name == "correlation"
        zeros = np.zeros(max(new.n, self.n))
        self.new_means = row_means(new.rows) if self.is_centered else zeros[: new.n]
        self.means = row_means(points.rows) if self.is_centered else zeros[: self.n]
        self.lengths = self._square_lengths(new.rows, self.new_means)
        lengths = self._square_lengths(points.rows, self.means)
        self.offset = -(lengths + points.spread) / 2
        self.indptr = new.rows.indptr.astype(np.int64)
        self.indices = new.rows.indices.astype(np.int64)
        self.data = new.rows.data.astype(np.float64)
        # blocks of points by column, in the order in which they are looked at
        self.pieces = [
            self._by_column(self.order[first : first + SPARSE_BLOCK[1]])
            for first in range(0, self.n, SPARSE_BLOCK[1])
        ]

    def _square_lengths(self, rows: Any, means: np.ndarray) -> np.ndarray:
        squares = np.asarray(rows.multiply(rows).sum(axis=1, dtype=np.float64)).ravel()
        return np.maximum(squares - self.columns * means**2, 0.0)

    def _by_column(self, chosen: np.ndarray) -> tuple:
        part = self.points.rows[chosen].T.tocsr()
        parts = part.indptr.astype(np.int64), part.indices.astype(np.int64)
        return *parts, part.data.astype(np.float64), self.means[chosen]

    def _scores(self, rows: np.ndarray, piece: tuple) -> np.ndarray:
        indptr, indices, data, means = piece
        scores = np.zeros((len(rows), len(means)))
        _stored_products(rows, self.indptr, self.indices, self.data, indptr, indices, data, scores)
        if self.is_centered:
            scores -= np.outer(self.columns * self.new_means[rows], means)
        return scores

    def likely(self, rows: slice, k: int, K: int) -> Likely:
        found, scores = self._candidates(rows, K)
        return Likely(*ranked(found, self.squares(rows, found), k), scores[:, -1])

    def _themselves(self, rows: slice) -> Any:
        """The place of each row among the points, as pairs that do not take part."""
        if not self.own:
            return None
        m, place = rows.stop - rows.start, self.place[rows]
        return sp.csr_array((np.ones(m), place, np.arange(m + 1)), shape=(m, self.n))

    def _candidates(self, rows: slice, K: int) -> tuple[np.ndarray, np.ndarray]:
        """The K points with the largest scores for some new points, and the scores."""
        numbers = np.arange(rows.start, rows.stop)
        leave_out = self._themselves(rows)

        def scores_of(i: slice, j: slice) -> np.ndarray:
            return self._scores(numbers[i], self.pieces[j.start // SPARSE_BLOCK[1]])

        offset = self.offset[self.order]
        best = best_of(
            scores_of,
            len(numbers),
            offset,
            K,
            SPARSE_BLOCK,
            leave_out=leave_out,
            numbers=self.order,
        )
        return best.column, best.score

    def wide_scores(self, rows: np.ndarray) -> np.ndarray:
        scores = np.empty((len(rows), self.n))
        for first, piece in zip(range(0, self.n, SPARSE_BLOCK[1]), self.pieces, strict=True):
            scores[:, self.order[first : first + SPARSE_BLOCK[1]]] = self._scores(rows, piece)
        scores += self.offset
        return scores


@kernel
def _stored_products(rows, indptr, indices, data, indptr2, indices2, data2, products):
    """Add the products of rows of a csr_array with the columns of another one, (d, w)."""
    for i in range(len(rows)):
        out = products[i]
        for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
            f, value = indices[e], data[e]
            for g in range(indptr2[f], indptr2[f + 1]):
                out[indices2[g]] += value * data2[g]
