"""Gaussian mixtures: time to reach the same likelihood.

The rows come from a planted mixture whose components overlap. Quality is the mean log-likelihood
of the rows, computed by each library for its own result; every entry starts from its own k-means
with the same seed, and stops at the same change per iteration.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn")


def mixture_ours(X: np.ndarray, k: int, kind: str) -> Any:
    from lowdim import GaussianMixture

    return GaussianMixture(k, covariance_type=kind, random_state=0).fit(X)


def mixture_sklearn(X: np.ndarray, k: int, kind: str) -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(k, covariance_type=kind, random_state=0).fit(X)


def mean_log_likelihood(X: np.ndarray, model: Any) -> float:
    return float(model.score(X))


def iterations(model: Any) -> str:
    return f"{model.n_iter_} iterations"


def planted(shrink: int, n: int, d: int, k: int, kind: str) -> np.ndarray:
    """k overlapping components, each with its own shape."""
    random = np.random.default_rng(0)
    means = random.normal(size=(k, d))
    if kind == "full":
        shapes = random.normal(size=(k, d, d)) / np.sqrt(d)
    else:
        shapes = np.stack([np.diag(random.uniform(0.5, 1.5, size=d)) for _ in range(k)])
    labels = random.choice(k, size=n // shrink, p=random.dirichlet(np.full(k, 5.0)))
    X = random.normal(size=(len(labels), d))
    for j in range(k):
        own = labels == j
        X[own] = means[j] + X[own] @ shapes[j]
    return X


def mixture_case(n: int, d: int, k: int, kind: str) -> Case:
    return Case(
        name=f"mixture-{kind}-{n}x{d}",
        about=f"Gaussian mixture of {n} x {d} float64, K = {k}, {kind} covariances.",
        make=partial(planted, n=n, d=d, k=k, kind=kind),
        ours=Entry("lowdim", partial(mixture_ours, k=k, kind=kind)),
        peers=[Entry("scikit-learn", partial(mixture_sklearn, k=k, kind=kind))],
        quality=mean_log_likelihood,
        tolerance=1e-3,
        remark=iterations,
    )


CASES = (
    mixture_case(100_000, 16, 16, "full"),
    mixture_case(100_000, 16, 16, "diag"),
    mixture_case(20_000, 64, 8, "full"),
)
