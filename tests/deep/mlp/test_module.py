"""The torch module gives the scores of the NumPy layers; dropout is only for learning."""

import numpy as np
import pytest

import lowdim
from lowdim.deep.mlp.forward import layer

torch = pytest.importorskip("torch")


def test_the_module_gives_the_scores_of_the_layers(rng):
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    model = lowdim.MLPClassifier((4, 3), "tanh", solver="lbfgs", max_iter=3, tol=9.0, dropout=0.0)
    model.fit(X, y)
    scores = layer(X, model.coefs_, model.intercepts_, "tanh", "identity")
    with torch.no_grad():
        found = model.module_(torch.tensor(X)).numpy()
    np.testing.assert_allclose(found, scores, rtol=1e-10, atol=1e-12)


def test_dropout_of_inputs_and_units_keeps_means(rng):
    from lowdim.deep.engine import torch_generator
    from lowdim.deep.layers import with_noise
    from lowdim.deep.mlp.module import Perceptron

    module = Perceptron((50, 40, 1), "identity", 0.3, 0.2).double()
    X = torch.tensor(rng.normal(size=(1, 50)))
    with torch.no_grad(), with_noise(torch_generator(0)):
        noisy = module(X.repeat(20000, 1))
        plain = module.eval()(X)
    assert noisy.std() > 0.05
    assert abs(noisy.mean() - plain).item() < 5 * noisy.std().item() / 20000**0.5
