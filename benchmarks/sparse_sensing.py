"""Basis pursuit: time to the same gap, beside SPGL1.

The data are the dictionary with the signal as its last column; partial transforms are drawn from
the seed. The quality is minus the cost sum |z| of a code that makes the signal; all are asked for
1e-8.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "spgl1")
EXACT = 1e-8
MOST_ITERATIONS = 100_000


def gaussian(
    shrink: int, D: int, L: int, K: int, noise: float = 0.0, dtype: Any = np.float64
) -> np.ndarray:
    """D x L normal numbers, and the signal of a code of K non-zeros."""
    random, L = np.random.default_rng(0), max(L // shrink, D)
    U = random.normal(size=(D, L)) / np.sqrt(D)
    z = np.zeros(L)
    z[random.choice(L, K, replace=False)] = random.normal(size=K)
    error = random.normal(size=D)
    x = U @ z + noise * error / np.linalg.norm(error)
    return np.ascontiguousarray(np.column_stack([U, x]).astype(dtype))


def spikes(shrink: int, size: int) -> np.ndarray:
    """Measurements of spikes by a quarter of all cosines, as a row."""
    W, size = cosines(size // shrink), size // shrink
    random, z = np.random.default_rng(1), np.zeros(size)
    chosen = random.choice(size, size // 50, replace=False)
    z[chosen] = random.normal(size=len(chosen))
    return np.asarray(W @ z)[None]


def cosines(size: int) -> Any:
    """A quarter of all cosines."""
    from lowdim import sparse

    return sparse.measurement("dct", size // 4, size, random_state=0)


def ours(data: np.ndarray, noise: float = 0.0) -> np.ndarray:
    from lowdim import sparse

    return np.asarray(sparse.basis_pursuit(data[:, :-1], data[:, -1], noise=noise).coef)


def spgl(data: np.ndarray, noise: float = 0.0) -> np.ndarray:
    U = np.ascontiguousarray(data[:, :-1], np.float64)  # twice as fast for it as a view
    return _spgl(U, np.ascontiguousarray(data[:, -1], np.float64), noise)


def ours_cosines(data: np.ndarray) -> np.ndarray:
    from lowdim import sparse

    return np.asarray(sparse.basis_pursuit(cosines(4 * data.shape[1]), data[0]).coef)


def spgl_cosines(data: np.ndarray) -> np.ndarray:
    return _spgl(cosines(4 * data.shape[1]), data[0], 0.0)


def _spgl(U: Any, x: np.ndarray, noise: float) -> np.ndarray:
    import spgl1

    settings = {"opt_tol": EXACT, "bp_tol": EXACT, "iter_lim": MOST_ITERATIONS, "verbosity": 0}
    if noise:
        return np.asarray(spgl1.spg_bpdn(U, x, noise, **settings)[0])
    return np.asarray(spgl1.spg_bp(U, x, **settings)[0])


def minus_cost(data: np.ndarray, z: np.ndarray, noise: float = 0.0) -> float:
    """-sum |z|; minus infinity if z misses the signal by more than 1e-6 of it."""
    x = np.asarray(data[:, -1], np.float64)
    return _minus_cost(np.asarray(data[:, :-1], np.float64), x, z, noise)


def minus_cost_cosines(data: np.ndarray, z: np.ndarray) -> float:
    return _minus_cost(cosines(4 * data.shape[1]), data[0], z, 0.0)


def _minus_cost(U: Any, x: np.ndarray, z: np.ndarray, noise: float) -> float:
    missed = np.linalg.norm(x - U @ z) > noise + 1e-6 * np.linalg.norm(x)
    return float("-inf") if missed else -float(np.abs(z).sum())


def case(name: str, about: str, make: Any, noise: float = 0.0, big: bool = False) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", partial(ours, noise=noise)),
        peers=[Entry("spgl1", partial(spgl, noise=noise))],
        quality=partial(minus_cost, noise=noise),
        tolerance=1e-6,
        big=big,
    )


CASES = (
    case(
        "300x1200",
        "basis pursuit, 300 x 1200 normal numbers, a code of 40 non-zeros.",
        partial(gaussian, D=300, L=1200, K=40),
    ),
    case(
        "300x1200-float32",
        "the same in float32: rounding of the signal is an error that must be coded, too.",
        partial(gaussian, D=300, L=1200, K=40, dtype=np.float32),
    ),
    case(
        "300x1200-noise",
        "the same with noise of length 0.5, and as much allowed.",
        partial(gaussian, D=300, L=1200, K=40, noise=0.5),
        noise=0.5,
    ),
    case(
        "100x800",
        "basis pursuit, 100 x 800 normal numbers, 12 non-zeros.",
        partial(gaussian, D=100, L=800, K=12),
    ),
    case(
        "1000x4000",
        "basis pursuit, 1000 x 4000 normal numbers, 130 non-zeros.",
        partial(gaussian, D=1000, L=4000, K=130),
    ),
    case(
        "3000x12000",
        "basis pursuit, 3000 x 12000 normal numbers, 400 non-zeros: ten times the first.",
        partial(gaussian, D=3000, L=12000, K=400),
        big=True,
    ),
    Case(
        name="cosines-65536",
        about="basis pursuit of 1310 spikes among 65536 from a quarter of all cosines; operators.",
        make=partial(spikes, size=2**16),
        ours=Entry("lowdim", ours_cosines),
        peers=[Entry("spgl1", spgl_cosines)],
        quality=minus_cost_cosines,
        tolerance=1e-6,
    ),
)
