"""What the tests of finite mixtures share: rows of every family."""

import numpy as np
import pandas as pd
import pytest

from lowdim import MixtureModel
from lowdim.mixture.families import Family

NAMES = ["gaussian", "bernoulli", "multinomial", "poisson", "categorical"]


each_name = pytest.mark.parametrize("name", NAMES)


def planted(rng, name, n=600, k=3):
    """Rows of a mixture whose components lie well apart, and their components."""
    labels = np.repeat(np.arange(k), n // k)
    own = np.arange(12) % k == np.arange(k)[:, None]  # each component has columns of its own
    X = {
        "gaussian": lambda: rng.normal(np.where(own, 4.0, 0.0)[labels]),
        "bernoulli": lambda: rng.random((n, 12)) < np.where(own, 0.9, 0.1)[labels],
        "multinomial": lambda: rng.multinomial(50, (np.where(own, 5.0, 1.0) / 28)[labels]),
        "poisson": lambda: rng.poisson(np.where(own, 9.0, 2.0)[labels]),
        "categorical": lambda: 10.0 * ((labels[:, None] + 2 * (rng.random((n, 12)) < 0.3)) % k),
    }[name]()
    return np.asarray(X, dtype=float), labels


def with_missing(rng, X, share=0.2):
    hidden = rng.random(X.shape) < share
    hidden[:: len(X) // 3 - 1] = False
    return np.where(hidden, np.nan, X)


def fit_some(X, name, weight=None, **arguments):
    """A fit of exactly 8 iterations: two that do the same differ by rounding alone."""
    settings = {"n_components": 3, "tol": 0, "max_iter": 8, "random_state": 0, **arguments}
    return MixtureModel(name, **settings).fit(X, sample_weight=weight)


def mixed_table(rng, n=900):
    """Three kinds: lengths tell the first from the others, colors the last from the others."""
    kind = np.repeat([0, 1, 2], n // 3)
    table = pd.DataFrame(
        {
            "length": rng.normal(np.where(kind == 0, 10.0, 16.0)),
            "width": rng.normal(np.where(kind == 0, 3.0, 9.0)),
            "color": np.where(rng.random(n) < np.where(kind == 2, 0.95, 0.05), "red", "blue"),
            "round": rng.random(n) < np.where(kind == 2, 0.95, 0.05),
            "shape": pd.Categorical(np.where(kind == 2, "long", "short")),
            "code": np.where(rng.random(n) < np.where(kind == 2, 0.9, 0.1), 7, 4),
        },
        index=np.arange(n)[::-1],
    )
    return table, kind


class Exponential(Family):
    """Waiting times: f(x; rate) = rate exp(-rate x)."""

    nonnegative = True

    def natural(self, params):
        return (-params["rates"],)

    def log_partition(self, params):
        return -np.log(params["rates"])

    def update(self, mean):
        return {"rates": 1 / np.maximum(mean, 1e-12)}

    def mean(self, params):
        return 1 / params["rates"]
