"""Units of factor models: what has no square in float64 has one in its unit."""

import numpy as np
import pytest

import lowdim
from lowdim.linear.missing.units import (
    MeasuredModel,
    in_units,
    learned_noise_std,
    measured,
    narrowed,
    out_of_units,
    squares_out_of_units,
)


def test_the_unit_is_1_unless_squares_are_in_danger(rng):
    W = rng.normal(size=(4, 2))
    for scale in (1e-100, 1.0, 1e100):
        model = measured(np.ones(4), scale * W, np.full(4, scale))
        assert model.unit == 1.0
        np.testing.assert_array_equal(model.W, scale * W)
    for scale in (1e-200, 1e200):
        model = measured(scale * np.ones(4), scale * W, np.full(4, 0.1 * scale))
        assert np.log2(model.unit).is_integer() and 0.1 < scale / model.unit < 10.0
        np.testing.assert_allclose(model.W * model.unit, scale * W, rtol=1e-15)
        np.testing.assert_allclose(model.noise, (0.1 * scale / model.unit) ** 2, rtol=1e-14)
    nothing = measured(np.zeros(4), np.zeros((4, 2)), np.zeros(4))
    assert nothing.unit == 1.0 and (nothing.noise > 0).all()
    assert isinstance(nothing, MeasuredModel) and nothing.model.W is nothing.W


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_unit_changes_no_digit(dtype, rng):
    X = rng.normal(size=(5, 3)).astype(dtype)
    assert in_units(X, 1.0) is X
    for unit in (2.0**-90, 2.0**90):
        Y = in_units(X, unit)
        assert Y.dtype == dtype
        np.testing.assert_array_equal(Y, X / dtype(unit))
        np.testing.assert_array_equal(out_of_units(Y, unit), X)


def test_rows_of_float32_may_be_measured_in_a_unit_beyond_it():
    assert in_units(np.ones(2, dtype=np.float32), 2.0**600).tolist() == [0.0, 0.0]


def test_squares_end_where_float64_does():
    assert squares_out_of_units(3.0, 2.0**600) == np.inf
    assert squares_out_of_units(3.0, 2.0**-600) == 0.0
    assert squares_out_of_units(3.0, 4.0) == 48.0


def test_squares_that_float32_cannot_hold_stay_float64():
    for values in ([1.0, 0.0], [1e30, 1.0], [0.0], [np.inf, 1.0]):
        assert narrowed(np.array(values), np.dtype("f4")).dtype == np.float32
    for values in ([1e60, 1.0], [1e-60, 1.0]):
        kept = narrowed(np.array(values), np.dtype("f4"))
        assert kept.dtype == np.float64 and kept.tolist() == values


def test_models_of_earlier_releases_know_only_the_square():
    model = lowdim.ProbabilisticPCA(1).fit(np.eye(4))
    now = learned_noise_std(model)
    del model._noise_std
    assert learned_noise_std(model) == pytest.approx(now, rel=1e-15)
