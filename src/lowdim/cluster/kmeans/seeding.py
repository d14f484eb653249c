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

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.cluster.kmeans.assignment import Setting, square_to_nearest, statistics
from lowdim.cluster.kmeans.kernels import square_apart
from lowdim.core.blocks import Blocks
from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.linalg.moments import Frame

ROWS_FOR_START = 20_000
PIECE_BYTES = 2**21  # of rows that a thread works on
SCALABLE_PASSES = 5  # of k-means||, Bahmani et al. (2012), section 5
SCALABLE_OVERSAMPLING = 2  # rows drawn in each of them, per cluster


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
    X = rows.take(index).astype(np.float64)
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
        best = tried[_costs(X, norms, tried, apart, weight).argmin()]
        _lower(apart, X, norms, best)
        drawn.append(best)
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
        return X / frame.unit
    D = (X - frame.pilot) / frame.unit
    return np.where(np.isnan(D), fill, D)


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
    return np.minimum(drawn, np.flatnonzero(chance)[-1])


def _lower(apart: np.ndarray, X: Any, norms: np.ndarray, i: int) -> None:
    """Lower `apart` to the squared distances from row i, where these are less; 0 for its equals."""
    if not sp.issparse(X):
        shared_map(lambda rows: _dense_lower(apart[rows], X[rows], X[i : i + 1]), _pieces(X))
        return
    squares = norms + norms[i] - 2.0 * _dense(X @ X[[i]].T).ravel()
    # of equal rows only rounding is left, which must not be drawn from
    squares[squares <= 1e-14 * (norms + norms[i])] = 0.0
    np.minimum(apart, squares, out=apart)


def _costs(
    X: Any, norms: np.ndarray, tried: np.ndarray, apart: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """J if one more row were a center, for each of those tried."""
    new = X[tried]

    def cost(rows: slice) -> np.ndarray:
        squares = _dense(new @ X[rows].T)
        squares *= -2.0
        squares += norms[rows]
        squares += norms[tried][:, None]
        return np.minimum(squares, apart[rows], out=squares) @ weight[rows]

    return np.sum(shared_map(cost, _pieces(X)), axis=0)


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
    alone = (np.diff(X[order, 0]) > 0).all()  # not so with ties and NaN: other columns decide
    return order if alone else np.argsort(_words(X), kind="stable")


def _words(X: np.ndarray) -> np.ndarray:
    """Each row as one word of bytes: words are in the order of the rows, NaN behind all numbers."""
    letters = np.empty(X.shape, dtype=">u8")

    def write(rows: slice) -> None:
        bits = np.where(np.isnan(X[rows]), np.nan, X[rows] + 0.0)  # one NaN, and one zero
        letters[rows] = _ordered(bits.view(np.int64))

    shared_map(write, _pieces(X))
    return letters.view(f"V{letters.itemsize * X.shape[1]}").ravel()


def _ordered(bits: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the floats that have these bits."""
    return np.where(bits < 0, ~bits, bits ^ np.int64(-(2**63))).view(np.uint64)


def _sparse_order(X: Any) -> np.ndarray:
    """The same for sparse rows, as words whose letters are their entries (column, value).

    Where two rows part, a value above 0 in an early column makes the larger row, one below 0 the
    smaller; a row that has ended has zeros there, and stands between them.
    """
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    (n, d), counts = X.shape, np.diff(X.indptr)
    letters = np.zeros(X.nnz + n, dtype=[("place", ">u8"), ("value", ">u8")])
    ends = X.indptr[1:] + np.arange(n)
    entries = np.ones(len(letters), dtype=bool)
    entries[ends] = False
    letters["place"][ends] = d
    letters["place"][entries] = np.where(X.data < 0, X.indices, 2 * d - X.indices)
    letters["value"][entries] = _ordered(X.data.astype(np.float64).view(np.int64))
    words = letters.tobytes()
    size = letters.dtype.itemsize
    starts = (ends - counts) * size
    keys = [words[start:stop] for start, stop in zip(starts, (ends + 1) * size, strict=True)]
    return np.array(sorted(range(n), key=keys.__getitem__), dtype=np.int64)


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else X


@kernel
def _dense_lower(apart, X, center):
    for r in range(len(X)):
        square = square_apart(X, r, center, 0)
        apart[r] = square if square < apart[r] else apart[r]
