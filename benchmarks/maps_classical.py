"""Classical scaling and Sammon mapping: time to reach the same map.

Classical scaling is exact: quality is the part of |B|^2 that products of places explain, B the
centred squares of the dissimilarities. For Sammon mapping quality is one minus the stress.
scikit-learn has no Sammon mapping; its peer is SciPy's L-BFGS on the same stress, with a gradient
in NumPy, from the same start.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn")


class Map:
    """What every entry returns: places."""

    def __init__(self, embedding: np.ndarray) -> None:
        self.embedding_ = embedding


def clustered(shrink: int, n: int, d: int) -> np.ndarray:
    """Ten groups of rows, with a spectrum that falls as 1/j."""
    random = np.random.default_rng(0)
    n //= shrink
    centers = 3.0 * random.normal(size=(10, d))
    rows = centers[random.integers(10, size=n)] + random.normal(size=(n, d))
    return rows / np.sqrt(np.arange(1, d + 1))


def dissimilarities(shrink: int, n: int, d: int, metric: str) -> np.ndarray:
    """Distances of such rows by another metric: some eigenvalues are negative."""
    from scipy.spatial.distance import pdist, squareform

    return squareform(pdist(clustered(shrink, n, d), metric))


# --- classical scaling ------------------------------------------------------------------------


def classical_ours(X: np.ndarray, metric: str) -> Any:
    from lowdim import ClassicalMDS

    return Map(ClassicalMDS(metric=metric).fit(X).embedding_)


def classical_sklearn(X: np.ndarray, metric: str) -> Any:
    from sklearn.manifold import ClassicalMDS

    return Map(ClassicalMDS(metric=metric).fit(X).embedding_)


def explained(X: np.ndarray, model: Any, metric: str) -> float:
    from sklearn.metrics import pairwise_distances

    B = (X if metric == "precomputed" else pairwise_distances(X, metric=metric)) ** 2
    B -= B.mean(axis=0)
    B -= B.mean(axis=1, keepdims=True)
    B *= -0.5
    Y = model.embedding_
    left = B - Y @ Y.T
    return 1.0 - float(np.vdot(left, left) / np.vdot(B, B))


def classical_case(name: str, about: str, make: Any, metric: str) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", partial(classical_ours, metric=metric)),
        peers=[Entry("scikit-learn", partial(classical_sklearn, metric=metric))],
        quality=partial(explained, metric=metric),
        tolerance=1e-9,
        warm_rows=3000 if metric == "precomputed" else 1000,  # all of them: a square
    )


# --- Sammon mapping ---------------------------------------------------------------------------


def sammon_ours(X: np.ndarray) -> Any:
    from lowdim import Sammon

    return Map(Sammon(tol=1e-7).fit(X).embedding_)


def sammon_scipy(X: np.ndarray) -> Any:
    from scipy.optimize import minimize
    from scipy.spatial.distance import pdist, squareform
    from sklearn.decomposition import PCA

    D = squareform(pdist(X))
    np.fill_diagonal(D, 1.0)
    total = (D.sum() - len(D)) / 2

    def stress(y: np.ndarray) -> tuple[float, np.ndarray]:
        Y = y.reshape(len(D), 2)
        d = squareform(pdist(Y))
        np.fill_diagonal(d, 1.0)
        gap = (D - d) / D
        pull = gap / d
        gradient = -2.0 / total * (pull.sum(axis=1)[:, None] * Y - pull @ Y)
        return float((gap * gap * D).sum() / 2 / total), gradient.ravel()

    start = PCA(2).fit_transform(X).ravel()
    found = minimize(stress, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-7})
    return Map(found.x.reshape(len(D), 2))


def one_minus_stress(X: np.ndarray, model: Any) -> float:
    from scipy.spatial.distance import pdist

    delta, d = pdist(X), pdist(model.embedding_)
    return 1.0 - float(((delta - d) ** 2 / delta).sum() / delta.sum())


def sammon_case(n: int, d: int) -> Case:
    return Case(
        name=f"sammon-{n}x{d}",
        about=f"Sammon mapping of {n} rows in ten groups, {d} columns.",
        make=partial(clustered, n=n, d=d),
        ours=Entry("lowdim", sammon_ours),
        peers=[Entry("SciPy L-BFGS", sammon_scipy)],
        quality=one_minus_stress,
        tolerance=2e-3,
    )


CASES = [
    classical_case(
        "classical-3000x50",
        "Classical scaling of 3000 x 50 rows, Euclidean.",
        partial(clustered, n=3000, d=50),
        "euclidean",
    ),
    classical_case(
        "classical-3000x50-manhattan",
        "Classical scaling of 3000 x 50 rows, by sums of absolute differences.",
        partial(clustered, n=3000, d=50),
        "manhattan",
    ),
    classical_case(
        "classical-3000-precomputed",
        "Classical scaling of 3000 x 3000 dissimilarities (the largest difference of 20 columns).",
        partial(dissimilarities, n=3000, d=20, metric="chebyshev"),
        "precomputed",
    ),
    sammon_case(500, 20),
    sammon_case(2000, 50),
]
