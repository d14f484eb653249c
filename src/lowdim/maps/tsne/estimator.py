"""t-SNE: a map in which neighbours of the rows are neighbours.

    minimise over Y   KL(P || Q) = sum_ij p_ij log(p_ij / q_ij)

    p_ij = (p_j|i + p_i|j) / 2n,   p_j|i  proportional to exp(-|x_i - x_j|^2 / 2 sigma_i^2)
    q_ij = w_ij / sum_kl w_kl,     w = 1 / (1 + |y_i - y_j|^2)

P is sparse (`neighborhoods.py`), all pairs of the map repel each other through a field on a mesh
(`maps/field`), and the descent has an early phase in which P is exaggerated (`learning.py`).

Cost of a step: O(n perplexity) for the neighbours, O(n + extent^2 log extent) for all pairs.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    Integral,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Below, Either, Maybe
from lowdim.maps.base import OF_MAPS, Map
from lowdim.maps.field import Field
from lowdim.maps.field.radial import Radial, radial
from lowdim.maps.neighbors.search import nearest_to
from lowdim.maps.placing import PERPLEXITY, largest_shares, neighbor_shares, placed
from lowdim.maps.points import AFFINITY, Points
from lowdim.maps.start import check_start, small_start
from lowdim.maps.tsne.attraction import Pairs, pairs_of
from lowdim.maps.tsne.descent import Forces, map_divergence
from lowdim.maps.tsne.landmarks import drawn_landmarks, walked
from lowdim.maps.tsne.learning import descend, schedule_of, tell
from lowdim.maps.tsne.neighborhoods import learned_affinities, neighborhoods
from lowdim.maps.tsne.repulsion import FINE

MOST_AXES = 3  # of meshes and trees
ROWS_AT_A_TIME = 2**14  # that are placed among landmarks


class TSNE(Map):
    """t-SNE: a map in which neighbours of the rows are neighbours.

    Minimises  KL(P || Q) = sum_ij p_ij log(p_ij / q_ij),  where p_ij says how likely rows i and j
               pick each other as neighbours, and q_ij the same of their places in the map, with
               weights 1 / (1 + d^2) that let what is far be farther.

    Cost: a step takes O(n perplexity) time for pairs of neighbours, and O(n + extent^2 log extent)
    for all pairs by FFT. 20,000 rows: 13 s of processor time for 1000 steps.
    Use it to look for groups and neighbours. Sizes of groups, gaps between them and axes mean
    nothing: `MDS` and `PCA` keep distances.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map. More than 3 need method="exact" or "auto" (all pairs).
    perplexity : float or list of floats, default=30.0
        About how many neighbours a row has; larger: coarser structure. Must be less than the number
        of rows. Several: each row's shares are the mean over them (multiscale).
    early_exaggeration : float, default=12.0
        P is multiplied with this in the early phase; larger: tighter groups, farther apart.
    learning_rate : float or "auto", default="auto"
        Length of steps. "auto": n / exaggeration / 4 in each phase.
    max_iter : int, default=1000
        Steps in all.
    n_iter_without_progress : int, default=300
        Stop after so many steps, after the early phase, in which the divergence did not fall;
        looked at every 25 steps.
    min_grad_norm : float, default=1e-7
        A phase ends when the gradient is smaller; looked at every 25 steps, from the 50th on.
    metric : str or callable, default="euclidean"
        Distance of rows; "precomputed": X are distances, dense or a sparse graph of neighbours;
        "precomputed_affinity": X is P itself, n x n numbers from 0 up.
    metric_params : dict, default=None
        Further arguments of the metric.
    init : {"pca", "random", "classical_mds"} or array of shape (n, n_components), default="pca"
        Where the map starts. All but an array are shrunk to a spread of 1e-4. Distances have no
        principal axes, affinities only "random" or an array.
    verbose : int, default=0
        Above 0 prints what is done and shows progress bars, above 1 also prints the divergence
        every 50 steps.
    random_state : int, Generator, RandomState or None, default=None
        For init="random", and for approximate neighbours.
    method : {"auto", "fft", "barnes_hut", "exact"}, default="auto"
        How all pairs of the map are summed up. "fft": on a mesh. "auto": the same, direct sums
        where these are quicker (few rows). "barnes_hut": a tree of cells, about 20 times slower
        than a mesh. "exact": all pairs, of P too; for up to some thousand rows.
    angle : float, default=0.5
        For "barnes_hut": a cell is one point if its side is less than angle times its distance.
    n_jobs : int or None, default=None
        Accepted for compatibility with scikit-learn; ignored: `lowdim.set_config(threads=...)`.
    dof : float or None, default=None
        Degrees of freedom of Student's weights in the map; less than 1: groups split further.
        None: max(n_components - 1, 1).
    exaggeration : float or None, default=None
        P is multiplied with this after the early phase; above 1: tighter groups. None: 1.
    early_exaggeration_iter : int, default=250
        Steps of the early phase.
    early_compression : float, default=0.0
        In the early phase this times the mean of |y|^2 is minimised, too: points pass each other.
    affinity : {"gaussian", "uniform"}, default="gaussian"
        Shares of a row's neighbours; "uniform": the `perplexity` nearest have equal ones.
    anneal_perplexity : float or None, default=None
        Perplexity of the early phase; a large one lays out the whole first.
    landmarks : int or None, default=None
        Lay out so many rows, drawn at random: their affinities are those of random walks over the
        neighbours of all rows. The others are placed among them as new rows are. For large tables.
    neighbors : str, (indices, distances), sparse matrix or object with kneighbors, default="auto"
        How neighbours are found, or which they are; see `lowdim.neighbors`.
    missing : {"expected", "pairwise"}, default="expected"
        What distances are where rows have NaN; see `lowdim.neighbors`.
    pca_components : int or None, default=None
        Look at so many principal components of the rows instead of the rows.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components), float32
        The place y of each row.
    kl_divergence_ : float
        KL(P || Q) of the map, P not exaggerated; with `landmarks` of these.
    n_iter_ : int
        The number of the last step, counted from 0 as scikit-learn does.
    learning_rate_ : float
        Length of steps in the early phase.
    affinities_ : csr_array of shape (n, n)
        P; with `landmarks` that of these. It is no part of model files.
    landmarks_ : ndarray of shape (landmarks,) or None
        The numbers of the rows that were laid out; None: all.
    bandwidths_ : ndarray of shape (n,) or (n, number of perplexities)
        sigma of each row, in units of X. None with metric="precomputed_affinity".
    history_ : ndarray
        KL(P || Q) every 25 steps.
    n_features_in_ : int

    See Also
    --------
    UMAP : quicker for large tables, and with more of the large structure.
    SNE, SymmetricSNE : with Gaussian weights in the map, which crowd its middle.
    MDS : keeps distances.

    Notes
    -----
    The default is not scikit-learn's method="barnes_hut": a mesh gives the same map in less time.
    The step is n / exaggeration in each phase (Belkina et al. 2019), not only in the first one, so
    a map of the same number of steps is closer to the minimum.

    `transform` places a new row where KL(p(.|x) || q(.|y)) at perplexity 5 is least, among the
    training rows, which stay.

    References
    ----------
    van der Maaten and Hinton (2008), Visualizing data using t-SNE. JMLR 9.
    van der Maaten (2014), Accelerating t-SNE using tree-based algorithms. JMLR 15.
    Linderman et al. (2019), Fast interpolation-based t-SNE. Nature Methods 16.
    Kobak, Linderman, Steinerberger, Kluger, Berens (2020), Heavy-tailed kernels reveal a finer
    cluster structure in t-SNE visualisations. ECML.
    Poličar, Stražar, Zupan (2023), Embedding to reference t-SNE space. Machine Learning 112.

    Examples
    --------
    >>> import numpy as np
    >>> import lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(90, 5)) + 8 * np.repeat(np.eye(5)[:3], 30, axis=0)
    >>> model = lowdim.TSNE(perplexity=10, random_state=0).fit(X)
    >>> centers = model.embedding_.reshape(3, 30, 2).mean(axis=1)
    >>> own = np.linalg.norm(model.embedding_[:30] - centers[0], axis=1)
    >>> other = np.linalg.norm(model.embedding_[:30] - centers[1], axis=1)
    >>> bool((own < other).all())
    True
    """

    takes_affinity: ClassVar[bool] = True
    not_saved: ClassVar[frozenset[str]] = frozenset({"affinities_", "_field"})
    shapes: ClassVar[dict[str, Any]] = {
        "kl_divergence_": (),
        "learning_rate_": (),
        "affinities_": Maybe(("m", "m")),
        "landmarks_": Maybe(Below("n", ("m",))),
        "bandwidths_": Maybe(Either((("n",), ("n", "scales")))),
    }
    warmed_together: ClassVar[tuple] = ({"n_components": 1},)  # maps in the plane have their own

    _parameter_constraints: ClassVar[dict] = {
        **OF_MAPS,
        "perplexity": [POSITIVE, list, tuple, np.ndarray],
        "early_exaggeration": [Interval(Real, 1, None, closed="left")],
        "learning_rate": [StrOptions({"auto"}), POSITIVE],
        "max_iter": [AT_LEAST_1],
        "n_iter_without_progress": [Interval(Integral, -1, None, closed="left")],
        "min_grad_norm": [NOT_NEGATIVE],
        "metric": [StrOptions({*OF_MAPS["metric"][0].options, AFFINITY}), callable],
        "init": [StrOptions({"pca", "random", "classical_mds"}), np.ndarray],
        "verbose": ["verbose"],
        "method": [StrOptions({"auto", "fft", "barnes_hut", "exact"})],
        "angle": [Interval(Real, 0, 1, closed="both")],
        "n_jobs": [None, Integral],
        "dof": [POSITIVE, None],
        "exaggeration": [POSITIVE, None],
        "early_exaggeration_iter": [AT_LEAST_0],
        "early_compression": [NOT_NEGATIVE],
        "affinity": [StrOptions({"gaussian", "uniform"})],
        "anneal_perplexity": [POSITIVE, None],
        "landmarks": [Interval(Integral, 2, None, closed="left"), None],
    }

    def __init__(
        self,
        n_components=2,
        *,
        perplexity=30.0,
        early_exaggeration=12.0,
        learning_rate="auto",
        max_iter=1000,
        n_iter_without_progress=300,
        min_grad_norm=1e-7,
        metric="euclidean",
        metric_params=None,
        init="pca",
        verbose=0,
        random_state=None,
        method="auto",
        angle=0.5,
        n_jobs=None,
        dof=None,
        exaggeration=None,
        early_exaggeration_iter=250,
        early_compression=0.0,
        affinity="gaussian",
        anneal_perplexity=None,
        landmarks=None,
        neighbors="auto",
        missing="expected",
        pca_components=None,
    ):
        self.n_components, self.perplexity = n_components, perplexity
        self.early_exaggeration, self.learning_rate = early_exaggeration, learning_rate
        self.max_iter, self.min_grad_norm = max_iter, min_grad_norm
        self.n_iter_without_progress = n_iter_without_progress
        self.metric, self.metric_params, self.init = metric, metric_params, init
        self.verbose, self.random_state, self.n_jobs = verbose, random_state, n_jobs
        self.method, self.angle, self.dof = method, angle, dof
        self.exaggeration, self.early_compression = exaggeration, early_compression
        self.early_exaggeration_iter = early_exaggeration_iter
        self.affinity, self.anneal_perplexity = affinity, anneal_perplexity
        self.landmarks, self.neighbors = landmarks, neighbors
        self.missing, self.pca_components = missing, pca_components

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None):
        """Learn a place for each row of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            The rows; with metric="precomputed" their distances (n, n), with
            "precomputed_affinity" P.
        y : ignored
        """
        self._check_arguments()
        return self._fit_map(X)

    def _check_arguments(self) -> None:
        if self.n_components > MOST_AXES and self.method in ("barnes_hut", "fft"):
            raise ValueError(
                f"'n_components' should be at most {MOST_AXES} with method={self.method!r}, and is "
                f"{self.n_components}; choose method='exact' for maps of more dimensions."
            )
        metric = self._asked_metric()
        if metric.name == "mahalanobis" and not metric.params.keys() & {"V", "VI"}:
            raise ValueError(
                "Must provide either V or VI for Mahalanobis distance, the covariance or its "
                "inverse; for example metric_params={'V': np.cov(X.T)}."
            )
        check_start(self.init, metric)

    def _learn(self, points: Points, **given: Any) -> None:
        self.__dict__.pop("_field", None)
        random = random_generator(self.random_state)
        early = None
        if self.anneal_perplexity is None:  # the neighbours are not kept
            found = learned_affinities(self, points, neighborhoods(self, points), self.perplexity)
        else:
            near = neighborhoods(self, points)
            found = learned_affinities(self, points, near, self.perplexity)
            early = learned_affinities(self, points, near, self.anneal_perplexity).P
        self.affinities_, self.bandwidths_ = found
        self.landmarks_ = drawn_landmarks(self, points.n, random)
        some = points
        if self.landmarks_ is not None:
            some = points.take(self.landmarks_)
            self.affinities_ = walked(self.affinities_, self.landmarks_)
            early = None if early is None else walked(early, self.landmarks_)
        pairs = pairs_of(self.affinities_)
        phases = (pairs if early is None else pairs_of(early), pairs)
        schedule = schedule_of(self, some.n)
        self.learning_rate_ = schedule.early.learning_rate
        Y = small_start(self.init, some, self.n_components, metric=self._metric, random=random)
        layout = descend(self, Y, phases, self._forces, schedule)
        self.embedding_, self.n_iter_ = layout.Y, max(layout.step - 1, 0)
        if self.landmarks_ is not None:
            self.embedding_ = self._with_others(points, some, layout.Y)
        self._pairs = pairs

    def _with_others(self, points: Points, some: Points, Y: np.ndarray) -> np.ndarray:
        """The places of all points, from those of the landmarks."""
        places = np.empty((points.n, Y.shape[1]), np.float32)
        places[self.landmarks_] = Y
        others = np.delete(np.arange(points.n), self.landmarks_)  # type: ignore[arg-type]
        field = Field(Y, dof=self._forces.dof, spacing=FINE)
        for first in range(0, len(others), ROWS_AT_A_TIME):
            rows = others[first : first + ROWS_AT_A_TIME]
            k = min(int(3 * PERPLEXITY), some.n)
            numbers, distances = nearest_to(points.take(rows), some, k, metric=self._metric)
            shares = neighbor_shares(distances)
            places[rows] = placed(shares, numbers, Y, field.at, self._radial)
        return places

    def _publish(self) -> None:
        """The divergence is that of the map as it is given: equal rows share a place."""
        super()._publish()
        pairs: Pairs = self.__dict__.pop("_pairs")
        places = self._places if self.landmarks_ is None else self._places[self.landmarks_]
        self.kl_divergence_ = map_divergence(places, pairs, self._forces)
        last = f"Iteration {self.n_iter_ + 1}: error = {self.kl_divergence_:.7f}"
        tell(self, f"{last}, KL divergence after {self.n_iter_ + 1} iterations")

    @property
    def _radial(self) -> Radial:
        return radial("student", self._forces.dof)

    @property
    def _forces(self) -> Forces:
        dof = float(self.dof or max(self.n_components - 1, 1))
        return Forces(self.method, dof, float(self.angle))

    # ---- new rows --------------------------------------------------------------------------------

    def _place(self, points: Points) -> np.ndarray:
        places = self._places
        k = min(int(3 * PERPLEXITY), self._points.n)
        if self._asked_metric().name == AFFINITY:
            numbers, shares = largest_shares(points.rows, k)
        else:
            numbers, distances = self._nearest_to(points, k)
            shares = neighbor_shares(distances)
        if "_field" not in self.__dict__:
            self._field = Field(places, dof=self._forces.dof, spacing=FINE)
        return placed(shares, numbers, places, self._field.at, self._radial)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]  # the map is float32
        return tags
