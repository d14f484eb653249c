"""Results of rows that come by blocks: one array, held once."""

import gc
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks


def _sum_and_copies(X):
    return X.sum(), np.repeat(X, 8, axis=1)


def test_rows_that_come_with_sums_are_held_once():
    rows = ArrayBlocks(np.ones((100_000, 1)), block_rows=1000)
    gc.collect()
    tracemalloc.start()
    total, found = rows.fold_and_map(_sum_and_copies)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == 100_000 and found.shape == (100_000, 8)
    assert peak < 1.5 * found.nbytes


@pytest.mark.parametrize("seen", [False, True])
def test_rows_are_written_to_an_array_that_is_given(rng, seen):
    X, out = rng.random((50, 2)), np.empty((50, 16))
    rows = ArrayBlocks(X, block_rows=7)
    rows = rows.seen(np.negative) if seen else rows
    _, found = rows.fold_and_map(_sum_and_copies, out=out)
    assert found is out
    np.testing.assert_array_equal(out, np.repeat(-X if seen else X, 8, axis=1))


def _sum_and_block(X):
    return X.sum(), X


def test_sparse_rows_may_come_with_sums(rng):
    X = sp.random_array((50, 6), density=0.3, rng=rng, format="csr")
    total, found = ArrayBlocks(X, block_rows=7).fold_and_map(_sum_and_block)
    np.testing.assert_allclose(total, X.sum())
    np.testing.assert_array_equal(found.toarray(), X.toarray())
