"""Classical multidimensional scaling (principal coordinates, Torgerson's scaling).

    minimise over Y (n, k)     |Y Y' - B|^2,     B = -1/2 J D^2 J

B, its eigenpairs and Gower's formula for new rows are in `maps/coordinates.py`, the least constant
that makes dissimilarities Euclidean in `maps/constant.py`.

Of Euclidean distances between rows, B = J X X' J: the places are codes on principal axes, found
without a matrix of n x n.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.constraints import AT_LEAST_1
from lowdim.core.loop import fitting
from lowdim.core.shapes import Below, Maybe
from lowdim.core.validation import check_weights
from lowdim.linalg.moments import unit_for
from lowdim.linalg.products import times_row_by_row
from lowdim.linear.pca import PCA
from lowdim.maps.base import OF_MAPS, Map
from lowdim.maps.constant import additive_constant
from lowdim.maps.coordinates import (
    ROUNDING,
    Coordinates,
    all_eigenvalues,
    between_copies,
    centre_twice,
    column_signs,
    goodness_of_fit,
    placed,
    principal_coordinates,
    squared,
)
from lowdim.maps.points import Points, distances, in_units_of_x
from lowdim.maps.start import among_landmarks, is_plain, landmark_rows, to_landmarks

ALL_COLUMNS = 500  # up to which all eigenvalues are found, of rows


class ClassicalMDS(Map):
    """Classical multidimensional scaling: a map whose products of places are those of the data.

    Minimises  |Y Y' - B|^2  over places Y (n, k), where B = -1/2 J D^2 J are the products that
    dissimilarities D imply. The solution is exact: eigenvectors of B times the square roots of
    their eigenvalues. Of Euclidean distances, the map is that of PCA.

    Cost: for metric='euclidean' that of PCA, in time and memory. For others O(n^2) memory and
    O(n^2 k) time per product with B, some tens of products; with `landmarks=m` O(n m) of both. An
    additive constant takes twice the memory and about as long again.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions k of the map, at most the number of positive eigenvalues of B.
    metric : str or callable, default='euclidean'
        The dissimilarity of two rows: a name that `lowdim.neighbors` knows or a function of two
        rows. 'precomputed': X are the dissimilarities.
    metric_params : dict, default=None
        Arguments of the metric.
    additive_constant : bool, default=False
        Add the least constant to all dissimilarities that makes them distances of some places: then
        no eigenvalue is negative.
    landmarks : int or array of int, default=None
        Scale only so many rows, drawn with a fixed seed, or the rows with these numbers, and place
        all others by their dissimilarities to them. For metrics other than 'euclidean' with more
        rows than n x n memory allows.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, k)
        The places Y; in each column the entry of largest size is positive.
    eigenvalues_ : ndarray of shape (k,)
        The largest eigenvalues of B: sums of squares of the columns of Y. With landmarks those of
        the landmarks' B.
    spectrum_ : ndarray
        All eigenvalues that were found, decreasing: all n up to 500 rows, min(n, d) of rows with up
        to 500 columns, else k.
    goodness_of_fit_ : ndarray of shape (2,)
        The sum of `eigenvalues_` as a part of the sum of the sizes of all eigenvalues, and of all
        positive ones. Beyond 500 rows of another metric than 'euclidean' it is computed when asked
        for, in O(n^3).
    additive_constant_ : float
        The constant that was added; 0 if none was, or none was needed.
    landmarks_ : ndarray of int, or None
    dissimilarity_matrix_ : ndarray of shape (n, n)
        The dissimilarities, without the constant; made when asked for.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    MDS : keeps the dissimilarities themselves rather than products; takes missing pairs.
    Sammon : keeps small dissimilarities best.
    PCA : the same map of rows, with axes.
    check_dissimilarity : whether dissimilarities suit this map.

    Notes
    -----
    `transform` places a row by Gower's formula: where it would lie if the map were not changed by
    it. `sample_weight` counts a row so many times; the eigenvalues are those of the repeated rows.
    Missing values of rows are replaced by their expectation under probabilistic PCA.

    References
    ----------
    Torgerson (1952), Multidimensional scaling: I. Theory and method. Gower (1968), Adding a point
    to vector diagrams in multivariate analysis. Cailliez (1983), The analytical solution of the
    additive constant problem. De Silva and Tenenbaum (2004), Sparse multidimensional scaling
    using landmark points.

    Examples
    --------
    >>> from lowdim import ClassicalMDS
    >>> from lowdim.datasets import load_eurodist
    >>> roads = load_eurodist()
    >>> model = ClassicalMDS(metric="precomputed").fit(roads.dissimilarity)
    >>> model.goodness_of_fit_.round(4)
    array([0.7538, 0.8679])
    >>> dict(zip(roads.names, model.embedding_[:, 0].round().tolist()))["Athens"]
    2290.0
    """

    shapes: ClassVar[dict] = {
        "eigenvalues_": ("k",),
        "spectrum_": ("eigenvalues",),
        "additive_constant_": (),
        "landmarks_": Maybe(Below("n", ("landmarks",))),
        "_unit": (),
        "_means": ("m",),
        "_axes": ("m", "k"),
        "_weight": Maybe(("n",)),
        "_goodness": Maybe((2,)),
    }

    _axes: np.ndarray
    _goodness: np.ndarray | None

    _parameter_constraints: ClassVar[dict] = {
        "n_components": OF_MAPS["n_components"],
        "metric": OF_MAPS["metric"],
        "metric_params": OF_MAPS["metric_params"],
        "additive_constant": ["boolean"],
        "landmarks": [AT_LEAST_1, "array-like", None],
    }

    def __init__(
        self,
        n_components=2,
        *,
        metric="euclidean",
        metric_params=None,
        additive_constant=False,
        landmarks=None,
    ):
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.additive_constant = additive_constant
        self.landmarks = landmarks

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Find the map.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            The rows; with metric='precomputed' their dissimilarities (n, n).
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts; a weight of 2 is a row twice.
        """
        return self._fit_map(X, sample_weight=sample_weight)

    def fit_transform(self, X, y=None, sample_weight=None):
        """Find the map, and return `embedding_`."""
        return self.fit(X, y, sample_weight).embedding_

    def _learn(self, points: Points, sample_weight: Any = None) -> None:  # type: ignore[override]
        weight = check_weights(sample_weight, ArrayBlocks(np.zeros((self._n_rows, 1))))
        self._weight = None if weight is None else weight[self._kept]
        self.landmarks_ = self._chosen_landmarks(points.n)
        self.additive_constant_, self._unit = 0.0, 1.0
        if is_plain(points, self._metric):
            Y = self._by_axes(points)
        else:
            Y = self._by_dissimilarities(points)
        counts = Y if self._weight is None else Y[self._weight > 0]
        signs = column_signs(counts)
        self._axes = self._axes * signs
        self.embedding_ = self._in_units(Y * signs).astype(points.rows.dtype)

    def _chosen_landmarks(self, n: int) -> np.ndarray | None:
        if self.landmarks is None:
            return None
        if np.ndim(self.landmarks) == 0:
            chosen = landmark_rows(n, self.landmarks)
            self._check_enough(len(chosen), n)
            return chosen
        chosen = np.unique(np.asarray(self.landmarks))
        if chosen.dtype.kind not in "iu" or not len(chosen) or chosen[0] < 0 or chosen[-1] >= n:
            raise ValueError(
                f"landmarks={self.landmarks!r:.60} must be a number of rows, or numbers of some of "
                f"the rows, from 0 to {n - 1}."
            )
        self._check_enough(len(chosen), n)
        return chosen

    def _check_enough(self, m: int, n: int) -> None:
        """Raise if so many landmarks cannot have a map of so many dimensions."""
        if m <= self.n_components < n:
            raise ValueError(
                f"landmarks={self.landmarks!r:.60} is too few for n_components="
                f"{self.n_components}: {m} points have a map of {m - 1} dimensions at the most. "
                f"Choose at least {self.n_components + 1}."
            )

    # ---- Euclidean distances of rows: no matrix of n x n -----------------------------------------

    def _by_axes(self, points: Points) -> np.ndarray:
        some = points if self.landmarks_ is None else points.take(self.landmarks_)
        weight = self._weight_of_landmarks()
        n, d = some.rows.shape
        most = min(n, d)
        k = most if most <= ALL_COLUMNS else min(self.n_components, most)
        pca = PCA(k, random_state=0).fit(ArrayBlocks(some.rows), sample_weight=weight)
        spectrum = pca.singular_values_.astype(np.float64) ** 2
        rounding = ROUNDING if some.rows.dtype == np.float64 else 1e-6
        self._check_positive(spectrum, rounding * spectrum.max(initial=0.0))
        k = self.n_components
        self._means = pca.mean_.astype(np.float64)
        self._axes = np.ascontiguousarray(pca.components_[:k].T, dtype=np.float64)
        self.spectrum_ = self._squares_in_units(spectrum)
        self.eigenvalues_ = self.spectrum_[:k].copy()
        self._goodness = np.full(2, float(pca.explained_variance_ratio_[:k].sum(dtype=np.float64)))
        return self._coded(points)

    def _coded(self, points: Points) -> np.ndarray:
        """Places of points on the axes, in the points' unit."""
        return ArrayBlocks(points.rows).map(_codes, self._means, self._axes)

    # ---- other dissimilarities -------------------------------------------------------------------

    def _by_dissimilarities(self, points: Points) -> np.ndarray:
        metric, chosen, weight = self._metric, self.landmarks_, self._weight_of_landmarks()
        if chosen is None:
            D = distances(points, points, metric)
        else:
            D = among_landmarks(points, chosen, metric)
        _refuse_unknown(D)
        self._unit = unit_for(float(D.max(initial=0.0)), np.dtype(np.float64))
        D = D / self._unit if self._unit != 1.0 else D
        constant = additive_constant(D, weight) if self.additive_constant else 0.0
        k = min(self.n_components, len(D))
        found = principal_coordinates(squared(D, constant, weight), k, weight)
        self._check_positive(found.values, 0.0)
        self._publish_spectrum(found, constant)
        return found.Y if chosen is None else self._placed_by_landmarks(points, chosen)

    def _publish_spectrum(self, found: Coordinates, constant: float) -> None:
        self._means, self._axes = found.means, found.axes
        self.additive_constant_ = float(self._in_units(np.array([constant]))[0])
        self.spectrum_ = self._squares_in_units(found.spectrum)
        self.eigenvalues_ = self._squares_in_units(found.values)
        whole = len(found.spectrum) == len(found.Y)
        copies = between_copies(constant, self._weight_of_landmarks())
        fit = goodness_of_fit(found.values, found.spectrum, copies)
        self._goodness = fit if whole else None

    def _placed_by_landmarks(self, points: Points, chosen: np.ndarray) -> np.ndarray:
        Y = np.empty((points.n, self._axes.shape[1]))
        for rows, D in to_landmarks(points, chosen, self._metric):
            Y[rows] = self._placed_by(D)
        return Y

    def _placed_by(self, D: np.ndarray) -> np.ndarray:
        """Places of rows with dissimilarities (m, n) to the scaled rows, in the map's unit."""
        _refuse_unknown(D)
        Y = np.empty((len(D), self._axes.shape[1]))
        size = max(1, 2**20 // D.shape[1])
        constant = self.additive_constant_ / self._in_units(np.ones(1))[0]
        for first in range(0, len(D), size):
            rows = slice(first, first + size)
            squares = D[rows] / self._unit
            squares += np.where(squares > 0, constant, 0.0)
            squares *= squares
            Y[rows] = placed(squares, self._means, self._axes)
        return Y

    # ---- new rows --------------------------------------------------------------------------------

    def _place(self, points: Points) -> np.ndarray:
        if is_plain(self._points, self._metric):
            return self._in_units(self._coded(points))
        some = self._points if self.landmarks_ is None else self._points.take(self.landmarks_)
        if self._metric.is_precomputed:
            D = np.asarray(points.rows, np.float64)
            D = D if self.landmarks_ is None else D[:, self.landmarks_]
        else:
            D = distances(points, some, self._metric)
        return self._in_units(self._placed_by(D))

    # ---- what is made when asked for -------------------------------------------------------------

    @property
    def dissimilarity_matrix_(self) -> np.ndarray:
        """The dissimilarities (n, n) of the training rows."""
        points = self._points
        if is_plain(points, self._metric):
            points = points._replace(spread=np.zeros(points.n))
        return in_units_of_x(distances(points, points, self._metric), points, self._metric)

    @property
    def goodness_of_fit_(self) -> np.ndarray:
        """Parts of the eigenvalues that the map has: of all sizes, and of the positive ones."""
        if self._goodness is None:
            points, unit = self._points, self._in_units(np.ones(1))[0]
            if self.landmarks_ is None:
                D = distances(points, points, self._metric) / self._unit
            else:
                D = among_landmarks(points, self.landmarks_, self._metric) / self._unit
            constant, weight = self.additive_constant_ / unit, self._weight_of_landmarks()
            B = squared(D, constant, weight)
            centre_twice(B, weight)
            spectrum = all_eigenvalues(B, None if weight is None else np.sqrt(weight))
            values = spectrum[: self.n_components]
            copies = between_copies(constant, weight)
            self._goodness = goodness_of_fit(values, spectrum, copies)
        return self._goodness

    # ---- small things ----------------------------------------------------------------------------

    def _weight_of_landmarks(self) -> np.ndarray | None:
        if self._weight is None or self.landmarks_ is None:
            return self._weight
        return self._weight[self.landmarks_]

    def _in_units(self, Y: np.ndarray) -> np.ndarray:
        """What is in the unit of this map, in units of X."""
        return in_units_of_x(Y * self._unit, self._points, self._metric)

    def _squares_in_units(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):  # squares of 1e200 are no numbers
            return self._in_units(self._in_units(values))

    def _check_positive(self, values: np.ndarray, least: float) -> None:
        positive = int((values > least).sum())
        if positive >= self.n_components:
            return
        if positive == 0:
            raise ValueError(
                "All rows of X are the same, or all dissimilarities are 0: there is nothing to map."
            )
        hint = "" if self.additive_constant else ", or additive_constant=True, which makes more so"
        plain = is_plain(self._points, self._metric)
        raise ValueError(
            f"n_components={self.n_components} is more than the {positive} positive eigenvalues "
            f"that the dissimilarities have; choose at most {positive}{'' if plain else hint}."
        )


def _codes(X: Any, mean: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Places of a block of rows on axes."""
    if sp.issparse(X):
        return np.asarray(X @ axes) - mean @ axes
    return times_row_by_row(X - mean, axes)


def _refuse_unknown(D: np.ndarray) -> None:
    """Raise where a dissimilarity is NaN: of rows without a common observed column."""
    if np.isnan(D).any():
        i, j = np.argwhere(np.isnan(D))[0]
        raise ValueError(
            f"X has no dissimilarity for rows {i} and {j}: no column is observed in both, or the "
            "metric gives NaN. ClassicalMDS needs all; lowdim.MDS leaves such pairs out."
        )
