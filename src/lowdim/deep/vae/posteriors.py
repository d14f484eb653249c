"""Gaussian posteriors of codes, q(z | x) = N(mu, L L'). This module imports torch."""

from __future__ import annotations

from typing import NamedTuple

import torch

from lowdim.deep.vae.densities import log_normal

SMALLEST_LOG_STD, LARGEST_LOG_STD = -12.0, 6.0


class Posterior(NamedTuple):
    """mu, the logarithms of the diagonal of L, and what is below it (None: nothing)."""

    mean: torch.Tensor  # (n, k)
    log_std: torch.Tensor  # (n, k)
    below: torch.Tensor | None  # (n, k, k)  strictly lower triangular

    def draw(self, E: torch.Tensor) -> torch.Tensor:
        """mu + L e for e of shape (..., n, k)."""
        Z = self.mean + self.log_std.exp() * E
        return Z if self.below is None else Z + (self.below @ E.unsqueeze(-1)).squeeze(-1)

    def log_density(self, Z: torch.Tensor) -> torch.Tensor:
        """log q(z) for z of shape (..., n, k)."""
        return log_normal(self._whitened(Z)) - self.log_std.sum(dim=-1)

    def _whitened(self, Z: torch.Tensor) -> torch.Tensor:
        """L^-1 (z - mu)."""
        deviation = Z - self.mean
        if self.below is None:
            return deviation * torch.exp(-self.log_std)
        L = self.below + torch.diag_embed(self.log_std.exp())
        return torch.linalg.solve_triangular(L, deviation.unsqueeze(-1), upper=False).squeeze(-1)

    def kl_to_standard(self) -> torch.Tensor:
        """KL to N(0, I): 1/2 (mu'mu + sum L^2 - k) - sum log L_ii."""
        squares = self.mean**2 + torch.exp(2 * self.log_std)
        kl = 0.5 * (squares - 1.0).sum(dim=-1) - self.log_std.sum(dim=-1)
        return kl if self.below is None else kl + 0.5 * (self.below**2).sum(dim=(-2, -1))

    def std(self) -> torch.Tensor:
        """Standard deviation of each number of the code."""
        if self.below is None:
            return self.log_std.exp()
        return (torch.exp(2 * self.log_std) + (self.below**2).sum(dim=-1)).sqrt()


def n_numbers(k: int, kind: str) -> int:
    """Numbers of an encoder for a posterior of k dimensions."""
    return 2 * k + (k * (k - 1) // 2 if kind == "full" else 0)


def posterior_of(out: torch.Tensor, k: int, kind: str) -> Posterior:
    """The posterior that an encoder's numbers mean."""
    log_std = out[:, k : 2 * k].clamp(SMALLEST_LOG_STD, LARGEST_LOG_STD)
    below = None
    if kind == "full":
        row, column = torch.tril_indices(k, k, offset=-1)
        below = out.new_zeros(len(out), k, k)
        below[:, row, column] = out[:, 2 * k :]
    return Posterior(out[:, :k], log_std, below)


def where_seen(
    q: Posterior, seen: torch.Tensor, mean: torch.Tensor, std: torch.Tensor
) -> Posterior:
    """The posterior of rows with some value, and this mean and deviation for those without."""
    some = (seen.sum(dim=1, keepdim=True) > 0).to(q.mean.dtype)
    none = 1.0 - some
    below = None if q.below is None else q.below * some.unsqueeze(-1)
    return Posterior(q.mean * some + mean * none, q.log_std * some + std.log() * none, below)
