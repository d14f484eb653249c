"""torch's optimizers by our names, and how the learning rate changes from step to step."""

from __future__ import annotations

import math
from typing import Any

OPTIMIZERS = ("sgd", "heavy_ball", "nesterov", "adagrad", "adam", "adamw")
SCHEDULES = ("cosine", "constant", "invscaling")


def optimizer_of(settings: Any, weights: list) -> Any:
    """An optimizer of these weights; fused, where torch has that."""
    import torch

    name, lr, decay = settings.optimizer, settings.learning_rate, settings.weight_decay
    if name == "adagrad":
        return torch.optim.Adagrad(weights, lr=lr, weight_decay=decay, eps=settings.eps, fused=True)
    if name in ("adam", "adamw"):
        make = torch.optim.Adam if name == "adam" else torch.optim.AdamW
        return make(
            weights, lr=lr, betas=settings.betas, eps=settings.eps, weight_decay=decay, fused=True
        )
    momentum = 0.0 if name == "sgd" else settings.momentum
    nesterov = name == "nesterov" and momentum > 0
    return torch.optim.SGD(
        weights, lr=lr, momentum=momentum, nesterov=nesterov, weight_decay=decay, fused=True
    )


def rate_at(settings: Any, step: int, n_steps: int) -> float:
    """The learning rate of a step, counted from 0.

    It rises in a straight line over the steps of the warm-up; then it stays, falls as half a cosine
    to nothing, or falls as (steps so far)^-power_t.
    """
    rate, warm_up = settings.learning_rate, settings.warm_up
    if step < warm_up:
        return rate * (step + 1) / warm_up
    if settings.schedule == "cosine":
        share = (step - warm_up) / max(n_steps - warm_up, 1)
        return rate * 0.5 * (1.0 + math.cos(math.pi * min(share, 1.0)))
    if settings.schedule == "invscaling":
        return rate / (step - warm_up + 1) ** settings.power_t
    return rate
