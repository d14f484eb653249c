"""What is stored of a compressed signal, and the signal that it stands for.

Streams    coefficients by tile: whole numbers of steps, or which ones are kept and their values
Factors    a picture as a sum of k rows times columns (singular vectors), channel by channel
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.sparse.compression.coding import Reader
from lowdim.sparse.compression.plan import Coefficients, Plan, Tile, from_steps
from lowdim.sparse.pictures.colors import color_matrix, mixed
from lowdim.sparse.pictures.signals import put_planes
from lowdim.sparse.pictures.strips import strips


class Streams(NamedTuple):
    """Coefficients of the tiles of a picture."""

    plan: Plan
    streams: tuple[bytes, ...]  # one for each tile
    step: float | None  # of whole numbers; None: kept ones as they are
    values: tuple[np.ndarray, ...] = ()  # of the kept ones, by tile

    def reconstruct(self, out: np.ndarray) -> None:
        """Fill `out` with the signal."""
        plan = self.plan
        tiles = list(enumerate(plan.tiles()))

        def planes(item: tuple[int, Tile]) -> np.ndarray:
            return plan.synthesize(item[1], self.coefficients(*item))

        for (_, tile), part in zip(tiles, ordered_map(planes, tiles), strict=True):
            put_planes(out, tile, part)

    def coefficients(self, j: int, tile: Tile) -> Coefficients:
        """Those of a tile."""
        transforms = self.plan.transforms(tile)
        reader = Reader(self.streams[j], transforms)
        numbers = [reader.bands(transform) for transform in transforms]
        reader.end()
        if self.step is not None:
            return from_steps(self.plan, tile, numbers, self.step)
        return placed(numbers, self.values[j])

    def check(self) -> None:
        """Everything can be decoded; raises ValueError if not."""
        for _ in ordered_map(lambda item: len(self.coefficients(*item)), _numbered(self.plan)):
            pass


def placed(masks: Coefficients, values: np.ndarray) -> Coefficients:
    """Kept values in their places, by plane and band; zeros elsewhere."""
    out, used = [], 0
    for bands in masks:
        rows = []
        for mask in bands:
            where = mask != 0
            count = int(where.sum())
            if ((mask != 0) & (mask != 1)).any() or used + count > len(values):
                raise ValueError("its coefficients cannot be read: places and values do not fit")
            band = np.zeros(mask.shape)
            band[where] = values[used : used + count]
            used += count
            rows.append(band)
        out.append(rows)
    if used != len(values):
        raise ValueError("its coefficients cannot be read: there are more values than places")
    return out


def _numbered(plan: Plan) -> list[tuple[int, Tile]]:
    return list(enumerate(plan.tiles()))


class Factors(NamedTuple):
    """U diag(s) V' of each working plane."""

    plan: Plan
    left: np.ndarray  # (c, h, k)
    sizes: np.ndarray  # (c, k)
    right: np.ndarray  # (c, k, w)

    def reconstruct(self, out: np.ndarray) -> None:
        """Fill `out` with the picture, strip by strip."""
        back = np.linalg.inv(color_matrix(self.plan.color, self.plan.channels))

        def planes(rows: slice) -> np.ndarray:
            scaled = self.left[:, rows].astype(np.float64) * self.sizes[:, None, :]
            return mixed(back, scaled @ self.right)

        cut = strips(self.plan.size)
        for rows, part in zip(cut, ordered_map(planes, cut), strict=True):
            put_planes(out, (rows,), part)

    def check(self) -> None:
        """The shapes go together; raises ValueError if not."""
        (h, w), c, k = self.plan.size, self.plan.channels, self.sizes.shape[-1]
        shapes = [(c, h, k), (c, k), (c, k, w)]
        if [self.left.shape, self.sizes.shape, self.right.shape] != shapes:
            raise ValueError("its factors do not have the shapes of one picture")
        if not all(np.isfinite(part).all() for part in (self.left, self.sizes, self.right)):
            raise ValueError("its factors hold numbers that are not finite")
