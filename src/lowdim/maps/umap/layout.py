"""The layout of UMAP: places whose similarities w are those of the graph, v.

    minimise over Y   sum_{i != j}  v_ij log(v_ij / w_ij) + (1 - v_ij) log((1 - v_ij) / (1 - w_ij))
    w_ij = 1 / (1 + a |y_i - y_j|^(2b))

The first term pulls along the edges of the graph, the second pushes all other rows apart; it is
estimated from rows drawn at random. The learning rate falls from `alpha` to 0. Up to ALL_PAIRS rows
nothing is drawn: every epoch is a settling step against all rows. Beyond, edges and rows are
sampled for the first SAMPLED of the epochs, which finds the shape, and the rest settles it
(MNIST's first 20,000 rows: 0.235 of 10 neighbours kept, 0.229 without, in the same time).

Cost of an epoch: O(n (k + negatives)). Rows are cut into blocks by their number alone
(`kernels.py`), so neither threads nor their order change a bit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map
from lowdim.maps.umap.curve import (
    Coefficients,
    Curve,
    coefficients,
    entries,
    losses,
    table_middles,
)
from lowdim.maps.umap.kernels import sampled, sampled_plane, settled, settled_plane

ALL_PAIRS = 512  # rows up to which every pair is looked at in every epoch
SAMPLED = 0.8  # of the epochs; the rest settles
DRAWS = 16  # rows drawn in a settling step, for each of `negative_sample_rate`
CHUNK = 25  # epochs between two looks at the objective
BLOCK, MOST_BLOCKS = 2048, 32
LOOKED_AT = 30_000  # edges and pairs from which the objective is estimated between chunks
SAMPLED_PAIRS = 2_000_000  # from which it is estimated for large maps at the end


class Edges(NamedTuple):
    """The graph for the layout: for each row its neighbours and how often they are visited."""

    indptr: np.ndarray  # (n + 1,)
    indices: np.ndarray  # (e,) int32
    weight: np.ndarray  # (e,) float32   v_ij / max v
    rate: np.ndarray  # (e,) uint32    the same in units of 2^-32
    degree: np.ndarray  # (n,) float32   sum_j v_ij / max v

    @property
    def n(self) -> int:
        return len(self.degree)


class Places(NamedTuple):
    """Where the layout is: all that it needs to go on."""

    Y: np.ndarray  # (n, k) float32
    epoch: int
    kept: tuple[np.ndarray, ...] = ()  # places after epochs that were asked for


class Plan(NamedTuple):
    """What the layout of one graph is made with."""

    edges: Edges
    tables: Coefficients
    n_epochs: int
    alpha: float  # learning rate of the first epoch
    negatives: int  # rows drawn for each visit of an edge
    strength: float  # of repulsion
    seed: int
    settle_from: int  # epoch


def plan_of(
    graph: sp.csr_array,
    curve: Curve,
    *,
    n_epochs: int,
    alpha: float = 1.0,
    negatives: int = 5,
    strength: float = 1.0,
    seed: int = 0,
    settled: float = 1.0 - SAMPLED,
) -> Plan:
    """The plan for a symmetric graph; `settled` is the share of the epochs that settle."""
    n = graph.shape[0]
    whole = n <= ALL_PAIRS
    settle_from = 0 if whole else round(n_epochs * (1.0 - settled))
    return Plan(
        edges=edges_of(graph, n_epochs),
        tables=coefficients(curve, strength),
        n_epochs=n_epochs,
        alpha=alpha,
        negatives=negatives,
        strength=strength,
        seed=seed,
        settle_from=settle_from,
    )


def edges_of(graph: sp.csr_array, n_epochs: int) -> Edges:
    """The edges that are visited at least once."""
    largest = float(graph.data.max(initial=0.0)) or 1.0
    weight = graph.data / np.float32(largest)
    kept = weight >= 1.0 / max(n_epochs, 1)
    before = np.concatenate([[0], np.cumsum(kept)])
    indptr = before[graph.indptr].astype(np.int64)
    weight = weight[kept].astype(np.float32)
    rate = np.minimum(weight.astype(np.float64) * 2.0**32, 2.0**32 - 1).astype(np.uint32)
    total = np.concatenate([[0.0], np.cumsum(weight, dtype=np.float64)])
    degree = (total[indptr[1:]] - total[indptr[:-1]]).astype(np.float32)
    return Edges(indptr, graph.indices[kept].astype(np.int32), weight, rate, degree)


def blocks_of(n: int) -> list[tuple[int, int]]:
    """Rows cut by their number alone."""
    count = min(MOST_BLOCKS, max(1, n // BLOCK))
    cuts = [n * b // count for b in range(count + 1)]
    return list(pairwise(cuts))


def advanced(places: Places, plan: Plan, n_epochs: int, extra_of: Any = None) -> Places:
    """Some epochs on. extra_of(Y, epoch): further coefficients of the edges, or None."""
    n = plan.edges.n
    Z = np.concatenate([places.Y, places.Y])
    last = min(places.epoch + n_epochs, plan.n_epochs)
    blocks = blocks_of(n)
    nothing = np.zeros(1, dtype=np.float32)
    for epoch in range(places.epoch, last):
        if len(blocks) > 1:
            Z[n:] = Z[:n]
        extra = None if extra_of is None else extra_of(Z[:n], epoch)
        _one_epoch(Z, blocks, plan, epoch, nothing if extra is None else extra)
    return Places(Z[:n].copy(), last, places.kept)


def _one_epoch(Z: np.ndarray, blocks: list, plan: Plan, epoch: int, extra: np.ndarray) -> None:
    edges, n = plan.edges, plan.edges.n
    alpha = plan.alpha * (1.0 - epoch / plan.n_epochs)
    settles = epoch >= plan.settle_from
    draws = 0 if n <= ALL_PAIRS else DRAWS * plan.negatives
    share = edges.degree * np.float32(plan.negatives / (draws or n))
    forces = plan.tables.attraction, plan.tables.repulsion
    plane = Z.shape[1] == 2

    def work(block: tuple[int, int]) -> None:
        when = *block, epoch, plan.seed, *forces, alpha
        move = () if plane else (np.empty(Z.shape[1], dtype=np.float32),)
        if settles:
            settle: Any = settled_plane if plane else settled
            arrays = edges.indptr, edges.indices, edges.weight, extra, share
            settle(Z, *arrays, *when, draws, *move)
        else:
            sample: Any = sampled_plane if plane else sampled
            sample(Z, edges.indptr, edges.indices, edges.rate, *when, plan.negatives, *move)

    for _ in ordered_map(work, blocks) if len(blocks) > 1 else map(work, blocks):
        pass


# ---- the objective -------------------------------------------------------------------------------


class Look(NamedTuple):
    """The edges and pairs from which the objective is estimated, always the same ones."""

    edges: tuple[np.ndarray, np.ndarray]  # rows i, j
    pairs: tuple[np.ndarray, np.ndarray]
    pull: np.ndarray  # weight of each edge
    push: np.ndarray  # weight of each pair
    near: np.ndarray  # table of -log w in d^2
    far: np.ndarray  # table of -log(1 - w)


def look_of(plan: Plan, curve: Curve) -> Look:
    """What is looked at for `history_`."""
    near, far = losses(table_middles(), curve)
    edges, n = plan.edges, plan.edges.n
    count = len(edges.indices)
    chosen = np.arange(0, count, max(-(-count // LOOKED_AT), 1))
    row = np.searchsorted(edges.indptr, chosen, side="right") - 1
    pull = edges.weight[chosen] * (count / max(len(chosen), 1))
    i, j = _pairs(n, min(LOOKED_AT, 20 * n), np.random.default_rng(0))
    push = edges.degree[i] * (n * plan.negatives * plan.strength / len(i))
    return Look((row, edges.indices[chosen]), (i, j), pull, push, near, far)


def estimated_objective(Y: np.ndarray, look: Look) -> float:
    """What the epochs minimise, from some edges and pairs: for `history_`.

        sum_ij v_ij / max v (-log w_ij) + negatives * sum_i degree_i mean_j(-log(1 - w_ij))

    Negatives are drawn in proportion to a row's edges, so this is not the cross-entropy: repulsion
    counts less, the more rows there are.
    """
    pulled = look.pull * look.near[entries(_squared(Y, *look.edges))]
    pushed = look.push * look.far[entries(_squared(Y, *look.pairs))]
    return float(pulled.sum() + pushed.sum())


def _squared(Y: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    squared = np.zeros(len(i), Y.dtype)
    for c in range(Y.shape[1]):
        squared += (Y[i, c] - Y[j, c]) ** 2
    return squared


def cross_entropy(graph: sp.csr_array, Y: np.ndarray, curve: Curve, all_pairs: bool) -> float:
    """The objective over all ordered pairs i != j; v_ij is 0 where there is no edge.

    With all_pairs False, log(1 - w) of all pairs is estimated from 2,000,000 of them.
    """
    n, Y = len(Y), Y.astype(np.float64)
    row = np.repeat(np.arange(n), np.diff(graph.indptr))
    v = graph.data.astype(np.float64)
    near, far = losses(_squared(Y, row, graph.indices), curve)
    on_edges = float((_entropy(v) + v * (near - far)).sum())
    if all_pairs:
        return on_edges + _all_repulsion(Y, curve)
    i, j = _pairs(n, SAMPLED_PAIRS, np.random.default_rng(0))
    far = losses(_squared(Y, i, j), curve)[1]
    return on_edges + float(far.mean()) * n * (n - 1)


def _entropy(v: np.ndarray) -> np.ndarray:
    """v log v + (1 - v) log(1 - v), which is 0 at both ends."""
    return v * np.log(np.maximum(v, 1e-300)) + (1 - v) * np.log(np.maximum(1 - v, 1e-300))


def _pairs(n: int, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ordered pairs of different rows, all equally likely."""
    i, j = random.integers(n, size=count), random.integers(max(n - 1, 1), size=count)
    return i, (j + (j >= i)) % n


def _all_repulsion(Y: np.ndarray, curve: Curve) -> float:
    """The sum of -log(1 - w) over all ordered pairs."""
    n = len(Y)

    def work(first: int) -> float:
        block = Y[first : first + 256]
        squared = np.zeros((len(block), n))
        for c in range(Y.shape[1]):
            squared += (block[:, c, None] - Y[:, c]) ** 2
        far = losses(squared, curve)[1]
        far[np.arange(len(block)), np.arange(first, first + len(block))] = 0.0
        return float(far.sum())

    return float(sum(ordered_map(work, range(0, n, 256))))
