"""Factor models and rows with missing values, for the tests."""

import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from lowdim.linear.missing import FactorModel, fit_missing, statistics

BOTH = pytest.mark.parametrize("isotropic", [True, False], ids=["isotropic", "diagonal"])


class Learner:
    """Receives what a loop publishes."""


def fit(X, k, *, isotropic=True, weight=None, max_iter=2000, tol=1e-12, seed=0, learner=None):
    found = fit_missing(
        learner or Learner(),
        as_blocks(X),
        k,
        isotropic=isotropic,
        weight=weight,
        max_iter=max_iter,
        tol=tol,
        random=np.random.default_rng(seed),
    )
    mean, W, noise, unit = found
    return FactorModel(mean * unit, W * unit, noise * unit**2)


def fit_some(X, k, **arguments):
    """A fit of exactly 8 iterations: two that do the same differ by rounding alone."""
    return fit(X, k, max_iter=8, tol=0, **arguments)


def planted(rng, n, d, k, noise=0.5):
    """Rows of a factor model, and the model."""
    model = FactorModel(rng.normal(size=d), rng.normal(size=(d, k)), np.full(d, noise**2))
    return sampled(rng, n, model), model


def sampled(rng, n, model):
    d, k = model.W.shape
    return (
        rng.normal(size=(n, k)) @ model.W.T
        + model.mean
        + rng.normal(size=(n, d)) * np.sqrt(model.noise)
    )


def with_missing(rng, X, share):
    """X with a share of its entries missing at random, but something left in every column."""
    absent = rng.random(X.shape) < share
    absent[rng.integers(len(X), size=X.shape[1]), np.arange(X.shape[1])] = False
    return np.where(absent, np.nan, X)


def some_model(rng, d, k):
    return FactorModel(rng.normal(size=d), rng.normal(size=(d, k)), rng.uniform(0.1, 2.0, size=d))


def covariance(model):
    return model.W @ model.W.T + np.diag(model.noise)


def objective(X, model, weight=None):
    return statistics(X, *model, weight).by_entry


class Counted(ArrayBlocks):
    """Blocks that count the passes."""

    passes = 0

    def fold(self, *args, **kwargs):
        self.passes += 1
        return super().fold(*args, **kwargs)
