"""Matrices of low rank, some of whose entries are observed: what tests of completers plant."""

import numpy as np


def low_rank(rng, n=60, d=25, k=2, noise=0.0):
    """A matrix of rank k, and noise if there is to be some."""
    truth = rng.normal(size=(n, k)) @ rng.normal(size=(k, d))
    return truth + noise * rng.normal(size=truth.shape) if noise else truth


def with_missing(X, rng, missing=0.5):
    """X without this part of its entries."""
    return np.where(rng.random(X.shape) < missing, np.nan, X)
