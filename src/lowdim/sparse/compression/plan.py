"""How a picture is taken apart: tiles, working colours, bands; and put together again.

A picture of more than 1024 pixels along a side is cut into tiles of about the same size, a signal
of more than 1024^2 numbers into pieces; so memory is that of a few tiles, whatever the picture.

    tile (h, w, c) -> planes of working colours -> bands of each -> coefficients
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lowdim.sparse.compression.bands import Bands, BlockBands, fixed_bands
from lowdim.sparse.pictures.colors import color_matrix, mixed
from lowdim.sparse.pictures.signals import Signal
from lowdim.sparse.pictures.strips import pieces

TILE = 1024
DEAD_ZONE = 0.66  # of a step: what is less becomes 0
Tile = tuple[slice, ...]
Coefficients = list[list[np.ndarray]]  # by plane and band


class Rounded(NamedTuple):
    """Mean and atoms of blocks in whole numbers, in cosines along the zig-zag."""

    numbers: np.ndarray  # (1 + k, block^2)  the mean in steps, then atoms in steps of 2^-bits
    bits: tuple[int, ...]  # (k,)
    step: float  # of the mean


class Learnt(NamedTuple):
    """Atoms of the blocks of one plane, learnt from the picture."""

    mean: np.ndarray  # (block^2,)
    atoms: np.ndarray  # (k, block^2)
    rounded: Rounded | None = None  # what they were made of, where they are stored in few bytes


class Plan(NamedTuple):
    """How a signal of this shape becomes coefficients."""

    shape: tuple[int, ...]
    basis: str
    level: int | None
    block: int | None
    color: str
    learnt: tuple[Learnt, ...] = ()  # of 'pca', one for each plane
    whole: bool = False  # one tile, whatever the size: signals in older files

    @property
    def size(self) -> tuple[int, ...]:
        return self.shape[:2]

    @property
    def channels(self) -> int:
        return self.shape[2] if len(self.shape) == 3 else 1

    def tiles(self) -> list[Tile]:
        """All parts of the picture, in the order in which they are stored."""
        if self.whole:
            return [tuple(slice(0, s) for s in self.size)]
        return pieces(self.size, TILE)

    def transforms(self, tile: Tile) -> list[Bands]:
        """One for each plane of a tile."""
        size = tuple(part.stop - part.start for part in tile)
        if self.basis == "pca":
            assert self.block is not None
            return [
                BlockBands(
                    one.atoms.astype(np.float64),
                    self.block,
                    size,
                    one.mean,
                    smooth=one.rounded is not None,  # the first component is nearly the mean
                )
                for one in self.learnt
            ]
        return [_fixed(self.basis, size, self.level, self.block)] * self.channels

    def gains(self) -> np.ndarray:
        """How much an error of each working plane weighs in the channels."""
        return np.linalg.norm(np.linalg.inv(color_matrix(self.color, self.channels)), axis=0)

    def planes(self, signal: Signal, tile: Tile) -> np.ndarray:
        """(c, *tile): working planes."""
        return mixed(color_matrix(self.color, self.channels), signal.planes(tile))

    def analyze(self, signal: Signal, tile: Tile) -> Coefficients:
        """The coefficients of a tile."""
        planes, transforms = self.planes(signal, tile), self.transforms(tile)
        return [one.analyze(plane) for one, plane in zip(transforms, planes, strict=True)]

    def synthesize(self, tile: Tile, coefficients: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
        """(c, *tile): channels."""
        pairs = zip(self.transforms(tile), coefficients, strict=True)
        planes = np.stack([one.synthesize(bands) for one, bands in pairs])
        return mixed(np.linalg.inv(color_matrix(self.color, self.channels)), planes)

    def weights(self, tile: Tile) -> list[np.ndarray]:
        """For each plane, how long the atoms of its bands are in the channels."""
        pairs = zip(self.transforms(tile), self.gains(), strict=True)
        return [one.lengths * gain for one, gain in pairs]


def largest_tile(size: tuple[int, ...]) -> tuple[int, ...]:
    """Sides of the tiles of a signal or picture of this size, at the most."""
    side = TILE if len(size) == 2 else TILE**2
    return tuple(min(s, side) for s in size)


@lru_cache(maxsize=16)
def _fixed(kind: str, size: tuple[int, ...], level: int | None, block: int | None) -> Bands:
    return fixed_bands(kind, size, level, block)


# ---- steps ---------------------------------------------------------------------------------------


def quantised(plan: Plan, tile: Tile, coefficients: Coefficients, step: float) -> Coefficients:
    """Whole numbers of steps, with a dead zone about 0; steps are even in the picture."""
    out = []
    for transform, weights, bands in zip(
        plan.transforms(tile), plan.weights(tile), coefficients, strict=True
    ):
        numbers = []
        for i, (band, weight) in enumerate(zip(bands, weights, strict=True)):
            in_steps = band * (weight / step)
            if i == 0 and transform.smooth:
                numbers.append(np.rint(in_steps).astype(np.int64))
            else:
                size = np.floor(np.abs(in_steps) + (1.0 - DEAD_ZONE))
                numbers.append(np.copysign(size, in_steps).astype(np.int64))
        out.append(numbers)
    return out


def from_steps(plan: Plan, tile: Tile, numbers: Coefficients, step: float) -> Coefficients:
    """Coefficients of numbers of steps."""
    return [
        [band * (step / weight) for band, weight in zip(bands, weights, strict=True)]
        for bands, weights in zip(numbers, plan.weights(tile), strict=True)
    ]
