"""Matrices for the tests of NMF."""

import numpy as np


def parts(rng, n=40, d=12, k=3, noise=0.1):
    """Sums of k sparse parts, with noise, 0 or more."""
    W, H = rng.gamma(1.0, size=(n, k)), rng.gamma(1.0, size=(k, d))
    H[rng.random(H.shape) < 0.4] = 0.0
    return np.maximum(W @ H + noise * rng.normal(size=(n, d)), 0.0)


def small_problems(rng, n=50, d=20, k=6):
    """G, P, and the least squares they are of: factors F and targets Y."""
    F, Y = rng.random((d, k)), rng.normal(size=(n, d)) + 0.5
    return F.T @ F, Y @ F, F, Y
