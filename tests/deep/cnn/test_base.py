"""Networks of convolutions: filters and their maps, shapes of images, engines, files."""

import pickle

import numpy as np
import pytest
from scipy.signal import correlate2d

import lowdim
from lowdim.deep.cnn.base import shape_of_images

pytest.importorskip("torch")


def model(**arguments):
    settings = {"channels": (3, 4), "hidden_layer_sizes": (8,), "max_iter": 2, "random_state": 0}
    return lowdim.CNNRegressor(**settings | arguments)


def test_maps_are_correlations_with_the_filters(rng):
    h, w, c = 6, 5, 2
    X = 20.0 * rng.normal(size=(30, h * w * c))
    fitted = model(image_shape=(h, w, c)).fit(X, X[:, 0])
    images = X.reshape(30, h, w, c)
    W, b = fitted.filters_[0], fitted.biases_[0]
    assert W.shape == (3, 2, 3, 3) and fitted.filters_[1].shape == (4, 3, 3, 3)
    found = fitted.feature_maps(X, 0)
    assert found.shape == (30, 3, h, w)
    for j in range(3):
        sums = sum(correlate2d(images[4, :, :, i], W[j, i], mode="same") for i in range(c))
        np.testing.assert_allclose(found[4, j], np.maximum(sums + b[j], 0), atol=1e-5)
    pooled = found[4].reshape(3, h // 2, 2, w)[:, :, :, :4].reshape(3, 3, 2, 2, 2).max((2, 4))
    last = found[4, :, :, 4].reshape(3, 3, 2).max(2)  # half a square at the border
    pooled = np.concatenate([pooled, last[:, :, None]], axis=2)
    W, b = fitted.filters_[1], fitted.biases_[1]
    sums = sum(correlate2d(pooled[i], W[2, i], mode="same") for i in range(3)) + b[2]
    np.testing.assert_allclose(fitted.feature_maps(X)[4, 2], np.maximum(sums, 0), atol=1e-4)


def test_a_shift_shifts_the_maps(rng):
    image = np.zeros((12, 12))
    image[4:7, 3:6] = rng.random((3, 3))
    fitted = model(kernel_size=5).fit(rng.random((20, 144)), rng.random(20))
    maps = fitted.feature_maps(np.stack([image, np.roll(image, (2, 3), (0, 1))]).reshape(2, -1), 0)
    np.testing.assert_allclose(np.roll(maps[0], (2, 3), (1, 2)), maps[1], atol=1e-6)


def test_rows_are_squares_or_signals_unless_a_shape_is_given():
    assert shape_of_images(None, 64) == (8, 8, 1)
    assert shape_of_images(None, 10) == (1, 10, 1)
    assert shape_of_images((2, 5), 10) == (2, 5, 1)
    assert shape_of_images([2, 5, 3], 30) == (2, 5, 3)
    for wrong in ((3, 3), (10,), (1, 2, 5, 1)):
        with pytest.raises(ValueError, match="does not fit rows of 10 numbers"):
            shape_of_images(wrong, 10)


def test_units_of_images_do_not_matter(rng):
    X, y = rng.random((40, 16)), rng.random(40)
    plain = model().fit(X, y).predict(X)
    for factor in (2.0**8, 2.0**-70, 2.0**300):
        np.testing.assert_allclose(model().fit(X * factor, y).predict(X * factor), plain, rtol=1e-4)


def test_stream_dask_bytes_and_threads_give_the_result_of_memory(rng):
    da = pytest.importorskip("dask.array")
    X = rng.integers(0, 256, (150, 16)).astype(np.uint8)
    y = X[:, 5] / 255.0
    whole = model().fit(X, y)
    assert whole.predict(X).dtype == np.float32
    single = X.astype(np.float32)
    found = [model().fit(single, y)]
    found.append(model().fit(lowdim.stream(lambda: iter(np.split(single, [7, 90]))), y))
    found.append(model().fit(da.from_array(single, chunks=(60, 16)), y))
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            found.append(model().fit(X, y))
    for other in found:
        for name, w in whole.weights_.items():
            np.testing.assert_array_equal(w, other.weights_[name])


def test_files_and_pickles_predict_the_same_and_learn_on(rng, tmp_path):
    X, y = rng.random((40, 16)), rng.random(40)
    fitted = model().fit(X, y)
    fitted.save(tmp_path / "model")
    for back in (lowdim.load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(back.predict(X), fitted.predict(X))
        np.testing.assert_array_equal(back.filters_[0], fitted.filters_[0])
        assert len(back.partial_fit(X, y).history_) == 3


def test_activations_are_dense_hidden_layers(rng):
    X, y = rng.random((20, 16)), rng.random(20)
    fitted = model(hidden_layer_sizes=(8, 5), activation="tanh").fit(X, y)
    first, last = fitted.activations(X, 0), fitted.activations(X)
    W, b = (fitted.weights_[f"dense.linear.1.{kind}"] for kind in ("weight", "bias"))
    np.testing.assert_allclose(last, np.tanh(first @ W.T + b), atol=1e-6)
    with pytest.raises(ValueError, match="layer=2 is not one of the 2 hidden layers"):
        fitted.activations(X, 2)
    with pytest.raises(ValueError, match="layer=-3 is not one of the 2 convolutions"):
        fitted.feature_maps(X, -3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"image_shape": (3, 5)}, r"image_shape=\(3, 5\) does not fit rows of 16 numbers"),
        ({"channels": (3, 0)}, r"channels=\(3, 0\)"),
        ({"hidden_layer_sizes": (0,)}, r"hidden_layer_sizes=\(0,\)"),
        ({"kernel_size": 0}, "kernel_size"),
        ({"dropout": 1.0}, "dropout"),
    ],
)
def test_arguments_are_refused_at_the_door(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        model(**arguments).fit(rng.random((20, 16)), rng.random(20))
