"""Encoders and decoders: rows to a few numbers and back. This module imports torch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import nn

from lowdim.deep.layers import ACTIVATIONS, dense

CHANNELS = (32, 64)  # of the convolutions of an encoder; a decoder has them in the other order


def encoder(
    network: str,
    shape: tuple[int, int, int],
    n_inputs: int,
    n_out: int,
    hidden: Sequence[int],
    activation: str,
    dropout: float,
) -> nn.Module:
    """From n_inputs channels of rows to n_out numbers.

    Rows have the shape (h, w, c): c numbers at each of h x w places. A dense network takes all
    numbers as they come, a convolutional one halves h and w twice first.
    """
    h, w, c = shape
    if network == "mlp":
        return dense((n_inputs * h * w * c, *hidden, n_out), activation, dropout)
    first, second = CHANNELS
    return nn.Sequential(
        Pictures(n_inputs, shape),
        nn.Conv2d(n_inputs * c, first, 3, stride=2, padding=1),
        ACTIVATIONS[activation](),
        nn.Conv2d(first, second, 3, stride=2, padding=1),
        ACTIVATIONS[activation](),
        nn.Flatten(),
        *dense((second * math.prod(_quarter(h, w)), *hidden, n_out), activation, dropout),
    )


def decoder(
    network: str,
    shape: tuple[int, int, int],
    n_codes: int,
    n_out: int,
    hidden: Sequence[int],
    activation: str,
    dropout: float,
) -> nn.Module:
    """From codes to n_out numbers for each number of a row, channel after channel."""
    h, w, c = shape
    if network == "mlp":
        return dense((n_codes, *hidden[::-1], n_out * h * w * c), activation, dropout)
    second, first = CHANNELS
    quarter = _quarter(h, w)
    return nn.Sequential(
        *dense((n_codes, *hidden[::-1], first * math.prod(quarter)), activation, dropout),
        ACTIVATIONS[activation](),
        nn.Unflatten(1, (first, *quarter)),
        nn.Upsample(size=((h + 1) // 2, (w + 1) // 2)),
        nn.Conv2d(first, second, 3, padding=1),
        ACTIVATIONS[activation](),
        nn.Upsample(size=(h, w)),
        nn.Conv2d(second, n_out * c, 3, padding=1),
        Rows(n_out),
    )


def _quarter(h: int, w: int) -> tuple[int, int]:
    """Height and width after two halvings, each rounded up."""
    return (h + 3) // 4, (w + 3) // 4


class Pictures(nn.Module):
    """Rows (n, g h w c), g times the c numbers of each of h x w places, as (n, g c, h, w)."""

    def __init__(self, groups: int, shape: tuple[int, int, int]):
        super().__init__()
        self.groups, self.shape = groups, shape

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return X.reshape(len(X), self.groups, *self.shape).movedim(-1, 2).flatten(1, 2)


class Rows(nn.Module):
    """Pictures (n, g c, h, w) as rows again, (n, g h w c)."""

    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        n, channels, h, w = X.shape
        apart = X.reshape(n, self.groups, channels // self.groups, h, w)
        return apart.movedim(2, -1).flatten(1)
