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

Sparse rows are not made dense; rows with holes are the subject of `missing.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.cluster.kmeans import missing as kmeans_holes
from lowdim.core.blocks import Blocks
from lowdim.core.kernel import kernel
from lowdim.linalg.moments import Frame, unit_for

PART_BYTES = 3 * 2**15  # rows worked on at a time: in the cache, and memory that is soon used again
CHECKED = 2**14  # rows whose bounds are checked before those in doubt are looked at
TOGETHER = 256  # rows in one product of matrices
ROUNDING = 2.0**-22  # of a bound that is kept in float32


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
    holes: bool = False  # whether rows may have NaN
    motion: Motion | None = None  # of the centers since the bounds were written
    changes: bool = False  # add up only the changes since then


class Sums(NamedTuple):
    """What a pass adds up, measured in the frame."""

    count: np.ndarray  # type: ignore[assignment]  # (k,)    weight of the rows nearest each center
    missing: Any  # (k, d)  that of missing entries among them; 0.0 where there are none
    sum_x: np.ndarray  # (k, d)  their weighted sum over observed entries
    inertia: float  # their part of J
    """With `changes`: what rows with a new label add to that of the new one, less of the old."""


class Bounds(NamedTuple):
    """What is remembered of every row from pass to pass; passes write into it."""

    label: np.ndarray  # (n,)  the nearest center; -1 before the first pass
    upper: np.ndarray  # (n,)  it is no farther than this
    lower: np.ndarray  # (n,)  no other center is nearer than this


def unknown(n: int, dtype: np.dtype) -> Bounds:
    """Bounds of n rows before the first pass."""
    label = np.full(n, -1, dtype=np.int32)
    return Bounds(label, np.full(n, np.inf, dtype=dtype), np.zeros(n, dtype=dtype))


def setting_of(centers: np.ndarray, rows: Blocks) -> Setting:
    """Finished centers, and a frame in which rows of the same kind keep their digits."""
    C = np.asarray(centers, dtype=np.float64)
    pilot = np.zeros(C.shape[1], dtype=rows.dtype)
    if not rows.is_sparse:
        pilot += (C / len(C)).sum(axis=0).astype(rows.dtype)
    C = C - pilot
    unit = unit_for(np.abs(C).max(initial=0.0), rows.dtype)
    return Setting(C / unit, Frame(pilot, unit), holes=True)


def statistics(X: Any, setting: Setting, weight: np.ndarray | None, *bounds: Any) -> Sums:
    """What one block of rows adds up; writes into the bounds, if given."""
    if sp.issparse(X):
        return _sparse_statistics(X, setting, weight)
    if setting.holes and kmeans_holes.has_holes(X):
        return Sums(*kmeans_holes.statistics(X, setting.centers, setting.frame, weight))
    k, d = setting.centers.shape
    bounds = Bounds(*bounds) if bounds else unknown(len(X), X.dtype)
    still = Motion(np.zeros(k), np.zeros((k, 1)), np.zeros((k, 1)), np.zeros(k))
    motion = setting.motion or still
    view, desk = _view(setting, X.dtype), _desk(X, k)
    ones = np.ones(len(desk.rows))
    changes = Sums(np.zeros(k), 0.0, np.zeros((k, d)), 0.0)
    for start in range(0, len(X), CHECKED):
        doubt = _in_doubt(start, start + CHECKED, *bounds, *motion, view.noise, view.top)
        for part in _parts(len(doubt), X):
            rows = doubt[part]
            D = deviations(X[rows], setting.frame, out=desk.rows)
            w = ones[: len(D)] if weight is None else weight[rows]
            told = (setting.centers, *view, motion.reach, *desk[1:])
            change = _settle(D, rows, w, *told, *bounds, changes.count, changes.sum_x)
            changes = changes._replace(inertia=changes.inertia + change)
    if setting.changes:
        return changes
    count, sum_x, inertia = np.zeros(k), np.zeros((k, d)), 0.0
    for part in _parts(len(X), X):
        D = deviations(X[part], setting.frame, out=desk.rows)
        w = ones[: len(D)] if weight is None else weight[part]
        inertia += _add_up(D, w, setting.centers, bounds.label[part], count, sum_x)
    return Sums(count, 0.0, sum_x, inertia)


def update(sums: Sums, centers: np.ndarray) -> np.ndarray:
    """Each center moves to the mean of its rows; what no row tells stays."""
    observed = sums.count[:, None] - sums.missing  # (k, d) or (k, 1)
    told = observed > 1e-12 * sums.count[:, None]  # weights may not cancel to the last bit
    return np.where(told, sums.sum_x / np.where(told, observed, 1.0), centers)


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
    if setting.holes and kmeans_holes.has_holes(X):
        return kmeans_holes.labels_and_squares(X, setting.centers, setting.frame)
    label, square = np.empty(len(X), dtype=np.int32), np.empty(len(X))
    view, desk = _view(setting, X.dtype), _desk(X, len(setting.centers))
    for part in _parts(len(X), X):
        D = deviations(X[part], setting.frame, out=desk.rows)
        _measure(D, setting.centers, *view, *desk[1:], label[part], square[part])
    return label, square


def distances(X: Any, setting: Setting) -> np.ndarray:
    """Distance of every row from every center, (b, k), in the unit of the data."""
    if setting.holes and not sp.issparse(X) and kmeans_holes.has_holes(X):
        squares = kmeans_holes.squares(X, setting.centers, setting.frame)
    elif sp.issparse(X):
        squares = _squares_by_products(
            X, setting.frame.unit, np.ascontiguousarray(setting.centers.T)
        )
    else:
        squares = _dense_squares(X, setting)
    return (np.sqrt(squares) * setting.frame.unit).astype(X.dtype, copy=False)


def motion(before: np.ndarray | None, centers: np.ndarray) -> Motion | None:
    """How centers moved from `before`; None if there was no pass before."""
    if before is None:
        return None
    moved = np.linalg.norm(centers - before, axis=1) * (1.0 + 1e-12)
    apart = _distances_between(centers)
    order = np.argsort(apart, axis=1)  # of each center the others by distance, itself last
    others = len(centers) - 1
    sizes = np.unique([others // 16, others // 4, others])
    drift = np.maximum.accumulate(moved[order], axis=1)[:, np.maximum(sizes - 1, 0)]
    beyond = np.take_along_axis(apart, order[:, sizes], axis=1)
    return Motion(moved, np.where(sizes > 0, drift, 0.0), beyond, 0.5 * apart.min(axis=1))


def _distances_between(centers: np.ndarray) -> np.ndarray:
    """(k, k) distances between centers, rounded down; infinite from itself."""
    squares = np.square(centers).sum(axis=1)
    apart = squares[:, None] + squares - 2.0 * (centers @ centers.T)
    apart -= 1e-14 * centers.shape[1] * squares.max(initial=0.0)
    np.fill_diagonal(apart, np.inf)
    return np.sqrt(np.maximum(apart, 0.0, out=apart), out=apart)


def deviations(X: np.ndarray, frame: Frame, out: np.ndarray | None = None) -> np.ndarray:
    """Rows as measured in the frame: a copy in C order, so that kernels see one type."""
    D = np.empty(X.shape, dtype=X.dtype) if out is None else out[: len(X)]
    D[:] = X
    if frame.pilot.any() or frame.unit != 1.0:
        _shift(D, frame.pilot.astype(X.dtype, copy=False), X.dtype.type(frame.unit))
    return D


class _View(NamedTuple):
    """Centers as the products with rows of some dtype need them."""

    C: np.ndarray  # (k, d)
    half: np.ndarray  # (k,)  ||c||^2 / 2
    noise: float  # rounding of a squared distance is at most noise (distance^2 + top)
    top: float


def _view(setting: Setting, dtype: np.dtype) -> _View:
    centers = setting.centers
    squares = np.square(centers).sum(axis=1)
    noise = 8.0 * (centers.shape[1] + 8.0) * float(np.finfo(dtype).eps)
    C = np.ascontiguousarray(centers, dtype=dtype)
    return _View(C, (squares / 2).astype(dtype), noise, 4.0 * float(squares.max()))


class _Desk(NamedTuple):
    """Room to work in, used again for every part of a block: fresh memory is slow memory."""

    rows: np.ndarray  # (part, d)
    few: np.ndarray  # (TOGETHER, d)
    products: np.ndarray  # (k, TOGETHER)


def _desk(X: np.ndarray, k: int) -> _Desk:
    size, d = _part_rows(X), X.shape[1]
    shapes = ((size, d), (TOGETHER, d), (k, TOGETHER))
    return _Desk(*(np.zeros(shape, dtype=X.dtype) for shape in shapes))


def _parts(n: int, X: np.ndarray) -> Iterator[slice]:
    """Of n rows like those of X as many at a time as stay in the cache."""
    size = _part_rows(X)
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _part_rows(X: np.ndarray) -> int:
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
    for start in range(0, X.shape[0], size):
        part = slice(start, start + size)
        squares = _squares_by_products(X[part], setting.frame.unit, C)
        label[part] = squares.argmin(axis=1)
        square[part] = squares.min(axis=1)
    return label, square


def _squares_by_products(X: Any, unit: float, C: np.ndarray) -> np.ndarray:
    """Squared distances of sparse rows from the columns of C, (b, k)."""
    X = X.astype(np.float64) / unit
    squares = np.square(C).sum(axis=0) - 2.0 * (X @ C)
    squares += X.power(2).sum(axis=1)[:, None]
    return np.maximum(squares, 0.0, out=squares)


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _in_doubt(start, stop, label, upper, lower, moved, drift, beyond, reach, noise, top):
    """Let bounds follow the centers; the rows whose label may not hold any more."""
    stop = min(stop, len(label))
    doubt = np.empty(stop - start, dtype=np.int32)
    n_doubt = 0
    for i in range(start, stop):
        j = label[i]
        if j >= 0:
            own, old, bound = upper[i] + moved[j], lower[i], 0.0
            for s in range(drift.shape[1]):
                bound = max(bound, min(old - drift[j, s], beyond[j, s] - own))
            upper[i] = own * (1.0 + ROUNDING)
            lower[i] = bound * (1.0 - ROUNDING)
            bound = max(bound, reach[j])
            square = own * own
            if square + noise * (square + top) < bound * bound:
                continue
        doubt[n_doubt] = i
        n_doubt += 1
    return doubt[:n_doubt]


@kernel
def _settle(
    X,
    rows,
    weight,
    centers,
    C,
    half,
    noise,
    top,
    reach,
    few,
    products,
    label,
    upper,
    lower,
    count,
    sum_x,
):
    """Measure the rows in doubt, X = rows `rows`; add up the changes, return that of J."""
    b, d = X.shape
    square, winner, second = np.zeros(b), np.empty(b, dtype=np.int32), np.empty(b, dtype=X.dtype)
    look = np.empty(b, dtype=np.int64)
    n_look = 0
    for i in range(b):
        r = rows[i]
        j = label[r]
        if j >= 0:
            square[i] = square_apart(X, i, centers, j)
            upper[r] = np.sqrt(square[i]) * (1.0 + ROUNDING)
            bound = max(np.float64(lower[r]), reach[j])
            if square[i] + noise * (square[i] + top) < bound * bound:
                continue
        look[n_look] = i
        n_look += 1
    _look(X, look[:n_look], C, half, noise, top, few, products, winner, second)
    inertia = 0.0
    for t in range(n_look):
        i = look[t]
        r = rows[i]
        new, old, w = winner[i], label[r], weight[i]
        lower[r] = second[i]
        if new == old:
            continue
        nearer = square_apart(X, i, centers, new)
        upper[r] = np.sqrt(nearer) * (1.0 + ROUNDING)
        label[r] = new
        inertia += w * (nearer - square[i])
        count[new] += w
        for f in range(d):
            sum_x[new, f] += w * X[i, f]
        if old >= 0:
            count[old] -= w
            for f in range(d):
                sum_x[old, f] -= w * X[i, f]
    return inertia


@kernel
def _add_up(X, weight, centers, label, count, sum_x):
    """Add up rows by their labels; returns their part of J."""
    inertia = 0.0
    for i in range(len(X)):
        j, w = label[i], weight[i]
        inertia += w * square_apart(X, i, centers, j)
        count[j] += w
        for f in range(X.shape[1]):
            sum_x[j, f] += w * X[i, f]
    return inertia


@kernel
def _measure(X, centers, C, half, noise, top, few, products, label, square):
    """The nearest center of every row, and its squared distance."""
    b = len(X)
    lower = np.empty(b, dtype=X.dtype)
    _look(X, np.arange(b), C, half, noise, top, few, products, label, lower)
    for i in range(b):
        square[i] = square_apart(X, i, centers, label[i])


@kernel
def _look(X, look, C, half, noise, top, few, products, label, lower):
    """Nearest center of the rows `look`, and a bound below the distance of the second."""
    k, d = C.shape
    first, second = np.empty(TOGETHER, dtype=X.dtype), np.empty(TOGETHER, dtype=X.dtype)
    index = np.empty(TOGETHER, dtype=np.int32)
    for start in range(0, len(look), TOGETHER):
        size = min(TOGETHER, len(look) - start)
        for t in range(size):
            for f in range(d):
                few[t, f] = X[look[start + t], f]
        np.dot(
            C, few.T, products
        )  # always of one shape: a row's products do not depend on its company
        first[:] = np.inf
        second[:] = np.inf
        index[:] = 0
        for j in range(k):
            h = half[j]
            number = np.int32(j)
            # rows side by side, and no branches: this loop becomes vector instructions
            for t in range(TOGETHER):
                value, nearest, next_one, its_number = (
                    h - products[j, t],
                    first[t],
                    second[t],
                    index[t],
                )
                nearer = value < nearest
                not_nearer = value if value < next_one else next_one
                second[t] = nearest if nearer else not_nearer
                first[t] = value if nearer else nearest
                index[t] = number if nearer else its_number
        for t in range(size):
            i = look[start + t]
            label[i] = index[t]
            norm = 0.0
            for f in range(d):
                norm += np.float64(few[t, f]) * np.float64(few[t, f])
            square = 2.0 * np.float64(second[t]) + norm
            square -= noise * (norm + top)
            lower[i] = np.sqrt(max(square, 0.0)) * (1.0 - ROUNDING)


@kernel
def square_apart(X, i, centers, j):
    """||x_i - c_j||^2 by differences."""
    square = 0.0
    for f in range(X.shape[1]):
        apart = X[i, f] - centers[j, f]
        square += apart * apart
    return square


@kernel
def _shift(X, pilot, unit):
    """(X - pilot) / unit in place; NumPy is slow to broadcast to short rows."""
    for i in range(X.shape[0]):
        for f in range(X.shape[1]):
            X[i, f] = (X[i, f] - pilot[f]) / unit
