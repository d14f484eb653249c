"""PCA: time to reach the largest captured variance, against each solver of scikit-learn.

Quality is the share of the variance that the k components capture,

    ||(X - mean) Q||_F^2 / ||X - mean||_F^2,      Q an orthonormal basis of the components,

computed in float64 whatever the entry computed in. An exact solver reaches the largest possible
share; to be compared on time, an entry must come within 1e-6 of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.harness import Case, Data, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn")


# --- Entries ----------------------------------------------------------------------------------


def fit_ours(X: Data, k: int) -> Any:
    from lowdim import PCA

    return PCA(n_components=k, random_state=0).fit(X)


def fit_sklearn(X: Data, k: int, solver: str) -> Any:
    from sklearn.decomposition import PCA

    return PCA(n_components=k, svd_solver=solver, random_state=0).fit(X)


class Fitted:
    """A model of some of the rows, made while it warms up: codes of all rows are measured."""

    def __init__(self, cls: str, k: int, library: str):
        self.cls, self.k, self.library, self.model = cls, k, library, None

    def __call__(self, X: np.ndarray) -> np.ndarray:
        if self.model is None:
            import importlib

            self.model = getattr(importlib.import_module(self.library), self.cls)(self.k).fit(X)
        return self.model.transform(X)


def peers(k: int, *solvers: str) -> list[Entry]:
    return [
        Entry(f"scikit-learn {solver}", partial(fit_sklearn, k=k, solver=solver))
        for solver in solvers
    ]


# --- Quality ----------------------------------------------------------------------------------


def captured_variance(X: Data, model: Any) -> float:
    """Share of the variance of X in the span of the components."""
    return captured_by(X, model.components_)


def explained_by_codes(X: np.ndarray, Z: np.ndarray) -> float:
    """Share of the variance of X that is a linear function of the codes."""
    D = X[::20] - X[::20].mean(axis=0)
    found = np.linalg.lstsq(np.c_[np.ones(len(D)), Z[::20]], D)[0]
    left = D - np.c_[np.ones(len(D)), Z[::20]] @ found
    return 1.0 - float((left**2).sum() / (D**2).sum())


def captured_by(X: Data, components: np.ndarray, block: int = 4000) -> float:
    Q = np.linalg.qr(components.T.astype(np.float64))[0]  # (d, k)
    mean = np.asarray(X.mean(axis=0, dtype=np.float64))
    captured = total = 0.0
    for start in range(0, X.shape[0], block):
        rows = X[start : start + block]
        if sparse.issparse(rows):
            # ||x - m||^2 = ||x||^2 - 2 x.m + ||m||^2: only the stored entries are visited
            square = np.square(rows.data, dtype=np.float64).sum()
            total += square - 2 * (rows @ mean).sum() + rows.shape[0] * (mean @ mean)
            captured += ((rows @ Q - mean @ Q) ** 2).sum()
        else:
            centred = rows - mean
            total += (centred**2).sum()
            captured += ((centred @ Q) ** 2).sum()
    return captured / total


# --- Data -------------------------------------------------------------------------------------


def scattered(shrink: int, n: int, d: int, density: float) -> sparse.csr_array:
    """Entries anywhere: variances that lie close together."""
    random = np.random.default_rng(0)
    return sparse.random_array(
        (n // shrink, d // shrink), density=density, rng=random, format="csr"
    )


def planted(shrink: int, n: int, d: int, dtype: type, rank: int = 100) -> np.ndarray:
    """x = mean + sum_j z_j a_j / j + noise: a spectrum that falls like 1/j^2 onto a flat floor.

    The a_j are `rank` orthogonal directions of length sqrt(d), the noise holds a sixth of the
    variance, and column means are about as large as column deviations. k cuts through the slope,
    as it does in real data: there is no gap that would make an iterative solver look good.
    """
    n //= shrink
    rank = min(rank, d)
    random = np.random.default_rng(0)
    scale = 1 / np.arange(1, rank + 1)
    directions = np.linalg.qr(random.standard_normal((d, rank)))[0].T  # (rank, d)
    W = directions * scale[:, None] * np.sqrt(d)
    noise = np.sqrt(0.2 * (scale**2).sum())
    mean = random.standard_normal(d)
    X: np.ndarray = np.empty((n, d), dtype)
    for start in range(0, n, 5000):
        rows = X[start : start + 5000]
        Z = random.standard_normal((len(rows), rank))
        rows[:] = mean + Z @ W + noise * random.standard_normal(rows.shape)
    return X


def documents(shrink: int, n: int, d: int, words: int, n_topics: int = 50) -> sparse.csr_array:
    """Short documents: each has one topic and draws its words from the Zipf law of that topic.

    Topic t is used with probability ~ 1/t and ranks the d words in an order of its own. Values are
    1 + log(count). The spectrum falls from the common topics to those that are lost in the noise.
    """
    n //= shrink
    random = np.random.default_rng(0)
    topic = random.choice(n_topics, size=n, p=_zipf(n_topics))
    word = np.empty((n, words), np.int32)
    for t in range(n_topics):
        ranked = random.permutation(d)
        chosen = topic == t
        word[chosen] = ranked[random.choice(d, size=(chosen.sum(), words), p=_zipf(d))]
    ones, start = np.ones(n * words), np.arange(0, n * words + 1, words)
    X = sparse.csr_array((ones, word.ravel(), start), shape=(n, d))
    X.sum_duplicates()
    X.data = 1 + np.log(X.data)
    return X


def _zipf(n: int) -> np.ndarray:
    weight = 1 / np.arange(1, n + 1)
    return weight / weight.sum()


# --- A stream larger than memory --------------------------------------------------------------

STREAM_BLOCKS = 1000
STREAM_COLUMNS = 1250
STREAM_RANK = 20


class VirtualTable:
    """Blocks x = Z W + noise that are computed when they are asked for, and counted passes.

    Every block has the same noise (`noise`, one block) and scores Z of its own, seeded by its
    number: all passes see the same rows, and generating them costs far less than using them.
    """

    def __init__(self, noise: np.ndarray) -> None:
        self.noise = noise
        self.W = stream_loadings()
        self.passes = 0

    def __call__(self) -> Iterator[np.ndarray]:
        self.passes += 1
        return map(self.block, range(STREAM_BLOCKS))

    def block(self, number: int) -> np.ndarray:
        Z = np.random.default_rng(number).standard_normal((len(self.noise), STREAM_RANK))
        X = Z @ self.W
        X += self.noise
        return X


def stream_loadings() -> np.ndarray:
    """Planted directions: orthogonal, with standard deviations 20, 19, ..., 1 (noise: 0.1)."""
    random = np.random.default_rng(1)
    directions = np.linalg.qr(random.standard_normal((STREAM_COLUMNS, STREAM_RANK)))[0].T
    return directions * np.arange(STREAM_RANK, 0, -1)[:, None]


def stream_noise(shrink: int, rows: int) -> np.ndarray:
    random = np.random.default_rng(2)
    return 0.1 * random.standard_normal((rows // shrink, STREAM_COLUMNS))


def fit_stream(noise: np.ndarray) -> Any:
    import lowdim

    source = VirtualTable(noise)
    model = lowdim.PCA(n_components=STREAM_RANK, random_state=0).fit(lowdim.stream(source))
    return model, source.passes


def planted_directions_found(noise: np.ndarray, result: Any) -> float:
    """Share of the planted directions that lies in the span of the components; 1 is all of it."""
    model, _ = result
    Q = np.linalg.qr(model.components_.T)[0]
    directions = np.linalg.qr(stream_loadings().T)[0].T
    return ((directions @ Q) ** 2).sum() / STREAM_RANK


def passes(result: Any) -> str:
    _, count = result
    return f"{count} passes" if count > 1 else "1 pass"


# --- Cases ------------------------------------------------------------------------------------


def dense_case(n: int, d: int, dtype: type, k: int, *solvers: str) -> Case:
    name = f"{n}x{d}-{np.dtype(dtype)}"
    return Case(
        name=name,
        about=f"dense {n} x {d} {np.dtype(dtype)}, k = {k}; spectrum 1/j^2 on a floor of noise.",
        make=partial(planted, n=n, d=d, dtype=dtype),
        ours=Entry("lowdim", partial(fit_ours, k=k)),
        peers=peers(k, *solvers),
        quality=captured_variance,
    )


def wide_sparse_case(name: str, make: Callable, **of_what: float) -> Case:
    return Case(
        name=name,
        about=f"CSR 5000 x 20000 float64, k = 20; {make.__doc__.lower()}",
        make=partial(make, n=5_000, d=20_000, **of_what),
        ours=Entry("lowdim", partial(fit_ours, k=20)),
        peers=peers(20, "arpack"),
        quality=captured_variance,
        warm_rows=5_000,  # threads and kernels are for so many entries
    )


def codes_case(cls: str, k: int) -> Case:
    return Case(
        name=f"codes-{cls}",
        about=f"{cls}.transform of 200000 x 200 float64 by a model of {k} components.",
        make=partial(planted, n=200_000, d=200, dtype=np.float64),
        ours=Entry("lowdim", Fitted(cls, k, "lowdim")),
        peers=[Entry("scikit-learn", Fitted(cls, k, "sklearn.decomposition"))],
        quality=explained_by_codes,
    )


CASES = (
    dense_case(100_000, 200, np.float32, 20, "covariance_eigh", "full", "arpack", "randomized"),
    dense_case(100_000, 200, np.float64, 20, "covariance_eigh", "full", "arpack", "randomized"),
    dense_case(1_000_000, 50, np.float32, 10, "covariance_eigh", "full", "arpack", "randomized"),
    # a covariance of 20000 x 20000 would take gigabytes and minutes
    dense_case(2_000, 20_000, np.float32, 20, "full", "arpack", "randomized"),
    Case(
        name="sparse-100000x10000",
        about="CSR 100000 x 10000 float64 of density 0.002, k = 20; documents of 50 topics.",
        make=partial(documents, n=100_000, d=10_000, words=23),
        ours=Entry("lowdim", partial(fit_ours, k=20)),
        peers=peers(20, "arpack"),  # the one solver for sparse X that needs no 10000 x 10000
        quality=captured_variance,
    ),
    codes_case("PCA", 10),
    codes_case("FactorAnalysis", 5),
    wide_sparse_case("sparse-5000x20000", documents, words=40),
    wide_sparse_case("sparse-flat-5000x20000", scattered, density=0.002),
    Case(
        name="stream-20GB",
        about="1000 blocks computed by a callable, in all 2000000 x 1250 float64 (20 GB), k = 20.",
        make=partial(stream_noise, rows=2000),
        ours=Entry("lowdim", fit_stream),
        peers=(),
        quality=planted_directions_found,
        warm_rows=20,
        memory_limit=1500.0,
        remark=passes,
        big=True,
    ),
)
