"""Component families: what a mixture needs to know about the distribution of its components.

    log f(x; theta) = T(x) . eta(theta) - A(theta) + h(x)           summed over the columns of a row

These are the exponential families: precisely those for which sums over rows, of T(x), are all that
a maximum-likelihood fit needs to see. And the fit is moment matching: theta is such that T has
under f the mean that it has in the rows (weighted with the responsibilities). So a family says

    statistics(X)          T, zero or more arrays; X itself unless stated otherwise
    natural(params)        eta, by component: what T is multiplied with
    log_partition(params)  A, by component and column
    log_base(X)            h
    update(*means)         theta from the means of T

and one loop of EM (`em.py`) serves all of them: missing values drop out of the sums, and
so do the zeros of sparse counts.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln, logit

from lowdim.linalg.gaussian import LOG_2PI

Params = dict[str, np.ndarray]

# Probabilities and rates are at least this: what was never seen is unlikely, not impossible
LEAST = 1e-10

# Variances are at least this part of the variance of their column
LEAST_VARIANCE = 1e-6


# Results of a mixture, and the optional methods that give them: all of one group are enough
NEEDS = {
    "impute": (("mean",), ("fill",)),
    "impute with return_std": (("mean", "variance"), ("fill", "doubt")),
    "sample": (("draw",),),
}


class Family(ABC):
    """The distribution of a component: columns that are independent within a component.

    Parameters are a dict of arrays with one row by component. All methods work on all K components
    at once; X (b, d) is a block of complete rows. Missing values are taken care of by the caller:
    they are given as ones, and their part of the results is dropped.

    Attributes
    ----------
    accepts_nan, accepts_sparse : bool
        Whether values may be missing, and whether `statistics` and `log_base` can take a csr array.
    nonnegative : bool
        Whether the values are 0 or more.
    real : bool
        Whether `moved` is there: columns are then given in units of their standard deviation.
    alike : bool
        Whether `features` vary about as much in all columns; else they are brought to that.

    Notes
    -----
    `natural`, `log_partition` and `update` are all that `fit`, `predict` and `score` need. `impute`
    needs `mean`, with return_std `variance` too, and `sample` needs `draw`: without them, these
    raise a NotImplementedError that says so before any row is read. A family with `real` needs
    `mean`, `variance` and `moved` for every result, and is refused when its class is made.

    Examples
    --------
    The geometric distribution, failures before a success: f(x; p) = p (1 - p)^x. T = x is the
    default, so it is enough to say that eta = log(1 - p), A = -log p, and that x has mean 1/p - 1:

    >>> import numpy as np
    >>> from lowdim import MixtureModel
    >>> from lowdim.mixture.families import Family
    >>> class Geometric(Family):
    ...     def natural(self, params):
    ...         return (np.log1p(-params["probabilities"]),)
    ...
    ...     def log_partition(self, params):
    ...         return -np.log(params["probabilities"])
    ...
    ...     def update(self, mean):
    ...         return {"probabilities": 1 / (1 + mean)}
    >>> random = np.random.default_rng(0)
    >>> X = random.geometric(np.repeat([[0.5], [0.05]], 500, axis=0), size=(1000, 4)) - 1
    >>> model = MixtureModel(Geometric(), n_components=2, random_state=0).fit(X)
    >>> np.sort(model.probabilities_.mean(axis=1)).round(2)
    array([0.05, 0.5 ])
    """

    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = False
    shapes: ClassVar[dict] = {}  # of the parameters as users see them; those of a file are checked
    nonnegative: ClassVar[bool] = False
    real: ClassVar[bool] = False
    alike: ClassVar[bool] = False

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        lacking = [name for name in ("mean", "variance", "moved") if not cls._has(name)]
        if cls.real and lacking:
            raise TypeError(
                f"{cls.__name__} has real=True, and so needs {' and '.join(lacking)}. Define them "
                "as lowdim.mixture.families.Family describes them, or leave real=False."
            )

    # ---- what a family must say ------------------------------------------------------------------

    @abstractmethod
    def natural(self, params: Params) -> tuple[np.ndarray, ...]:
        """eta: for each array of `statistics` what it is multiplied with, (K, m)."""

    @abstractmethod
    def log_partition(self, params: Params) -> np.ndarray | None:
        """A of each component and column, (K, d); None where it is 0."""

    @abstractmethod
    def update(self, *means: Any, **_: Any) -> Params:
        """The parameters for which `statistics` have these means, each (K, m): update(mean)."""

    # ---- what has a default ----------------------------------------------------------------------

    def check(self, X: Any) -> None:
        """Raise ValueError if a block (b, d) has values that the family does not have."""
        if self.nonnegative and (_stored(X) < 0).any():
            raise ValueError(
                f"Negative values in data: X has {_stored(X)[_stored(X) < 0][0]:g}, and "
                f"{type(self).__name__} components are for values of 0 or more."
            )

    def statistics(self, X: Any) -> tuple[Any, ...]:
        """T of each row: arrays (b, m) with the columns' parts one after the other."""
        return (X,)

    def log_base(self, X: Any) -> Any:
        """h of each entry (b, d), or of each row (b,)."""
        return np.zeros(X.shape[0])

    def features(self, X: Any) -> Any:
        """What k-means compares at the start, (b, m)."""
        return X

    def n_parameters(self, params: Params) -> int:
        """How many numbers describe one component."""
        return sum(value[0].size for value in params.values())

    # ---- what only some results need -------------------------------------------------------------

    def mean(self, params: Params) -> np.ndarray:
        """E[x] of each component and column, (K, d): for `impute`."""
        raise self._lacks("mean", "impute")

    def variance(self, params: Params) -> np.ndarray:
        """Var[x] of each component and column, (K, d): for `impute` with return_std."""
        raise self._lacks("variance", "impute with return_std")

    def draw(self, params: Params, j: int, n: int, random: np.random.Generator) -> np.ndarray:
        """n rows of component j, (n, d): for `sample`."""
        raise self._lacks("draw", "sample")

    def moved(self, params: Params, origin: np.ndarray, unit: np.ndarray) -> Params:
        """The parameters of (x - origin) / unit, (K, d): for families with `real`."""
        raise self._lacks("moved", "real=True")

    def check_gives(self, result: str) -> None:
        """Raise NotImplementedError if a result, of those in NEEDS, is more than the family has."""
        lacking = [[name for name in names if not self._has(name)] for names in NEEDS[result]]
        if all(lacking):
            raise self._lacks(lacking[0][0], result)

    @classmethod
    def _has(cls, name: str) -> bool:
        """Whether a class has its own version of a method."""
        return getattr(cls, name) is not getattr(Family, name)

    def _lacks(self, name: str, result: str) -> NotImplementedError:
        name_here = type(self).__name__
        call = f"{name}({', '.join(inspect.signature(getattr(self, name)).parameters)})"
        return NotImplementedError(
            f"{result} needs {name_here}.{name}, which is not there. Define {call} in "
            f"{name_here}, as lowdim.mixture.families.Family.{name} describes it."
        )

    # ---- missing values --------------------------------------------------------------------------

    def terms(self, X: Any) -> tuple[tuple[Any, ...], np.ndarray | None]:
        """T with zeros for missing values, and which entries are observed (None: all are)."""
        observed = observed_entries(X)
        if observed is None:
            return self.statistics(X), None
        T = self.statistics(np.where(observed, X, 1.0))
        return tuple(np.where(observed, part, 0.0) for part in T), observed

    def row_base(self, X: Any) -> np.ndarray:
        """h of each row, over its observed entries."""
        observed = observed_entries(X)
        if observed is None:
            base = self.log_base(X)
            return base if base.ndim == 1 else np.asarray(base.sum(axis=1)).ravel()
        base = self.log_base(np.where(observed, X, 1.0))
        return base if base.ndim == 1 else np.where(observed, base, 0.0).sum(axis=1)

    def by_statistic(self, by_column: np.ndarray) -> np.ndarray:
        """What each column has (K, d), for each of the columns of T (K, m)."""
        return by_column

    def fill(self, params: Params, resp: np.ndarray) -> np.ndarray:
        """What to put in the place of missing values: E[x] under the responsibilities, (b, d)."""
        return resp @ self.mean(params)

    def doubt(self, params: Params, resp: np.ndarray) -> np.ndarray:
        """Standard deviation of what is put there, (b, d)."""
        mean = self.mean(params)
        squares = resp @ (self.variance(params) + np.square(mean))
        return np.sqrt(np.maximum(squares - np.square(resp @ mean), 0.0))

    def published(self, params: Params) -> dict[str, Any]:
        """The parameters as users see them."""
        return params

    def taken_up(self, published: dict[str, Any]) -> Params:
        """The parameters that were published."""
        return published


class Gaussian(Family):
    """Real numbers: x ~ N(mean, variance) in each column.

    Parameters: means, variances (K, d). A variance is at least 1e-6 times its column's.
    """

    shapes: ClassVar[dict] = {"means": ("k", "d"), "variances": ("k", "d")}
    accepts_sparse = True
    real = True
    alike = True

    def statistics(self, X: Any) -> tuple[Any, ...]:
        return X, X * X

    def natural(self, params: Params) -> tuple[np.ndarray, ...]:
        return params["means"] / params["variances"], -0.5 / params["variances"]

    def log_partition(self, params: Params) -> np.ndarray:
        mean, variance = params["means"], params["variances"]
        return 0.5 * (mean**2 / variance + np.log(variance) + LOG_2PI)

    def update(self, mean: np.ndarray, square: np.ndarray) -> Params:
        return {"means": mean, "variances": np.maximum(square - mean**2, LEAST_VARIANCE)}

    def mean(self, params: Params) -> np.ndarray:
        return params["means"]

    def variance(self, params: Params) -> np.ndarray:
        return params["variances"]

    def draw(self, params: Params, j: int, n: int, random: np.random.Generator) -> np.ndarray:
        mean, std = params["means"][j], np.sqrt(params["variances"][j])
        return mean + std * random.normal(size=(n, len(mean)))

    def moved(self, params: Params, origin: np.ndarray, unit: np.ndarray) -> Params:
        return {
            "means": (params["means"] - origin) / unit,
            "variances": params["variances"] / unit / unit,
        }


class Bernoulli(Family):
    """Yes or no: x is 1 with a probability of its own in each column, else 0.

    Parameters: probabilities (K, d).
    """

    shapes: ClassVar[dict] = {"probabilities": ("k", "d")}
    accepts_sparse = True
    alike = True

    def check(self, X: Any) -> None:
        values = _stored(X)
        bad = ~((values == 0) | (values == 1) | np.isnan(values))
        if bad.any():
            raise ValueError(
                f"X has values other than 0 and 1 (first: {values[bad][0]:g}); bernoulli "
                "components are for yes and no. Compare with a threshold first, as in X > 0.5."
            )

    def natural(self, params: Params) -> tuple[np.ndarray, ...]:
        return (logit(params["probabilities"]),)

    def log_partition(self, params: Params) -> np.ndarray:
        return -np.log1p(-params["probabilities"])

    def update(self, mean: np.ndarray) -> Params:
        return {"probabilities": np.clip(mean, LEAST, 1.0 - LEAST)}

    def mean(self, params: Params) -> np.ndarray:
        return params["probabilities"]

    def variance(self, params: Params) -> np.ndarray:
        return params["probabilities"] * (1.0 - params["probabilities"])

    def draw(self, params: Params, j: int, n: int, random: np.random.Generator) -> np.ndarray:
        p = params["probabilities"][j]
        return (random.random((n, len(p))) < p).astype(np.float64)


class Poisson(Family):
    """Counts without a limit: x ~ Poisson(rate) in each column.

    Parameters: rates (K, d). Fractions are taken as they are.
    """

    shapes: ClassVar[dict] = {"rates": ("k", "d")}
    accepts_sparse = True
    nonnegative = True
    alike = True

    def natural(self, params: Params) -> tuple[np.ndarray, ...]:
        return (np.log(params["rates"]),)

    def log_partition(self, params: Params) -> np.ndarray:
        return params["rates"]

    def log_base(self, X: Any) -> Any:
        return _entrywise(X, _minus_log_factorial)

    def update(self, mean: np.ndarray) -> Params:
        return {"rates": np.maximum(mean, LEAST)}

    def features(self, X: Any) -> Any:
        return _entrywise(
            X, np.sqrt
        )  # of a Poisson variable it has variance 1/4, whatever the rate

    def mean(self, params: Params) -> np.ndarray:
        return params["rates"]

    def variance(self, params: Params) -> np.ndarray:
        return params["rates"]

    def draw(self, params: Params, j: int, n: int, random: np.random.Generator) -> np.ndarray:
        rate = params["rates"][j]
        return random.poisson(rate, size=(n, len(rate))).astype(np.float64)


class Multinomial(Family):
    """Counts that share a total: words of a document. The totals say nothing about components.

    Parameters: probabilities (K, d) with rows that sum to 1; totals (K,), the mean total of a row,
    which plays a part in `sample` alone. Fractions are taken as they are.
    """

    shapes: ClassVar[dict] = {"probabilities": ("k", "d"), "totals": ("k",)}
    accepts_nan = False
    accepts_sparse = True
    nonnegative = True
    alike = True

    def natural(self, params: Params) -> tuple[np.ndarray, ...]:
        return (np.log(params["probabilities"]),)

    def log_partition(self, params: Params) -> None:
        return None

    def log_base(self, X: Any) -> np.ndarray:
        ways = _entrywise(X, _minus_log_factorial).sum(axis=1)
        return gammaln(_row_totals(X) + 1.0) + np.asarray(ways).ravel()

    def update(self, mean: np.ndarray) -> Params:
        totals = mean.sum(axis=1)
        share = np.full_like(mean, 1.0 / mean.shape[1])
        np.divide(mean, totals[:, None], out=share, where=totals[:, None] > 0)
        share = np.maximum(share, LEAST)
        return {"probabilities": share / share.sum(axis=1, keepdims=True), "totals": totals}

    def features(self, X: Any) -> Any:
        # square roots of shares: their distance is Hellinger's
        totals, roots = _row_totals(X), _entrywise(X, np.sqrt)
        scale = 1.0 / np.sqrt(np.where(totals > 0, totals, 1.0))
        return sp.diags_array(scale) @ roots if sp.issparse(X) else scale[:, None] * roots

    def n_parameters(self, params: Params) -> int:
        return params["probabilities"].shape[1] - 1

    def mean(self, params: Params) -> np.ndarray:
        return params["probabilities"] * params["totals"][:, None]

    def variance(self, params: Params) -> np.ndarray:
        return self.mean(params)  # with Poisson totals, as `draw` has them

    def draw(self, params: Params, j: int, n: int, random: np.random.Generator) -> np.ndarray:
        totals = random.poisson(params["totals"][j], size=n)
        return random.multinomial(totals, params["probabilities"][j]).astype(np.float64)


class Categorical(Family):
    """One of several categories in each column, given by its number 0, 1, ...

    Parameters: probabilities (K, m), with the categories of all columns side by side. Users see a
    list with an array (K, number of categories) for each column.

    Parameters
    ----------
    sizes : sequence of int
        Number of categories of each column.
    """

    alike = True

    def __init__(self, sizes: Any = ()):
        self.sizes = np.asarray(sizes, dtype=np.int64)

    @property
    def offsets(self) -> np.ndarray:
        """Where each column's categories begin."""
        return np.cumsum(self.sizes) - self.sizes

    def terms(self, X: np.ndarray) -> tuple[tuple[Any, ...], np.ndarray | None]:
        """T is 1 for the category that a row has, and 0 for the others of the column."""
        observed = ~np.isnan(X)
        place = (np.where(observed, X, 0.0) + self.offsets)[observed].astype(np.int64)
        ends = np.concatenate([[0], np.cumsum(observed.sum(axis=1))])
        shape = (len(X), int(self.sizes.sum()))
        one_hot = sp.csr_array((np.ones(len(place)), place, ends), shape=shape)
        return (one_hot,), None if observed.all() else observed

    def by_statistic(self, by_column: np.ndarray) -> np.ndarray:
        return np.repeat(by_column, self.sizes, axis=1)

    def natural(self, params: Params) -> tuple[np.ndarray, ...]:
        return (np.log(params["probabilities"]),)

    def log_partition(self, params: Params) -> None:
        return None

    def update(self, mean: np.ndarray) -> Params:
        share = np.maximum(mean, LEAST)
        total = np.add.reduceat(share, self.offsets, axis=1)
        return {"probabilities": share / self.by_statistic(total)}

    def features(self, X: np.ndarray) -> Any:
        return self.terms(X)[0][0]

    def n_parameters(self, params: Params) -> int:
        return int((self.sizes - 1).sum())

    def fill(self, params: Params, resp: np.ndarray) -> np.ndarray:
        """The most likely category of each column."""
        shares = np.split(resp @ params["probabilities"], self.offsets[1:], axis=1)
        return np.column_stack([share.argmax(axis=1) for share in shares]).astype(np.float64)

    def doubt(self, params: Params, resp: np.ndarray) -> np.ndarray:
        """The probability of all other categories."""
        shares = resp @ params["probabilities"]
        return 1.0 - np.maximum.reduceat(shares, self.offsets, axis=1)

    def draw(self, params: Params, j: int, n: int, random: np.random.Generator) -> np.ndarray:
        columns = np.split(params["probabilities"][j], self.offsets[1:])
        return np.column_stack([random.choice(len(p), size=n, p=p) for p in columns]).astype(
            np.float64
        )

    def published(self, params: Params) -> dict[str, Any]:
        return {"probabilities": np.split(params["probabilities"], self.offsets[1:], axis=1)}

    def taken_up(self, published: dict[str, Any]) -> Params:
        return {"probabilities": np.concatenate(published["probabilities"], axis=1)}


FAMILIES: dict[str, type[Family]] = {
    "gaussian": Gaussian,
    "bernoulli": Bernoulli,
    "multinomial": Multinomial,
    "poisson": Poisson,
    "categorical": Categorical,
}


# ---- dense and sparse blocks alike ---------------------------------------------------------------


def observed_entries(X: Any) -> np.ndarray | None:
    """Which entries of a block are observed; None if all are."""
    if sp.issparse(X):
        return None
    missing = np.isnan(X)
    return ~missing if missing.any() else None


def _entrywise(X: Any, function: Callable[[np.ndarray], np.ndarray]) -> Any:
    """A function with f(0) = 0 of every entry; sparse blocks stay sparse."""
    if sp.issparse(X):
        return sp.csr_array((function(X.data), X.indices, X.indptr), shape=X.shape)
    return function(X)


def _minus_log_factorial(X: np.ndarray) -> np.ndarray:
    return -gammaln(X + 1.0)


def _row_totals(X: Any) -> np.ndarray:
    return np.asarray(X.sum(axis=1)).ravel()


def _stored(X: Any) -> np.ndarray:
    return X.data if sp.issparse(X) else X
