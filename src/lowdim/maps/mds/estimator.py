"""Multidimensional scaling by majorization.

minimise over Y, f     sigma = sum over pairs of  w_ij (f(delta_ij) - |y_i - y_j|)^2

guttman.py           sigma and its gradient, over a square or a list of pairs
weights.py           its quadratic part V, and solving with it
transformations.py   f: interval, spline, ordinal
pairs.py             lists of pairs: all, or some that stand for all
problems.py          which of these a fit needs
majorization.py      the search
placing.py           new rows among those of the map
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Integral,
    StrOptions,
)
from lowdim.core.loop import fitting, iterate
from lowdim.core.numeric import numeric_array
from lowdim.core.random import random_generator
from lowdim.core.session import belongs_to_fit
from lowdim.core.shapes import Below, Maybe
from lowdim.maps.base import Map
from lowdim.maps.mds.majorization import Descent, Fit, centered, descended, descent_from
from lowdim.maps.mds.placing import anchors_of, place
from lowdim.maps.mds.problems import (
    MANY_ROWS,
    Asked,
    between_of,
    problem_of,
    square_of,
)
from lowdim.maps.mds.start import first_places
from lowdim.maps.mds.transformations import Curve, disparities_at
from lowdim.maps.points import Metric, Points, distances, in_units_of_x, metric_of
from lowdim.maps.square import square_matrix
from lowdim.maps.start import check_spread, given_places

ANCHORS = 3000  # points of a map of many, among which new ones are placed
BLOCK = 2**21  # dissimilarities of new rows that are made at a time


class MDS(Map):
    """Multidimensional scaling: distances in the map follow given dissimilarities.

    Minimises over places Y (n, k), and over f if it is not given::

        sum over pairs i < j of  w_ij (f(delta_ij) - |y_i - y_j|)^2

    delta are distances of the rows of X, or given ones (metric='precomputed'); a pair that is NaN
    does not count. L-BFGS on majorization: the first step is the Guttman transform, and no step
    raises the stress.

    Cost: O(n^2 k) per iteration on all cores, and n^2 numbers of memory (float32 above 2,000 rows);
    with weights, missing pairs or a learned f 16 to 40 bytes for each pair. With `n_pairs`, which
    is on above 15,000 rows, both are in proportion to n.

    Use it where the map's distances are to be read. It keeps large distances better than small
    ones: for neighbourhoods see TSNE and UMAP; ClassicalMDS is quicker, and exact for distances of
    a plane.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions k of the map.
    metric_mds : bool, default=True
        False means transformation='ordinal'.
    n_init : int, default=1
        How many random starts are tried; the map of the least stress is kept.
    init : {'classical_mds', 'random', 'pca'} or array of shape (n, k), default='classical_mds'
        Where the search starts: principal coordinates, the first principal axes of the rows, random
        places, or given ones. But for 'random', `n_init` counts as 1.
    max_iter : int, default=300
        Looks at all pairs, at the most.
    verbose : int, default=0
        Above 0: show progress bars, also where none would be (`lowdim.set_config(progress=...)`).
    eps : float, default=1e-6
        The search ends when two steps lower the stress by no more than this part of the sum of
        squared dissimilarities. Smaller: a lower stress, slower.
    n_jobs : int, default=None
        Accepted for compatibility with scikit-learn; ignored: all cores are used.
    random_state : int, Generator, RandomState or None, default=None
        For random starts and for `n_pairs`.
    dissimilarity : {'euclidean', 'precomputed'}
        Deprecated in scikit-learn 1.8: use `metric`.
    metric : str or callable, default='euclidean'
        Distances of the rows of X; 'precomputed': X are the dissimilarities, or a sparse graph of
        those that are known.
    metric_params : dict, default=None
        Further arguments of the metric.
    normalized_stress : bool or 'auto', default='auto'
        What `stress_` is: False: the sum above; True: Kruskal's stress-1, its root as a part of the
        root of the sum of squared distances. 'auto' means True if f is learned.
    transformation : {None, 'ratio', 'interval', 'ordinal', 'spline'}, default=None
        What distances in the map should be. None: the dissimilarities themselves (with
        metric_mds=False 'ordinal'); 'ratio': in proportion to them; 'interval': a straight line,
        a + b delta with b >= 0; 'spline': a smooth rising curve; 'ordinal': anything that keeps
        their order. Then the unit of the map is free: the mean square of f is 1.
    ties : {'secondary', 'primary', 'tertiary'}, default='secondary'
        With 'ordinal', what happens to equal dissimilarities: 'secondary': they stay equal;
        'primary': they may become different; 'tertiary': only their means are kept in order.
    n_pairs : int, default=None
        How many pairs each row brings in, where not all are looked at: some with its neighbours,
        the others at random, weighted so that the sum estimates that of all pairs. None means all
        up to 15,000 rows, and 60 above. More: nearer to the map of all pairs, slower.
    missing : {'expected', 'pairwise'}, default='expected'
        Distances of rows with missing values (NaN): 'expected' under ProbabilisticPCA; 'pairwise':
        over the columns that both rows have, scaled up.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, k)
        The map Y, about 0.
    stress_ : float
        How far distances are from what they should be; see `normalized_stress`. With `n_pairs` the
        estimate from the pairs that were looked at.
    dissimilarity_matrix_ : ndarray of shape (n, n)
        Made when it is asked for.
    history_ : ndarray of shape (n_iter_,)
        The stress after each iteration as a part of the sum of w f^2; never rises.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    ClassicalMDS : by eigenvectors, without iterations.
    Sammon : small dissimilarities count more.
    stress : of any map.

    Notes
    -----
    A dissimilarity of 0 counts like any other; scikit-learn leaves it out if metric_mds=False.
    `stress_` of a learned f is Kruskal's: f in the unit that fits the map best, as in R's smacof;
    scikit-learn's is larger by the factor (1 + stress_^2)^(1/2), nearly.

    `transform` places a row among those of the map, which stay where they are, by the same sum with
    the f that was learned; among 3,000 of them where there are more than 15,000.

    References
    ----------
    Borg and Groenen (2005), Modern Multidimensional Scaling, chapters 8 and 9. De Leeuw and Mair
    (2009), Multidimensional scaling using majorization: SMACOF in R. Kruskal (1964), Nonmetric
    multidimensional scaling: a numerical method. Ramsay (1988), Monotone regression splines in
    action.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import MDS
    >>> roads = np.array([[0.0, 3, 4, 5], [3, 0, 5, 4], [4, 5, 0, 3], [5, 4, 3, 0]])
    >>> model = MDS(metric="precomputed").fit(roads)
    >>> model.embedding_.shape
    (4, 2)
    >>> bool(model.stress_ < 1e-6)
    True
    """

    takes_missing_distances: ClassVar[bool] = True
    warmed_together: ClassVar[tuple[dict, ...]] = ({"n_pairs": 6},)

    shapes: ClassVar[dict] = {
        "stress_": (),
        "_scale": (),
        "_unit": (),
        "_curve": Maybe({"knots": ("m",), "values": ("m",), "slopes": (2,)}),
        "_anchors": Maybe(Below("n", ("anchors",))),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "metric_mds": ["boolean"],
        "n_init": [AT_LEAST_1],
        "init": [StrOptions({"random", "classical_mds", "pca"}), "array-like"],
        "max_iter": [AT_LEAST_1],
        "verbose": ["verbose"],
        "eps": [NOT_NEGATIVE],
        "n_jobs": [None, Integral],
        "random_state": RANDOM_STATE,
        "dissimilarity": [StrOptions({"euclidean", "precomputed", "deprecated"})],
        "metric": [str, callable, "boolean"],
        "metric_params": [dict, None],
        "normalized_stress": ["boolean", StrOptions({"auto"})],
        "transformation": [StrOptions({"ratio", "interval", "ordinal", "spline"}), None],
        "ties": [StrOptions({"secondary", "primary", "tertiary"})],
        "n_pairs": [AT_LEAST_1, None],
        "missing": [StrOptions({"expected", "pairwise"})],
    }

    def __init__(
        self,
        n_components=2,
        *,
        metric_mds=True,
        n_init=1,
        init="classical_mds",
        max_iter=300,
        verbose=0,
        eps=1e-6,
        n_jobs=None,
        random_state=None,
        dissimilarity="deprecated",
        metric="euclidean",
        metric_params=None,
        normalized_stress="auto",
        transformation=None,
        ties="secondary",
        n_pairs=None,
        missing="expected",
    ):
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress
        self.transformation = transformation
        self.ties = ties
        self.n_pairs = n_pairs
        self.missing = missing

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, init=None, weights=None):
        """Learn a place for each row of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            The rows. With metric='precomputed' their dissimilarities (n, n), symmetric; NaN are
            missing. A sparse matrix of them has those that are known.
        y : accepted for compatibility with scikit-learn; ignored
        init : array of shape (n, k), default=None
            Where the search starts, instead of what the argument `init` of the class says.
        weights : array of shape (n, n), default=None
            How much each pair counts, symmetric, 0 or more; None means 1.
        """
        self._warn_of_earlier_names(X)
        if self._asked_metric().is_precomputed:
            _refuse_unknown_rows(X)
        return self._fit_map(X, init=init, weights=weights)

    def fit_transform(self, X, y=None, init=None, weights=None):
        """Learn the map, and return `embedding_`."""
        return self.fit(X, y, init=init, weights=weights).embedding_

    def _learn(self, points: Points, **given: Any) -> None:
        random = random_generator(self.random_state)
        metric, asked = self._metric, self._asked()
        weights = self._checked_weights(given["weights"])
        problem = problem_of(
            points, metric, asked, weights, lambda k: self._neighbors(points, k), random
        )
        unit = float(in_units_of_x(np.ones(1), points, metric)[0])
        self._unit = self._scale = unit
        if asked.transformation == "ratio":
            self._scale = float(np.sqrt(problem.total_weight / (problem.size or 1.0)))
        elif asked.transformation is not None:
            self._scale = 1.0
        best = self._search(problem, points, given["init"], weights, random)
        Y = self._joined(centered(best))
        self._set_stress(problem.fit(Y), asked)
        self._curve = problem.curve(Y)
        self._anchors = _anchors_of(points.n, random)
        Y = Y * self._scale
        self.embedding_ = Y.astype(np.float32) if points.rows.dtype == np.float32 else Y

    def _search(
        self, problem: Any, points: Points, init: Any, weights: Any, random: np.random.Generator
    ) -> np.ndarray:
        """The map of least stress, in the unit of the problem; sets history_ and its likes."""
        found: list[tuple[float, int, np.ndarray, tuple]] = []
        for Y in self._starts(points, init, weights, random):
            at = self._descent(problem, Y)
            found.append((at.search.objective, len(found), at.search.point, self._reached()))
        _, _, Y, reached = min(found)
        self.history_, self.n_iter_, self.converged_ = reached
        return Y

    def _descent(self, problem: Any, Y: np.ndarray) -> Descent:
        size, scale = problem.size or 1.0, self._scale
        loop = iterate(
            self,
            descent_from(problem, Y),
            max_iter=self.max_iter,
            tol=self.eps,
            tol_name="eps",
            attributes=lambda at: {"embedding_": at.search.point * scale},
        )
        for at in loop:
            loop.params = descended(problem, at)
            loop.record(loop.params.search.objective / size, loop.params.change)
        return loop.params

    def _reached(self) -> tuple:
        return self.history_, self.n_iter_, self.converged_

    def _starts(self, points: Points, init: Any, weights: Any, random: np.random.Generator) -> Any:
        init = self.init if init is None else init
        by_name = isinstance(init, str)
        if not by_name and self.n_init != 1:
            warnings.warn(
                "Explicit initial positions passed: performing only one init of the MDS instead "
                f"of {self.n_init}",
                UserWarning,
                stacklevel=level_of_caller(),
            )
        if not by_name:
            init = given_places(init, self._n_rows, self.n_components)[self._kept]
            check_spread(init, points)
            belongs_to_fit(ArrayBlocks(init), "init")
        for _ in range(self.n_init if by_name and init == "random" else 1):
            Y = first_places(init, points, self.n_components, self._metric, weights, random)
            yield Y if by_name else Y * (self._unit / self._scale)

    def _joined(self, Y: np.ndarray) -> np.ndarray:
        """Equal rows in one place: the mean of theirs."""
        if self._groups.all_differ:
            return Y
        group = self._groups.group
        count = np.bincount(group)
        return np.column_stack([(np.bincount(group, y) / count)[group] for y in Y.T])

    def _set_stress(self, fit: Fit, asked: Asked) -> None:
        normalized = self.normalized_stress
        if normalized == "auto":
            normalized = asked.transformation is not None
        if not normalized:
            self.stress_ = fit.stress * self._scale * self._scale
        else:
            self.stress_ = fit.relative if asked.transformation is None else fit.kruskal

    # ---- place -----------------------------------------------------------------------------------

    def _place(self, points: Points) -> np.ndarray:
        chosen = slice(None) if self._anchors is None else self._anchors
        anchors = anchors_of(self._places[chosen] / self._scale)
        size = max(1, BLOCK // len(anchors.Y))
        parts = [
            self._place_block(points.take(slice(first, first + size)), chosen, anchors.Y)
            for first in range(0, points.n, size)
        ]
        return np.concatenate(parts) * self._scale

    def _place_block(self, new: Points, chosen: Any, Y: np.ndarray) -> np.ndarray:
        f = self._disparity(self._to_anchors(new, chosen))
        places = np.empty((len(f), Y.shape[1]))
        known = ~np.isnan(f)
        complete = known.all(axis=1)
        if complete.any():
            places[complete] = place(f[complete], anchors_of(Y))
        for i in np.flatnonzero(~complete):  # pairs that are NaN do not count
            places[i] = place(f[i : i + 1, known[i]], anchors_of(Y[known[i]]))[0]
        return places

    def _to_anchors(self, new: Points, chosen: Any) -> np.ndarray:
        metric = self._metric
        if not metric.is_precomputed:
            return distances(new, self._points.take(chosen), metric)
        if not sp.issparse(new.rows):
            return np.asarray(new.rows[:, chosen], dtype=np.float64)
        D = np.full(new.rows.shape, np.nan)
        row = np.repeat(np.arange(len(D)), np.diff(new.rows.indptr))
        D[row, new.rows.indices] = new.rows.data
        return D[:, chosen]

    def _disparity(self, dissimilarity: np.ndarray) -> np.ndarray:
        """f of dissimilarities in the unit of points, in the unit of the search."""
        return (
            dissimilarity
            if self._curve is None
            else disparities_at(Curve(*self._curve), dissimilarity)
        )

    def disparities(self, dissimilarity):
        """f(delta): what distance in the map each dissimilarity asks for.

        Parameters
        ----------
        dissimilarity : array of any shape
            In the units of X.

        Returns
        -------
        ndarray of that shape
        """
        check_is_fitted(self)
        given = numeric_array(dissimilarity, "dissimilarity", type(self).__name__)
        values = given.astype(np.float64) / self._unit
        return self._disparity(values) * self._scale

    @property
    def dissimilarity_matrix_(self) -> np.ndarray:
        """Pairwise dissimilarities of the training rows (n, n)."""
        if not hasattr(self, "_points"):
            raise AttributeError("dissimilarity_matrix_ is there after fit.")
        points, metric = self._points, self._metric
        if metric.is_precomputed:
            return points.rows * points.unit
        return square_of(between_of(points, metric), points.n) * self._unit

    # ---- what was asked for ----------------------------------------------------------------------

    def _asked(self) -> Asked:
        name, k = self._asked_transformation(), self.n_components
        return Asked(name, self.ties, self.n_pairs, self.eps, k)

    def _asked_transformation(self) -> str | None:
        by_order = not (self.metric if isinstance(self.metric, bool) else self.metric_mds)
        return "ordinal" if by_order and self.transformation is None else self.transformation

    def _asked_metric(self) -> Metric:
        if self.dissimilarity != "deprecated":
            return metric_of(self.dissimilarity)
        name = "euclidean" if isinstance(self.metric, bool) else self.metric
        return metric_of(name, self.metric_params)

    def _checked_weights(self, weights: Any) -> np.ndarray | None:
        if weights is None:
            return None
        W = square_matrix(weights, "weights", "MDS", zero_diagonal=False)
        n = self._n_rows
        if len(W) != n:
            raise ValueError(
                f"weights has shape {W.shape}; ({n}, {n}) is needed, one for each pair of rows."
            )
        if len(self._kept) < n:
            W = np.ascontiguousarray(W[np.ix_(self._kept, self._kept)])
        belongs_to_fit(ArrayBlocks(W), "weights")
        return W

    def _warn_of_earlier_names(self, X: Any) -> None:
        if self.dissimilarity != "deprecated":
            if not isinstance(self.metric, bool) and self.metric != "euclidean":
                raise ValueError(
                    "You provided both `dissimilarity` and `metric`. Please use only `metric`."
                )
            _warn(
                "The `dissimilarity` parameter is deprecated and will be removed in "
                "scikit-learn 1.10. Use `metric` instead."
            )
        if isinstance(self.metric, bool):
            _warn(
                f"Use metric_mds={self.metric} instead of metric={self.metric}. The support for "
                "metric={True/False} will be dropped in scikit-learn 1.10."
            )
        shape: Any = getattr(X, "shape", ())
        is_known = len(shape) == 2 and isinstance(shape[0], int)  # a Dask data frame has to count
        is_square = is_known and shape[0] == shape[1]
        if is_square and not self._asked_metric().is_precomputed:
            _warn(
                "X is a square matrix, and its rows are taken as rows with columns. If they are "
                "dissimilarities, give metric='precomputed'.",
                UserWarning,
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        metric = "euclidean" if isinstance(self.metric, bool) else self.metric
        named = metric if self.dissimilarity == "deprecated" else self.dissimilarity
        tags.input_tags.pairwise = isinstance(named, str) and named == "precomputed"
        tags.input_tags.allow_nan = self._takes_nan(named)
        return tags


def _warn(message: str, category: type[Warning] = FutureWarning) -> None:
    warnings.warn(message, category, stacklevel=level_of_caller())


def _refuse_unknown_rows(D: Any) -> None:
    """Raise if a row of given dissimilarities has none; such rows of a table are left out."""
    if not isinstance(D, np.ndarray) or D.dtype.kind != "f" or D.ndim != 2:
        return
    unknown = np.isnan(D).all(axis=1)
    if unknown.any():
        raise ValueError(
            f"X has NaN for all dissimilarities of row {int(np.argmax(unknown))}: nothing says "
            "where in the map it belongs. Leave out its row and column."
        )


def _anchors_of(n: int, random: np.random.Generator) -> np.ndarray | None:
    """The points among which new ones are placed; None: all."""
    return np.sort(random.choice(n, ANCHORS, replace=False)) if n > MANY_ROWS else None
