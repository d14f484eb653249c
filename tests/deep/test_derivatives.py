"""Gradients of dense networks: three ways agree; Jacobians are derivatives."""

import numpy as np
import pytest

import lowdim

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def network(rng, kind, activation, hidden=(4, 3)):
    X = rng.normal(size=(12, 3))
    arguments = {
        "hidden_layer_sizes": hidden,
        "activation": activation,
        "alpha": 0.7,
        "max_iter": 2,
        "random_state": int(rng.integers(1000)),
    }
    if kind in ("numbers", "counts"):
        y = rng.poisson(2.0, (12, 2)) if kind == "counts" else rng.normal(size=(12, 2))
        loss = "poisson" if kind == "counts" else "squared_error"
        return lowdim.MLPRegressor(loss=loss, **arguments).fit(X, y), X, y
    y = {
        "two": np.arange(12) % 2,
        "three": np.array(list("abc"))[np.arange(12) % 3],
        "labels": (X > 0).astype(int),
        "shares": rng.dirichlet(np.ones(3), 12),
    }[kind]
    return lowdim.MLPClassifier(**arguments).fit(X, y), X, y


@pytest.mark.parametrize("kind", ["numbers", "counts", "two", "three", "labels", "shares"])
def test_three_ways_agree(rng, kind):
    for activation in ("tanh", "logistic", "identity", "relu"):
        model, X, y = network(rng, kind, activation)
        weight = rng.random(12)
        automatic, backprop, numeric = (
            lowdim.deep.gradients(model, X, y, weight, method=method, return_signals=True)
            for method in ("autograd", "backprop", "numeric")
        )
        assert automatic.loss == pytest.approx(backprop.loss, rel=1e-12)
        for field in ("coefs", "intercepts", "signals"):
            ways = (getattr(way, field) for way in (automatic, backprop, numeric))
            for a, b, c in zip(*ways, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
                np.testing.assert_allclose(c, b, rtol=1e-6, atol=1e-7)


def test_the_gradient_is_what_the_next_step_takes(rng):
    model, X, y = network(rng, "three", "tanh")
    model.set_params(solver="sgd", momentum=0.0, learning_rate_init=0.01)
    before = [W.copy() for W in model.coefs_]
    found = lowdim.deep.gradients(model, X, y)
    assert type(found).__name__ == "Gradients" and len(found) == 3
    model.partial_fit(X, y)
    for W, was, gradient in zip(model.coefs_, before, found.coefs, strict=True):
        np.testing.assert_allclose(W, was - 0.01 * gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["numbers", "counts", "two", "three"])
def test_jacobians_are_derivatives_of_the_output(rng, kind):
    model, X, _ = network(rng, kind, "tanh")
    J = lowdim.deep.jacobian(model, X)

    def output(X):
        if kind in ("numbers", "counts"):
            return model.predict(X)
        P = model.predict_proba(X)
        return P[:, 1:] if kind == "two" else P

    assert J.shape == (12, model.n_outputs_, 3)
    for f in range(3):
        step = 1e-6 * np.eye(3)[f]
        numeric = (output(X + step) - output(X - step)) / 2e-6
        np.testing.assert_allclose(J[:, :, f], numeric, rtol=1e-6, atol=1e-8)


def test_jacobians_of_layers_multiply(rng):
    model, X, _ = network(rng, "three", "logistic")
    first, rest = lowdim.deep.jacobian(model, X, 0, 1), lowdim.deep.jacobian(model, X, 1)
    assert first.shape == (12, 4, 3) and rest.shape == (12, 3, 4)
    np.testing.assert_allclose(rest @ first, lowdim.deep.jacobian(model, X), rtol=1e-10)
    np.testing.assert_array_equal(
        lowdim.deep.jacobian(model, X, 2, 2), np.broadcast_to(np.eye(3), (12, 3, 3))
    )
    np.testing.assert_allclose(
        lowdim.deep.jacobian(model, X, -3, -2), lowdim.deep.jacobian(model, X, 1, 2)
    )


def test_the_model_stays_as_it_is(rng):
    model, X, y = network(rng, "numbers", "tanh")
    with pytest.raises(ValueError, match="y has 1 columns; MLPRegressor has 2 outputs"):
        lowdim.deep.gradients(model, X, y[:, 0])
    assert model.n_outputs_ == 2


def test_other_arguments_are_refused(rng):
    model, X, y = network(rng, "two", "tanh")
    with pytest.raises(ValueError, match="method='exact' is not known"):
        lowdim.deep.gradients(model, X, y, method="exact")
    with pytest.raises(TypeError, match="model is a PCA"):
        lowdim.deep.jacobian(lowdim.PCA().fit(X), X)
    with pytest.raises(ValueError, match="stop=4 is no layer; choose 0"):
        lowdim.deep.jacobian(model, X, stop=4)
    with pytest.raises(ValueError, match="stop must not come before start"):
        lowdim.deep.jacobian(model, X, 2, 1)
