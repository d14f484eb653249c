import numpy as np
import pytest
import scipy.fft

from lowdim import sparse


def test_each_block_has_its_own_transform(rng):
    X = rng.normal(size=(16, 24))
    Z = sparse.basis("dct", (16, 24), block=8).analyze(X.ravel()).reshape(2, 3, 8, 8)
    for i in range(2):
        for j in range(3):
            block = X[8 * i : 8 * i + 8, 8 * j : 8 * j + 8]
            np.testing.assert_allclose(Z[i, j], scipy.fft.dctn(block, norm="ortho"), atol=1e-13)


def test_blocks_of_a_signal(rng):
    x = rng.normal(size=12)
    Z = sparse.basis("haar", 12, block=4).analyze(x).reshape(3, 4)
    np.testing.assert_allclose(Z, sparse.basis("haar", 4).analyze(x.reshape(3, 4)), atol=1e-14)


def test_a_block_must_divide_the_signal():
    with pytest.raises(ValueError, match="block=8 does not divide a signal of 16 x 20"):
        sparse.basis("dct", (16, 20), block=8)
