"""Variational autoencoders: a pass beside a plain loop in torch, and how good models become.

The plain loops are what tutorials have: rows in memory and a shuffled index, or a DataLoader; Adam,
torch's own threads. All learn 784-400-20 on MNIST, binarised once, with batches of 128. Quality is
the mean bound of 1000 test images, or their mean log-density by 300 importance samples (higher is
better).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.maps_umap import DATA

LIBRARIES = ("lowdim", "numpy", "torch")
HIDDEN, CODES, BATCH = 400, 20, 128


@cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    """MNIST's training and first 1000 test digits, each pixel drawn 0 or 1 once."""
    random = np.random.default_rng(0)
    with np.load(DATA / "mnist.npz") as file:
        parts = file["x_train"], file["x_test"][:1000]
    rows = (part.reshape(len(part), -1) / np.float32(255) for part in parts)
    train, test = ((random.random(x.shape, np.float32) < x).astype(np.uint8) for x in rows)
    return train, test


def training(shrink: int) -> np.ndarray:
    train, _ = digits()
    return train[: len(train) // shrink]


def ours(
    X: np.ndarray, passes: int, hidden: tuple[int, ...] = (HIDDEN,), codes: int = CODES
) -> Any:
    from lowdim import VAE

    model = VAE(
        codes,
        likelihood="bernoulli",
        hidden=hidden,
        batch_size=BATCH,
        max_iter=passes,
        random_state=0,
    )
    return model.fit(X)


def plain(X: np.ndarray, passes: int, loader: bool = False) -> Any:
    """The loop of a tutorial, at the constant rate of 1e-3."""
    *_, loss_of = passes_of_plain(X, passes, loader)
    return loss_of


def passes_of_plain(
    X: np.ndarray,
    passes: int,
    loader: bool = False,
    rate_at: Callable[[float], float] = lambda _: 1e-3,
) -> Iterator[Any]:
    """The loss of a batch after each pass; the rate follows from the share of steps done."""
    import torch
    from torch import nn
    from torch.nn.functional import binary_cross_entropy_with_logits

    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(784, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2 * CODES))
    decoder = nn.Sequential(nn.Linear(CODES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 784))
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=rate_at(0.0))
    rows = torch.from_numpy(X).float()

    def loss_of(x: Any) -> Any:
        mean, log_var = encoder(x).chunk(2, dim=1)
        z = mean + torch.exp(0.5 * log_var) * torch.randn_like(mean)
        fit = binary_cross_entropy_with_logits(decoder(z), x, reduction="sum")
        return fit - 0.5 * (1 + log_var - mean**2 - log_var.exp()).sum()

    loading = torch.utils.data.DataLoader(rows, batch_size=BATCH, shuffle=True)  # type: ignore[arg-type]
    done, n_steps = 0, passes * len(loading)
    for _ in range(passes):
        shuffled = torch.randperm(len(rows)).split(BATCH)
        for x in loading if loader else map(rows.__getitem__, shuffled):
            optimizer.param_groups[0]["lr"] = rate_at(done / n_steps)
            optimizer.zero_grad()
            (loss_of(x) / len(x)).backward()
            optimizer.step()
            done += 1
        yield loss_of


def bound(X: np.ndarray, result: Any) -> float:
    """Mean bound of test images."""
    _, test = digits()
    if hasattr(result, "elbo"):
        return float(np.mean(result.elbo(test, n_samples=10)))
    import torch

    rows = torch.from_numpy(test).float()
    with torch.no_grad():
        return -float(np.mean([result(rows).item() / len(rows) for _ in range(10)]))


def log_density(X: np.ndarray, model: Any) -> float:
    """Mean log-density of test images."""
    _, test = digits()
    return float(np.mean(model.score_samples(test, n_samples=300)))


def alone(name: str, about: str, passes: int, hidden: tuple[int, ...], codes: int) -> Case:
    """How good a model becomes, without a peer."""
    return Case(
        name=name,
        about=about,
        make=training,
        ours=Entry("lowdim", partial(ours, passes=passes, hidden=hidden, codes=codes)),
        peers=[],
        quality=log_density,
        tolerance=0.0,
        big=True,
    )


CASES = (
    Case(
        name="vae-pass",
        about="VAE 784-400-20, one pass over 60000 binarised digits.",
        make=training,
        ours=Entry("lowdim", partial(ours, passes=1)),
        peers=[
            Entry("plain torch loop", partial(plain, passes=1)),
            Entry("with a DataLoader", partial(plain, passes=1, loader=True)),
        ],
        quality=bound,
        tolerance=0.1,
        most_rounds=5,
    ),
    alone("vae-density", "784-400-20, 8 passes: -98 nats are asked for.", 8, (HIDDEN,), CODES),
    alone("vae-density-deep", "784-500-500-50, 15 passes: -92 nats.", 15, (500, 500), 50),
)
