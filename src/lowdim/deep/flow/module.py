"""The module of a normalizing flow. This module imports torch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from lowdim.deep.layers import dense

LARGEST = 3.0  # logarithm of the most by which a layer stretches a column
LOG_2PI = math.log(2.0 * math.pi)


def sides(d: int, n_layers: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each layer the columns that it keeps and those that it moves.

    Two neighbouring layers split columns by one bit of their number, either way round, the next two
    by the next bit: so any two columns are on different sides after 2 log2 d layers.
    """
    n_bits = max((d - 1).bit_length(), 1)
    numbers = np.arange(d)
    found = []
    for layer in range(n_layers):
        moved = (numbers >> (layer // 2 % n_bits)) % 2 == layer % 2
        found.append((np.flatnonzero(~moved), np.flatnonzero(moved)))
    return found


class Coupling(nn.Module):
    """Some columns stay, and say by how much the others are shifted and stretched.

    z_moved = (x_moved - shift(x_kept)) exp(-s(x_kept)),   log |dz / dx| = -sum s
    """

    def __init__(self, n_kept: int, n_moved: int, hidden: Sequence[int], activation: str, p: float):
        super().__init__()
        self.kept: torch.Tensor
        self.moved: torch.Tensor
        self.register_buffer("kept", torch.empty(n_kept, dtype=torch.int64))
        self.register_buffer("moved", torch.empty(n_moved, dtype=torch.int64))
        self.network = dense((n_kept, *hidden, 2 * n_moved), activation, p)

    def moves(self, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Shift and logarithm of the stretch of each moved column, from the kept ones of X."""
        shift, s = self.network(X.index_select(1, self.kept)).chunk(2, dim=1)
        return shift, LARGEST * torch.tanh(s / LARGEST)

    def forward(self, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows after the layer, and log |det| of its Jacobian at each."""
        shift, s = self.moves(X)
        moved = (X.index_select(1, self.moved) - shift) * torch.exp(-s)
        return X.index_copy(1, self.moved, moved), -s.sum(dim=1)

    def undo(self, Z: torch.Tensor) -> torch.Tensor:
        """Rows before the layer."""
        shift, s = self.moves(Z)
        return Z.index_copy(1, self.moved, Z.index_select(1, self.moved) * torch.exp(s) + shift)


class Flow(nn.Module):
    """Coupling layers, then a shift and a stretch of each column; z is N(0, I)."""

    def __init__(
        self, d: int, n_layers: int, hidden: Sequence[int], activation: str, dropout: float
    ):
        super().__init__()
        both = [(len(kept), len(moved)) for kept, moved in sides(d, n_layers)] if d > 1 else []
        self.layers = nn.ModuleList(Coupling(*n, hidden, activation, dropout) for n in both)
        self.shift = nn.Parameter(torch.zeros(d))
        self.log_size = nn.Parameter(torch.zeros(d))

    def start(self) -> None:
        """Begin with no layer moving anything."""
        with torch.no_grad():
            for layer in self.layers:
                layer.network[-1].weight.zero_()

    def flowed(self, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """z of rows, and log |det dz/dx| at each."""
        log_det = -self.log_size.sum().expand(len(X))
        for layer in self.layers:
            X, more = layer(X)
            log_det = log_det + more
        return (X - self.shift) * torch.exp(-self.log_size), log_det

    def encode(self, X: torch.Tensor) -> torch.Tensor:
        """z of rows."""
        return self.flowed(X)[0]

    def decode(self, Z: torch.Tensor) -> torch.Tensor:
        """Rows of z."""
        X = Z * torch.exp(self.log_size) + self.shift
        for layer in reversed(self.layers):
            X = layer.undo(X)
        return X

    def log_density(self, X: torch.Tensor) -> torch.Tensor:
        """log p(x) = log N(z; 0, I) + log |det dz/dx| of each row."""
        Z, log_det = self.flowed(X)
        return log_det - 0.5 * (Z.square() + LOG_2PI).sum(dim=1)


def minus_log_density(module: Flow, batch: tuple, noise: torch.Generator) -> torch.Tensor:
    """Sum of -log p over the rows of a batch."""
    return -module.log_density(batch[0]).sum()
