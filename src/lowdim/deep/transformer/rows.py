"""What a network makes of blocks of rows, beside their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.deep.chain.levels import Levels, codes_of
from lowdim.deep.engine import one_torch_thread
from lowdim.deep.network import in_double


@one_torch_thread()
def mean_states_of_rows(X: np.ndarray, module: Any, levels: Levels) -> np.ndarray:
    """The mean over entries of what the last layer makes of them, (n, width)."""
    import torch

    n, d = X.shape
    ready, codes = _ready(X, module, levels)
    with torch.no_grad():
        sums = ready.features(codes, torch.full((n,), d, device=codes.device))
    return (sums / d).cpu().numpy().astype(X.dtype if X.dtype.kind == "f" else np.float32)


@one_torch_thread()
def attention_of_rows(
    X: np.ndarray, module: Any, levels: Levels | None, *known: np.ndarray
) -> np.ndarray:
    """How much places look at inputs, (n, layers, heads, d, d); without levels, X are codes."""
    import torch

    ready, codes = _ready(X, module, levels)
    like = next(ready.parameters())
    context = torch.from_numpy(np.ascontiguousarray(known[0])).to(like) if known else None
    with torch.no_grad():
        return ready.attention(codes, context).cpu().numpy()


def _ready(X: np.ndarray, module: Any, levels: Levels | None) -> tuple[Any, Any]:
    """The module in the precision of the rows, and their codes."""
    import torch

    device = next(module.parameters()).device
    double = X.dtype == np.float64 and device.type == "cpu"
    codes = X if levels is None else codes_of(X, levels)
    return (in_double(module) if double else module), torch.from_numpy(codes).to(device)
