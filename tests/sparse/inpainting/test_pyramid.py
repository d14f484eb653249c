import numpy as np
import pytest

from lowdim.sparse.inpainting.pyramid import _doubled, _halved, filled


def test_means_of_what_is_known():
    x = np.array([[1.0, 3.0, 9.0], [5.0, 0.0, 9.0], [2.0, 4.0, 6.0]])
    known = np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0]], bool)
    small, there = _halved(np.where(known, x, 0), known)
    assert small.tolist() == [[3.0, 9.0], [3.0, 0.0]]
    assert there.tolist() == [[True, True], [True, False]]


def test_lines_stay_lines():
    coarse = np.outer(np.ones(6), np.arange(6.0))
    assert np.allclose(np.diff(_doubled(coarse, (12, 12))[0, 1:-1]), 0.5)


@pytest.mark.parametrize("size", [(1, 9), (16, 16), (13, 30)])
def test_known_pixels_stay_and_all_are_filled(rng, size):
    x = rng.normal(5, 1, size=size)
    known = rng.random(size) < 0.1
    known.flat[0] = True
    y = filled(np.where(known, x, np.nan), known)
    assert np.isfinite(y).all() and np.array_equal(y[known], x[known])
    assert y.min() >= x[known].min() - 1e-12 and y.max() <= x[known].max() + 1e-12
