"""What ICA adds up over the rows."""

import numpy as np
import pytest

from lowdim.linear.ica.contrasts import Contrast
from lowdim.linear.ica.statistics import statistics


def test_statistics_are_plain_sums(rng):
    X, B, weight = rng.normal(size=(40, 3)), rng.normal(size=(2, 3)), rng.random(40)
    sums = statistics(X, np.ones(3), B, Contrast.of("logcosh", None), weight)
    Y = (X - 1) @ B.T
    np.testing.assert_allclose(sums.gy, (weight[:, None] * np.tanh(Y)).T @ Y, rtol=1e-10)
    np.testing.assert_allclose(sums.slope, weight @ (1 - np.tanh(Y) ** 2), rtol=1e-10)
    np.testing.assert_allclose(sums.G, weight @ np.log(np.cosh(Y)), rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_quick_sums_are_the_plain_ones(rng, dtype):
    X, B = 3 * rng.normal(size=(350, 4)).astype(dtype), rng.normal(size=(3, 4)).astype(dtype)
    contrast = Contrast.of("logcosh", {"alpha": 1.5})
    quick = statistics(X, np.zeros(4, dtype), B, contrast, None)
    plain = statistics(X, np.zeros(4, dtype), B, contrast, np.ones(350))
    for one, other in zip(quick, plain, strict=True):
        np.testing.assert_allclose(
            one, other, rtol=350 * np.finfo(dtype).eps, atol=1e-3 * (dtype == np.float32)
        )
