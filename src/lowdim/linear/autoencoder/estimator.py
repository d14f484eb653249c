"""The linear autoencoder: a row is squeezed through a code of k numbers, and unfolded again.

    z = W (x - mean),   x_hat = mean + V z

    minimise over V, W     J = 1/2 E|x - V W x|^2 = 1/2 trace[ (I - V W) S (I - V W)' ]

for centred rows x of covariance S. V W is best where it is the projector on the leading axes of
PCA, and J has no other local minima (Baldi and Hornik 1989). V and W alone are not determined,
V A^-1 and A W do as well for every invertible A; tied weights V = W' leave a rotation A. With the
error E = V W - I,

    dJ/dV = E S W',     dJ/dW = V' E S,     tied weights: the sum of both

    exact    V = W' = the leading eigenvectors of S
    gd       gradients of J itself: one pass for S, then all work is O(k d^2) an iteration
    sgd      gradients over one batch of rows after the other, in decreasing steps
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.gains import FALLING
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import check_at_most, check_codes, check_weights
from lowdim.linalg.products import dense_times
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear.autoencoder.descent import fit_gd
from lowdim.linear.autoencoder.layers import Learned, Weights
from lowdim.linear.autoencoder.stochastic import fit_sgd, learn_batch, nothing_learned
from lowdim.linear.factor_model import dense
from lowdim.linear.pca.axes import AxesProblem
from lowdim.linear.pca.solvers import principal_axes


class LinearAutoencoder(Transformer, Estimator):
    """Linear autoencoder: z = W (x - mean), and back x = mean + V z.

    Minimises  J = 1/2 E|x - V W x|^2  over the encoder W and the decoder V, for centred rows.

    Cost: 'exact' that of PCA; 'gd' one pass of O(n d^2), then O(k d^2) per iteration, d^2 memory;
    'sgd' O(n d k) per pass, O(d k) memory; all beside one block of rows.
    Use it to see what an autoencoder without nonlinearity learns (the plane of PCA, in coordinates
    of its own), or to follow a stream with `partial_fit`. For axes with a meaning use PCA.

    Parameters
    ----------
    n_components : int or None, default=None
        Length k of the code, at most the number of columns; None means as many as columns.
    tied : bool, default=False
        Whether the decoder is the transposed encoder.
    solver : {'exact', 'gd', 'sgd'}, default='exact'
        'exact' takes the leading eigenvectors; 'gd' descends along conjugate gradients, each step
        as long as lowers J most; 'sgd' takes a gradient step for every batch of rows.
    learning_rate : float, 'decreasing', 'harmonic' or 'count', default='decreasing'
        Step of 'sgd' and `partial_fit` as a share of the longest stable one: decreasing (like
        t^-0.6) settles down, the others (like 1/t) do so sooner; a constant, at most 1, keeps
        following a drift.
    batch_size : int, default=256
        Rows per step of 'sgd' and `partial_fit`.
    max_iter : int, default=1000
        Iterations of 'gd' or passes of 'sgd' at the most.
    tol : float, default=1e-6
        'gd' and 'sgd' stop when an iteration changes J by less than this share of 1/2 E|x|^2.
    random_state : int, Generator, RandomState or None, default=None
        For the first V and W of 'gd' and 'sgd', and for 'exact' on large matrices.

    Attributes
    ----------
    encoder_ : ndarray of shape (k, d)
        W.
    decoder_ : ndarray of shape (d, k)
        V.
    components_ : ndarray of shape (k, d)
        The encoder.
    mean_ : ndarray of shape (d,)
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations of 'gd' and 'sgd', J at each as a share of 1/2 E|x|^2 ('sgd': as met on the way),
        and whether they sufficed.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    PCA : the same plane with its principal axes; learns from rows with missing values.
    ProbabilisticPCA : the same plane with a density.

    Notes
    -----
    The mean is learned first, as the mean of the rows; there is no other best one.

    A free encoder learns slowly to ignore directions of small variance ('sgd' takes as many more
    passes as the largest variance exceeds them); tied weights learn it from the decoder.

    References
    ----------
    Baldi and Hornik (1989), Neural networks and principal component analysis: learning from
    examples without local minima.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import LinearAutoencoder
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(500, 2)) @ random.normal(size=(2, 6))
    >>> model = LinearAutoencoder(2, solver="gd", tol=1e-10, random_state=0).fit(X)
    >>> P = model.decoder_ @ model.encoder_
    >>> bool(np.allclose(P @ P, P, atol=1e-2)), round(float(np.trace(P)), 1)
    (True, 2.0)
    """

    accepts_sparse: ClassVar[bool] = True
    min_rows: ClassVar[int] = 2

    shapes: ClassVar[dict] = {
        "mean_": ("d",),
        "encoder_": ("k", "d"),
        "decoder_": ("d", "k"),
        "_learned": Maybe(
            {
                "weight": (),
                "mean": ("d",),
                "unit": (),
                "weights": {"V": ("d", "k"), "W": ("k", "d")},
                "axis": ("d",),
                "largest": (),
                "t": (),
            }
        ),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, None],
        "tied": ["boolean"],
        "solver": [StrOptions({"exact", "gd", "sgd"})],
        "learning_rate": [Interval(Real, 0, 1, closed="right"), StrOptions(set(FALLING))],
        "batch_size": [AT_LEAST_1],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components=None,
        *,
        tied=False,
        solver="exact",
        learning_rate="decreasing",
        batch_size=256,
        max_iter=1000,
        tol=1e-6,
        random_state=None,
    ):
        self.n_components = n_components
        self.tied = tied
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the mean, the encoder and the decoder from X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        k = self._code_length(rows)
        self.history_, self.n_iter_, self.converged_ = np.array([]), 1, True  # unless it iterates
        problem = AxesProblem(self, rows, weight, k, random_generator(self.random_state))
        self._publish(_FITS[self.solver](problem), rows.dtype)
        return self

    @fitting
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from a further block of rows, by one gradient step for each batch of them.

        The mean is that of all rows seen (with a constant learning rate: of the recent ones). After
        a fit with any solver, the steps go on from there.
        """
        learned = getattr(self, "_learned", None)
        rows = self.open_rows(X, reset=learned is None, min_rows=1)
        weight = check_weights(sample_weight, rows)
        if learned is None:
            random = random_generator(self.random_state)
            learned = nothing_learned(rows, self._code_length(rows), random)
        for X_part, w in rows.batches(self.batch_size, along=(weight,)):
            learned = learn_batch(learned, X_part, w, self.learning_rate, self.tied)
        self._publish(learned, rows.dtype)
        return self

    # ---- encode, decode, judge -------------------------------------------------------------------

    def transform(self, X):
        """Codes z = W (x - mean)."""
        return self.open_rows(X, reset=False).map(encode, self.mean_, self.encoder_)

    def inverse_transform(self, Z):
        """Rows mean + V z."""
        check_is_fitted(self)
        Z = check_codes(self, Z, self.encoder_.shape[0])
        return dense_times(Z, self.decoder_.T) + self.mean_

    def score(self, X, y=None, sample_weight=None):
        """Minus the root of the mean of (x - x_hat)^2 over all entries, in units of X."""
        rows = self.open_rows(X, reset=False)
        weight = check_weights(sample_weight, rows)
        learned = getattr(self, "_learned", None)
        unit = 1.0 if learned is None else learned.unit
        weights = (self.mean_, self.encoder_, self.decoder_)
        sums = rows.fold(_sum_errors, *weights, unit, along=(weight,))
        return -unit * float(np.sqrt(sums.squares / (sums.weight * rows.n_columns)))

    # ---- inside ----------------------------------------------------------------------------------

    @property
    def components_(self):
        return self.encoder_

    @property
    def _n_features_out(self):
        return self.encoder_.shape[0]

    def _code_length(self, rows):
        d = rows.n_columns
        k = d if self.n_components is None else self.n_components
        return check_at_most("n_components", k, d, "columns of X")

    def _publish(self, learned, dtype):
        self._learned = learned
        self.mean_ = learned.mean.astype(dtype)
        self.encoder_ = learned.weights.W.astype(dtype)
        self.decoder_ = learned.weights.V.astype(dtype)


def encode(X: Any, mean: np.ndarray, encoder: np.ndarray) -> np.ndarray:
    """Codes of one block."""
    if sp.issparse(X):
        return X @ encoder.T - mean @ encoder.T
    return (X - mean) @ encoder.T


class _ErrorSums(NamedTuple):
    weight: float
    squares: float  # sum w |x - x_hat|^2, in units


def _sum_errors(X, mean, encoder, decoder, unit, weight):
    D = (dense(X) - mean) / X.dtype.type(unit)
    D -= (D @ encoder.T) @ decoder.T
    squares = np.einsum("if,if->i", D, D, dtype=np.float64)
    if weight is None:
        return _ErrorSums(float(len(D)), squares.sum())
    return _ErrorSums(weight.sum(), weight @ squares)


def fit_exact(problem: AxesProblem) -> Learned:
    """The leading eigenvectors: one minimiser of many, whether the weights are tied or not."""
    axes = principal_axes(problem)
    W = deterministic_signs(axes.W.T).astype(np.float64)
    batches = int(axes.weight // problem.estimator.batch_size)
    largest = float(axes.scatter[0] / axes.weight)
    weights = Weights(W.T.copy(), W)
    return Learned(float(axes.weight), axes.mean, axes.unit, weights, W[0], largest, batches)


_FITS = {"exact": fit_exact, "gd": fit_gd, "sgd": fit_sgd}
