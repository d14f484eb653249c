import numpy as np
import pytest

from lowdim import sparse


def test_atoms_are_windowed_cosines_over_two_blocks():
    D, M = 24, 6
    n = np.arange(2 * M)
    U = np.zeros((D, D))
    for b in range(D // M):
        for k in range(M):
            atom = np.sqrt(2 / M) * np.sin(np.pi * (n + 0.5) / (2 * M))
            atom *= np.cos(np.pi / M * (n + 0.5 + M / 2) * (k + 0.5))
            U[(b * M - M // 2 + n) % D, b * M + k] += atom
    np.testing.assert_allclose(sparse.basis("lapped", D, block=M).matrix(), U, atol=1e-13)


def test_the_block_fits_by_itself():
    assert sparse.basis("lapped", 36).orthonormal  # blocks of 12
    with pytest.raises(ValueError, match="15 numbers have none"):
        sparse.basis("lapped", 15)


@pytest.mark.parametrize("block", [3, 5, 7])
def test_blocks_that_do_not_fit(block):
    with pytest.raises(ValueError, match=f"block={block} do not fit a signal of 36"):
        sparse.basis("lapped", 36, block=block)
