"""All patches of a picture, worked on and put together again.

Each pixel lies in many patches. Every patch gives an estimate of its pixels, and a picture is the
weighted mean of all that are said of a pixel:

    x_hat = sum_patches w_p R_p' P_hat_p / sum_patches w_p R_p' 1

A signal is a picture of one row; its patches are pieces of it. Patches are cut, worked on and added
up strip by strip: memory is that of the patches of a strip on each thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.core.validation import check_at_least

STRIP = 2**20  # numbers of the patches that are worked on at a time: some 20 MB on each thread
Estimate = tuple[np.ndarray, np.ndarray]  # patches (n, d) and their weights (n,)


class Shape(NamedTuple):
    """Height and width of a patch."""

    h: int
    w: int

    @property
    def d(self) -> int:
        return self.h * self.w


class Grid(NamedTuple):
    """Where patches begin: every so many rows and columns, from an offset on."""

    step: int = 1
    top: int = 0
    left: int = 0

    def counts(self, size: tuple[int, ...], shape: Shape) -> tuple[int, int]:
        """Patches down and across, within a plane of this size."""
        down = len(range(self.top, size[0] - shape.h + 1, self.step))
        return down, len(range(self.left, size[1] - shape.w + 1, self.step))


EVERYWHERE = Grid()


def patch_shape(patch: int, size: tuple[int, ...], name: str, *, least: int = 2) -> Shape:
    """Of a picture patch x patch; of a signal, as many numbers in a row."""
    patch = check_at_least("patch", patch, least)
    if min(size) < patch:
        raise ValueError(
            f"{name} of {' x '.join(map(str, size))} is smaller than a patch (patch={patch}); "
            f"choose patch={min(size)} or less."
        )
    if len(size) == 2:
        return Shape(patch, patch)
    return Shape(1, min(patch * patch, size[0]))


def as_rows(plane: np.ndarray) -> np.ndarray:
    """A plane as a picture; a signal becomes one row."""
    return plane[None] if plane.ndim == 1 else plane


def patches_of(plane: np.ndarray, shape: Shape, grid: Grid = EVERYWHERE) -> np.ndarray:
    """(n, d): the patches of a plane (h, w), row by row."""
    windows = np.lib.stride_tricks.sliding_window_view(plane, shape)
    return windows[grid.top :: grid.step, grid.left :: grid.step].reshape(-1, shape.d)


def put_together(
    P: np.ndarray, size: tuple[int, ...], shape: Shape, grid: Grid = EVERYWHERE
) -> np.ndarray:
    """(h, w): patches added up where they lie, the adjoint of `patches_of`."""
    down, across = grid.counts(size, shape)
    cube = P.reshape(down, across, shape.d)
    out = np.zeros(size)
    for f in range(shape.d):
        r, c = divmod(f, shape.w)
        rows = slice(grid.top + r, grid.top + r + grid.step * (down - 1) + 1, grid.step)
        columns = slice(grid.left + c, grid.left + c + grid.step * (across - 1) + 1, grid.step)
        out[rows, columns] += cube[:, :, f]
    return out


class Part(NamedTuple):
    """A part of a plane with some of the patches; `grid` is as seen from its corner."""

    where: tuple[slice, slice]
    grid: Grid


def parts_of(size: tuple[int, ...], shape: Shape, grid: Grid = EVERYWHERE) -> list[Part]:
    """All patches in strips: of rows, or, of a single row of patches, of columns."""
    down, across = grid.counts(size, shape)
    if down * across == 0:
        return []
    most = max(1, STRIP // shape.d)
    if down == 1:
        each, along, length, first = most, across, shape.w, grid.left
    else:
        each, along, length, first = max(1, most // across), down, shape.h, grid.top
    found = []
    for start in range(0, along, each):
        last = min(start + each, along) - 1
        strip = slice(first + start * grid.step, first + last * grid.step + length)
        if down == 1:
            inside = (slice(0, size[0]), strip)
            found.append(Part(inside, grid._replace(left=0)))
        else:
            found.append(Part((strip, slice(0, size[1])), grid._replace(top=0)))
    return found


def averaged(
    size: tuple[int, ...],
    shape: Shape,
    estimate: Callable[[Part], Estimate],
    grid: Grid = EVERYWHERE,
) -> tuple[np.ndarray, np.ndarray]:
    """Sum of all estimates of each pixel, and of their weights, (h, w) each.

    Parameters
    ----------
    size : (h, w)
    shape : Shape
    estimate : callable
        Of a part of the plane: what all its patches should be, and how much each counts.
    grid : Grid
    """
    total, weight = np.zeros(size), np.zeros(size)
    parts = parts_of(size, shape, grid)

    def added(part: Part) -> tuple[np.ndarray, np.ndarray]:
        P, w = estimate(part)
        inside = tuple(one.stop - one.start for one in part.where)
        each = np.broadcast_to(w[:, None], P.shape)
        return (
            put_together(P * each, inside, shape, part.grid),
            put_together(each, inside, shape, part.grid),
        )

    for part, (sums, weights) in zip(parts, ordered_map(added, parts), strict=True):
        total[part.where] += sums
        weight[part.where] += weights
    return total, weight
