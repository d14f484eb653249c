"""Rows from known models, and networks without hidden layers fitted to them, once."""

import functools

import numpy as np

import lowdim

LINEAR = {"hidden": (), "learning_rate": 0.02, "n_samples": 8, "max_iter": 100, "random_state": 0}
# Where columns trade noise for loadings, the likelihood is flat: 4% of a noise variance are 2e-4
# nats of a row. So each step takes all rows (batches keep moving along such a valley), and codes
# may go together (a diagonal posterior has to turn the axes first, and may stop before).
TO_THE_END = {"posterior": "full", "batch_size": 1000, "max_iter": 800, "learning_rate": 0.03}


@functools.cache
def planes():
    """Rows near a plane to learn from, and new ones."""
    random = np.random.default_rng(1)
    W, noise = random.normal(size=(2, 6)), np.array([0.4, 0.5, 0.6, 0.5, 0.4, 0.7])
    Z, E = random.normal(size=(1400, 2)), random.normal(size=(1400, 6))
    X = Z @ W + noise * E + 3.0
    return X[:1000], X[1000:]


@functools.cache
def linear(noise):
    more = {**TO_THE_END, "n_samples": 4} if noise == "column" else {}
    return lowdim.VAE(2, noise=noise, **{**LINEAR, **more}).fit(planes()[0])


def own_gaussian(model):
    """Mean, W and noise of a model without hidden layers, in units of X."""
    W = model.weights_["decoder.0.weight"].astype(float) * model.scale_[:, None]
    mean = model.weights_["decoder.0.bias"] * model.scale_ + model.mean_
    return mean, W, np.broadcast_to(model.noise_variance_, 6)


def mixed(rng, n=500):
    """Two groups that differ in a share, a count, a level and a measurement."""
    group = rng.integers(0, 2, n)
    X = np.column_stack(
        [
            rng.random(n) < np.where(group, 0.95, 0.05),
            rng.poisson(np.where(group, 12.0, 2.0)),
            np.where(rng.random(n) < 0.9, 2 * group, 1),
            np.where(group, 3.0, -3.0) + rng.normal(size=n),
        ]
    ).astype(float)
    return X, group


KINDS = ["bernoulli", "poisson", "categorical", "gaussian"]
