"""Neighbours: time to find the nearest rows, all of them or as many as the best peer finds.

Quality is the share of the true neighbours of some rows that were found. In the cases of exact
search every entry finds all of them; in those of approximate search an entry that finds fewer than
the best one, by more than the tolerance, is of lower quality. pynndescent finds more where it looks
for more than are wanted: it looks for so many that it finds about as many as we do (16, its
default, are one more than are wanted: the row itself is among them). It compiles for 20 s in each
process, so that rounds and entries are few. MNIST is read from the folder that LOWDIM_DATA names.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.maps_umap import mnist

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn", "pynndescent")
K = 15
JUDGED = 300  # rows
ROUNDS = 3
FEW_COLUMNS = 6  # for which trees are quick


def ours(X: Any, method: str, metric: str = "euclidean") -> np.ndarray:
    import lowdim

    return lowdim.neighbors(X, K, method=method, metric=metric, random_state=0).indices


def sklearn_brute(X: Any, metric: str = "euclidean") -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    finder = NearestNeighbors(n_neighbors=K, algorithm="brute", metric=metric, n_jobs=-1)
    return finder.fit(X).kneighbors()[1]


def sklearn_auto(X: Any) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, n_jobs=-1).fit(X).kneighbors()[1]


def scipy_tree(X: Any) -> np.ndarray:
    from scipy.spatial import cKDTree

    return cKDTree(X).query(X, K + 1, workers=-1)[1][:, 1:]


def descent(X: Any, looked_for: int = K + 1) -> np.ndarray:
    from pynndescent import NNDescent

    found = NNDescent(X, n_neighbors=looked_for, random_state=0).neighbor_graph[0]
    return found[:, 1 : K + 1]


def share_found(X: Any, found: np.ndarray, metric: str = "euclidean") -> float:
    from sklearn.metrics import pairwise_distances

    rows = np.linspace(0, X.shape[0] - 1, JUDGED).astype(int)
    D = pairwise_distances(X[rows], X, metric=metric)
    D[np.arange(JUDGED), rows] = np.inf
    true = np.argpartition(D, K, axis=1)[:, :K]
    return float((np.asarray(found)[rows][:, :, None] == true[:, None, :]).any(axis=1).mean())


# --- rows -------------------------------------------------------------------------------------


def near_a_surface(shrink: int, n: int, d: int, dtype: str = "float32") -> np.ndarray:
    """Rows of ten clusters on a curved surface of ten dimensions, with noise: like pictures."""
    random = np.random.default_rng(0)
    n //= shrink
    Z = random.normal(size=(n, 10)) + 2.0 * random.normal(size=(10, 10))[random.integers(0, 10, n)]
    X = np.tanh(Z @ random.normal(size=(10, d)) / 3.0) + 0.1 * random.normal(size=(n, d))
    return X.astype(dtype)


def falling(shrink: int, n: int, d: int) -> np.ndarray:
    """Ten groups of rows, with a spectrum that falls as 1/j."""
    random = np.random.default_rng(0)
    n //= shrink
    centers = 3.0 * random.normal(size=(10, d))
    rows = centers[random.integers(10, size=n)] + random.normal(size=(n, d))
    return (rows / np.sqrt(np.arange(1, d + 1))).astype(np.float32)


def independent(shrink: int, n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).random((n // shrink, d)).astype(np.float32)


def documents(shrink: int, n: int, d: int) -> Any:
    """Sparse rows: some dozens of words of each document, the frequent ones most often."""
    import scipy.sparse as sp

    random = np.random.default_rng(0)
    n //= shrink
    words = random.zipf(1.3, size=(n, 60)) % d
    counts = np.ones(n * 60, np.float32)
    return sp.csr_array((counts, (np.repeat(np.arange(n), 60), words.ravel())), shape=(n, d))


def mnist_components(shrink: int, n: int = 60_000, d: int = 50) -> np.ndarray:
    """The first principal components of MNIST's first training digits."""
    from sklearn.decomposition import PCA

    X = mnist(1)[: n // shrink] / np.float32(255)
    return PCA(d, svd_solver="randomized", random_state=0).fit_transform(X)


def exact_case(n: int, d: int, dtype: str) -> Case:
    peers = [Entry("scikit-learn brute", sklearn_brute), Entry("scikit-learn", sklearn_auto)]
    if d <= FEW_COLUMNS:
        peers.append(Entry("SciPy tree", scipy_tree))
    return Case(
        name=f"exact-{n}x{d}-{dtype}",
        about=f"The {K} nearest rows of {n} x {d} {dtype}, all of them.",
        make=partial(near_a_surface, n=n, d=d, dtype=dtype),
        ours=Entry("lowdim", partial(ours, method="exact")),
        peers=peers,
        quality=share_found,
        tolerance=1e-3,
        most_rounds=ROUNDS,
    )


def approximate_case(
    n: int, d: int, name: str, make: Any, looked_for: int, big: bool = False
) -> Case:
    return Case(
        name=f"approximate-{name}-{n}x{d}",
        about=f"Nearly all of the {K} nearest rows of {n} x {d} float32, {name}.",
        make=partial(make, n=n, d=d),
        ours=Entry("lowdim", partial(ours, method="approximate")),
        peers=[Entry(f"pynndescent {looked_for}", partial(descent, looked_for=looked_for))],
        quality=share_found,
        tolerance=0.01,
        big=big,
        most_rounds=ROUNDS,
    )


CASES = [
    exact_case(500, 20, "float64"),
    exact_case(1_000, 5, "float64"),
    exact_case(1_000, 100, "float32"),
    exact_case(2_000, 20, "float64"),
    exact_case(4_000, 50, "float32"),
    exact_case(5_000, 2, "float64"),
    exact_case(20_000, 3, "float32"),
    exact_case(20_000, 50, "float32"),
    exact_case(20_000, 50, "float64"),
    exact_case(10_000, 784, "float32"),
    Case(
        name="exact-cosine-documents-10000",
        about=f"The {K} nearest of 10000 sparse documents by cosine.",
        make=partial(documents, n=10_000, d=20_000),
        ours=Entry("lowdim", partial(ours, method="exact", metric="cosine")),
        peers=[Entry("scikit-learn brute", partial(sklearn_brute, metric="cosine"))],
        quality=partial(share_found, metric="cosine"),
        tolerance=1e-2,  # many distances are equal
        most_rounds=ROUNDS,
    ),
    approximate_case(60_000, 50, "clusters", near_a_surface, 16),
    approximate_case(40_000, 20, "independent", independent, 20),
    approximate_case(20_000, 300, "independent", independent, 100),
    approximate_case(30_000, 50, "independent", independent, 24, big=True),
    approximate_case(40_000, 50, "falling", falling, 24, big=True),
    approximate_case(60_000, 50, "mnist", mnist_components, 20, big=True),
    approximate_case(300_000, 50, "clusters", near_a_surface, 20, big=True),
]
