"""Whatever holds rows becomes Blocks of its kind."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.opening import as_blocks
from lowdim.core.stream import StreamBlocks


def test_blocks_stay_what_they_are():
    rows = as_blocks(np.zeros((3, 2)))
    assert isinstance(rows, Blocks) and as_blocks(rows) is rows
    stream = lowdim.stream(lambda: iter([np.zeros((3, 2))]))
    assert as_blocks(stream) is stream and isinstance(stream, StreamBlocks)


@pytest.mark.parametrize(
    "X", [np.ones((3, 2)), sp.csr_array(np.ones((3, 2)))], ids=["dense", "csr"]
)
def test_matrices_are_held_in_memory(X):
    rows = as_blocks(X, block_rows=2)
    assert type(rows) is ArrayBlocks and rows.is_sparse == sp.issparse(X)
    assert [len(block.sum(axis=1)) for (block,) in rows.batches(2)] == [2, 1]


def test_dask_collections_stay_on_dask():
    da = pytest.importorskip("dask.array")
    rows = as_blocks(da.ones((6, 2), chunks=(4, 2)))
    assert type(rows) is sys.modules["lowdim.core.dask_blocks"].DaskBlocks
    assert rows.fold(np.sum) == 12.0
