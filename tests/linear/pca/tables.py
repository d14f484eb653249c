"""Tables of known axes, for the tests of PCA."""

import numpy as np

EXACT = ["full", "covariance_eigh", "gram", "arpack", "krylov", "power", "em"]


ATTRIBUTES = [
    "mean_",
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "noise_variance_",
]


def spectrum_data(rng, n=300, variances=(16.0, 9.0, 4.0, 1.0, 0.5, 0.2, 0.1), offset=0.0):
    """Rows whose sample covariance has exactly these eigenvalues, so that gaps are known."""
    d = len(variances)
    U, _ = np.linalg.qr(rng.normal(size=(n, d)) - rng.normal(size=(n, d)).mean(axis=0))
    U, _ = np.linalg.qr(U - U.mean(axis=0))
    V, _ = np.linalg.qr(rng.normal(size=(d, d)))
    return np.sqrt(n - 1) * U * np.sqrt(variances) @ V.T + offset


def planted(rng, n=600, d=10, k=2, noise=0.1):
    W = rng.normal(size=(d, k)) * [3.0, 2.0][:k]
    return rng.normal(size=(n, k)) @ W.T + noise * rng.normal(size=(n, d)) + 5.0, W


def angle(V, W):
    """Sine of the largest principal angle between two subspaces."""
    V, _ = np.linalg.qr(V)
    W, _ = np.linalg.qr(W)
    return np.linalg.norm(V - W @ (W.T @ V), 2)
