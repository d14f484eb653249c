"""The flow from rows to noise, densities along it, and DDPM's bound. This module imports torch.

With the angle phi of a time, cos phi = alpha_bar and sin phi = beta_bar, a row and its noise e turn
into each other:

    x = cos phi x_0 + sin phi e,     dx / dphi = v,     v = cos phi e - sin phi x_0

A step of the flow is Heun's (two looks at v), and is one-to-one: with J its Jacobian,

    log p(x) = log N(z | 0, I) + sum over steps of log |det J|          exact for these steps

All functions ask a `velocity(x, t)` for v: a network's, or that of a known noise (`velocity_of`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch

from lowdim.deep.diffusion.reverse import visited
from lowdim.deep.diffusion.schedule import DiffusionSchedule

Velocity = Callable[[torch.Tensor, int], torch.Tensor]

MOST_EXACT = 64  # columns up to which Jacobians are computed
DRAWS = 64  # of noise at the first time of the bound, 64 / i at the i-th: there it varies most
TERMS = 4  # of log det (I + K) = tr K - tr K^2 / 2 + ..., beyond


class Leg(NamedTuple):
    """A step of the flow, from one time to another."""

    at: int
    to: int | None  # None: v is looked at once, next to rows, where time ends
    turn: float  # by which the angle grows


def legs(schedule: DiffusionSchedule, steps: int | None, *, back: bool = False) -> list[Leg]:
    """The steps from rows to noise, or back, with so many of the schedule's times."""
    times = visited(schedule, steps)
    times = times if times[0] == 1 else [1, *times]
    angles = np.arctan2(*schedule.level(np.array(times))[::-1]).tolist()
    found = [Leg(1, None, angles[0])]
    turns = [after - before for before, after in pairwise(angles)]
    found += [Leg(t, s, turn) for (t, s), turn in zip(pairwise(times), turns, strict=True)]
    if not back:
        return found
    return [Leg(leg.to or leg.at, leg.to and leg.at, -leg.turn) for leg in found[::-1]]


def moved(velocity: Velocity, x: torch.Tensor, leg: Leg) -> torch.Tensor:
    """Rows after one step."""
    v = velocity(x, leg.at)
    if leg.to is None:
        return x + leg.turn * v
    return x + 0.5 * leg.turn * (v + velocity(x + leg.turn * v, leg.to))


def carried(velocity: Velocity, x: torch.Tensor, path: Iterable[Leg]) -> torch.Tensor:
    """Rows after all steps."""
    for leg in path:
        x = moved(velocity, x, leg)
    return x


def velocity_of(
    predict_noise: Callable[[torch.Tensor, int], torch.Tensor], schedule: DiffusionSchedule
) -> Velocity:
    """v, for whoever can tell the noise in a row: (e - sin phi x) / cos phi."""

    def velocity(x: torch.Tensor, t: int) -> torch.Tensor:
        kept, added = (float(part) for part in schedule.level(t))
        return (predict_noise(x, t) - added * x) / kept

    return velocity


def log_density(
    velocity: Velocity, x: torch.Tensor, path: Sequence[Leg], free: torch.Tensor | None = None
) -> torch.Tensor:
    """log p(x) of rows (n, d), by the flow; over the entries where `free` is 1, if given.

    Up to 64 columns Jacobians are computed; beyond, log |det J| is estimated with one random vector
    of signs for each step, the same for all rows.
    """
    free = torch.ones_like(x) if free is None else free
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(path), x.shape[1]))
    total = x.new_zeros(len(x))
    for leg, sign in zip(path, signs, strict=True):
        with torch.enable_grad():
            start = x.detach().requires_grad_()
            end = moved(velocity, start, leg)
            if x.shape[1] <= MOST_EXACT:
                change = _log_det(start, end)
            else:
                change = _estimated_log_det(start, end, torch.from_numpy(sign).to(x) * free)
        x, total = end.detach(), total + change
    return total - 0.5 * (free * (x**2 + math.log(2 * math.pi))).sum(dim=1)


def _log_det(start: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
    """log |det J| of each row, (n,)."""
    n, d = start.shape
    each = torch.eye(d, dtype=start.dtype, device=start.device).unsqueeze(1).expand(d, n, d)
    (J,) = torch.autograd.grad(end, start, each, is_grads_batched=True)  # (d, n, d)
    return torch.linalg.slogdet(J.movedim(1, 0)).logabsdet


def _estimated_log_det(start: torch.Tensor, end: torch.Tensor, sign: torch.Tensor) -> torch.Tensor:
    """log |det (I + K)| by its series, with tr K^m = E[e' K^m e] for random signs e, (n, d)."""
    total, power = start.new_zeros(len(start)), sign
    for m in range(1, TERMS + 1):
        (grown,) = torch.autograd.grad(end, start, power, retain_graph=m < TERMS)
        power = grown - power  # K' e, K' K' e, ...
        total = total - (-1) ** m / m * (power * sign).sum(dim=1)
    return total


def bound(
    velocity: Velocity,
    x0: torch.Tensor,
    schedule: DiffusionSchedule,
    steps: int | None,
    free: torch.Tensor | None = None,
) -> torch.Tensor:
    """DDPM's bound of log p(x), by row, with a draw of the noise at each time, more at the first.

    - KL(q(x_T | x_0) | N(0, I)) - sum_t KL(q(x_s | x_t, x_0) | p(x_s | x_t)) + log p(x_0 | x_1)

    The KL of a step from t to s < t is (alpha_bar_s^2 - alpha_bar_t^2) / (2 beta_bar_s^2) times
    |v - its prediction|^2. Entries where `free` is 0 do not count. Draws are the same for all rows.
    """
    free = torch.ones_like(x0) if free is None else free
    times = visited(schedule, steps)
    random = np.random.default_rng(0)
    kept, added = (part.tolist() for part in schedule.level(np.array([0, *times])))
    end = (kept[-1] * x0) ** 2 + added[-1] ** 2 - 1.0 - 2.0 * math.log(added[-1])
    total = -0.5 * (free * end).sum(dim=1)
    for i, t in enumerate(times):
        a, b = kept[i + 1], added[i + 1]
        draws = torch.from_numpy(random.normal(size=(max(1, DRAWS // (i + 1)), x0.shape[1]))).to(x0)
        error = torch.zeros_like(total)
        for e in draws:
            v = free * (a * e - b * x0)
            error += ((velocity(free * (a * x0 + b * e), t) - v) ** 2).sum(dim=1) / len(draws)
        if i:
            total = total - 0.5 * (kept[i] ** 2 - a**2) / added[i] ** 2 * error
        else:  # log p(x_0 | x_1), whose variance is b^2
            total = total - 0.5 * (error + free.sum(dim=1) * math.log(2 * math.pi * b**2))
    return total
