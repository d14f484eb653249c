"""New points among those of a map, which stay where they are.

    minimise over y     s(y) = sum_j (f_j - |y - y_j|)^2

    majorization:       y <- y - g / n,   g = sum_j (|y - y_j| - f_j) / |y - y_j| (y - y_j)

which never raises s. Steps are as many times longer as the last two gradients say (Barzilai and
Borwein 1988), and shortened, down to the plain one, where s would rise. Each point is placed for
itself: what else is placed at the same time changes nothing.

Start: the better of the place of the nearest point, and of the place at which
|y - y_j|^2 - f_j^2 varies least, a linear problem (Gower 1968).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.maps.mds.guttman import rows_look

MOST_LOOKS = 200
LONGEST = 100.0  # steps, in plain ones
NEAR = 1e-11  # of the size of the map: a plain step that is the last


class Anchors(NamedTuple):
    """The points of a map, and what a linear start needs of them."""

    Y: np.ndarray  # (n, k)
    center: np.ndarray  # (k,)
    squares: np.ndarray  # (n,)  |y_j - center|^2
    axes: np.ndarray  # (n, k)  centered Y times the inverse of its scatter
    size: float  # of the map


def anchors_of(Y: np.ndarray) -> Anchors:
    """The points of a map, ready for placing others among them."""
    Y = np.ascontiguousarray(Y, dtype=np.float64)
    center = Y.mean(axis=0)
    C = Y - center
    axes = C @ np.linalg.pinv(C.T @ C, hermitian=True)
    squares = np.einsum("ij,ij->i", C, C)
    return Anchors(Y, center, squares, axes, float(np.sqrt(squares.mean())))


def place(disparity: np.ndarray, anchors: Anchors) -> np.ndarray:
    """Places (m, k) of new points, given f (m, n) to those of the map."""
    n = len(anchors.Y)
    y = _start(disparity, anchors)
    look = rows_look(disparity, y, anchors.Y)
    length = np.ones(len(y))
    open_ = np.arange(len(y))  # points that still move
    for _ in range(MOST_LOOKS):
        step = look.gradient / n
        moves = np.sqrt(np.einsum("ij,ij->i", step, step)) > NEAR * anchors.size
        if not moves.all():
            open_, length, step = open_[moves], length[moves], step[moves]
            look = look._replace(stress=look.stress[moves], gradient=look.gradient[moves])
        if not len(open_):
            break
        trial = y[open_] - length[:, None] * step
        seen = rows_look(disparity[open_], trial, anchors.Y)
        lower = seen.stress <= look.stress
        longer = _next_length(trial - y[open_], (seen.gradient - look.gradient) / n)
        y[open_[lower]] = trial[lower]
        at_rest = ~lower & (length <= 1.0)  # rounding: nothing is lower
        length = np.where(lower, longer, np.maximum(length / 4, 1.0))
        stress = np.where(lower, seen.stress, look.stress)
        gradient = np.where(lower[:, None], seen.gradient, look.gradient)
        gradient[at_rest] = 0.0
        look = look._replace(stress=stress, gradient=gradient)
    return y


def _next_length(step: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """How many plain steps the next one is worth, for each point."""
    bend = np.einsum("ij,ij->i", step, turn)
    size = np.einsum("ij,ij->i", step, step)
    length = np.divide(size, bend, out=np.full(len(step), LONGEST), where=bend > 0)
    return np.clip(length, 1.0, LONGEST)


def _start(disparity: np.ndarray, anchors: Anchors) -> np.ndarray:
    nearest = anchors.Y[np.argmin(disparity, axis=1)]
    # |y - c|^2 - 2 (y - c)'(y_j - c) + |y_j - c|^2 = f_j^2, less its mean over j
    apart = anchors.squares - np.square(disparity)
    by_column = [(apart * axis).sum(axis=1) for axis in np.ascontiguousarray(anchors.axes.T)]
    linear = anchors.center + 0.5 * np.column_stack(by_column)
    better = (
        rows_look(disparity, linear, anchors.Y).stress
        < rows_look(disparity, nearest, anchors.Y).stress
    )
    return np.where(better[:, None], linear, nearest)
