"""UMAP, the user's door: neighbours, their graph, a start, the layout.

The parts are functions of arrays in the files beside this one: `graph.py` (v), `curve.py` (w),
`spectral.py` (start), `layout.py` (places), `supervised.py`, `graded.py`, `density.py`,
`placing.py` (transform) and `inverse.py`.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.calling import level_of_caller
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Anything, Given, Maybe
from lowdim.core.validation import check_codes
from lowdim.maps.base import Map, alike
from lowdim.maps.framing import frame_of, points_of
from lowdim.maps.keys import found_among, row_keys
from lowdim.maps.neighbors.found import Neighbors
from lowdim.maps.neighbors.given import given_neighbors
from lowdim.maps.neighbors.search import near, nearest_to
from lowdim.maps.points import Points, in_units_of_x, metric_of
from lowdim.maps.reading import read
from lowdim.maps.start import start
from lowdim.maps.umap.arguments import CONSTRAINTS, check_together, epochs_of, farthest
from lowdim.maps.umap.curve import Curve, coefficients, fitted_curve
from lowdim.maps.umap.density import Density, density_of, edge_forces, log_radii
from lowdim.maps.umap.graded import GRADED, checked_grades, joined_by_grades
from lowdim.maps.umap.graph import Memberships, directed, fuzzy_union, memberships, rounded
from lowdim.maps.umap.inverse import combined, shares
from lowdim.maps.umap.layout import (
    CHUNK,
    SAMPLED,
    Places,
    Plan,
    advanced,
    cross_entropy,
    estimated_objective,
    look_of,
    plan_of,
)
from lowdim.maps.umap.placing import EPOCHS, Settling, placed
from lowdim.maps.umap.spectral import finished_start, spectral_start
from lowdim.maps.umap.supervised import (
    checked_labels,
    checked_targets,
    joined_by_labels,
    joined_by_targets,
)

EXACT_CROSS_ENTROPY = 5000  # rows up to which it is the sum over all pairs


class UMAP(Map):
    """UMAP: a map in which rows that belong together in X belong together.

    Minimises  sum_{i != j} v_ij log(v_ij / w_ij) + (1 - v_ij) log((1 - v_ij) / (1 - w_ij)),
               v_ij from  v_j|i = exp(-max(0, d_ij - rho_i) / sigma_i)  for the nearest rows j of i,
               w_ij = 1 / (1 + a |y_i - y_j|^(2b)).

    The arguments are umap-learn's. Results of one `random_state` are the same, bit by bit, for any
    number of threads; up to 512 rows nothing is drawn at all and seeds hardly matter.

    Read from it who is near whom. Sizes of groups, gaps between them and axes mean nothing.

    Cost: that of the neighbours, then O(n n_neighbors) per epoch; memory O(n n_neighbors).

    Parameters
    ----------
    n_neighbors : int, default=15
        Rows that a row is compared with, itself included. Larger: more of the large shape, less
        detail, slower. More than there are rows: all of them are used, with a warning.
    n_components : int, default=2
        Dimensions k of the map.
    metric : str or callable, default='euclidean'
        Distance of two rows: a name that `lowdim.neighbors` knows, a function of two rows, or
        'precomputed': X are the distances.
    metric_kwds : dict, default=None
        Arguments of the metric.
    output_metric : {'euclidean', 'l2'}, default='euclidean'
        Distances in the map; umap-learn's others are not offered.
    output_metric_kwds : dict, default=None
        Accepted for compatibility with umap-learn; ignored.
    n_epochs : int, list of int or None, default=None
        Times that all edges are looked at; None means 500 up to 10,000 rows, else 200. With a list
        the places after each of these epochs are in `embedding_list_`.
    learning_rate : float, default=1.0
        Of the first epoch; falls to 0.
    init : str or array of shape (n, k), default='spectral'
        Where the map starts: 'spectral', 'random', 'pca' or 'classical_mds'. An array is brought to
        a width of 10, its shape stays. 'tswspectral' is umap-learn's faster way to 'spectral', and
        here the same.
    min_dist : float, default=0.1
        How close together rows may lie in the map, at most `spread`. Smaller: denser groups.
    spread : float, default=1.0
        The scale of the map.
    low_memory : bool, default=True
        Accepted for compatibility with umap-learn; ignored.
    n_jobs : int, default=-1
        Accepted for compatibility with umap-learn; ignored: see `lowdim.set_config(threads=...)`.
    set_op_mix_ratio : float, default=1.0
        1: rows belong together if one of them says so; 0: if both do.
    local_connectivity : float, default=1.0
        To how many of its nearest rows every row belongs fully.
    repulsion_strength : float, default=1.0
        How strongly rows that do not belong together are pushed apart.
    negative_sample_rate : int, default=5
        Rows drawn to be pushed away from, for each neighbour. Larger: slower, less noise, and
        groups farther apart.
    transform_queue_size : float, default=4.0
        Accepted for compatibility with umap-learn; ignored.
    a, b : float, default=None
        The curve w; None means the one nearest to what `min_dist` and `spread` ask for.
    random_state : int, Generator, RandomState or None, default=None
        The seed of what is drawn; None gives another map in every run.
    angular_rp_forest : bool, default=False
        Accepted for compatibility with umap-learn; ignored.
    target_n_neighbors : int, default=-1
        Neighbours in the graph of numeric targets; -1 means `n_neighbors`.
    target_metric : str or callable, default='categorical'
        'categorical': y are labels, -1 where they are unknown; 'ordinal', 'count', 'string': ranks,
        counts, or texts that are nearer the fewer letters differ. Else the distance of targets
        that are numbers, 'euclidean' for one.
    target_metric_kwds : dict, default=None
        Arguments of that metric.
    target_weight : float, default=0.5
        0: the map follows X; 1: it follows y.
    transform_seed : int, default=42
        The seed of what `transform` draws.
    transform_mode : {'embedding', 'graph'}, default='embedding'
        'graph': no map is made, and `transform` gives how strongly rows belong to training rows.
    force_approximation_algorithm : bool, default=False
        Accepted for compatibility with umap-learn; ignored: see `neighbors='approximate'`.
    verbose : bool, default=False
        Print what is done, and show progress bars, also where none would be.
    tqdm_kwds : dict, default=None
        Accepted for compatibility with umap-learn; ignored.
    unique : bool, default=False
        Equal rows count as one row. They always share one place; here they are not each other's
        neighbours either.
    densmap : bool, default=False
        Rows in dense regions of X lie denser in the map, too (densMAP).
    dens_lambda : float, default=2.0
        How much densities count.
    dens_frac : float, default=0.3
        Part of the epochs, at the end, in which they do.
    dens_var_shift : float, default=0.1
        Added to the variance of the radii in the map.
    output_dens : bool, default=False
        Also give `rad_orig_` and `rad_emb_`; `fit_transform` then returns all three.
    disconnection_distance : float, default=None
        Rows at this distance or farther are not joined. None means at no distance, but where
        distances say that rows have nothing in common: 2 for cosine and correlation, 1 for
        hellinger, jaccard and dice.
    precomputed_knn : tuple, default=(None, None, None)
        (indices, distances) of the nearest rows, as umap-learn has them, the row itself first.
    neighbors : str, tuple, sparse matrix or object, default='auto'
        How neighbours are found: 'auto', 'exact', 'approximate', 'pynndescent', or the neighbours:
        (indices, distances), a sparse graph of distances, or anything with `kneighbors`.
    missing : {'expected', 'pairwise'}, default='expected'
        What NaN are: values to be expected under probabilistic PCA, or left out pair by pair.
    pca_components : int, default=None
        Keep only so many principal components of the rows: for data that do not fit into memory.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, k), float32
        The places y.
    graph_ : csr_array of shape (n, n)
        The weights v.
    a_, b_ : float
        The curve w; umap-learn calls them _a and _b.
    bandwidths_ : ndarray of shape (n,)
        The sigma of each row, in units of X.
    cross_entropy_ : float
        The objective over all pairs; above 5,000 rows estimated from 2,000,000 of them. Computed
        when asked for.
    embedding_list_ : list of ndarray, with a list of `n_epochs`
    rad_orig_, rad_emb_ : ndarray of shape (n,), with `output_dens`
        Logarithms of the mean squared distance to neighbours, in X and in the map.
    history_ : ndarray
        What the epochs minimise, before every 25th of them, estimated from 30,000 edges and pairs:
        as the cross-entropy, but for less weight on rows that do not belong together.
    n_iter_ : int
        Epochs that were made.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    TSNE : keeps more of the nearest neighbours, less of the large shape.
    MDS : keeps distances.
    PCA : a map with axes that mean something.

    Notes
    -----
    Differences from umap-learn 0.5: rows are cut into fixed blocks that see the others as the epoch
    found them; the last fifth of the epochs settles the map with many draws and no noise of
    sampling; a visit of an edge moves only one of its rows; all weights have 16 bits. More
    neighbours are kept: of digits 0.53 of 10, umap-learn 0.49. A training row has its place in
    `transform`, and a new row's place does not depend on the rows it is given with.
    `inverse_transform` follows straight lines between the nearest training rows; it needs rows,
    so it refuses cosine, correlation and precomputed distances. umap-learn's `update` is not
    offered: fit all rows with init=np.vstack([model.embedding_, model.transform(new_rows)]).

    References
    ----------
    McInnes, Healy and Melville (2018), UMAP: uniform manifold approximation and projection for
    dimension reduction. Narayan, Berger and Cho (2021), Assessing single-cell transcriptomic
    variability through density-preserving data visualization (densMAP).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import UMAP
    >>> random = np.random.default_rng(0)
    >>> X = np.repeat(10.0 * np.eye(4), 25, axis=0) + random.normal(size=(100, 4))
    >>> model = UMAP(random_state=0).fit(X)
    >>> model.embedding_.shape, round(model.a_, 4), round(model.b_, 4)
    ((100, 2), 1.5769, 0.8951)
    >>> nearest = np.linalg.norm(model.embedding_ - model.transform(X[:1]), axis=1).argsort()[:25]
    >>> sorted(nearest.tolist()) == list(range(25))
    True
    """

    shapes: ClassVar[dict] = {
        "n_components": Given("k"),
        "embedding_": Maybe(("rows", "k")),
        "embedding_list_": Maybe(Anything()),
        "graph_": ("vertices", "vertices"),
        "a_": (),
        "b_": (),
        "bandwidths_": ("n",),
        "rad_orig_": Maybe(("n",)),
        "rad_emb_": Maybe(("n",)),
    }
    LEARNED_SOMETIMES = ("embedding_", "embedding_list_", "rad_orig_", "rad_emb_")
    _parameter_constraints: ClassVar[dict] = CONSTRAINTS

    # fmt: off
    def __init__(
        self, n_neighbors=15, n_components=2, metric="euclidean", metric_kwds=None,
        output_metric="euclidean", output_metric_kwds=None, n_epochs=None, learning_rate=1.0,
        init="spectral", min_dist=0.1, spread=1.0, low_memory=True, n_jobs=-1,
        set_op_mix_ratio=1.0, local_connectivity=1.0, repulsion_strength=1.0,
        negative_sample_rate=5, transform_queue_size=4.0, a=None, b=None, random_state=None,
        angular_rp_forest=False, target_n_neighbors=-1, target_metric="categorical",
        target_metric_kwds=None, target_weight=0.5, transform_seed=42,
        transform_mode="embedding", force_approximation_algorithm=False, verbose=False,
        tqdm_kwds=None, unique=False, densmap=False, dens_lambda=2.0, dens_frac=0.3,
        dens_var_shift=0.1, output_dens=False, disconnection_distance=None,
        precomputed_knn=(None, None, None), *, neighbors="auto", missing="expected",
        pca_components=None,
    ):
        self.n_neighbors, self.n_components = n_neighbors, n_components
        self.metric, self.metric_kwds = metric, metric_kwds
        self.output_metric, self.output_metric_kwds = output_metric, output_metric_kwds
        self.n_epochs, self.learning_rate, self.init = n_epochs, learning_rate, init
        self.min_dist, self.spread, self.a, self.b = min_dist, spread, a, b
        self.low_memory, self.n_jobs, self.verbose = low_memory, n_jobs, verbose
        self.set_op_mix_ratio = set_op_mix_ratio
        self.local_connectivity = local_connectivity
        self.repulsion_strength = repulsion_strength
        self.negative_sample_rate = negative_sample_rate
        self.transform_queue_size, self.tqdm_kwds = transform_queue_size, tqdm_kwds
        self.random_state, self.angular_rp_forest = random_state, angular_rp_forest
        self.target_n_neighbors, self.target_metric = target_n_neighbors, target_metric
        self.target_metric_kwds, self.target_weight = target_metric_kwds, target_weight
        self.transform_seed, self.transform_mode = transform_seed, transform_mode
        self.force_approximation_algorithm = force_approximation_algorithm
        self.unique, self.densmap, self.dens_lambda = unique, densmap, dens_lambda
        self.dens_frac, self.dens_var_shift = dens_frac, dens_var_shift
        self.output_dens, self.disconnection_distance = output_dens, disconnection_distance
        self.precomputed_knn, self.neighbors = precomputed_knn, neighbors
        self.missing, self.pca_components = missing, pca_components
    # fmt: on

    # ---- fit -------------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None):
        """Learn a place for each row of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            The rows. With metric='precomputed' the distances (n, n), or a sparse graph of them.
        y : array of shape (n,) or (n, t), default=None
            Labels, -1 where they are unknown, or with another `target_metric` numbers: rows with
            equal or near ones are kept together.
        """
        check_together(self)
        return self._fit_map(X, y=y)

    def fit_transform(self, X, y=None):
        """Learn the map, and return `embedding_`.

        With output_dens=True (embedding_, rad_orig_, rad_emb_); with transform_mode='graph' the
        graph.
        """
        self.fit(X, y)
        if self.transform_mode == "graph":
            return self.graph_
        if self.output_dens:
            return self.embedding_, self.rad_orig_, self.rad_emb_
        return self.embedding_

    def _learn(self, points: Points, **given: Any) -> None:
        self._forget()
        chosen = self._vertices(points)
        points = points if chosen is None else points.take(chosen)
        random = random_generator(self.random_state)
        seed = int(random.integers(2**62))
        curve = self._curve()
        self.a_, self.b_ = curve

        self._tell(f"{points.n} rows are joined to neighbours")
        found = self._near(points)
        own = self._memberships(found, self.local_connectivity)
        graph = fuzzy_union(directed(own.weights, found.indices, points.n), self.set_op_mix_ratio)
        self.graph_ = self._with_targets(graph, given.get("y"), chosen)
        self._warn_of_lone_rows(graph)
        sigma = in_units_of_x(own.sigma, points, self._metric)
        self.bandwidths_ = self._expanded(sigma, chosen)
        if self.transform_mode == "graph":
            return

        self._tell(f"{self.graph_.nnz // 2} edges; the start is looked for")
        Y = self._start(points, random)
        radii = self._radii(found) if self.densmap or self.output_dens else None
        places = self._laid_out(Y, curve, seed, radii)
        self.embedding_ = self._expanded(places.Y, chosen)
        if isinstance(self.n_epochs, list):
            self.embedding_list_ = [self._expanded(part, chosen) for part in places.kept]
        if self.output_dens and radii is not None:
            unit = float(in_units_of_x(np.ones(1), points, self._metric)[0])
            self.rad_orig_ = self._expanded(radii + 2.0 * np.log(unit), chosen)
            self.rad_emb_ = self._expanded(self._radii_in_the_map(places.Y), chosen)

    def _tell(self, text: str) -> None:
        """A line for those who asked for it."""
        if self.verbose:
            print(f"[UMAP] {text}")

    def _forget(self) -> None:
        """What an earlier fit learned and this one may not."""
        for name in (*self.LEARNED_SOMETIMES, "history_", "n_iter_", "converged_"):
            if name in vars(self):
                delattr(self, name)

    def _publish(self) -> None:
        if self.transform_mode == "embedding":
            super()._publish()

    def _vertices(self, points: Points) -> np.ndarray | None:
        """With `unique` the rows that stand for all that are equal to them."""
        if not self.unique or self._groups.all_differ:
            return None
        return np.sort(self._groups.first)

    def _expanded(self, values: np.ndarray, chosen: np.ndarray | None) -> np.ndarray:
        """A value for each row from those of the chosen rows."""
        if chosen is None:
            return values
        return values[np.searchsorted(chosen, self._groups.first[self._groups.group])]

    def _curve(self) -> Curve:
        if self.a is not None:
            return Curve(float(self.a), float(self.b))
        return fitted_curve(float(self.min_dist), float(self.spread))

    # ---- the graph -------------------------------------------------------------------------------

    def _near(self, points: Points) -> Neighbors:
        k = min(self.n_neighbors, points.n) - 1
        if self.n_neighbors > points.n:
            what = "different rows" if self.unique else "rows"
            warnings.warn(
                f"n_neighbors={self.n_neighbors} is more than the {points.n} {what} of X; all of "
                "them are used. Lower n_neighbors.",
                UserWarning,
                stacklevel=level_of_caller(),
            )
        if k == 0:  # unique=True and one row: its own neighbour, which joins nothing
            return Neighbors(np.zeros((1, 1), np.int32), np.full((1, 1), np.inf))
        if self.precomputed_knn[0] is not None:
            return given_neighbors(tuple(self.precomputed_knn[:2]), points, k, self._n_rows)
        return self._neighbors(points, k)

    def _memberships(self, found: Neighbors, local_connectivity: float) -> Memberships:
        limit = farthest(self.disconnection_distance, self._metric.name)
        distances = found.distances.astype(np.float64)
        if np.isfinite(limit):
            in_units = in_units_of_x(distances, self._points, self._metric)
            distances = np.where(in_units >= limit, np.inf, distances)
        n_neighbors = max(min(self.n_neighbors, self._points.n), 2)
        return memberships(distances, n_neighbors, local_connectivity)

    def _with_targets(self, graph: sp.csr_array, y: Any, chosen: np.ndarray | None) -> sp.csr_array:
        if y is None:
            return graph
        kept = self._kept if chosen is None else self._kept[chosen]
        if isinstance(self.target_metric, str) and self.target_metric == "categorical":
            labels = checked_labels(y, self._n_rows)[kept]
            return joined_by_labels(graph, labels, self.target_weight)
        if isinstance(self.target_metric, str) and self.target_metric in GRADED:
            grades = checked_grades(y, self._n_rows, self.target_metric)[kept]
            return joined_by_grades(graph, grades, self.target_metric, self.target_weight)
        targets = checked_targets(y, self._n_rows)[kept]
        if self.target_weight == 0:
            return graph
        metric = metric_of(self.target_metric, self.target_metric_kwds)
        asked = self.n_neighbors if self.target_n_neighbors == -1 else self.target_n_neighbors
        k = min(asked, len(targets))
        points = points_of(targets, frame_of(targets, metric), metric)
        found = near(points, k - 1, metric=metric)
        own = memberships(found.distances, k)
        other = fuzzy_union(directed(own.weights, found.indices, len(targets)))
        return joined_by_targets(graph, other, self.target_weight)

    def _warn_of_lone_rows(self, graph: sp.csr_array) -> None:
        alone = int((np.diff(graph.indptr) == 0).sum())
        if alone and graph.shape[0] > 1:
            far = np.isfinite(farthest(self.disconnection_distance, self._metric.name))
            why, what = (
                ("all are at disconnection_distance or farther", "Raise disconnection_distance.")
                if far
                else (
                    "nothing is left of their edges",
                    "Raise set_op_mix_ratio or n_neighbors, or lower target_weight.",
                )
            )
            warnings.warn(
                f"{alone} of {graph.shape[0]} rows are joined to no other: {why}. They have places "
                f"of their own, which say nothing. {what}",
                UserWarning,
                stacklevel=level_of_caller(),
            )

    # ---- the layout ------------------------------------------------------------------------------

    def _start(self, points: Points, random: np.random.Generator) -> np.ndarray:
        init, k, metric = self.init, self.n_components, self._metric
        if isinstance(init, str) and init in ("spectral", "tswspectral"):
            Y = spectral_start(self.graph_, k, random, points, metric.is_precomputed)
        else:
            if not isinstance(init, str) and self.unique:
                init = np.asarray(init)[self._vertices(points)]
            Y = start(init, points, k, metric=metric, random=random)
        return finished_start(Y, random)

    def _laid_out(self, Y: np.ndarray, curve: Curve, seed: int, radii: np.ndarray | None) -> Places:
        """The places after all epochs; `radii` are the logs of those of the rows of X."""
        n_epochs = epochs_of(self.n_epochs, len(Y))
        asked = sorted(set(self.n_epochs)) if isinstance(self.n_epochs, list) else []
        stops = sorted({*range(CHUNK, n_epochs, CHUNK), *asked, n_epochs} - {0})
        density = None
        if self.densmap and radii is not None and self.dens_lambda > 0:
            arguments = curve, float(self.dens_lambda), float(self.dens_var_shift)
            density = density_of(self.graph_, radii, *arguments)
        plan = plan_of(
            self.graph_,
            curve,
            n_epochs=n_epochs,
            alpha=float(self.learning_rate),
            negatives=int(self.negative_sample_rate),
            strength=float(self.repulsion_strength),
            seed=seed,
            settled=max(1.0 - SAMPLED, self.dens_frac if density is not None else 0.0),
        )
        places = Places(Y, 0, (Y,) if 0 in asked else ())
        self._tell(f"{n_epochs} epochs")
        if not stops:
            return places
        further = None if density is None else self._density_forces(plan, density)
        look = look_of(plan, curve)
        loop = iterate(self, places, max_iter=len(stops), tol=0.0)
        for places in loop:
            loop.record(estimated_objective(places.Y, look))
            until = next(stop for stop in stops if stop > places.epoch)
            moved = advanced(places, plan, until - places.epoch, further)
            loop.params = moved._replace(kept=(*moved.kept, moved.Y)) if until in asked else moved
        self.n_iter_ = loop.params.epoch  # epochs; the loop counts rounds of 25
        return loop.params

    def _density_forces(self, plan: Plan, density: Density) -> Any:
        begin = plan.n_epochs * (1.0 - self.dens_frac)
        return lambda Y, epoch: edge_forces(Y, plan.edges, density) if epoch >= begin else None

    def _radii(self, found: Neighbors) -> np.ndarray:
        """The logs of the radii of the rows of X, in units of the points."""
        distance = directed(found.distances.astype(np.float64), found.indices, len(found.indices))
        both = sp.csr_array(distance.maximum(distance.T))
        row = np.repeat(np.arange(self.graph_.shape[0]), np.diff(self.graph_.indptr))
        known = np.asarray(both[row, self.graph_.indices]).ravel()
        return log_radii(self.graph_, known**2)

    def _radii_in_the_map(self, Y: np.ndarray) -> np.ndarray:
        points = points_of(Y, frame_of(Y, metric_of("euclidean")), metric_of("euclidean"))
        n_neighbors = min(self.n_neighbors, points.n)
        if n_neighbors < 2:
            return np.zeros(points.n)
        found = near(points, n_neighbors - 1)
        own = memberships(found.distances * points.unit, n_neighbors, self.local_connectivity)
        graph = fuzzy_union(directed(own.weights, found.indices, points.n))
        row = np.repeat(np.arange(points.n), np.diff(graph.indptr))
        wide = Y.astype(np.float64)
        return log_radii(graph, ((wide[row] - wide[graph.indices]) ** 2).sum(axis=1))

    @property
    def cross_entropy_(self) -> float:
        """The objective over all pairs; above 5,000 rows estimated from 2,000,000 of them."""
        check_is_fitted(self)
        Y, chosen = self._places, self._vertices(self._points)
        Y = Y if chosen is None else Y[chosen]
        return cross_entropy(
            self.graph_, Y, Curve(self.a_, self.b_), all_pairs=len(Y) <= EXACT_CROSS_ENTROPY
        )

    # ---- new rows --------------------------------------------------------------------------------

    def transform(self, X):
        """The places of rows in the map.

        A row that equals a training row has its place in `embedding_`. Every other row is placed
        among the training rows, which stay where they are; its place does not depend on the other
        rows of X. With metric='precomputed' rows are distances to the training rows.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (m, d)

        Returns
        -------
        ndarray of shape (m, n_components)
            With transform_mode='graph' a csr_array of shape (m, n): how strongly each row belongs
            to each training row.
        """
        if self.transform_mode == "embedding":
            return super().transform(X)
        rows = self.open_rows(X, reset=False)
        blocks = [self._joined(block) for (block,) in rows.batches(4096)]
        return sp.csr_array(sp.vstack(blocks))

    def _place(self, points: Points) -> np.ndarray:
        found, own = self._joined_to(points)
        curve = Curve(self.a_, self.b_)
        settling = Settling(
            tables=coefficients(curve, float(self.repulsion_strength)),
            n_epochs=EPOCHS if self.n_epochs is None else max(epochs_of(self.n_epochs, 0) // 3, 1),
            alpha=float(self.learning_rate) / 4.0,
            negatives=int(self.negative_sample_rate),
            seed=int(self.transform_seed),
        )
        return placed(self._places, found.indices, own.weights, settling)

    def _joined_to(self, points: Points) -> tuple[Neighbors, Memberships]:
        found = self._nearest_to(points, self.n_neighbors)
        return found, self._memberships(found, max(0.0, self.local_connectivity - 1.0))

    def _joined(self, X: Any) -> sp.csr_array:
        """The weights of a block of rows to the training rows; of a training row, its own edges."""
        new = read(alike(X, self), self._reading, self._metric, self._points)
        found, own = self._joined_to(new)
        weights = directed(rounded(own.weights), found.indices, self._points.n)
        if self.unique and not self._groups.all_differ:
            return weights
        known = found_among(row_keys(X), self._groups)
        is_known = sp.diags_array((known >= 0).astype(np.float32))
        is_new = sp.diags_array((known < 0).astype(np.float32))
        return sp.csr_array(is_known @ self.graph_[np.maximum(known, 0)] + is_new @ weights)

    def inverse_transform(self, Z):
        """Rows for places of the map, by straight lines between the nearest training rows.

        Parameters
        ----------
        Z : array of shape (m, n_components)

        Returns
        -------
        ndarray of shape (m, d)
        """
        check_is_fitted(self)
        self._check_invertible()
        Z = np.asarray(check_codes(self, Z, self.n_components))
        places = Points(
            np.ascontiguousarray(self._places, np.float64), np.zeros(self._points.n), None, 1.0
        )
        given = Points(np.ascontiguousarray(Z, np.float64), np.zeros(len(Z)), None, 1.0)
        found = nearest_to(given, places, min(self.n_neighbors, self._points.n))
        near_ones = self._places[found.indices]
        share = shares(given.rows, near_ones, Curve(self.a_, self.b_))
        X = combined(self._points.rows, found.indices, share)
        X = X * self._reading.frame.unit + self._reading.frame.center
        codes = self._reading.codes
        return (X if codes is None else codes.inverse_transform(X)).astype(Z.dtype, copy=False)

    def _check_invertible(self) -> None:
        name = self._metric.name
        scaled = ("cosine", "correlation", "hellinger", "precomputed")
        if self.transform_mode == "graph" or name in scaled:
            raise ValueError(
                "inverse_transform needs a map of rows as they are; this one was made with "
                f"metric={name!r} and transform_mode={self.transform_mode!r}. Choose "
                "metric='euclidean', for cosines of rows that are scaled to length 1."
            )
        if self._points.observed is not None:
            raise ValueError(
                "inverse_transform needs complete training rows, and missing='pairwise' leaves NaN "
                "as they are; choose missing='expected'."
            )

    # ---- what the base class asks for ------------------------------------------------------------

    @property
    def metric_params(self) -> dict | None:
        """`metric_kwds`, by the name that other maps have for it."""
        return self.metric_kwds

    @property
    def _n_features_out(self) -> int:
        graph = self.transform_mode == "graph"
        return self._points.n if graph else self.embedding_.shape[1]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
