"""Regression row by row: one pass over the rows, ours and SGDRegressor's.

Quality is one minus the excess error over the planted coefficients, in units of d noise^2 / n, the
excess of least squares, divided by 1000: 0.999 is as good as least squares can be expected to be.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn")


def ours(data: np.ndarray, **arguments: Any) -> Any:
    from lowdim import OnlineRegression

    return OnlineRegression(**arguments).fit(data[:, :-1], data[:, -1])


def sklearn_sgd(data: np.ndarray, average: bool) -> Any:
    from sklearn.linear_model import SGDRegressor

    model = SGDRegressor(max_iter=1, tol=None, average=average, random_state=0)
    return model.fit(data[:, :-1], data[:, -1])


def coefficients(d: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=d)


def plane(shrink: int, n: int, d: int) -> np.ndarray:
    """Rows of a regression with noise of variance 1; the last column is y."""
    random, n = np.random.default_rng(0), n // shrink
    X = random.normal(size=(n, d))
    return np.column_stack([X, X @ coefficients(d) + random.normal(size=n)])


def closeness(data: np.ndarray, model: Any) -> float:
    n, d = data.shape[0], data.shape[1] - 1
    excess = float(np.sum((model.coef_ - coefficients(d)) ** 2)) * n / d
    return 1.0 - excess / 1000.0


def case(n: int, d: int, name: str, **arguments: Any) -> Case:
    return Case(
        name=f"{name}-{n}x{d}",
        about=f"One pass over {n} x {d} float64, y planted with noise: {name}.",
        make=partial(plane, n=n, d=d),
        ours=Entry("lowdim", partial(ours, **arguments)),
        peers=[
            Entry("SGDRegressor", partial(sklearn_sgd, average=False)),
            Entry("SGDRegressor averaged", partial(sklearn_sgd, average=True)),
        ],
        quality=closeness,
        tolerance=1e-2,
    )


AVERAGED = {"solver": "sgd", "gain": "constant", "average": True, "random_state": 0}
CASES = [
    case(200_000, 50, "rls"),
    case(200_000, 50, "averaged-sgd", **AVERAGED),
    case(20_000, 10, "rls"),
    case(20_000, 10, "averaged-sgd", **AVERAGED),
]
