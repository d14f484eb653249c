"""Work on the planes of a picture, a tile with a margin at a time.

What a method makes of a pixel depends on pixels nearby; with a margin as wide as that, tiles give
what the whole picture would. Tiles come one after the other, and threads share the work within one:
memory is that of one tile, and of a strip of patches on each thread, beside picture and result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lowdim.sparse.pictures.colors import OPPONENT, mixed
from lowdim.sparse.pictures.signals import Signal, put_planes
from lowdim.sparse.pictures.strips import pieces, with_margin

SIDE = 768  # of tiles; pieces of signals are as long as that squared
Tile = tuple[slice, ...]


def by_tiles(
    signal: Signal,
    unit: float,
    margin: int,
    work: Callable[[np.ndarray, Tile], np.ndarray],
    needed: Callable[[Tile], bool] | None = None,
) -> np.ndarray:
    """What `work` makes of the visible planes (c, *tile), in units of `unit`; alpha as it was.

    Colours are worked on in orthonormal axes. `work` also gets the place of the planes. Tiles that
    are not needed stay as they were.
    """
    out = np.array(signal.values)
    visible = out[..., : signal.visible] if out.ndim == 3 else out
    for tile in pieces(signal.size, SIDE):
        if needed is not None and not needed(tile):
            continue
        wide = tuple(
            with_margin(part, margin, length)
            for part, length in zip(tile, signal.size, strict=True)
        )
        inner = (
            slice(part.start - whole.start, part.stop - whole.start)
            for part, whole in zip(tile, wide, strict=True)
        )
        done = work(working_planes(signal, unit, wide), wide)[(slice(None), *inner)]
        put_planes(visible, tile, (mixed(OPPONENT.T, done) if signal.colored else done) * unit)
    return out


def working_planes(signal: Signal, unit: float, where: Any = ()) -> np.ndarray:
    """(c, *part) without alpha, in orthonormal colours; 0 where a number is missing."""
    planes = signal.planes(where)[: signal.visible] / unit
    if signal.values.dtype.kind == "f":
        np.nan_to_num(planes, copy=False)
    return mixed(OPPONENT, planes) if signal.colored else planes


def some_patches(
    signal: Signal,
    unit: float,
    shape: tuple[int, int],
    count: int,
    random: np.random.Generator,
) -> np.ndarray:
    """(n, d): patches of the working planes at random places, about so many; float32."""
    values = signal.values if signal.values.ndim > 1 else signal.values[None]
    values = values[..., : signal.visible] if values.ndim == 3 else values[..., None]
    down, across = (s - p + 1 for s, p in zip(values.shape[:2], shape, strict=True))
    n = min(down * across, max(1, count // signal.visible))
    at = np.sort(random.choice(down * across, n, replace=False))
    windows = np.lib.stride_tricks.sliding_window_view(values, shape, axis=(0, 1))
    found = windows[at // across, at % across].astype(np.float64) / unit  # (n, c, h, w)
    if signal.colored:
        found = mixed(OPPONENT, np.moveaxis(found, 1, 0)).swapaxes(0, 1)
    return found.reshape(n * signal.visible, -1).astype(np.float32)
