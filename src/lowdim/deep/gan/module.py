"""Generator and discriminator, and what each of them loses. This module imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import nn
from torch.nn.functional import softplus

from lowdim.deep.coding import decoder, encoder

LOSSES = ("relativistic", "nonsaturating", "minimax", "wasserstein")


class Adversaries(nn.Module):
    """A generator of rows from noise, and a discriminator that gives rows a score.

    What is known of y, if anything, stands in the last columns of noise and of rows.
    """

    def __init__(
        self,
        network: str,
        shape: tuple[int, int, int],
        n_components: int,
        n_conditions: int,
        hidden: Sequence[int],
        activation: str,
        dropout: float,
    ):
        super().__init__()
        h, w, c = shape
        self.n_components, self.n_conditions = n_components, n_conditions
        self.conv = network == "conv"
        layers = (hidden, activation, dropout)
        self.generator = decoder(network, shape, n_components + n_conditions, 1, *layers)
        groups = 1 + n_conditions if self.conv else 1
        seen = shape if self.conv else (1, h * w * c + n_conditions, 1)
        self.discriminator = encoder(network, seen, groups, 1, *layers)

    def decode(self, Z: torch.Tensor) -> torch.Tensor:
        """Rows of noise."""
        return self.generator(Z)

    def score(self, rows: torch.Tensor) -> torch.Tensor:
        """The discriminator's score of each row: higher is more like a real one."""
        q = self.n_conditions
        if self.conv and q:  # pictures see each number of y at every place
            Y, given = rows[:, :-q], rows[:, -q:]
            rows = torch.cat([Y, given.repeat_interleave(Y.shape[1], dim=1)], dim=1)
        return self.discriminator(rows)[:, 0]

    def drawn(
        self, given: torch.Tensor | None, like: torch.Tensor, noise: torch.Generator
    ) -> torch.Tensor:
        """As many rows as `like` has, from noise."""
        shape = (len(like), self.n_components)
        Z = torch.randn(shape, generator=noise, dtype=like.dtype).to(like.device)
        return self.decode(Z if given is None else torch.cat([Z, given], dim=1))


class Sides(Protocol):
    """What a game is played with: `Adversaries`, or whatever else draws rows and scores them."""

    @property
    def score(self) -> Any:
        """score(rows): of each row."""

    @property
    def drawn(self) -> Any:
        """drawn(given, like, noise): as many rows as `like` has."""


class Game(NamedTuple):
    """What the two players lose, summed over the rows of a batch; s is the score, x real, g drawn.

        relativistic     D: softplus(s(g) - s(x))               G: softplus(s(x) - s(g))
        nonsaturating    D: softplus(-s(x)) + softplus(s(g))    G: softplus(-s(g))
        minimax          the same                               G: -softplus(s(g))
        wasserstein      D: s(g) - s(x)                         G: -s(g)

    The discriminator also pays for slopes: penalty / 2 (|ds/dx|^2 + |ds/dg|^2); 'wasserstein' pays
    penalty (|ds/du| - 1)^2 at a point u between the two.
    """

    loss: str
    penalty: float

    def discriminator(self, module: Sides, batch: tuple, noise: torch.Generator) -> torch.Tensor:
        """What the discriminator loses."""
        X, *known = batch
        given = known[0] if known else None
        with torch.no_grad():
            drawn = module.drawn(given, X, noise)
        if self.loss == "wasserstein":
            s_x, s_g = _scores(module, torch.cat([X, drawn]), given).chunk(2)
            if not self.penalty:
                return (s_g - s_x).sum()
            share = torch.rand((len(X), 1), generator=noise, dtype=X.dtype).to(X.device)
            _, squares = _slopes(module, X + share * (drawn - X), given)
            length = (squares + 1e-12).sqrt()
            return (s_g - s_x + self.penalty * (length - 1.0).square()).sum()
        both = torch.cat([X, drawn])
        if self.penalty:
            scores, slopes = _slopes(module, both, given)
            price = 0.5 * self.penalty * slopes.sum()
        else:
            scores, price = _scores(module, both, given), 0.0
        s_x, s_g = scores.chunk(2)
        if self.loss == "relativistic":
            return softplus(s_g - s_x).sum() + price
        return (softplus(-s_x) + softplus(s_g)).sum() + price

    def generator(self, module: Sides, batch: tuple, noise: torch.Generator) -> torch.Tensor:
        """What the generator loses."""
        X, *known = batch
        given = known[0] if known else None
        s_g = _scores(module, module.drawn(given, X, noise), given)
        if self.loss == "relativistic":
            with torch.no_grad():
                s_x = _scores(module, X, given)
            return softplus(s_x - s_g).sum()
        if self.loss == "nonsaturating":
            return softplus(-s_g).sum()
        return -softplus(s_g).sum() if self.loss == "minimax" else -s_g.sum()


def _scores(module: Sides, Y: torch.Tensor, given: torch.Tensor | None) -> torch.Tensor:
    """Scores of rows; of two batches one below the other, `given` belongs to both."""
    if given is None:
        return module.score(Y)
    return module.score(torch.cat([Y, given.repeat(len(Y) // len(given), 1)], dim=1))


def _slopes(module: Sides, Y: torch.Tensor, given: torch.Tensor | None) -> tuple:
    """Scores of rows, and |d score / d row|^2 of each."""
    Y = Y.detach().requires_grad_()
    score = _scores(module, Y, given)
    (slope,) = torch.autograd.grad(score.sum(), Y, create_graph=True)
    return score, slope.square().sum(dim=1)
