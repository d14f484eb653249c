"""Densities of rows given a decoder's numbers, and of codes. This module imports torch."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import nn
from torch.nn.functional import softplus

from lowdim.deep.vae.likelihoods import Layout

LOG_NOISE = (math.log(1e-6), 30.0)  # of a column's variance: exactly flat rows have no density
LARGEST_LOG_RATE = 30.0
NOISE_SPEED = 8.0  # a step moves log variances by so many learning rates: they have far to go
LOG_2_PI = math.log(2.0 * math.pi)


class Likelihood(nn.Module):
    """log p(x | decoder's numbers), column by column.

    noise : "column", "shared", "row", or log variances in the units of the network
    """

    def __init__(self, layout: Layout, noise: str | tuple[float, ...]):
        super().__init__()
        self.layout, self.noise = layout, noise
        self.n_plain = len(layout.plain)
        self.n_gaussian = len(layout.of("gaussian"))
        self.all_of = layout.kinds[0] if len(set(layout.kinds)) == 1 else None
        self.register_buffer("offset", torch.empty(self.n_plain))  # of log-odds and log rates
        if "bernoulli" in layout.kinds:  # from where an encoder sees them; 0 for other columns
            self.register_buffer("center", torch.empty(self.n_plain))
        if layout.n_levels:
            shape = (layout.n_levels, len(layout.of("categorical")))
            self.register_buffer("forbidden", torch.empty(shape))
        if self.n_gaussian and noise in ("column", "shared"):
            size = self.n_gaussian if noise == "column" else 1
            self.log_noise = nn.Parameter(torch.empty(size))

    @property
    def n_out(self) -> int:
        """Numbers that a decoder gives for a row."""
        return self.layout.n_out + (self.n_gaussian if self.noise == "row" else 0)

    def log_density(
        self, Y: torch.Tensor, seen: torch.Tensor | None, out: torch.Tensor
    ) -> torch.Tensor:
        """(..., n) for rows Y (n, d), zeros where not seen, and numbers (..., n, n_out)."""
        plain, levels, log_noise = self.parts(out)
        found: list[torch.Tensor] = []
        for kind in ("gaussian", "bernoulli", "poisson"):
            if kind not in self.layout.kinds:
                continue
            X, of, a = Y, seen, plain
            if self.all_of != kind:
                columns, at = self.layout.of(kind), self.layout.among_plain(kind)
                X, a = Y[:, columns], plain[..., at]
                of = None if seen is None else seen[:, columns]
            if kind == "bernoulli":
                found.append(_Bernoulli.apply(a, X, of))
                continue
            entries = _ENTRIES[kind](X, a, log_noise)
            found.append((entries if of is None else entries * of).sum(dim=-1))
        if levels is not None:
            found.append(self._of_levels(Y, seen, levels))
        return functools.reduce(torch.add, found)

    def log_variances(self) -> torch.Tensor:
        """Learned log variances of the Gaussian columns."""
        return (NOISE_SPEED * self.log_noise).clamp(*LOG_NOISE)

    def parts(self, out: torch.Tensor) -> tuple:
        """Numbers of plain columns, log-probabilities of levels, and log variances."""
        plain = (out if self.n_plain == out.shape[-1] else out[..., : self.n_plain]) + self.offset
        n_gaussian, log_noise, levels = self.n_gaussian, None, None
        if n_gaussian:
            if self.noise == "row":
                log_noise = out[..., -n_gaussian:].clamp(*LOG_NOISE)
            elif isinstance(self.noise, str):
                log_noise = self.log_variances()
            else:
                log_noise = torch.tensor(self.noise, dtype=out.dtype, device=out.device)
        if self.layout.n_levels:
            shape = self.forbidden.shape
            logits = out[..., self.n_plain : self.layout.n_out].unflatten(-1, shape)
            levels = (logits + self.forbidden).log_softmax(dim=-2)
        return plain, levels, log_noise

    def _of_levels(
        self, Y: torch.Tensor, seen: torch.Tensor | None, levels: torch.Tensor
    ) -> torch.Tensor:
        columns = self.layout.of("categorical")
        X = Y[:, columns].long()  # (n, c)
        at = X.expand(*levels.shape[:-2], -1).unsqueeze(-2)
        entries = levels.gather(-2, at).squeeze(-2)
        return (entries if seen is None else entries * seen[:, columns]).sum(dim=-1)

    def parameters_of(self, out: torch.Tensor) -> tuple:
        """Means, variances and probabilities, as `likelihoods.Parameters`."""
        plain, levels, log_noise = self.parts(out)
        mean, variance = plain.clone(), torch.empty_like(plain)
        at = self.layout.among_plain("gaussian")
        if len(at):
            variance[..., at] = log_noise.exp().expand_as(mean[..., at])
        at = self.layout.among_plain("bernoulli")
        p = plain[..., at].sigmoid()
        mean[..., at], variance[..., at] = p, (p * (1.0 - p)).clamp(min=1e-12)
        at = self.layout.among_plain("poisson")
        rate = plain[..., at].clamp(max=LARGEST_LOG_RATE).exp()
        mean[..., at], variance[..., at] = rate, rate
        empty = (*mean.shape[:-1], 0, 0)
        return mean, variance, mean.new_empty(empty) if levels is None else levels.exp()

    def features(self, Y: torch.Tensor) -> torch.Tensor:
        """What an encoder sees of rows: counts by their logarithm, levels one by one.

        Shares are seen from their mean: steps of all weights of a layer that sees numbers of one
        sign pull together (LeCun et al., 1998), and a missing one is as if it were the mean.
        """
        if self.all_of == "gaussian":
            return Y
        if self.all_of == "bernoulli":
            return Y - self.center
        plain = self.centered(Y[:, self.layout.plain])
        counts = self.layout.among_plain("poisson")
        if len(counts):
            plain = plain.clone()
            plain[:, counts] = plain[:, counts].log1p()
        if not self.layout.n_levels:
            return plain
        X = Y[:, self.layout.of("categorical")]
        level = torch.arange(self.layout.n_levels, dtype=Y.dtype, device=Y.device)
        return torch.cat([plain, (X.unsqueeze(1) == level[:, None]).to(Y.dtype).flatten(1)], dim=1)

    def centered(self, plain: torch.Tensor) -> torch.Tensor:
        """Plain columns from where an encoder sees them."""
        return plain - self.center if "bernoulli" in self.layout.kinds else plain

    def spread(self, seen: torch.Tensor) -> torch.Tensor:
        """For each feature whether its column is seen."""
        if not self.layout.n_levels:
            return seen
        levels = seen[:, self.layout.of("categorical")].repeat(1, self.layout.n_levels)
        return torch.cat([seen[:, self.layout.plain], levels], dim=1)


def _gaussian(X: torch.Tensor, mean: torch.Tensor, log_noise: torch.Tensor) -> torch.Tensor:
    return -0.5 * ((X - mean) ** 2 * torch.exp(-log_noise) + log_noise + LOG_2_PI)


class _Bernoulli(torch.autograd.Function):
    """sum_f x_f a_f - softplus(a_f) of log-odds a (..., d) over what is seen of rows x (n, d).

    Its derivative by a_f is x_f - sigmoid(a_f). As one function, in place, it takes half the time
    of its parts.
    """

    @staticmethod
    def forward(ctx: Any, logits: Any, X: Any, seen: Any) -> torch.Tensor:
        ctx.save_for_backward(logits, X, seen)
        entries = softplus(logits).neg_().addcmul_(X, logits)
        return (entries if seen is None else entries.mul_(seen)).sum(dim=-1)

    @staticmethod
    def backward(ctx: Any, by: torch.Tensor) -> tuple:
        logits, X, seen = ctx.saved_tensors
        D = logits.sigmoid().neg_().add_(X).mul_(by.unsqueeze(-1))
        return D if seen is None else D.mul_(seen), None, None


def _poisson(X: torch.Tensor, log_rate: torch.Tensor, _: Any) -> torch.Tensor:
    log_rate = log_rate.clamp(max=LARGEST_LOG_RATE)
    return X * log_rate - log_rate.exp() - torch.lgamma(X + 1.0)


_ENTRIES = {"gaussian": _gaussian, "poisson": _poisson}


# ---- codes ---------------------------------------------------------------------------------------


def log_normal(E: torch.Tensor) -> torch.Tensor:
    """log N(e; 0, I) over the last dimension."""
    return -0.5 * ((E**2).sum(dim=-1) + E.shape[-1] * LOG_2_PI)


class StandardPrior(nn.Module):
    """z ~ N(0, I)."""

    def __init__(self, k: int):
        super().__init__()
        self.k = k

    def log_density(self, Z: torch.Tensor) -> torch.Tensor:
        return log_normal(Z)

    def draw(self, n: int, like: torch.Tensor, noise: torch.Generator) -> torch.Tensor:
        """n codes."""
        return torch.randn((n, self.k), generator=noise, dtype=like.dtype).to(like.device)

    def moments(self, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and standard deviations."""
        return like.new_zeros(self.k), like.new_ones(self.k)


class MixturePrior(nn.Module):
    """z ~ sum_j w_j N(m_j, diag s_j^2)."""

    def __init__(self, k: int, n_clusters: int):
        super().__init__()
        self.means = nn.Parameter(torch.empty(n_clusters, k))
        self.log_std = nn.Parameter(torch.empty(n_clusters * k))
        self.logits = nn.Parameter(torch.empty(n_clusters))

    def log_joint(self, Z: torch.Tensor) -> torch.Tensor:
        """log w_j N(z; m_j, s_j^2), (..., n_clusters)."""
        log_std = self.log_std.view_as(self.means).clamp(-7.0, 7.0)
        E = (Z.unsqueeze(-2) - self.means) * torch.exp(-log_std)
        return self.logits.log_softmax(dim=0) + log_normal(E) - log_std.sum(dim=1)

    def log_density(self, Z: torch.Tensor) -> torch.Tensor:
        return self.log_joint(Z).logsumexp(dim=-1)

    def draw(self, n: int, like: torch.Tensor, noise: torch.Generator) -> torch.Tensor:
        """n codes; their gradients reach the clusters they are from, not the clusters' shares."""
        share = self.logits.detach().softmax(dim=0).cpu()
        of = torch.multinomial(share, n, replacement=True, generator=noise).to(like.device)
        E = torch.randn((n, self.means.shape[1]), generator=noise, dtype=like.dtype)
        log_std = self.log_std.view_as(self.means).clamp(-7.0, 7.0)
        return self.means[of] + log_std[of].exp() * E.to(like.device)

    def moments(self, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and standard deviations of the mixture."""
        w = self.logits.softmax(dim=0)[:, None]
        variance = torch.exp(2 * self.log_std.view_as(self.means).clamp(-7.0, 7.0))
        mean = (w * self.means).sum(dim=0)
        spread = (w * (variance + self.means**2)).sum(dim=0) - mean**2
        return mean.to(like), spread.clamp(min=1e-12).sqrt().to(like)
