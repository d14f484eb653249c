"""Affinities beside openTSNE and scikit-learn, and SNE beside L-BFGS on the same objective.

Affinities: distances of 20,000 rows to 90 neighbours, perplexity 30, and of 2,000 rows to all
others. Quality is how far the perplexity of the worst row is from 30; equal below 1e-3.

SNE: no library for Python has it. The peer is what a person would write: the objective and its
gradient in NumPy, all pairs, for SciPy's L-BFGS from the same start, with P from scikit-learn.
Quality is the divergence that is reached; L-BFGS has 200 evaluations.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn", "openTSNE")
PERPLEXITY = 30.0


# --- affinities ---------------------------------------------------------------------------------


def neighbour_distances(shrink: int) -> np.ndarray:
    """Distances to 90 neighbours of rows in ten groups of different density."""
    from sklearn.neighbors import NearestNeighbors

    random = np.random.default_rng(0)
    n = 20_000 // shrink
    group = random.integers(0, 10, size=n)
    X = random.normal(size=(n, 10)) * np.geomspace(0.1, 10, 10)[group][:, None]
    X += 20 * random.normal(size=(10, 10))[group]
    D = NearestNeighbors(n_neighbors=91).fit(X).kneighbors(X)[0][:, 1:]
    return np.ascontiguousarray(D, dtype=np.float32)


def all_distances(shrink: int) -> np.ndarray:
    """Distances of handwritten digits to all others."""
    from sklearn.datasets import load_digits
    from sklearn.metrics import pairwise_distances

    n = 1797 // shrink
    D = pairwise_distances(load_digits().data[:n])
    return D[~np.eye(n, dtype=bool)].reshape(n, n - 1).astype(np.float32)


def shares_ours(D: np.ndarray) -> np.ndarray:
    from lowdim.maps.affinities import conditional

    return conditional(D, PERPLEXITY).p


def shares_open_tsne(D: np.ndarray) -> np.ndarray:
    import os

    from openTSNE._tsne import compute_gaussian_perplexity

    threads = os.cpu_count() or 1
    P = compute_gaussian_perplexity(
        D.astype(np.float64), np.array([PERPLEXITY]), num_threads=threads
    )
    return np.asarray(P).reshape(D.shape)


def shares_sklearn(D: np.ndarray) -> np.ndarray:
    from sklearn.manifold._utils import _binary_search_perplexity

    return _binary_search_perplexity(D**2, PERPLEXITY, 0)


def worst_perplexity(D: np.ndarray, p: np.ndarray) -> float:
    p = p.astype(np.float64)
    H = -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=1)
    return 1.0 + max(float(np.abs(np.exp(H) - PERPLEXITY).max()), 1e-3)


def affinity_case(name: str, about: str, make: Any) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", shares_ours),
        peers=[
            Entry("openTSNE", shares_open_tsne),
            Entry("scikit-learn", shares_sklearn),
        ],
        quality=worst_perplexity,
        higher_is_better=False,
        tolerance=1e-3,
        warm_rows=200,
    )


# --- SNE ------------------------------------------------------------------------------------------


def digits(shrink: int) -> np.ndarray:
    from sklearn.datasets import load_digits

    return load_digits().data[: 1797 // shrink]


def groups(shrink: int) -> np.ndarray:
    """1,200 rows in 12 groups of 20 dimensions."""
    random = np.random.default_rng(0)
    n = 1200 // shrink
    return random.normal(size=(n, 20)) + 4 * random.normal(size=(12, 20))[np.arange(n) % 12]


def sne_ours(X: np.ndarray, symmetric: bool) -> np.ndarray:
    import lowdim

    cls = lowdim.SymmetricSNE if symmetric else lowdim.SNE
    return cls(perplexity=PERPLEXITY, random_state=0).fit(X).embedding_


def conditional_of(X: np.ndarray) -> np.ndarray:
    from sklearn.manifold._utils import _binary_search_perplexity
    from sklearn.metrics import pairwise_distances

    n = len(X)
    square = pairwise_distances(X, metric="sqeuclidean").astype(np.float32)
    others = square[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    P = np.zeros((n, n))
    P[~np.eye(n, dtype=bool)] = _binary_search_perplexity(others, PERPLEXITY, 0).ravel()
    return P


def objective(places: np.ndarray, P: np.ndarray, symmetric: bool) -> tuple[float, np.ndarray]:
    """The divergence without its constant, and its gradient."""
    n = len(P)
    Y = places.reshape(n, 2)
    length = (Y**2).sum(axis=1)
    square = np.maximum(length[:, None] + length - 2 * Y @ Y.T, 0.0)
    W = np.exp(-square)
    np.fill_diagonal(W, 0.0)
    sums = np.maximum(W.sum(axis=1), 1e-300)
    if symmetric:
        value, stiffness = np.vdot(P, square) + np.log(sums.sum()), 4 * (P - W / sums.sum())
    else:
        Q = W / sums[:, None]
        value = np.vdot(P, square) + np.log(sums).sum()
        stiffness = 2 * (P - Q + P.T - Q.T)
    gradient = stiffness.sum(axis=1, keepdims=True) * Y - stiffness @ Y
    return float(value), gradient.ravel()


def sne_lbfgs(X: np.ndarray, symmetric: bool) -> np.ndarray:
    from scipy.optimize import minimize
    from sklearn.decomposition import PCA

    P = conditional_of(X)
    P = (P + P.T) / (2 * len(P)) if symmetric else P
    Y = PCA(2).fit_transform(X)
    Y *= 1e-2 / Y[:, 0].std()
    settings = {"maxfun": 200, "maxiter": 200}
    found = minimize(
        objective, Y.ravel(), (P, symmetric), jac=True, method="L-BFGS-B", options=settings
    )
    return found.x.reshape(-1, 2)


def divergence(X: np.ndarray, Y: np.ndarray, symmetric: bool) -> float:
    P = conditional_of(X)
    P = (P + P.T) / (2 * len(P)) if symmetric else P
    constant = np.sum(P[P > 0] * np.log(P[P > 0]))
    return constant + objective(np.asarray(Y, dtype=np.float64).ravel(), P, symmetric)[0]


def sne_case(name: str, about: str, make: Any, symmetric: bool) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", partial(sne_ours, symmetric=symmetric)),
        peers=[Entry("NumPy, SciPy's L-BFGS", partial(sne_lbfgs, symmetric=symmetric))],
        quality=partial(divergence, symmetric=symmetric),
        higher_is_better=False,
        tolerance=0.02,
        warm_rows=200,
        most_rounds=2,
    )


CASES = (
    affinity_case(
        "affinities-20000x90",
        "distances to 90 neighbours, rows in groups of different density.",
        neighbour_distances,
    ),
    affinity_case("affinities-digits", "distances of 1797 digits to all others.", all_distances),
    sne_case("sne-digits", "SNE of 1797 digits, 64 columns.", digits, False),
    sne_case("sne-groups", "SNE of 1200 rows in 12 groups.", groups, False),
    sne_case("symmetric-sne-digits", "symmetric SNE of 1797 digits.", digits, True),
)
