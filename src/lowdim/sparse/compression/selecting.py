"""Which coefficients are kept: the largest, those from a threshold on, or the first.

A coefficient counts by its size in the picture: times the length of its atom.

    largest    the K that are largest: the best K of an orthonormal basis
    first      the K that come first (coarse scales, low frequencies, first components),
               whatever the picture: a linear approximation
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.sparse.compression.plan import Coefficients, Plan, Tile
from lowdim.sparse.pictures.signals import Signal

BINS = 2**16
SHIFT = np.uint64(48)  # a double without its last 48 bits: 16 bits that sort as the numbers do


class Rule(NamedTuple):
    """What is kept of each tile."""

    threshold: float = 0.0  # sizes from here on are kept ...
    at_threshold: tuple[int, ...] | None = None  # ... of each tile, so many that are equal to it
    first: tuple[int, ...] | None = None  # numbers of the first coefficients of each band instead


def threshold_rule(epsilon: float) -> Rule:
    """All that are as large."""
    return Rule(threshold=epsilon)


def largest_rule(plan: Plan, signal: Signal, count: int) -> Rule:
    """Exactly so many, the largest of the whole picture; of equal ones the first.

    Two passes over the tiles: which 16 bits the last one begins with, then the exact number.
    """
    all_tiles = plan.tiles()

    def bins(tile: Tile) -> np.ndarray:
        return np.bincount(
            _leading(sizes_of(plan, tile, plan.analyze(signal, tile))), minlength=BINS
        )

    per_tile = list(ordered_map(bins, all_tiles))
    above = np.cumsum(np.sum(per_tile, axis=0)[::-1])[::-1]  # as large as each bin or larger
    last = int(np.flatnonzero(above >= count)[-1])
    missing = count - (int(above[last + 1]) if last + 1 < BINS else 0)  # wanted of the last bin

    def candidates(tile: Tile) -> np.ndarray:
        sizes = sizes_of(plan, tile, plan.analyze(signal, tile))
        return sizes[_leading(sizes) == last]

    found = list(ordered_map(candidates, all_tiles))
    together = np.concatenate(found)
    threshold = float(np.partition(together, len(together) - missing)[len(together) - missing])
    left = missing - int((together > threshold).sum())
    at_threshold = []
    for sizes in found:
        take = min(left, int((sizes == threshold).sum()))
        at_threshold.append(take)
        left -= take
    return Rule(threshold, tuple(at_threshold))


def first_rule(plan: Plan, count: int) -> Rule:
    """So many in the order of bands, of all tiles and planes."""
    of_bands = _band_sizes(plan)
    ends = np.cumsum(of_bands)
    before = np.concatenate([[0], ends[:-1]])
    return Rule(first=tuple(int(n) for n in np.clip(count - before, 0, of_bands)))


def scales_rule(plan: Plan, scales: int) -> Rule:
    """The averages and the details of so many scales, coarsest first."""
    kept = [scale < scales for scale in plan.transforms(plan.tiles()[0])[0].scales]
    sizes = _band_sizes(plan)
    return Rule(first=tuple(int(n) if keep else 0 for n, keep in zip(sizes, kept, strict=True)))


def bands_rule(plan: Plan, bands: int) -> Rule:
    """The first bands, whole."""
    sizes = _band_sizes(plan)
    return Rule(first=tuple(int(n) if i < bands else 0 for i, n in enumerate(sizes)))


def kept_of_tiles(plan: Plan, rule: Rule) -> Iterator[Rule]:
    """The rule as it holds for each tile, one after the other."""
    left = None if rule.first is None else list(rule.first)
    for j, tile in enumerate(plan.tiles()):
        if left is not None:
            own = []
            for i, (h, w) in enumerate(_shapes(plan, tile)):
                own.append(min(left[i], plan.channels * h * w))
                left[i] -= own[-1]
            yield Rule(first=tuple(own))
        else:
            ties = None if rule.at_threshold is None else (rule.at_threshold[j],)
            yield Rule(rule.threshold, ties)


def kept(plan: Plan, tile: Tile, coefficients: Coefficients, rule: Rule) -> list[list[np.ndarray]]:
    """True where a coefficient of the tile is kept, by plane and band."""
    if rule.first is not None:
        left = list(rule.first)
        masks: list[list[np.ndarray]] = []
        for transform, bands in zip(plan.transforms(tile), coefficients, strict=True):
            rows: list[np.ndarray] = []
            for i, band in enumerate(bands):
                order = _first_order(band.shape, transform.by_frequency)
                mask = np.zeros(band.size, bool)
                mask[order[: left[i]]] = True
                left[i] -= min(left[i], band.size)
                rows.append(mask.reshape(band.shape))
            masks.append(rows)
        return masks
    sizes = _sizes(plan, tile, coefficients)
    ties = None if rule.at_threshold is None else rule.at_threshold[0]
    out = []
    for bands in sizes:
        rows = []
        for size in bands:
            if ties is None:
                rows.append(size >= rule.threshold)
                continue
            mask = size > rule.threshold
            equal = np.flatnonzero(size.ravel() == rule.threshold)[:ties]
            mask.ravel()[equal] = True
            ties -= len(equal)
            rows.append(mask)
        out.append(rows)
    return out


def _first_order(shape: tuple[int, ...], by_frequency: bool) -> np.ndarray:
    """Places of a band, flat; of frequencies, the lowest first."""
    if not by_frequency:
        return np.arange(shape[0] * shape[1])
    r, c = np.indices(shape)
    return np.argsort((r + c).ravel(), kind="stable")


def sizes_of(plan: Plan, tile: Tile, coefficients: Coefficients) -> np.ndarray:
    """All sizes of a tile, flat."""
    sizes = _sizes(plan, tile, coefficients)
    return np.concatenate([size.ravel() for bands in sizes for size in bands])


def _sizes(plan: Plan, tile: Tile, coefficients: Coefficients) -> list[list[np.ndarray]]:
    return [
        [np.abs(band) * weight for band, weight in zip(bands, weights, strict=True)]
        for bands, weights in zip(coefficients, plan.weights(tile), strict=True)
    ]


def _leading(sizes: np.ndarray) -> np.ndarray:
    return (sizes.view(np.uint64) >> SHIFT).astype(np.int64)


def _shapes(plan: Plan, tile: Tile) -> list[tuple[int, int]]:
    return plan.transforms(tile)[0].shapes


def _band_sizes(plan: Plan) -> np.ndarray:
    """Coefficients of each band, of all tiles and planes."""
    per_tile = [[h * w for h, w in _shapes(plan, tile)] for tile in plan.tiles()]
    return plan.channels * np.sum(per_tile, axis=0)
