"""Dictionary learning a batch of rows at a time: codes of the batch, then atoms from sums.

    Z       the codes of the batch, given D
    sums <- keep_t sums + those of the batch
    D       one sweep over the atoms, from the sums (`atoms.py`)

Sums of codes for atoms of long ago pull the atoms back to where they were, so they are forgotten:
with keep_t = (t / (t + 1))^p, batch s counts (s / t)^p of batch t. At first p = 1; when there were
rows enough, MEMORY for each atom, p grows up to FORGETTING. An atom that no row has used for a
while becomes a row of the batch that is coded worst. (Mairal, Bach, Ponce and Sapiro 2010,
algorithm 1, section 3.4.)

Cost: that of the codes, and O(k^2 d) for a step; memory for sums, O(k (k + d)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.sparse.dictionary.atoms import Sums, blended, updated
from lowdim.sparse.dictionary.learning import Coder, gram_of, pieces_of, replaced, statistics

FORGETTING = 12.0
MEMORY = 10  # times the number of atoms: rows that are remembered in any case
PIECE = 128  # rows of a batch that a thread codes at a time
PATIENCE = 4  # times the number of atoms: rows after which an unused atom is replaced


class Learned(NamedTuple):
    """What the next batch goes on from."""

    atoms: np.ndarray  # (k, d)
    sums: Sums
    idle: np.ndarray  # (k,)  rows since an atom was last used, or replaced
    steps: int  # batches so far


class How(NamedTuple):
    """What a step is told."""

    coder: Coder
    positive: bool  # atoms have no negative entries


def first_learned(atoms: np.ndarray) -> Learned:
    """Before the first batch."""
    k, d = atoms.shape
    sums = Sums(np.zeros((k, k)), np.zeros((k, d)), 0.0, 0.0, 0.0)
    return Learned(atoms, sums, np.zeros(k), 0)


def online_step(
    batch: Blocks, weight: np.ndarray | None, learned: Learned, how: How
) -> tuple[Learned, Sums, float]:
    """What is learned after a batch, the sums of the batch, and its cost with the atoms before."""
    atoms = learned.atoms
    own = batch.fold(statistics, atoms, gram_of(atoms), how.coder, along=(weight,))
    cost = how.coder.cost(own, atoms)
    learned = moved_on(learned, own, how.positive)
    waited = np.flatnonzero(learned.idle > PATIENCE * len(atoms))
    if len(waited):
        new = replaced(batch, weight, learned.atoms, waited, how.coder, how.positive)
        idle = learned.idle.copy()
        idle[waited] = 0.0
        learned = learned._replace(atoms=new, sums=_forgotten(learned.sums, waited), idle=idle)
    return learned, own, cost


def moved_on(learned: Learned, own: Sums, positive: bool = False) -> Learned:
    """What is learned after a batch with these sums."""
    atoms, t = learned.atoms, learned.steps
    sums = blended(learned.sums, own, _kept(t, own.weight / len(atoms)))
    idle = np.where(np.diagonal(own.zz) > 0.0, 0.0, learned.idle + own.weight)
    return Learned(updated(sums, atoms, positive), sums, idle, t + 1)


def _kept(t: int, rows_per_atom: float) -> float:
    """Of the sums, what is left after batch t (from 0)."""
    share = t / (t + 1.0)
    return float(min(share, max(share**FORGETTING, np.exp(-rows_per_atom / MEMORY))))


def _forgotten(sums: Sums, which: np.ndarray) -> Sums:
    """Sums in which nothing is left of these atoms."""
    zz, zx = sums.zz.copy(), sums.zx.copy()
    zz[which], zz[:, which], zx[which] = 0.0, 0.0, 0.0
    return sums._replace(zz=zz, zx=zx)


# ---- passes --------------------------------------------------------------------------------------


class State(NamedTuple):
    """Where a fit stands after a pass."""

    learned: Learned
    smooth: float  # cost of a row, averaged over about the last pass; NaN at first
    best: float  # the least of these
    waiting: int  # batches since then
    stopped: bool
    cost: float  # of a row, on average over the pass


class Stopping(NamedTuple):
    """When to stop; the rules are scikit-learn's."""

    tol: float  # of |D - D_before| / k
    patience: int | None  # batches without a lower smoothed cost
    n: float  # weight of all rows
    quiet: float  # batches at the beginning that are not looked at


def first_state(atoms: np.ndarray) -> State:
    """Before the first pass."""
    return State(first_learned(atoms), np.nan, np.inf, 0, False, np.nan)


def one_pass(
    batches: Iterable[tuple[np.ndarray, Any]],
    state: State,
    how: How,
    stopping: Stopping,
    after_batch: Callable[[Learned, float], None],
) -> State:
    """All batches once, or fewer if there is nothing more to learn."""
    cost = weight = 0.0
    for X, w in batches:
        before = state.learned.atoms
        learned, own, batch_cost = online_step(pieces_of(X, PIECE), w, state.learned, how)
        cost, weight = cost + batch_cost, weight + own.weight
        moved = float(np.linalg.norm(learned.atoms - before)) / len(before)
        per_row = batch_cost / max(own.weight, np.finfo(float).tiny)
        state = _judged(state._replace(learned=learned), per_row, own.weight, moved, stopping)
        after_batch(learned, per_row)
        if state.stopped:
            break
    return state._replace(cost=cost / max(weight, np.finfo(float).tiny))


def _judged(state: State, cost: float, weight: float, moved: float, stopping: Stopping) -> State:
    """The state after a batch of this cost and weight, in which the atoms moved so far."""
    if state.learned.steps <= stopping.quiet:
        return state
    share = min(weight / (stopping.n + 1.0), 1.0)
    smooth = cost if np.isnan(state.smooth) else (1.0 - share) * state.smooth + share * cost
    better = smooth < state.best
    waiting = 0 if better else state.waiting + 1
    still = stopping.tol > 0 and moved <= stopping.tol
    tired = stopping.patience is not None and waiting >= stopping.patience
    return state._replace(
        smooth=smooth,
        best=min(smooth, state.best),
        waiting=waiting,
        stopped=still or tired,
    )
