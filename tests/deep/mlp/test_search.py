"""L-BFGS: closed forms, sums over blocks, warnings."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge

import lowdim

pytest.importorskip("torch")


def linear(alpha, **arguments):
    return lowdim.MLPRegressor(
        hidden_layer_sizes=(), solver="lbfgs", alpha=alpha, tol=1e-10, max_iter=2000, **arguments
    )


def test_no_hidden_layer_is_ridge_regression(rng):
    X, Y, weight = rng.normal(size=(60, 4)), rng.normal(size=(60, 2)), rng.random(60)
    for y in (Y, Y[:, 0]):
        model = linear(3.0).fit(X, y, weight)
        peer = Ridge(3.0).fit(X, y, weight)
        np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=1e-4)
        np.testing.assert_allclose(model.coefs_[0], np.atleast_2d(peer.coef_).T, atol=1e-4)


def test_no_hidden_layer_is_logistic_regression(rng):
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    model = lowdim.MLPClassifier((), solver="lbfgs", alpha=2.0, tol=1e-9, max_iter=2000).fit(X, y)
    peer = LogisticRegression(C=0.5, tol=1e-9, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)


def test_counts_are_poisson_regression(rng):
    X = rng.normal(size=(80, 3))
    y = rng.poisson(np.exp(X[:, 0]))
    model = linear(8.0, loss="poisson").fit(X, y)
    peer = PoissonRegressor(alpha=0.1, tol=1e-9, max_iter=2000).fit(X, y)  # of the mean loss
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-3)


def test_blocks_and_threads_change_no_more_than_rounding(rng):
    X, y = rng.normal(size=(200, 4)), rng.normal(size=200)
    model = lowdim.MLPRegressor("squared_error", (5,), solver="lbfgs", max_iter=5, random_state=0)
    found = []
    for threads in (1, 3):
        with (
            lowdim.config_context(threads=threads, block_bytes=1024),
            pytest.warns(ConvergenceWarning, match=r"failed to converge.*Raise max_iter \(now 5\)"),
        ):
            found.append(model.fit(X, y).predict(X))
    np.testing.assert_array_equal(found[0], found[1])
    assert model.n_iter_ == 5 and not model.converged_ and len(model.history_) == 5
    assert (np.diff(model.history_) < 0).all() and model.loss_ == model.history_[-1]
