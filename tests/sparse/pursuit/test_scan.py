"""The largest of many numbers, and sums of rows, for kernels."""

import numpy as np
import pytest

from lowdim.core.kernel import kernel
from lowdim.sparse.pursuit.scan import bits_of, first_of_ties, largest, subtract_rows


@kernel
def _largest(bits):
    return largest(bits, 0)


@kernel
def _first_of_ties(bits):
    return first_of_ties(bits)


@kernel
def _subtract(q, A, index, share, n):
    subtract_rows(q, A, index, share, n)


@pytest.mark.parametrize("k", [1, 63, 64, 65, 300])
def test_the_first_of_the_largest_is_found(rng, k):
    score = rng.integers(0, 4, k) / 3.0
    for dtype in (np.float32, np.float64):
        assert _largest(bits_of(score.astype(dtype))) == np.argmax(score)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("far", [3, 100])
def test_of_numbers_that_differ_by_rounding_the_first_counts(dtype, far):
    score = np.zeros(200, dtype)
    score[[2, 2 + far]] = 0.7, 0.7 * (1 + 4 * np.finfo(dtype).eps)
    assert _first_of_ties(bits_of(score)) == 2
    assert _largest(bits_of(score)) == 2 + far
    score[2 + far] *= 1.0001
    assert _first_of_ties(bits_of(score)) == 2 + far


@pytest.mark.parametrize("n", [0, 1, 4, 7])
def test_rows_are_subtracted(rng, n):
    A, q, share = rng.standard_normal((9, 30)), rng.standard_normal(30), rng.standard_normal(7)
    index = rng.permutation(9)[:7]
    expected = q - share[:n] @ A[index[:n]]
    _subtract(q, A, index, share, n)
    np.testing.assert_allclose(q, expected, rtol=1e-12)
