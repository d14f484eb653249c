"""CNNClassifier: finds what is anywhere in an image."""

import numpy as np
import pytest

import lowdim

pytest.importorskip("torch")


def crosses_and_boxes(rng, n):
    """Images with one of two small signs, anywhere."""
    signs = np.array([[[1, 0, 1], [0, 1, 0], [1, 0, 1]], [[1, 1, 1], [1, 0, 1], [1, 1, 1]]])
    images, y = 0.1 * rng.random((n, 10, 10)), rng.integers(0, 2, n)
    for image, sign, (i, j) in zip(images, signs[y], rng.integers(0, 8, (n, 2)), strict=True):
        image[i : i + 3, j : j + 3] += sign
    return images.reshape(n, -1), np.array(["cross", "box"])[y]


def test_signs_are_found_anywhere(rng):
    X, y = crosses_and_boxes(rng, 400)
    model = lowdim.CNNClassifier(channels=(8, 8), hidden_layer_sizes=(16,), random_state=0)
    model.fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.95
    assert model.predict_proba(X).shape == (400, 2) and model.history_.shape == (20,)
    assert model.image_shape_ == (10, 10, 1)


def test_labels_shares_and_calls_one_by_one(rng):
    X = rng.random((60, 9))
    shares = rng.dirichlet(np.ones(3), 60)
    small = {"channels": (4,), "hidden_layer_sizes": (), "max_iter": 2}
    model = lowdim.CNNClassifier(**small).fit(X, shares)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-6)
    assert lowdim.CNNClassifier(**small).fit(X, (X[:, :2] > 0.5) * 1).predict(X).shape == (60, 2)
    model = lowdim.CNNClassifier(**small)
    for _ in range(3):
        model.partial_fit(X, shares.argmax(axis=1), classes=[0, 1, 2])
    assert model.n_iter_ == 3 and model.classes_.tolist() == [0, 1, 2]
