"""An autoencoder, as a skeleton: a row is explained by a network's function of a few numbers.

    z = tanh(x A + a),   x_hat = z B + b                 A (d, k), B (k, d)

    minimise     J = 1/(2 n) sum_i ||x_i - x_hat_i||^2   over A, a, B, b, in units of the columns

by Adam on the gradient of all rows. A gradient is a sum over rows, as what other methods add up: so
`statistics` gives it for one block, by automatic differentiation, `update` makes a step of it, and
data in memory, in files and on Dask, threads, progress, checkpoints and Ctrl-C are the
foundation's. One iteration: O(n d k) time, O(d k) memory beside one block.

This file is a whole network in its shortest form, to copy when you start a new one. Its test,
`tests/developer/test_network_skeleton.py`, is the skeleton of a test.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, RANDOM_STATE
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import check_codes
from lowdim.linalg.observed import observed_columns

DECAY, SQUARES_DECAY, TINY = 0.9, 0.999, 1e-8  # Kingma and Ba (2015), algorithm 1


class SkeletonAutoencoder(Transformer, Estimator):
    """An autoencoder with one layer of tanh units.

    Minimises  1/(2 n) sum_i ||x_i - decode(encode(x_i))||^2  in standardized columns, by Adam.

    Cost: O(n d k) per pass, O(d k) memory beside one block.

    Parameters
    ----------
    n_components : int, default=2
        Number of units k: the code of a row has so many numbers.
    learning_rate : float, default=0.05
        Smaller: slower, and nearer to the minimum in the end.
    max_iter : int, default=500
    tol : float, default=1e-7
        Stop when J falls by less than this in an iteration.
    random_state : int, Generator, RandomState or None, default=None
        For the first weights.

    Attributes
    ----------
    weights_ : tuple of ndarray
        A (d, k), a (k,), B (k, d), b (d,).
    mean_, scale_ : ndarray of shape (d,)
        Of the columns.
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "learning_rate": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self, n_components=2, *, learning_rate=0.05, max_iter=500, tol=1e-7, random_state=None
    ):
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None):
        """Learn the weights from X."""
        rows = self.open_rows(X)
        columns = observed_columns(rows)
        mean, scale = columns.mean, np.where(columns.std > 0, columns.std, 1.0)
        start = first_weights(len(mean), self.n_components, random_generator(self.random_state))

        loop = iterate(self, Training.begin(start), max_iter=self.max_iter, tol=self.tol)
        for training in loop:
            sums = rows.fold(statistics, training.weights, mean, scale)
            loop.record(sums.loss / sums.count)  # J at these weights, before the step
            loop.params = update(training, sums, self.learning_rate)

        self.weights_ = tuple(loop.params.weights)
        self.mean_, self.scale_ = mean, scale
        self._n_features_out = self.n_components
        return self

    def transform(self, X):
        """The code of each row."""
        rows = self.open_rows(X, reset=False)
        return rows.map(encode, Weights(*self.weights_), self.mean_, self.scale_)

    def inverse_transform(self, Z):
        """The rows that codes stand for."""
        Z = check_codes(self, Z, self.n_components)
        return decode(Z, Weights(*self.weights_), self.mean_, self.scale_)


class Weights(NamedTuple):
    A: np.ndarray  # (d, k)
    a: np.ndarray  # (k,)
    B: np.ndarray  # (k, d)
    b: np.ndarray  # (d,)


def first_weights(d: int, k: int, random: np.random.Generator) -> Weights:
    """Weights with which every unit has a variance of about 1 (Glorot and Bengio 2010)."""
    A = random.normal(size=(d, k)) / np.sqrt(d)
    B = random.normal(size=(k, d)) / np.sqrt(k)
    return Weights(A, np.zeros(k), B, np.zeros(d))


def reconstruction(S: Any, A: Any, a: Any, B: Any, b: Any) -> Any:
    """The network: standardized rows as it gives them back."""
    return (S @ A + a).tanh() @ B + b  # (n, k), then (n, d)


class Sums(NamedTuple):
    count: int
    loss: float  # half of the squared errors
    gradient: Weights  # of the loss


def statistics(X: np.ndarray, weights: Weights, mean: np.ndarray, scale: np.ndarray) -> Sums:
    """What one block of rows adds up: its loss, and the gradient of it."""
    import torch

    S = torch.from_numpy((X - mean) / scale)  # (n, d)
    tensors = [torch.from_numpy(part).requires_grad_() for part in weights]
    loss = ((S - reconstruction(S, *tensors)) ** 2).sum() / 2
    gradient = torch.autograd.grad(loss, tensors)
    return Sums(len(X), loss.item(), Weights(*(part.numpy() for part in gradient)))


class Training(NamedTuple):
    """What an iteration needs of the one before: all of it goes into a checkpoint."""

    weights: Weights
    average: Weights  # running mean of the gradients
    squares: Weights  # and of their squares
    step: int

    @classmethod
    def begin(cls, weights: Weights) -> Training:
        nothing = Weights(*map(np.zeros_like, weights))
        return cls(weights, nothing, nothing, 0)


def update(training: Training, sums: Sums, learning_rate: float) -> Training:
    """One step of Adam down the mean gradient."""
    step = training.step + 1
    moved = []
    for w, m, v, g in zip(*training[:3], sums.gradient, strict=True):
        g = g / sums.count
        m = DECAY * m + (1 - DECAY) * g
        v = SQUARES_DECAY * v + (1 - SQUARES_DECAY) * g**2
        m_hat, v_hat = m / (1 - DECAY**step), v / (1 - SQUARES_DECAY**step)
        moved.append((w - learning_rate * m_hat / (np.sqrt(v_hat) + TINY), m, v))
    return Training(*(Weights(*parts) for parts in zip(*moved, strict=True)), step)


def encode(X: np.ndarray, weights: Weights, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The codes of a block of rows."""
    return np.tanh((X - mean) / scale @ weights.A + weights.a).astype(X.dtype, copy=False)


def decode(Z: np.ndarray, weights: Weights, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The rows that a block of codes stands for."""
    return ((Z @ weights.B + weights.b) * scale + mean).astype(Z.dtype, copy=False)
