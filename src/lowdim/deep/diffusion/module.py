"""The module of a diffusion, its loss, and what is asked of rows. This module imports torch.

    x_t = alpha_bar_t x_0 + beta_bar_t e,      v = alpha_bar_t e - beta_bar_t x_0
    e = beta_bar_t x_t + alpha_bar_t v,        x_0 = alpha_bar_t x_t - beta_bar_t v

The network gives v, and e and x_0 follow from it; the loss is the squared error of one of them.
An entry of a row is noisy (to be predicted), given (seen as it is), or missing (not seen).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from lowdim.deep.diffusion import flow, residual
from lowdim.deep.diffusion.networks import ResidualMLP, Size, UNet, waves
from lowdim.deep.diffusion.schedule import DiffusionSchedule
from lowdim.deep.layers import Gradients

GROUPS = 3  # numbers that are seen of an entry: its value, whether it is given, whether missing
PART_GIVEN, PART_MISSING = 0.5, 0.125  # shares of rows that learn with a part given, or missing
WITHOUT_Y = 0.1  # share of rows that learn without their y, for guidance
MOST_NUMBERS = 2**22  # that a layer gives at once


class Known(NamedTuple):
    """What is known beside noisy entries."""

    values: torch.Tensor  # (n, d)  of given entries, 0 elsewhere
    given: torch.Tensor  # (n, d)  1 or 0
    missing: torch.Tensor  # (n, d)
    context: torch.Tensor  # (n, q + 1) what is known of y, and whether it is; (n, 0) without

    @property
    def free(self) -> torch.Tensor:
        """1 where entries are noisy."""
        return 1.0 - self.given - self.missing

    def without_y(self) -> Known:
        return self._replace(context=torch.zeros_like(self.context))

    def repeated(self, times: int) -> Known:
        return Known(*(part.repeat_interleave(times, dim=0) for part in self))


class Denoiser(nn.Module):
    """v of noisy rows, for rows in units of the network, NaN where missing.

    What is known of y, if anything, stands in the last columns of rows.
    """

    levels: torch.Tensor  # (T, 2)  alpha_bar and beta_bar

    def __init__(self, network: str, size: Size, schedule: DiffusionSchedule):
        super().__init__()
        self.size, self.schedule, self.d = size, schedule, math.prod(size.image)
        self.network = UNet(size) if network == "unet" else ResidualMLP(size)
        self.register_buffer("levels", torch.empty(schedule.n_steps, 2))

    def start(self) -> None:
        """Begin with v = 0, which is right for N(0, I)."""
        with torch.no_grad():
            self.network.last.weight.zero_()

    # ---- v ---------------------------------------------------------------------------------------

    def forward(self, x: torch.Tensor, t: torch.Tensor, known: Known) -> torch.Tensor:
        """v for noisy rows (n, d) at times t (n,); 0 where entries are not noisy."""
        free = known.free
        return self.network(*self.inputs(x, t, known, free)) * free

    def inputs(
        self, x: torch.Tensor, t: torch.Tensor, known: Known, free: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What the network sees of rows, and of what is known beside them."""
        seen = torch.cat([x * free + known.values, known.given, known.missing], dim=1)
        time = self._waves()[t - 1]
        context = torch.cat([time, known.context], dim=1) if known.context.shape[1] else time
        return seen, context

    def _waves(self) -> torch.Tensor:
        """What networks see of each time, (T, N_WAVES), made once."""
        found = self.__dict__.get("waves")
        if found is None or (found.dtype, found.device) != (self.levels.dtype, self.levels.device):
            found = waves(self.levels[:, 0], self.levels[:, 1])
            self.__dict__["waves"] = found  # no part of the module: it follows from `levels`
        return found

    def velocity(self, known: Known, guidance: float = 0.0) -> flow.Velocity:
        """v as a function of rows and one time, further away from what it is without y."""

        def of(x: torch.Tensor, t: int) -> torch.Tensor:
            times = torch.full((len(x),), t, dtype=torch.int64, device=x.device)
            v = self(x, times, known)
            if guidance and known.context.shape[1]:
                v = (1.0 + guidance) * v - guidance * self(x, times, known.without_y())
            return v

        return of

    def known(self, rows: torch.Tensor, *, give: bool = False) -> tuple[torch.Tensor, Known]:
        """Rows (n, d) with zeros for NaN, and what is known beside what is noisy of them.

        `give`: what is observed is given, and what is missing is noisy.
        """
        Y, context = rows[:, : self.d], rows[:, self.d :]
        if context.shape[1]:
            context = torch.cat([context, torch.ones_like(context[:, :1])], dim=1)
        missing = torch.isnan(Y)
        Y, missing = torch.nan_to_num(Y), missing.to(Y.dtype)
        nothing = torch.zeros_like(Y)
        if give:
            return Y, Known(Y, 1.0 - missing, nothing, context)
        return Y, Known(nothing, nothing, missing, context)

    # ---- what is asked of rows -------------------------------------------------------------------

    def noise(self, rows: torch.Tensor) -> torch.Tensor:
        """What is expected of the noise in rows, whose last column is their time."""
        t = rows[:, -1].to(torch.int64)
        x, known = self.known(rows[:, :-1])
        level = self.levels[t - 1]
        return level[:, 1:] * x + level[:, :1] * self(x, t, known)

    def guided_noise(self, rows: torch.Tensor, t: int, guidance: float) -> torch.Tensor:
        """The same at one time for all rows, with guidance."""
        x, known = self.known(rows)
        kept, added = self.levels[t - 1].tolist()
        return added * x + kept * self.velocity(known, guidance)(x, t)

    def encode(self, rows: torch.Tensor, steps: int) -> torch.Tensor:
        """The noise that rows flow to; 0 for what is missing."""
        x, known = self.known(rows)
        return flow.carried(self.velocity(known), x, flow.legs(self.schedule, steps))

    def decode(self, rows: torch.Tensor, steps: int) -> torch.Tensor:
        """The rows that noise flows to."""
        z, known = self.known(rows)
        return flow.carried(self.velocity(known), z, flow.legs(self.schedule, steps, back=True))

    def log_density(self, rows: torch.Tensor, steps: int) -> torch.Tensor:
        """log p(x) of what is observed, by the flow."""
        path, found = flow.legs(self.schedule, steps), []
        for part in rows.split(self._at_once(self.d if self.d <= flow.MOST_EXACT else 1)):
            x, known = self.known(part)
            found.append(flow.log_density(self.velocity(known), x, path, known.free))
        return torch.cat(found)

    def bound(self, rows: torch.Tensor, steps: int | None) -> torch.Tensor:
        """DDPM's bound of it."""
        x, known = self.known(rows)
        return flow.bound(self.velocity(known), x, self.schedule, steps, known.free)

    def filled(
        self, rows: torch.Tensor, E: torch.Tensor, steps: int, guidance: float
    ) -> torch.Tensor:
        """Rows (n, m, d) with draws for NaN, from normal numbers E (m, d) or (n, m, d)."""
        path, found = flow.legs(self.schedule, steps, back=True), []
        m = E.shape[-2]
        E = E.to(rows).expand(len(rows), m, self.d)
        size = self._at_once(m)
        for part, draws in zip(rows.split(size), E.split(size), strict=True):
            _, known = self.known(part, give=True)
            known = known.repeated(m)
            z = draws.flatten(0, 1) * known.free
            end = flow.carried(self.velocity(known, guidance), z, path)
            found.append((end + known.values).unflatten(0, (len(part), m)))
        return torch.cat(found)

    def _at_once(self, times: int) -> int:
        """Rows that are worked on at once, each so many times."""
        h, w, _ = self.size.image
        places = h * w if isinstance(self.network, UNet) else 1
        widest = max(GROUPS * self.d, max(self.size.hidden) * places)
        return max(1, MOST_NUMBERS // (times * widest))


class Weighted(NamedTuple):
    """The loss: the squared error of v, of the noise or of x_0, summed over noisy entries."""

    prediction: str = "v"

    def loss(self, module: Denoiser, batch: tuple, noise: torch.Generator) -> torch.Tensor:
        """Summed over the rows of a batch."""
        return self.of_drawn(module, self.draw(module, batch, noise))

    def draw(self, module: Denoiser, batch: tuple, noise: torch.Generator) -> Noisy:
        """Rows of a batch with noise; times come in pairs t, T + 1 - t."""
        rows = batch[0] if len(batch) == 1 else torch.cat(batch, dim=1)
        x0, known = module.known(rows)
        known = drawn_parts(x0, known, noise)
        n, T = len(rows), module.schedule.n_steps
        half = torch.randint(1, T + 1, (-(-n // 2),), generator=noise)
        t = torch.cat([half, T + 1 - half])[:n].to(rows.device)
        e = torch.randn(x0.shape, generator=noise, dtype=x0.dtype).to(x0.device)
        kept, added = module.levels[t - 1].split(1, dim=1)
        v = (kept * e).addcmul_(added, x0, value=-1.0)
        weights = {"v": torch.ones_like(kept), "noise": kept**2, "x0": added**2}[self.prediction]
        free = known.free
        inputs = module.inputs((kept * x0).addcmul_(added, e), t, known, free)
        return Noisy(*inputs, v, free, weights)

    def of_drawn(
        self, module: Denoiser, batch: tuple, noise: torch.Generator | None = None
    ) -> torch.Tensor:
        """The loss of rows with noise."""
        seen, context, v, free, weights = batch
        errors = ((module.network(seen, context) - v) * free) ** 2
        return (weights * errors).sum()

    def straight(
        self,
        module: Denoiser,
        batch: tuple,
        noise: torch.Generator | None,
        into: Gradients,
        weight: float,
    ) -> float | None:
        """The same, and its gradient divided by `weight`, without autograd; None for a U-Net.

        d loss / d out = 2 w (out - v) free,  as free is 0 or 1
        """
        if not isinstance(module.network, residual.ResidualMLP):
            return None
        seen, context, v, free, weights = batch
        passed = residual.forth(module.network, seen, context)
        errors = (passed.out - v).mul_(free)
        by_out = errors * weights
        loss = torch.dot(by_out.view(-1), errors.view(-1)).item()
        residual.back(module.network, passed, by_out.mul_(2.0 / weight), into)
        return loss


class Noisy(NamedTuple):
    """Rows as the loss sees them."""

    seen: torch.Tensor  # (n, GROUPS d)  what the network sees of them
    context: torch.Tensor  # (n, N_WAVES + q)  and beside them
    v: torch.Tensor  # (n, d)  what it is to give
    free: torch.Tensor  # (n, d)  1 where that counts
    weights: torch.Tensor  # (n, 1)  of squared errors


def drawn_parts(x0: torch.Tensor, known: Known, noise: torch.Generator) -> Known:
    """What the network is to see of rows: of half of them a random part given, and so on."""
    n, d = x0.shape

    def uniform(*shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=noise, dtype=x0.dtype).to(x0.device)

    kind, share = uniform(n, 1), uniform(n, 1)
    part = (uniform(n, d) < share).to(x0.dtype)
    observed = 1.0 - known.missing
    given = observed * part * (kind < PART_GIVEN)
    left_out = observed * part * ((kind >= PART_GIVEN) & (kind < PART_GIVEN + PART_MISSING))
    context = known.context
    if context.shape[1]:
        context = context * (uniform(n, 1) >= WITHOUT_Y)
    return Known(x0 * given, given, known.missing + left_out, context)


def normal_numbers(m: int, d: int) -> torch.Tensor:
    """m draws (m, d) that all rows share: halves are each other's negatives, mean squares are 1.

    One alone is the middle, 0.
    """
    if m == 1:
        return torch.zeros(1, d)
    half = np.random.default_rng(0).normal(size=(-(-m // 2), d))
    E = np.concatenate([half, -half])[:m]
    return torch.from_numpy(E / np.sqrt((E**2).mean(axis=0)))
