"""The rank of one row among the neighbours of another, without sorting and without n x n.

    r(i, j) = 1 + #{ l != i :  d(i, l) < d(i, j),  or equal and l < j }

For few j of each i, the rows that are nearer are counted, block by block, as the distances go by:

    d(i, l)^2 / 2 - |x_i|^2 / 2 = |x_l|^2 / 2 - x_i'x_l  <  d(i, j)^2 / 2 - |x_i|^2 / 2

The products are a GEMM in float32. What rounding can do to them is bounded,

    | computed x_i'x_l - exact |  <=  c (|x_i|^2 + |x_l|^2) / 2,     c about min(d, 256) 2^-24,

so a row whose side is within the bound is not counted but listed, and its distance is computed in
float64 from differences, as that of j was: ranks are those of exact distances, ties by number.
Numbers of few binary digits (whole numbers, pixels) have exact products, and nothing is listed.

Cost: one product of the rows with all rows, and k comparisons of each. Memory: one block by thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

BLOCK_ROWS, BLOCK_COLUMNS = 256, 2048  # of distances: 2 MB in float32
SPARSE_BYTES = 2**25  # of the rows of a block, when they are made dense for a sparse product
PAIR_BYTES = 2**19  # of differences of pairs of rows, at a time
PIECE = 256  # columns of a product in float32: rounding adds up with their number
HALF_ULP = 2.0**-24  # what rounding to float32 changes, relatively
EXACT = 2.0**22  # below it multiples of 1/2 have no rounding in float32
TINY = 2.0**-126


class Rows(NamedTuple):
    """Rows as points whose Euclidean distances (and what their missing values add) are meant."""

    values: Any  # (n, d) float64, dense or csr; about a centre, in a unit: no square overflows
    spread: np.ndarray  # (n,) added to squared distances for each of the two rows
    narrow: Any  # the values in float32
    half: np.ndarray  # (n,) (|x|^2 + spread) / 2
    bound: float  # c; 0 where products in float32 are exact


def rows_of(values: Any, spread: np.ndarray | None = None) -> Rows:
    """Points for `ranks`.

    values : array or csr_array of shape (n, d), float64
        Of a size whose squares neither overflow nor vanish.
    spread : array of shape (n,) or None
    """
    n = values.shape[0]
    spread = np.zeros(n) if spread is None or len(spread) == 0 else np.asarray(spread, np.float64)
    if sp.issparse(values):
        square = np.asarray(values.multiply(values).sum(axis=1)).ravel()
        terms = int(np.diff(values.indptr).max(initial=0))
    else:
        square = np.einsum("ij,ij->i", values, values)
        terms = min(values.shape[1], PIECE) + values.shape[1] // PIECE
    bound = (terms + 10) * HALF_ULP
    if not sp.issparse(values) and not spread.any() and square.max(initial=0.0) < EXACT:
        first = values[:64]
        if (first == np.rint(first)).all() and (values == np.rint(values)).all():
            bound = 0.0
    return Rows(values, spread, values.astype(np.float32), (square + spread) / 2, bound)


def centred(X: np.ndarray) -> np.ndarray:
    """Rows about the middle of their columns, in a unit in which they are whole numbers if they
    have few binary digits, and else about 1; distances keep their order.
    """
    X = np.asarray(X, np.float64)
    low, high = X.min(axis=0), X.max(axis=0)
    with np.errstate(over="ignore"):
        reach = float(np.abs(high - low).max(initial=0.0))
    if not np.isfinite(reach):  # differences of 1e308
        X, low, high = X / 4, low / 4, high / 4
        reach = float((high - low).max())
    if reach == 0.0:
        return np.zeros_like(X)
    # whole numbers below 2^11, if there are such: a step is the unit
    exponent = 11 - int(np.frexp(reach)[1])
    with np.errstate(under="ignore"):
        start = np.ldexp(X[:1] - low, exponent)  # one row first: most data are no whole numbers
        if (start == np.rint(start)).all():
            whole = np.ldexp(X - low, exponent)
            if (whole == np.rint(whole)).all():
                whole /= _common_step(whole)
                return whole - np.rint(whole.mean(axis=0))
    middle = np.median(X[:: max(1, len(X) // 1000)], axis=0)
    return np.ldexp(X - middle, -int(np.frexp(reach)[1]))


def _common_step(whole: np.ndarray) -> float:
    """The largest power of two that divides all of these whole numbers, below 2^12."""
    bits = int(np.bitwise_or.reduce(np.abs(whole).astype(np.int64), axis=None))
    return float(bits & -bits) if bits else 1.0


def ranks(
    rows: Rows,
    index: np.ndarray,
    of: np.ndarray | None = None,
    tied: np.ndarray | None = None,
    near_tie: float = 0.0,
) -> np.ndarray:
    """r(i, j) of rows j = index[a] among all rows about row i = of[a], (m, k); 1 is the nearest.

    index : array of int, shape (m, k)
        Rows other than i itself.
    of : array of int, shape (m,), or None
        The rows i; None means all rows, in order.
    tied : array of bool, shape (m,), or None
        Becomes True for rows i with a rank that depends on the order of equal distances, or of
        squared distances that differ by `near_tie` of their size.
    """
    m, n = len(index), len(rows.half)
    of = np.arange(n) if of is None else of
    rank = np.ones(index.shape, np.int64)
    size = BLOCK_ROWS
    if sp.issparse(rows.values):
        size = max(1, min(size, SPARSE_BYTES // (4 * rows.values.shape[1])))

    def work(first: int) -> None:
        part = slice(first, min(first + size, m))
        wanted = np.ascontiguousarray(index[part], np.int64)
        found = np.zeros(wanted.shape, bool) if tied is not None else None
        _count_block(rows, of[part], wanted, rank[part], found, near_tie)
        if tied is not None and found is not None:
            tied[part] |= found.any(axis=1)

    for _ in ordered_map(work, range(0, m, size)):
        pass
    return rank


def _count_block(
    rows: Rows,
    of: np.ndarray,
    index: np.ndarray,
    rank: np.ndarray,
    tied: np.ndarray | None,
    near_tie: float,
) -> None:
    """Add to `rank` how many rows are nearer, for a block of rows; mark ranks of equal ones."""
    n, k = len(rows.half), index.shape[1]
    apart = np.column_stack([square_apart(rows, of, index[:, a]) for a in range(k)])
    target = apart / 2 - rows.half[of, None]
    slack = rows.bound * rows.half[of, None] + 2 * HALF_ULP * np.abs(target) + n * TINY
    slack = slack + near_tie * apart if rows.bound else 0.0
    low, high = (target - slack).astype(np.float32), (target + slack).astype(np.float32)
    above = (rows.half * (1 + rows.bound)).astype(np.float32)
    below = (rows.half * (1 - rows.bound)).astype(np.float32)
    nearer, maybe = np.empty(index.shape, np.int64), np.empty(index.shape, np.int64)
    products = _products(rows, of)
    for first in range(0, n, BLOCK_COLUMNS):
        columns = slice(first, min(first + BLOCK_COLUMNS, n))
        G = products(columns)
        _leave_out_itself(G, of, first)
        if rows.bound == 0.0 and tied is None:
            count_before(G, above[columns], target.astype(np.float32), index - first, rank)
            continue
        count_certain(G, above[columns], below[columns], low, high, nearer, maybe)
        rank += nearer
        maybe -= nearer
        maybe -= (index >= columns.start) & (index < columns.stop)  # j itself
        if maybe.any():
            pair, column = np.empty(maybe.sum(), np.int64), np.empty(maybe.sum(), np.int64)
            bounds = above[columns], below[columns], low, high
            list_unsure(G, *bounds, index - first, maybe, pair, column)
            _decide(rows, of, index, apart, pair, column + first, rank, tied, near_tie)


def _leave_out_itself(G: np.ndarray, of: np.ndarray, first: int) -> None:
    """A row is not its own neighbour: NaN is neither nearer nor farther."""
    here = np.flatnonzero((of >= first) & (of < first + G.shape[1]))
    G[here, of[here] - first] = np.nan


def _decide(
    rows: Rows,
    of: np.ndarray,
    index: np.ndarray,
    apart: np.ndarray,
    pair: np.ndarray,
    column: np.ndarray,
    rank: np.ndarray,
    tied: np.ndarray | None,
    near_tie: float,
) -> None:
    """Count those of the listed rows that are nearer, by differences; `pair` numbers (i, j)."""
    k = index.shape[1]
    both, back = np.unique(pair // k * len(rows.half) + column, return_inverse=True)
    exact = square_apart(rows, of[both // len(rows.half)], both % len(rows.half))[back]
    asked, j = apart.ravel()[pair], index.ravel()[pair]
    if tied is not None:
        tied.ravel()[pair[np.abs(exact - asked) <= near_tie * asked]] = True
    nearer = (exact < asked) | ((exact == asked) & (column < j))
    rank += np.bincount(pair[nearer], minlength=rank.size).reshape(rank.shape)


def square_apart(rows: Rows, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """d(i, j)^2 of pairs of rows by their differences, in float64."""
    found = np.empty(len(i))
    step = max(1, PAIR_BYTES // (8 * max(rows.values.shape[1], 1)))
    for first in range(0, len(i), step):
        part = slice(first, first + step)
        difference = rows.values[i[part]] - rows.values[j[part]]
        if sp.issparse(difference):
            found[part] = np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
        else:
            np.einsum("ij,ij->i", difference, difference, out=found[part])
    return found + rows.spread[i] + rows.spread[j]


def half_squares(rows: Rows, of: np.ndarray) -> np.ndarray:
    """d(i, l)^2 / 2 of the rows `of` to all rows, (m, n), by products in float64."""
    products = rows.values[of] @ rows.values.T
    if sp.issparse(products):
        products = products.toarray()
    np.subtract(rows.half, products, out=products)
    products += rows.half[of, None]
    return np.maximum(products, 0.0, out=products)


def _products(rows: Rows, of: np.ndarray) -> Callable[[slice], np.ndarray]:
    """x_i'x_l of a block of rows with the rows of a slice, in float32, to be written to."""
    if not sp.issparse(rows.narrow):
        block = rows.narrow[of]

        def dense(columns: slice) -> np.ndarray:
            G = block[:, :PIECE] @ rows.narrow[columns, :PIECE].T
            for f in range(PIECE, block.shape[1], PIECE):
                G += block[:, f : f + PIECE] @ rows.narrow[columns, f : f + PIECE].T
            return G

        return dense
    across = np.ascontiguousarray(rows.narrow[of].toarray().T)
    return lambda columns: np.ascontiguousarray((rows.narrow[columns] @ across).T)


def ranks_by_distance(
    distances: Callable[[np.ndarray], np.ndarray],
    index: np.ndarray,
    of: np.ndarray,
    size: int,
    tied: np.ndarray | None = None,
) -> np.ndarray:
    """The same ranks where distances come ready: distances(of) of some rows to all rows, (m, n).

    Equal distances are ranked by number; `tied` becomes True for rows where that matters.
    """
    rank = np.ones(index.shape, np.int64)

    def work(first: int) -> None:
        part = slice(first, min(first + size, len(index)))
        D = np.ascontiguousarray(distances(of[part]), np.float64)
        j = np.ascontiguousarray(index[part], np.int64)
        target = np.take_along_axis(D, j, axis=1)
        G = np.negative(D)
        _leave_out_itself(G, of[part], 0)
        zero = np.zeros(D.shape[1])
        count_before(G, zero, target, j, rank[part])
        if tied is not None:  # the same ranks, with equal ones before instead of after
            last = np.ones(j.shape, np.int64)
            count_before(G, zero, target, np.full_like(j, D.shape[1]), last)
            first_rank = np.ones(j.shape, np.int64)
            count_before(G, zero, target, np.zeros_like(j), first_rank)
            tied[part] |= (last - first_rank > 1).any(axis=1)  # j is equal to itself

    for _ in ordered_map(work, range(0, len(index), size)):
        pass
    return rank


# ---- kernels: the value of column c about row i is half[c] - G[i, c] -----------------------------


@kernel(any_order=True)
def count_before(G, half, target, index, rank):
    """Add how many columns have a lower value, or the same and come before column `index`."""
    width = G.shape[1]
    one, none = G.dtype.type(1), G.dtype.type(0)
    for i in range(G.shape[0]):
        for a in range(index.shape[1]):
            asked, j = target[i, a], index[i, a]
            j = 0 if j < 0 else (width if j > width else j)
            count = none
            for c in range(j):
                count += one if half[c] - G[i, c] <= asked else none
            for c in range(j, width):
                count += one if half[c] - G[i, c] < asked else none
            rank[i, a] += np.int64(count)


@kernel(any_order=True)
def count_certain(G, above, below, low, high, nearer, maybe):
    """How many columns are certainly nearer, and how many perhaps."""
    one, none = G.dtype.type(1), G.dtype.type(0)
    for i in range(G.shape[0]):
        for a in range(low.shape[1]):
            under, over = low[i, a], high[i, a]
            sure, perhaps = none, none
            for c in range(G.shape[1]):
                sure += one if above[c] - G[i, c] < under else none
                perhaps += one if below[c] - G[i, c] <= over else none
            nearer[i, a], maybe[i, a] = np.int64(sure), np.int64(perhaps)


@kernel
def list_unsure(G, above, below, low, high, index, number, pair, column):
    """The columns between the two, without `index` itself: (number of the pair, column).

    `number` says how many each pair has.
    """
    k, place = low.shape[1], 0
    for i in range(G.shape[0]):
        for a in range(k):
            left, c = number[i, a], 0
            while left > 0 and c < G.shape[1]:
                if below[c] - G[i, c] <= high[i, a] and not above[c] - G[i, c] < low[i, a]:
                    if c != index[i, a]:
                        pair[place], column[place] = i * k + a, c
                        place += 1
                        left -= 1
                c += 1
