"""Rows in memory, whatever held them."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import lowdim
from lowdim.core.opening import as_blocks
from lowdim.maps.rows import in_memory


def test_rows_of_every_kind_come_into_memory(rng):
    da = pytest.importorskip("dask.array")
    X = rng.normal(size=(20, 3)).astype(np.float32)
    assert in_memory(as_blocks(X)) is X
    stream = lowdim.stream(lambda: iter([X[:7], X[7:]]))
    assert_array_equal(in_memory(stream), X)
    assert_array_equal(in_memory(as_blocks(da.from_array(X, chunks=(8, 3)))), X)
    sparse = lowdim.stream(lambda: iter([sp.csr_array(X[:7]), sp.csr_array(X[7:])]))
    assert_array_equal(in_memory(sparse).toarray(), X)
    assert in_memory(stream).dtype == np.float32
