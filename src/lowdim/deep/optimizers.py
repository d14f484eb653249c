"""torch's optimizers by our names, and how the learning rate changes from step to step.

torch.optim's steps are its fused functions, called here as torch.optim calls them: its classes
import torch's compiler when the first of them is made (1.5 s), and hold each weight by itself.
"""

from __future__ import annotations

import math
from typing import Any

OPTIMIZERS = ("sgd", "heavy_ball", "nesterov", "adagrad", "adam", "adamw")
SCHEDULES = ("cosine", "constant", "invscaling")

_MEMORY = {
    "adam": ("mean", "mean_square"),
    "adamw": ("mean", "mean_square"),
    "adagrad": ("squares",),
    "heavy_ball": ("velocity",),
    "nesterov": ("velocity",),
    "sgd": (),
}


def memory_of(settings: Any, like: Any) -> dict[str, Any]:
    """What an optimizer remembers of gradients: tensors like the weights, 0 at the start."""
    return {name: like.new_zeros(like.shape) for name in _MEMORY[settings.optimizer]}


def move(
    settings: Any, rate: float, step: int, weights: Any, gradient: Any, memory: dict[str, Any]
) -> None:
    """Take a step, counted from 1, down the gradient: changes the weights and the memory."""
    import torch

    name = settings.optimizer
    of_all = {"lr": rate, "weight_decay": settings.weight_decay, "maximize": False}
    parts = [[weights], [gradient], *([part] for part in memory.values())]
    if name in ("sgd", "heavy_ball", "nesterov"):
        momentum = 0.0 if name == "sgd" else settings.momentum
        torch._fused_sgd_(
            *(parts if momentum else [*parts[:2], []]),
            momentum=momentum,
            dampening=0.0,
            nesterov=name == "nesterov" and momentum > 0,
            is_first_step=False,  # velocities are 0 before it
            **of_all,
        )
        return
    number = [torch.tensor(float(step), device=weights.device)]
    if name == "adagrad":
        torch._fused_adagrad_(*parts, number, lr_decay=0.0, eps=settings.eps, **of_all)
        return
    beta1, beta2 = settings.betas
    adam = torch._fused_adam_ if name == "adam" else torch._fused_adamw_
    adam(
        *parts, [], number, beta1=beta1, beta2=beta2, eps=settings.eps, amsgrad=False, **of_all
    )  # fmt: skip


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
