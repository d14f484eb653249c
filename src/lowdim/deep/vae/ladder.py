"""The module of a deep latent Gaussian model: noise comes in at each layer. Imports torch."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import nn

from lowdim.deep.layers import dense
from lowdim.deep.vae.likelihoods import Layout
from lowdim.deep.vae.module import Shape, Variational


class Ladder(nn.Module):
    """x^L = W^L z^L, x^l = F^l(x^(l+1)) + W^l z^l; from all codes, side by side, to x^1."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.sizes = shape.layers  # the bottom layer first
        self.factors = nn.ParameterList(nn.Parameter(torch.empty(k, k)) for k in shape.layers)
        hidden = tuple(shape.hidden)[::-1]
        self.steps = nn.ModuleList(
            dense((above, *hidden, below), shape.activation, shape.dropout)
            for below, above in pairwise(shape.layers)
        )

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        codes = Z.split(list(self.sizes), dim=-1)
        x = codes[-1] @ self.factors[-1].T
        for z, W, step in reversed(list(zip(codes, self.factors, self.steps, strict=False))):
            x = step(x) + z @ W.T
        return x  # (..., k of the bottom layer)


class DeepVariational(Variational):
    """q(z | x), p(z) and p(x | z), where the decoder sees the bottom layer x^1."""

    def __init__(self, shape: Shape, layout: Layout, noise: str | tuple[float, ...]):
        super().__init__(shape, layout, noise)
        self.ladder = Ladder(shape)

    def lifted(self, Z: torch.Tensor) -> torch.Tensor:
        return self.ladder(Z)
