"""Independent component analysis: rows are mixtures of independent, non-Gaussian sources.

    x = A s + mean,     y = W K (x - mean)      K whitens (K S K' = I), W unmixes

Independent sources are as far from Gaussian as their rotations can be. With a contrast G (log cosh,
say) and a standard Gaussian v, over orthogonal W,

    minimise     J(W) = - sum_j | E G(y_j) - E G(v) |

    parallel     W <- (E g(y) y' - diag E g'(y)) W, made orthogonal        Hyvarinen's fixed point
    deflation    the same, one row of W after the other
    picard       quasi-Newton on the rotations                             Ablin et al.'s Picard-O
    auto         parallel, then picard if it takes long

    gradient     natural gradient on the likelihood, over all W:
                 minimise - log|det W| + sum_j E[-log p_j(y_j)]

All of them see the rows through E G(y), E g(y) y' and E g'(y): sums over rows, so an iteration is a
pass of O(n k (d + k)) time and O(d k) memory beside one block. Whitening is one more pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Options,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import check_codes, check_weights
from lowdim.linear.ica.contrasts import Contrast
from lowdim.linear.ica.fixed_point import decorrelated, deflation, parallel
from lowdim.linear.ica.likelihood import gradient
from lowdim.linear.ica.picard import automatic, picard
from lowdim.linear.ica.statistics import MixedRows, in_small_blocks, unmix
from lowdim.linear.ica.whitening import whitening


class FastICA(Transformer, Estimator):
    """Independent component analysis: finds the sources behind mixed signals.

    Minimises  - sum_j |E G(y_j) - E G(v)|  over y = W K (x - mean) with orthogonal W, where K
    whitens and v is Gaussian: the sources are the directions farthest from Gaussian.

    Takes scikit-learn's arguments with scikit-learn's meaning, and has its learned attributes. In
    addition: 'picard' and 'gradient', `sample_weight`, streams and Dask.

    Cost: O(n k (d + k)) per iteration, each a pass over the rows; one more pass whitens. O(d^2)
    memory beside one block.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of sources, at most min(n, d); None takes all that have variance.
    algorithm : {'auto', 'parallel', 'deflation', 'picard', 'gradient'}, default='auto'
        'parallel' is the fixed-point iteration for all sources at once, 'deflation' for one after
        the other. 'picard' finds the same minimum in fewer passes where sources are only nearly
        independent, as real ones are. 'auto' begins as 'parallel' and goes on as 'picard' if that
        does not end soon (with a `fun` of your own it is 'parallel'). 'gradient' maximises the
        likelihood by natural gradient steps, the lecture's algorithm: many passes.
    whiten : {'unit-variance', 'arbitrary-variance', False}, default='unit-variance'
        Sources of variance 1, or 1 / n. False takes X as white already.
    fun : {'logcosh', 'exp', 'cube'} or callable, default='logcosh'
        g, the derivative of the contrast. 'logcosh' is good for most; 'exp' for very peaked
        sources; 'cube' is fast and sensitive to outliers. A callable gives g(y) and the mean of
        g'(y) along the last axis, for y of shape (k, rows).
    fun_args : dict, default=None
        Arguments for `fun`; 'logcosh' takes alpha, from 1 to 2.
    max_iter : int, default=200
    tol : float, default=1e-4
        Stop when 1 - cos of the angle by which a source's direction moves is at most this;
        'gradient': when no entry of the natural gradient is larger.
    w_init : array of shape (k, k), default=None
        Where W starts; None draws it at random.
    whiten_solver : {'svd', 'eigh'}, default='svd'
        Accepted for compatibility with scikit-learn; ignored. Whitening comes from the covariance.
    random_state : int, Generator, RandomState or None, default=None
        Draws the start.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        W K: sources = components_ (x - mean).
    mixing_ : ndarray of shape (d, k)
        Its pseudo-inverse A.
    mean_ : ndarray of shape (d,), if whiten
    whitening_ : ndarray of shape (k, d), if whiten
        K.
    n_iter_, history_, converged_ : int, ndarray, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    PCA : uncorrelated axes; independent ones need more than the covariance.

    Notes
    -----
    Sources are known up to their order and sign. Their order is that of the start; the entry of
    largest size in each column of `mixing_` is positive.

    References
    ----------
    Hyvarinen (1999), Fast and robust fixed-point algorithms for ICA. Ablin, Cardoso and Gramfort
    (2018), Faster ICA under orthogonal constraint. Lee, Girolami and Sejnowski (1999), ICA using an
    extended infomax algorithm, for 'gradient'.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> time = np.linspace(0, 20, 2000)
    >>> sources = np.column_stack([np.sin(3 * time), np.sign(np.sin(5 * time))])
    >>> X = sources @ np.array([[1.0, 0.5], [0.4, 1.0]])
    >>> found = lowdim.FastICA(random_state=0).fit_transform(X)
    >>> correlation = np.abs(np.corrcoef(sources.T, found.T)[:2, 2:])
    >>> bool((correlation.max(axis=1) > 0.99).all())
    True
    """

    min_rows: ClassVar[int] = 2

    shapes: ClassVar[dict] = {
        "components_": ("k", "d"),
        "mixing_": ("d", "k"),
        "mean_": Maybe(("d",)),
        "whitening_": Maybe(("k", "d")),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, None],
        "algorithm": [StrOptions({"auto", "parallel", "deflation", "picard", "gradient"})],
        "whiten": [
            StrOptions({"unit-variance", "arbitrary-variance"}),
            Options(bool, {False}),
        ],
        "fun": [StrOptions({"logcosh", "exp", "cube"}), callable],
        "fun_args": [dict, None],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "w_init": ["array-like", None],
        "whiten_solver": [StrOptions({"svd", "eigh"})],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components=None,
        *,
        algorithm="auto",
        whiten="unit-variance",
        fun="logcosh",
        fun_args=None,
        max_iter=200,
        tol=1e-4,
        w_init=None,
        whiten_solver="svd",
        random_state=None,
    ):
        self.n_components = n_components
        self.algorithm = algorithm
        self.whiten = whiten
        self.fun = fun
        self.fun_args = fun_args
        self.max_iter = max_iter
        self.tol = tol
        self.w_init = w_init
        self.whiten_solver = whiten_solver
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Find the sources of X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        contrast = Contrast.of(self.fun, self.fun_args)
        algorithm = self.algorithm
        if algorithm == "auto" and callable(self.fun):
            algorithm = "parallel"
        if callable(self.fun) and algorithm in ("picard", "gradient"):
            raise ValueError(
                f"algorithm={algorithm!r} needs the contrast G itself, fun gives its derivatives; "
                "choose 'parallel' or 'deflation', or fun='logcosh', 'exp' or 'cube'."
            )
        if algorithm == "gradient" and self.fun != "logcosh":
            raise ValueError(
                f"algorithm='gradient' maximises the likelihood of densities built from "
                f"fun='logcosh', not fun={self.fun!r}; choose that, or another algorithm."
            )
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        mean, K, n = whitening(rows, weight, self.n_components, white=not self.whiten)
        k = len(K)
        W = self._start(k)
        rows = in_small_blocks(rows, k)
        mixed = MixedRows(rows, weight, n, mean.astype(rows.dtype), K.astype(rows.dtype), contrast)
        W = ALGORITHMS[algorithm](self, mixed, W)
        self._publish(W, K, mean, n, mixed)
        return self

    def transform(self, X, copy=True):
        """The sources of each row."""
        rows = self.open_rows(X, reset=False)
        return rows.map(unmix, self._offset(), self.components_)

    def inverse_transform(self, X, copy=True):
        """Rows that mix these sources."""
        check_is_fitted(self)
        return check_codes(self, X, self.mixing_.shape[1]) @ self.mixing_.T + self._offset()

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def _offset(self):
        return self.mean_ if self.whiten else np.zeros_like(self.components_[0])

    def _start(self, k: int) -> np.ndarray:
        if self.w_init is None:
            W = random_generator(self.random_state).normal(size=(k, k))
        else:
            W = np.asarray(self.w_init, dtype=np.float64)
            if W.shape != (k, k):
                raise ValueError(f"w_init has shape {W.shape}; ({k}, {k}) is needed.")
        return decorrelated(W)

    def _publish(self, W, K, mean, n, mixed):
        B = W @ K
        if self.whiten:
            spread = np.linalg.norm(W, axis=1)  # of the sources: W's rows, for white rows
            B /= spread[:, None]
        if self.whiten == "arbitrary-variance":
            B, K = B / np.sqrt(n), K / np.sqrt(n)
        A = scipy.linalg.pinv(B)
        signs = np.sign(A[np.abs(A).argmax(axis=0), np.arange(A.shape[1])])
        signs[signs == 0] = 1.0
        dtype = mixed.rows.dtype
        self.components_ = (B * signs[:, None]).astype(dtype)
        self.mixing_ = (A * signs).astype(dtype)
        for name in ("mean_", "whitening_"):
            self.__dict__.pop(name, None)
        if self.whiten:
            self.mean_ = mean.astype(dtype)
            self.whitening_ = K.astype(dtype)


ALGORITHMS: dict[str, Callable[[Any, MixedRows, np.ndarray], np.ndarray]] = {
    "auto": automatic,
    "parallel": parallel,
    "deflation": deflation,
    "picard": picard,
    "gradient": gradient,
}
