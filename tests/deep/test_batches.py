"""The order in which rows are learned from."""

import math

import numpy as np

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.byte_blocks import ByteBlocks
from lowdim.deep import batches


def all_of(slices):
    """The slices with lists of their batches."""
    return [(cut, list(found)) for cut, found in slices]


def test_windows_are_shuffled_anew_in_each_pass_and_hold_every_row_once(seed):
    plan = batches.Plan(n=1000, window=300, batch=32, seed=seed)
    orders = [np.concatenate([w * 300 + plan.order(e, w) for w in range(4)]) for e in range(2)]
    assert all(np.array_equal(np.sort(order), np.arange(1000)) for order in orders)
    assert not np.array_equal(*orders)
    assert sum(cut.last - cut.first for cut in plan.slices) == 3 * math.ceil(300 / 32) + math.ceil(
        100 / 32
    )


def test_slices_go_on_from_any_of_them(rng, monkeypatch):
    monkeypatch.setattr(batches, "SLICE", 2)
    monkeypatch.setattr(batches, "WINDOW", 40)
    rows, y = ArrayBlocks(rng.normal(size=(90, 3))), np.arange(90)
    plan = batches.plan_of(rows, 8, 5)
    whole = all_of(batches.slices(rows, (y,), plan, 2, 0))
    assert (
        len(whole) == 2 * len(plan.slices) and [cut.ends_epoch for cut, _ in whole].count(True) == 2
    )
    for done in (3, len(plan.slices), len(whole) - 1):
        rest = all_of(batches.slices(rows, (y,), plan, 2, done))
        assert [cut for cut, _ in rest] == [cut for cut, _ in whole[done:]]
        for (_, these), (_, those) in zip(rest, whole[done:], strict=True):
            for a, b in zip(these, those, strict=True):
                np.testing.assert_array_equal(a[1], b[1])
                np.testing.assert_array_equal(a[0], rows.in_memory[a[1]])


def test_bytes_in_memory_are_not_copied_as_floats(rng):
    X = rng.integers(0, 255, (10, 4)).astype(np.uint8)
    rows = ByteBlocks(X)
    plan = batches.plan_of(rows, 4, 0)
    (window,) = batches._windows(rows, (), plan, 0)
    assert np.shares_memory(window[0], X)
    _, (first, *_) = next(batches.slices(rows, (), plan, 1, 0))
    assert first[0].dtype == np.uint8 and first[0].shape == (4, 4)


def test_long_rows_make_short_windows():
    rows = ArrayBlocks(np.zeros((4, 2**18)))
    assert batches.plan_of(rows, 2, 0).window == 256
    assert batches.plan_of(rows, 100, 0) == batches.Plan(4, 256, 4, 0)
