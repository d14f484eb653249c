"""Text by attention: steps beside a plain loop in torch, drawing with and without a cache.

The plain loop is what a tutorial has: windows at random places of a text in memory, Adam, torch's
own threads; the network is the same (4 layers, 4 heads, 128 wide, 64 characters, tied vectors).
Quality is the mean log-probability of a character of the last tenth of tiny Shakespeare (higher is
better), in nats.
"""

from __future__ import annotations

import gzip
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.maps_umap import DATA

LIBRARIES = ("lowdim", "numpy", "torch")
CONTEXT, BATCH, WIDTH, LAYERS, HEADS = 64, 12, 128, 4, 4
DRAWN = 64  # texts
RATE: dict[str, Any] = {"learning_rate": 1e-3, "schedule": "constant"}  # of the plain loop


@cache
def shakespeare() -> tuple[str, str]:
    """The first nine tenths, and the last."""
    text = gzip.open(DATA / "tinyshakespeare.txt.gz", "rt").read()
    cut = len(text) * 9 // 10
    return text[:cut], text[cut:]


def training(shrink: int) -> np.ndarray:
    """Characters as numbers, one in each row."""
    text, _ = shakespeare()
    return np.frombuffer(text[: len(text) // shrink].encode(), dtype=np.uint8)[:, None]


def as_text(X: np.ndarray) -> str:
    return X.tobytes().decode()


def ours(X: np.ndarray, steps: int, **settings: Any) -> Any:
    from lowdim import CausalTransformer

    model = CausalTransformer(
        context=CONTEXT,
        n_layers=LAYERS,
        n_heads=HEADS,
        width=WIDTH,
        batch_size=BATCH,
        max_iter=100,
        max_steps=steps,
        random_state=0,
        **settings,
    )
    return model.fit(as_text(X))


def plain_network(n_tokens: int) -> Any:
    """A start symbol, vectors of tokens and places, layers, and the vectors of tokens again."""
    import torch
    from torch import nn
    from torch.nn.functional import gelu, scaled_dot_product_attention

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x: Any) -> Any:
            n, m, _ = x.shape
            parts = self.qkv(self.first(x)).view(n, m, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
            mixed = scaled_dot_product_attention(*parts, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(n, m, WIDTH))
            return x + self.down(gelu(self.up(self.second(x))))

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(n_tokens + 1, WIDTH)
            self.places = nn.Parameter(0.02 * torch.randn(CONTEXT, WIDTH))
            self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
            self.norm = nn.LayerNorm(WIDTH)
            nn.init.normal_(self.tokens.weight, std=0.02)

        def forward(self, codes: Any) -> Any:
            start = torch.full((len(codes), 1), n_tokens)
            inputs = torch.cat([start, codes[:, :-1]], dim=1)
            x = self.layers(self.tokens(inputs) + self.places[: codes.shape[1]])
            return self.norm(x) @ self.tokens.weight[:n_tokens].T

    return Network()


def plain(X: np.ndarray, steps: int) -> Any:
    """The loop of a tutorial, at the constant rate of 1e-3."""
    import torch
    from torch.nn.functional import cross_entropy

    torch.manual_seed(0)
    known = np.unique(X)
    codes = torch.from_numpy(np.searchsorted(known, X[:, 0]))
    network = plain_network(len(known))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for _ in range(steps):
        begin = torch.randint(len(codes) - CONTEXT, (BATCH, 1))
        batch = codes[begin + torch.arange(CONTEXT)]
        optimizer.zero_grad()
        cross_entropy(network(batch).flatten(0, 1), batch.flatten()).backward()
        optimizer.step()
    return known, network


def of_the_last_tenth(X: np.ndarray, result: Any) -> float:
    """Mean log-probability of a character."""
    _, last = shakespeare()
    if hasattr(result, "score"):
        return float(result.score(last))
    import torch
    from torch.nn.functional import cross_entropy

    known, network = result
    codes = np.searchsorted(known, np.frombuffer(last.encode(), dtype=np.uint8))
    rows = torch.from_numpy(codes[: len(codes) // CONTEXT * CONTEXT].reshape(-1, CONTEXT))
    with torch.no_grad():
        losses = [cross_entropy(network(r).flatten(0, 1), r.flatten()) for r in rows.split(256)]
    return -float(np.mean([loss.item() for loss in losses]))


@cache
def writer() -> Any:
    return ours(training(10), 50)


def drawing(X: np.ndarray, cached: bool) -> list[str]:
    return writer().sample(DRAWN, random_state=0, cache=cached)


def of_drawn(X: np.ndarray, result: list[str]) -> float:
    """Mean log-probability of a character that was drawn."""
    return float(writer().score(result))


def steps(name: str, about: str, count: int, tolerance: float, big: bool, **settings: Any) -> Case:
    return Case(
        name=name,
        about=about,
        make=training,
        ours=Entry("lowdim", partial(ours, steps=count, **settings)),
        peers=[Entry("plain torch loop", partial(plain, steps=count))],
        quality=of_the_last_tenth,
        tolerance=tolerance,
        big=big,
        most_rounds=1 if big else None,
    )


CASES = (
    steps(
        "transformer-steps",
        "Tiny Shakespeare, 60 steps of 12 at the rate of the plain loop.",
        60,
        0.1,
        False,
        **RATE,
    ),
    steps("transformer-text", "Tiny Shakespeare, 2000 steps of 12.", 2000, 0.05, True),
    Case(
        name="transformer-drawing",
        about="64 texts of 64 characters, drawn with keys and values kept and without.",
        make=training,
        ours=Entry("kept", partial(drawing, cached=True)),
        peers=[Entry("all anew", partial(drawing, cached=False))],
        quality=of_drawn,
    ),
)
