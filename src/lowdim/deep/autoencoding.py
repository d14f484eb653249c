"""The module of an autoencoder. This module imports torch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from lowdim.deep.coding import decoder, encoder


class Coder(nn.Module):
    """An encoder of rows that are standardized, NaN where missing, and a decoder of codes."""

    def __init__(
        self,
        network: str,
        shape: tuple[int, int, int],
        n_components: int,
        hidden: Sequence[int],
        activation: str,
        dropout: float,
        sees_missing: bool,
    ):
        super().__init__()
        self.sees_missing = sees_missing
        layers = (hidden, activation, dropout)
        self.encoder = encoder(network, shape, 1 + sees_missing, n_components, *layers)
        self.decoder = decoder(network, shape, n_components, 1, *layers)

    def encode(self, Y: torch.Tensor) -> torch.Tensor:
        """Codes of rows."""
        observed = ~Y.isnan()
        return self.encode_seen(Y.nan_to_num(nan=0.0), observed)

    def encode_seen(self, Y: torch.Tensor, observed: torch.Tensor) -> torch.Tensor:
        """Codes of rows with zeros for what is not observed."""
        parts = [Y, observed.to(Y.dtype)] if self.sees_missing else [Y]
        return self.encoder(torch.cat(parts, dim=1))

    def decode(self, Z: torch.Tensor) -> torch.Tensor:
        """What codes stand for."""
        return self.decoder(Z)

    def reconstruct(self, Y: torch.Tensor) -> torch.Tensor:
        """What is left of rows after coding and decoding."""
        return self.decode(self.encode(Y))


class BernoulliCoder(Coder):
    """The same for values from 0 to 1: the decoder's numbers are their log-odds."""

    def decode(self, Z: torch.Tensor) -> torch.Tensor:
        return self.decoder(Z).sigmoid()


def squared_loss(
    corruption: float, module: Coder, batch: tuple, noise: torch.Generator
) -> torch.Tensor:
    """Sum of (y - y_hat)^2 over the observed entries of rows."""
    Y, observed, decoded = _decoded(corruption, module, batch, noise)
    return ((Y - decoded) ** 2 * observed).sum()


def bernoulli_loss(
    corruption: float, module: Coder, batch: tuple, noise: torch.Generator
) -> torch.Tensor:
    """Sum of -x log p - (1 - x) log(1 - p) over the observed entries of rows."""
    Y, observed, logits = _decoded(corruption, module, batch, noise)
    return nn.functional.binary_cross_entropy_with_logits(logits, Y, observed, reduction="sum")


def _decoded(corruption: float, module: Coder, batch: tuple, noise: torch.Generator) -> tuple:
    """Rows with zeros for NaN, what is observed of them, and what the decoder gives for them."""
    (X,) = batch
    observed = (~X.isnan()).to(X.dtype)
    Y = X.nan_to_num(nan=0.0)
    seen = observed
    if corruption and module.training:
        kept = torch.rand(Y.shape, generator=noise, dtype=Y.dtype) >= corruption
        seen = observed * kept.to(Y.device)
    return Y, observed, module.decoder(module.encode_seen(Y * seen, seen))
