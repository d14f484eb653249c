"""Words in the plane."""

import numpy as np
import pytest

import lowdim
from lowdim.report.words.plane import word_plane


def test_the_plane_keeps_most_of_the_variance(rng):
    X = rng.normal(size=(60, 5)) * [5, 3, 0.1, 0.1, 0.1]
    plane = word_plane(X)
    centred = X - X.mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    assert plane.share == pytest.approx(values[:2].sum() / values.sum(), rel=1e-9)
    np.testing.assert_allclose((plane.points**2).sum(axis=0), values[:2], rtol=1e-9)


def test_many_words_are_mapped_by_their_neighbours(rng):
    centers = 3.0 * rng.normal(size=(6, 20))
    X = (centers[np.arange(240) % 6] + rng.normal(size=(240, 20))).astype(np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    plane = word_plane(X)
    assert plane.by_neighbours and plane.points.shape == (240, 2)
    assert plane.share == lowdim.neighborhood_recall(X, plane.points, n_neighbors=10)
    components = lowdim.PCA(2).fit_transform(X)
    assert plane.share > 1.5 * lowdim.neighborhood_recall(X, components, n_neighbors=10)


def test_the_same_words_give_the_same_plane(rng):
    X = rng.normal(size=(30, 4)).astype(np.float32)
    np.testing.assert_array_equal(word_plane(X).points, word_plane(X.copy()).points)


@pytest.mark.parametrize("shape", [(1, 3), (2, 3), (5, 1)])
def test_few_words_and_dimensions_have_a_plane(shape, rng):
    plane = word_plane(rng.normal(size=shape))
    assert plane.points.shape == (shape[0], 2) and np.isfinite(plane.points).all()
    assert plane.share == pytest.approx(1.0)


def test_equal_words_are_one_point():
    plane = word_plane(np.ones((4, 3)))
    assert plane.share == 1.0 and not plane.points.any()
