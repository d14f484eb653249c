"""The module of a variational autoencoder, and its bounds. This module imports torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn

from lowdim.deep.coding import decoder, encoder
from lowdim.deep.vae.densities import Likelihood, MixturePrior, StandardPrior
from lowdim.deep.vae.likelihoods import Layout
from lowdim.deep.vae.posteriors import Posterior, n_numbers, posterior_of, where_seen

WIDER = 0.5  # log of how much wider posteriors are where values miss and none did in fit
MOST_NUMBERS = 2**22  # that a decoder gives at once when rows are scored


class Shape(NamedTuple):
    """What a module is made of."""

    network: str
    image: tuple[int, int, int]
    n_components: int
    hidden: Sequence[int]
    activation: str
    dropout: float
    posterior: str
    n_clusters: int  # of the prior; 0: N(0, I)
    sees_missing: bool


class Variational(nn.Module):
    """q(z | x), p(z) and p(x | z), for rows in units of the network, NaN where missing."""

    def __init__(self, shape: Shape, layout: Layout, noise: str | tuple[float, ...]):
        super().__init__()
        self.shape = shape
        self.likelihood = Likelihood(layout, noise)
        k, d = shape.n_components, len(layout.kinds)
        layers = (shape.hidden, shape.activation, shape.dropout)
        self.prior = MixturePrior(k, shape.n_clusters) if shape.n_clusters else StandardPrior(k)
        groups = layout.n_levels or 1  # of the numbers that an encoder sees of rows
        if shape.network == "conv":
            n_in, image = groups + shape.sees_missing, shape.image
            n_out = self.likelihood.n_out // d
        else:
            n_in, image = 1, (1, layout.n_out + shape.sees_missing * d, 1)
            n_out = 1
        self.encoder = encoder(shape.network, image, n_in, n_numbers(k, shape.posterior), *layers)
        out = shape.image if shape.network == "conv" else (1, self.likelihood.n_out, 1)
        self.decoder = decoder(shape.network, out, k, n_out, *layers)

    def start(self) -> None:
        """Begin with posteriors of the prior's width for all rows.

        Widths that differ at random from row to row cost many steps to forget.
        """
        with torch.no_grad():
            self.encoder[-1].weight[self.shape.n_components :] = 0.0

    # ---- rows and codes --------------------------------------------------------------------------

    def split(self, Y: torch.Tensor) -> tuple:
        """Rows with zeros for NaN, and what is seen of them (None: all)."""
        if not Y.sum().isnan():
            return Y, None
        seen = (~Y.isnan()).to(Y.dtype)
        return Y.nan_to_num(nan=0.0), seen

    def posterior(self, Y: torch.Tensor, seen: torch.Tensor | None) -> Posterior:
        """q(z | what is seen of rows); the prior's moments for rows of which nothing is."""
        features = self.likelihood.features(Y)
        if seen is not None and self.likelihood.layout.n_levels:
            features = features * self.likelihood.spread(seen)
        parts = [features]
        if self.shape.sees_missing:
            parts.append(torch.ones_like(Y) if seen is None else seen)
        whole = parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)
        q = posterior_of(self.encoder(whole), self.shape.n_components, self.shape.posterior)
        if seen is None:
            return q
        if not self.shape.sees_missing:  # it has learned from complete rows: it is too sure
            some = (seen.sum(dim=1, keepdim=True) < seen.shape[1]).to(Y.dtype)
            q = q._replace(log_std=q.log_std + WIDER * some)
        return where_seen(q, seen, *self.prior.moments(Y))

    def numbers(self, Z: torch.Tensor) -> torch.Tensor:
        """The decoder's numbers for codes (..., n, k)."""
        return self.decoder(Z.flatten(0, -2)).unflatten(0, Z.shape[:-1])

    # ---- what is asked of rows -------------------------------------------------------------------

    def encode(self, Y: torch.Tensor) -> tuple:
        """Means and standard deviations of codes."""
        q = self.posterior(*self.split(Y))
        return q.mean, q.std()

    def parameters_of(self, Z: torch.Tensor) -> tuple:
        """`likelihoods.Parameters` of codes."""
        return self.likelihood.parameters_of(self.numbers(Z))

    def clusters(self, Y: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
        """p(cluster | x): that of codes, averaged over importance samples."""
        found = []
        for part in self._pieces(Y, E):
            Y_part, seen = self.split(part)
            Z, log_w = self._weighed(Y_part, seen, E)
            share = self.prior.log_joint(Z).softmax(dim=-1)
            found.append((log_w.softmax(dim=0).unsqueeze(-1) * share).sum(dim=0))
        return torch.cat(found)

    def log_density(self, Y: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
        """log p(x), by importance sampling with standard normal draws E (s, k)."""
        found = []
        for part in self._pieces(Y, E):
            Y_part, seen = self.split(part)
            _, log_w = self._weighed(Y_part, seen, E)
            found.append(log_w.logsumexp(dim=0) - math.log(len(E)))
        return torch.cat(found)

    def elbo(self, Y: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
        """The bound of each row, averaged over draws E (s, k)."""
        found = []
        for part in self._pieces(Y, E):
            Y_part, seen = self.split(part)
            found.append(self._weighed(Y_part, seen, E)[1].mean(dim=0))
        return torch.cat(found)

    def predictive(self, Y: torch.Tensor, E: torch.Tensor) -> tuple:
        """Mean, variance and probabilities of all columns given what is seen of rows."""
        found = []
        for part in self._pieces(Y, E):
            Y_part, seen = self.split(part)
            Z, log_w = self._weighed(Y_part, seen, E)
            w = log_w.softmax(dim=0).unsqueeze(-1)
            mean, variance, share = self.likelihood.parameters_of(self.numbers(Z))
            center = (w * mean).sum(dim=0)
            spread = (w * (variance + (mean - center) ** 2)).sum(dim=0)
            found.append((center, spread, (w.unsqueeze(-1) * share).sum(dim=0)))
        return tuple(torch.cat(parts) for parts in zip(*found, strict=True))

    def chosen(self, Y: torch.Tensor, uniform: torch.Tensor, E: torch.Tensor) -> tuple:
        """Parameters at one code for each row, drawn from its importance samples."""
        found, start = [], 0
        for part in self._pieces(Y, E):
            Y_part, seen = self.split(part)
            Z, log_w = self._weighed(Y_part, seen, E)
            u = uniform[start : start + len(part)].to(Z)
            start += len(part)
            at = (log_w.softmax(dim=0).cumsum(dim=0) < u).sum(dim=0).clamp(max=len(E) - 1)
            z = Z[at, torch.arange(len(part), device=Z.device)]
            found.append(self.likelihood.parameters_of(self.numbers(z)))
        return tuple(torch.cat(parts) for parts in zip(*found, strict=True))

    def _pieces(self, Y: torch.Tensor, E: torch.Tensor) -> tuple:
        size = max(1, MOST_NUMBERS // (len(E) * self.likelihood.n_out))
        return Y.split(size)

    def _weighed(
        self, Y: torch.Tensor, seen: torch.Tensor | None, E: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Codes (s, n, k) and log p(x, z) / q(z | x) of each."""
        q = self.posterior(Y, seen)
        Z = q.draw(E.to(Y).unsqueeze(1))
        log_p = self.likelihood.log_density(Y, seen, self.numbers(Z))
        return Z, log_p + self.prior.log_density(Z) - q.log_density(Z)


class Bound(NamedTuple):
    """What is maximised."""

    gradient: str = "reparam"
    n_samples: int = 1
    n_importance: int = 1
    beta: float = 1.0
    closed_kl: bool = True
    binarize: bool = False

    def loss(self, module: Variational, batch: tuple, noise: torch.Generator) -> torch.Tensor:
        """Minus the bound, summed over rows."""
        Y, seen = module.split(*batch)
        if self.binarize:
            Y = self._binary(Y, module, noise)
        q = module.posterior(Y, seen)
        shape = (self.n_samples * self.n_importance, *q.mean.shape)
        E = torch.randn(shape, generator=noise, dtype=Y.dtype).to(Y.device)
        if self.gradient == "reinforce":
            return -self._by_scores(module, q, E, Y, seen).sum()
        Z = q.draw(E)
        log_p = module.likelihood.log_density(Y, seen, module.numbers(Z))
        if self.closed_kl:
            return -(log_p.mean(dim=0) - self.beta * q.kl_to_standard()).sum()
        log_w = log_p + self.beta * (module.prior.log_density(Z) - q.log_density(Z))
        by_sample = log_w.unflatten(0, (self.n_samples, self.n_importance))
        bound = by_sample.logsumexp(dim=1) - math.log(self.n_importance)
        return -bound.mean(dim=0).sum()

    def _by_scores(
        self,
        module: Variational,
        q: Posterior,
        E: torch.Tensor,
        Y: torch.Tensor,
        seen: torch.Tensor | None,
    ) -> torch.Tensor:
        """The bound by row, whose gradient in q is the mean of (f - others' mean) grad log q."""
        Z = q.draw(E).detach()
        f = module.likelihood.log_density(Y, seen, module.numbers(Z))
        log_q = q.log_density(Z)
        if not self.closed_kl:
            f = f + self.beta * (module.prior.log_density(Z) - log_q.detach())
        fixed = f.detach()
        n = len(fixed)
        baseline = (fixed.sum(dim=0) - fixed) / (n - 1)
        bound = (f + (fixed - baseline) * (log_q - log_q.detach())).mean(dim=0)
        return bound - self.beta * q.kl_to_standard() if self.closed_kl else bound

    def _binary(self, Y: torch.Tensor, module: Variational, noise: torch.Generator) -> torch.Tensor:
        drawn = (torch.rand(Y.shape, generator=noise, dtype=Y.dtype).to(Y.device) < Y).to(Y.dtype)
        if module.likelihood.all_of == "bernoulli":
            return drawn
        columns = module.likelihood.layout.of("bernoulli")
        Y = Y.clone()
        Y[:, columns] = drawn[:, columns]
        return Y
