"""The torch module of a dense network. This module imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import nn

from lowdim.deep.layers import ACTIVATIONS, Dropout, Linear


class Perceptron(nn.Module):
    """Linear layers with an activation between them; gives scores, before the output's own."""

    def __init__(
        self,
        sizes: Sequence[int],
        activation: str,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ):
        super().__init__()
        self.linear = nn.ModuleList(Linear(a, b) for a, b in pairwise(sizes))
        self.activation_name = activation
        self.activation = ACTIVATIONS[activation]()
        self.dropout, self.input_dropout = Dropout(dropout), Dropout(input_dropout)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        X = self.input_dropout(X)
        for i, linear in enumerate(self.linear):
            X = linear(self.dropout(self.activation(X)) if i else X)
        return X  # (n, outputs)
