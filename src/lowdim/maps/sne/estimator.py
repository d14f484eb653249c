"""Stochastic neighbour embedding: rows pick neighbours, and their places in the map do the same.

    p_j|i  ~  exp(-|x_i - x_j|^2 / 2 sigma_i^2)     (`maps/affinities`)
    q_j|i  ~  exp(-|y_i - y_j|^2)

    SNE             minimise over Y   sum_i KL(P_i || Q_i)
    SymmetricSNE    minimise over Y   KL(P || Q), one distribution of all pairs

Both are springs between neighbours, and a repulsion of all points (`springs.py`); steps downhill
with momentum (`steps.py`).
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.loop import iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.maps.affinities import Affinities
from lowdim.maps.base import OF_MAPS, Map
from lowdim.maps.field import Field
from lowdim.maps.field.radial import radial
from lowdim.maps.placing import PERPLEXITY, largest_shares, neighbor_shares, placed
from lowdim.maps.points import AFFINITY, Points
from lowdim.maps.sne.neighborhoods import pair_affinities, row_affinities
from lowdim.maps.sne.repulsion import MOST_ROWS, SPACING, gauss_sums
from lowdim.maps.sne.springs import Springs, descent, springs
from lowdim.maps.sne.steps import CHUNK, SETTLED, State, advance, plan_of
from lowdim.maps.start import check_start, small_start

_ARGUMENTS = {
    **OF_MAPS,
    "perplexity": [POSITIVE],
    "learning_rate": [StrOptions({"auto"}), POSITIVE],
    "max_iter": [AT_LEAST_1],
    "early_exaggeration": [Interval(Real, 1, None, closed="left")],
    "noise": [NOT_NEGATIVE],
    "momentum": [Interval(Real, 0, 1, closed="left")],
    "init": [StrOptions({"pca", "random", "classical_mds"}), "array-like"],
    "metric": [StrOptions({*OF_MAPS["metric"][0].options, AFFINITY}), callable],
}
_ARGUMENTS.pop("pca_components")


class _NeighborMap(Map):
    """What both kinds share: all but the affinities."""

    takes_affinity: ClassVar[bool] = True
    not_saved: ClassVar[frozenset[str]] = frozenset({"affinities_", "_repulsion"})
    symmetric: ClassVar[bool]

    shapes: ClassVar[dict[str, Any]] = {
        "kl_divergence_": (),
        "bandwidths_": Maybe(("n",)),
        "affinities_": Maybe(("n", "n")),
    }
    warmed_together: ClassVar[tuple] = (
        {"neighbors": "exact", "perplexity": 1.0},
    )  # sparse springs

    # ---- learn -----------------------------------------------------------------------------------

    @abstractmethod
    def _affinities(self, points: Points) -> Affinities:
        """P of the training points, and its bandwidths."""

    def _learn(self, points: Points, **given: Any) -> None:
        check_start(self.init, self._metric)
        random = random_generator(self.random_state)
        self.affinities_, bandwidths = self._affinities(points)
        self.bandwidths_ = None if self.metric == AFFINITY else bandwidths
        force = springs(self.affinities_, symmetric=self.symmetric)
        Y = small_start(self.init, points, self.n_components, metric=self._metric, random=random)
        self.embedding_, self.n_iter_ = self._descended(force, Y.astype(np.float32), random)
        self._springs = force

    def _descended(
        self, force: Springs, Y: np.ndarray, random: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        """Where the steps lead, and how many they were."""
        plan = plan_of(
            self.learning_rate, self.momentum, self.early_exaggeration, self.noise, self.max_iter
        )
        first = State(Y, np.zeros_like(Y), 0, random)
        chunks = -(-self.max_iter // CHUNK)
        loop = iterate(self, first, max_iter=chunks, tol=0, attributes=_attributes)
        for state in loop:
            steps = min(CHUNK, self.max_iter - state.step)
            after, divergence, moved = advance(force, state, plan, steps)
            loop.record(divergence, change=0.0 if moved <= SETTLED else np.inf)
            loop.params = after
        return loop.params.Y, loop.params.step

    def _publish(self) -> None:
        """The divergence is that of the map as it is given: equal rows share a place."""
        super()._publish()
        self.__dict__.pop("_repulsion", None)
        force: Springs = self.__dict__.pop("_springs")
        places = np.ascontiguousarray(self._places, np.float32)
        self.kl_divergence_ = descent(force, places).divergence
        if not isinstance(self.learning_rate, str) and self.kl_divergence_ > self.history_[0]:
            warnings.warn(
                f"The map is worse than its start: the divergence rose from {self.history_[0]:.4g} "
                f"to {self.kl_divergence_:.4g}. learning_rate={self.learning_rate:g} is too large; "
                "choose a smaller one, or 'auto'.",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )

    # ---- new rows --------------------------------------------------------------------------------

    def _place(self, points: Points) -> np.ndarray:
        k = min(int(3 * PERPLEXITY), self._points.n)
        if self.metric == AFFINITY:
            numbers, shares = largest_shares(points.rows, k)
        else:
            numbers, distances = self._nearest_to(points, k)
            shares = neighbor_shares(distances)
        places = np.ascontiguousarray(self._places, np.float32)
        return placed(shares, numbers, places, self._pushed(places), radial("gauss"))

    def _pushed(self, places: np.ndarray) -> Any:
        """What gives phi and its gradient anywhere; a field is made once."""
        if len(places) <= MOST_ROWS:
            return _Direct(places)
        if "_repulsion" not in self.__dict__:
            self._repulsion = Field(places, kernel="gauss", spacing=SPACING).at
        return self._repulsion

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]  # the map is float32
        return tags


class _Direct:
    """phi and its gradient at places, by sums over all points."""

    def __init__(self, points: np.ndarray):
        self.points = points

    def __call__(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, force = gauss_sums(Z.astype(np.float32), self.points)
        return value, -2.0 * force


def _attributes(state: State) -> dict:
    return {"embedding_": state.Y, "n_iter_": state.step}


class SNE(_NeighborMap):
    """Stochastic neighbour embedding: a map in which rows pick the same neighbours.

    Minimises  sum_i KL(P_i || Q_i) = sum_ij p_j|i log(p_j|i / q_j|i),  where p_j|i says how likely
               row i picks row j as its neighbour, and q_j|i the same of their places in the map,
               both with Gaussian weights.

    Cost: a step takes O(n^2) up to 5,000 rows, and O(n perplexity + extent^2 log extent) beyond:
    20,000 rows take 18 s of processor time for 1000 steps.
    Use it to see what t-SNE changed: SNE crowds the middle of the map, since there is less room
    around a point in two dimensions than in many. For groups choose `TSNE`.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    perplexity : float, default=30.0
        About how many neighbours a row has; larger: coarser structure. If a row has no more others
        than that, a third of them is taken, with a warning.
    learning_rate : float or "auto", default="auto"
        Length of steps, as a factor of the gradient. "auto": each point has its own, by how
        strongly its neighbours pull at it.
    max_iter : int, default=1000
        Steps at the most; fewer if the map stands still.
    early_exaggeration : float, default=4.0
        P is multiplied with this in the first 100 steps (at most a quarter of all): groups form.
    noise : float, default=0.0
        Standard deviation of the jitter that points get after each step, in units of the map; it
        falls to 0 over the first quarter of all steps.
    momentum : float, default=0.8
        The part of a step that is made again in the next one; from 0 up, less than 1.
    init : {"pca", "random", "classical_mds"} or array of shape (n, n_components), default="pca"
        Where the map starts. All but an array are shrunk to a spread of 1e-4.
    metric : str or callable, default="euclidean"
        Distance of rows; "precomputed": X are distances, dense or a sparse graph of neighbours;
        "precomputed_affinity": X is P, n x n numbers from 0 up; rows are divided by their sums.
    metric_params : dict, default=None
        Further arguments of the metric.
    neighbors : str, (indices, distances), sparse matrix or object with kneighbors, default="auto"
        How neighbours are found, or which they are; see `lowdim.neighbors`. "auto" takes all pairs
        of up to 5,000 rows.
    missing : {"expected", "pairwise"}, default="expected"
        What distances are where rows have NaN; see `lowdim.neighbors`.
    random_state : int, Generator, RandomState or None, default=None
        For init="random", jitter, and approximate neighbours.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components), float32
        The place y of each row.
    kl_divergence_ : float
        sum_i KL(P_i || Q_i) of the map.
    n_iter_ : int
        Steps that were made.
    affinities_ : csr_array of shape (n, n)
        p_j|i: rows sum to 1. It is no part of model files.
    bandwidths_ : ndarray of shape (n,)
        sigma of each row, in units of X. None with metric="precomputed_affinity".
    history_ : ndarray
        The divergence every 25 steps.
    n_features_in_ : int

    See Also
    --------
    SymmetricSNE : one distribution of all pairs; simpler, and much the same map.
    TSNE : Student's weights in the map, which leave room for what is far.

    Notes
    -----
    `transform` places a new row where KL(p(.|x) || q(.|y)) at perplexity 5 is least, among the
    training rows, which stay.

    References
    ----------
    Hinton and Roweis (2002), Stochastic neighbor embedding. NIPS 15.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import SNE
    >>> X = np.random.default_rng(0).uniform(size=(80, 2))
    >>> model = SNE(perplexity=10, random_state=0).fit(X)
    >>> bool(model.kl_divergence_ < 0.05 * model.history_[0])  # a plane is its own map
    True
    """

    symmetric: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict] = _ARGUMENTS

    def __init__(
        self,
        n_components=2,
        *,
        perplexity=30.0,
        learning_rate="auto",
        max_iter=1000,
        early_exaggeration=4.0,
        noise=0.0,
        momentum=0.8,
        init="pca",
        metric="euclidean",
        metric_params=None,
        neighbors="auto",
        missing="expected",
        random_state=None,
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.early_exaggeration = early_exaggeration
        self.noise = noise
        self.momentum = momentum
        self.init = init
        self.metric = metric
        self.metric_params = metric_params
        self.neighbors = neighbors
        self.missing = missing
        self.random_state = random_state

    def _affinities(self, points: Points) -> Affinities:
        return row_affinities(self, points)


class SymmetricSNE(_NeighborMap):
    """Symmetric SNE: a map whose pairs are as likely neighbours as those of the rows.

    Minimises  KL(P || Q) = sum_ij p_ij log(p_ij / q_ij),  where p_ij says how likely rows i and j
               pick each other as neighbours, and q_ij the same of their places in the map, both
               with Gaussian weights.

    Cost: a step takes O(n^2) up to 5,000 rows, and O(n perplexity + extent^2 log extent) beyond:
    20,000 rows take 14 s of processor time for 1000 steps.
    Use it to see what t-SNE changed: with Gaussian weights the middle of the map is crowded, since
    there is less room around a point in two dimensions than in many. For groups choose `TSNE`.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    perplexity : float, default=30.0
        About how many neighbours a row has; larger: coarser structure. If a row has no more others
        than that, a third of them is taken, with a warning.
    learning_rate : float or "auto", default="auto"
        Length of steps, as a factor of the gradient. "auto": each point has its own, by how
        strongly its neighbours pull at it.
    max_iter : int, default=1000
        Steps at the most; fewer if the map stands still.
    early_exaggeration : float, default=4.0
        P is multiplied with this in the first 100 steps (at most a quarter of all): groups form.
    noise : float, default=0.0
        Standard deviation of the jitter that points get after each step, in units of the map; it
        falls to 0 over the first quarter of all steps.
    momentum : float, default=0.8
        The part of a step that is made again in the next one; from 0 up, less than 1.
    init : {"pca", "random", "classical_mds"} or array of shape (n, n_components), default="pca"
        Where the map starts. All but an array are shrunk to a spread of 1e-4.
    metric : str or callable, default="euclidean"
        Distance of rows; "precomputed": X are distances, dense or a sparse graph of neighbours;
        "precomputed_affinity": X is P, n x n numbers from 0 up; (X + X') / 2 divided by its sum.
    metric_params : dict, default=None
        Further arguments of the metric.
    neighbors : str, (indices, distances), sparse matrix or object with kneighbors, default="auto"
        How neighbours are found, or which they are; see `lowdim.neighbors`. "auto" takes all pairs
        of up to 5,000 rows.
    missing : {"expected", "pairwise"}, default="expected"
        What distances are where rows have NaN; see `lowdim.neighbors`.
    random_state : int, Generator, RandomState or None, default=None
        For init="random", jitter, and approximate neighbours.
    joint : {"conditional", "global"}, default="conditional"
        p_ij = (p_j|i + p_i|j) / 2n, where each row has its own bandwidth; or one bandwidth for all
        pairs, with the entropy of n perplexity pairs: then rows far from all others have next to no
        say in where they are.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components), float32
        The place y of each row.
    kl_divergence_ : float
        KL(P || Q) of the map.
    n_iter_ : int
        Steps that were made.
    affinities_ : csr_array of shape (n, n)
        p_ij: symmetric, of sum 1. It is no part of model files.
    bandwidths_ : ndarray of shape (n,)
        sigma of each row, in units of X. None with metric="precomputed_affinity".
    history_ : ndarray
        The divergence every 25 steps.
    n_features_in_ : int

    See Also
    --------
    SNE : one distribution for each row.
    TSNE : Student's weights in the map, which leave room for what is far.

    Notes
    -----
    `transform` places a new row where KL(p(.|x) || q(.|y)) at perplexity 5 is least, among the
    training rows, which stay.

    References
    ----------
    Cook, Sutskever, Mnih and Hinton (2007), Visualizing similarity data with a mixture of maps.
    AISTATS. van der Maaten and Hinton (2008), Visualizing data using t-SNE. JMLR 9, section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import SymmetricSNE
    >>> X = np.random.default_rng(0).uniform(size=(80, 2))
    >>> model = SymmetricSNE(perplexity=10, joint="global", random_state=0).fit(X)
    >>> bool(model.kl_divergence_ < 1e-3)  # a plane is its own map
    True
    """

    symmetric: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict] = {
        **_ARGUMENTS,
        "joint": [StrOptions({"conditional", "global"})],
    }

    def __init__(
        self,
        n_components=2,
        *,
        perplexity=30.0,
        learning_rate="auto",
        max_iter=1000,
        early_exaggeration=4.0,
        noise=0.0,
        momentum=0.8,
        init="pca",
        metric="euclidean",
        metric_params=None,
        neighbors="auto",
        missing="expected",
        random_state=None,
        joint="conditional",
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.early_exaggeration = early_exaggeration
        self.noise = noise
        self.momentum = momentum
        self.init = init
        self.metric = metric
        self.metric_params = metric_params
        self.neighbors = neighbors
        self.missing = missing
        self.random_state = random_state
        self.joint = joint

    def _affinities(self, points: Points) -> Affinities:
        return pair_affinities(self, points, self.joint)
