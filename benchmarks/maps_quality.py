"""What a map keeps: time and memory for the same figure.

The last two columns of the data are the map: the first two principal components of the others. The
quality is the figure itself, which is to be the same for all entries.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scikit-learn")


def with_map(X: np.ndarray) -> np.ndarray:
    """The rows, and beside them their first two principal components."""
    centred = X - X.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return np.ascontiguousarray(np.hstack([X, centred @ axes[:, -2:]]))


def groups(shrink: int, n: int, d: int) -> np.ndarray:
    """Ten groups on a spectrum that falls as 1/j, n x d, and their map."""
    random, n = np.random.default_rng(0), n // shrink
    means = 3.0 * random.normal(size=(10, d))
    X = (random.normal(size=(n, d)) + means[random.integers(0, 10, size=n)]) / np.arange(1, d + 1)
    return with_map(X)


def pixels(shrink: int, n: int, d: int) -> np.ndarray:
    """Whole numbers from 0 to 255, half of them 0, and their map; in float32."""
    random, n = np.random.default_rng(0), n // shrink
    light = random.normal(size=(n, 20)) @ random.normal(size=(20, d))
    return with_map(np.clip(60 * light, 0, 255).round()).astype(np.float32)


def digits(shrink: int) -> np.ndarray:
    """scikit-learn's digits, of which many are equally far from each other, and their map."""
    from sklearn.datasets import load_digits

    return with_map(load_digits().data[:: max(1, shrink)])


def trust_ours(X: np.ndarray, k: int) -> Any:
    import lowdim

    return lowdim.trustworthiness(X[:, :-2], X[:, -2:], n_neighbors=k)


def trust_sklearn(X: np.ndarray, k: int) -> Any:
    from sklearn.manifold import trustworthiness

    return trustworthiness(X[:, :-2], X[:, -2:], n_neighbors=k)


def figures_ours(X: np.ndarray) -> Any:
    import lowdim

    return lowdim.map_quality(X[:, :-2], X[:, -2:], random_state=0).trustworthiness


def itself(X: np.ndarray, figure: Any) -> float:
    return float(figure)


def trust_case(name: str, about: str, make: Any, k: int, tolerance: float = 1e-6) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", partial(trust_ours, k=k)),
        peers=[Entry("scikit-learn", partial(trust_sklearn, k=k))],
        quality=itself,
        tolerance=tolerance,
    )


CASES = (
    trust_case(
        "trustworthiness-5000x50",
        "trustworthiness of 5000 x 50 float64 in ten groups, 5 neighbours.",
        partial(groups, n=5000, d=50),
        5,
    ),
    trust_case(
        "trustworthiness-8000x10-k30",
        "trustworthiness of 8000 x 10 float64 in ten groups, 30 neighbours.",
        partial(groups, n=8000, d=10),
        30,
    ),
    trust_case(
        "trustworthiness-4000x784-pixels",
        "trustworthiness of 4000 x 784 whole numbers in float32, 5 neighbours.",
        partial(pixels, n=4000, d=784),
        5,
    ),
    trust_case(
        "trustworthiness-digits",
        "trustworthiness of 1797 x 64 digits, 5 neighbours; equal distances are in some order in "
        "scikit-learn, in the mean over all orders in ours.",
        digits,
        5,
        tolerance=1e-5,
    ),
    Case(
        name="trustworthiness-50000x50",
        about="trustworthiness of 50000 x 50; scikit-learn would need 60 GB.",
        make=partial(groups, n=50_000, d=50),
        ours=Entry("lowdim", partial(trust_ours, k=5)),
        peers=[],
        quality=itself,
        memory_limit=600,
        big=True,
    ),
    Case(
        name="map_quality-200000x50",
        about="all figures of a map of 200000 x 50, from 2000 of its rows.",
        make=partial(groups, n=200_000, d=50),
        ours=Entry("lowdim", figures_ours),
        peers=[],
        quality=itself,
        memory_limit=1500,
        big=True,
    ),
)
