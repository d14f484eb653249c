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

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.sparse.dictionary.atoms import (
    Sums,
    faded,
    no_sums,
    rest_of_codes,
    updated,
    with_codes,
)
from lowdim.sparse.dictionary.learning import Coder, gram_of, replaced, squares_of, statistics
from lowdim.sparse.pursuit.greedy import Chosen

FORGETTING = 12.0
MEMORY = 10  # times the number of atoms: rows that are remembered in any case
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
    return Learned(atoms, no_sums(k, d), np.zeros(k), 0)


def with_own_sums(learned: Learned) -> Learned:
    """The same with sums that steps may write into."""
    zz, zx, *numbers = learned.sums
    return learned._replace(sums=Sums(zz.copy(), zx.copy(), *numbers))


class Step(NamedTuple):
    """What a batch did."""

    learned: Learned  # after it
    cost: float  # of its rows together, with the atoms before it
    weight: float  # of its rows together


def online_step(X: np.ndarray, weight: np.ndarray | None, learned: Learned, how: How) -> Step:
    """One batch of rows X (n, d). The sums of `learned` are written into."""
    atoms, coder = learned.atoms, how.coder
    Z = coder.codes(X, atoms, gram_of(atoms))
    rest = squares_of(rest_of_codes(X, Z, atoms)).astype(np.float64)
    squared_error = float(rest.sum() if weight is None else weight @ rest)
    total = float(len(X) if weight is None else weight.sum())
    before = faded(learned.sums, _kept(learned.steps, total / len(atoms)))
    sums = with_codes(before, X, Z, weight)
    cost = coder.total(squared_error, sums.absolute - before.absolute)
    idle = np.where(_used(Z, weight), 0.0, learned.idle + total)
    learned = Learned(updated(sums, atoms, how.positive), sums, idle, learned.steps + 1)
    return Step(_without_waiting(ArrayBlocks(X), weight, learned, how), cost, total)


def folded_step(batch: Blocks, weight: np.ndarray | None, learned: Learned, how: How) -> Learned:
    """`online_step` of a batch that is not in memory."""
    atoms = learned.atoms
    own = batch.fold(statistics, atoms, gram_of(atoms), how.coder, along=(weight,))
    before = faded(learned.sums, _kept(learned.steps, own.weight / len(atoms)))
    sums = Sums(*(old + new for old, new in zip(before, own, strict=True)))
    idle = np.where(np.diagonal(own.zz) > 0.0, 0.0, learned.idle + own.weight)
    learned = Learned(updated(sums, atoms, how.positive), sums, idle, learned.steps + 1)
    return _without_waiting(batch, weight, learned, how)


def _used(Z: Chosen, weight: np.ndarray | None) -> np.ndarray:
    """Which atoms codes use, (k,) bool."""
    stored = np.arange(Z.atoms.shape[1]) < Z.used[:, None]
    if weight is not None:
        stored &= weight[:, None] > 0
    used = np.zeros(Z.k, bool)
    used[Z.atoms[stored]] = True
    return used


def _without_waiting(
    batch: Blocks, weight: np.ndarray | None, learned: Learned, how: How
) -> Learned:
    """Atoms that have waited too long become the rows of the batch that are coded worst."""
    waited = np.flatnonzero(learned.idle > PATIENCE * len(learned.atoms))
    if not len(waited):
        return learned
    new = replaced(batch, weight, learned.atoms, waited, how.coder, how.positive)
    idle = learned.idle.copy()
    idle[waited] = 0.0
    return learned._replace(atoms=new, sums=_forgotten(learned.sums, waited), idle=idle)


def _kept(t: int, rows_per_atom: float) -> float:
    """Of the sums, what is left after batch t (from 0)."""
    share = t / (t + 1.0)
    return float(min(share, max(share**FORGETTING, np.exp(-rows_per_atom / MEMORY))))


def _forgotten(sums: Sums, which: np.ndarray) -> Sums:
    """Sums in which nothing is left of these atoms; writes into their arrays."""
    sums.zz[which], sums.zz[:, which], sums.zx[which] = 0.0, 0.0, 0.0
    return sums


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
    state = state._replace(learned=with_own_sums(state.learned))
    for X, w in batches:
        before = state.learned.atoms
        step = online_step(X, w, state.learned, how)
        cost, weight = cost + step.cost, weight + step.weight
        moved = float(np.linalg.norm(step.learned.atoms - before)) / len(before)
        per_row = step.cost / max(step.weight, np.finfo(float).tiny)
        state = _judged(state._replace(learned=step.learned), per_row, step.weight, moved, stopping)
        after_batch(step.learned, per_row)
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
