"""Mixtures of known sources, for the tests of ICA."""

import numpy as np


def cocktail(n=4000):
    """Sine, square and sawtooth waves, and a mixing matrix (of full rank, well conditioned)."""
    time = np.linspace(0, 40, n)
    sources = np.column_stack([np.sin(2 * time), np.sign(np.sin(3 * time)), (time % 1.37) - 0.685])
    sources /= sources.std(axis=0)
    A = np.array([[1.0, 0.5, 0.3], [0.4, 1.0, 0.6], [0.2, 0.3, 1.0]])
    return sources @ A.T, sources, A


def laplacian(rng, n=5000, d=6):
    S = rng.laplace(size=(n, d))
    A = rng.normal(size=(d, d))
    return S @ A.T, A
