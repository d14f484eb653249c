"""Diffusion: a pass over rows, beside a plain loop in torch with the same network and loss.

The plain loop is what a tutorial has: rows in memory, a shuffled index, Adam, a moving average of
the weights, torch's own threads. Both learn with batches of 128. Quality is the mean squared error
of v on held-out rows with fixed times and noise (lower is better).

Where all is known there is nothing to time: how far the network's noise and density are from those
of a Gaussian, and the weights of seven modes in drawn rows from those in X (lower is better).
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.maps_umap import DATA

LIBRARIES = ("lowdim", "numpy", "torch")
BATCH = 128
SETTINGS: dict[str, dict] = {
    "mlp": {"network": "mlp", "hidden": (256, 256)},
    "unet": {"network": "unet", "hidden": (16, 32), "image_shape": (28, 28)},
}


@cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Four thousand digits of MNIST to learn from, and 500 to look at.

    With a little noise: pixels that are always 0 would have no units.
    """
    random = np.random.default_rng(0)
    with np.load(DATA / "mnist.npz") as file:
        parts = file["x_train"][:4000], file["x_test"][:500]
    rows = [part.reshape(len(part), -1) / np.float32(255) for part in parts]
    train, test = (x + np.float32(0.05) * random.normal(size=x.shape).astype("f4") for x in rows)
    return train, test


@cache
def table() -> tuple[np.ndarray, np.ndarray]:
    """Twenty columns of which ten follow from the others, along curves."""
    random = np.random.default_rng(0)
    Z = random.normal(size=(20_500, 10))
    X = np.hstack([Z, np.sin(2 * Z[:, ::-1]) + 0.1 * random.normal(size=Z.shape)])
    X = X.astype(np.float32)
    return X[:20_000], X[20_000:]


def training(shrink: int, data: Any) -> np.ndarray:
    train, _ = data()
    return train[: len(train) // shrink]


def ours(X: np.ndarray, network: str, passes: int) -> Any:
    from lowdim import Diffusion

    settings = {"batch_size": BATCH, "max_iter": passes, "random_state": 0, **SETTINGS[network]}
    return Diffusion(**settings).fit(X).module_


def plain(X: np.ndarray, network: str, passes: int) -> Any:
    """The loop of a tutorial, at the constant rate of 1e-3."""
    import torch

    from lowdim import Diffusion
    from lowdim.deep.diffusion.module import Weighted

    settings = {"batch_size": len(X), "max_iter": 1, "random_state": 0, **SETTINGS[network]}
    module = Diffusion(**settings).fit(X[:2]).module_.train()  # its network, hardly learned
    weights = list(module.parameters())
    average = [w.detach().clone() for w in weights]
    optimizer = torch.optim.Adam(weights, lr=1e-3)
    rows = torch.from_numpy((X - X.mean(axis=0)) / X.std(axis=0)).float()
    noise, loss = torch.Generator().manual_seed(0), Weighted().loss
    for _ in range(passes):
        order = torch.randperm(len(rows), generator=noise)
        for start in range(0, len(rows), BATCH):
            x = rows[order[start : start + BATCH]]
            optimizer.zero_grad()
            (loss(module, (x,), noise) / len(x)).backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            with torch.no_grad():
                for mean, w in zip(average, weights, strict=True):
                    mean.lerp_(w, 0.01)
    with torch.no_grad():
        for mean, w in zip(average, weights, strict=True):
            w.copy_(mean)
    return module.eval()


def error(X: np.ndarray, module: Any, data: Any) -> float:
    """Mean squared error of v, by row, with times and noise that are the same for all."""
    import torch

    from lowdim.deep.diffusion.module import Weighted

    _, test = data()
    Y = torch.from_numpy((test - X.mean(axis=0)) / X.std(axis=0)).float()
    with torch.no_grad():
        noise = torch.Generator().manual_seed(1)
        return float(Weighted().loss(module, (Y,), noise).item() / len(Y))


# ---- where all is known --------------------------------------------------------------------------

MEAN = np.array([1.0, -2.0, 0.5, 3.0])
COV = np.array(
    [[1.0, 0.6, 0.0, -0.3], [0.6, 1.0, 0.2, 0.0], [0.0, 0.2, 1.0, 0.5], [-0.3, 0.0, 0.5, 1.0]]
)
WEIGHTS = (0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05)
TIMES = range(50, 1000, 100)


def gaussian(shrink: int, n: int = 3000, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).multivariate_normal(MEAN, COV, size=n // shrink)


def around_modes(shrink: int) -> np.ndarray:
    """Rows at seven places on a circle, with a standard deviation of 0.1."""
    random = np.random.default_rng(0)
    which = random.choice(7, size=4000 // shrink, p=WEIGHTS)
    return places()[which] + 0.1 * random.normal(size=(len(which), 2))


def places() -> np.ndarray:
    angle = 2 * np.pi * np.arange(7) / 7
    return np.column_stack([np.cos(angle), np.sin(angle)])


def shares(X: np.ndarray) -> np.ndarray:
    """Of rows that are nearest to each place."""
    nearest = np.linalg.norm(X[:, None] - places(), axis=2).argmin(axis=1)
    return np.bincount(nearest, minlength=7) / len(X)


def fitted(X: np.ndarray) -> Any:
    from lowdim import Diffusion

    return Diffusion(max_iter=40, random_state=0).fit(X)


def noise_error(X: np.ndarray, model: Any) -> float:
    """Root mean square of E[e | x_t] less what is predicted, on new rows; the noise itself has 1.

    E[e | x_t] = bb (ab^2 S + bb^2 I)^-1 (x_t - ab m)
    """
    m, S = (MEAN - model.mean_) / model.scale_, COV / np.outer(model.scale_, model.scale_)
    rows = (gaussian(1, 500, seed=1) - model.mean_) / model.scale_
    errors = []
    for t in TIMES:
        kept, added = (float(part) for part in model.schedule_.level(t))
        x, _ = model.schedule_.diffuse(rows, t, random_state=t)
        C = kept**2 * S + added**2 * np.eye(len(m))
        exact = added * np.linalg.solve(C, (x - kept * m).T).T
        errors.append(model.predict_noise(x, t) - exact)
    return float(np.sqrt(np.mean(np.square(errors))))


def density_error(X: np.ndarray, model: Any) -> float:
    """Mean distance of log-densities of the flow from the true ones, on new rows, in nats."""
    from scipy.stats import multivariate_normal

    rows = gaussian(1, 500, seed=1)
    true = multivariate_normal(MEAN, COV).logpdf(rows)
    return float(np.abs(model.score_samples(rows) - true).mean())


def weight_error(X: np.ndarray, model: Any) -> float:
    """The largest distance of a mode's share of 10,000 drawn rows from its share of X."""
    return float(np.abs(shares(model.sample(10_000, random_state=1)) - shares(X)).max())


def known(name: str, about: str, make: Any, quality: Any) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", fitted),
        peers=[],
        quality=quality,
        higher_is_better=False,
        big=True,
    )


def case(name: str, about: str, network: str, data: Any) -> Case:
    return Case(
        name=name,
        about=about,
        make=partial(training, data=data),
        ours=Entry("lowdim", partial(ours, network=network, passes=1)),
        peers=[Entry("plain torch loop", partial(plain, network=network, passes=1))],
        quality=partial(error, data=data),
        higher_is_better=False,
        tolerance=0.1,
        most_rounds=3,
    )


CASES = (
    case("diffusion-table", "Diffusion, 20 000 x 20, one pass, batches of 128.", "mlp", table),
    case("diffusion-digits", "Diffusion, 4000 digits, U-Net, one pass.", "unet", digits),
    known("diffusion-noise", "The noise in a Gaussian of 4 columns: 0.04.", gaussian, noise_error),
    known("diffusion-density", "Its log-density by the flow: 0.4 nats.", gaussian, density_error),
    known("diffusion-modes", "Weights of 7 modes: 0.04.", around_modes, weight_error),
)
