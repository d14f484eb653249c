"""Rows of bytes: blocks are float32, and sums are those of the rows as floats."""

import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.byte_blocks import ByteBlocks
from lowdim.core.estimator import Estimator


def total(X):
    return X.sum(axis=0, dtype=np.float64)


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_])
def test_blocks_are_float32_and_the_whole_is_not_copied(rng, dtype):
    X = rng.integers(0, 255, (500, 7)).astype(dtype)
    rows, floats = ByteBlocks(X), ArrayBlocks(X.astype(np.float32))
    assert rows.in_memory is X and rows.dtype == np.float32 and rows.shape == X.shape
    np.testing.assert_array_equal(rows.fold(total), floats.fold(total))
    np.testing.assert_array_equal(rows.map(np.copy), floats.in_memory)
    np.testing.assert_array_equal(rows.take(np.array([3, 1])), floats.take(np.array([3, 1])))
    (first, *_), (same, *_) = next(rows.batches(20)), next(floats.batches(20))
    assert first.dtype == np.float32
    np.testing.assert_array_equal(first, same)


class Keeping(Estimator):
    keeps_bytes = True


def test_only_classes_that_say_so_keep_bytes():
    X = np.ones((3, 2), np.uint8)
    assert Keeping().open_rows(X).in_memory.dtype == np.uint8
    assert Keeping().open_rows(X.tolist()).in_memory.dtype == np.float64
    assert Estimator().open_rows(X).in_memory.dtype == np.float64
