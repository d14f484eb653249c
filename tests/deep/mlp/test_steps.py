"""Steps of dense networks are scikit-learn's, from the same weights on the same batches."""

import numpy as np
import pytest
from sklearn import neural_network as peers

import lowdim

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def start_from(peer, model):
    model.coefs_ = [W.copy() for W in peer.coefs_]
    model.intercepts_ = [b.copy() for b in peer.intercepts_]
    model.t_, model.n_layers_, model.n_features_in_ = 0, peer.n_layers_, peer.n_features_in_


@pytest.mark.parametrize(
    "arguments",
    [
        {"solver": "adam", "beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-15},
        {"solver": "sgd", "learning_rate_init": 0.02},
        {"solver": "sgd", "nesterovs_momentum": False},
        {"solver": "sgd", "momentum": 0.0, "learning_rate": "invscaling", "power_t": 0.3},
    ],
)
def test_steps_are_scikit_learns(rng, arguments):
    X, y, weight = rng.normal(size=(50, 4)), rng.normal(size=50), rng.random(50)
    shared = {"hidden_layer_sizes": (5,), "activation": "tanh", "alpha": 0.3, "batch_size": 20}
    arguments = {**shared, "shuffle": False, "max_iter": 1, **arguments}
    peer = peers.MLPRegressor(**arguments).partial_fit(X, y, weight)
    model = lowdim.MLPRegressor(**arguments)
    start_from(peer, model)
    peer.__dict__.pop("_optimizer")
    peer.t_ = 0
    for _ in range(4):
        peer.partial_fit(X, y, weight)
        model.partial_fit(X, y, weight)
    for found, expected in zip(
        model.coefs_ + model.intercepts_, peer.coefs_ + peer.intercepts_, strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert model.t_ == peer.t_ and len(model.loss_curve_) == 4


def test_adaptive_rates_fall_to_a_fifth_until_they_are_too_small(rng):
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    model = lowdim.MLPClassifier(
        (4,), solver="sgd", learning_rate="adaptive", tol=0.5, n_iter_no_change=2, max_iter=500
    ).fit(X, y)
    assert model.converged_ and model.n_iter_ < 100
    assert model._memory["rate"] == pytest.approx(1e-3 / 5**5)  # the first at most 1e-6


def test_adamw_shrinks_weights_but_not_intercepts(rng):
    X, y = np.zeros((10, 2)), rng.normal(size=10)  # weights have no gradient
    shared = {"hidden_layer_sizes": (), "learning_rate_init": 0.1, "random_state": 0}
    model = lowdim.MLPRegressor(solver="adamw", alpha=0.5, **shared).partial_fit(X, y)
    plain = lowdim.MLPRegressor(solver="adam", alpha=0.0, **shared).partial_fit(X, y)
    np.testing.assert_allclose(model.coefs_[0], 0.95 * plain.coefs_[0], rtol=1e-12)
    np.testing.assert_array_equal(model.intercepts_[0], plain.intercepts_[0])


def test_a_loss_that_grows_without_end_says_what_to_do(rng):
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    model = lowdim.MLPRegressor(
        activation="identity", solver="sgd", learning_rate_init=50.0, max_iter=500
    )
    with pytest.raises(ValueError, match="lower learning_rate_init"):
        model.fit(X, y)


@pytest.mark.parametrize("out", ["softmax", "shares", "logistic", "identity", "exp"])
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_error_signals_are_the_gradients_of_torch(rng, out, activation):
    import torch

    from lowdim.deep.losses import SumOfLosses
    from lowdim.deep.mlp.module import Perceptron
    from lowdim.deep.mlp.steps import backpropagated

    y = {
        "softmax": rng.integers(0, 3, 8),
        "shares": rng.dirichlet(np.ones(3), 8),
        "logistic": rng.integers(0, 2, (8, 3)).astype(float),
        "identity": rng.normal(size=(8, 3)),
        "exp": rng.poisson(2.0, (8, 3)).astype(float),
    }[out]
    out = "softmax" if out == "shares" else out
    module = Perceptron((4, 6, 5, 3), activation).double()
    W = [layer.weight.detach().numpy() for layer in module.linear]
    b = [layer.bias.detach().numpy() for layer in module.linear]
    batch = [rng.normal(size=(8, 4)), y, rng.random(8)]
    loss = SumOfLosses(out)(module, tuple(map(torch.tensor, batch)))
    expected = torch.autograd.grad(loss, list(module.parameters()))
    gradients = [np.empty(g.shape) for g in expected]
    found = backpropagated(batch, W, b, activation, out, gradients)
    assert found == pytest.approx(loss.item(), rel=1e-12)
    for g, e in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(g, e.numpy(), rtol=1e-9, atol=1e-12)
