"""Second looks: the neighbours of a row's neighbours, and of those that have it as one.

What a row misses, its neighbours know: one look is a step of nearest-neighbour descent (Dong,
Charikar and Li, 2011). A look reads the neighbours that the look before found and writes new ones,
so it does not depend on the order of the rows. Pairs that meet by links that the look before had
were compared then: from the second look on few are left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
    links = Links(np.full_like(index, -1), np.full_like(index, -1))  # before the first look: none
    for _ in range(MOST):
        before, links = links, Links(index, _reversed(index))
        new = Links(*(_marked(*pair) for pair in zip(links, before, strict=True)))
        better, nearer = index.copy(), squares.copy()
        _over_rows(look, links, new, better, nearer)
        changed = np.count_nonzero(nearer != squares) / nearer.size
        index, squares = better, nearer
        if changed < HARDLY:
            break
    return index


class Links(NamedTuple):
    """What joins each row with others, or which of these links are new."""

    there: np.ndarray  # (n, k)  its neighbours
    back: np.ndarray  # (n, k)  rows that have it as one; then -1


def _marked(links: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Which links the row did not have before."""
    new = np.empty(links.shape, np.bool_)
    _mark(links, before, new)
    return new


def _over_rows(look: Any, links: Links, new: Links, *results: np.ndarray) -> None:
    n, k = links.there.shape
    size = max(1, WORK_PER_CUT // (2 * k * k))

    def work(first: int) -> None:
        rows = slice(first, min(first + size, n))
        look(rows, links, new, *(result[rows] for result in results))

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

    def look(rows: slice, links: Links, new: Links, *results: np.ndarray) -> None:
        seen = np.full(points.n, -1, np.int32)
        _join(X, spread, *links, *new, rows.start, results[0], results[1], seen)

    return look


def _sparse_look(points: Points, metric: Metric) -> Any:
    def part(rows: slice, links: Links, better: np.ndarray, nearer: np.ndarray) -> None:
        m, k = better.shape
        middle = np.hstack([links.there[rows], links.back[rows]])
        beyond = np.where(middle[:, :, None] < 0, -1, links.there[middle]).reshape(m, -1)
        others = np.sort(np.hstack([middle, beyond]), axis=1)
        others[:, 1:][others[:, 1:] == others[:, :-1]] = -1
        others[others == np.arange(rows.start, rows.stop)[:, None]] = -1
        squares = squares_between(points.take(rows), points, others, metric)
        better[:], nearer[:] = ranked(others, squares, k)

    def look(rows: slice, links: Links, new: Links, better: np.ndarray, nearer: np.ndarray) -> None:
        k = links.there.shape[1]
        size = max(1, SPARSE_BYTES // (16 * 2 * k * (k + 1)))
        for first in range(rows.start, rows.stop, size):
            some = slice(first, min(first + size, rows.stop))
            here = slice(first - rows.start, some.stop - rows.start)
            part(some, links, better[here], nearer[here])

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


@kernel
def _mark(links, before, new):
    n, k = links.shape
    for i in range(n):
        for e in range(k):
            known = False
            for g in range(k):
                known = known or before[i, g] == links[i, e]
            new[i, e] = not known


@kernel(any_order=True)
def _join(X, spread, index, back, new, new_back, first, better, nearer, seen):
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
            is_new = new[row, e] if e < k else new_back[row, e - k]
            for g in range(-1, k):
                if not is_new and (g < 0 or not new[middle, g]):
                    continue
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
