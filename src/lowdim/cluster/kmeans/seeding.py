"""Where k-means starts: rows that lie far apart.

    k-means++    one after the other, a row is drawn with a chance by weight times its squared
                 distance from those drawn before; of a few drawn, the one that lowers J most
    k-means||    in a few passes, many rows at a time are drawn by the same chance; then k-means++
                 among them, each with the weight of the rows it is nearest to

k-means++ looks at a part of the rows that fits in memory. There a row of weight 2 is a row twice,
and the order of rows does not matter: a draw is a place on the line on which all rows, sorted by
their values, lie one after the other, each as long as its weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.cluster.kmeans.assignment import Setting, square_to_nearest, statistics
from lowdim.cluster.kmeans.kernels import square_apart
from lowdim.cluster.kmeans.missing import has_missing
from lowdim.core.blocks import Blocks
from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.linalg.moments import Frame

ROWS_FOR_START = 20_000
PIECE_BYTES = 2**21  # of rows that a thread works on
SCALABLE_PASSES = 5  # of k-means||, Bahmani et al. (2012), section 5
SCALABLE_OVERSAMPLING = 2  # rows drawn in each of them, per cluster

NEAR = 1e-9  # of the squares that a distance is the difference of: it is measured anew
EQUAL = 1e-14  # of these only rounding is left


class Part(NamedTuple):
    """Some rows of weight above 0, in memory, sorted by their values."""

    rows: Any  # (m, d)  float64; a csr_array where the rows are sparse
    weight: np.ndarray  # (m,)


def part_in_memory(
    rows: Blocks,
    random: np.random.Generator,
    weight: np.ndarray | None = None,
    at_most: int = ROWS_FOR_START,
) -> Part:
    """All rows, or `at_most` of them at random; the same ones whatever holds the data."""
    index = np.arange(rows.shape[0]) if weight is None else np.flatnonzero(weight > 0)
    if len(index) > at_most:
        index = index[np.sort(random.choice(len(index), size=at_most, replace=False))]
    whole = rows.in_memory if len(index) == rows.shape[0] else None
    X = (rows.take(index) if whole is None else whole).astype(np.float64, copy=False)
    order = _order(X)
    return Part(X[order], np.ones(len(index)) if weight is None else weight[index][order])


def seeds(X: Any, k: int, random: np.random.Generator, weight: np.ndarray) -> np.ndarray:
    """k rows by greedy k-means++ (Arthur and Vassilvitskii, 2007), as a dense array.

    Rows are dense or sparse, as `part_in_memory` sorts them; best centred, since distances are
    taken from products.
    """
    trials = 2 + int(np.log(k))
    X = X if sp.issparse(X) else np.ascontiguousarray(X)
    norms = _square_norms(X)
    drawn = [_draw(weight, random.random(1))[0]]
    apart = np.full(len(weight), np.inf)
    _lower(apart, X, norms, drawn[0])
    for _ in range(1, k):
        chance = weight * apart
        # once all rows are centers, any row will do
        tried = _draw(chance if chance.any() else weight, random.random(trials))
        costs, squares = _costs(X, norms, tried, apart, weight)
        best = costs.argmin()
        drawn.append(tried[best])
        _measure_near(squares[best], apart, X, norms, drawn[-1])
        apart = squares[best]
    return _dense(X[np.array(drawn)])


def random_rows(X: Any, k: int, random: np.random.Generator, weight: np.ndarray) -> np.ndarray:
    """k rows, each drawn with a chance by its weight; different ones as long as there are."""
    X = X if sp.issparse(X) else np.ascontiguousarray(X)
    norms, apart = _square_norms(X), np.full(len(weight), np.inf)
    drawn: list[int] = []
    for place in random.random((k, 1)):
        free = weight * (apart > 0)
        drawn.append(_draw(free if free.any() else weight, place)[0])
        _lower(apart, X, norms, drawn[-1])
    return _dense(X[np.array(drawn)])


def scalable_seeds(
    rows: Blocks,
    k: int,
    random: np.random.Generator,
    weight: np.ndarray | None,
    frame: Frame,
    first: np.ndarray,
    has_missing: bool,
) -> np.ndarray:
    """k centers in the frame by k-means||, from one row `first` (1, d) in the frame.

    Drawing without replacement: the rows with the largest u^(1/chance), u uniform (Efraimidis and
    Spirakis, 2006), are the top ones of a pass.
    """
    centers = first
    for _ in range(SCALABLE_PASSES):
        waits = -np.log(1.0 - random.random(rows.shape[0]))  # exponential variables
        setting = Setting(centers, frame, has_missing)
        drawn = rows.top(_draw_scores, SCALABLE_OVERSAMPLING * k, setting, along=(weight, waits))
        new = _dense(drawn.rows[drawn.score > 0]).astype(np.float64)
        centers = np.vstack([centers, in_frame(new, frame, centers.mean(axis=0))])
    count = rows.fold(statistics, Setting(centers, frame, has_missing), along=(weight,)).count
    used = count > 0
    return seeds(centers[used], k, random, count[used])


def in_frame(X: Any, frame: Frame, fill: np.ndarray) -> Any:
    """Rows of float64 as measured in the frame, missing values filled."""
    if sp.issparse(X):
        return X / frame.unit if frame.unit != 1.0 else X
    D = X if frame.unit == 1.0 and not frame.pilot.any() else (X - frame.pilot) / frame.unit
    return np.where(np.isnan(D), fill, D) if has_missing(D) else D


def _draw_scores(
    X: Any, setting: Setting, weight: np.ndarray | None, waits: np.ndarray
) -> np.ndarray:
    """One over the time until a row is drawn, if it waits by its chance: the top ones are drawn."""
    chance = square_to_nearest(X, setting, weight) * (1.0 if weight is None else weight)
    return chance / np.maximum(waits, np.finfo(np.float64).tiny)


def _draw(chance: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Rows at these places, from 0 to 1, of the line on which each is as long as its chance."""
    ends = np.cumsum(chance)
    drawn = np.searchsorted(ends, places * ends[-1], side="right")
    return np.minimum(drawn, np.searchsorted(ends, ends[-1]))  # the last with a chance


def _lower(apart: np.ndarray, X: Any, norms: np.ndarray, i: int) -> None:
    """Lower `apart` to the squared distances from row i, where these are less; 0 for its equals."""
    if not sp.issparse(X):
        shared_map(lambda rows: _dense_lower(apart[rows], X[rows], X[i : i + 1]), _pieces(X))
        return
    squares = norms + norms[i] - 2.0 * (X @ _dense(X[[i]]).ravel())
    _measure_near(squares, apart, X, norms, i)
    np.minimum(apart, squares, out=apart)


def _costs(
    X: Any, norms: np.ndarray, tried: np.ndarray, apart: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """If one more row were a center, J and what `apart` would be: for each of those tried."""
    new, squares = _dense(X[tried]), np.empty((len(tried), len(norms)))
    across = np.ascontiguousarray(new.T) if sp.issparse(X) else None

    def cost(rows: slice) -> np.ndarray:
        if across is None:
            products = np.dot(new, X[rows].T)
        else:
            products = np.ascontiguousarray((X @ across).T)
        total = np.zeros(len(tried))
        where = (squares, rows.start, total)
        _nearer(products, norms[rows], norms[tried], apart[rows], weight[rows], *where)
        return total

    return np.sum(shared_map(cost, _pieces(X)), axis=0), squares


def _measure_near(
    squares: np.ndarray, apart: np.ndarray, X: Any, norms: np.ndarray, i: int
) -> None:
    """Where `squares` is little more than rounding of the distances from row i: by differences.

    `apart` is what they were without it. Rows equal to row i are at distance 0, and so are not
    drawn any more.
    """
    scale = norms + norms[i]
    if sp.issparse(X):
        squares[squares <= EQUAL * scale] = 0.0
        return
    near = np.flatnonzero(squares <= NEAR * scale)
    size = max(1, PIECE_BYTES // (X.itemsize * X.shape[1]))
    for start in range(0, len(near), size):
        some = near[start : start + size]
        measured = apart[some]
        _dense_lower(measured, X[some], X[i : i + 1])
        squares[some] = measured


def _pieces(X: Any) -> list[slice]:
    """Rows on which a thread works: by the shape of X alone."""
    n, d = X.shape
    size = n if sp.issparse(X) else max(1, PIECE_BYTES // (X.itemsize * d))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _square_norms(X: Any) -> np.ndarray:
    return X.power(2).sum(axis=1) if sp.issparse(X) else np.einsum("if,if->i", X, X)


def _order(X: Any) -> np.ndarray:
    """An order of the rows that follows from their values alone: by column 0, then 1, and so on."""
    if sp.issparse(X):
        return _sparse_order(X)
    order = np.argsort(X[:, 0], kind="stable")
    if (np.diff(X[order, 0]) > 0).all():  # not so with ties and NaN: other columns decide
        return order
    X = X if X.flags.c_contiguous and X.flags.writeable else X.copy(order="C")
    return _merged(order, lambda *orders: _merge_dense(X, *orders))


def _merged(order: np.ndarray, merge: Callable[..., None]) -> np.ndarray:
    """Sorted by merging runs of twice the length in each pass; equal rows stay as they are."""
    room, length = np.empty_like(order), 1
    while length < len(order):
        merge(order, room, length)
        order, room, length = room, order, 2 * length
    return order


def _sparse_order(X: Any) -> np.ndarray:
    """The same for sparse rows: where one of two has no entry, it has a zero."""
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    rows = X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data
    return _merged(np.arange(X.shape[0]), lambda *orders: _merge_sparse(*rows, *orders))


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else X


@kernel
def _dense_lower(apart, X, center):
    for r in range(len(X)):
        square = square_apart(X, r, center, 0)
        apart[r] = square if square < apart[r] else apart[r]


@kernel(any_order=True)
def _nearer(products, norms, new_norms, apart, weight, squares, start, total):
    """Least squared distances of rows if one of some is a center, and their weighted sums."""
    for t in range(products.shape[0]):
        cost = 0.0
        for i in range(products.shape[1]):
            square = norms[i] + new_norms[t] - 2.0 * products[t, i]
            least = square if square < apart[i] else apart[i]
            squares[t, start + i] = least
            cost += weight[i] * least
        total[t] = cost


@kernel
def _merge_dense(X, order, merged, length):
    """Merge neighbouring runs of rows, in the order of their values; NaN is behind all numbers."""
    n, start = len(order), 0
    while start < n:
        middle, stop = min(start + length, n), min(start + 2 * length, n)
        a, b = start, middle
        for place in range(start, stop):
            first = b >= stop
            if a < middle and b < stop:
                first = True
                for f in range(X.shape[1]):
                    x, y = X[order[a], f], X[order[b], f]
                    if x != y and (x == x or y == y):
                        first = x < y or y != y
                        break
            if first:
                merged[place] = order[a]
                a += 1
            else:
                merged[place] = order[b]
                b += 1
        start = stop


@kernel
def _merge_sparse(indptr, indices, data, order, merged, length):
    """The same of sparse rows."""
    n, start = len(order), 0
    while start < n:
        middle, stop = min(start + length, n), min(start + 2 * length, n)
        a, b = start, middle
        for place in range(start, stop):
            first = b >= stop
            if a < middle and b < stop:
                first = True
                p, p_end = indptr[order[a]], indptr[order[a] + 1]
                q, q_end = indptr[order[b]], indptr[order[b] + 1]
                while p < p_end or q < q_end:
                    if q >= q_end or (p < p_end and indices[p] < indices[q]):
                        first = data[p] < 0.0
                        break
                    if p >= p_end or indices[q] < indices[p]:
                        first = not data[q] < 0.0
                        break
                    if data[p] != data[q]:
                        first = data[p] < data[q]
                        break
                    p += 1
                    q += 1
            if first:
                merged[place] = order[a]
                a += 1
            else:
                merged[place] = order[b]
                b += 1
        start = stop
