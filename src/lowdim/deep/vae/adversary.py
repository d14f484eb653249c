"""A variational autoencoder with a discriminator beside it. This module imports torch.

    J - w E_z log(..)     the decoder also pays w for rows drawn from the prior that look drawn

The discriminator sees rows as the encoder does, and learns to tell real from drawn ones (the game
of `GAN`); the decoder learns to be taken for real (Larsen et al., 2016). Both move in the same
step, each by its own loss. Values are drawn; gradients go through the mean of those that are whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.func import functional_call

from lowdim.deep.gan.module import Game
from lowdim.deep.layers import adding_gradients_to
from lowdim.deep.vae.densities import LARGEST_LOG_RATE, Likelihood
from lowdim.deep.vae.likelihoods import Layout
from lowdim.deep.vae.module import Bound, Seen, Shape, Variational

GAME = Game("relativistic", penalty=1.0)  # as in GAN


class JudgedVariational(Variational):
    """With a discriminator, which gives rows a score: higher is more like a real one."""

    def __init__(self, shape: Shape, layout: Layout, noise: str | tuple[float, ...]):
        super().__init__(shape, layout, noise)
        self.discriminator = self.seeing(1)

    def score(self, rows: torch.Tensor) -> torch.Tensor:
        """Of rows as networks see them."""
        return self.discriminator(rows)[:, 0]

    def score_by_fixed(self, rows: torch.Tensor) -> torch.Tensor:
        """The same, whose gradients do not reach the discriminator."""
        fixed = {name: w.detach() for name, w in self.discriminator.named_parameters()}
        return functional_call(self.discriminator, fixed, (rows,))[:, 0]


class JudgedBound(NamedTuple):
    """A bound, and a game for it to play."""

    bound: Bound
    weight: float  # of what the decoder loses in the game

    def loss(self, module: JudgedVariational, batch: tuple, noise: torch.Generator) -> torch.Tensor:
        """Minus the bound, summed over rows; its gradient is also that of the game."""
        J = self.bound.loss(module, batch, noise)
        if not torch.is_grad_enabled():
            return J
        with adding_gradients_to(None):  # slopes of slopes are asked for
            game = self._game(module, batch, noise)
        return J + (game - game.detach())

    def straight(self, *_: object) -> None:
        """There is no other way to its gradient than autograd."""

    def _game(
        self, module: JudgedVariational, batch: tuple, noise: torch.Generator
    ) -> torch.Tensor:
        rows = module.split(batch[0] if len(batch) == 1 else torch.cat(batch, dim=1))
        binary = rows._replace(Y=self.bound.binary(rows.Y, module, noise))
        real = module.as_seen(module.likelihood.features(binary.Y), rows)
        drawn = module.as_seen(_drawn(module, rows, noise), rows)
        of_judge = GAME.discriminator(_Seat(module.score, drawn.detach()), (real,), noise)
        of_decoder = GAME.generator(_Seat(module.score_by_fixed, drawn), (real,), noise)
        return of_judge + self.weight * of_decoder


class _Seat(NamedTuple):
    """What `Game` asks of a module, where rows are drawn already."""

    score: Callable[[torch.Tensor], torch.Tensor]
    rows: torch.Tensor

    def drawn(self, *_: object) -> torch.Tensor:
        return self.rows


def _drawn(module: Variational, rows: Seen, noise: torch.Generator) -> torch.Tensor:
    """As many rows as there are, drawn from the model, as features."""
    Z = module.prior.draw(len(rows.Y), rows.Y, noise)
    return features_drawn(module.likelihood, module.numbers(Z, rows.given), noise)


def features_drawn(
    likelihood: Likelihood, out: torch.Tensor, noise: torch.Generator
) -> torch.Tensor:
    """Features of rows drawn from a decoder's numbers (n, n_out)."""
    plain, levels, log_noise = likelihood.parts(out)
    layout, values = likelihood.layout, plain.clone()
    uniform = torch.rand(plain.shape, generator=noise, dtype=plain.dtype).to(plain.device)
    at = layout.among_plain("gaussian")
    if len(at):
        E = torch.randn(plain[:, at].shape, generator=noise, dtype=plain.dtype).to(plain.device)
        values[:, at] = plain[:, at] + (0.5 * log_noise).exp() * E
    at = layout.among_plain("bernoulli")
    if len(at):
        p = plain[:, at].sigmoid()
        values[:, at] = _by_mean((uniform[:, at] < p).to(p.dtype), p)
    at = layout.among_plain("poisson")
    if len(at):
        rate = plain[:, at].clamp(max=LARGEST_LOG_RATE).exp()
        count = torch.poisson(rate.detach().cpu(), generator=noise).to(rate.device)
        values[:, at] = _by_mean(count, rate).log1p()
    values = likelihood.centered(values)
    if levels is None:
        return values
    share = levels.exp()  # (n, levels, columns)
    u = torch.rand(share[:, :1].shape, generator=noise, dtype=share.dtype).to(share.device)
    at = (u >= share.detach().cumsum(dim=1)).sum(dim=1, keepdim=True).clamp(max=share.shape[1] - 1)
    chosen = torch.zeros_like(share).scatter(1, at, 1.0)
    return torch.cat([values, _by_mean(chosen, share).flatten(1)], dim=1)


def _by_mean(drawn: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
    """What was drawn, with the gradient of its mean."""
    return drawn.detach() + (mean - mean.detach())
