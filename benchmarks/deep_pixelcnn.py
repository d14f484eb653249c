"""Images pixel by pixel: steps beside a plain loop in torch, drawing with and without a cache.

The plain loop is what a tutorial has: images in memory, a shuffled index, Adam, torch's own
threads; the network is the same, two stacks of gated convolutions (16 channels, 5 layers, kernels
of 7). Both learn binarised MNIST with batches of 32, or 16. Quality is the mean log-density of 200
test images, in nats (higher is better).
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.deep_vae import digits
from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "torch")
BATCH, CHANNELS, LAYERS, KERNEL = 32, 16, 5, 7
SIDE, LEVELS, DRAWN = 28, 2, 16


def training(shrink: int, steps: int, batch: int = BATCH) -> np.ndarray:
    train, _ = digits()
    return train[: steps * batch // shrink]


def ours(X: np.ndarray, batch: int = BATCH) -> Any:
    """One pass."""
    from lowdim import PixelCNN

    model = PixelCNN(
        channels=CHANNELS,
        n_layers=LAYERS,
        kernel_size=KERNEL,
        batch_size=batch,
        max_iter=1,
        random_state=0,
    )
    return model.fit(X)


def plain_network() -> Any:
    """Levels (n, 28, 28) in, scores (n, 2, 28, 28) of each pixel's levels out."""
    import torch
    from torch import nn
    from torch.nn.functional import pad

    reach = KERNEL // 2

    def gate(pre: Any) -> Any:
        a, b = pre.chunk(2, dim=1)
        return torch.tanh(a) * torch.sigmoid(b)

    class Layer(nn.Module):
        def __init__(self, first: bool) -> None:
            super().__init__()
            own = int(not first)
            self.own = own
            self.vertical = nn.Conv2d(CHANNELS, 2 * CHANNELS, (reach + own, KERNEL))
            self.horizontal = nn.Conv2d(CHANNELS, 2 * CHANNELS, (1, reach + own))
            self.down = nn.Conv2d(2 * CHANNELS, 2 * CHANNELS, 1)
            self.onward = nn.Conv2d(CHANNELS, CHANNELS, 1)

        def forward(self, v: Any, h: Any) -> tuple[Any, Any]:
            pre_v = self.vertical(pad(v, (reach, reach, reach, self.own - 1)))
            pre_h = self.horizontal(pad(h, (reach, self.own - 1))) + self.down(pre_v)
            onward = self.onward(gate(pre_h))
            return gate(pre_v), h + onward if self.own else onward

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.levels = nn.Embedding(LEVELS, CHANNELS)
            self.layers = nn.ModuleList(Layer(i == 0) for i in range(LAYERS))
            self.here = nn.Parameter(torch.zeros(CHANNELS, SIDE, SIDE))
            self.out = nn.Sequential(
                nn.ReLU(),
                nn.Conv2d(CHANNELS, CHANNELS, 1),
                nn.ReLU(),
                nn.Conv2d(CHANNELS, LEVELS, 1),
            )

        def forward(self, codes: Any) -> Any:
            v = h = self.levels(codes).permute(0, 3, 1, 2)
            for layer in self.layers:
                v, h = layer(v, h)
            return self.out(h + self.here)

    return Network()


def plain(X: np.ndarray, batch: int = BATCH) -> Any:
    """The loop of a tutorial, at the constant rate of 1e-3."""
    import torch
    from torch.nn.functional import cross_entropy

    torch.manual_seed(0)
    network = plain_network()
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    images = torch.from_numpy(X.astype(np.int64)).view(-1, SIDE, SIDE)
    for at in torch.randperm(len(images)).split(batch):
        x = images[at]
        optimizer.zero_grad()
        (cross_entropy(network(x), x, reduction="sum") / len(x)).backward()
        optimizer.step()
    return network


def log_density(X: np.ndarray, result: Any) -> float:
    """Mean over test images."""
    test = digits()[1][:200]
    if hasattr(result, "score"):
        return float(result.score(test))
    import torch
    from torch.nn.functional import cross_entropy

    x = torch.from_numpy(test.astype(np.int64)).view(-1, SIDE, SIDE)
    with torch.no_grad():
        return -cross_entropy(result(x), x, reduction="sum").item() / len(x)


@cache
def painter() -> Any:
    return ours(training(1, 50))


def drawn(X: np.ndarray) -> np.ndarray:
    return painter().sample(DRAWN, random_state=0)


def drawn_anew(X: np.ndarray) -> np.ndarray:
    """The whole network for each pixel."""
    import torch

    module, random = painter().module_, torch.Generator().manual_seed(0)
    codes = torch.zeros((DRAWN, SIDE**2), dtype=torch.int64)
    with torch.no_grad():
        for place in range(SIDE**2):
            share = module.logits(codes)[:, place].softmax(dim=1)
            codes[:, place] = torch.multinomial(share, 1, generator=random)[:, 0]
    return codes.numpy()


def of_drawn(X: np.ndarray, result: np.ndarray) -> float:
    """Mean log-density of what was drawn."""
    return float(painter().score(result))


def steps(
    name: str, about: str, count: int, tolerance: float, big: bool, batch: int = BATCH
) -> Case:
    return Case(
        name=name,
        about=about,
        make=partial(training, steps=count, batch=batch),
        ours=Entry("lowdim", partial(ours, batch=batch)),
        peers=[Entry("plain torch loop", partial(plain, batch=batch))],
        quality=log_density,
        tolerance=tolerance,
        big=big,
        most_rounds=1 if big else 5,
    )


CASES = (
    steps("pixelcnn-steps", "Binarised MNIST, 60 steps of 32.", 60, 0.2, False),
    steps("pixelcnn-batches-of-16", "Binarised MNIST, 60 steps of 16.", 60, 0.2, False, 16),
    steps("pixelcnn-digits", "Binarised MNIST, 1600 steps of 32: -95 nats.", 1600, 0.05, True),
    Case(
        name="pixelcnn-drawing",
        about="16 images, what layers gave kept, and the whole network for each pixel.",
        make=partial(training, steps=2),
        ours=Entry("kept", drawn),
        peers=[Entry("all anew", drawn_anew)],
        quality=of_drawn,
        tolerance=0.2,
        most_rounds=2,
    ),
)
