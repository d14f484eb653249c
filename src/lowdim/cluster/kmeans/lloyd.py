"""Lloyd's algorithm, step by step: what k-means is made of, and where mixtures start.

    minimise over centers C     J = sum_i w_i min_j ||x_i - c_j||^2

A step looks for the nearest center of every row and moves the centers to the means of their rows.
The first changes J by what rows save that change their label, the second needs no rows:

    J(new labels) = J + sum_changed w (||x - c_new||^2 - ||x - c_old||^2)
    J(new centers) = J - sum_j n_j ||c_new - c_old||^2

so rows in memory need be read only where their label is in doubt. Of few rows all are read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.cluster.kmeans.assignment import (
    Setting,
    Sums,
    motion,
    square_to_nearest,
    statistics,
    unknown,
    update,
)
from lowdim.cluster.kmeans.seeding import seeds
from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.linalg.moments import Frame

WORTH_BOUNDS = 2**22  # multiplications of a full look, from which bounds save more than they cost


class Clusters(NamedTuple):
    centers: np.ndarray  # (k, d)
    labels: np.ndarray  # (m,)  nearest center of each row
    inertia: float  # J


class State(NamedTuple):
    """What the next step needs of those before."""

    centers: np.ndarray  # (k, d)  in the frame
    label: np.ndarray  # (n,)  of the rows before the centers moved here; none if not remembered
    sums: Sums  # by these labels; J is that of these centers


class Descent:
    """Lloyd's algorithm on some rows.

    Parameters
    ----------
    rows : Blocks
    weight : ndarray of shape (n,) or None
    frame : Frame
        In which centers are measured.
    has_missing : bool
        Whether rows may have NaN.
    k : int
        Number of centers.
    remember : bool
        Whether to keep labels, and bounds where they pay, of every row; these must be in memory,
        dense and complete.
    """

    def __init__(
        self,
        rows: Blocks,
        weight: np.ndarray | None,
        frame: Frame,
        k: int,
        *,
        has_missing: bool = False,
        remember: bool = True,
    ):
        self.rows, self.weight, self.frame, self.has_missing = rows, weight, frame, has_missing
        n, d = rows.shape
        self.bounds = unknown(n if remember else 0, rows.dtype)
        self._remembers = remember
        self._has_bounds = remember and n * d * k > WORTH_BOUNDS
        self._at: np.ndarray | None = None  # the centers at which the bounds were written

    def start(self, centers: np.ndarray) -> State:
        """The state before the first step."""
        k, d = centers.shape
        nothing = Sums(np.zeros(k), 0.0, np.zeros((k, d)), 0.0)
        return State(centers, self.bounds.label, nothing)

    def step(self, state: State) -> tuple[float, State]:
        """J at the centers of `state`, and the state that follows."""
        setting, sums = self._pass(state)
        centers = moved(self.rows, sums, setting, self.weight)
        saved = sums.count @ np.square(centers - state.centers).sum(axis=1)
        state = State(centers, self.bounds.label, sums._replace(inertia=sums.inertia - saved))
        return sums.inertia, state

    def judge(self, state: State) -> tuple[Sums, np.ndarray | None]:
        """The sums at the centers of `state`, exactly, and the labels if they are remembered."""
        _, sums = self._pass(state, changes=False)
        return sums, self.bounds.label if self._remembers else None

    def _pass(self, state: State, changes: bool = True) -> tuple[Setting, Sums]:
        if not self._has_bounds:
            setting = Setting(state.centers, self.frame, self.has_missing)
            known = (self.bounds.label,) if self._remembers else ()
            return setting, self.rows.fold(statistics, setting, along=(self.weight, *known))
        if state.label is not self.bounds.label:  # from a checkpoint: bounds are to be found anew
            self.bounds.label[:] = state.label
        # with weights, what is taken away again would leave more than rounding behind
        changes = changes and self.weight is None and bool(state.sums.count.any())
        moves = motion(self._at, state.centers)
        setting = Setting(state.centers, self.frame, motion=moves, changes=changes)
        sums = self.rows.fold(statistics, setting, along=(self.weight, *self.bounds))
        self._at = state.centers
        if changes:
            old = state.sums
            sums = Sums(
                old.count + sums.count, 0.0, old.sum_x + sums.sum_x, old.inertia + sums.inertia
            )
        return setting, sums


def moved(rows: Blocks, sums: Sums, setting: Setting, weight: np.ndarray | None) -> np.ndarray:
    """Centers at the means of their rows; one without rows goes to the row farthest from its own.

    Where all rows are at a center already, it stays.
    """
    centers = update(sums, setting.centers)
    empty = np.flatnonzero(sums.count == 0)
    if len(empty):
        far = rows.top(square_to_nearest, len(empty), setting, along=(weight,))
        apart = far.score > 0
        new = far.rows[apart]
        new = new.toarray() if rows.is_sparse else new
        D = (new.astype(np.float64) - setting.frame.pilot) / setting.frame.unit
        places = empty[: len(D)]
        centers[places] = np.where(np.isnan(D), centers[places], D)
    return centers


def lloyd(
    X: np.ndarray,
    k: int,
    random: np.random.Generator,
    weight: np.ndarray | None = None,
    *,
    max_iter: int = 100,
    n_init: int = 4,
) -> Clusters:
    """The best of a few runs of Lloyd's algorithm on complete rows, as `part_in_memory` sorts them.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        Best centred: distances are taken from products.
    k : int
        Number of clusters. Rows with fewer than k different values leave some centers equal.
    random : Generator
    weight : ndarray of shape (m,), default=None
        How often each row counts.
    max_iter : int, default=100
        Iterations at the most of each run.
    n_init : int, default=4
        Runs, each from its own seeds.
    """
    w = np.ones(len(X)) if weight is None else weight
    runs = [run(X, w, seeds(X, k, random, w), max_iter) for _ in range(n_init)]
    return best_of(runs)


def best_of(runs: list[Any]) -> Any:
    """The run of least inertia; of those that differ in rounding, the first.

    Two starts often end in the same clusters, in another order: rounding is not to choose it.
    """
    least = min(run.inertia for run in runs)
    return next(run for run in runs if run.inertia <= least * (1.0 + 1e-9))


def run(X: Any, weight: np.ndarray, centers: np.ndarray, max_iter: int) -> Clusters:
    """Lloyd's algorithm from given centers, until no row changes its cluster."""
    frame = Frame(np.zeros(X.shape[1]), 1.0)
    weighted = weight if (weight != 1.0).any() else None
    descent = Descent(ArrayBlocks(X), weighted, frame, len(centers))
    state = descent.start(centers)
    for _ in range(max_iter):
        before = state.centers
        _, state = descent.step(state)
        if np.array_equal(before, state.centers):
            break
    sums, _ = descent.judge(state)
    return Clusters(state.centers, descent.bounds.label, sums.inertia)
