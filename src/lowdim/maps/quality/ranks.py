"""The rank of one row among the neighbours of another, without sorting and without n x n.

    first(i, j) = 1 + #{ l != i :  d(i, l) < d(i, j) }
    last(i, j)  =     #{ l != i :  d(i, l) <= d(i, j) }         from first to last: equally far

For few j of each i, the rows that are nearer are counted, block by block, as the distances go by:

    d(i, l)^2 / 2 - |x_i|^2 / 2 = |x_l|^2 / 2 - x_i'x_l  <  d(i, j)^2 / 2 - |x_i|^2 / 2

The products are a GEMM in float32. What rounding can do to them is bounded,

    | computed x_i'x_l - exact |  <=  c (|x_i|^2 + |x_l|^2) / 2,     c about min(d, 256) 2^-24,

so a row whose side is within the bound is not counted but listed, and its distance is computed in
float64 from differences, as that of j was: ranks are those of exact distances.
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
from lowdim.maps.direct import squares_at

BLOCK_ROWS, BLOCK_COLUMNS = 256, 2048  # of distances: 2 MB in float32
SPARSE_BYTES = 2**25  # of the rows of a block, when they are made dense for a sparse product
SLAB_BYTES = 2**22  # of rows in float64, at a time
LARGE = 2**24  # values
MANY_LISTED = 2**20  # rows on a list: then it is decided
FEW_DIGITS = 11  # binary ones, of numbers whose products are exact
PIECE = 256  # columns of a product in float32: rounding adds up with their number
HALF_ULP = 2.0**-24  # what rounding to float32 changes, relatively
EXACT = 2.0**22  # below it multiples of 1/2 have no rounding in float32
TINY = 2.0**-126
EQUAL = 1e-13  # of a squared distance: what differs by less is rounding


class Rows(NamedTuple):
    """Rows as points whose Euclidean distances (and what their missing values add) are meant."""

    values: Any  # (n, d) float, dense or csr, of a size whose squares do not overflow
    spread: np.ndarray  # (n,) added to squared distances for each of the two rows
    narrow: Any  # (n, d) float32: (values - center) * scale
    half: np.ndarray  # (n,) (|x|^2 + spread) / 2 of these, in float64
    scale: float  # a power of two
    bound: float  # c; 0 where products in float32 are exact


class Ranks(NamedTuple):
    """Ranks of rows: 1 is the nearest. Of those that are equally far, every order is as good."""

    first: np.ndarray  # (m, k) of int64
    last: np.ndarray  # (m, k)


class Frame(NamedTuple):
    """Where rows are measured from when they are multiplied, and in what unit."""

    center: np.ndarray  # (d,)
    scale: float
    is_whole: bool  # whether they are whole numbers then


def rows_of(values: Any, spread: np.ndarray | None = None) -> Rows:
    """Points for `ranks`.

    values : array or csr_array of shape (n, d)
    spread : array of shape (n,) or None
    """
    n, d = values.shape
    spread = np.zeros(n) if spread is None or len(spread) == 0 else np.asarray(spread, np.float64)
    if sp.issparse(values):
        square = np.asarray(values.multiply(values).sum(axis=1, dtype=np.float64)).ravel()
        terms = int(np.diff(values.indptr).max(initial=0))
        bound = (terms + 10) * HALF_ULP
        return Rows(values, spread, values.astype(np.float32), (square + spread) / 2, 1.0, bound)
    frame = frame_of(values)
    narrow, square = np.empty(values.shape, np.float32), np.empty(n)
    for rows in _slabs(values):
        moved = (values[rows] - frame.center) * frame.scale
        np.einsum("ij,ij->i", moved, moved, out=square[rows])
        narrow[rows] = moved
    bound = (min(d, PIECE) + d // PIECE + 10) * HALF_ULP
    if frame.is_whole and not spread.any() and square.max(initial=0.0) < EXACT:
        bound = 0.0
    spread_here = spread * frame.scale * frame.scale
    return Rows(values, spread, narrow, (square + spread_here) / 2, frame.scale, bound)


def frame_of(values: np.ndarray) -> Frame:
    """About the middle of the columns, in a unit of their range.

    Where values have few binary digits, center and unit are such that they are whole numbers.
    """
    low, high = (f.reduce(values, axis=0).astype(np.float64) for f in (np.minimum, np.maximum))
    reach = float((high - low).max(initial=0.0))
    if reach == 0.0:
        return Frame(low, 1.0, True)
    exponent = int(np.frexp(reach)[1])
    step = _step(values, low, 2.0 ** (FEW_DIGITS - exponent))
    if step:
        mean = np.mean([(values[rows] - low).mean(axis=0) for rows in _slabs(values)], axis=0)
        return Frame(low + np.rint(mean / step) * step, 1.0 / step, True)
    middle = np.median(values[:: max(1, len(values) // 1000)], axis=0).astype(np.float64)
    return Frame(middle, 2.0**-exponent, False)


def _step(values: np.ndarray, low: np.ndarray, scale: float) -> float:
    """The largest power of two of which all values - low are multiples; 0 if scale is too few."""
    bits = 0
    for rows in [slice(0, 1), *_slabs(values)]:  # one row first: most tables have no step
        moved = (values[rows] - low) * scale
        whole = np.rint(moved)
        if not (whole == moved).all():
            return 0.0
        bits |= int(np.bitwise_or.reduce(whole.astype(np.int64), axis=None))
    return (bits & -bits) / scale


def _slabs(values: np.ndarray) -> list[slice]:
    size = max(1, SLAB_BYTES // (8 * max(values.shape[1], 1)))
    return [slice(first, first + size) for first in range(0, len(values), size)]


def ranks(rows: Rows, index: np.ndarray, of: np.ndarray | None = None) -> Ranks:
    """The ranks of rows j = index[a] among all rows about row i = of[a], (m, k).

    index : array of int, shape (m, k)
        Rows other than i itself.
    of : array of int, shape (m,), or None
        The rows i; None means all rows, in order.
    """
    m, n = len(index), len(rows.half)
    of = np.arange(n) if of is None else of
    found = Ranks(np.ones(index.shape, np.int64), np.zeros(index.shape, np.int64))
    size = BLOCK_ROWS
    if sp.issparse(rows.values):
        size = max(1, min(size, SPARSE_BYTES // (4 * rows.values.shape[1])))

    def work(first: int) -> None:
        part = slice(first, min(first + size, m))
        wanted = np.ascontiguousarray(index[part], np.int64)
        apart = square_apart(rows, of[part], wanted)
        _count_block(rows, _Block(of[part], wanted, apart, found.first[part], found.last[part]))

    for _ in ordered_map(work, range(0, m, size)):
        pass
    return found


class _Block(NamedTuple):
    """Some rows i, and the rows j whose ranks are asked for."""

    of: np.ndarray  # (b,)
    others: np.ndarray  # (b, k)  the rows j
    apart: np.ndarray  # (b, k) d(i, j)^2 in units of `narrow`
    first: np.ndarray  # (b, k) to be added to
    last: np.ndarray  # (b, k) to be added to


def _count_block(rows: Rows, block: _Block) -> None:
    """Add to the ranks how many rows are nearer, and how many are as far."""
    n, index = len(rows.half), block.others
    half = rows.half[block.of, None]
    target = block.apart / 2 - half
    slack = np.zeros(target.shape)
    if rows.bound:
        slack += rows.bound * half + 2 * HALF_ULP * np.abs(target) + n * TINY
        slack += EQUAL * block.apart
        block.last[...] += 1  # j itself, which is not counted
    low, high = (target - slack).astype(np.float32), (target + slack).astype(np.float32)
    above = (rows.half * (1 + rows.bound)).astype(np.float32)
    below = (rows.half * (1 - rows.bound)).astype(np.float32)
    nearer, maybe = np.empty(index.shape, np.int64), np.empty(index.shape, np.int64)
    products, listed = _products(rows, block.of), []
    for first in range(0, n, BLOCK_COLUMNS):
        columns = slice(first, min(first + BLOCK_COLUMNS, n))
        G = products(columns)
        _leave_out_itself(G, block.of, first)
        count_certain(G, above[columns], below[columns], low, high, nearer, maybe)
        block.first[...] += nearer
        if rows.bound == 0.0:
            block.last[...] += maybe
            continue
        block.last[...] += nearer
        maybe -= nearer
        maybe -= (index >= columns.start) & (index < columns.stop)  # j itself
        if maybe.any():
            pair, column = np.empty(maybe.sum(), np.int64), np.empty(maybe.sum(), np.int64)
            bounds = above[columns], below[columns], low, high
            list_unsure(G, *bounds, index - first, maybe, pair, column)
            listed.append((pair, column + first))
        if listed and (columns.stop == n or sum(len(pair) for pair, _ in listed) > MANY_LISTED):
            _decide(rows, block, *(np.concatenate(part) for part in zip(*listed, strict=True)))
            listed = []


def _leave_out_itself(G: np.ndarray, of: np.ndarray, first: int) -> None:
    """A row is not its own neighbour: NaN is neither nearer nor farther."""
    here = np.flatnonzero((of >= first) & (of < first + G.shape[1]))
    G[here, of[here] - first] = np.nan


def _decide(rows: Rows, block: _Block, pair: np.ndarray, column: np.ndarray) -> None:
    """Count those of the listed rows that are nearer, by differences; `pair` numbers (i, j)."""
    n, k = len(rows.half), block.others.shape[1]
    both, back = np.unique(pair // k * n + column, return_inverse=True)
    exact = square_apart(rows, block.of[both // n], (both % n)[:, None])[back, 0]
    asked = block.apart.ravel()[pair]
    for rank, most in ((block.first, (1 - EQUAL) * asked), (block.last, (1 + EQUAL) * asked)):
        counted = exact < most if rank is block.first else exact <= most
        rank += np.bincount(pair[counted], minlength=rank.size).reshape(rank.shape)


def square_apart(rows: Rows, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """d(i, j)^2 (m, k) of rows i (m,) with rows j (m, k), each summed up by itself in float64."""
    squares = np.empty(j.shape)
    size = max(1, SLAB_BYTES // (8 * max(rows.values.shape[1], 1)))
    for first in range(0, len(i), size):
        part = slice(first, first + size)
        squares[part] = squares_at(rows.values[i[part]], rows.values, j[part])
    squares += rows.spread[i][:, None] + rows.spread[j]
    return squares * (rows.scale * rows.scale)


def half_squares(rows: Rows, of: np.ndarray) -> np.ndarray:
    """d(i, l)^2 / 2 of the rows `of` to all rows, (m, n), by products.

    In float64, and in float32 where that would need a large copy of the rows; in some unit.
    """
    n = len(rows.half)
    if sp.issparse(rows.values) or n * rows.values.shape[1] > LARGE:
        half, products = rows.half, rows.narrow[of] @ rows.narrow.T
        products = products.toarray() if sp.issparse(products) else products
    else:
        wide = rows.values.astype(np.float64)
        half = (np.einsum("ij,ij->i", wide, wide) + rows.spread) / 2
        products = wide[of] @ wide.T
    found = half - products
    found += half[of, None]
    return np.maximum(found, 0.0, out=found)


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
    distances: Callable[[np.ndarray], np.ndarray], index: np.ndarray, of: np.ndarray, size: int
) -> Ranks:
    """The same ranks where distances come ready: distances(of) of some rows to all rows, (m, n)."""
    found = Ranks(np.empty(index.shape, np.int64), np.empty(index.shape, np.int64))

    def work(first: int) -> None:
        part = slice(first, min(first + size, len(index)))
        D = np.ascontiguousarray(distances(of[part]), np.float64)
        target = np.take_along_axis(D, np.asarray(index[part], np.int64), axis=1)
        G = np.negative(D)
        _leave_out_itself(G, of[part], 0)
        zero, bounds = np.zeros(D.shape[1]), ((1 - EQUAL) * target, (1 + EQUAL) * target)
        count_certain(G, zero, zero, *bounds, found.first[part], found.last[part])
        found.first[part] += 1

    for _ in ordered_map(work, range(0, len(index), size)):
        pass
    return found


# ---- kernels: the value of column c about row i is half[c] - G[i, c] -----------------------------


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
