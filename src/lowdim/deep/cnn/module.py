"""The torch module of convolutions. This module imports torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from lowdim.deep.layers import ACTIVATIONS
from lowdim.deep.losses import OUTPUTS
from lowdim.deep.mlp.module import Perceptron


class Convolutions(nn.Module):
    """Convolution, activation, max-pool, some times; then dense layers. Gives scores."""

    def __init__(
        self,
        shape: tuple[int, int, int],
        channels: Sequence[int],
        kernel: tuple[int, int],
        pool: int,
        hidden: Sequence[int],
        n_outputs: int,
        activation: str,
        dropout: float,
        out: str,
    ):
        super().__init__()
        h, w, c = self.shape = shape
        self.out = out
        high, wide = kernel
        self.zeros = (wide // 2, (wide - 1) // 2, high // 2, (high - 1) // 2)  # around an image
        self.register_buffer("scale", torch.ones(()))
        convolutions, pools = [], []
        for after in channels:
            convolutions.append(nn.Conv2d(c, after, kernel))
            size = (min(pool, h), min(pool, w))
            pools.append(nn.MaxPool2d(size, ceil_mode=True))
            h, w, c = -(-h // size[0]), -(-w // size[1]), after
        self.convolutions, self.pools = nn.ModuleList(convolutions), nn.ModuleList(pools)
        self.activation = ACTIVATIONS[activation]()
        self.dense = Perceptron((math.prod((h, w, c)), *hidden, n_outputs), activation, dropout)

    def maps(self, X: torch.Tensor, layer: int) -> torch.Tensor:
        """What a convolution gives, after the activation, (n, channels, h, w)."""
        A = X.reshape(len(X), *self.shape).movedim(-1, 1) / self.scale  # (n, c, h, w)
        for number in range(layer + 1):
            A = self.pools[number - 1](A) if number else A
            A = self.activation(self.convolutions[number](functional.pad(A, self.zeros)))
        return A

    def flat(self, X: torch.Tensor) -> torch.Tensor:
        """What goes into the dense layers."""
        return self.pools[-1](self.maps(X, len(self.convolutions) - 1)).flatten(1)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return self.dense(self.flat(X))  # (n, outputs)

    def output(self, X: torch.Tensor) -> Any:
        """Scores after the output's own activation."""
        return OUTPUTS[self.out](self(X))

    def hidden(self, X: torch.Tensor, layer: int) -> torch.Tensor:
        """The values of a hidden dense layer."""
        A = self.flat(X)
        for linear in self.dense.linear[: layer + 1]:
            A = self.activation(linear(A))
        return A
