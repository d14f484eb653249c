"""Sparse coding: time for codes of equal quality, on 2 threads each.

Quality of greedy codes is the explained share of the squares, 1 - |X - Z D|^2 / |X|^2: the peer
spams.omp is orthogonal least squares, so it is compared with 'ols' too. Quality of the lasso is
minus its objective as a share of |X|^2 / 2.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "numba", "scikit-learn", "spams-bin")
THREADS = 2


class Setting(NamedTuple):
    """Sums of s of k random atoms, which have `common` of one direction, with noise."""

    n: int
    d: int
    k: int
    s: int
    common: float = 0.0
    dtype: type = np.float64


@cache
def atoms_of(setting: Setting) -> np.ndarray:
    random = np.random.default_rng(0)
    D = random.standard_normal((setting.k, setting.d))
    D += setting.common * random.standard_normal(setting.d)
    return (D / np.linalg.norm(D, axis=1, keepdims=True)).astype(setting.dtype)


def signals(shrink: int, setting: Setting) -> np.ndarray:
    """Rows of length 1."""
    random = np.random.default_rng(1)
    n, k = max(setting.n // shrink, 1), setting.k
    Z = np.zeros((n, k))
    chosen = random.random((n, k)).argsort(axis=1)[:, : setting.s]
    np.put_along_axis(Z, chosen, random.normal(size=chosen.shape), 1)
    X = Z @ atoms_of(setting)
    X += 0.3 * np.linalg.norm(X) / np.sqrt(X.size) * random.standard_normal(X.shape)
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(setting.dtype)


def ours(X: Any, setting: Setting, algorithm: str, **arguments: Any) -> Any:
    import lowdim

    with lowdim.config_context(threads=THREADS):
        return lowdim.sparse_encode(
            X, atoms_of(setting), algorithm=algorithm, sparse_output=True, **arguments
        )


def sklearn(X: Any, setting: Setting, algorithm: str, **arguments: Any) -> Any:
    from sklearn.decomposition import sparse_encode

    X = np.asarray(X)
    return sparse_encode(X, atoms_of(setting), algorithm=algorithm, n_jobs=THREADS, **arguments)


def spams_omp(X: Any, setting: Setting, n_nonzero_coefs: int) -> Any:
    import spams

    X, D = np.asfortranarray(X.T), np.asfortranarray(atoms_of(setting).T)
    return spams.omp(X, D, L=n_nonzero_coefs, numThreads=THREADS).T


def spams_lasso(X: Any, setting: Setting, alpha: float) -> Any:
    import spams

    X, D = np.asfortranarray(X.T), np.asfortranarray(atoms_of(setting).T)
    return spams.lasso(X, D, lambda1=alpha, mode=2, numThreads=THREADS).T


def targets_ours(X: Any, setting: Setting) -> Any:
    import lowdim

    with lowdim.config_context(threads=THREADS):
        return lowdim.orthogonal_mp(atoms_of(setting).T, X.T, n_nonzero_coefs=setting.s).T


def targets_sklearn(X: Any, setting: Setting) -> Any:
    from sklearn.linear_model import orthogonal_mp

    return orthogonal_mp(atoms_of(setting).T, np.asarray(X).T, n_nonzero_coefs=setting.s).T


# --- Quality ----------------------------------------------------------------------------------


def explained(X: Any, Z: Any, setting: Setting) -> float:
    return 1.0 - float(((X - Z @ atoms_of(setting)) ** 2).sum() / (X**2).sum())


def minus_objective(X: Any, Z: Any, setting: Setting, alpha: float) -> float:
    left = 0.5 * float(((X - Z @ atoms_of(setting)) ** 2).sum()) + alpha * float(abs(Z).sum())
    return -left / (0.5 * float((X**2).sum()))


# --- Cases ------------------------------------------------------------------------------------


def greedy(name: str, about: str, algorithm: str, setting: Setting, peers: str) -> Case:
    given = {"setting": setting, "n_nonzero_coefs": setting.s}
    known = {
        "spams": Entry("spams", partial(spams_omp, **given)),
        "scikit-learn": Entry("scikit-learn", partial(sklearn, algorithm="omp", **given)),
    }
    n, d, k, s, *_ = setting
    return Case(
        name=name,
        about=f"{about}; {n} x {d}, {k} atoms, {s} non-zeros.",
        make=partial(signals, setting=setting),
        ours=Entry(f"lowdim {algorithm}", partial(ours, algorithm=algorithm, **given)),
        peers=[known[peer] for peer in peers.split()],
        quality=partial(explained, setting=setting),
        tolerance=2e-2,  # omp chooses a little worse than orthogonal least squares
    )


def targets(name: str, setting: Setting) -> Case:
    """`orthogonal_mp` as it is called without arguments: the residuals are followed."""
    n, d, k, s, *_ = setting
    return Case(
        name=name,
        about=f"orthogonal_mp of {n} targets of {d} numbers, {k} atoms, {s} non-zeros.",
        make=partial(signals, setting=setting),
        ours=Entry("lowdim", partial(targets_ours, setting=setting)),
        peers=[Entry("scikit-learn", partial(targets_sklearn, setting=setting))],
        quality=partial(explained, setting=setting),
    )


def penalised(name: str, about: str, alpha: float, setting: Setting, peers: str) -> Case:
    given = {"setting": setting, "alpha": alpha}
    known = {
        "spams": Entry("spams", partial(spams_lasso, **given)),
        "scikit-learn": Entry("scikit-learn", partial(sklearn, algorithm="lasso_lars", **given)),
    }
    n, d, k, *_ = setting
    return Case(
        name=name,
        about=f"{about}; {n} x {d}, {k} atoms, alpha = {alpha}.",
        make=partial(signals, setting=setting),
        ours=Entry("lowdim", partial(ours, algorithm="lasso_lars", **given)),
        peers=[known[peer] for peer in peers.split()],
        quality=partial(minus_objective, **given),
        tolerance=1e-5,
    )


SMALL, LARGE = Setting(20_000, 64, 256, 8), Setting(5000, 256, 1024, 32)
RANDOM, COMMON = "Random atoms", "Atoms with much in common"
BOTH = "spams scikit-learn"

CASES = (
    greedy("omp-64x256", RANDOM, "omp", SMALL, BOTH),
    greedy("ols-64x256", RANDOM, "ols", SMALL, "spams"),
    greedy("omp-256x1024", RANDOM, "omp", LARGE, "spams"),
    greedy("ols-256x1024", RANDOM, "ols", LARGE, "spams"),
    greedy("omp-correlated", COMMON, "omp", SMALL._replace(common=1.0), "spams"),
    greedy("omp-float32", "float32", "omp", SMALL._replace(dtype=np.float32), "scikit-learn"),
    greedy("omp-100x399", RANDOM, "omp", Setting(7001, 100, 399, 5), "spams"),
    greedy("omp-one-signal", RANDOM, "omp", Setting(1, 1000, 5000, 20), "scikit-learn"),
    targets("omp-targets-2000", Setting(2000, 64, 256, 5)),
    targets("omp-targets-200", Setting(200, 500, 2000, 10)),
    penalised("lasso-64x256", RANDOM, 0.15, SMALL, BOTH),
    penalised("lasso-dense", f"{RANDOM}, many in use", 0.05, SMALL, "spams"),
    penalised("lasso-256x1024", RANDOM, 0.1, LARGE, "spams"),
    penalised("lasso-correlated", COMMON, 0.1, SMALL._replace(common=1.0), "spams"),
    penalised("lasso-float32", "float32", 0.15, SMALL._replace(dtype=np.float32), "spams"),
)
