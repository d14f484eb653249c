import numpy as np
import pytest

from lowdim.sparse.compression import plan as plans
from lowdim.sparse.compression.plan import Plan
from lowdim.sparse.compression.selecting import (
    bands_rule,
    first_rule,
    kept,
    kept_of_tiles,
    largest_rule,
    scales_rule,
    sizes_of,
    threshold_rule,
)
from lowdim.sparse.pictures.signals import Signal


def masks_of(plan, signal, rule):
    for tile, own in zip(plan.tiles(), kept_of_tiles(plan, rule), strict=True):
        coefficients = plan.analyze(signal, tile)
        flat = [m.ravel() for rows in kept(plan, tile, coefficients, own) for m in rows]
        yield np.concatenate(flat), sizes_of(plan, tile, coefficients)


@pytest.mark.parametrize("count", [1, 17, 500, 128 * 96])
def test_exactly_the_largest_of_all_tiles(rng, monkeypatch, count):
    monkeypatch.setattr(plans, "TILE", 64)
    signal = Signal(rng.normal(size=(128, 96)))
    plan = Plan((128, 96), "db2", 2, None, "rgb")
    found = list(masks_of(plan, signal, largest_rule(plan, signal, count)))
    sizes = np.concatenate([s for _, s in found])
    mask = np.concatenate([m for m, _ in found])
    assert mask.sum() == count
    assert sizes[mask].min() >= np.max(sizes[~mask], initial=0)


def test_of_equal_ones_the_first(monkeypatch):
    monkeypatch.setattr(plans, "TILE", 64)
    signal = Signal(np.ones((64, 128)))
    plan = Plan((64, 128), "identity", None, None, "rgb")
    rule = largest_rule(plan, signal, 64 * 64 + 3)
    counts = [int(mask.sum()) for mask, _ in masks_of(plan, signal, rule)]
    assert counts == [64 * 64, 3]


def test_thresholds(rng):
    signal = Signal(rng.normal(size=100))
    plan = Plan((100,), "identity", None, None, "rgb")
    ((mask, sizes),) = masks_of(plan, signal, threshold_rule(0.8))
    assert np.array_equal(mask, sizes >= 0.8)


def test_the_first_are_those_of_coarse_scales(rng):
    signal = Signal(rng.normal(size=(32, 32)))
    plan = Plan((32, 32), "haar", 3, None, "rgb")
    ((mask, _),) = masks_of(plan, signal, first_rule(plan, 20))
    assert np.flatnonzero(mask).tolist() == list(range(20))
    for scales, count in ((0, 16), (1, 64), (3, 1024)):
        ((mask, _),) = masks_of(plan, signal, scales_rule(plan, scales))
        assert np.flatnonzero(mask).tolist() == list(range(count))
    ((mask, _),) = masks_of(plan, signal, bands_rule(plan, 2))
    assert mask.sum() == 32


def test_low_frequencies_come_first():
    plan = Plan((8, 8), "dct", None, None, "rgb")
    signal = Signal(np.zeros((8, 8)))
    ((mask, _),) = masks_of(plan, signal, first_rule(plan, 6))
    r, c = np.divmod(np.flatnonzero(mask), 8)
    assert sorted(r + c) == [0, 1, 1, 2, 2, 2]
