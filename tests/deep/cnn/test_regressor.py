"""CNNRegressor: where a spot is, in any units of y."""

import numpy as np
import pytest

import lowdim

pytest.importorskip("torch")


def test_the_place_of_a_spot_is_learned_in_any_units(rng):
    places = rng.integers(0, 8, (300, 2))
    X = 0.1 * rng.random((300, 8, 8))
    X[np.arange(300), places[:, 0], places[:, 1]] += 1.0
    y = 1000.0 + 100.0 * places
    model = lowdim.CNNRegressor(
        channels=(8,), hidden_layer_sizes=(32,), dropout=0.0, random_state=0
    ).fit(X.reshape(300, -1), y)
    assert model.score(X.reshape(300, -1), y) > 0.9
    np.testing.assert_allclose(model.target_mean_, y.mean(axis=0))
    assert model.predict(X.reshape(300, -1)).shape == (300, 2)
    with pytest.raises(ValueError, match="y has 1 columns, and the network has 2 outputs"):
        model.partial_fit(X.reshape(300, -1), y[:, 0])


def test_a_target_that_does_not_vary_is_predicted():
    X = np.arange(40.0).reshape(10, 4)
    model = lowdim.CNNRegressor(
        channels=(2,), hidden_layer_sizes=(), max_iter=100, learning_rate=0.02, random_state=0
    )
    assert np.abs(model.fit(X, np.full(10, 5.0)).predict(X) - 5.0).max() < 1.0
