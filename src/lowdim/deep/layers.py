"""Parts of networks. This module imports torch: import it where a network is made, not before.

Noise within a network (dropout) comes from the generator that the step gives for its shard
(`with_noise`), never from torch's own, so it does not depend on threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any, NamedTuple

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
_NAMES = {kind: name for name, kind in ACTIVATIONS.items()}
_aten = torch.ops.aten
# of the hidden layers of `dense`: of sums Z, where they may be overwritten, and times its slope,
# from what it gives (first three) or from Z
_ACTIVATE: dict[str, Any] = {
    "relu": torch.relu_,
    "tanh": torch.tanh_,
    "logistic": torch.sigmoid_,
    "gelu": nn.functional.gelu,
    "silu": nn.functional.silu,
}
_TIMES_SLOPE: dict[str, Any] = {
    "relu": lambda D, H: _aten.threshold_backward(D, H, 0.0),
    "tanh": _aten.tanh_backward,
    "logistic": _aten.sigmoid_backward,
    "gelu": _aten.gelu_backward,
    "silu": _aten.silu_backward,
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
        keys = map(id, weights)  # torch takes its time to look a tensor up
        self._parts = dict(zip(keys, parts, strict=True))
        self._empty = set(self._parts)

    def place(self, weight: Any) -> torch.Tensor | None:
        """The tensor for the gradient of a weight, if there is one."""
        return self._parts.get(id(weight))

    def holds(self, weight: Any) -> bool:
        """Whether something is there already; from now on there is."""
        return self._held(id(weight))

    def _held(self, key: int) -> bool:
        held = key not in self._empty
        self._empty.discard(key)
        return held

    def add(self, found: Sequence[torch.Tensor | None]) -> None:
        """Add what autograd has found, None where it was added already, or where nothing is."""
        for (key, part), gradient in zip(self._parts.items(), found, strict=True):
            if gradient is not None:
                part.add_(gradient) if self._held(key) else part.copy_(gradient)
            elif key in self._empty:
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
        return _Stack.apply(X, [Layer(self.weight, self.bias)], into, self.weight)


class Layer(NamedTuple):
    """Of dense layers that are worked on as one: a product, and what follows it."""

    W: torch.Tensor
    b: torch.Tensor
    activation: str = "identity"
    dropout: float = 0.0


class Passed(NamedTuple):
    """What came out of a layer's parts when rows passed through it."""

    X: torch.Tensor  # what it saw
    Z: torch.Tensor | None  # what its activation's slope follows from; None: it has none
    kept: torch.Tensor | None  # what dropout multiplied by


def activated(Z: torch.Tensor, activation: str) -> torch.Tensor:
    """act(Z); where `times_slope` can do without Z, it is overwritten."""
    return Z if activation == "identity" else _ACTIVATE[activation](Z)


def times_slope(D: torch.Tensor, Z: torch.Tensor, activation: str) -> torch.Tensor:
    """D act'(Z), for Z as `activated` left it."""
    return D if activation == "identity" else _TIMES_SLOPE[activation](D, Z)


def add_gradients(
    W: torch.Tensor, b: torch.Tensor, X: torch.Tensor, D: torch.Tensor, into: Gradients
) -> None:
    """Of a layer that saw X, by derivatives D of the loss by X W' + b."""
    of_W, of_b = into.place(W), into.place(b)
    assert of_W is not None and of_b is not None
    of_W.addmm_(D.t(), X, beta=1 if into.holds(W) else 0)
    of_b.add_(D.sum(dim=0)) if into.holds(b) else torch.sum(D, dim=0, out=of_b)


def kept_of(X: torch.Tensor, dropout: Dropout) -> torch.Tensor | None:
    """What a dropout multiplies numbers by now; None: by 1."""
    return _kept(X, dropout.p) if dropout.training and dropout.p else None


def forward(layers: Sequence[Layer], X: torch.Tensor) -> tuple[torch.Tensor, list[Passed]]:
    """Rows through dense layers, without autograd; what `backward` needs of it.

    Z_l = H_(l-1) W_l' + b_l,    H_l = act(Z_l) kept_l
    """
    passed = []
    for W, b, activation, dropout in layers:
        Z = torch.addmm(b, X, W.t())
        H = activated(Z, activation)
        kept = _kept(H, dropout) if dropout else None
        passed.append(Passed(X, None if activation == "identity" else Z, kept))
        X = H if kept is None else H * kept
    return X, passed


def backward(
    layers: Sequence[Layer],
    passed: Sequence[Passed],
    D: torch.Tensor,
    into: Gradients,
    further: bool = True,
) -> torch.Tensor | None:
    """Derivatives D of a loss by what layers gave, back to what they saw, if it goes `further`.

    Gradients in W and b are added where they belong.

    D_l = d loss / d Z_l:   D_(l-1) = (D_l W_l) kept_(l-1) act'(Z_(l-1)),   dW_l = D_l' H_(l-1)
    """
    back: torch.Tensor | None = D
    for number, (W, b, activation, _) in reversed(list(enumerate(layers))):
        assert back is not None
        X, Z, kept = passed[number]
        D = back if kept is None else back * kept
        D = D if Z is None else times_slope(D, Z, activation)
        add_gradients(W, b, X, D, into)
        back = D @ W if number or further else None
    return back


class _Stack(torch.autograd.Function):
    """Dense layers one after the other, whose gradients in W and b are added where they belong.

    Autograd sees one function where it would see three for each layer, and hidden layers are
    written in place. What it is told of the first weight only makes it come back here. The last
    layer has no activation: what it gives is not kept, else it would keep itself.
    """

    @staticmethod
    def forward(ctx: Any, X: Any, layers: Sequence[Layer], into: Gradients, _: Any) -> torch.Tensor:
        ctx.layers, ctx.into = layers, into
        found, ctx.passed = forward(layers, X)
        return found

    @staticmethod
    def backward(ctx: Any, D: torch.Tensor) -> tuple:
        further = ctx.needs_input_grad[0]
        return backward(ctx.layers, ctx.passed, D, ctx.into, further), None, None, None


def _kept(X: torch.Tensor, dropout: float) -> torch.Tensor:
    """What dropout multiplies numbers by: 0, or 1 / (1 - p)."""
    kept = torch.rand(X.shape, generator=_noise.get(), dtype=X.dtype) >= dropout
    return kept.to(X) / (1.0 - dropout)


class Dropout(nn.Module):
    """While it learns, numbers are 0 with probability p, and the others grow by 1 / (1 - p)."""

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        if not self.training or self.p == 0:
            return X
        return X * _kept(X, self.p)


class Dense(nn.Sequential):
    """Linear layers, activations and dropout."""

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        into = _gradients.get()
        layers = self.layers() if into is not None and X.ndim == 2 else None
        if into is None or layers is None or into.place(layers[0].W) is None:
            return super().forward(X)
        return _Stack.apply(X, layers, into, layers[0].W)

    def layers(self) -> list[Layer] | None:
        """What can be worked on as one; None if a part is of another kind, or the last one is."""
        found: list[Layer] = []
        for part in self:
            name = _NAMES.get(type(part))
            if isinstance(part, Linear):
                found.append(Layer(part.weight, part.bias))
            elif found and name is not None and found[-1][2:] == ("identity", 0.0):
                found[-1] = found[-1]._replace(activation=name)
            elif found and isinstance(part, Dropout) and not found[-1].dropout:
                found[-1] = found[-1]._replace(dropout=part.p if part.training else 0.0)
            else:
                return None
        return found if found and found[-1][2:] == ("identity", 0.0) else None


def dense(sizes: Sequence[int], activation: str, dropout: float = 0.0) -> Dense:
    """Linear layers from sizes[0] to sizes[-1] numbers, an activation after each but the last."""
    layers: list[nn.Module] = []
    for i, (before, after) in enumerate(pairwise(sizes)):
        if i:
            layers += [ACTIVATIONS[activation](), *([Dropout(dropout)] if dropout else [])]
        layers.append(Linear(before, after))
    return Dense(*layers)
