"""Normalizing flows: passes over a table, beside a plain loop in torch with the same network.

The plain loop is what a tutorial has: rows in memory, a shuffled index, Adam, clipped gradients,
torch's own threads. 20,000 rows, of whose columns half follow from the others along curves; batches
of 128, two passes. Quality is the mean log-density of held-out rows in nats (higher is better).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "torch")
N, BATCH, PASSES = 20_000, 128, 2


def table(n: int, d: int, seed: int) -> np.ndarray:
    """d columns, the second half of them curves of the first."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(n, d // 2))
    X = np.hstack([Z, np.sin(2 * Z[:, ::-1]) + 0.1 * random.normal(size=Z.shape)])
    return X.astype(np.float32)


def rows(shrink: int, d: int) -> np.ndarray:
    return table(N // shrink, d, 0)


def flow(passes: int) -> Any:
    from lowdim import NormalizingFlow

    return NormalizingFlow(max_iter=passes, batch_size=BATCH, random_state=0)


def ours(X: np.ndarray) -> Any:
    return flow(PASSES).fit(X)


def plain(X: np.ndarray) -> Any:
    """The loop of a tutorial, at the constant rate of 1e-3."""
    import torch

    from lowdim.deep.flow.module import minus_log_density

    torch.manual_seed(0)
    model = flow(1).fit(X[:BATCH])  # its network, hardly learned
    model.mean_, model.scale_ = X.mean(axis=0), X.std(axis=0)
    module = model.module_.train()
    weights = list(module.parameters())
    optimizer = torch.optim.Adam(weights, lr=1e-3)
    data = torch.from_numpy((X - model.mean_) / model.scale_).float()
    for _ in range(PASSES):
        for at in torch.randperm(len(data)).split(BATCH):
            optimizer.zero_grad()
            loss = minus_log_density(module, (data[at],), torch.Generator())
            (loss / len(at)).backward()
            torch.nn.utils.clip_grad_norm_(weights, 10.0)
            optimizer.step()
    module.eval()
    return model


def log_density(X: np.ndarray, model: Any) -> float:
    return float(model.score(table(2000, X.shape[1], 1)))


def case(d: int) -> Case:
    return Case(
        name=f"flow-{d}",
        about=f"NormalizingFlow, {N} x {d}, {PASSES} passes.",
        make=partial(rows, d=d),
        ours=Entry("lowdim", ours),
        peers=[Entry("plain torch loop", plain)],
        quality=log_density,
        tolerance=0.1,
        most_rounds=3,
    )


CASES = (case(10), case(100))
