"""t-SNE beside openTSNE and scikit-learn: the whole fit, 250 + 750 steps at perplexity 30.

Quality is KL(P || Q) of the map that is given, with P and Q in double precision over all pairs of
a sample of rows for Z, and the same P for all: those of scikit-learn's neighbours. Equal within 1%.
With a few thousand rows openTSNE runs by its tree: on a mesh it takes six times as long. The
workloads differ in what is hard: digits (small), groups, heavy tails (rows far from all others),
duplicates, three dimensions, and MNIST (read from the folder that LOWDIM_DATA names).
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.maps_neighbors import mnist_components

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn", "openTSNE")
PERPLEXITY = 30.0
DIMENSIONS = 50
ROUNDS = 4


def ours(X: np.ndarray, n_components: int = 2) -> np.ndarray:
    from lowdim import TSNE

    return TSNE(n_components, perplexity=PERPLEXITY, random_state=0).fit(X).embedding_


def open_tsne(X: np.ndarray, method: str = "fft") -> np.ndarray:
    from openTSNE import TSNE

    threads = os.cpu_count() or 1
    model = TSNE(
        perplexity=PERPLEXITY, negative_gradient_method=method, n_jobs=threads, random_state=0
    )
    return np.asarray(model.fit(X))


def sklearn(X: np.ndarray, n_components: int = 2) -> np.ndarray:
    from sklearn.manifold import TSNE

    model = TSNE(n_components, perplexity=PERPLEXITY, n_jobs=os.cpu_count(), random_state=0)
    return model.fit_transform(X)


def divergence(X: np.ndarray, Y: np.ndarray) -> float:
    """KL(P || Q), with Z from 2,000 rows and all others; the same P for everyone."""
    from sklearn.manifold._t_sne import _joint_probabilities_nn
    from sklearn.neighbors import NearestNeighbors

    graph = (
        NearestNeighbors(n_neighbors=int(3 * PERPLEXITY) + 1)
        .fit(X)
        .kneighbors_graph(mode="distance")
    )
    graph.data **= 2
    P = _joint_probabilities_nn(graph, PERPLEXITY, 0).tocoo()
    Y = Y.astype(np.float64)
    dof = max(Y.shape[1] - 1, 1)
    chosen = np.random.default_rng(0).permutation(len(Y))[:2000]
    square = sum(np.subtract.outer(Y[chosen, f], Y[:, f]) ** 2 for f in range(Y.shape[1]))
    Z = (np.sum((1 + square / dof) ** (-(dof + 1) / 2)) - len(chosen)) * len(Y) / len(chosen)
    distance = ((Y[P.row] - Y[P.col]) ** 2).sum(axis=1)
    some = P.data > 0
    log_q = -(dof + 1) / 2 * np.log1p(distance / dof) - np.log(Z)
    return float(np.sum(P.data[some] * (np.log(P.data[some]) - log_q[some])))


# --- data -----------------------------------------------------------------------------------------


def digits(shrink: int) -> np.ndarray:
    from sklearn.datasets import load_digits

    return load_digits().data[:: max(1, shrink)].astype(np.float32)


def groups(shrink: int, n: int, heavy: bool = False, copies: int = 1) -> np.ndarray:
    """Twenty groups in 50 dimensions, each about a plane of its own; heavy: Student's noise."""
    random = np.random.default_rng(0)
    n = n // shrink // copies
    group = random.integers(0, 20, size=n)
    planes = random.normal(size=(20, 5, DIMENSIONS))
    X = np.einsum("ij,ijk->ik", random.normal(size=(n, 5)), planes[group])
    noise = random.standard_t(2, size=X.shape) if heavy else random.normal(size=X.shape)
    X += 3 * random.normal(size=(20, DIMENSIONS))[group] + 0.5 * noise
    return np.repeat(X, copies, axis=0).astype(np.float32)


def tsne_case(
    name: str, about: str, make: Any, big: bool = False, most_rounds: int = ROUNDS
) -> Case:
    tree = Entry("openTSNE bh", partial(open_tsne, method="bh"))
    mesh = [Entry("openTSNE fft", open_tsne)]
    others = mesh if big else [tree, Entry("scikit-learn", sklearn)]
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", ours),
        peers=others,
        quality=divergence,
        higher_is_better=False,
        tolerance=0.01,
        warm_rows=300,
        big=big,
        most_rounds=most_rounds,
    )


CASES = [
    tsne_case("tsne-digits", "1,797 handwritten digits of 8 x 8.", digits),
    tsne_case("tsne-2000x50", "2,000 rows in twenty groups.", partial(groups, n=2000)),
    tsne_case("tsne-heavy", "2,000 rows with heavy tails.", partial(groups, n=2000, heavy=True)),
    tsne_case("tsne-copies", "2,000 rows, each four times.", partial(groups, n=2000, copies=4)),
    Case(
        name="tsne-3d",
        about="2,000 rows in twenty groups, in three dimensions.",
        make=partial(groups, n=2000),
        ours=Entry("lowdim", partial(ours, n_components=3)),
        peers=[Entry("scikit-learn", partial(sklearn, n_components=3))],
        quality=divergence,
        higher_is_better=False,
        tolerance=0.01,
        warm_rows=300,
        most_rounds=ROUNDS,
    ),
    tsne_case(
        "tsne-20000x50", "20,000 rows in twenty groups.", partial(groups, n=20_000), big=True
    ),
    tsne_case(
        "tsne-mnist-20000x50",
        "50 principal components of 20,000 of MNIST's digits.",
        partial(mnist_components, n=20_000),
        big=True,
    ),
    tsne_case(
        "tsne-mnist-60000x50",
        "50 principal components of MNIST's training digits.",
        mnist_components,
        big=True,
        most_rounds=2,
    ),
    tsne_case(
        "tsne-60000x50",
        "60,000 rows in twenty groups.",
        partial(groups, n=60_000),
        big=True,
        most_rounds=2,
    ),
]
