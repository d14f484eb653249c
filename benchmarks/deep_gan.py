"""Generative adversarial networks: modes of a ring and of a grid, beside a plain loop in torch.

The plain loop is what a tutorial has: the nonsaturating loss, Adam in turns, networks of the same
sizes, as many steps. Each mode has a standard deviation of 0.05 of the spacing. Quality is the
share of 5000 samples within 4 standard deviations of a mode, times the share of modes that have at
least a fifth of the samples they should have (higher is better).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "torch")
N, BATCH, SAMPLES = 4096, 128, 5000


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

    settings = {"hidden": hidden, "max_iter": passes, "batch_size": BATCH, "learning_rate": 0.01}
    return GAN(random_state=0, **settings).fit(X)


def plain(X: np.ndarray, passes: int, hidden: tuple[int, ...]) -> Any:
    """The loop of a tutorial; gives a function that draws rows."""
    import torch
    from torch import nn
    from torch.nn.functional import softplus

    torch.manual_seed(0)

    def network(n_out: int) -> Any:
        layers: list[nn.Module] = []
        before = 2
        for size in hidden:
            layers += [nn.Linear(before, size), nn.ReLU()]
            before = size
        return nn.Sequential(*layers, nn.Linear(before, n_out))

    generator, discriminator = network(2), network(1)
    players = [
        torch.optim.Adam(part.parameters(), lr=1e-3, betas=(0.5, 0.999))
        for part in (discriminator, generator)
    ]
    mean, std = X.mean(axis=0), X.std(axis=0)
    data = torch.from_numpy((X - mean) / std).float()
    for _ in range(passes):
        for x in data[torch.randperm(len(data))].split(BATCH):
            g = generator(torch.randn(len(x), 2))
            losses = (
                lambda: (softplus(-discriminator(x)) + softplus(discriminator(g.detach()))).mean(),  # noqa: B023
                lambda: softplus(-discriminator(g)).mean(),  # noqa: B023
            )
            for player, loss in zip(players, losses, strict=True):
                player.zero_grad()
                loss().backward()
                player.step()

    def draw(n: int) -> np.ndarray:
        with torch.no_grad():
            return generator(torch.randn(n, 2)).numpy() * std + mean

    return draw


def share_of_modes(X: np.ndarray, result: Any, modes: Any) -> float:
    centers, sd = modes()
    drawn = result.sample(SAMPLES, random_state=1) if hasattr(result, "sample") else result(SAMPLES)
    distance = np.linalg.norm(drawn[:, None] - centers, axis=2)
    near = distance.min(axis=1) < 4 * sd
    count = np.bincount(distance.argmin(axis=1)[near], minlength=len(centers))
    return float(near.mean() * np.mean(count >= SAMPLES / len(centers) / 5))


def case(name: str, about: str, modes: Any, passes: int, hidden: tuple[int, ...]) -> Case:
    settings: dict[str, Any] = {"passes": passes, "hidden": hidden}
    return Case(
        name=name,
        about=about,
        make=partial(rows, modes=modes),
        ours=Entry("lowdim", partial(ours, **settings)),
        peers=[Entry("plain torch loop", partial(plain, **settings))],
        quality=partial(share_of_modes, modes=modes),
        tolerance=0.02,
        big=True,
    )


CASES = (
    case("gan-ring", "GAN, 8 Gaussians on a ring.", ring, 32, (64, 64)),
    case("gan-grid", "GAN, 25 Gaussians on a grid.", grid, 160, (128, 128)),
)
