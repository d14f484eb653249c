"""Networks that see a noisy row, its time, and what is known beside it. This imports torch.

    residual MLP    h <- h + W2 act(W1 h * (1 + scale(time)) + shift(time)),  block after block
    U-Net           the same with convolutions, from scale to scale: each half of the one before,
                    and back, with what was there before on the way down beside it

The time is seen as the logarithm of alpha_bar / beta_bar, through waves of several lengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from lowdim.deep.coding import Pictures, Rows
from lowdim.deep.layers import ACTIVATIONS, Dropout

LARGEST = 6.0  # of |log alpha_bar / beta_bar|: beyond, nothing changes
FREQUENCIES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the waves
N_WAVES = 2 * len(FREQUENCIES) + 2
TIME_UNITS = 64  # numbers that blocks see of the time and of what is known of y
MOST_GROUPS = 8  # of channels that are normalized together


class Size(NamedTuple):
    """What a network is made of."""

    image: tuple[int, int, int]
    groups: int  # numbers that are seen for each of a row's: the value, and what is known of it
    hidden: Sequence[int]
    activation: str
    dropout: float
    n_conditions: int  # numbers that are known beside the row


def waves(kept: torch.Tensor, added: torch.Tensor) -> torch.Tensor:
    """What networks see of times with these alpha_bar and beta_bar (n,): (n, N_WAVES)."""
    ratio = (torch.log(kept) - torch.log(added)).clamp(-LARGEST, LARGEST)
    lengths = torch.tensor(FREQUENCIES, dtype=ratio.dtype, device=ratio.device)
    angles = ratio.unsqueeze(1) * lengths
    return torch.cat([angles.sin(), angles.cos(), torch.stack([kept, added], dim=1)], dim=1)


class ResidualMLP(nn.Module):
    """Rows (n, groups d) and what is known beside them, (n, N_WAVES + q), to (n, d)."""

    def __init__(self, size: Size):
        super().__init__()
        d, width = math.prod(size.image), max(size.hidden)
        self.first = nn.Linear(size.groups * d + size.n_conditions, width)
        self.time = nn.Linear(N_WAVES + size.n_conditions, TIME_UNITS)
        self.blocks = nn.ModuleList(DenseBlock(width, units, size) for units in size.hidden)
        self.last = nn.Linear(width, d)

    def forward(self, X: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        H = self.first(torch.cat([X, context[:, N_WAVES:]], dim=1))
        at = functional.silu(self.time(context))
        for block in self.blocks:
            H = block(H, at)
        return self.last(H)


class DenseBlock(nn.Module):
    """h + W2 act(W1 h * (1 + scale) + shift)."""

    def __init__(self, width: int, units: int, size: Size):
        super().__init__()
        self.inner, self.outer = nn.Linear(width, units), nn.Linear(units, width)
        self.time = nn.Linear(TIME_UNITS, 2 * units)
        self.activation, self.dropout = ACTIVATIONS[size.activation](), Dropout(size.dropout)
        self.activation_name = size.activation

    def forward(self, H: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        scale, shift = self.time(at).chunk(2, dim=1)
        inner = self.activation(self.inner(H) * (1.0 + scale) + shift)
        return H + self.outer(self.dropout(inner))


class UNet(nn.Module):
    """The same for rows that are images, with convolutions."""

    def __init__(self, size: Size):
        super().__init__()
        c, hidden = size.image[2], tuple(size.hidden)
        self.pictures, self.rows = Pictures(size.groups, size.image), Rows(1)
        self.time = nn.Linear(N_WAVES + size.n_conditions, TIME_UNITS)
        self.first = nn.Conv2d(size.groups * c, hidden[0], 3, padding=1)
        before = (hidden[0], *hidden[:-1])
        pairs = list(zip(before, hidden, strict=True))
        self.down = nn.ModuleList(ConvBlock(a, b, size) for a, b in pairs)
        self.middle = ConvBlock(hidden[-1], hidden[-1], size)
        self.up = nn.ModuleList(ConvBlock(2 * b, a, size) for a, b in pairs[::-1])
        self.last = nn.Conv2d(hidden[0], c, 3, padding=1)

    def forward(self, X: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        at = functional.silu(self.time(context))
        H, passed = self.first(self.pictures(X)), []  # (n, channels, h, w)
        for i, block in enumerate(self.down):
            H = block(_halved(H) if i else H, at)
            passed.append(H)
        H = self.middle(H, at)
        for block in self.up:
            beside = passed.pop()
            if H.shape[2:] != beside.shape[2:]:
                H = functional.interpolate(H, size=beside.shape[2:])
            H = block(torch.cat([H, beside], dim=1), at)
        return self.rows(self.last(H))


class ConvBlock(nn.Module):
    """Two convolutions beside a straight way, with the time between them."""

    def __init__(self, before: int, after: int, size: Size):
        super().__init__()
        self.inner = nn.Conv2d(before, after, 3, padding=1)
        self.norm = nn.GroupNorm(math.gcd(after, MOST_GROUPS), after)
        self.time = nn.Linear(TIME_UNITS, 2 * after)
        self.outer = nn.Conv2d(after, after, 3, padding=1)
        self.straight = nn.Conv2d(before, after, 1) if before != after else nn.Identity()
        self.activation, self.dropout = ACTIVATIONS[size.activation](), Dropout(size.dropout)

    def forward(self, H: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        scale, shift = self.time(at)[:, :, None, None].chunk(2, dim=1)
        inner = self.norm(self.inner(H)) * (1.0 + scale) + shift
        return self.straight(H) + self.outer(self.dropout(self.activation(inner)))


def _halved(H: torch.Tensor) -> torch.Tensor:
    """Means of neighbours; what has one line or one column keeps it."""
    side = [min(2, n) for n in H.shape[2:]]
    return functional.avg_pool2d(H, side, ceil_mode=True)
