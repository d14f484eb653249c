"""Second looks: the neighbours of a row's neighbours, and of those that have it as one.

What a row misses, its neighbours know: one look is a step of nearest-neighbour descent (Dong,
Charikar and Li, 2011). A look reads the neighbours that the look before found and writes new ones,
so it does not depend on the order of the rows. Pairs that meet by links that the look before had
were compared then, and so were those whose cells were looked at: few are left.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.maps.neighbors.found import ranked
from lowdim.maps.points import Metric, Points, squares_between

MOST = 8  # looks
HARDLY = 0.02  # the share of neighbours that must change, or the look was the last
LINKS = 20  # of each row at most, the nearest: neighbours' neighbours grow with their square
WORK_PER_CUT = 2**19  # comparisons that are worth a turn on a thread
SPARSE_BYTES = 2**24  # of pairs of sparse rows at a time


class Met(NamedTuple):
    """Rows that were compared, by their cells."""

    own: np.ndarray  # (n,) of int32  the cell of each row
    cells: np.ndarray  # (n, p) of int32  the cells whose rows it was compared with


def second_looks(
    points: Points,
    X: np.ndarray | None,
    index: np.ndarray,
    squares: np.ndarray,
    metric: Metric,
    met: Met | None = None,
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
        |x - y|^2 + s_y of these, rising.
    metric : Metric
    met : Met, default=None
        Which rows were compared with each already; None means that none were.
    """
    if met is None:
        met = Met(np.zeros(points.n, np.int32), np.empty((points.n, 0), np.int32))
    is_sparse = sp.issparse(points.rows)
    begin = _sparse_look(points, metric) if is_sparse else _dense_look(points, X, met)
    index, squares = index.astype(np.int32), squares.astype(np.float32)
    count = min(LINKS, index.shape[1])
    before = None
    for _ in range(MOST):
        nearest = index[:, :count].copy()
        links = _linked(nearest, _reversed(nearest), before, met.own)
        if _over_rows(begin(), links, index, squares) < HARDLY * index.size:
            break
        before = links
    return index


class Links(NamedTuple):
    """What joins each row with others; those that the look before did not have come first."""

    there: np.ndarray  # (n, l)  its nearest neighbours
    back: np.ndarray  # (n, l)  rows that have it as one; then -1
    new_there: np.ndarray  # (n,) of int32  how many are new
    new_back: np.ndarray  # (n,) of int32
    outside: np.ndarray  # (n,) of int32  so many, the first, may be of other cells than the row


def _linked(there: np.ndarray, back: np.ndarray, before: Links | None, cell: np.ndarray) -> Links:
    """Links with the new ones first, in place.

    Before the first look there were none; then neighbours of other cells come first: who has
    looked at the row's cell has met the rest.
    """
    all_there = np.full(len(there), there.shape[1], np.int32)
    if before is None:
        new_back = np.count_nonzero(back >= 0, axis=1).astype(np.int32)
        outside = _first_by(_move_outside, there, cell)
        return Links(there, back, all_there, new_back, outside)
    new_there = _first_by(_move_new, there, before.there)
    return Links(there, back, new_there, _first_by(_move_new, back, before.back), all_there)


def _first_by(move: Any, links: np.ndarray, known: np.ndarray) -> np.ndarray:
    """How many links of each row a kernel moves to the front."""
    n, count = links.shape
    moved, size = np.empty(n, np.int32), max(1, WORK_PER_CUT // (count * count))

    def work(first: int) -> None:
        rows = slice(first, min(first + size, n))
        move(links[rows], known, first, moved[rows])

    shared_map(work, range(0, n, size))
    return moved


def _over_rows(look: Any, links: Links, index: np.ndarray, squares: np.ndarray) -> int:
    """One look of all rows, which go on with `index` and `squares`: how many neighbours changed.

    A row reads the links of others and writes its own neighbours only.
    """
    n, count = links.there.shape
    size = max(1, WORK_PER_CUT // (2 * count * count))

    def work(first: int) -> int:
        rows = slice(first, min(first + size, n))
        before = squares[rows].copy()
        look(rows, links, index[rows], squares[rows])
        return int(np.count_nonzero(squares[rows] != before))

    return sum(shared_map(work, range(0, n, size)))


def _reversed(index: np.ndarray) -> np.ndarray:
    """As many rows that have each row as a neighbour, those to which it is nearest; then -1."""
    back = np.full(index.shape, -1, np.int32)
    _turn(index, back, np.zeros(len(index), np.int32))
    return back


def centered(points: Points) -> np.ndarray | None:
    """The points in float32 about their mean; None of sparse ones."""
    if sp.issparse(points.rows):
        return None
    center = points.rows.mean(axis=0, dtype=np.float64)
    X = np.empty(points.rows.shape, np.float32)
    return np.subtract(points.rows, center, out=X, casting="same_kind")


def _dense_look(points: Points, X: np.ndarray | None, met: Met) -> Any:
    X = centered(points) if X is None else X
    spread = points.spread.astype(np.float32)
    n_cells = 1 + max(int(met.own.max(initial=0)), int(met.cells.max(initial=0)))

    def begin() -> Any:
        memory = threading.local()

        def look(rows: slice, links: Links, *results: np.ndarray) -> None:
            if not hasattr(memory, "seen"):  # no row is looked at twice
                most = 2 * links.there.shape[1] * (links.there.shape[1] + 1) + 1
                seen, looked_at = (np.full(count, -1, np.int32) for count in (points.n, n_cells))
                memory.seen = seen, looked_at, np.empty(most, np.int32)
            _join(X, spread, *links, *met, rows.start, *results, *memory.seen)

        return look

    return begin


def _sparse_look(points: Points, metric: Metric) -> Any:
    def part(rows: slice, links: Links, index: np.ndarray, nearer: np.ndarray) -> None:
        m, k = index.shape
        middle = np.hstack([links.there[rows], links.back[rows]])
        beyond = np.where(middle[:, :, None] < 0, -1, links.there[middle]).reshape(m, -1)
        others = np.sort(np.hstack([index, middle, beyond]), axis=1)
        others[:, 1:][others[:, 1:] == others[:, :-1]] = -1
        others[others == np.arange(rows.start, rows.stop)[:, None]] = -1
        squares = squares_between(points.take(rows), points, others, metric)
        index[:], nearer[:] = ranked(others, squares, k)

    def look(rows: slice, links: Links, index: np.ndarray, nearer: np.ndarray) -> None:
        count = links.there.shape[1]
        size = max(1, SPARSE_BYTES // (16 * (2 * count * (count + 1) + index.shape[1])))
        for first in range(rows.start, rows.stop, size):
            some = slice(first, min(first + size, rows.stop))
            here = slice(first - rows.start, some.stop - rows.start)
            part(some, links, index[here], nearer[here])

    return lambda: look


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
def _move_new(links, before, first, new):
    """Links that a row (the first one is number `first`) did not have before come first."""
    n, k = links.shape
    for i in range(n):
        count = 0
        for e in range(k):
            link, known = links[i, e], False
            for g in range(k):
                known = known | (before[first + i, g] == link)
            if link >= 0 and not known:
                links[i, e] = links[i, count]
                links[i, count] = link
                count += 1
        new[i] = count


@kernel
def _move_outside(links, cell, first, outside):
    """Links to rows of other cells come first."""
    n, k = links.shape
    for i in range(n):
        count = 0
        for e in range(k):
            link = links[i, e]
            if cell[link] != cell[first + i]:
                links[i, e] = links[i, count]
                links[i, count] = link
                count += 1
        outside[i] = count


@kernel(any_order=True)
def _join(
    X,
    spread,
    there,
    back,
    new_there,
    new_back,
    outside,
    cell,
    met,
    first,
    index,
    nearer,
    seen,
    looked_at,
    found,
):
    """Go on with rows of `index` and `nearer` by neighbours' neighbours, but those of cells met.

    First all are collected that the row has not met, without a branch for each: half of them are
    new, in no order that a processor could foresee. `seen`, `looked_at` and `found` are to work in.
    """
    k, count, d = index.shape[1], there.shape[1], X.shape[1]
    for i in range(index.shape[0]):
        row, x = first + i, X[first + i]
        for p in range(met.shape[1]):
            looked_at[met[row, p]] = row
        seen[row] = row
        for e in range(k):
            seen[index[i, e]] = row
        fresh = 0
        for e in range(2 * count):
            middle = there[row, e] if e < count else back[row, e - count]
            if middle < 0:
                break
            is_new = e < new_there[row] if e < count else e - count < new_back[row]
            if e >= count and is_new and _has(there[row], middle):
                continue  # neighbours of each other
            stop = count if is_new else new_there[middle]
            if is_new and looked_at[cell[middle]] == row:
                stop = outside[middle]
            for g in range(-1 if is_new else 0, stop):
                j = there[middle, g] if g >= 0 else middle
                found[fresh] = j
                fresh += (looked_at[cell[j]] != row) & (seen[j] != row)
                seen[j] = row
        for e in range(fresh):
            j = found[e]
            y, square = X[j], spread[j]
            for f in range(d):
                square += (x[f] - y[f]) * (x[f] - y[f])
            if square < nearer[i, k - 1]:
                _put(nearer[i], index[i], square, j)


@kernel(within=True)
def _has(links, number):
    found = False
    for link in links:
        found = found | (link == number)
    return found


@kernel(within=True)
def _put(nearer, index, square, j):
    """Put row j in its place, by its square; the last one goes."""
    place = len(nearer) - 1
    while place > 0 and nearer[place - 1] > square:
        nearer[place] = nearer[place - 1]
        index[place] = index[place - 1]
        place -= 1
    nearer[place] = square
    index[place] = j
