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
    square_to_nearest,
    statistics,
    update,
)
from lowdim.cluster.kmeans.remembered import passes_of
from lowdim.cluster.kmeans.seeding import seeds
from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.linalg.moments import Frame


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
        Whether to keep labels, and bounds where they pay, of every row; these must be in memory and
        complete.
    bounded : bool
        Whether bounds may be kept.
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
        bounded: bool = True,
    ):
        self.rows, self.weight, self.frame, self.has_missing = rows, weight, frame, has_missing
        self.passes = passes_of(rows.in_memory, weight, frame, k, bounded) if remember else None
        self.shift = np.zeros(k)  # squared movement of each center in the last step

    def start(self, centers: np.ndarray) -> State:
        """The state before the first step."""
        k, d = centers.shape
        label = np.empty(0, dtype=np.int32) if self.passes is None else self.passes.label
        return State(centers, label, Sums(np.zeros(k), 0.0, np.zeros((k, d)), 0.0))

    def step(self, state: State) -> tuple[float, State]:
        """J at the centers of `state`, and the state that follows."""
        sums = self._pass(state)
        setting = Setting(state.centers, self.frame, self.has_missing)
        centers = moved(self.rows, sums, setting, self.weight)
        apart = centers - state.centers
        self.shift = np.einsum("jf,jf->j", apart, apart)
        saved = float(sums.count @ self.shift)
        label = state.label if self.passes is None else self.passes.label
        return sums.inertia, State(centers, label, sums._replace(inertia=sums.inertia - saved))

    def judge(self, state: State) -> tuple[Sums, np.ndarray | None]:
        """The sums at the centers of `state`, exactly, and the labels if they are remembered."""
        sums = self._pass(state, changes=False)
        return sums, None if self.passes is None else self.passes.label

    def _pass(self, state: State, changes: bool = True) -> Sums:
        if self.passes is None:
            setting = Setting(state.centers, self.frame, self.has_missing)
            return self.rows.fold(statistics, setting, along=(self.weight,))
        # with weights, what is taken away again would leave more than rounding behind
        changes = changes and self.weight is None and bool(state.sums.count.any())
        if state.label is not self.passes.label:  # from a checkpoint, which may have no labels
            changes = changes and len(state.label) == len(self.passes.label)
            self.passes.go_on_from(state.label if changes else np.int32(-1))
        return self.passes.sums(state.centers, state.sums if changes else None)


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
    sums, label = descent.judge(state)
    assert label is not None
    return Clusters(state.centers, label, sums.inertia)
