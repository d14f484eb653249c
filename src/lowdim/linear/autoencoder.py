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
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks, blend
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_most, check_codes, check_weights
from lowdim.linalg.moments import column_variances, covariance, unit_for
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear.factor_model import dense
from lowdim.linear.pca.axes import AxesProblem
from lowdim.linear.pca.oja import gain
from lowdim.linear.pca.solvers import principal_axes

TINY = float(np.finfo(np.float64).tiny)


class LinearAutoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
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
    learning_rate : float or 'decreasing', default='decreasing'
        Step of 'sgd' and `partial_fit` as a share of the longest stable one: decreasing (like
        t^-0.6) settles down, a constant, at most 1, keeps following a drift.
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

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, None],
        "tied": ["boolean"],
        "solver": [StrOptions({"exact", "gd", "sgd"})],
        "learning_rate": [Interval(Real, 0, 1, closed="right"), StrOptions({"decreasing"})],
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
            learned = _nothing_learned(rows, self._code_length(rows), random)
        with single_threaded_blas():
            for X_part, w in rows.batches(self.batch_size, along=(weight,)):
                learned = _learn_batch(learned, X_part, w, self.learning_rate, self.tied)
        self._publish(learned, rows.dtype)
        return self

    # ---- encode, decode, judge -------------------------------------------------------------------

    def transform(self, X):
        """Codes z = W (x - mean)."""
        return self.open_rows(X, reset=False).map(encode, self.mean_, self.encoder_)

    def inverse_transform(self, Z):
        """Rows mean + V z."""
        check_is_fitted(self)
        return check_codes(self, Z, self.encoder_.shape[0]) @ self.decoder_.T + self.mean_

    def score(self, X, y=None, sample_weight=None):
        """Minus the mean over rows of |x - x_hat|^2."""
        rows = self.open_rows(X, reset=False)
        weight = check_weights(sample_weight, rows)
        sums = rows.fold(_sum_errors, self.mean_, self.encoder_, self.decoder_, along=(weight,))
        return -float(sums.squares / sums.weight)

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


class Weights(NamedTuple):
    """The two layers."""

    V: np.ndarray  # (d, k)  decoder
    W: np.ndarray  # (k, d)  encoder


class Learned(NamedTuple):
    """What is known of the rows seen: enough for `partial_fit` to go on."""

    weight: float  # of the rows seen
    mean: np.ndarray  # (d,)
    unit: float  # a power of two in which rows are measured: squares stay finite
    weights: Weights
    axis: np.ndarray  # (d,)  of length 1, towards the largest variance
    largest: float  # variance along it
    t: int  # batches seen


def encode(X: Any, mean: np.ndarray, encoder: np.ndarray) -> np.ndarray:
    """Codes of one block."""
    if sp.issparse(X):
        return X @ encoder.T - mean @ encoder.T
    return (X - mean) @ encoder.T


class _ErrorSums(NamedTuple):
    weight: float
    squares: float  # sum w |x - x_hat|^2


def _sum_errors(X, mean, encoder, decoder, weight):
    D = dense(X) - mean
    D -= (D @ encoder.T) @ decoder.T
    squares = np.einsum("if,if->i", D, D, dtype=np.float64)
    if weight is None:
        return _ErrorSums(float(len(D)), squares.sum())
    return _ErrorSums(weight.sum(), weight @ squares)


def random_weights(d: int, k: int, random: np.random.Generator) -> Weights:
    """A random projector: V = W' with orthonormal columns, which untied weights then leave."""
    V, _ = np.linalg.qr(random.normal(size=(d, k)))
    return Weights(V, V.T.copy())


# ---- exact -----------------------------------------------------------------------------------


def fit_exact(problem: AxesProblem) -> Learned:
    """The leading eigenvectors: one minimiser of many, whether the weights are tied or not."""
    axes = principal_axes(problem)
    W = deterministic_signs(axes.W.T).astype(np.float64)
    batches = int(axes.weight // problem.estimator.batch_size)
    largest = float(axes.scatter[0] / axes.weight)
    weights = Weights(W.T.copy(), W)
    return Learned(float(axes.weight), axes.mean, axes.unit, weights, W[0], largest, batches)


# ---- gradient descent on the covariance --------------------------------------------------------


class Descent(NamedTuple):
    """Where gradient descent stands."""

    weights: Weights
    gradient: Weights  # at the weights before
    direction: Weights  # that was gone last


def fit_gd(problem: AxesProblem) -> Learned:
    """Descend along conjugate gradients of J, by the step that lowers J most."""
    estimator, d = problem.estimator, problem.rows.n_columns
    assert problem.k is not None
    n, mean, scatter, unit = covariance(problem.rows, problem.weight)
    total = float(np.trace(scatter))
    S = scatter / (total or 1.0)  # J is then a share of 1/2 E|x|^2
    start = random_weights(d, problem.k, problem.random)
    zero = Weights(np.zeros_like(start.V), np.zeros_like(start.W))
    loop = iterate(
        estimator, Descent(start, zero, zero), max_iter=estimator.max_iter, tol=estimator.tol
    )
    for weights, old_gradient, old_direction in loop:
        gradient = gradients(S, weights, estimator.tied)
        direction = conjugate(gradient, old_gradient, old_direction)
        polynomial = along(S, weights, direction)
        step, fall = best_step(polynomial)
        loop.record(polynomial[0], change=fall)
        loop.params = Descent(moved(weights, direction, step), gradient, direction)
    axis, largest = _steepest(S, problem.random.normal(size=d))
    batches = int(n // estimator.batch_size)
    return Learned(float(n), mean, unit, loop.params.weights, axis, largest * total / n, batches)


def gradients(S: np.ndarray, weights: Weights, tied: bool) -> Weights:
    """dJ/dV and dJ/dW, twice over because J is measured in 1/2 trace S; tied: their sum."""
    V, W = weights
    WS = W @ S
    G_V = 2.0 * (V @ (WS @ W.T) - WS.T)  # E S W'
    G_W = 2.0 * ((V.T @ V) @ WS - V.T @ S)  # V' E S
    if tied:
        G_W = G_W + G_V.T
        G_V = G_W.T
    return Weights(G_V, G_W)


def conjugate(gradient: Weights, old: Weights, direction: Weights) -> Weights:
    """Polak and Ribiere's direction of descent; the gradient's own where that one would climb."""
    length = _inner(old, old)
    turn = (_inner(gradient, gradient) - _inner(gradient, old)) / length if length > 0 else 0.0
    mixed = Weights(*(max(turn, 0.0) * p - g for g, p in zip(gradient, direction, strict=True)))
    return mixed if _inner(mixed, gradient) < 0 else Weights(-gradient.V, -gradient.W)


def along(S: np.ndarray, weights: Weights, direction: Weights) -> np.ndarray:
    """Coefficients of the polynomial J(V + t P, W + t Q) in t, for trace S = 1.

    The error is E_0 + t E_1 + t^2 E_2 with E_0 = VW - I, E_1 = PW + VQ, E_2 = PQ, and J is
    quadratic in it: of degree 4 in t.
    """
    (V, W), (P, Q) = weights, direction
    errors = [V @ W, np.hstack([P, V]) @ np.vstack([W, Q]), P @ Q]
    errors[0].flat[:: len(S) + 1] -= 1.0
    WS, QS = W @ S, Q @ S
    weighted = [V @ WS - S, P @ WS + V @ QS, P @ QS]  # E_i S
    coefficients = np.zeros(5)
    for i, ES in enumerate(weighted):
        for j, E in enumerate(errors):
            coefficients[i + j] += np.vdot(ES, E)
    return coefficients


def best_step(coefficients: np.ndarray) -> tuple[float, float]:
    """The first t > 0 where a polynomial falling at 0 is lowest, and how far it falls there."""
    slope, bend = coefficients[1:3]
    if slope >= 0.0:
        return 0.0, 0.0
    # t in units of the parabola's step, in which a coefficient that is all rounding can be told
    unit = -slope / (2.0 * bend) if bend > 0 else 1.0
    slopes = np.arange(1, 5) * coefficients[1:] * unit ** np.arange(4)
    slopes[np.abs(slopes) < 1e-13 * np.abs(slopes).max()] = 0.0
    roots = np.polynomial.polynomial.polyroots(np.trim_zeros(slopes, "b"))
    steps = roots.real[(np.abs(roots.imag) <= 1e-6 * np.abs(roots.real)) & (roots.real > 0)]
    if len(steps) == 0:
        return 0.0, 0.0
    step = float(steps.min()) * unit
    fall = -float(coefficients[1:] @ step ** np.arange(1, 5))
    return (step, fall) if fall > 0 else (0.0, 0.0)


def moved(weights: Weights, direction: Weights, step: float) -> Weights:
    """The weights, a step further in a direction."""
    return Weights(weights.V + step * direction.V, weights.W + step * direction.W)


def _inner(left: Weights, right: Weights) -> float:
    return float(np.vdot(left.V, right.V) + np.vdot(left.W, right.W))


# ---- stochastic gradient descent ---------------------------------------------------------------


POWER_STEPS = 10  # with which the largest variance is found in the first batch


def fit_sgd(problem: AxesProblem) -> Learned:
    """A gradient step for each batch of rows; an iteration is a pass over all of them."""
    estimator, rows = problem.estimator, problem.rows
    assert problem.k is not None
    n, mean, columns, unit = column_variances(rows, problem.weight)
    variance = max(float(columns.sum()) / n, TINY)
    usual = n * min(estimator.batch_size / rows.shape[0], 1.0)  # the weight of a whole batch
    start = _nothing_learned(rows, problem.k, problem.random)
    start = start._replace(weight=float(n), mean=mean, unit=unit)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=estimator.tol)
    for learned in loop:
        error = 0.0
        with single_threaded_blas():
            for X, part in rows.batches(estimator.batch_size, along=(problem.weight,)):
                w = np.ones(X.shape[0]) if part is None else part
                if w.any():
                    D = (dense(X) - mean) / unit
                    share = min(w.sum() / usual, 1.0)  # the last batch may be a small one
                    learned, squares = sgd_step(
                        learned,
                        D,
                        w,
                        share * gain(estimator.learning_rate, learned.t + 1),
                        estimator.tied,
                    )
                    error += squares
        loop.record(error / (n * variance))
        loop.params = learned
    return loop.params


def sgd_step(
    learned: Learned, D: np.ndarray, weight: np.ndarray, rate: float, tied: bool
) -> tuple[Learned, float]:
    """What is known after one more batch of centred rows D, and sum w |x - V W x|^2 before.

    Steps are measured in 1 / curvature: that of J is at most the largest variance times
    |V|^2 + |W|^2. So the rate means the same for any data, and up to 1 it is stable.
    """
    V, W = learned.weights
    D = D.astype(np.float64, copy=False)
    w = (weight / weight.sum())[:, None]
    axis = learned.axis
    for _ in range(1 if learned.t else POWER_STEPS):
        product = D.T @ (w[:, 0] * (D @ axis))
        found = float(np.linalg.norm(product))
        axis = product / found if found > 0 else axis
    largest = blend(learned.largest, found, max(rate, 1.0 / (learned.t + 1)))

    Z = D @ W.T
    error = Z @ V.T - D
    squares = float(weight @ np.einsum("if,if->i", error, error))
    error *= w
    G_V, G_W = error.T @ Z, (error @ V).T @ D
    curvature = max(largest, found) * (np.linalg.norm(V, 2) ** 2 + np.linalg.norm(W, 2) ** 2)
    if tied:
        G_W, curvature = G_W + G_V.T, 2.0 * curvature
        G_V = G_W.T
    step = rate / curvature if curvature > 0 else 0.0
    weights = Weights(V - step * G_V, W - step * G_W)
    return learned._replace(weights=weights, axis=axis, largest=largest, t=learned.t + 1), squares


def _nothing_learned(rows: Blocks, k: int, random: np.random.Generator) -> Learned:
    d = rows.n_columns
    first = next(rows.batches(1))[0]
    unit = unit_for(float(np.abs(dense(first)).max()), rows.dtype)
    weights = random_weights(d, k, random)
    axis = random.normal(size=d)
    return Learned(0.0, np.zeros(d), unit, weights, axis / np.linalg.norm(axis), 0.0, 0)


def _learn_batch(
    learned: Learned, X: Any, weight: np.ndarray | None, learning_rate: float | str, tied: bool
) -> Learned:
    """What is known after one more batch of rows as they come: the mean moves, too."""
    X = dense(X).astype(np.float64)
    w = np.ones(len(X)) if weight is None else weight
    if not w.any():
        return learned
    seen = learned.weight + float(w.sum())
    rate = gain(learning_rate, learned.t + 1)
    follow = 0.0 if learning_rate == "decreasing" else rate
    mean = blend(learned.mean, w @ X / w.sum(), min(max(w.sum() / seen, follow), 1.0))
    learned = learned._replace(weight=seen, mean=mean)
    return sgd_step(learned, (X - mean) / learned.unit, w, rate, tied)[0]


def _steepest(S: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, float]:
    """A direction of nearly the largest variance, and that variance."""
    found = 0.0
    axis = axis / np.linalg.norm(axis)
    for _ in range(POWER_STEPS):
        product = S @ axis
        found = float(np.linalg.norm(product))
        axis = product / found if found > 0 else axis
    return axis, found


_FITS = {"exact": fit_exact, "gd": fit_gd, "sgd": fit_sgd}
