"""The layers of a dense network in NumPy, held against scikit-learn's and finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neural_network import MLPRegressor

from lowdim.deep.mlp.forward import FUNCTIONS, SLOPES, layer, layers


@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_outputs_are_scikit_learns(rng, activation):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    peer = MLPRegressor("squared_error", (4, 5), activation, max_iter=2).fit(X, y)
    weights = (peer.coefs_, peer.intercepts_, activation, "identity")
    np.testing.assert_allclose(layer(X, *weights), peer.predict(X), rtol=1e-12)
    np.testing.assert_allclose(layer(sp.csr_array(X), *weights), peer.predict(X), rtol=1e-12)
    values = layers(X, *weights)
    assert [v.shape[1] for v in values] == [3, 4, 5, 2]
    np.testing.assert_array_equal(layer(X, *weights, 1), values[1])
    assert layer(X.astype(np.float32), *weights).dtype == np.float32


@pytest.mark.parametrize("name", SLOPES)
def test_slopes_are_derivatives(rng, name):
    Z = rng.normal(size=(5, 4))
    numeric = (FUNCTIONS[name](Z + 1e-6) - FUNCTIONS[name](Z - 1e-6)) / 2e-6
    np.testing.assert_allclose(SLOPES[name](FUNCTIONS[name](Z)), numeric, atol=1e-8)
