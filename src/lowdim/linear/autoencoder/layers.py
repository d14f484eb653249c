"""The two layers of the linear autoencoder, and what is known of the rows seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

POWER_STEPS = 10  # with which a largest variance is found


class Weights(NamedTuple):
    """The two layers."""

    V: np.ndarray  # (d, k)  decoder
    W: np.ndarray  # (k, d)  encoder


class Learned(NamedTuple):
    """What is known of the rows seen: enough for `partial_fit` to go on."""

    weight: float  # of the rows seen
    mean: np.ndarray  # (d,)
    unit: float  # a power of two in which rows are measured: squares stay finite
    weights: Weights
    axis: np.ndarray  # (d,)  of length 1, towards the largest variance
    largest: float  # variance along it
    t: int  # batches seen


def random_weights(d: int, k: int, random: np.random.Generator) -> Weights:
    """A random projector: V = W' with orthonormal columns, which untied weights then leave."""
    V, _ = np.linalg.qr(random.normal(size=(d, k)))
    return Weights(V, V.T.copy())
