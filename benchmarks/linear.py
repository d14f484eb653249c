"""Factor analysis and ICA: time to reach the same likelihood, the same sources.

Factor analysis: quality is the mean log-likelihood of the rows, which depends on X only through
its covariance. ICA: quality is one minus the Amari distance between the unmixing that was found and
the mixing that was planted: 1 for perfect separation.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn", "python-picard")


# --- Factor analysis --------------------------------------------------------------------------


def factor_ours(X: np.ndarray, k: int) -> Any:
    from lowdim import FactorAnalysis

    return FactorAnalysis(k).fit(X)


def factor_sklearn(X: np.ndarray, k: int, method: str) -> Any:
    from sklearn.decomposition import FactorAnalysis

    return FactorAnalysis(k, svd_method=method).fit(X)


def mean_log_likelihood(X: np.ndarray, model: Any) -> float:
    C = model.components_.T @ model.components_ + np.diag(model.noise_variance_)
    S = np.cov(X.T, bias=True)
    fit = np.linalg.slogdet(C)[1] + np.trace(np.linalg.solve(C, S))
    return -0.5 * float(len(C) * np.log(2 * np.pi) + fit)


def factors(shrink: int, n: int, d: int, k: int, noise: float) -> np.ndarray:
    """x = W z + noise with a noise variance for each column, of about `noise`."""
    random = np.random.default_rng(0)
    W, noise = random.normal(size=(d, k)), noise * random.uniform(0.2, 2.0, size=d)
    n //= shrink
    return random.normal(size=(n, k)) @ W.T + np.sqrt(noise) * random.normal(size=(n, d))


def factor_case(n: int, d: int, k: int, noise: float = 1.0) -> Case:
    little = "" if noise == 1.0 else "-little-noise"
    return Case(
        name=f"factor-{n}x{d}{little}",
        about=f"Factor analysis of {n} x {d} float64 with {k} planted factors, noise {noise:g}.",
        make=partial(factors, n=n, d=d, k=k, noise=noise),
        ours=Entry("lowdim", partial(factor_ours, k=k)),
        peers=[
            Entry(f"scikit-learn {method}", partial(factor_sklearn, k=k, method=method))
            for method in ("lapack", "randomized")
        ],
        quality=mean_log_likelihood,
        tolerance=1e-5,
    )


# --- ICA --------------------------------------------------------------------------------------


class Unmixed:
    """What every entry returns: the unmixing matrix."""

    def __init__(self, components: np.ndarray) -> None:
        self.components_ = components


def ica_ours(X: np.ndarray, k: int) -> Any:
    from lowdim import FastICA

    return FastICA(k, random_state=0, max_iter=500).fit(X)


def ica_sklearn(X: np.ndarray, k: int) -> Any:
    from sklearn.decomposition import FastICA

    return FastICA(k, random_state=0, max_iter=500, whiten="unit-variance").fit(X)


def ica_picard(X: np.ndarray, k: int) -> Any:
    from picard import picard

    K, W, _ = picard(
        X.T, n_components=k, ortho=True, extended=True, random_state=0, max_iter=500, tol=1e-4
    )
    return Unmixed(W @ K)


def separation(X: np.ndarray, model: Any) -> float:
    from lowdim import amari_distance

    return 1.0 - amari_distance(model.components_, mixing(X.shape[1], len(model.components_)))


def mixing(d: int, k: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(d, k))


def mixtures(shrink: int, n: int, d: int, k: int) -> np.ndarray:
    """Half of the sources peaked (Laplace), half flat (uniform), mixed by a Gaussian matrix."""
    random = np.random.default_rng(0)
    n //= shrink
    S = random.laplace(size=(n, k))
    S[:, k // 2 :] = random.uniform(-1, 1, size=(n, k - k // 2))
    noise = 1e-3 * random.normal(size=(n, d)) if k < d else 0.0
    return (S / S.std(axis=0)) @ mixing(d, k).T + noise


def ica_case(n: int, d: int, k: int) -> Case:
    return Case(
        name=f"ica-{n}x{d}",
        about=f"ICA of {n} x {d} float64 with {k} sources, half of them peaked and half flat.",
        make=partial(mixtures, n=n, d=d, k=k),
        ours=Entry("lowdim", partial(ica_ours, k=k)),
        peers=[
            Entry("scikit-learn FastICA", partial(ica_sklearn, k=k)),
            Entry("python-picard", partial(ica_picard, k=k)),
        ],
        quality=separation,
        tolerance=1e-3,
    )


CASES = (
    factor_case(50_000, 50, 10),
    factor_case(5_000, 500, 10),
    factor_case(500, 20, 3, noise=0.02),
    factor_case(2_000, 200, 10, noise=0.005),
    ica_case(50_000, 50, 50),
    ica_case(5_000, 500, 20),
)
