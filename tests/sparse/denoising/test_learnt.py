import numpy as np
import pytest

from lowdim.sparse.denoising import learnt
from lowdim.sparse.pictures.patches import Shape


@pytest.mark.parametrize("shape, k", [(Shape(8, 8), 256), (Shape(4, 4), 10), (Shape(1, 16), 40)])
def test_first_atoms_are_of_length_one(shape, k):
    D = learnt.first_atoms(shape, k)
    assert D.shape == (k, shape.d)
    assert np.allclose(np.linalg.norm(D, axis=1), 1, atol=1e-6)


def test_codes_leave_no_more_than_their_noise(rng):
    D = learnt.first_atoms(Shape(4, 4), 64)
    X = rng.normal(size=(200, 16)).astype(np.float32)
    Z = learnt.codes(X, D, 4.0)
    left = np.sum((X - Z @ D) ** 2, axis=1)
    full = np.diff(Z.indptr) >= 8
    assert (left[~full] <= 4.001).all() and not full.all()


def test_atoms_fit_their_patches_better_than_the_first(rng):
    true = rng.normal(size=(12, 16))
    true -= true.mean(axis=1, keepdims=True)
    true /= np.linalg.norm(true, axis=1, keepdims=True)
    Z = np.zeros((3000, 12))
    for row in Z:
        row[rng.choice(12, 2, replace=False)] = rng.normal(0, 100, 2)
    X = (Z @ true + rng.normal(0, 2, (3000, 16))).astype(np.float32)
    D = learnt.learn(X, Shape(4, 4), 24, 2.0, rng)
    assert D.shape == (24, 16)
    bound = 16 * (1.15 * 2.0) ** 2
    X = X - X.mean(axis=1, keepdims=True)
    assert (
        learnt.codes(X, D, bound).nnz
        < 0.95 * learnt.codes(X, learnt.first_atoms(Shape(4, 4), 24), bound).nnz
    )


def test_a_flat_plane_stays(rng):
    D = learnt.first_atoms(Shape(4, 4), 32)
    assert np.allclose(learnt.by_atoms(np.full((9, 9), 7.0), Shape(4, 4), D, 5.0), 7.0)
    assert learnt.learn(np.zeros((5, 16), np.float32), Shape(4, 4), 32, 5.0, rng).shape == (32, 16)
