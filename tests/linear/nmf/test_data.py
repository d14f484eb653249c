import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from lowdim.linear.nmf.data import data_of
from tests.linear.nmf.examples import parts


@pytest.mark.parametrize("with_weights", [False, True])
def test_products_are_those_of_the_matrix_whatever_holds_it(with_weights, rng):
    X = parts(rng)
    weight = rng.random(len(X)) if with_weights else None
    D = np.diag(np.ones(len(X)) if weight is None else weight)
    V = rng.random((X.shape[1], 3))
    held = {
        "array": ArrayBlocks(X),
        "sparse": ArrayBlocks(sp.csr_array(X)),
        "stream": as_blocks(lowdim.stream(lambda: iter(np.split(X, [7, 8])))),
    }
    for rows in held.values():
        data = data_of(rows, weight, 4.0)
        np.testing.assert_allclose(data.times(V), X @ V / 4.0)
        np.testing.assert_allclose(data.gram_times(V), X.T @ D @ X @ V / 16.0)
        assert data.squares == pytest.approx(np.sum(D @ X**2) / 16.0)
