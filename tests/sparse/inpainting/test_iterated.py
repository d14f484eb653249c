import numpy as np

from lowdim.sparse.inpainting.iterated import by_thresholds
from lowdim.sparse.inpainting.pyramid import filled
from lowdim.sparse.pictures.patches import Shape


def test_waves_are_continued(rng):
    r, c = np.mgrid[0:64, 0:64]
    x = 128 + 80 * np.sin((r + 2 * c) / 5.0)
    known = rng.random((64, 64)) < 0.5
    first = filled(np.where(known, x, 0), known)
    found = by_thresholds(np.where(known, x, 0), known, Shape(8, 8), first)
    assert np.array_equal(found[known], x[known])
    assert np.std((found - x)[~known]) < 0.3 * np.std((first - x)[~known])


def test_a_picture_smaller_than_two_patches(rng):
    x = np.add.outer(np.arange(9.0), np.arange(9.0))
    known = rng.random((9, 9)) < 0.7
    found = by_thresholds(x * known, known, Shape(8, 8), filled(x * known, known))
    assert np.abs(found - x).max() < 3
