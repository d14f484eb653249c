"""Units of columns and shapes of images, as networks that code rows see them."""

import numpy as np
import pytest

from lowdim.deep.coder import image_shape_of, in_units, out_of_units


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("unit", [1.0, 1e30, 1e-30])
def test_units_go_and_come_back(rng, dtype, unit):
    X = ((rng.normal(size=(20, 3)) + 20.0) * unit).astype(dtype)
    mean, scale = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    Y = in_units(X, mean, scale)
    assert Y.dtype == dtype and np.abs(Y).max() < 10
    np.testing.assert_allclose(out_of_units(Y, mean, scale), X, rtol=1e-5)


def test_bytes_become_single_numbers():
    X = np.array([[0, 255]], np.uint8)
    for mean in (0.0, 100.0):
        Y = in_units(X, np.full(2, mean), np.ones(2))
        assert Y.dtype == np.float32
        np.testing.assert_array_equal(Y, [[-mean, 255 - mean]])


def test_rows_are_squares_or_signals_unless_said():
    assert image_shape_of(None, 36, "conv") == (6, 6, 1)
    assert image_shape_of(None, 35, "conv") == (1, 35, 1)
    assert image_shape_of(None, 36, "mlp") == (1, 36, 1)
    assert image_shape_of((4, 3, 3), 36, "conv") == (4, 3, 3)
    for bad in ((5, 5), (36,), (-6, -6), (6.0, 6.0)):
        with pytest.raises(ValueError, match="image_shape="):
            image_shape_of(bad, 36, "conv")
