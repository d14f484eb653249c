"""Bounds and middle along axes are NumPy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.maps.axes import box_of, middle_of


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_they_are_those_of_numpy(rng, axes, dtype):
    Y = rng.normal(size=(501, axes)).astype(dtype)
    low, high = box_of(Y)
    assert_array_equal(low, Y.min(axis=0))
    assert_array_equal(high, Y.max(axis=0))
    assert low.dtype == high.dtype == dtype
    # two ways to add up 501 numbers of about 1 in float64
    assert_allclose(middle_of(Y), Y.mean(axis=0, dtype=np.float64), atol=501 * 2.0**-52)


def test_no_points_have_their_middle_at_0():
    assert_array_equal(middle_of(np.empty((0, 2), np.float32)), [0.0, 0.0])
