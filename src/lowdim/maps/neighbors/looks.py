"""Second looks: the neighbours of a row's neighbours, and of those that have it as one.

What a row misses, its neighbours know: one look is a step of nearest-neighbour descent (Dong,
Charikar and Li, 2011). A look reads the neighbours that the look before found and writes new ones,
so it does not depend on the order of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.maps.neighbors.found import ranked
from lowdim.maps.points import Metric, Points, squares_between

MOST = 8  # looks
HARDLY = 0.01  # the share of neighbours that must change, or the look was the last
WORK_PER_CUT = 2**19  # comparisons that are worth a turn on a thread
SPARSE_BYTES = 2**24  # of pairs of sparse rows at a time


def second_looks(
    points: Points,
    X: np.ndarray | None,
    index: np.ndarray,
    squares: np.ndarray,
    metric: Metric,
) -> np.ndarray:
    """The numbers (n, k) of neighbours after as many looks as it takes.

    Parameters
    ----------
    points : Points
    X : array of shape (n, c) of float32 or None
        The points about their mean, if there are any; None makes them.
    index : array of shape (n, k)
        Neighbours so far.
    squares : array of shape (n, k)
        |x - y|^2 + s_y of these.
    metric : Metric
    """
    look = _sparse_look(points, metric) if sp.issparse(points.rows) else _dense_look(points, X)
    index, squares = index.astype(np.int32), squares.astype(np.float32)
    for _ in range(MOST):
        back = _reversed(index)
        better, nearer = index.copy(), squares.copy()
        _over_rows(look, index, back, better, nearer)
        changed = np.count_nonzero(nearer != squares) / nearer.size
        index, squares = better, nearer
        if changed < HARDLY:
            break
    return index


def _over_rows(look: Any, index: np.ndarray, back: np.ndarray, *results: np.ndarray) -> None:
    n, k = index.shape
    size = max(1, WORK_PER_CUT // (2 * k * k))

    def work(first: int) -> None:
        rows = slice(first, min(first + size, n))
        look(rows, index, back, *(result[rows] for result in results))

    for _ in ordered_map(work, range(0, n, size)):
        pass


def _reversed(index: np.ndarray) -> np.ndarray:
    """Up to k rows that have each row as a neighbour, those to which it is nearest; then -1."""
    back = np.full(index.shape, -1, np.int32)
    _turn(index, back, np.zeros(len(index), np.int32))
    return back


def _dense_look(points: Points, X: np.ndarray | None) -> Any:
    if X is None:
        center = points.rows.mean(axis=0, dtype=np.float64)
        X = np.empty(points.rows.shape, np.float32)
        np.subtract(points.rows, center, out=X, casting="same_kind")
    spread = points.spread.astype(np.float32)

    def look(
        rows: slice, index: np.ndarray, back: np.ndarray, better: np.ndarray, nearer: np.ndarray
    ) -> None:
        seen = np.full(points.n, -1, np.int32)
        _join(X, spread, index, back, rows.start, better, nearer, seen)

    return look


def _sparse_look(points: Points, metric: Metric) -> Any:
    def part(
        rows: slice, index: np.ndarray, back: np.ndarray, better: np.ndarray, nearer: np.ndarray
    ) -> None:
        m, k = better.shape
        middle = np.hstack([index[rows], back[rows]])
        beyond = np.where(middle[:, :, None] < 0, -1, index[middle]).reshape(m, -1)
        others = np.sort(np.hstack([middle, beyond]), axis=1)
        others[:, 1:][others[:, 1:] == others[:, :-1]] = -1
        others[others == np.arange(rows.start, rows.stop)[:, None]] = -1
        squares = squares_between(points.take(rows), points, others, metric)
        better[:], nearer[:] = ranked(others, squares, k)

    def look(
        rows: slice, index: np.ndarray, back: np.ndarray, better: np.ndarray, nearer: np.ndarray
    ) -> None:
        k = index.shape[1]
        size = max(1, SPARSE_BYTES // (16 * 2 * k * (k + 1)))
        for first in range(rows.start, rows.stop, size):
            some = slice(first, min(first + size, rows.stop))
            here = slice(first - rows.start, some.stop - rows.start)
            part(some, index, back, better[here], nearer[here])

    return look


@kernel
def _turn(index, back, count):
    n, k = index.shape
    for e in range(k):
        for i in range(n):
            j = index[i, e]
            if count[j] < k:
                back[j, count[j]] = i
                count[j] += 1


@kernel(any_order=True)
def _join(X, spread, index, back, first, better, nearer, seen):
    """Go on with rows of `better` and `nearer` by neighbours' neighbours; `seen` is to work in."""
    k, d = better.shape[1], X.shape[1]
    for i in range(better.shape[0]):
        row, x = first + i, X[first + i]
        seen[row] = row
        for e in range(k):
            seen[index[row, e]] = row
        for e in range(2 * k):
            middle = index[row, e] if e < k else back[row, e - k]
            if middle < 0:
                break
            for g in range(-1, k):
                j = index[middle, g] if g >= 0 else middle
                if seen[j] == row:
                    continue
                seen[j] = row
                y, square = X[j], spread[j]
                for f in range(d):
                    square += (x[f] - y[f]) * (x[f] - y[f])
                if square >= nearer[i, k - 1]:
                    continue
                place = k - 1
                while place > 0 and nearer[i, place - 1] > square:
                    nearer[i, place] = nearer[i, place - 1]
                    better[i, place] = better[i, place - 1]
                    place -= 1
                nearer[i, place] = square
                better[i, place] = j
