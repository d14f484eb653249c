"""Parts of networks. This module imports torch: import it where a network is made, not before.

Noise within a network (dropout) comes from the generator that the step gives for its shard
(`with_noise`), never from torch's own, so it does not depend on threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any

import torch
from torch import nn

ACTIVATIONS: dict[str, Any] = {
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
    "logistic": nn.Sigmoid,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "identity": nn.Identity,
}
_noise: ContextVar[torch.Generator | None] = ContextVar("lowdim_noise", default=None)


@contextmanager
def with_noise(generator: torch.Generator | None) -> Iterator[None]:
    """Layers that need random numbers take them from here."""
    token = _noise.set(generator)
    try:
        yield
    finally:
        _noise.reset(token)


class Dropout(nn.Module):
    """While it learns, numbers are 0 with probability p, and the others grow by 1 / (1 - p)."""

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        if not self.training or self.p == 0:
            return X
        kept = torch.rand(X.shape, generator=_noise.get(), dtype=X.dtype) >= self.p
        return X * kept.to(X.device) / (1.0 - self.p)


def dense(sizes: Sequence[int], activation: str, dropout: float = 0.0) -> nn.Sequential:
    """Linear layers from sizes[0] to sizes[-1] numbers, an activation after each but the last."""
    layers: list[nn.Module] = []
    for i, (before, after) in enumerate(pairwise(sizes)):
        if i:
            layers += [ACTIVATIONS[activation](), *([Dropout(dropout)] if dropout else [])]
        layers.append(nn.Linear(before, after))
    return nn.Sequential(*layers)
