import numpy as np

from lowdim.sparse.pictures.cosines import cosine_atoms, hard, wiener
from lowdim.sparse.pictures.patches import Grid, Shape


def test_atoms_are_orthonormal():
    for shape in (Shape(4, 4), Shape(1, 9)):
        U = cosine_atoms(shape)
        assert np.allclose(U @ U.T, np.eye(shape.d), atol=1e-6)
        assert np.allclose(U[0], U[0, 0])


def test_without_a_threshold_nothing_changes(rng):
    x = rng.normal(0, 50, size=(20, 17))
    assert np.allclose(hard(x, Shape(4, 4), 0.0), x, atol=1e-3)
    assert np.allclose(wiener(x, x, Shape(4, 4), 1e-6), x, atol=1e-3)


def test_beyond_all_coefficients_means_are_left(rng):
    x = rng.normal(0, 1, size=(12, 12)) + 80
    smooth = hard(x, Shape(4, 4), 1e6)
    assert smooth.std() < 0.5 * x.std() and abs(smooth.mean() - 80) < 0.5


def test_pixels_without_a_patch_stay(rng):
    x = rng.normal(size=(9, 9))
    y = hard(x, Shape(4, 4), 1e6, Grid(4, 1, 1))
    assert np.array_equal(y[0], x[0]) and not np.allclose(y[1:, 1:], x[1:, 1:])
