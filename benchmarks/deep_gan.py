"""Generative adversarial networks: modes of a ring and of a grid, beside a plain loop in torch.

One loop has the same steps: pairs of real and drawn rows, penalties on slopes, a look ahead, a
moving average; four gradients, two of them of slopes. The other is what a tutorial has: the
nonsaturating loss, Adam in turns, two gradients a step. Networks of the same sizes, as many steps.
Each mode has a standard deviation of 0.05 of the spacing. Quality is the share of 5000 samples
within 4 standard deviations of a mode, times the share of modes that have at least a fifth of the
samples they should have (higher is better).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "torch")
N, BATCH, SAMPLES = 4096, 128, 5000
RATE, BETAS, AVERAGE = 0.01, (0.5, 0.99), 0.999  # of `GAN`, here


def ring() -> tuple[np.ndarray, float]:
    angle = np.arange(8) * np.pi / 4
    return np.column_stack([np.cos(angle), np.sin(angle)]), 0.05 * 2 * np.sin(np.pi / 8)


def grid() -> tuple[np.ndarray, float]:
    return np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2), 0.05


def rows(shrink: int, modes: Any) -> np.ndarray:
    centers, sd = modes()
    random = np.random.default_rng(0)
    n = N // shrink
    return centers[random.integers(len(centers), size=n)] + sd * random.normal(size=(n, 2))


def ours(X: np.ndarray, passes: int, hidden: tuple[int, ...]) -> Any:
    from lowdim import GAN

    settings = {"hidden": hidden, "max_iter": passes, "batch_size": BATCH, "learning_rate": RATE}
    return GAN(random_state=0, **settings).fit(X)


def network(n_out: int, hidden: tuple[int, ...]) -> Any:
    from torch import nn

    layers: list[nn.Module] = []
    before = 2
    for size in hidden:
        layers += [nn.Linear(before, size), nn.ReLU()]
        before = size
    return nn.Sequential(*layers, nn.Linear(before, n_out))


class PlainLoop(ABC):
    """A loop in torch over shuffled rows; draws rows when it is done."""

    def __init__(self, X: np.ndarray, passes: int, hidden: tuple[int, ...]) -> None:
        import torch

        torch.manual_seed(0)
        self.generator, self.discriminator = network(2, hidden), network(1, hidden)
        self.start(passes * -(-len(X) // BATCH))
        self.mean, self.std = X.mean(axis=0), X.std(axis=0)
        data = torch.from_numpy((X - self.mean) / self.std).float()
        for _ in range(passes):
            for x in data[torch.randperm(len(data))].split(BATCH):
                self.step(x)

    @abstractmethod
    def start(self, n_steps: int) -> None:
        """Before the first step."""

    @abstractmethod
    def step(self, x: Any) -> None:
        """Both players learn from a batch."""

    def __call__(self, n: int) -> np.ndarray:
        import torch

        with torch.no_grad():
            return self.generator(torch.randn(n, 2)).numpy() * self.std + self.mean


class Tutorial(PlainLoop):
    """The nonsaturating loss, Adam in turns: two gradients a step."""

    def start(self, n_steps: int) -> None:
        import torch

        self.players = [
            torch.optim.Adam(part.parameters(), lr=1e-3, betas=(0.5, 0.999))
            for part in (self.discriminator, self.generator)
        ]

    def step(self, x: Any) -> None:
        import torch
        from torch.nn.functional import softplus

        g = self.generator(torch.randn(len(x), 2))
        losses = (
            lambda: (
                softplus(-self.discriminator(x)) + softplus(self.discriminator(g.detach()))
            ).mean(),
            lambda: softplus(-self.discriminator(g)).mean(),
        )
        for player, loss in zip(self.players, losses, strict=True):
            player.zero_grad()
            loss().backward()
            player.step()


class SameGame(PlainLoop):
    """What `GAN` does, as one would write it: pairs, penalties on slopes, extra-Adam, an average.

    Four gradients a step, two of them of slopes: a look ahead of both players, and the step.
    """

    def start(self, n_steps: int) -> None:
        import torch

        self.parts = [list(p.parameters()) for p in (self.discriminator, self.generator)]
        self.players = [torch.optim.Adam(part, lr=RATE, betas=BETAS) for part in self.parts]
        self.falls = [
            torch.optim.lr_scheduler.CosineAnnealingLR(player, n_steps) for player in self.players
        ]
        self.average = [w.detach().clone() for w in self.parts[1]]

    def losses(self, x: Any) -> tuple[Any, Any]:
        import torch
        from torch.nn.functional import softplus

        def of_discriminator() -> Any:
            with torch.no_grad():
                g = self.generator(torch.randn(len(x), 2))
            both = torch.cat([x, g]).requires_grad_()
            scores = self.discriminator(both)[:, 0]
            (slopes,) = torch.autograd.grad(scores.sum(), both, create_graph=True)
            s_x, s_g = scores.chunk(2)
            return (softplus(s_g - s_x).sum() + 0.5 * slopes.square().sum()) / len(x)

        def of_generator() -> Any:
            with torch.no_grad():
                s_x = self.discriminator(x)
            g = self.generator(torch.randn(len(x), 2))
            return softplus(s_x - self.discriminator(g)).mean()

        return of_discriminator, of_generator

    def step(self, x: Any) -> None:
        import torch

        start = [[w.detach().clone() for w in part] for part in self.parts]
        for _ in ("look ahead", "step"):
            for player, part, before, loss in zip(
                self.players, self.parts, start, self.losses(x), strict=True
            ):
                gradients = torch.autograd.grad(loss(), part)
                with torch.no_grad():
                    for w, gradient, old in zip(part, gradients, before, strict=True):
                        w.copy_(old)
                        w.grad = gradient
                player.step()
        for fall in self.falls:
            fall.step()
        with torch.no_grad():
            for mean, w in zip(self.average, self.parts[1], strict=True):
                mean.lerp_(w, 1 - AVERAGE)

    def __call__(self, n: int) -> np.ndarray:
        import torch

        with torch.no_grad():
            for w, mean in zip(self.parts[1], self.average, strict=True):
                w.copy_(mean)
        return super().__call__(n)


def share_of_modes(X: np.ndarray, result: Any, modes: Any) -> float:
    centers, sd = modes()
    drawn = result.sample(SAMPLES, random_state=1) if hasattr(result, "sample") else result(SAMPLES)
    distance = np.linalg.norm(drawn[:, None] - centers, axis=2)
    near = distance.min(axis=1) < 4 * sd
    count = np.bincount(distance.argmin(axis=1)[near], minlength=len(centers))
    return float(near.mean() * np.mean(count >= SAMPLES / len(centers) / 5))


def case(
    name: str, about: str, modes: Any, passes: int, hidden: tuple[int, ...], big: bool
) -> Case:
    settings: dict[str, Any] = {"passes": passes, "hidden": hidden}
    return Case(
        name=name,
        about=about,
        make=partial(rows, modes=modes),
        ours=Entry("lowdim", partial(ours, **settings)),
        peers=[
            Entry("the same steps in torch", partial(SameGame, **settings)),
            Entry("loop of a tutorial", partial(Tutorial, **settings)),
        ],
        quality=partial(share_of_modes, modes=modes),
        tolerance=0.02,
        big=big,
        most_rounds=3,
    )


CASES = (
    case("gan-ring", "GAN, 8 Gaussians on a ring.", ring, 32, (64, 64), False),
    case("gan-grid", "GAN, 25 Gaussians on a grid.", grid, 160, (128, 128), True),
)
