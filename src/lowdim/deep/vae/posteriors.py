"""Gaussian posteriors of codes, q(z | x) = N(mu, C). This module imports torch.

    diagonal    C = diag(s)^2
    rank1       C = diag(s) (I + v v')^-1 diag(s)
    full        C = L L', L lower triangular with the diagonal s

A code is mu + R e with R R' = C and e ~ N(0, I). The posterior of several layers is a product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import torch

from lowdim.deep.vae.densities import log_normal

SMALLEST_LOG_STD, LARGEST_LOG_STD = -12.0, 6.0


class Posterior(Protocol):
    """What is asked of q(z | x)."""

    @property
    def mean(self) -> torch.Tensor:
        """mu, (n, k)."""

    def draw(self, E: torch.Tensor) -> torch.Tensor:
        """mu + R e for e of shape (..., n, k)."""

    def log_density(self, Z: torch.Tensor) -> torch.Tensor:
        """log q(z) for z of shape (..., n, k)."""

    def kl_to_standard(self) -> torch.Tensor:
        """KL to N(0, I): 1/2 (mu'mu + tr C - k - log|C|)."""

    def std(self) -> torch.Tensor:
        """Standard deviation of each number of the code."""

    def wider(self, by: torch.Tensor) -> Posterior:
        """R times exp(by), (n, 1)."""

    def where(self, some: torch.Tensor, mean: torch.Tensor, std: torch.Tensor) -> Posterior:
        """Itself where `some` is 1, and N(mean, diag(std)^2) where it is 0, (n, 1)."""


class Triangular(NamedTuple):
    """mu, the logarithms of the diagonal of L, and what is below it (None: nothing)."""

    mean: torch.Tensor  # (n, k)
    log_std: torch.Tensor  # (n, k)
    below: torch.Tensor | None  # (n, k, k)  strictly lower triangular

    def draw(self, E: torch.Tensor) -> torch.Tensor:
        Z = self.mean + self.log_std.exp() * E
        return Z if self.below is None else Z + (self.below @ E.unsqueeze(-1)).squeeze(-1)

    def log_density(self, Z: torch.Tensor) -> torch.Tensor:
        return log_normal(self._whitened(Z)) - self.log_std.sum(dim=-1)

    def _whitened(self, Z: torch.Tensor) -> torch.Tensor:
        """L^-1 (z - mu)."""
        deviation = Z - self.mean
        if self.below is None:
            return deviation * torch.exp(-self.log_std)
        L = self.below + torch.diag_embed(self.log_std.exp())
        return torch.linalg.solve_triangular(L, deviation.unsqueeze(-1), upper=False).squeeze(-1)

    def kl_to_standard(self) -> torch.Tensor:
        """1/2 (mu'mu + sum L^2 - k) - sum log L_ii."""
        kl = _Divergence.apply(self.mean, self.log_std)
        return kl if self.below is None else kl + 0.5 * (self.below**2).sum(dim=(-2, -1))

    def std(self) -> torch.Tensor:
        if self.below is None:
            return self.log_std.exp()
        return (torch.exp(2 * self.log_std) + (self.below**2).sum(dim=-1)).sqrt()

    def wider(self, by: torch.Tensor) -> Triangular:
        below = None if self.below is None else self.below * by.exp().unsqueeze(-1)
        return self._replace(log_std=self.log_std + by, below=below)

    def where(self, some: torch.Tensor, mean: torch.Tensor, std: torch.Tensor) -> Triangular:
        below = None if self.below is None else self.below * some.unsqueeze(-1)
        return Triangular(
            self.mean * some + mean * (1.0 - some),
            self.log_std * some + std.log() * (1.0 - some),
            below,
        )


class _Divergence(torch.autograd.Function):
    """KL of N(mu, diag(s)^2) to N(0, I), from mu and log s.

    Its derivatives are mu and s^2 - 1; as one function it takes a third of the time of its parts.
    """

    @staticmethod
    def forward(ctx: Any, mean: Any, log_std: Any) -> torch.Tensor:
        variance = torch.exp(2 * log_std)
        ctx.save_for_backward(mean, variance)
        terms = torch.addcmul(variance - 1.0, mean, mean).sub_(log_std, alpha=2.0)
        return 0.5 * terms.sum(dim=-1)

    @staticmethod
    def backward(ctx: Any, by: torch.Tensor) -> tuple:
        mean, variance = ctx.saved_tensors
        by = by.unsqueeze(-1)
        return by * mean, by * (variance - 1.0)


class RankOne(NamedTuple):
    """mu, log s and v: with t^2 = 1 + v'v, R = diag(s) (I - v v' / (t (t + 1)))."""

    mean: torch.Tensor  # (n, k)
    log_std: torch.Tensor  # (n, k)
    v: torch.Tensor  # (n, k)

    def _squared(self) -> torch.Tensor:
        """t^2, (n, 1)."""
        return 1.0 + (self.v**2).sum(dim=-1, keepdim=True)

    def draw(self, E: torch.Tensor) -> torch.Tensor:
        t = self._squared().sqrt()
        along = (self.v * E).sum(dim=-1, keepdim=True) / (t * (t + 1.0))
        return self.mean + self.log_std.exp() * (E - self.v * along)

    def log_density(self, Z: torch.Tensor) -> torch.Tensor:
        E = (Z - self.mean) * torch.exp(-self.log_std)
        squares = log_normal(E) - 0.5 * (self.v * E).sum(dim=-1) ** 2
        return squares + 0.5 * self._squared().squeeze(-1).log() - self.log_std.sum(dim=-1)

    def kl_to_standard(self) -> torch.Tensor:
        variance = torch.exp(2 * self.log_std) * (1.0 - self.v**2 / self._squared())
        log_det = 2 * self.log_std.sum(dim=-1) - self._squared().squeeze(-1).log()
        return 0.5 * ((self.mean**2 + variance - 1.0).sum(dim=-1) - log_det)

    def std(self) -> torch.Tensor:
        return self.log_std.exp() * (1.0 - self.v**2 / self._squared()).sqrt()

    def wider(self, by: torch.Tensor) -> RankOne:
        return self._replace(log_std=self.log_std + by)

    def where(self, some: torch.Tensor, mean: torch.Tensor, std: torch.Tensor) -> RankOne:
        none = 1.0 - some
        return RankOne(
            self.mean * some + mean * none,
            self.log_std * some + std.log() * none,
            self.v * some,
        )


class Product:
    """q(z | x) = prod_l q_l(z^l | x), codes of all layers side by side."""

    def __init__(self, parts: Sequence[Posterior]):
        self.parts = parts
        self._sizes = [q.mean.shape[-1] for q in parts]

    @property
    def mean(self) -> torch.Tensor:
        return torch.cat([q.mean for q in self.parts], dim=-1)

    def draw(self, E: torch.Tensor) -> torch.Tensor:
        return torch.cat([q.draw(e) for q, e in self._with(E)], dim=-1)

    def log_density(self, Z: torch.Tensor) -> torch.Tensor:
        return torch.stack([q.log_density(z) for q, z in self._with(Z)]).sum(dim=0)

    def kl_to_standard(self) -> torch.Tensor:
        return torch.stack([q.kl_to_standard() for q in self.parts]).sum(dim=0)

    def std(self) -> torch.Tensor:
        return torch.cat([q.std() for q in self.parts], dim=-1)

    def wider(self, by: torch.Tensor) -> Product:
        return Product([q.wider(by) for q in self.parts])

    def where(self, some: torch.Tensor, mean: torch.Tensor, std: torch.Tensor) -> Product:
        moments = zip(mean.split(self._sizes), std.split(self._sizes), strict=True)
        return Product([q.where(some, m, s) for q, (m, s) in zip(self.parts, moments, strict=True)])

    def _with(self, Z: torch.Tensor) -> zip:
        return zip(self.parts, Z.split(self._sizes, dim=-1), strict=True)


def n_numbers(k: int, kind: str) -> int:
    """Numbers of an encoder for a posterior of k dimensions."""
    return {"diagonal": 2 * k, "rank1": 3 * k, "full": 2 * k + k * (k - 1) // 2}[kind]


def posterior_of(out: torch.Tensor, k: int, kind: str) -> Posterior:
    """The posterior that an encoder's numbers mean."""
    mean, log_std = out[:, :k], out[:, k : 2 * k].clamp(SMALLEST_LOG_STD, LARGEST_LOG_STD)
    if kind == "rank1":
        return RankOne(mean, log_std, out[:, 2 * k :])
    below = None
    if kind == "full":
        row, column = torch.tril_indices(k, k, offset=-1)
        below = out.new_zeros(len(out), k, k)
        below[:, row, column] = out[:, 2 * k :]
    return Triangular(mean, log_std, below)


def posterior_of_layers(out: torch.Tensor, sizes: Sequence[int], kind: str) -> Posterior:
    """The product of the posteriors of layers, whose numbers stand one after another."""
    if len(sizes) == 1:
        return posterior_of(out, sizes[0], kind)
    parts = out.split([n_numbers(k, kind) for k in sizes], dim=1)
    return Product([posterior_of(part, k, kind) for part, k in zip(parts, sizes, strict=True)])
