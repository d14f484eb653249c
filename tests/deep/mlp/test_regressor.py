"""MLPRegressor: curves, several outputs, weights."""

import numpy as np
import pytest

import lowdim

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("solver", ["adam", "adamw", "adagrad", "sgd", "lbfgs"])
def test_a_curve_is_learned(rng, solver):
    X = np.linspace(-2, 2, 200)[:, None]
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 0] ** 2])
    rate = {"adagrad": 0.2, "sgd": 0.05}.get(solver, 0.02)
    model = lowdim.MLPRegressor(
        "squared_error",
        (20,),
        "tanh",
        solver=solver,
        learning_rate_init=rate,
        batch_size=50,
        random_state=int(rng.integers(100)),
    ).fit(X, Y)
    assert model.predict(X).shape == Y.shape and model.score(X, Y) > 0.9
    assert model.n_outputs_ == 2 and model.out_activation_ == "identity"


def test_whole_weights_are_repeated_rows(rng):
    X, y, times = rng.normal(size=(40, 3)), rng.normal(size=40), rng.integers(0, 3, 40)
    model = lowdim.MLPRegressor("squared_error", (5,), max_iter=20, random_state=0, tol=0.0)
    weighted = model.fit(X, y, sample_weight=times).predict(X)
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-8)


def test_counts_give_positive_means(rng):
    X = rng.normal(size=(100, 2))
    model = lowdim.MLPRegressor("poisson", (5,), max_iter=5).fit(X, rng.poisson(1.0, 100))
    assert (model.predict(X) > 0).all() and model.out_activation_ == "exp"
    with pytest.raises(ValueError, match="loss='poisson' needs y >= 0"):
        model.fit(X, X[:, 0])
