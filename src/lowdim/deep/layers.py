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


class Gradients:
    """Where the gradients of weights are added up: a tensor for each, which may hold anything yet.

    A product that is written where it belongs needs no memory of its own.
    """

    def __init__(self, weights: Sequence[Any], parts: Sequence[torch.Tensor]):
        self._parts = dict(zip(weights, parts, strict=True))
        self._empty = set(weights)

    def place(self, weight: Any) -> torch.Tensor | None:
        """The tensor for the gradient of a weight, if there is one."""
        return self._parts.get(weight)

    def holds(self, weight: Any) -> bool:
        """Whether something is there already; from now on there is."""
        held = weight not in self._empty
        self._empty.discard(weight)
        return held

    def add(self, found: Sequence[torch.Tensor | None]) -> None:
        """Add what autograd has found, None where it was added already, or where nothing is."""
        for (weight, part), gradient in zip(self._parts.items(), found, strict=True):
            if gradient is not None:
                part.add_(gradient) if self.holds(weight) else part.copy_(gradient)
            elif weight in self._empty:
                part.zero_()


_gradients: ContextVar[Gradients | None] = ContextVar("lowdim_gradients", default=None)


@contextmanager
def adding_gradients_to(gradients: Gradients | None) -> Iterator[None]:
    """Dense layers that are used here add the gradients of their weights there.

    Autograd finds None for these weights then.
    """
    token = _gradients.set(gradients)
    try:
        yield
    finally:
        _gradients.reset(token)


class Linear(nn.Linear):
    """X W' + b."""

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        into = _gradients.get()
        if into is None or X.ndim != 2 or into.place(self.weight) is None:
            return super().forward(X)
        return _Product.apply(X, self.weight, self.bias, into)


class _Product(torch.autograd.Function):
    """X W' + b, whose gradients in W and b are added where they belong."""

    @staticmethod
    def forward(ctx: Any, X: Any, W: Any, b: Any, into: Gradients) -> torch.Tensor:
        ctx.save_for_backward(X)
        ctx.weights, ctx.into = (W, b), into
        return torch.addmm(b, X, W.t())

    @staticmethod
    def backward(ctx: Any, D: torch.Tensor) -> tuple:
        (X,), (W, b), into = ctx.saved_tensors, ctx.weights, ctx.into
        into.place(W).addmm_(D.t(), X, beta=1 if into.holds(W) else 0)
        of_b = into.place(b)
        of_b.add_(D.sum(dim=0)) if into.holds(b) else torch.sum(D, dim=0, out=of_b)
        return D @ W if ctx.needs_input_grad[0] else None, None, None, None


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
        layers.append(Linear(before, after))
    return nn.Sequential(*layers)
