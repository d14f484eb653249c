"""The largest of many numbers, and sums of rows, for kernels."""

import numpy as np
import pytest

from lowdim.core.kernel import kernel
from lowdim.sparse.pursuit.scan import bits_of, largest, subtract_rows


@kernel
def _largest(bits):
    return largest(bits)


@kernel
def _subtract(q, A, index, share, n):
    subtract_rows(q, A, index, share, n)


@pytest.mark.parametrize("k", [1, 63, 64, 65, 300])
def test_the_first_of_the_largest_is_found(rng, k):
    score = rng.integers(0, 4, k) / 3.0
    for dtype in (np.float32, np.float64):
        assert _largest(bits_of(score.astype(dtype))) == np.argmax(score)


@pytest.mark.parametrize("n", [0, 1, 4, 7])
def test_rows_are_subtracted(rng, n):
    A, q, share = rng.standard_normal((9, 30)), rng.standard_normal(30), rng.standard_normal(7)
    index = rng.permutation(9)[:7]
    expected = q - share[:n] @ A[index[:n]]
    _subtract(q, A, index, share, n)
    np.testing.assert_allclose(q, expected, rtol=1e-12)
