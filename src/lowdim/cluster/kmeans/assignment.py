"""The nearest center of every row, and the sums that follow: one pass of k-means over a block.

    a(i) = argmin_j ||x_i - c_j||^2 = argmin_j ||c_j||^2 / 2 - x_i.c_j

so the distances to all centers are one product of matrices, made for a few hundred rows at a time:
no array of rows x centers is ever held. What is near is then measured by differences, exactly.

A row need not be looked at again while its bounds hold (Elkan 2003, Hamerly 2010):

    upper    ||x - c_a|| <= upper: the distance when last measured, and what c_a has moved since
    lower    lower <= ||x - c_j|| for every other j: the distance of the second nearest center when
             last measured, less what centers near c_a have moved since; those farther away count
             by their distance from c_a
    reach    half the distance of c_a from the nearest other center

The label holds if upper is less than lower or reach. There is a margin for the rounding of
products, so that a row which is not looked at has the label that a look would give. Then only rows
that change their label need be added to the sums of one center, and taken from those of another.

Sparse rows are not made dense; rows with missing values are the subject of `missing.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.cluster.kmeans import missing as kmeans_missing
from lowdim.cluster.kmeans.kernels import (
    TOGETHER,
    add_up,
    measure,
    nearest_center,
    relabel,
    shift,
    still_in_doubt,
    two_nearest,
)
from lowdim.core.blocks import Blocks
from lowdim.linalg.moments import Frame, unit_for

PART_BYTES = 2**19  # rows worked on at a time: in the cache, and memory that is soon used again


class Motion(NamedTuple):
    """What bounds need to know of the centers."""

    moved: np.ndarray  # (k,)  how far each has moved
    drift: np.ndarray  # (k, levels)  the farthest that any of the s centers nearest to j has moved
    beyond: np.ndarray  # (k, levels)  how far from j the others are; infinite if there are none
    reach: np.ndarray  # (k,)  half the distance of the nearest other center


class Setting(NamedTuple):
    """What a pass over the rows needs to know."""

    centers: np.ndarray  # (k, d)  float64, measured in the frame
    frame: Frame
    has_missing: bool = False  # whether rows may have NaN


class Sums(NamedTuple):
    """What a pass adds up, measured in the frame."""

    count: np.ndarray  # type: ignore[assignment]  # (k,)    weight of the rows nearest each center
    missing: Any  # (k, d)  that of missing entries among them; 0.0 where there are none
    sum_x: np.ndarray  # (k, d)  their weighted sum over observed entries
    inertia: float  # their part of J


class Bounds(NamedTuple):
    """What is remembered of every row from pass to pass; passes write into it."""

    label: np.ndarray  # (n,)  the nearest center; -1 before the first pass
    upper: np.ndarray  # (n,)  it is no farther than this
    lower: np.ndarray  # (n,)  no other center is nearer than this


def unknown(label: np.ndarray, dtype: np.dtype) -> Bounds:
    """Bounds of rows before the first pass."""
    n = len(label)
    return Bounds(label, np.full(n, np.inf, dtype=dtype), np.zeros(n, dtype=dtype))


def setting_of(centers: np.ndarray, rows: Blocks) -> Setting:
    """Finished centers, and a frame in which rows of the same kind keep their digits."""
    C = np.asarray(centers, dtype=np.float64)
    pilot = np.zeros(C.shape[1], dtype=rows.dtype)
    if not rows.is_sparse:
        pilot += (C / len(C)).sum(axis=0).astype(rows.dtype)
    C = C - pilot
    unit = unit_for(np.abs(C).max(initial=0.0), rows.dtype)
    return Setting(C / unit, Frame(pilot, unit), has_missing=True)


def statistics(X: Any, setting: Setting, weight: np.ndarray | None) -> Sums:
    """What one block of rows adds up."""
    if sp.issparse(X):
        return _sparse_statistics(X, setting, weight)
    if setting.has_missing and kmeans_missing.has_missing(X):
        return Sums(*kmeans_missing.statistics(X, setting.centers, setting.frame, weight))
    k, d = setting.centers.shape
    weight = np.ones(len(X)) if weight is None else weight
    view, space = view_of(setting.centers, X.dtype), workspace(X, k)
    few, products, best, index = space.products_of_few
    sums = Sums(np.zeros(k), 0.0, np.zeros((k, d)), 0.0)
    inertia = 0.0
    for part in _parts(len(X), X):
        D = deviations(X[part], setting.frame, out=space.rows)
        label = space.nearest[: len(D)]
        nearest_center(D, view.C, view.half, few, products, best[0], index, label)
        inertia += sums_by_label(D, weight[part], setting.centers, label, sums)
    return sums._replace(inertia=inertia)


def sums_by_label(
    D: np.ndarray, weight: np.ndarray, centers: np.ndarray, label: np.ndarray, sums: Sums
) -> float:
    """Add rows to the sums of their labels; returns their part of J."""
    return add_up(D, weight, centers, label, sums.count, sums.sum_x)


def settle(
    D: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray,
    centers: np.ndarray,
    view: View,
    reach: np.ndarray,
    bounds: Bounds,
    space: Workspace,
    changes: Sums,
) -> float:
    """Measure rows in doubt, D = rows `rows`; add to the sums what changes, return that of J."""
    square, chosen, second = space.square, space.chosen, space.second
    n_chosen = still_in_doubt(
        D, rows, centers, view.noise, view.top, reach, *bounds, square, chosen
    )
    two_nearest(D, chosen, n_chosen, *view, *space.products_of_few, space.nearest, second)
    found = (chosen, n_chosen, space.nearest, second)
    return relabel(D, rows, weight, centers, *found, *bounds, changes.count, changes.sum_x)


def update(sums: Sums, centers: np.ndarray) -> np.ndarray:
    """Each center moves to the mean of its rows; it stays in columns that none of them observes."""
    observed = sums.count[:, None] - sums.missing  # (k, d) or (k, 1)
    known = observed > 1e-12 * sums.count[:, None]  # weights may not cancel to the last bit
    return np.where(known, sums.sum_x / np.where(known, observed, 1.0), centers)


def nearest(X: Any, setting: Setting) -> np.ndarray:
    """Number of the nearest center for each row of a block."""
    return labels_and_squares(X, setting)[0]


def square_to_nearest(X: Any, setting: Setting, weight: np.ndarray | None = None) -> np.ndarray:
    """Squared distance from the nearest center, in the frame; 0 for rows of weight 0."""
    square = labels_and_squares(X, setting)[1]
    return square if weight is None else np.where(weight > 0, square, 0.0)


def labels_and_squares(X: Any, setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """The nearest center of each row of a block, and its squared distance in the frame."""
    if sp.issparse(X):
        return _sparse_labels_and_squares(X, setting)
    if setting.has_missing and kmeans_missing.has_missing(X):
        return kmeans_missing.labels_and_squares(X, setting.centers, setting.frame)
    label, square = np.empty(len(X), dtype=np.int32), np.empty(len(X))
    view, space = view_of(setting.centers, X.dtype), workspace(X, len(setting.centers))
    every = np.arange(len(space.rows))
    for part in _parts(len(X), X):
        D = deviations(X[part], setting.frame, out=space.rows)
        nearest = (label[part], space.second[: len(D)])
        two_nearest(D, every, len(D), *view, *space.products_of_few, *nearest)
        measure(D, setting.centers, label[part], square[part])
    return label, square


def distances(X: Any, setting: Setting) -> np.ndarray:
    """Distance of every row from every center, (b, k), in the unit of the data."""
    if setting.has_missing and not sp.issparse(X) and kmeans_missing.has_missing(X):
        squares = kmeans_missing.squares(X, setting.centers, setting.frame)
    elif sp.issparse(X):
        squares = _squares_by_products(
            X, setting.frame.unit, np.ascontiguousarray(setting.centers.T)
        )
    else:
        squares = _dense_squares(X, setting)
    return (np.sqrt(squares) * setting.frame.unit).astype(X.dtype, copy=False)


def motion_of(before: np.ndarray | None, centers: np.ndarray) -> Motion:
    """How centers moved from `before`; not at all if there was no pass before."""
    k = len(centers)
    if before is None:
        return Motion(np.zeros(k), np.zeros((k, 1)), np.zeros((k, 1)), np.zeros(k))
    moved = np.linalg.norm(centers - before, axis=1) * (1.0 + 1e-12)
    apart = _distances_between(centers)
    order = np.argsort(apart, axis=1)  # of each center the others by distance, itself last
    others = len(centers) - 1
    sizes = np.unique([others // 16, others // 4, others])
    drift = np.maximum.accumulate(moved[order], axis=1)[:, np.maximum(sizes - 1, 0)]
    drift = np.where(sizes > 0, drift, 0.0)
    beyond = np.take_along_axis(apart, order[:, sizes], axis=1)
    drift, beyond = np.ascontiguousarray(drift), np.ascontiguousarray(beyond)
    return Motion(moved, drift, beyond, 0.5 * apart.min(axis=1))


def _distances_between(centers: np.ndarray) -> np.ndarray:
    """(k, k) distances between centers, rounded down; infinite from itself."""
    squares = np.square(centers).sum(axis=1)
    apart = squares[:, None] + squares - 2.0 * (centers @ centers.T)
    apart -= 1e-14 * centers.shape[1] * squares.max(initial=0.0)
    np.fill_diagonal(apart, np.inf)
    return np.sqrt(np.maximum(apart, 0.0, out=apart), out=apart)


def deviations(
    X: np.ndarray, frame: Frame, out: np.ndarray | None = None, rows: np.ndarray | None = None
) -> np.ndarray:
    """Rows, or those chosen, as measured in the frame, in C order so that kernels see one type.

    X itself where that needs no copy; else in `out`.
    """
    as_they_are = frame.unit == 1.0 and not frame.pilot.any()
    if rows is None and as_they_are and X.flags.c_contiguous and X.flags.writeable:
        return X
    n = len(X) if rows is None else len(rows)
    D = np.empty((n, X.shape[1]), dtype=X.dtype) if out is None else out[:n]
    if rows is None:
        D[:] = X
    else:
        np.take(X, rows, axis=0, out=D, mode="clip")
    if not as_they_are:
        shift(D, frame.pilot.astype(X.dtype, copy=False), X.dtype.type(frame.unit))
    return D


def in_order(X: np.ndarray, out: np.ndarray) -> np.ndarray:
    """X in C order and writeable, as kernels take it; a copy in `out` if it is not."""
    if X.flags.c_contiguous and X.flags.writeable:
        return X
    D = out[: len(X)]
    D[:] = X
    return D


class Narrow(NamedTuple):
    """Rows and centers of float64 as products in float32 need them."""

    pilot: np.ndarray  # (d,)
    scale: float  # deviations from the pilot times this are about 1
    C: np.ndarray  # (k, d)  float32
    half: np.ndarray  # (k,)  ||c||^2 / 2
    noise: float  # rounding hides no gap of squared distances above noise (||x||^2 + top)
    top: float


def narrow_of(centers: np.ndarray, frame: Frame) -> Narrow:
    """Of x.c at most (d + 2) eps ||x|| ||c|| is rounding, of the gap of two values twice that."""
    unit = unit_for(np.abs(centers).max(initial=0.0), np.dtype(np.float32))
    C = centers / unit
    squares = np.square(C).sum(axis=1)
    noise = 2.0 * (centers.shape[1] + 8.0) * float(np.finfo(np.float32).eps)
    pilot = np.array(frame.pilot, dtype=np.float64)
    scale = 1.0 / (frame.unit * unit)
    C, half = C.astype(np.float32), (squares / 2).astype(np.float32)
    return Narrow(pilot, scale, C, half, noise, float(squares.max()))


class View(NamedTuple):
    """Centers as the products with rows of some dtype need them."""

    C: np.ndarray  # (k, d)
    half: np.ndarray  # (k,)  ||c||^2 / 2
    noise: float  # rounding of a squared distance is at most noise (distance^2 + top)
    top: float


def view_of(centers: np.ndarray, dtype: np.dtype) -> View:
    """Centers for products with rows of this dtype."""
    squares = np.square(centers).sum(axis=1)
    noise = 8.0 * (centers.shape[1] + 8.0) * float(np.finfo(dtype).eps)
    C = np.ascontiguousarray(centers, dtype=dtype)
    return View(C, (squares / 2).astype(dtype), noise, 4.0 * float(squares.max()))


Products = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Workspace(NamedTuple):
    """Arrays to work in, used again for every part of a block: fresh memory is slow memory."""

    rows: np.ndarray  # (part, d)
    products_of_few: Products  # what `two_nearest` works in
    chosen: np.ndarray  # (part,)  rows that are measured against all centers
    square: np.ndarray  # (part,)  squared distance from the center a row had
    nearest: np.ndarray  # (part,)  its nearest center
    second: np.ndarray  # (part,)  no other center is nearer than this
    doubt: np.ndarray  # (checked,)  rows whose bounds do not hold
    narrow: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # of `narrow_look`


def workspace(X: np.ndarray, k: int, checked: int = 0) -> Workspace:
    """Arrays to work in with rows like those of X and k centers."""
    size, d = part_rows(X), X.shape[1]
    shapes = ((TOGETHER, d), (k, TOGETHER), (2, TOGETHER))
    few, products, best = (np.zeros(shape, dtype=X.dtype) for shape in shapes)
    index = np.empty(TOGETHER, dtype=np.int32)
    few32, products32, best32 = (np.zeros(shape, dtype=np.float32) for shape in shapes)
    return Workspace(
        rows=np.zeros((size, d), dtype=X.dtype),
        products_of_few=(few, products, best, index),
        chosen=np.empty(size, dtype=np.int64),
        square=np.empty(size),
        nearest=np.empty(size, dtype=np.int32),
        second=np.empty(size, dtype=X.dtype),
        doubt=np.empty(checked, dtype=np.int64),
        narrow=(few32, np.zeros(TOGETHER, dtype=np.float32), products32, best32, index),
    )


def _parts(n: int, X: np.ndarray) -> Iterator[slice]:
    """Of n rows like those of X as many at a time as stay in the cache."""
    size = part_rows(X)
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def part_rows(X: np.ndarray) -> int:
    return max(1, min(len(X), max(TOGETHER, PART_BYTES // (X.dtype.itemsize * X.shape[1]))))


def _dense_squares(X: np.ndarray, setting: Setting) -> np.ndarray:
    centers = setting.centers
    squares = np.empty((len(X), len(centers)))
    norms = np.square(centers).sum(axis=1)
    for part in _parts(len(X), X):
        D = deviations(X[part], setting.frame).astype(np.float64, copy=False)
        square = np.square(D).sum(axis=1)[:, None] + norms - 2.0 * (D @ centers.T)
        # where little is left of the sum, its rounding shows: these few by differences
        i, j = np.nonzero(square < 1e-6 * norms.max(initial=0.0))
        square[i, j] = np.square(D[i] - centers[j]).sum(axis=1)
        squares[part] = square
    return squares


# ---- sparse rows ---------------------------------------------------------------------------------


def _sparse_statistics(X: Any, setting: Setting, weight: np.ndarray | None) -> Sums:
    k = len(setting.centers)
    label, square = _sparse_labels_and_squares(X, setting)
    w = np.ones(X.shape[0]) if weight is None else weight
    member = sp.csr_array((w, (label, np.arange(len(w)))), shape=(k, len(w)))
    sum_x = (member @ X).toarray().astype(np.float64) / setting.frame.unit
    count = np.bincount(label, weights=w, minlength=k)
    return Sums(count, 0.0, sum_x, float(w @ square))


def _sparse_labels_and_squares(X: Any, setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    label, square = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
    k = len(setting.centers)
    size = max(TOGETHER, PART_BYTES // (X.dtype.itemsize * k))
    C = np.ascontiguousarray(setting.centers.T)
    half = np.square(C).sum(axis=0) / 2
    for start in range(0, X.shape[0], size):
        part = slice(start, start + size)
        Y = X[part].astype(np.float64) / setting.frame.unit
        values = half - Y @ C  # as for dense rows, so that ties end alike
        label[part] = values.argmin(axis=1)
        square[part] = np.maximum(2.0 * values.min(axis=1) + Y.power(2).sum(axis=1), 0.0)
    return label, square


def _squares_by_products(X: Any, unit: float, C: np.ndarray) -> np.ndarray:
    """Squared distances of sparse rows from the columns of C, (b, k)."""
    X = X.astype(np.float64) / unit
    squares = np.square(C).sum(axis=0) - 2.0 * (X @ C)
    squares += X.power(2).sum(axis=1)[:, None]
    return np.maximum(squares, 0.0, out=squares)
