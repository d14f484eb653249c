"""k-means: time to reach the same inertia.

Quality is the sum of squared distances of all rows from the nearest center. Every entry
seeds by its own default and runs to its own default end; what is compared is the time to clusters
that are as good.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn", "faiss-cpu")


class Centers:
    """What an entry returns that has no model of scikit-learn's kind."""

    def __init__(self, centers: np.ndarray) -> None:
        self.cluster_centers_ = centers


def kmeans_ours(X: np.ndarray, k: int, coreset: int | None = None) -> Any:
    from lowdim import KMeans

    return KMeans(k, coreset=coreset, random_state=0).fit(X)


def from_first_rows(X: Any, k: int) -> np.ndarray:
    """Centers to start from that are the same for all."""
    return np.asarray(X[:k].toarray() if sp.issparse(X) else X[:k])


def given_ours(X: Any, k: int) -> Any:
    from lowdim import KMeans

    return KMeans(k, init=from_first_rows(X, k)).fit(X)


def given_sklearn(X: Any, k: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, init=from_first_rows(X, k)).fit(X)


def kmeans_sklearn(X: np.ndarray, k: int, algorithm: str) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, algorithm=algorithm, random_state=0).fit(X)


def kmeans_faiss(X: np.ndarray, k: int, rows: int) -> Any:
    """All rows; by default faiss would look at 256 per cluster."""
    import faiss

    model = faiss.Kmeans(X.shape[1], k, seed=1, max_points_per_centroid=rows)
    model.train(X)
    return Centers(model.centroids)


def online_ours(X: np.ndarray, k: int) -> Any:
    from lowdim import KMeans

    model = KMeans(k, random_state=0)
    for start in range(0, len(X), 10_000):
        model.partial_fit(X[start : start + 10_000])
    return model


def minibatch_sklearn(X: np.ndarray, k: int, partial_fit: bool) -> Any:
    from sklearn.cluster import MiniBatchKMeans

    model = MiniBatchKMeans(k, random_state=0, n_init=1)
    if not partial_fit:
        return model.fit(X)
    for start in range(0, len(X), 10_000):
        model.partial_fit(X[start : start + 10_000])
    return model


def inertia(X: Any, model: Any) -> float:
    """By products in float64, some rows at a time: the same for all entries."""
    C = np.asarray(model.cluster_centers_, dtype=np.float64)
    norms, total = np.square(C).sum(axis=1), 0.0
    for start in range(0, X.shape[0], 10_000):
        part = X[start : start + 10_000].astype(np.float64)
        squares = part.power(2) if sp.issparse(part) else np.square(part)
        total += squares.sum() + (norms - 2.0 * (part @ C.T)).min(axis=1).sum()
    return float(total)


def iterations(model: Any) -> str:
    n_iter = getattr(model, "n_iter_", None)
    return "" if n_iter is None else f"{n_iter} iterations"


def groups(shrink: int, n: int, d: int, k: int) -> np.ndarray:
    """k Gaussian groups in float32 that touch: means of spread 2, rows of spread 1 about them."""
    random = np.random.default_rng(0)
    means = 2.0 * random.normal(size=(k, d)).astype(np.float32)
    n //= shrink
    X = random.normal(size=(n, d)).astype(np.float32)
    X += means[random.integers(0, k, size=n)]
    return X


def overlapping(shrink: int, n: int, d: int, k: int) -> np.ndarray:
    """k Gaussian groups in float64 that overlap."""
    random = np.random.default_rng(0)
    means = 0.3 * random.normal(size=(k, d))
    return means[random.integers(0, k, size=n // shrink)] + random.normal(size=(n // shrink, d))


def documents(shrink: int, n: int, d: int, k: int) -> Any:
    """Counts of 80 words in each of n documents on k subjects, as tf-idf."""
    from sklearn.feature_extraction.text import TfidfTransformer

    random = np.random.default_rng(0)
    common = 1.0 / np.arange(1, d + 1)
    subjects = common * random.gamma(0.2, size=(k, d))
    ends = np.cumsum(subjects, axis=1)
    n //= shrink
    subject = random.integers(0, k, size=n)
    places = random.random((n, 80)) * ends[subject, -1:]
    words = [np.searchsorted(ends[j], place) for j, place in zip(subject, places, strict=True)]
    at = np.repeat(np.arange(n), 80), np.concatenate(words)
    counts = sp.coo_array((np.ones(80 * n), at), shape=(n, d)).tocsr()
    return sp.csr_array(TfidfTransformer().fit_transform(sp.csr_matrix(counts)))


def given_case(name: str, about: str, k: int, make: Any) -> Case:
    return Case(
        name=name,
        about=about + " All entries start from the same centers.",
        make=make,
        ours=Entry("lowdim", partial(given_ours, k=k)),
        peers=[Entry("scikit-learn", partial(given_sklearn, k=k))],
        quality=inertia,
        higher_is_better=False,
        tolerance=1e-4,
        warm_rows=20 * k,
        remark=iterations,
    )


def kmeans_case(n: int, d: int, k: int, tolerance: float) -> Case:
    return Case(
        name=f"kmeans-{n}x{d}-k{k}",
        about=f"k-means of {n} x {d} float32 with k = {k}, in {k} groups that touch.",
        make=partial(groups, n=n, d=d, k=k),
        ours=Entry("lowdim", partial(kmeans_ours, k=k)),
        peers=[
            Entry("scikit-learn lloyd", partial(kmeans_sklearn, k=k, algorithm="lloyd")),
            Entry("scikit-learn elkan", partial(kmeans_sklearn, k=k, algorithm="elkan")),
            Entry("faiss, 25 iterations", partial(kmeans_faiss, k=k, rows=n)),
        ],
        quality=inertia,
        higher_is_better=False,
        tolerance=tolerance,
        warm_rows=20 * k,
        remark=iterations,
        big=n >= 1_000_000,
    )


def few_rows_case(
    name: str, about: str, n: int, d: int, k: int, ours: Entry, peers: Sequence[Entry]
) -> Case:
    return Case(
        name=name,
        about=about,
        make=partial(groups, n=n, d=d, k=k),
        ours=ours,
        peers=peers,
        quality=inertia,
        higher_is_better=False,
        tolerance=0.05,
        warm_rows=20 * k,
        remark=iterations,
    )


# Starts differ: an inertia within 3% is as good (one group of 64 that is missed costs 4%)
CASES = (
    kmeans_case(200_000, 32, 64, tolerance=0.03),
    kmeans_case(1_000_000, 16, 256, tolerance=0.03),
    given_case(
        "kmeans-5000x100-k20",
        "k-means of 5000 x 100 float64 with k = 20, in groups that overlap.",
        k=20,
        make=partial(overlapping, n=5_000, d=100, k=20),
    ),
    given_case(
        "kmeans-100000x10-k8",
        "k-means of 100000 x 10 float64 with k = 8, in groups that overlap.",
        k=8,
        make=partial(overlapping, n=100_000, d=10, k=8),
    ),
    given_case(
        "kmeans-sparse-6000x13000-k20",
        "k-means of 6000 x 13000 sparse float64 (tf-idf) with k = 20.",
        k=20,
        make=partial(documents, n=6_000, d=13_000, k=20),
    ),
    few_rows_case(
        "coreset-1000000x16-k64",
        "k-means of 1000000 x 16 float32 with k = 64 from a part of the rows: a coreset of 20000.",
        n=1_000_000,
        d=16,
        k=64,
        ours=Entry("lowdim coreset=20000", partial(kmeans_ours, k=64, coreset=20_000)),
        peers=[
            Entry(
                "scikit-learn MiniBatchKMeans",
                partial(minibatch_sklearn, k=64, partial_fit=False),
            )
        ],
    ),
    few_rows_case(
        "online-200000x32-k64",
        "200000 x 32 float32 in batches of 10000, each seen once, k = 64.",
        n=200_000,
        d=32,
        k=64,
        ours=Entry("lowdim partial_fit", partial(online_ours, k=64)),
        peers=[
            Entry(
                "scikit-learn MiniBatchKMeans.partial_fit",
                partial(minibatch_sklearn, k=64, partial_fit=True),
            )
        ],
    ),
)
