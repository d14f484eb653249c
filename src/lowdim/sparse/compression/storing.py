"""From a plan and a rule to what is stored, and how good that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.sparse.compression.coding import Writer
from lowdim.sparse.compression.compressed import Compressed
from lowdim.sparse.compression.contents import Factors, Streams
from lowdim.sparse.compression.learnt_blocks import first
from lowdim.sparse.compression.plan import (
    Coefficients,
    Plan,
    Tile,
    from_steps,
    quantised,
)
from lowdim.sparse.compression.selecting import Rule, kept, kept_of_tiles
from lowdim.sparse.pictures.quality import similarity, squared_error
from lowdim.sparse.pictures.signals import Signal, peak_of, to_type

ONE_TILE = 1  # coefficients of so many tiles are kept between passes


class Coefficient(NamedTuple):
    """The coefficients of tiles: kept for a small picture, computed again for a large one."""

    plan: Plan
    signal: Signal
    held: dict[int, Coefficients]

    def of(self, j: int, tile: Tile) -> Coefficients:
        """Those of a tile."""
        if j in self.held:
            return self.held[j]
        found = self.plan.analyze(self.signal, tile)
        if len(self.plan.tiles()) <= ONE_TILE:
            self.held[j] = found
        return found


def by_rule(signal: Signal, plan: Plan, rule: Rule) -> Compressed:
    """What the rule keeps, as it is."""
    items = list(zip(plan.tiles(), kept_of_tiles(plan, rule), strict=True))
    exact = signal.values.dtype.itemsize > 2 and signal.values.dtype != np.float32
    dtype = np.dtype(np.float64 if exact else np.float32)

    def stored(item: tuple[Tile, Rule]) -> tuple[list[list[np.ndarray]], np.ndarray]:
        tile, own = item
        coefficients = plan.analyze(signal, tile)
        masks = kept(plan, tile, coefficients, own)
        pairs = zip(coefficients, masks, strict=True)
        values = [b[m] for bands, rows in pairs for b, m in zip(bands, rows, strict=True)]
        return [[m.astype(np.int8) for m in rows] for rows in masks], np.concatenate(values).astype(
            dtype
        )

    found = list(ordered_map(stored, items))
    plan, masks = _without_unused(plan, [masks for masks, _ in found])
    packed = list(ordered_map(_packing(plan), list(zip(plan.tiles(), masks, strict=True))))
    values = tuple(values for _, values in found)
    count = sum(map(len, values))
    return judged(signal, Streams(plan, tuple(packed), None, values), count)


def by_step(signal: Signal, plan: Plan, step: float, source: Coefficient) -> Compressed:
    """Whole numbers of steps."""

    def numbers(item: tuple[int, Tile]) -> list[list[np.ndarray]]:
        j, tile = item
        whole = quantised(plan, tile, source.of(j, tile), step)
        return [[_narrow(band) for band in bands] for bands in whole]

    found = list(ordered_map(numbers, list(enumerate(plan.tiles()))))
    count = sum(int((band != 0).sum()) for tile in found for bands in tile for band in bands)
    smaller, found = _without_unused(plan, found)
    packed = list(ordered_map(_packing(smaller), list(zip(plan.tiles(), found, strict=True))))
    return judged(signal, Streams(smaller, tuple(packed), step), count)


def _narrow(band: np.ndarray) -> np.ndarray:
    largest = int(np.abs(band).max(initial=0))
    return band.astype(np.int8 if largest < 128 else np.int16 if largest < 2**15 else np.int64)


def _packing(plan: Plan) -> Callable[[tuple[Tile, Any]], bytes]:
    def pack(item: tuple[Tile, list[list[np.ndarray]]]) -> bytes:
        tile, numbers = item
        writer = Writer()
        for transform, bands in zip(plan.transforms(tile), numbers, strict=True):
            writer.add(transform, [band.astype(np.int64) for band in bands])
        return writer.packed()

    return pack


def _without_unused(plan: Plan, found: list[Any]) -> tuple[Plan, list[Any]]:
    """Learnt atoms after the last one that is used are not stored."""
    if not plan.learnt:
        return plan, found
    used = [any(b[i].any() for t in found for b in t) for i in range(len(plan.learnt[0].atoms))]
    k = max([i + 1 for i, one in enumerate(used) if one], default=1)
    learnt = tuple(first(one, k, int(plan.block or 1)) for one in plan.learnt)
    return plan._replace(learnt=learnt), [[bands[:k] for bands in tile] for tile in found]


def error_at(signal: Signal, plan: Plan, step: float, source: Coefficient) -> float:
    """Sum of squared differences from what steps of this size leave of a signal."""

    def of_tile(item: tuple[int, Tile]) -> float:
        j, tile = item
        whole = quantised(plan, tile, source.of(j, tile), step)
        planes = plan.synthesize(tile, from_steps(plan, tile, whole, step))
        return _tile_error(signal, tile, planes)

    return float(sum(ordered_map(of_tile, list(enumerate(plan.tiles())))))


def _tile_error(signal: Signal, tile: Tile, planes: np.ndarray) -> float:
    D = signal.planes(tile) - to_type(planes, signal.values.dtype)
    return float(np.sum(D * D))


def judged(signal: Signal, contents: Streams | Factors, count: int) -> Compressed:
    """With what it costs and keeps."""
    dtype = signal.values.dtype
    peak = peak_of(signal.values)
    again = np.empty(signal.values.shape, dtype)
    contents.reconstruct(again)
    other = Signal(again)
    similar = similarity(signal, other, peak)
    zero = Signal(np.broadcast_to(np.zeros((), dtype), signal.values.shape))
    found = {
        "kept": count,
        "error": squared_error(signal, other),
        "energy": squared_error(signal, zero),
        "peak": peak,
        "ssim": None if np.isnan(similar) else similar,
    }
    return Compressed(contents, dtype, found)
