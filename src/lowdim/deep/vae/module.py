"""The module of a variational autoencoder, and its bounds. This module imports torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import softplus

from lowdim.deep.coding import CHANNELS, decoder, encoder
from lowdim.deep.layers import Gradients, Layer, backward, forward
from lowdim.deep.vae.densities import Likelihood, MixturePrior, StandardPrior
from lowdim.deep.vae.likelihoods import Layout
from lowdim.deep.vae.posteriors import (
    LARGEST_LOG_STD,
    SMALLEST_LOG_STD,
    Posterior,
    n_numbers,
    posterior_of_layers,
)

START_LOG_STD = -2.0  # of posteriors
WIDER = 0.5  # log of how much wider posteriors are where values miss and none did in fit
INSIDE = (1e-7, 1.0 - 1e-7)  # shares whose normal quantiles are finite in float32
MOST_NUMBERS = 2**22  # that a layer gives at once when rows are scored


class Shape(NamedTuple):
    """What a module is made of."""

    network: str
    image: tuple[int, int, int]
    layers: tuple[int, ...]  # numbers of a code, the bottom layer first
    hidden: Sequence[int]
    activation: str
    dropout: float
    posterior: str
    n_clusters: int  # of the prior; 0: N(0, I)
    sees_missing: bool
    n_conditions: int  # numbers that are known of y


class Seen(NamedTuple):
    """Rows as networks see them."""

    Y: torch.Tensor  # (n, d)  zeros for what is missing
    seen: torch.Tensor | None  # (n, d)  1 where a value is seen; None: everywhere
    given: torch.Tensor | None  # (n, q)  what is known of y


class Variational(nn.Module):
    """q(z | x), p(z) and p(x | z), for rows in units of the network, NaN where missing.

    What is known of y, if anything, stands in the last columns of rows and of codes.
    """

    def __init__(self, shape: Shape, layout: Layout, noise: str | tuple[float, ...]):
        super().__init__()
        self.shape = shape
        self.likelihood = Likelihood(layout, noise)
        k, d, q = sum(shape.layers), len(layout.kinds), shape.n_conditions
        layers = (shape.hidden, shape.activation, shape.dropout)
        self.prior = MixturePrior(k, shape.n_clusters) if shape.n_clusters else StandardPrior(k)
        n_coded = sum(n_numbers(size, shape.posterior) for size in shape.layers)
        self.encoder = self.seeing(n_coded)
        n_out, image = self.likelihood.n_out, shape.image
        out = (image, n_out // d) if shape.network == "conv" else ((1, n_out, 1), 1)
        self.decoder = decoder(shape.network, out[0], shape.layers[0] + q, out[1], *layers)

    def seeing(self, n_out: int) -> nn.Module:
        """A network that sees rows (`as_seen`) and gives n_out numbers."""
        shape, layout = self.shape, self.likelihood.layout
        q, missing = shape.n_conditions, shape.sees_missing
        if shape.network == "conv":
            n_in, image = (layout.n_levels or 1) + missing + q, shape.image
        else:
            n_in, image = 1, (1, layout.n_out + missing * len(layout.kinds) + q, 1)
        layers = (shape.hidden, shape.activation, shape.dropout)
        return encoder(shape.network, image, n_in, n_out, *layers)

    def start(self) -> None:
        """Begin with posteriors that are narrow, and equally so for all rows.

        Widths that differ at random from row to row cost many steps to forget. At the width of the
        prior draws drown what the encoder says: the decoder learns to do without most numbers of a
        code, which then say nothing for good. (After 4 passes over digits, 784-500-500-50 uses 24
        of 50 numbers and has 103.1 nats; with this start 30, and 94.8.) Without hidden layers none
        is lost for good (Lucas et al., 2019), and widths begin nearer to where they end, as wide as
        the prior. The direction of rank1 stays as it was drawn: at 0 it would have no gradient.
        """
        affine = self.shape.network == "mlp" and not self.shape.hidden
        at = 0
        with torch.no_grad():
            for k in self.shape.layers:
                n = n_numbers(k, self.shape.posterior)
                last = 2 * k if self.shape.posterior == "rank1" else n
                self.encoder[-1].weight[at + k : at + last] = 0.0
                self.encoder[-1].bias[at + k : at + 2 * k] = 0.0 if affine else START_LOG_STD
                at += n

    # ---- rows and codes --------------------------------------------------------------------------

    def split(self, rows: torch.Tensor) -> Seen:
        """Rows with zeros for NaN, what is seen of them, and what is known of y."""
        Y, given = self._apart(rows)
        if not Y.sum().isnan():
            return Seen(Y, None, given)
        seen = (~Y.isnan()).to(Y.dtype)
        return Seen(Y.nan_to_num(nan=0.0), seen, given)

    def _apart(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        q = self.shape.n_conditions
        return (rows[:, :-q], rows[:, -q:]) if q else (rows, None)

    def posterior(self, rows: Seen) -> Posterior:
        """q(z | what is seen of rows); the prior's moments for rows of which nothing is."""
        Y, seen, _ = rows
        whole = self.as_seen(self.likelihood.features(Y), rows)
        q = posterior_of_layers(self.encoder(whole), self.shape.layers, self.shape.posterior)
        if seen is None:
            return q
        n_seen = seen.sum(dim=1, keepdim=True)
        if not self.shape.sees_missing:  # it has learned from complete rows: it is too sure
            q = q.wider(WIDER * (n_seen < seen.shape[1]).to(Y.dtype))
        return q.where((n_seen > 0).to(Y.dtype), *self.prior.moments(Y))

    def as_seen(self, features: torch.Tensor, like: Seen) -> torch.Tensor:
        """What a network sees of rows with these features, of which as much is seen as of `like`.

        Features that are missing are 0; pattern and y stand in columns of their own.
        """
        Y, seen, given = like
        parts = [features if seen is None else features * self.likelihood.spread(seen)]
        if self.shape.sees_missing:
            parts.append(torch.ones_like(Y) if seen is None else seen)
        if given is not None:  # pictures see each of its numbers at every place
            conv = self.shape.network == "conv"
            parts.append(given.repeat_interleave(Y.shape[1], dim=1) if conv else given)
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)

    def lifted(self, Z: torch.Tensor) -> torch.Tensor:
        """What the decoder sees of codes (..., k)."""
        return Z

    def numbers(self, Z: torch.Tensor, given: torch.Tensor | None) -> torch.Tensor:
        """The decoder's numbers for codes (..., n, k)."""
        H = self.lifted(Z)
        if given is not None:
            H = torch.cat([H, given.expand(*H.shape[:-1], -1)], dim=-1)
        return self.decoder(H.flatten(0, -2)).unflatten(0, H.shape[:-1])

    # ---- what is asked of rows -------------------------------------------------------------------

    def encode(self, rows: torch.Tensor) -> tuple:
        """Means and standard deviations of codes."""
        q = self.posterior(self.split(rows))
        return q.mean, q.std()

    def parameters_of(self, Z: torch.Tensor) -> tuple:
        """`likelihoods.Parameters` of codes."""
        return self.likelihood.parameters_of(self.numbers(*self._apart(Z)))

    def clusters(self, rows: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
        """p(cluster | x): that of codes, averaged over importance samples."""
        found = []
        for part in self._pieces(rows, E):
            Z, log_w = self._weighed(part, E)
            share = self.prior.log_joint(Z).softmax(dim=-1)
            found.append((log_w.softmax(dim=0).unsqueeze(-1) * share).sum(dim=0))
        return torch.cat(found)

    def log_density(self, rows: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
        """log p(x), by importance sampling with standard normal draws E (s, k)."""
        found = []
        for part in self._pieces(rows, E):
            sums = [self._weighed(part, some)[1].logsumexp(dim=0) for some in self._draws(E)]
            log_p = torch.stack(sums).logsumexp(dim=0) - math.log(len(E))
            seen = self.split(part).seen
            found.append(log_p if seen is None else log_p * (seen.sum(dim=1) > 0))
        return torch.cat(found)

    def elbo(self, rows: torch.Tensor, E: torch.Tensor) -> torch.Tensor:
        """The bound of each row, averaged over draws E (s, k)."""
        found = []
        for part in self._pieces(rows, E):
            sums = [self._weighed(part, some)[1].sum(dim=0) for some in self._draws(E)]
            found.append(torch.stack(sums).sum(dim=0) / len(E))
        return torch.cat(found)

    def predictive(self, rows: torch.Tensor, E: torch.Tensor) -> tuple:
        """Mean, variance and probabilities of all columns given what is seen of rows."""
        found = []
        for part in self._pieces(rows, E):
            Z, log_w = self._widely_weighed(part, E.to(part).unsqueeze(1))
            w = log_w.softmax(dim=0).unsqueeze(-1)
            out = self.numbers(Z, self._apart(part)[1])
            mean, variance, share = self.likelihood.parameters_of(out)
            center = (w * mean).sum(dim=0)
            spread = (w * (variance + (mean - center) ** 2)).sum(dim=0)
            found.append((center, spread, (w.unsqueeze(-1) * share).sum(dim=0)))
        return tuple(torch.cat(parts) for parts in zip(*found, strict=True))

    def chosen(self, rows: torch.Tensor, uniform: torch.Tensor, E: torch.Tensor) -> tuple:
        """Parameters at one code for each row, drawn from its importance samples.

        Of the uniform numbers of a row (n, 1 + k) the first chooses. The others move the draws that
        all rows share: rows of which the same is seen would otherwise have the same few codes.
        """
        found, start, shares = [], 0, torch.special.ndtr(E)
        for part in self._pieces(rows, E):
            u = uniform[start : start + len(part)].to(part)
            start += len(part)
            moved = (shares.to(part).unsqueeze(1) + u[:, 1:]) % 1.0  # (s, n, k)
            Z, log_w = self._widely_weighed(part, torch.special.ndtri(moved.clamp(*INSIDE)))
            at = (log_w.softmax(dim=0).cumsum(dim=0) < u[:, 0]).sum(dim=0).clamp(max=len(E) - 1)
            z = Z[at, torch.arange(len(part), device=Z.device)]
            found.append(self.likelihood.parameters_of(self.numbers(z, self._apart(part)[1])))
        return tuple(torch.cat(parts) for parts in zip(*found, strict=True))

    @property
    def widest(self) -> int:
        """Numbers of the widest layer for a code."""
        h, w, _ = self.shape.image
        filters = max(CHANNELS) * h * w if self.shape.network == "conv" else 1
        return max(self.likelihood.n_out, *self.shape.hidden, *self.shape.layers, filters)

    def _pieces(self, rows: torch.Tensor, E: torch.Tensor) -> tuple:
        return rows.split(max(1, MOST_NUMBERS // (len(E) * self.widest)))

    def _draws(self, E: torch.Tensor) -> tuple:
        return E.split(max(1, MOST_NUMBERS // self.widest))

    def _weighed(self, rows: torch.Tensor, E: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Codes (s, n, k) and log p(x, z) / q(z | x) of each."""
        some = self.split(rows)
        q = self.posterior(some)
        Z = q.draw(E.to(rows).unsqueeze(1))
        log_p = self.likelihood.log_density(some.Y, some.seen, self.numbers(Z, some.given))
        return Z, log_p + self.prior.log_density(Z) - q.log_density(Z)

    def _widely_weighed(
        self, rows: torch.Tensor, E: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The same of normal draws (s, n or 1, k), some of them as wide as the prior.

        Where q has learned from complete rows alone it is wrong for others: half of the codes are
        not from it. Weights are those of the mixture of both (Owen and Zhou, 2000): none is large.
        """
        some = self.split(rows)
        q = self.posterior(some)
        wide = q.where(torch.zeros_like(some.Y[:, :1]), *self.prior.moments(some.Y))
        n_wide = 0 if self.shape.sees_missing else len(E) // 2
        n_own = len(E) - n_wide
        Z = torch.cat([q.draw(E[:n_own]), wide.draw(E[n_own:])])
        log_q = q.log_density(Z) + math.log(n_own / len(E))
        if n_wide:
            log_q = torch.logaddexp(log_q, wide.log_density(Z) + math.log(n_wide / len(E)))
        log_p = self.likelihood.log_density(some.Y, some.seen, self.numbers(Z, some.given))
        return Z, log_p + self.prior.log_density(Z) - log_q


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
        rows = module.split(batch[0] if len(batch) == 1 else torch.cat(batch, dim=1))
        if self.binarize:
            rows = rows._replace(Y=self.binary(rows.Y, module, noise))
        q = module.posterior(rows)
        shape = (self.n_samples * self.n_importance, *q.mean.shape)
        E = torch.randn(shape, generator=noise, dtype=rows.Y.dtype).to(rows.Y.device)
        if self.gradient == "reinforce":
            return -self._by_scores(module, q, E, rows).sum()
        Z = q.draw(E)
        log_p = module.likelihood.log_density(rows.Y, rows.seen, module.numbers(Z, rows.given))
        if self.closed_kl:
            kl = q.kl_to_standard()
            kl = kl if self.beta == 1.0 else self.beta * kl
            return (kl - (log_p[0] if len(log_p) == 1 else log_p.mean(dim=0))).sum()
        log_w = log_p + self.beta * (module.prior.log_density(Z) - q.log_density(Z))
        by_sample = log_w.unflatten(0, (self.n_samples, self.n_importance))
        bound = by_sample.logsumexp(dim=1) - math.log(self.n_importance)
        return -bound.mean(dim=0).sum()

    def straight(
        self,
        module: Variational,
        batch: tuple,
        noise: torch.Generator,
        into: Gradients,
        weight: float,
    ) -> float | None:
        """The loss, and its gradient divided by `weight`, without autograd; None: not by this way.

        For pixels, the case that takes longest: with a = decode(z) and z = mu + s e,

            d loss / d a = sigmoid(a) - y,    d loss / d mu = d loss / d z + beta mu,
            d loss / d log s = (d loss / d z) s e + beta (s^2 - 1)
        """
        nets = self._dense(module)
        if nets is None or len(batch) > 1 or batch[0].sum().isnan():
            return None
        (encoder, decoder), Y = nets, batch[0]
        if self.binarize:
            Y = self.binary(Y, module, noise)
        out, of_encoder = forward(encoder, Y - module.likelihood.center)
        k = out.shape[1] // 2
        mean, raw = out[:, :k], out[:, k:]
        log_std = raw.clamp(SMALLEST_LOG_STD, LARGEST_LOG_STD)
        std = log_std.exp()
        E = torch.randn((1, *mean.shape), generator=noise, dtype=Y.dtype)[0]
        odds, of_decoder = forward(decoder, torch.addcmul(mean, std, E))
        odds += module.likelihood.offset
        loss = softplus(odds).sum() - torch.dot(odds.view(-1), Y.view(-1))
        variance = std * std
        kl = 0.5 * ((variance - 1.0).addcmul_(mean, mean) - 2.0 * log_std).sum()

        by_odds = odds.sigmoid_().sub_(Y).div_(weight)
        by_z = backward(decoder, of_decoder, by_odds, into)
        part = self.beta / weight
        by_out = torch.empty_like(out)
        torch.add(by_z, mean, alpha=part, out=by_out[:, :k])
        by_log_std = torch.addcmul(part * (variance - 1.0), by_z, std * E)
        by_out[:, k:] = by_log_std.mul_(raw == log_std)
        backward(encoder, of_encoder, by_out, into, further=False)
        return (loss + self.beta * kl).item()

    def _dense(self, module: Variational) -> tuple[list[Layer], list[Layer]] | None:
        """Layers of encoder and decoder, where `straight` is for the module."""
        usual = self.gradient == "reparam" and self.closed_kl and self.n_samples == 1
        shape = module.shape
        if (
            not usual
            or type(module) is not Variational
            or module.likelihood.all_of != "bernoulli"
            or shape.posterior != "diagonal"
            or shape.network != "mlp"
            or shape.n_conditions
            or shape.sees_missing
        ):
            return None
        encoder, decoder = module.encoder.layers(), module.decoder.layers()
        return None if encoder is None or decoder is None else (encoder, decoder)

    def _by_scores(
        self, module: Variational, q: Posterior, E: torch.Tensor, rows: Seen
    ) -> torch.Tensor:
        """The bound by row, whose gradient in q is the mean of (f - others' mean) grad log q."""
        Z = q.draw(E).detach()
        f = module.likelihood.log_density(rows.Y, rows.seen, module.numbers(Z, rows.given))
        log_q = q.log_density(Z)
        if not self.closed_kl:
            f = f + self.beta * (module.prior.log_density(Z) - log_q.detach())
        fixed = f.detach()
        n = len(fixed)
        baseline = (fixed.sum(dim=0) - fixed) / (n - 1)
        bound = (f + (fixed - baseline) * (log_q - log_q.detach())).mean(dim=0)
        return bound - self.beta * q.kl_to_standard() if self.closed_kl else bound

    def binary(self, Y: torch.Tensor, module: Variational, noise: torch.Generator) -> torch.Tensor:
        """Rows with 0 or 1 drawn for the values of "bernoulli" columns."""
        if "bernoulli" not in module.likelihood.layout.kinds:
            return Y
        drawn = (torch.rand(Y.shape, generator=noise, dtype=Y.dtype).to(Y.device) < Y).to(Y.dtype)
        if module.likelihood.all_of == "bernoulli":
            return drawn
        columns = module.likelihood.layout.of("bernoulli")
        Y = Y.clone()
        Y[:, columns] = drawn[:, columns]
        return Y
