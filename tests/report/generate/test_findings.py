"""What a page says is there as plain data."""

import numpy as np
from numpy.testing import assert_allclose

from lowdim.report.generate.findings import find_images, find_table


def test_tables_are_compared(rng):
    X = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=200)
    Y = rng.normal(size=(150, 2))  # the correlation is lost
    found = find_table("t", X, Y, None, None, 0)
    assert_allclose(found.correlations.real[0, 1], np.corrcoef(X.T)[0, 1], atol=1e-6)
    assert_allclose(found.correlations.drawn[0, 1], np.corrcoef(Y.T)[0, 1], atol=1e-6)
    assert found.quality.c2st > 0.55 and found.plane.shape == (350, 2)
    assert len(found.columns) == len(found.shares) == 2


def test_images_are_compared_by_components(rng):
    real = rng.integers(0, 9, (60, 4, 4))
    found = find_images("i", real, real[::-1][:30], 0)
    assert found.plane.shape == (90, 2) and found.odd[0].distance < 1e-6
