"""Lists of pairs: all that have a weight, or some that stand for all.

Some pairs (`sampled_pairs`): each row's neighbours, with weight 1, and random others with the
weight that makes the sum an estimate of the sum over all pairs,

    sum over all of h_ij  ~  sum over neighbours of h_ij + (N - N_neighbours) / m  sum over m others

Each row draws its own partners where dissimilarities can be had pair by pair; else a few rows draw
together, so that their dissimilarities are a small dense block. Memory and time are in proportion
to the number of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.maps.mds.weights import parts_of

BLOCK_NUMBERS = 2**21  # dissimilarities that are made at a time
TOGETHER = 4  # rows that share random partners: 16 cost a map 2% more stress, 1 as much less
NEIGHBORS = 6  # one in so many pairs of a row is with a neighbour

# dissimilarities between some rows and some others (None: all), given by their numbers
Between = Callable[[np.ndarray, np.ndarray | None], np.ndarray]
# dissimilarities (m, r) between all rows and r others of each, given by their numbers (m, r)
Listed = Callable[[np.ndarray], np.ndarray]


class Pairs(NamedTuple):
    """Pairs i < j, each once."""

    first: np.ndarray  # (p,) int32
    second: np.ndarray  # (p,) int32
    dissimilarity: np.ndarray  # (p,)
    weight: np.ndarray  # (p,), or (1,): one for all
    n: int  # rows

    @property
    def total_weight(self) -> float:
        return float(self.weight.sum()) * (len(self.first) if len(self.weight) == 1 else 1)


def all_pairs(between: Between, n: int, weights: np.ndarray | None = None) -> Pairs:
    """Every pair whose dissimilarity is a number and whose weight (n, n) is not 0."""
    size = max(1, BLOCK_NUMBERS // max(n, 1))

    def work(start: int) -> tuple[np.ndarray, ...]:
        rows = np.arange(start, min(start + size, n))
        block = between(rows, None).astype(np.float64, copy=False)
        upper = rows[:, None] < np.arange(n)
        upper &= ~np.isnan(block)
        if weights is not None:
            upper &= weights[rows] > 0
        i, j = np.nonzero(upper)
        own = np.ones(1) if weights is None else weights[rows[i], j]
        return (rows[i].astype(np.int32), j.astype(np.int32), block[i, j], own)

    first, second, dissimilarity, weight = _joined(ordered_map(work, range(0, n, size)))
    weight = np.ones(1) if weights is None else weight
    return Pairs(first, second, dissimilarity, weight, n)


def stored_pairs(graph: Any, weights: np.ndarray | None = None) -> Pairs:
    """The pairs that a sparse graph of dissimilarities (n, n) stores, in any direction."""
    n = graph.shape[0]
    graph = graph.tocoo()
    i, j = graph.coords
    code, values = _once(i, j, graph.data, n)
    first, second = (code // n).astype(np.int32), (code % n).astype(np.int32)
    pairs = Pairs(first, second, values, np.ones(1), n)
    return pairs if weights is None else weighed(pairs, weights)


def weighed(pairs: Pairs, weights: np.ndarray) -> Pairs:
    """The pairs whose weight (n, n) is not 0, each weighed by it."""
    weight = pairs.weight * weights[pairs.first, pairs.second]
    first, second, dissimilarity = (part[weight > 0] for part in pairs[:3])
    return Pairs(first, second, dissimilarity, weight[weight > 0], pairs.n)


def sampled_pairs(
    between: Between,
    n: int,
    n_pairs: int,
    neighbors: tuple[np.ndarray, np.ndarray],
    random: np.random.Generator,
    listed: Listed | None = None,
) -> Pairs:
    """Neighbours (indices and dissimilarities (n, q)) and random others, `n_pairs` for each row."""
    index, dissimilarity = neighbors
    rows = np.repeat(np.arange(n), index.shape[1])
    near = _once(rows, index.ravel(), dissimilarity.ravel(), n)
    far = _random_pairs(between, listed, n, min(n_pairs - index.shape[1], n), random)
    new = ~np.isin(far.code, near.code, assume_unique=True) & ~np.isnan(far.dissimilarity)
    far = _Coded(far.code[new], far.dissimilarity[new])
    left = n * (n - 1) / 2 - len(near.code)
    weight = np.ones(len(near.code) + len(far.code))
    weight[len(near.code) :] = left / max(len(far.code), 1)
    code = np.concatenate([near.code, far.code])
    # in the order of rows: what lies near in the list lies near in memory
    order = np.argsort(code, kind="stable")
    code = code[order]
    values = np.concatenate([near.dissimilarity, far.dissimilarity])[order]
    first, second = (code // n).astype(np.int32), (code % n).astype(np.int32)
    return Pairs(first, second, values, weight[order], n)


def neighbors_of(n_pairs: int) -> int:
    """How many of a row's pairs are with its neighbours."""
    return n_pairs // NEIGHBORS


def sorted_pairs(pairs: Pairs) -> Pairs:
    """The pairs in the order of their dissimilarities."""
    order = np.argsort(pairs.dissimilarity)  # by vector instructions, unlike the stable sort
    rising = pairs.dissimilarity[order]
    if (rising[1:] == rising[:-1]).any():  # equal ones in the order of the list, on any processor
        order = np.argsort(pairs.dissimilarity, kind="stable")
    weight = pairs.weight if len(pairs.weight) == 1 else pairs.weight[order]
    first, second, dissimilarity = pairs[:3]
    return Pairs(first[order], second[order], dissimilarity[order], weight, pairs.n)


def check_joined(pairs: Pairs, n_pairs: int | None = None) -> None:
    """Raise if the pairs leave rows, or groups of rows, without any tie to the others.

    `n_pairs` is how many were drawn for each row, where they are not all.
    """
    part = parts_of(pairs.first, pairs.second, pairs.n)
    if not part.any():
        return
    sizes = np.bincount(part)
    apart = int(np.argmin(sizes))
    row = int(np.argmax(part == apart))
    what = f"row {row}" if sizes[apart] == 1 else f"{sizes[apart]} rows (first: {row})"
    if n_pairs is not None:
        raise ValueError(
            f"n_pairs={n_pairs} leaves no pair between {what} and the other rows: nothing says "
            "where in the map they belong. Raise n_pairs."
        )
    raise ValueError(
        f"X has no observed dissimilarity of positive weight between {what} and the other rows: "
        "nothing says where in the map they belong. Leave them out, or give some."
    )


class _Coded(NamedTuple):
    code: np.ndarray  # i n + j
    dissimilarity: np.ndarray


def _once(rows: np.ndarray, columns: np.ndarray, dissimilarity: np.ndarray, n: int) -> _Coded:
    """Pairs i < j as numbers i n + j, each once; a row is no pair with itself."""
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    code, where = np.unique(low.astype(np.int64) * n + high, return_index=True)
    other = code // n != code % n
    return _Coded(code[other], dissimilarity[where][other].astype(np.float64, copy=False))


def _random_pairs(
    between: Between, listed: Listed | None, n: int, size: int, random: np.random.Generator
) -> _Coded:
    """Each row with `size` others at random."""
    if listed is not None:
        partners = random.integers(0, n, size=(n, size))
        rows = np.repeat(np.arange(n), size)
        return _once(rows, partners.ravel(), listed(partners).ravel(), n)
    order = random.permutation(n)
    groups = [order[start : start + TOGETHER] for start in range(0, n, TOGETHER)]
    partners = random.integers(0, n, size=(len(groups), size))
    step = max(1, BLOCK_NUMBERS // (TOGETHER * max(size, 1)))

    def work(start: int) -> tuple[np.ndarray, ...]:
        parts = []
        for g in range(start, min(start + step, len(groups))):
            rows, columns = groups[g], partners[g]
            block = between(rows, columns)
            parts.append((np.repeat(rows, size), np.tile(columns, len(rows)), block.ravel()))
        return _joined(parts)

    rows, columns, dissimilarity = _joined(ordered_map(work, range(0, len(groups), step)))
    return _once(rows, columns, dissimilarity, n)


def _joined(parts: Iterable[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
