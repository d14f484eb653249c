"""What all maps share: rows become points, points get places, new rows are placed among them.

    fit          rows -> points (`maps/reading.py`) -> `_learn` -> embedding_
    transform    a row that equals a training row has its place; any other goes through `_place`,
                 row by row: its place does not depend on the other rows that are given with it

Equal training rows share one place, the mean of those that `_learn` gave them. Rows without any
observed value say nothing: they are left out of `_learn`, and are placed at the mean of all others,
with a warning.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Tags

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import AT_LEAST_1, RANDOM_STATE, HasMethods, StrOptions
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting
from lowdim.core.shapes import Anything, Below, Maybe
from lowdim.core.validation import observed
from lowdim.maps.distance_matrix import check_distances, check_new_distances
from lowdim.maps.keys import Groups, found_among, grouped, row_keys
from lowdim.maps.neighbors.found import Neighbors
from lowdim.maps.neighbors.given import given_neighbors
from lowdim.maps.neighbors.search import METHODS, near, nearest_to
from lowdim.maps.points import AFFINITY, ALIASES, KNOWN, Metric, Points, metric_of
from lowdim.maps.reading import Reading, completed, learned_reading, read, sees_codes
from lowdim.maps.rows import in_memory

# constraints of the arguments that maps share, for `_parameter_constraints`
OF_MAPS: dict[str, list] = {
    "n_components": [AT_LEAST_1],
    "metric": [StrOptions({*KNOWN, *ALIASES}), callable],
    "metric_params": [dict, None],
    "neighbors": [
        StrOptions(set(METHODS)),
        tuple,
        list,
        "sparse matrix",
        HasMethods("kneighbors"),
    ],
    "missing": [StrOptions({"expected", "pairwise"})],
    "pca_components": [AT_LEAST_1, None],
    "random_state": RANDOM_STATE,
}


class Map(Transformer, Estimator):
    """A map of rows: `embedding_` has a place for each.

    A class has some of the arguments `metric`, `metric_params`, `neighbors`, `missing`,
    `pca_components` and `random_state` (constraints: OF_MAPS), and two methods:

    `_learn(points, **given)` sets `embedding_`, a place for each of the points, and whatever else
    is learned; `given` is what `fit` was given beside X. `_place(points)` returns the places of new
    points, row by row. It finds training points in `self._points`, and their places in
    `self._places`.

    `shapes` of the class are joined with those here: letters n (training points), rows (all
    training rows, also those without any observed value), k (dimensions of the map), c (columns
    of points) and d.
    """

    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True
    min_rows: ClassVar[int] = 2
    takes_missing_distances: ClassVar[bool] = False  # with "precomputed": NaN are no distances
    takes_affinity: ClassVar[bool] = False  # metric="precomputed_affinity"
    needs_symmetry: ClassVar[bool] = True  # of distances that are given

    OF_EVERY_MAP: ClassVar[dict] = {
        "embedding_": ("rows", "k"),
        "_points": {
            "rows": ("n", "c"),
            "spread": ("n",),
            "observed": Maybe(("n", "c")),
            "unit": (),
        },
        "_reading": {
            "frame": {"center": ("c",), "unit": ()},
            "filler": Maybe(Anything()),
            "codes": Maybe(Anything()),
            "pairwise": (),
        },
        "_groups": {"keys": ("groups", 2), "first": Below("n", ("groups",)), "group": ("n",)},
        "_n_rows": "rows",
        "_kept": Below("rows", ("n",)),
        "_metric_params": Maybe(Anything()),
    }

    embedding_: np.ndarray
    _points: Points
    _reading: Reading
    _groups: Groups
    _kept: np.ndarray
    _n_rows: int

    @abstractmethod
    def _learn(self, points: Points, **given: Any) -> None:
        """Set `embedding_`, (n, k), and what else is learned."""

    @abstractmethod
    def _place(self, points: Points) -> np.ndarray:
        """The places (m, k) of new points, each for itself."""

    # ---- fit -------------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None):
        """Learn a place for each row of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            The rows. With metric="precomputed" the distances (n, n), or a sparse graph of them.
        y : ignored
        """
        return self._fit_map(X)

    def fit_transform(self, X, y=None):
        """Learn the map, and return `embedding_`."""
        return self.fit(X, y).embedding_

    def _fit_map(self, X: Any, **given: Any) -> Any:
        """`fit` of a class calls this, with what it was given beside X; it returns self."""
        metric = self._asked_metric()
        rows = self.open_rows(X)
        points, keys = self._opened(rows, metric)
        self._kept, self._n_rows = _kept_rows(rows), rows.all_rows.shape[0]
        _warn_of_rows_without_values(self._kept, self._n_rows)
        self._groups = grouped(keys)
        if not self._groups.all_differ and not metric.is_precomputed:
            # products round a row in its own way in every block: equal rows are equal points
            points = points.take(self._groups.first[self._groups.group])
        self._points = points
        self._learn(points, **given)
        self._publish()
        return self

    def _opened(self, rows: Blocks, metric: Metric) -> tuple[Points, np.ndarray]:
        """The points of the training rows, and their keys; sets what turns rows into points."""
        codes = getattr(self, "pca_components", None)
        if codes is not None and not metric.is_precomputed:
            table, keys, coder = sees_codes(rows, codes, self.random_state)
        else:
            table = in_memory(rows)
            keys, coder = row_keys(table), None
        if metric.is_precomputed:
            _check_rows_have_distances(rows)
            self._check_precomputed(table)
        metric = completed(metric, table)
        self._metric_params = metric.params or None
        points, self._reading = learned_reading(table, metric, self._missing(), coder)
        return points, keys

    def _check_precomputed(self, table: Any) -> None:
        check_distances(
            table,
            nan=self.takes_missing_distances,
            symmetric=self.needs_symmetry,
            affinity=self._asked_metric().name == AFFINITY,
        )

    def _publish(self) -> None:
        """Equal rows share a place, and rows without values have one."""
        Y = np.asarray(self.embedding_)
        if not np.isfinite(Y).all():
            raise FloatingPointError(
                f"{type(self).__name__} ended at places that are no numbers. Look at the rows of X "
                "for values that are very far from all others, or lower learning_rate."
            )
        if not self._groups.all_differ:
            Y = _shared(Y, self._groups)
        if self._n_rows > len(Y):
            places = np.empty((self._n_rows, Y.shape[1]), Y.dtype)
            places[:] = Y.mean(axis=0, dtype=np.float64)
            places[self._kept] = Y
            Y = places
        self.embedding_ = Y

    # ---- transform -------------------------------------------------------------------------------

    def transform(self, X):
        """The places of rows in the map.

        A row that equals a training row has its place in `embedding_`. Every other row is placed
        among the training rows, which stay where they are; its place does not depend on the other
        rows of X. With metric="precomputed" rows are distances to the training rows, and a row with
        a distance of 0 has that row's place.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (m, d)

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        rows = self.open_rows(X, reset=False)
        return rows.map(_placed, self)

    @property
    def _places(self) -> np.ndarray:
        """The places (n, k) of the training points."""
        Y = self.embedding_
        return Y if len(Y) == self._points.n else Y[self._kept]

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    # ---- what classes use ------------------------------------------------------------------------

    def _asked_metric(self) -> Metric:
        """The metric of the arguments."""
        name = getattr(self, "metric", "euclidean")
        if isinstance(name, str) and name == AFFINITY and self.takes_affinity:
            return Metric(AFFINITY, {})
        return metric_of(name, getattr(self, "metric_params", None))

    @property
    def _metric(self) -> Metric:
        """The metric with what it needs of the training rows."""
        return Metric(self._asked_metric().name, dict(self._metric_params or {}))

    def _missing(self) -> str:
        name = getattr(self, "metric", "euclidean")
        pairwise = isinstance(name, str) and name == "nan_euclidean"
        return "pairwise" if pairwise else getattr(self, "missing", "expected")

    def _neighbors(self, points: Points, k: int) -> Neighbors:
        """The k nearest other points of each training point, as `neighbors` says."""
        asked = getattr(self, "neighbors", "auto")
        if isinstance(asked, str):
            random_state = getattr(self, "random_state", None)
            return near(points, k, metric=self._metric, method=asked, random_state=random_state)
        return given_neighbors(asked, points, k, self._n_rows)

    def _nearest_to(self, new: Points, k: int) -> Neighbors:
        """The k training points nearest to each new one."""
        return nearest_to(new, self._points, min(k, self._points.n), metric=self._metric)

    def _shapes(self) -> dict[str, Any]:
        return {**super()._shapes(), **self.OF_EVERY_MAP, **self.shapes}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        name = getattr(self, "metric", "euclidean")
        tags.input_tags.pairwise = isinstance(name, str) and name in ("precomputed", AFFINITY)
        tags.input_tags.allow_nan = self.accepts_nan and self._takes_nan(name)
        return tags

    def _takes_nan(self, metric: Any) -> bool:
        """Whether distances are known for rows with missing values."""
        if not isinstance(metric, str) or metric == AFFINITY:
            return False
        return ALIASES.get(metric, metric) in (
            "euclidean",
            "sqeuclidean",
            "minkowski",
            "precomputed",
        )


def _kept_rows(rows: Blocks) -> np.ndarray:
    """The numbers of the rows with some observed value."""
    numbers = np.arange(rows.all_rows.shape[0], dtype=np.int32)
    return numbers if rows.shape[0] == len(numbers) else np.asarray(rows.part_of(numbers))


def _warn_of_rows_without_values(kept: np.ndarray, n: int) -> None:
    """Say so if rows are placed of which nothing is known."""
    if len(kept) < n:
        first = int(np.setdiff1d(np.arange(n), kept, assume_unique=True)[0])
        warnings.warn(
            f"X has no observed value in {n - len(kept)} of its {n} rows (first: row {first}): "
            "they are placed at the mean of the map, where they say nothing. Leave them out.",
            UserWarning,
            stacklevel=level_of_caller(),
        )


def _check_rows_have_distances(rows: Blocks) -> None:
    kept = _kept_rows(rows)
    if len(kept) < rows.all_rows.shape[0]:
        i = int(np.setdiff1d(np.arange(rows.all_rows.shape[0]), kept)[0])
        raise ValueError(
            f"X has NaN for all distances of row {i}: nothing says where in the map it belongs. "
            "Leave out its row and column."
        )


def _shared(Y: np.ndarray, groups: Groups) -> np.ndarray:
    """The mean place of each group, for all of its rows."""
    count = np.bincount(groups.group)
    sums = [np.bincount(groups.group, y.astype(np.float64)) / count for y in Y.T]
    shared = np.column_stack(sums).astype(Y.dtype)
    alone = count[groups.group] == 1
    return np.where(alone[:, None], Y, shared[groups.group])


def _placed(X: Any, model: Map) -> np.ndarray:
    """The places of a block of rows."""
    places = model._places
    Y = np.empty((X.shape[0], places.shape[1]), X.dtype)
    known = found_among(row_keys(X), model._groups)
    metric = model._metric
    if metric.is_precomputed:
        check_new_distances(X, model._points.n)
        if metric.name != AFFINITY:  # there, 0 is not at all alike
            known = np.where(known < 0, _at_zero(X), known)
    has_values = observed(X)
    empty = np.zeros(len(known), bool) if has_values is None else ~has_values
    Y[known >= 0] = places[known[known >= 0]]
    Y[empty] = places.mean(axis=0, dtype=np.float64).astype(places.dtype)  # as `fit` gave it
    others = np.flatnonzero((known < 0) & ~empty)
    if len(others):
        new = read(alike(X[others], model), model._reading, metric, model._points)
        with np.errstate(over="ignore"):  # in float32
            Y[others] = model._place(new)
        _check_places(Y[others])
    return Y


def _check_places(Y: np.ndarray) -> None:
    """Raise if new rows have no places."""
    if not np.isfinite(Y).all():
        raise ValueError(
            "X has rows so far from the training rows that their places are no numbers in "
            f"{Y.dtype}. Give X in the units of the training rows, or in float64."
        )


def alike(X: Any, model: Map) -> Any:
    """New rows as the training rows are: sparse or dense; codes are made of both."""
    sparse = sp.issparse(model._points.rows)
    if model._reading.codes is not None or sp.issparse(X) == sparse:
        return X
    return sp.csr_array(X) if sparse else X.toarray()


def _at_zero(X: Any) -> np.ndarray:
    """The first training row at distance 0 of each row of distances, or -1."""
    if sp.issparse(X):
        place = np.full(X.shape[0], -1)
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        zero = X.data == 0
        first, where = np.unique(row[zero], return_index=True)
        place[first] = X.indices[zero][where]
        return place
    is_zero = X == 0
    return np.where(is_zero.any(axis=1), is_zero.argmax(axis=1), -1)
