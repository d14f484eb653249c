"""Rows of a known factor model."""

import numpy as np


def planted(rng, n=3000, d=10, k=2):
    W = rng.normal(size=(d, k))
    noise = rng.uniform(0.3, 1.5, size=d)
    X = rng.normal(size=(n, k)) @ W.T + np.sqrt(noise) * rng.normal(size=(n, d)) + 2.0
    return X, W, noise
