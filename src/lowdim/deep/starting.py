"""Where networks start: made without torch's own random numbers, which belong to the user.

torch works on one thread meanwhile: to hand the numbers of a layer to two takes longer than to
write them (0.4 s instead of 0.01 s for a million on a machine that others use).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lowdim.deep.engine import one_torch_thread


@one_torch_thread()
def module_of(
    make: Callable[[], Any],
    generator: Any,
    buffers: Mapping[str, np.ndarray] | None = None,
    gain: float = 1.0,
) -> Any:
    """The module that `make` gives, with weights drawn from `generator`.

    Weights are uniform with the variance gain^2 2 / (fan in + fan out) of Glorot and Bengio (2010),
    with which signals and gradients keep their size from layer to layer; tensors of one dimension
    (biases, scales) are 0, scales of normalizing layers 1. `buffers` are what the module has beside
    weights, by name: all of its buffers, and nothing else.
    """
    import torch

    module = _with_room(make, buffers)
    scales = {
        id(layer.weight)
        for layer in module.modules()
        if isinstance(layer, torch.nn.LayerNorm | torch.nn.GroupNorm) and layer.weight is not None
    }
    with torch.no_grad():
        for weights in module.parameters():
            if weights.ndim < 2:
                weights.fill_(1.0 if id(weights) in scales else 0.0)
                continue
            reach = math.prod(weights.shape[2:])  # of a convolution
            limit = gain * math.sqrt(6.0 / (reach * (weights.shape[0] + weights.shape[1])))
            weights.copy_(torch.rand(weights.shape, generator=generator) * (2 * limit) - limit)
    return module


@one_torch_thread()
def module_with(
    weights: Mapping[str, np.ndarray],
    make: Callable[[], Any],
    buffers: Mapping[str, np.ndarray] | None = None,
    dtype: Any = None,
) -> Any:
    """The module that `make` gives, with these weights by name, in float32 or another dtype."""
    import torch

    module = _with_room(make, buffers).to(dtype)
    with torch.no_grad():
        for name, w in module.named_parameters():
            given = weights[name]
            if given.shape != tuple(w.shape):  # torch would repeat a smaller array
                raise ValueError(
                    f"weights_[{name!r}] has shape {given.shape}; the network needs "
                    f"{tuple(w.shape)}."
                )
            w.copy_(torch.from_numpy(given))
    return module


def _with_room(make: Callable[[], Any], buffers: Mapping[str, np.ndarray] | None) -> Any:
    """The module that `make` gives, with its buffers, and room for its weights."""
    import torch

    with torch.device("meta"):  # nothing is drawn
        module = make()
    _make_room(module)
    for name, buffer in module.named_buffers():
        buffer.copy_(torch.from_numpy(np.asarray((buffers or {})[name])))
    return module


def _make_room(module: Any) -> None:
    """Give each weight and buffer memory of its own; what two layers share they share.

    As torch's `to_empty`, which imports a library of symbolic algebra (0.5 s).
    """
    import torch

    made: dict[int, Any] = {}
    for layer in module.modules():
        for name, weight in layer._parameters.items():
            if weight is not None:
                room = torch.nn.Parameter(torch.empty(weight.shape), weight.requires_grad)
                layer._parameters[name] = made.setdefault(id(weight), room)
        for name, buffer in layer._buffers.items():
            if buffer is not None:
                room = torch.empty(buffer.shape, dtype=buffer.dtype)
                layer._buffers[name] = made.setdefault(id(buffer), room)
