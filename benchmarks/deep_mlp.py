"""Dense networks beside scikit-learn's, with the same arguments: the same passes, the same loss.

A convolutional network is beside a plain loop in torch: the same layers, batches and steps.
Quality is the accuracy on the rows that were learned from, after a fixed number of passes; on MNIST
that on its test images.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.maps_umap import DATA

LIBRARIES = ("lowdim", "numpy", "scikit-learn", "torch")


def arguments(passes: int, hidden: tuple[int, ...]) -> dict[str, Any]:
    return {
        "hidden_layer_sizes": hidden,
        "max_iter": passes,
        "tol": 0.0,
        "n_iter_no_change": np.inf,
        "random_state": 0,
    }


def ours(X: np.ndarray, passes: int, hidden: tuple[int, ...]) -> Any:
    from lowdim import MLPClassifier

    return MLPClassifier(**arguments(passes, hidden)).fit(X[:, 1:], X[:, 0].astype(int))


def sklearn(X: np.ndarray, passes: int, hidden: tuple[int, ...]) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(**arguments(passes, hidden)).fit(X[:, 1:], X[:, 0].astype(int))


def accuracy(X: np.ndarray, model: Any) -> float:
    return float(model.score(X[:, 1:], X[:, 0].astype(int)))


def digits(shrink: int) -> np.ndarray:
    """The digits of scikit-learn: the class, then 64 numbers."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return np.column_stack([y, X / 16.0])[:: max(1, shrink)]


def patterns(shrink: int, n: int, d: int) -> np.ndarray:
    """Ten blurred patterns with noise, float32: the class, then d numbers."""
    random = np.random.default_rng(0)
    n //= shrink
    y = random.integers(0, 10, n)
    X = random.random((10, d))[y] + 0.5 * random.normal(size=(n, d))
    return np.column_stack([y, X]).astype(np.float32)


def dense_case(name: str, about: str, make: Any, passes: int, hidden: tuple[int, ...]) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", partial(ours, passes=passes, hidden=hidden)),
        peers=[Entry("scikit-learn", partial(sklearn, passes=passes, hidden=hidden))],
        quality=accuracy,
        tolerance=0.02,
    )


def convolutions_ours(X: np.ndarray) -> Any:
    from lowdim import CNNClassifier

    model = CNNClassifier(max_iter=1, batch_size=128, schedule="constant", random_state=0)
    return model.fit(X[:, 1:], X[:, 0].astype(int))


class PlainLoop:
    """What one writes in torch."""

    def __init__(self, X: np.ndarray) -> None:
        import torch
        from torch import nn

        torch.manual_seed(0)
        images = torch.from_numpy(X[:, 1:]).reshape(-1, 1, 28, 28)
        y = torch.from_numpy(X[:, 0].astype(int))
        self.network = nn.Sequential(
            *(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Linear(3136, 128), nn.ReLU(), nn.Dropout(0.25), nn.Linear(128, 10)),
        )
        optimizer = torch.optim.Adam(self.network.parameters(), lr=2e-3)
        for rows in torch.randperm(len(y)).split(128):
            loss = nn.functional.cross_entropy(self.network(images[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def score(self, X: np.ndarray, y: np.ndarray) -> float:
        import torch

        self.network.eval()
        with torch.no_grad():
            Z = self.network(torch.from_numpy(np.ascontiguousarray(X)).reshape(-1, 1, 28, 28))
        return float((Z.argmax(dim=1).numpy() == y).mean())


def mnist(shrink: int, part: str = "train") -> np.ndarray:
    """MNIST in float32: the class, then 784 numbers from 0 to 1."""
    with np.load(DATA / "mnist.npz") as file:
        X, y = file[f"x_{part}"][::shrink], file[f"y_{part}"][::shrink]
    return np.column_stack([y, X.reshape(len(X), -1) / np.float32(255)]).astype(np.float32)


def of_test_images(X: np.ndarray, model: Any) -> float:
    return accuracy(mnist(1, "test"), model)


def cnn_on_mnist(X: np.ndarray) -> Any:
    from lowdim import CNNClassifier

    model = CNNClassifier(max_iter=4, batch_size=128, random_state=0)
    return model.fit(X[:, 1:], X[:, 0].astype(int))


def dropout_on_mnist(X: np.ndarray) -> Any:
    from lowdim import MLPClassifier

    more = {"dropout": 0.5, "input_dropout": 0.2, "batch_size": 128}
    model = MLPClassifier(**arguments(15, (512, 512)), **more)
    return model.fit(X[:, 1:], X[:, 0].astype(int))


def quality_case(name: str, about: str, fit: Any) -> Case:
    return Case(
        name=name,
        about=about,
        make=mnist,
        ours=Entry("lowdim", fit),
        peers=[],
        quality=of_test_images,
        tolerance=0.0,
        big=True,
    )


CASES = [
    dense_case("mlp-digits", "Digits, 64-100-10, 60 passes.", digits, 60, (100,)),
    dense_case(
        "mlp-784-256-10",
        "20000 x 784 float32, 784-256-10, 3 passes.",
        partial(patterns, n=20_000, d=784),
        3,
        (256,),
    ),
    Case(
        name="cnn-784",
        about="6000 images of 28 x 28, two convolutions, one pass of batches of 128.",
        make=partial(patterns, n=6000, d=784),
        ours=Entry("lowdim", convolutions_ours),
        peers=[Entry("torch", PlainLoop)],
        quality=accuracy,
        tolerance=0.05,
    ),
    quality_case("cnn-mnist", "MNIST, 4 passes: 99% of test images are asked for.", cnn_on_mnist),
    quality_case("mlp-mnist", "784-512-512-10, dropout, 15 passes: 98.2%.", dropout_on_mnist),
]
