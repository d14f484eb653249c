"""Units in which columns are about 1 in size."""

import numpy as np
import pytest

from lowdim import GaussianMixture
from lowdim.mixture.gaussian.covariances import LEAST_VARIANCE
from lowdim.mixture.gaussian.units import dtype_of_squares, powers_of_two, space_of


def test_scales_are_the_nearest_powers_of_two():
    np.testing.assert_array_equal(
        powers_of_two(np.array([1.0, 3.0, 0.3, 1e9])), [1, 4, 0.25, 2**30]
    )
    extreme = powers_of_two(np.array([1e-300, 1e300]))
    np.testing.assert_allclose(extreme, [1e-300, 1e300], rtol=0.5)


@pytest.mark.parametrize("name", ["full", "tied", "diag"])
def test_each_column_has_its_own_unit(name):
    space = space_of(np.zeros(3), np.array([3.0, 0.3, 0.0]), name)
    np.testing.assert_array_equal(space.scale[:2], [4.0, 0.25])
    np.testing.assert_allclose(space.scale * space.size, [3.0, 0.3, np.sqrt(9.09 / 3)])


@pytest.mark.parametrize("name", ["spherical", "unit"])
def test_where_columns_share_a_variance_they_share_their_unit(name):
    space = space_of(np.zeros(2), np.array([3.0, 0.3]), name)
    np.testing.assert_allclose(space.scale * space.size, np.sqrt(9.09 / 2))


def test_sizes_are_about_one(rng):
    std = np.exp(20 * rng.normal(size=50))
    size = space_of(np.zeros(50), std, "full").size
    assert (size >= np.sqrt(0.5) - 1e-12).all() and (size <= np.sqrt(2) + 1e-12).all()


def test_the_floor_is_a_part_of_the_variances_and_never_zero():
    space = space_of(np.zeros(2), np.array([4.0, 0.3]), "full")
    np.testing.assert_allclose(space.floor(1e-3) * space.scale**2, [1e-3 * 16, 1e-3 * 0.09])
    np.testing.assert_array_equal(space.floor(0.0), LEAST_VARIANCE * np.square(space.size))


def test_squares_that_float32_cannot_hold_are_published_in_float64():
    assert dtype_of_squares(np.array([1.0, 1e10]), np.float32) == np.float32
    assert dtype_of_squares(np.array([1.0, 2.0**60]), np.float32) == np.float64
    assert dtype_of_squares(np.array([1.0, 2.0**-60]), np.float32) == np.float64
    assert dtype_of_squares(np.array([2.0**900]), np.float64) == np.float64


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_columns_beyond_all_variances_of_one_are_refused(size, rng):
    space_of(np.zeros(2), np.array([1e100, 1e100]), "unit")
    with pytest.raises(ValueError, match=r"columns of X vary by \de[+-]\d+: .*'spherical'"):
        GaussianMixture(2, covariance_type="unit").fit(size * rng.normal(size=(20, 2)))
