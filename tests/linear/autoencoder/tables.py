"""Rows near a plane, and what is known of them."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from lowdim import LinearAutoencoder

SOLVERS = pytest.mark.parametrize("solver", ["exact", "gd", "sgd"])


TIED = pytest.mark.parametrize("tied", [False, True], ids=["free", "tied"])


def table(rng, n=300, d=6, k=2, noise=0.7):
    """Rows near a plane in which both directions count, away from zero."""
    axes, _ = np.linalg.qr(rng.normal(size=(d, k)))
    X = (rng.normal(size=(n, k)) * [3.0, 2.0][:k]) @ axes.T
    return X + noise * rng.normal(size=(n, d)) + 5.0


def fitted(X, solver, tied, k=2, **arguments):
    """A fit to convergence; 'sgd' stops when its decreasing steps do."""
    precise = {"gd": {"tol": 1e-15, "max_iter": 5000}, "sgd": {"max_iter": 300, "batch_size": 64}}
    settings = {"random_state": 0, **precise.get(solver, {}), **arguments}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearAutoencoder(k, tied=tied, solver=solver, **settings).fit(X)


def pca_projector(X, k=2):
    _, _, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return Vt[:k].T @ Vt[:k]


def objective(S, V, W):
    E = V @ W - np.eye(len(S))
    return np.trace(E @ S @ E.T)
