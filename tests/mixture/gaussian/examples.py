"""What the tests of Gaussian mixtures share: rows, a start, and full covariances."""

import numpy as np
import pytest

SHARED_WITH_PEER = ["full", "tied", "diag", "spherical"]


each_kind = pytest.mark.parametrize("kind", [*SHARED_WITH_PEER, "unit"])


def clusters(rng, n=300, d=3, k=3, apart=4.0, missing=0.0):
    """Rows of k Gaussians with their own shapes, with missing values at random."""
    means = apart * rng.normal(size=(k, d))
    shapes = rng.normal(size=(k, d, d)) / np.sqrt(d) + 0.3 * np.eye(d)
    labels = rng.integers(k, size=n)
    X = means[labels] + np.einsum("ide,ie->id", shapes[labels], rng.normal(size=(n, d)))
    X[rng.random(X.shape) < missing] = np.nan
    return X


def a_start(X, kind, k=3):
    """The same start for everybody."""
    d = X.shape[1]
    identity = {
        "full": np.tile(np.eye(d), (k, 1, 1)),
        "tied": np.eye(d),
        "diag": np.ones((k, d)),
        "spherical": np.ones(k),
        "unit": np.ones(k),
    }
    weights = np.arange(1.0, k + 1)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return {
        "covariance_type": kind,
        "weights_init": weights / weights.sum(),
        "means_init": filled[:k] + 0.1 * np.arange(k)[:, None],
        "precisions_init": identity[kind] / np.nanvar(X) if kind != "unit" else identity[kind],
    }


def full_covariances(model):
    """(K, d, d), whatever the type."""
    k, d = model.means_.shape
    C = model.covariances_
    if model.covariance_type == "full":
        return C
    if model.covariance_type == "tied":
        return np.tile(C, (k, 1, 1))
    variances = C if model.covariance_type == "diag" else np.repeat(C[:, None], d, axis=1)
    return np.stack([np.diag(v) for v in variances])


def parameters(model):
    """Weights, means and covariance matrices."""
    return [model.weights_, model.means_, full_covariances(model)]
