"""Passes of k-means over rows in memory, which remember the label of every row.

A row that keeps its label changes no sum: a pass looks for the nearest center of each row, and adds
up only what rows with a new label take from the sums of one center to those of another.

Bounds (`assignment.py`) save looks, where few rows are in doubt; where many are, as in many columns
or while centers still move far, they cost more than the looks that they save. So passes look at all
rows until few change their label; then bounds are tried, and given up when too many rows are in
doubt, until fewer rows change. Which passes have bounds follows from the rows and centers alone,
and no label depends on it.

Sparse rows are looked at without bounds: a row's products with all centers are summed up over its
stored entries, for all centers side by side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.cluster.kmeans.assignment import (
    Bounds,
    Motion,
    Narrow,
    Sums,
    View,
    Workspace,
    deviations,
    in_order,
    motion_of,
    narrow_of,
    part_rows,
    settle,
    sums_by_label,
    unknown,
    view_of,
    workspace,
)
from lowdim.cluster.kmeans.kernels import (
    TOGETHER,
    change_labels,
    in_doubt,
    narrow_look,
    nearest_center,
    sparse_changes,
    sparse_look,
)
from lowdim.core.threads import shared_map
from lowdim.linalg.moments import Frame

CUT_PRODUCTS = 2**22  # multiplications for which it pays to wake a thread
LARGEST_CUTS = 64  # parts of the sums that are held at a time
APART = 16  # numbers between what two threads write to: more than a line of the cache
CHECKED = 2**14  # rows whose bounds are checked before those in doubt are looked at

# What a row costs, in multiplications of the look at it, as measured: to look for the least of k
# products; to check its bounds; to fetch, measure and bound it, if in doubt
OF_LEAST, OF_CHECK, OF_DOUBT, OF_DOUBT_PER_COLUMN = 5, 100, 100, 9
OF_NARROW = 0.6  # of a look at rows of float64, where its products are made in float32
LEAST_NARROW = 16  # centers and columns for which float32 saves more than it costs to convert rows
FEW_CHANGE = 0.01  # of the rows change their label: most often, half of them are then in doubt
FEWER = 0.25  # of that, when bounds have been given up


def passes_of(
    X: Any, weight: np.ndarray | None, frame: Frame, k: int, bounded: bool = True
) -> DensePasses | SparsePasses:
    """Passes over these rows, dense or sparse."""
    if sp.issparse(X):
        return SparsePasses(X, weight, frame, k)
    return DensePasses(X, weight, frame, k, bounded)


class DensePasses:
    """Passes over complete dense rows in memory.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    weight : ndarray of shape (n,) or None
    frame : Frame
        In which centers are measured.
    k : int
        Number of centers.
    bounded : bool, default=True
        Whether bounds may be kept.
    """

    def __init__(
        self,
        X: np.ndarray,
        weight: np.ndarray | None,
        frame: Frame,
        k: int,
        bounded: bool = True,
    ):
        n, d = X.shape
        self._X, self._weight, self._frame = X, weight, frame
        self.label = np.full(n, -1, dtype=np.int32)
        self.bounds: Bounds | None = None
        self._at: np.ndarray | None = None  # the centers at which the bounds hold; None: nowhere
        self._changed, self._few = n, FEW_CHANGE * n  # rows that changed in the last pass
        self._narrows = X.dtype == np.float64 and min(k, d) >= LEAST_NARROW
        look = k * (d + OF_LEAST)
        saved = (OF_NARROW * look if self._narrows else look) - OF_CHECK
        self._most_doubts = saved / (look + OF_DOUBT + OF_DOUBT_PER_COLUMN * d)
        self._bounded = bounded and saved > 0
        self._cuts = _cuts(n, look, k)
        self._pilot, self._unit = frame.pilot.astype(X.dtype), X.dtype.type(frame.unit)
        self._as_it_is = X.flags.c_contiguous and X.flags.writeable  # kernels take one type
        self._measured_as_it_is = frame.unit == 1.0 and not frame.pilot.any()
        self._nearest = np.empty(n, dtype=np.int32)
        self._unsure = np.empty(n if self._narrows else 0, dtype=np.int64)
        self._spaces: deque[Workspace] = deque()  # that no thread works in
        self._ones = np.ones(part_rows(X)) if weight is None else None

    def sums(self, centers: np.ndarray, before: Sums | None) -> Sums:
        """Look at every row, and add up all, or what that changes to the sums `before`."""
        view, changes = view_of(centers, self._X.dtype), before is not None
        if self.keeps_bounds:
            found = self._with_bounds(centers, view, changes)
        else:
            narrow = narrow_of(centers, self._frame) if self._narrows else None
            looks = shared_map(
                lambda cut: self._look(cut, centers, view, narrow, changes), self._cuts
            )
            found = [sums for sums, _ in looks]
            self._changed = sum(n_changed for _, n_changed in looks)
        return _total(found, centers, before)

    @property
    def keeps_bounds(self) -> bool:
        """Whether the next pass has bounds."""
        return self._bounded and (self._at is not None or self._changed <= self._few)

    def go_on_from(self, label: Any) -> None:
        """Go on from these labels."""
        self.label[:] = label
        self._at, self._changed = None, len(self.label)

    def _with_bounds(self, centers: np.ndarray, view: View, changes: bool) -> list[Sums]:
        if self.bounds is None:
            self.bounds = unknown(self.label, self._X.dtype)
        known = self._at is not None
        if not known:
            self.bounds.upper.fill(np.inf)
            self.bounds.lower.fill(0.0)
        motion = motion_of(self._at, centers)
        found = shared_map(
            lambda cut: self._look_in_doubt(cut, centers, view, motion, changes), self._cuts
        )
        self._at = centers
        if known and sum(n_doubt for _, n_doubt in found) > self._most_doubts * len(self.label):
            self._at, self._changed = None, len(self.label)
            self._few *= FEWER
        return [sums for sums, _ in found]

    def _look(
        self, cut: slice, centers: np.ndarray, view: View, narrow: Narrow | None, changes: bool
    ) -> tuple[Sums, int]:
        space, sums = self._space(len(centers)), _nothing(centers)
        inertia, n_changed = 0.0, np.zeros(1, dtype=np.int64)
        in_one = self._as_it_is and (narrow is not None or self._measured_as_it_is)
        for part in [cut] if in_one else _parts(cut, part_rows(self._X)):
            found, label = self._nearest[part], self.label[part]
            self._find(part, view, narrow, space)
            if changes:
                X = in_order(self._X[part], space.rows)
                moves = (centers, found, label, sums.count, sums.sum_x, n_changed)
                inertia += change_labels(X, self._pilot, self._unit, *moves)
            else:
                n_changed += np.count_nonzero(found != label)
                label[:] = found
        if not changes:
            inertia = self._add_up(cut, centers, space, sums)
        self._spaces.append(space)
        return sums._replace(inertia=inertia), int(n_changed[0])

    def _find(self, part: slice, view: View, narrow: Narrow | None, space: Workspace) -> None:
        """The nearest center of each row of a part."""
        X, found = self._X[part], self._nearest[part]
        if narrow is None:
            _nearest_center(deviations(X, self._frame, out=space.rows), view, space, found)
            return
        unsure = self._unsure[part]
        n_unsure = narrow_look(in_order(X, space.rows), *narrow, *space.narrow, found, unsure)
        for some in _parts(slice(0, n_unsure), part_rows(X)):
            rows, label = unsure[some], space.nearest[: some.stop - some.start]
            D = deviations(X, self._frame, out=space.rows, rows=rows)
            _nearest_center(D, view, space, label)
            found[rows] = label

    def _add_up(self, cut: slice, centers: np.ndarray, space: Workspace, sums: Sums) -> float:
        """Add the rows of a cut to the sums of their labels; returns their part of J."""
        inertia = 0.0
        for part in _parts(cut, part_rows(self._X)):
            D = deviations(self._X[part], self._frame, out=space.rows)
            inertia += sums_by_label(D, self._weights(part), centers, self.label[part], sums)
        return inertia

    def _look_in_doubt(
        self, cut: slice, centers: np.ndarray, view: View, motion: Motion, changes: bool
    ) -> tuple[Sums, int]:
        assert self.bounds is not None
        space, sums = self._space(len(centers)), _nothing(centers)
        inertia, n_doubts = 0.0, 0
        for some in _parts(cut, CHECKED):
            doubt = space.doubt[: some.stop - some.start]
            n_doubt = in_doubt(
                some.start, some.stop, *self.bounds, *motion, view.noise, view.top, doubt
            )
            n_doubts += n_doubt
            for part in _parts(slice(0, n_doubt), part_rows(self._X)):
                rows = doubt[part]
                D = deviations(self._X, self._frame, out=space.rows, rows=rows)
                weight = self._weights(rows)
                inertia += settle(
                    D, rows, weight, centers, view, motion.reach, self.bounds, space, sums
                )
        if not changes:
            sums = _nothing(centers)
            inertia = self._add_up(cut, centers, space, sums)
        self._spaces.append(space)
        return sums._replace(inertia=inertia), n_doubts

    def _space(self, k: int) -> Workspace:
        try:
            return self._spaces.pop()
        except IndexError:
            return workspace(self._X, k, CHECKED)

    def _weights(self, rows: Any) -> np.ndarray:
        if self._weight is not None:
            return self._weight[rows]
        assert self._ones is not None
        return self._ones


class SparsePasses:
    """Passes over sparse rows in memory; see `DensePasses`."""

    bounds = None

    def __init__(self, X: Any, weight: np.ndarray | None, frame: Frame, k: int):
        n = X.shape[0]
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        self._unit = frame.unit
        self._weight = np.ones(n) if weight is None else weight
        indices = X.indices.astype(np.int32, copy=not X.indices.flags.writeable)
        data = X.data if X.data.flags.writeable else X.data.copy()
        self._rows = X.indptr.astype(np.int64), indices, data
        self._norms = (X / frame.unit if frame.unit != 1.0 else X).astype(np.float64).power(2)
        self._norms = np.asarray(self._norms.sum(axis=1), dtype=np.float64).ravel()
        self.label = np.full(n, -1, dtype=np.int32)
        self._nearest = np.empty(n, dtype=np.int32)
        self._values = np.zeros((n, 2))  # ||c||^2 / 2 - x.c of the nearest center, and of its own
        self._cuts = _cuts(n, k * (X.nnz // max(n, 1) + OF_LEAST), k)

    def sums(self, centers: np.ndarray, before: Sums | None) -> Sums:
        """Look at every row, and add up all, or what that changes to the sums `before`."""
        across = np.ascontiguousarray(centers.T)
        half = np.square(centers).sum(axis=1) / 2
        if self._unit != 1.0:
            across /= self._unit
        shared_map(lambda cut: self._look(cut, across, half), self._cuts)
        sums = _copy(before) if before is not None else _nothing(centers)
        if before is None:
            self.label.fill(-1)
        found = (self._nearest, self._values, self._norms, self._weight)
        change = sparse_changes(
            *self._rows, *found, 1.0 / self._unit, self.label, sums.count, sums.sum_x
        )
        return sums._replace(inertia=sums.inertia + change)

    def go_on_from(self, label: Any) -> None:
        """Go on from these labels."""
        self.label[:] = label

    def _look(self, cut: slice, across: np.ndarray, half: np.ndarray) -> None:
        products = np.empty(len(half) + APART)
        found = (self.label, self._nearest, self._values)
        sparse_look(cut.start, cut.stop, *self._rows, across, half, products, *found)


def _nearest_center(D: np.ndarray, view: View, space: Workspace, label: np.ndarray) -> None:
    few, products, best, index = space.products_of_few
    nearest_center(D, view.C, view.half, few, products, best[0], index, label)


def _nothing(centers: np.ndarray) -> Sums:
    return Sums(np.zeros(len(centers)), 0.0, np.zeros(centers.shape), 0.0)


def _copy(sums: Sums) -> Sums:
    return sums._replace(count=sums.count.copy(), sum_x=sums.sum_x.copy())


def _total(found: list[Sums], centers: np.ndarray, before: Sums | None) -> Sums:
    """All sums, one after the other."""
    total = _nothing(centers) if before is None else _copy(before)
    for sums in found:
        np.add(total.count, sums.count, out=total.count)
        np.add(total.sum_x, sums.sum_x, out=total.sum_x)
        total = total._replace(inertia=total.inertia + sums.inertia)
    return total


def _cuts(n: int, look: int, k: int) -> list[slice]:
    """Rows that a thread works on, by the shapes alone: an even number of cuts of one size."""
    groups = -(-n // TOGETHER)
    most = min(n * look // CUT_PRODUCTS, n // (2 * k), LARGEST_CUTS)
    size = -(-groups // max(1, most // 2 * 2)) * TOGETHER
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _parts(cut: slice, size: int) -> Iterator[slice]:
    for start in range(cut.start, cut.stop, size):
        yield slice(start, min(start + size, cut.stop))
