"""Rows as points, whose products give all distances.

    d(x, y)^2 = |x|^2 - 2 x'y + |y|^2 + s_x + s_y

    euclidean        points: (x - center) / unit; s = 0
    cosine           points: x / |x|; 1 - cos = d^2 / 2. A row of zeros has s = 1: distance 1
    correlation      points: x less its own mean, of length 1; the same
    hellinger        points: the roots of x, of length 1; the root of 1 - cos
    missing values   "expected": x is the expectation of the row under probabilistic PCA and s the
                     sum of the variances of what is missing: E|x - y|^2
                     "pairwise": over what both rows observe, times d / number of such columns
    precomputed      the rows are the distances themselves

Other metrics look at the rows as they are. `maps/framing.py` makes points of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map
from lowdim.core.validation import check_choice
from lowdim.linalg.products import times_row_by_row
from lowdim.maps.direct import squares_at
from lowdim.maps.metrics import WRITTEN_HERE, distances_by_name

# names of one metric
AFFINITY = "precomputed_affinity"  # a metric of neighbour embeddings: P is given
ALIASES = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "taxicab": "manhattan",
    "linfinity": "chebyshev",
    "linfty": "chebyshev",
    "linf": "chebyshev",
    "standardised_euclidean": "seuclidean",
    "wminkowski": "minkowski",  # with w in metric_params
    "weighted_minkowski": "minkowski",
    "sokalmichener": "rogerstanimoto",  # 2 u / (d + u) both: u columns in which one of two is 0
    "nan_euclidean": "euclidean",
}
# look at whether values are 0, and at nothing else
OF_FLAGS = ("jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
KNOWN = (
    *("euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "chebyshev", "minkowski"),
    *("canberra", "braycurtis", "seuclidean", "mahalanobis", "haversine", "hamming", "hellinger"),
    *("precomputed", *OF_FLAGS, *WRITTEN_HERE),
)
BY_PRODUCTS = ("euclidean", "sqeuclidean", "cosine", "correlation", "hellinger")
BLOCK_BYTES = 2**23  # of distances, that are worth a turn on a thread
NUMBERS = 2**18  # of rows that are looked at together
AS_SHOWN: dict[str, Any] = {"precision": 4, "threshold": 6, "edgeitems": 2}  # rows in a message


class Points(NamedTuple):
    """Rows as points: plain arrays."""

    rows: Any  # (n, c)  C order, or a csr_array; with "precomputed" the dissimilarities (n, n)
    spread: np.ndarray  # (n,)  what the missing values of a row add to squared distances
    observed: np.ndarray | None  # (n, c) bool  with missing="pairwise", where some are not
    unit: float  #       distances in units of X are `unit` times those of points

    def take(self, index: Any) -> Points:
        """Some of the points."""
        observed = None if self.observed is None else self.observed[index]
        return Points(self.rows[index], self.spread[index], observed, self.unit)

    @property
    def n(self) -> int:
        return int(self.rows.shape[0])


class Metric(NamedTuple):
    """A metric by the name that we go by, and what else it needs."""

    name: Any  # str or callable
    params: dict

    @property
    def by_products(self) -> bool:
        """Whether distances come from products of points."""
        return self.name in BY_PRODUCTS

    @property
    def is_precomputed(self) -> bool:
        """Whether the rows of X are distances (or affinities) themselves."""
        return isinstance(self.name, str) and self.name.startswith("precomputed")

    @property
    def has_units(self) -> bool:
        """Whether distances are in units of X and do not depend on where 0 is."""
        return self.name in ("euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski")


def metric_of(metric: Any, metric_params: dict | None = None) -> Metric:
    """The metric of a model or function; raises if it is not known."""
    if isinstance(metric, Metric):
        return metric
    params = dict(metric_params or {})
    if callable(metric):
        return Metric(metric, params)
    name = ALIASES.get(metric, metric)
    if name == "minkowski" and set(params) <= {"p"}:  # those that have names of their own
        own = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(params.get("p", 2))
        name, params = (own, {}) if own else (name, params)
    check_choice("metric", name, KNOWN)
    if params and (name in (*BY_PRODUCTS, *WRITTEN_HERE) or name == "precomputed"):
        raise ValueError(f"metric_params={params!r}: metric={metric!r} takes none; leave it out.")
    return Metric(name, params)


def in_units_of_x(distance: np.ndarray, points: Points, metric: Metric) -> np.ndarray:
    """Distances of points as distances of rows of X."""
    if metric.name == "sqeuclidean":
        return distance * points.unit * points.unit
    return distance * points.unit


def row_means(rows: Any) -> np.ndarray:
    """The mean of each row of a csr_array, whose products for correlations are less d m_x m_y."""
    return np.asarray(rows.sum(axis=1, dtype=np.float64)).ravel() / rows.shape[1]


def squares_between(new: Points, points: Points, index: np.ndarray, metric: Metric) -> np.ndarray:
    """|x - y|^2 + s_y (m, k) of new points with the points that each names; infinity for -1."""
    squares = squares_at(new.rows, points.rows, index)
    if metric.name == "correlation" and sp.issparse(points.rows):
        away = row_means(new.rows)[:, None] - row_means(points.rows)[index]
        squares = np.maximum(squares - points.rows.shape[1] * away**2, 0.0)
    squares += np.where(index < 0, 0.0, points.spread[index])
    return squares


def from_squares(squares: np.ndarray, metric: Metric) -> np.ndarray:
    """Distances from the squared distances of points; writes into them."""
    np.maximum(squares, 0.0, out=squares)
    if metric.name == "euclidean":
        return np.sqrt(squares, out=squares)
    if metric.name == "sqeuclidean":
        return squares
    squares *= 0.5  # |x - y|^2 = 2 - 2 cos, for points of length 1
    return np.sqrt(squares, out=squares) if metric.name == "hellinger" else squares


# ---- all distances -------------------------------------------------------------------------------


def distances(points: Points, others: Points, metric: Metric) -> np.ndarray:
    """The distances (m, n) of points to other points in float64, in units of `unit`.

    Where `others` are the same points, the diagonal is 0. Pairs so near that products would cost
    digits are summed up by themselves. Memory: the result, and some megabytes by thread.
    """
    m, n = points.n, others.n
    if metric.is_precomputed:
        if sp.issparse(points.rows):
            raise TypeError(
                "X is a sparse graph of distances, and all distances are needed here. Give a dense "
                "matrix of distances, or rows and another metric."
            )
        return np.asarray(points.rows, np.float64)
    D = np.empty((m, n))
    if not metric.by_products:
        block_of = _by_metric(points, others, metric)
    elif points.observed is not None or others.observed is not None:
        block_of = _pairwise_squares(points, others)
    else:
        block_of = _squares(points, others, metric)
    size = max(1, BLOCK_BYTES // (8 * max(n, 1)))

    def work(first: int) -> None:
        rows = slice(first, min(first + size, m))
        block = block_of(rows)
        D[rows] = from_squares(block, metric) if metric.by_products else block

    for _ in ordered_map(work, range(0, m, size)):
        pass
    if points is others:
        np.fill_diagonal(D, 0.0)
    return D


NEAR = 1e-5  # of |x|^2 + |y|^2: nearer pairs are summed up by themselves


def _squares(points: Points, others: Points, metric: Metric) -> Callable[[slice], np.ndarray]:
    """What gives the squared distances of a slice of the points to all others."""
    X, Y = points.rows, others.rows
    spread = others.spread
    correlation = metric.name == "correlation" and sp.issparse(Y)
    if sp.issparse(Y):
        means, other_means = row_means(X) * X.shape[1], row_means(Y)
        center, columns = None, Y.astype(np.float64).T.tocsr()
        lengths = np.asarray(Y.multiply(Y).sum(axis=1, dtype=np.float64)).ravel()
        if correlation:
            lengths = lengths - other_means**2 * X.shape[1]
    else:
        center = Y.mean(axis=0, dtype=np.float64) if metric.has_units else np.zeros(Y.shape[1])
        columns = (Y - center).T
        lengths = np.einsum("ji,ji->i", columns, columns)

    def block(rows: slice) -> np.ndarray:
        if center is None:
            x = X[rows].astype(np.float64)
            own = np.asarray(x.multiply(x).sum(axis=1)).ravel()
            products = (x @ columns).toarray()
            if correlation:
                own = own - means[rows] ** 2 / X.shape[1]
                products -= np.outer(means[rows], other_means)
        else:
            x = X[rows] - center
            own = np.einsum("ij,ij->i", x, x)
            products = x @ columns if points is others else times_row_by_row(x, columns)
        products *= -2.0
        products += own[:, None]
        products += lengths
        i, j = np.nonzero(products < NEAR * (own[:, None] + lengths))
        if len(i) and not correlation:
            one_each = squares_at(X[rows][i], Y, j[:, None])
            products[i, j] = one_each[:, 0]
        products += points.spread[rows][:, None] + spread
        return products

    return block


def _pairwise_squares(points: Points, others: Points) -> Callable[[slice], np.ndarray]:
    """Over the columns that both rows observe, times d / their number; NaN if there are none."""
    d = points.rows.shape[1]
    left, right = _with_holes(points), _with_holes(others)
    columns = np.hstack([right.observed, right.squares, right.values]).T

    def block(rows: slice) -> np.ndarray:
        x, o = left.values[rows], left.observed[rows]
        sums = times_row_by_row(np.hstack([left.squares[rows], o, -2.0 * x]), columns)
        common = o @ right.observed.T  # whole numbers: exact
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.maximum(sums, 0.0) / common * d

    return block


class Holes(NamedTuple):
    """Points with 0 where nothing was observed, in float64."""

    values: np.ndarray  # (n, c)
    squares: np.ndarray  # (n, c)
    observed: np.ndarray  # (n, c)  1 or 0


def _with_holes(points: Points) -> Holes:
    observed = ~np.isnan(points.rows)
    values = np.where(observed, points.rows, 0.0).astype(np.float64)
    return Holes(values, values**2, observed.astype(np.float64))


def _by_metric(points: Points, others: Points, metric: Metric) -> Callable[[slice], np.ndarray]:
    """Distances by scikit-learn or a function of two rows."""
    from sklearn.metrics import pairwise_distances

    X, Y = points.rows, others.rows
    if metric.name in OF_FLAGS and not sp.issparse(Y):
        X, Y = X != 0, Y != 0

    def block(rows: slice) -> np.ndarray:
        if metric.name in WRITTEN_HERE:
            return distances_by_name(X[rows], Y, metric.name)
        found = pairwise_distances(X[rows], Y, metric=metric.name, n_jobs=1, **metric.params)
        if (found < 0).any():
            raise ValueError(
                "All distances should be positive or 0, and the metric given "
                f"({metric.name!r}) has {found.min():g}."
            )
        if np.isnan(found).any():
            _settle_nan(found, X[rows], Y, metric)
        return found

    return block


def _settle_nan(D: np.ndarray, X: Any, Y: Any, metric: Metric) -> None:
    """What a metric cannot say of equal rows is 0; of different ones it must say a number."""
    unknown = np.argwhere(np.isnan(D))
    size = max(1, NUMBERS // Y.shape[1])
    for first in range(0, len(unknown), size):
        i, j = unknown[first : first + size].T
        x, y = (rows.toarray() if sp.issparse(rows) else rows for rows in (X[i], Y[j]))
        differ = np.flatnonzero((x != y).any(axis=1))
        if len(differ):
            e = differ[0]
            first_row, other = (np.array2string(row, **AS_SHOWN) for row in (x[e], y[e]))
            raise ValueError(
                f"metric={metric.name!r} gives NaN for rows {_number(x[e], Y, i[e])} and {j[e]} of "
                f"X, {first_row} and {other}; a distance is a number of 0 or more for every two "
                "rows. Choose another metric, or leave such rows out."
            )
        D[i, j] = 0.0


def _number(row: np.ndarray, rows: Any, i: int) -> str:
    """The number of a row that is among others, else its number among the new ones."""
    known: Any = [] if sp.issparse(rows) else np.flatnonzero((rows == row).all(axis=1))
    return f"{known[0]}" if len(known) else f"{i} (a new one)"
