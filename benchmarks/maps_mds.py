"""MDS, metric and ordinal: time to reach the same stress.

Quality is one minus Kruskal's stress-1 of the map, computed outside for all entries: for metric MDS
with the dissimilarities as they are, for ordinal MDS with the monotone regression of the distances
on them. All start from principal coordinates, with the defaults of their class.

The data: handwritten digits (64 columns), a normal cloud in 20 dimensions that no plane fits, a
Swiss roll (3 columns), groups in 10 dimensions, and squared roads, whose order is that of a plane.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn")


def ours(X: np.ndarray, **arguments: Any) -> Any:
    from lowdim import MDS

    return MDS(random_state=0, **arguments).fit(X)


def sklearns(X: np.ndarray, **arguments: Any) -> Any:
    from sklearn.manifold import MDS

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MDS(init="classical_mds", n_init=1, random_state=0, **arguments).fit(X)


def fit(X: np.ndarray, model: Any, ordinal: bool, precomputed: bool) -> float:
    """One minus stress-1."""
    from scipy.optimize import isotonic_regression
    from scipy.spatial.distance import pdist, squareform

    delta = squareform(X, checks=False) if precomputed else pdist(X)
    d = pdist(model.embedding_)
    f = delta
    if ordinal:
        order = np.argsort(delta)
        f = np.empty_like(d)
        f[order] = isotonic_regression(d[order]).x
    return 1.0 - float(np.sqrt(((f - d) ** 2).sum() / (d**2).sum()))


# --- data -------------------------------------------------------------------------------------


def digits(shrink: int, n: int) -> np.ndarray:
    from sklearn.datasets import load_digits

    return load_digits().data[: n // shrink]


def cloud(shrink: int, n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n // shrink, 20))


def swiss_roll(shrink: int, n: int) -> np.ndarray:
    from sklearn.datasets import make_swiss_roll

    return make_swiss_roll(n // shrink, random_state=0)[0]


def groups(shrink: int, n: int) -> np.ndarray:
    random = np.random.default_rng(0)
    n //= shrink
    centers = 4.0 * random.normal(size=(8, 10))
    return centers[random.integers(0, 8, size=n)] + random.normal(size=(n, 10))


def squared_plane(shrink: int, n: int) -> np.ndarray:
    """Dissimilarities: squared distances in a plane, with 5% of noise."""
    from scipy.spatial.distance import pdist, squareform

    random = np.random.default_rng(0)
    squares = pdist(random.normal(size=(n // shrink, 2)), "sqeuclidean")
    return squareform(squares * np.exp(0.05 * random.normal(size=len(squares))))


DATA = {"digits": digits, "cloud": cloud, "swiss-roll": swiss_roll, "groups": groups}


def case(name: str, make: Any, n: int, ordinal: bool, precomputed: bool = False) -> Case:
    arguments: dict[str, Any] = {"metric_mds": not ordinal}
    if precomputed:
        arguments["metric"] = "precomputed"
    kind = "ordinal" if ordinal else "metric"
    return Case(
        name=f"{kind}-{name}-{n}",
        about=f"{kind.capitalize()} MDS of {n} rows in 2 dimensions: {name}.",
        make=partial(make, n=n),
        ours=Entry("lowdim", partial(ours, **arguments)),
        peers=[Entry("scikit-learn", partial(sklearns, **arguments))],
        quality=partial(fit, ordinal=ordinal, precomputed=precomputed),
        tolerance=1e-3,
    )


CASES = (
    *(case(name, make, 1000, ordinal=False) for name, make in DATA.items()),
    *(case(name, make, 1000, ordinal=True) for name, make in DATA.items()),
    case("squared-plane", squared_plane, 1000, ordinal=True, precomputed=True),
    case("squared-plane", squared_plane, 300, ordinal=True, precomputed=True),
    case("groups", groups, 300, ordinal=False),
    case("groups", groups, 3000, ordinal=False),
)
