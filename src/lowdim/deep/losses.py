"""What outputs cost, by what the network makes of them. This module imports torch.

    softmax     -sum_j y_j log p_j
    logistic    -sum_j y_j log p_j + (1 - y_j) log(1 - p_j)
    identity    1/2 sum_j (y_j - z_j)^2
    exp         sum_j y_j log(y_j / m_j) - y_j + m_j,   m = exp z      half the Poisson deviance

All but constants are functions of the scores z, before the activation: none overflows.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

OUTPUTS: dict[str, Any] = {
    "softmax": lambda Z: torch.softmax(Z, dim=1),
    "logistic": torch.sigmoid,
    "identity": lambda Z: Z,
    "exp": torch.exp,
}


def losses(Z: torch.Tensor, y: torch.Tensor, activation: str) -> torch.Tensor:
    """The loss of each row, (n,), from its scores Z, (n, outputs)."""
    match activation:
        case "softmax" if y.ndim == 1:
            return functional.cross_entropy(Z, y, reduction="none")
        case "softmax":
            return -(y * functional.log_softmax(Z, dim=1)).sum(dim=1)
        case "logistic":
            each = functional.binary_cross_entropy_with_logits(Z, y, reduction="none")
            return each.sum(dim=1)
        case "identity":
            return 0.5 * (Z - y).square().sum(dim=1)
        case _:
            return (torch.xlogy(y, y) - y * Z - y + torch.exp(Z)).sum(dim=1)


class SumOfLosses:
    """The sum over the rows of a batch, (rows, targets) or (rows, targets, weights)."""

    def __init__(self, activation: str):
        self.activation = activation

    def __call__(self, module: Any, batch: tuple, generator: Any = None) -> torch.Tensor:
        X, y, *weight = batch
        each = losses(module(X), y, self.activation)
        return each @ weight[0] if weight else each.sum()
