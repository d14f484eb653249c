"""NMF a batch of rows at a time: codes of the batch, then components from sums that forget.

    W       the codes of the batch, given V
    sums <- rho sums + those of the batch         rho = forget_factor^(batch / n): less by each pass
    V       from the sums

On squares the sums are W'W and X'W: V is then improved as in NMF, by coordinate descent on both
(Mairal, Bach, Ponce and Sapiro 2010, algorithm 1). For other divergences they are the two parts of
the multiplicative update at each batch, and V is their ratio (Lefevre, Bach and Fevotte 2011).

The codes of a batch are solved, not moved a little: sums of codes that lag behind pull V back to
where it was. Codes of the last pass are where the search starts, unless it starts afresh.

Cost: O(batch d k) for a step, beside the codes; memory for W (n, k) and the sums (d, k).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.products import dense_times
from lowdim.linalg.sparse import sparse_times
from lowdim.linear.nmf.coordinates import lower_counts, positive_part
from lowdim.linear.nmf.data import gram, sum_squares, total, weighted
from lowdim.linear.nmf.divergence import divergence_by_row, exponent, pulls
from lowdim.linear.nmf.hals import descend
from lowdim.linear.nmf.mu import Pass, improved
from lowdim.linear.nmf.objective import Penalties, Penalty, sorted_csr

# a sweep that moves a code by less than this part of the first one was its last
ENOUGH, ENOUGH_OF_COUNTS = 1e-2, 1e-3
MOST_SWEEPS = 3  # of coordinates of V, for each batch; fewer where these cost more than the batch
LEAST_SHARE = 1e-6  # of J, below which it need not fall by a part of itself


class Sums(NamedTuple):
    """What V follows from."""

    pull: np.ndarray  # (d, k)  X'W; for other divergences V^(1/g) times (x y^(b-2))'W
    push: np.ndarray  # (k, k)  W'W; for other divergences (d, k)  (y^(b-1))'W
    weight: float  # of the rows in them


class Learned(NamedTuple):
    """What `partial_fit` goes on from."""

    V: np.ndarray  # (d, k)
    sums: Sums
    steps: int


class How(NamedTuple):
    """What a step is told."""

    beta: float
    alpha: Penalties  # of codes; of components for one row
    floor: float
    rho: float
    sweeps: int  # over the codes of a batch


class Stepped(NamedTuple):
    learned: Learned
    W: np.ndarray  # (batch, k)
    loss: float  # J of the batch before V moved, without the penalty of V


def first_learned(V: np.ndarray, beta: float) -> Learned:
    """Before the first batch."""
    d, k = V.shape
    return Learned(V, Sums(np.zeros((d, k)), np.zeros((k if beta == 2.0 else d, k)), 0.0), 0)


def online_step(
    X: Any, weight: np.ndarray | None, W: np.ndarray | None, learned: Learned, how: How
) -> Stepped:
    """Codes of a batch, from W or afresh, and the components after it."""
    if how.beta == 2.0:
        return _step_on_squares(X, weight, W, learned, how)
    return _step_by_ratio(X, weight, W, learned, how)


def _step_on_squares(X: Any, weight: Any, W: Any, learned: Learned, how: How) -> Stepped:
    V, sums = learned.V, learned.sums
    G, of = gram(V), how.alpha.W
    P = sparse_times(sorted_csr(X), V) if sp.issparse(X) else dense_times(X, V)
    W = np.zeros_like(P) if W is None else W
    lowered = P - P.dtype.type(of.l1) if of.l1 else P
    W = descend(of.on(G), lowered, W, how.sweeps, enough=ENOUGH).Z
    own = weighted(W, weight)
    fit = 0.5 * sum_squares(X, weight) - np.vdot(own, P) + 0.5 * np.vdot(gram(W, weight), G)
    pull = how.rho * sums.pull
    pull += X.T @ own if sp.issparse(X) else dense_times(X.T, own)
    new = Sums(
        pull,
        how.rho * sums.push + gram(W, weight),
        how.rho * sums.weight + _weight_of(X, weight),
    )
    l1, l2 = (new.weight * price for price in how.alpha.H)
    pull = (pull - l1 if l1 else pull).astype(V.dtype, copy=False)
    sweeps = min(1 + X.shape[0] // V.shape[1], MOST_SWEEPS)
    moved = descend(Penalty(l1, l2).on(new.push), pull, V, sweeps).Z
    loss = max(float(fit), 0.0) + of.of(W, weight)
    return Stepped(Learned(moved, new, learned.steps + 1), W, loss)


def _step_by_ratio(X: Any, weight: Any, W: Any, learned: Learned, how: How) -> Stepped:
    V, sums, power = learned.V, learned.sums, exponent(how.beta)
    of = how.alpha.W
    X = X.toarray() if sp.issparse(X) else X
    W = _coded(X, W, V, how) if how.beta == 1.0 else _updated(X, W, V, how)
    Y = np.maximum(W @ V.T, V.dtype.type(how.floor))
    pull, push = pulls(X, Y, how.beta)
    own = weighted(W, weight)
    down = own.sum(axis=0, dtype=np.float64) if push is None else push.T @ own
    base = V.astype(np.float64) ** (1.0 / power)
    if not sums.weight:  # V counts as much as the first batch, which has not seen all there is
        size = np.full(base.shape, np.mean(down))
        sums = Sums(base * size, size, 0.0)
    new = Sums(
        how.rho * sums.pull + base * (pull.T @ own),
        how.rho * sums.push + down,
        how.rho * sums.weight + _weight_of(X, weight),
    )
    l1, l2 = (new.weight * price for price in how.alpha.H)
    bottom = new.push + l1 + l2 * V
    ratio = np.divide(new.pull, bottom, out=base.copy(), where=bottom > 0)
    moved = (ratio**power).astype(V.dtype)
    loss = total(divergence_by_row(X, Y, how.beta), weight) + of.of(W, weight)
    return Stepped(Learned(moved, new, learned.steps + 1), W, loss)


def _coded(X: np.ndarray, W: np.ndarray | None, V: np.ndarray, how: How) -> np.ndarray:
    """Codes of counts by coordinate descent."""
    s = V.sum(axis=0, dtype=np.float64)
    if W is None or not W.any():
        one = np.divide(1.0, len(s) * s, out=np.zeros_like(s), where=s > 0)
        W = X.sum(axis=1, dtype=np.float64)[:, None] * one
    entries, floor, sweeps = positive_part(X), how.floor, how.sweeps
    return lower_counts(
        entries, V, W, s, how.alpha.W, floor=floor, sweeps=sweeps, enough=ENOUGH_OF_COUNTS**2
    ).Z


def _updated(X: np.ndarray, W: np.ndarray | None, V: np.ndarray, how: How) -> np.ndarray:
    """Codes by multiplicative updates."""
    if W is None or not W.any():
        size = np.sqrt(max(float(X.mean()), how.floor))
        W = np.full((len(X), V.shape[1]), size, V.dtype)
    W = np.maximum(W, V.dtype.type(how.floor))
    by = Pass(how.beta, how.alpha.W, how.floor, 1, 0.0)
    for _ in range(how.sweeps):
        W = improved(X, W, V, by)
    return W


def _weight_of(X: Any, weight: np.ndarray | None) -> float:
    return float(X.shape[0] if weight is None else weight.sum())


# ---- passes --------------------------------------------------------------------------------------


class State(NamedTuple):
    """Where a fit stands after a pass."""

    learned: Learned
    W: np.ndarray  # (n, k)  codes of all rows; (0, k) where every batch starts afresh
    costs: np.ndarray  # (batches,)  J of each, when it was last met
    best: float  # the least sum of them
    waiting: int  # batches since then
    fell: float
    stopped: bool  # whether it waited too long


def first_state(V: np.ndarray, beta: float, n: int, batches: int, fresh: bool) -> State:
    """Before the first pass."""
    W = np.zeros((0 if fresh else n, V.shape[1]), V.dtype)
    inf = float("inf")
    return State(first_learned(V, beta), W, np.full(batches, inf), inf, 0, inf, False)


def one_pass(batches: Iterator[tuple], state: State, how: How, patience: int | None) -> State:
    """All batches once; it ends early after `patience` of them without improvement."""
    learned, costs, W = state.learned, state.costs.copy(), state.W.copy()
    best, waiting, before = state.best, state.waiting, float(state.costs.sum())
    start = 0
    for b, (X, weight) in enumerate(batches):
        rows = slice(start, start + X.shape[0])
        start = rows.stop
        done = online_step(X, weight, W[rows] if len(W) else None, learned, how)
        learned, costs[b] = done.learned, done.loss
        if len(W):
            W[rows] = done.W
        if np.isfinite(costs).all():
            now = float(costs.sum())
            best, waiting = (now, 0) if now < best else (best, waiting + 1)
        if patience is not None and waiting >= patience:
            break
    now = float(costs.sum())
    fell = max(before - now, 0.0)
    lately = max(fell, 0.5 * state.fell) if np.isfinite(state.fell) else fell
    stopped = patience is not None and waiting >= patience
    return State(learned, W, costs, best, waiting, lately, stopped)


def pass_change(state: State, whole: float) -> float:
    """What is held against `tol`: by which part of J a batch lowers it, on average over a pass.

    `whole` is what J is a share of; a J of next to nothing is compared with that.
    """
    if state.stopped or state.fell == 0.0:
        return 0.0
    return state.fell / (max(state.best, LEAST_SHARE * whole) * len(state.costs))
