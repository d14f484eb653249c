"""Kernels of fields: values, slopes, and small differences."""

import numpy as np
import pytest

from lowdim.maps.field.radial import radial

KERNELS = [("student", 1.0), ("student", 0.3), ("student", 5.0), ("gauss", 1.0)]


def test_values_by_hand():
    assert radial("student").value(3.0) == pytest.approx(0.25)
    assert radial("student", 3.0).value(9.0) == pytest.approx(1 / 16)  # (1 + 9/3)^-2
    assert radial("gauss").value(2.0) == pytest.approx(np.exp(-2))


@pytest.mark.parametrize(("name", "dof"), KERNELS)
def test_the_slope_is_the_derivative_by_the_squared_distance(name, dof):
    K, square = radial(name, dof), np.linspace(0.1, 9.0, 7)
    value, slope = K.value_and_slope(square)
    np.testing.assert_allclose(value, np.exp(K.log(square)), rtol=1e-12)
    step = 1e-5
    up, down = np.exp(K.log(square + step)), np.exp(K.log(square - step))
    np.testing.assert_allclose(slope, (up - down) / (2 * step), rtol=1e-8)


@pytest.mark.parametrize(("name", "dof"), KERNELS)
def test_small_differences_keep_their_digits(name, dof):
    K, far = radial(name, dof), 1e-20
    square = np.array([0.0, 0.25e-20, 1e-20])
    slope = K.value_and_slope(np.zeros(1))[1][0]
    np.testing.assert_allclose(K.above(square, far), slope * (square - far), rtol=1e-9)


def test_far_away_nothing_overflows():
    with np.errstate(all="raise", under="ignore"):
        above = radial("gauss").above(np.array([0.0, 1.0, 1e6]), 1e6)
    np.testing.assert_allclose(above, [1.0, np.exp(-1), 0.0])


@pytest.mark.parametrize(("name", "dof"), [("cauchy", 1.0), ("student", 0.0), ("student", np.inf)])
def test_what_is_no_kernel_is_named(name, dof):
    with pytest.raises(ValueError, match=r"kernel='cauchy'|dof=0.0|dof=inf"):
        radial(name, dof)
