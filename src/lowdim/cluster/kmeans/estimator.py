"""k-means: each row is explained by the nearest of k centers.

    minimise over C, a     J = sum_i w_i ||x_i - c_a(i)||^2

    fixed C:  a(i) = argmin_j ||x_i - c_j||^2      -> statistics, in `assignment.py`
    fixed a:  c_j  = mean of the rows assigned j   -> update

Neither half can raise J. One iteration: O(n k d) time at the most, O(k d) memory beside one block;
in memory, what is remembered of every row (up to five numbers each) saves most of the time.

Rows with missing values count by what is observed of them (`missing.py`), seeds lie far apart
(`seeding.py`), rows that come one after the other are learned from by `online.py`.
"""

from __future__ import annotations

import warnings
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from lowdim.cluster.coreset import draw_coreset
from lowdim.cluster.kmeans import online as kmeans_online
from lowdim.cluster.kmeans.assignment import (
    Setting,
    distances,
    nearest,
    setting_of,
    statistics,
)
from lowdim.cluster.kmeans.lloyd import Descent, best_of
from lowdim.cluster.kmeans.start import online_start, start
from lowdim.cluster.kmeans.summary import summary_of
from lowdim.cluster.plane import ClusterPlot, named, plane_of
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.gains import FALLING, power_of
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import check_at_most, check_finite_rows, check_weights
from lowdim.linalg.moments import unit_for

ONLINE_ROWS = 4096  # of a stream, learned from at a time


class KMeans(Transformer, ClusterMixin, ClusterPlot, Estimator):
    """k-means: each row is explained by the nearest of k centers.

    Minimises  J = sum_i w_i min_j ||x_i - c_j||^2  by Lloyd's alternation: rows go to their nearest
               center, centers to the mean of their rows. A missing entry counts as in the center.

    Cost: O(n k d) per pass at the most, O(k d) memory beside one block of rows and, in memory,
    up to five numbers per row.
    Use it for round clusters of like size; a Gaussian mixture has clusters of any shape.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of centers k.
    init : {'k-means++', 'random', 'k-means||'}, array (k, d) or callable, default='k-means++'
        Where to start: rows that lie far apart, any rows, rows far apart found in a few passes over
        all rows, these centers, or what ``init(X, n_clusters, random_state=...)`` returns. Of more
        than 20000 rows (100 per cluster), the first two look at so many at random, and k-means on
        them comes first.
    n_init : int or 'auto', default='auto'
        Starts, of which the best result is kept; 'auto' is 10 for 'random' and a callable, and on a
        coreset, where they cost little; else 1.
    max_iter : int, default=300
        Iterations at the most, each a pass over the rows.
    tol : float, default=1e-4
        Stop when the centers' squared movements add up to less than this part of a column's mean
        variance; also once no row changes its cluster.
    verbose : int, default=0
        Above 0: show progress bars, also where none would be (`lowdim.set_config(progress=...)`).
    random_state : int, Generator, RandomState or None, default=None
        For the start and the coreset.
    copy_x : bool, default=True
        Accepted for compatibility with scikit-learn; ignored: X is never written to, nor copied.
    algorithm : {'auto', 'lloyd', 'elkan'}, default='auto'
        'lloyd' measures all distances in every pass; 'elkan' keeps bounds on those of each row and
        measures only the rows in doubt, as soon as they are few, if rows are in memory, dense and
        complete. 'auto' is 'elkan'. The result is the same.
    coreset : int or None, default=None
        Learn from so many weighted rows, drawn by `lowdim.coreset`, instead of all.
    gain : {'count', 'harmonic', 'decreasing'} or float, default='count'
        How far `partial_fit` moves a center towards a row it wins: one over the number t of rows it
        has won, so that it is their mean ('harmonic' is the same); t^-0.6, so that early rows are
        forgotten; or this part of the way (above 0, at most 1), so that it follows a drift.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        C.
    labels_ : ndarray of shape (n,)
        a: the nearest center of each row; after `partial_fit`, of the rows given last.
    inertia_ : float
        J at the centers, over all rows; after `partial_fit`, what the rows given last cost as they
        came.
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations of the best start, J at each, and whether they sufficed.
    counts_ : ndarray of shape (k,)
        Weight of the rows in each cluster; what `partial_fit` goes on from.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    coreset : a few weighted rows that stand for many.
    MixtureOfFactorAnalyzers : clusters that are flat.

    Notes
    -----
    A cluster that loses all its rows starts anew from the row farthest from its center.

    Of up to 20000 rows (100 per cluster), 'k-means++' and 'random' draw the same seeds in whatever
    order the rows come, and a row of weight 2 is a row twice. 'k-means||' and coresets draw by the
    number of a row.

    Sparse rows find the clusters of the same dense rows. Of more than 20000 (100 per cluster) seeds
    are drawn from the same ones, but k-means on these does not come first: what makes it cheap, the
    bounds, dense rows alone have.

    References
    ----------
    Lloyd (1982), Least squares quantization in PCM. Arthur and Vassilvitskii (2007), k-means++.
    Bahmani et al. (2012), Scalable k-means++. Hamerly (2010), Making k-means even faster. Chi, Chi
    and Baraniuk (2016), k-POD.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import KMeans
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> model = KMeans(2, random_state=0).fit(X, sample_weight=[1, 3, 1, 1])
    >>> np.sort(model.cluster_centers_.ravel())
    array([0.75, 9.5 ])
    >>> model.inertia_
    1.25
    """

    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "cluster_centers_": ("k", "d"),
        "counts_": Maybe(("k",)),
        "labels_": Maybe(("n",)),
        "inertia_": Maybe(()),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [AT_LEAST_1],
        "init": [StrOptions({"k-means++", "random", "k-means||"}), callable, "array-like"],
        "n_init": [StrOptions({"auto"}), AT_LEAST_1],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "verbose": ["verbose"],
        "random_state": RANDOM_STATE,
        "copy_x": ["boolean"],
        "algorithm": [StrOptions({"auto", "lloyd", "elkan"})],
        "coreset": [AT_LEAST_1, None],
        "gain": [StrOptions(set(FALLING)), Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="auto",
        coreset=None,
        gain="count",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.coreset = coreset
        self.gain = gain

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Find the centers of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        self._check_enough_rows(rows, weight)
        random = random_generator(self.random_state)
        summary = summary_of(self, rows, weight)
        learned, its_weight = self._learned_rows(rows, weight, summary, random)
        starts = (
            start(self, learned, its_weight, summary, random) for _ in range(self._n_starts())
        )
        runs = [self._descend(centers, learned, its_weight, summary) for centers in starts]
        best = best_of(runs)
        if self.coreset is not None:
            best = self._judged(best, rows, weight, summary)
        self._publish(best, rows, summary)
        return self

    @fitting
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from further complete rows, one after the other: the winner takes all.

        The first call seeds the centers from its rows as `init` says, and then learns from them;
        after `fit` the centers go on from where they are.
        """
        fitted = hasattr(self, "cluster_centers_")
        rows = self.open_rows(X, reset=not fitted, check_finite=False)
        if check_finite_rows(self, rows, allow_nan=True).nan.any():
            raise ValueError(
                "X has NaN; KMeans.partial_fit learns from complete rows. Give all rows to fit, "
                "which learns from rows with missing values."
            )
        weight = check_weights(sample_weight, rows)
        if not fitted:
            if isinstance(self.init, str):
                self._check_enough_rows(rows, weight)
            summary = summary_of(self, rows, weight)
            random = random_generator(self.random_state)
            centers = online_start(self, rows, weight, summary, random)
            self.cluster_centers_ = summary.in_data(centers).astype(rows.dtype)
            self.counts_ = np.zeros(self.n_clusters)
        self._learn_online(rows, weight)
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        """Find the centers of X, and the nearest one of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(self, X, y=None, sample_weight=None):
        """Find the centers of X, and the distances of each row from them."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    # ---- encode and judge ------------------------------------------------------------------------

    def predict(self, X):
        """Number of the nearest center for each row, over its observed entries."""
        rows = self.open_rows(X, reset=False)
        return rows.map(nearest, setting_of(self.cluster_centers_, rows))

    def transform(self, X):
        """Distance of each row from each center, over its observed entries."""
        rows = self.open_rows(X, reset=False)
        return rows.map(distances, setting_of(self.cluster_centers_, rows))

    def score(self, X, y=None, sample_weight=None):
        """-J of these rows at the centers: the higher the better."""
        rows = self.open_rows(X, reset=False)
        weight = check_weights(sample_weight, rows)
        setting = setting_of(self.cluster_centers_, rows)
        sums = rows.fold(statistics, setting, along=(weight,))
        return -_in_data(sums.inertia, setting.frame.unit)

    # ---- inside ----------------------------------------------------------------------------------

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)

    def _check_enough_rows(self, rows, weight):
        n = rows.shape[0]
        n_rows = n if weight is None else int(np.count_nonzero(weight))
        check_at_most("n_clusters", self.n_clusters, n_rows, f"rows of X (n_samples={n})")

    def _learned_rows(self, rows, weight, summary, random):
        """All rows, or a coreset of them, and their weights."""
        if self.coreset is None:
            return rows, weight
        check_at_most("n_clusters", self.n_clusters, self.coreset, "rows of the coreset")
        if summary.has_missing:
            raise ValueError(
                f"X has NaN; coreset={self.coreset} needs complete rows. Leave it out, or fill "
                "them first, for example with lowdim.PCA(...).fit(X).impute(X)."
            )
        points, its_weight = draw_coreset(rows, self.coreset, random, weight)
        return ArrayBlocks(points), its_weight

    def _n_starts(self):
        """Number of starts; centers that are given start once."""
        if isinstance(self.init, str) or callable(self.init):
            several = callable(self.init) or self.init == "random" or self.coreset is not None
            return (10 if several else 1) if self.n_init == "auto" else self.n_init
        if self.n_init not in ("auto", 1):
            warnings.warn(
                f"n_init={self.n_init} is ignored: init gives the centers to start from, once.",
                RuntimeWarning,
                stacklevel=level_of_caller(),
            )
        return 1

    def _descend(self, centers, rows, weight, summary):
        """Lloyd's algorithm from one start."""
        how = {
            "has_missing": summary.has_missing,
            "remember": rows.in_memory is not None and not summary.has_missing,
            "bounded": self.algorithm != "lloyd",
        }
        descent = Descent(rows, weight, summary.frame, len(centers), **how)
        loop = iterate(self, descent.start(centers), max_iter=self.max_iter, tol=self.tol)
        for state in loop:
            inertia, new = descent.step(state)
            shift = float(descent.shift.sum())
            change = shift / summary.variance if summary.variance > 0 else shift
            loop.record(_in_data(inertia, summary.frame.unit), change=change)
            loop.params = new
        sums, labels = descent.judge(loop.params)
        history = np.array(loop.history)
        centers = loop.params.centers
        return KMeansRun(centers, labels, sums.count, sums.inertia, history, loop.converged)

    def _judged(self, run, rows, weight, summary):
        """A run on a coreset, measured on all rows."""
        setting = Setting(run.centers, summary.frame, summary.has_missing)
        sums = rows.fold(statistics, setting, along=(weight,))
        return run._replace(labels=None, counts=sums.count, inertia=sums.inertia)

    def _publish(self, best, rows, summary):
        labels = best.labels
        if labels is None or rows.n_left_out:
            has_missing = summary.has_missing or rows.n_left_out > 0
            setting = Setting(best.centers, summary.frame, has_missing)
            labels = rows.all_rows.map(nearest, setting)
        self.cluster_centers_ = summary.in_data(best.centers).astype(rows.dtype)
        self.labels_ = np.asarray(labels)
        self.inertia_ = _in_data(best.inertia, summary.frame.unit)
        self.counts_ = best.counts
        self.history_, self.converged_ = best.history, best.converged
        self.n_iter_ = len(best.history)
        used = int(np.count_nonzero(best.counts))
        if used < self.n_clusters:
            warnings.warn(
                f"Only {used} of n_clusters={self.n_clusters} clusters have rows: X has too few "
                "different rows. Choose fewer clusters.",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )

    def _draw_clusters(self, ax, rows, sample):
        from lowdim.plots import cluster_map, voronoi_map

        labels = nearest(sample, setting_of(self.cluster_centers_, rows))
        if not sp.issparse(sample):
            sample = np.where(np.isnan(sample), self.cluster_centers_[labels], sample)
        plane = plane_of(sample, getattr(self, "feature_names_in_", None))
        points = plane.points(sample)
        if rows.n_columns == 2:
            ax = voronoi_map(points, self.cluster_centers_, labels, ax=ax)
        else:
            ax = cluster_map(points, labels, ax=ax)
        return named(ax, plane)

    def _learn_online(self, rows, weight):
        gain = -power_of(self.gain) if isinstance(self.gain, str) else float(self.gain)
        centers, counts = self.cluster_centers_.astype(np.float64), self.counts_.copy()
        labels, inertia = [], 0.0
        for X, *w in rows.batches(ONLINE_ROWS, along=(weight,)):
            X = X.toarray() if sp.issparse(X) else X
            w = np.ones(len(X)) if w[0] is None else w[0]
            X = X.astype(np.float64)
            unit = unit_for(max(X.max(), -X.min(), np.abs(centers).max()), X.dtype)
            if unit != 1.0:
                X /= unit
                centers /= unit
            label, cost = kmeans_online.learn(X, w, centers, counts, gain)
            centers *= unit
            labels.append(label)
            inertia += _in_data(cost, unit)
        self.cluster_centers_, self.counts_ = centers.astype(rows.dtype), counts
        self.labels_, self.inertia_ = np.concatenate(labels), inertia


def _in_data(square: float, unit: float) -> float:
    """A square measured in the frame, in the unit of the data; infinite beyond float64."""
    return float(square) * unit * unit


class KMeansRun(NamedTuple):
    """Where one start has led."""

    centers: np.ndarray  # (k, d)  in the frame
    labels: np.ndarray | None  # (n,)  if they are known
    counts: np.ndarray  # (k,)
    inertia: float  # in the frame
    history: np.ndarray
    converged: bool
