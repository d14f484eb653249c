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

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks, as_blocks
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Options,
    StrOptions,
)
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import check_at_most, check_codes, check_weights
from lowdim.linalg.moments import covariance

LEAST_CURVATURE = 1e-2  # of J in a plane of two sources; smaller ones are hardly determined
LEAST_BEND = 0.05  # of the gradient along a step, as part of what is expected, to be remembered
FACTORS = 100  # between 1 and 2, whose product float32 can hold
MEMORY = 7  # steps that the quasi-Newton method looks back on
SIGN_STEPS = 20  # of 'gradient', in which sources may still turn out to be peaked or flat
SADDLE_ROWS = 20_000  # at the most, to see whether a search ended at a saddle
ESCAPES = 3  # from saddles, at the most
FIXED_POINT_STEPS = 15  # of 'auto': independent sources need fewer, others would need very many


class FastICA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
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
        Accepted for scikit-learn's sake; whitening comes from the covariance.
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
        mean, K, n = self._whitening(rows, weight)
        k = len(K)
        W = self._start(k)
        mixture = Mixture(rows, weight, n, mean.astype(rows.dtype), K.astype(rows.dtype), contrast)
        W = ALGORITHMS[algorithm](self, mixture, W)
        self._publish(W, K, mean, n, mixture)
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

    def _whitening(
        self, rows: Blocks, weight: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Mean, K with K S K' = I, and the sum of weights."""
        n, mean, scatter, unit = covariance(rows, weight)
        d = rows.n_columns
        limit = min(int(n), d)
        k = self.n_components
        if k is not None:
            check_at_most("n_components", k, limit, "that X allows, min(n_samples, n_features)")
        if not self.whiten:
            if k is not None and k != d:
                warnings.warn(
                    f"n_components={k} is ignored with whiten=False: all {d} sources are found.",
                    UserWarning,
                    stacklevel=5,
                )
            return np.zeros(d), np.eye(d), n
        values, vectors = scipy.linalg.eigh(scatter / n)
        values, vectors = values[::-1], vectors[:, ::-1]
        rounding = 10 * d * np.finfo(rows.dtype).eps * max(values[0], 0.0)
        rank = max(int(np.count_nonzero(values > rounding)), 1)
        if k is not None and k > rank:
            warnings.warn(
                f"n_components={k} is more than the rank {rank} of X; {rank} sources are found.",
                UserWarning,
                stacklevel=5,
            )
        k = min(k or rank, rank)
        signs = np.where(vectors[0] < 0, -1.0, 1.0)  # as scikit-learn: a fixed sign for K
        scale = np.sqrt(np.where(values[:k] > 0, values[:k], 1.0)) * unit
        return mean, (vectors * signs)[:, :k].T / scale[:, None], n

    def _start(self, k: int) -> np.ndarray:
        if self.w_init is None:
            W = random_generator(self.random_state).normal(size=(k, k))
        else:
            W = np.asarray(self.w_init, dtype=np.float64)
            if W.shape != (k, k):
                raise ValueError(f"w_init has shape {W.shape}; ({k}, {k}) is needed.")
        return decorrelated(W)

    def _publish(self, W, K, mean, n, mixture):
        B = W @ K
        if self.whiten:
            spread = np.linalg.norm(W, axis=1)  # of the sources: W's rows, for white rows
            B /= spread[:, None]
        if self.whiten == "arbitrary-variance":
            B, K = B / np.sqrt(n), K / np.sqrt(n)
        A = scipy.linalg.pinv(B)
        signs = np.sign(A[np.abs(A).argmax(axis=0), np.arange(A.shape[1])])
        signs[signs == 0] = 1.0
        dtype = mixture.rows.dtype
        self.components_ = (B * signs[:, None]).astype(dtype)
        self.mixing_ = (A * signs).astype(dtype)
        for name in ("mean_", "whitening_"):
            self.__dict__.pop(name, None)
        if self.whiten:
            self.mean_ = mean.astype(dtype)
            self.whitening_ = K.astype(dtype)


# ---- what is added up over the rows --------------------------------------------------------------


class Contrast(NamedTuple):
    """G, its derivatives, and E G of a Gaussian."""

    kind: Any  # 'logcosh', 'exp', 'cube' or a callable
    alpha: float
    arguments: dict
    gaussian: float

    @classmethod
    def of(cls, fun: Any, fun_args: dict | None) -> Contrast:
        arguments = dict(fun_args or {})
        if callable(fun):
            return cls(fun, 1.0, arguments, 0.0)
        alpha = arguments.get("alpha", 1.0)
        if not 1.0 <= alpha <= 2.0:
            raise ValueError(f"alpha={alpha} in fun_args must be in [1, 2].")
        nodes, weights = np.polynomial.hermite_e.hermegauss(100)
        plain = cls(fun, float(alpha), arguments, 0.0)
        value = plain.evaluate(nodes[:, None])[0][:, 0]
        return plain._replace(gaussian=float(weights @ value / weights.sum()))

    def evaluate(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """G(y), g(y) and g'(y)."""
        if self.kind == "logcosh":
            alpha = Y.dtype.type(self.alpha)
            size = np.abs(Y)
            size *= alpha
            decay = np.exp(-2 * size)
            g = (1 - decay) / (1 + decay)
            G = (size + np.log1p(decay) - np.log(2)) / alpha
            slope = alpha * (1 - g * g)
            return G, np.copysign(g, Y), slope
        if self.kind == "exp":
            square = Y * Y
            bell = np.exp(-square / 2)
            return -bell, Y * bell, (1 - square) * bell
        square = Y * Y
        return square * square / 4, square * Y, 3 * square


class Mixture(NamedTuple):
    """The rows and how to whiten them."""

    rows: Blocks
    weight: np.ndarray | None
    n: float
    mean: np.ndarray  # (d,)
    K: np.ndarray  # (k, d)
    contrast: Contrast

    def sums(self, W: np.ndarray) -> Sums:
        """E G(y), E g(y) y', E g'(y) and E y^2 for y = W K (x - mean), in one pass."""
        B = (W @ self.K).astype(self.rows.dtype)
        sums = self.rows.fold(statistics, self.mean, B, self.contrast, along=(self.weight,))
        return Sums(*(part / self.n for part in sums))

    def part(self, n_rows: int) -> Mixture:
        """The mixture of at most `n_rows` of the rows, evenly spread."""
        n = self.rows.shape[0]
        if n <= n_rows:
            return self
        index = np.linspace(0, n - 1, n_rows).astype(np.intp)
        weight = None if self.weight is None else self.weight[index]
        total = float(n_rows) if weight is None else float(weight.sum())
        return self._replace(rows=as_blocks(self.rows.take(index)), weight=weight, n=total)


class Sums(NamedTuple):
    G: np.ndarray  # (k,)
    gy: np.ndarray  # (k, k)  g(y_i) y_j
    slope: np.ndarray  # (k,)    g'(y_i)
    y2: np.ndarray  # (k,)


def statistics(
    X: np.ndarray,
    mean: np.ndarray,
    B: np.ndarray,
    contrast: Contrast,
    weight: np.ndarray | None,
) -> Sums:
    """What one block of rows adds up."""
    Y = unmix(X, mean, B)
    if callable(contrast.kind):
        g, slope = contrast.kind(Y.T, **contrast.arguments)
        g = np.asarray(g).T
        weighted = g if weight is None else g * weight[:, None]
        total = len(Y) if weight is None else weight.sum()
        zeros = np.zeros(Y.shape[1])
        return Sums(zeros, weighted.T @ Y, np.asarray(slope) * total, zeros + (Y * Y).sum(axis=0))
    if weight is None and contrast.kind == "logcosh":
        sum_G, g, sum_slope = _logcosh_sums(Y, contrast.alpha)
        return Sums(sum_G, g.T @ Y, sum_slope, np.einsum("ij,ij->j", Y, Y))
    G, g, slope = contrast.evaluate(Y)
    w = np.ones(len(Y), dtype=Y.dtype) if weight is None else weight.astype(Y.dtype)
    if weight is not None:
        g = g * w[:, None]
    return Sums(w @ G, g.T @ Y, w @ slope, w @ (Y * Y))


def _logcosh_sums(Y: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum of G(y), g(y), and sum of g'(y), in few operations: most of the time goes into these.

    log cosh ay = a|y| + log (1 + e) - log 2 with e = exp -2a|y|, and a sum of logarithms is the
    logarithm of a product. g = (1 - e) / (1 + e) with the sign of y, and g' = a (1 - g^2).
    """
    n = len(Y)
    exponent = np.abs(Y)
    exponent *= Y.dtype.type(-2.0 * alpha)
    sum_size = exponent.sum(axis=0, dtype=np.float64) / -2.0
    decay = np.exp(exponent, out=exponent)
    above = 1 + decay
    sum_log = np.zeros(Y.shape[1])
    for start in range(0, n, FACTORS):
        sum_log += np.log(np.multiply.reduce(above[start : start + FACTORS], axis=0))
    g = np.subtract(1, decay, out=decay)
    g /= above
    sum_slope = alpha * (n - np.einsum("ij,ij->j", g, g))
    sum_G = (sum_size + sum_log - n * np.log(2.0)) / alpha
    return sum_G, np.copysign(g, Y, out=g), sum_slope


def unmix(X: np.ndarray, mean: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Sources of one block."""
    return (X - mean) @ B.T


def _distance(sums: Sums, contrast: Contrast) -> float:
    """J: minus the distance of the sources from Gaussian."""
    return -float(np.abs(sums.G - contrast.gaussian).sum())


def _sign(G: np.ndarray, contrast: Contrast) -> np.ndarray:
    """1 where J falls with E G(y) (peaked sources, for logcosh), -1 where it rises."""
    return np.where(G > contrast.gaussian, -1.0, 1.0)


# ---- fixed points --------------------------------------------------------------------------------


class Unmixing(NamedTuple):
    W: np.ndarray  # (k, k)
    escapes: int = 0  # from saddles so far


def parallel(estimator: FastICA, mixture: Mixture, W: np.ndarray) -> np.ndarray:
    """The fixed point for all sources at once, with symmetric decorrelation."""
    loop = iterate(estimator, Unmixing(W), max_iter=estimator.max_iter, tol=estimator.tol)
    for W, escapes in loop:
        sums = mixture.sums(W)
        W_new = _fixed_point(sums, W)
        turn = _turn(W, W_new)
        objective = turn if callable(mixture.contrast.kind) else _distance(sums, mixture.contrast)
        if turn <= estimator.tol and escapes < ESCAPES:
            away = off_saddle(mixture, W_new)
            if away is not None:
                W_new, turn, escapes = away, np.inf, escapes + 1
        loop.record(objective, change=turn)
        loop.params = Unmixing(W_new, escapes)
    return loop.params.W


def _fixed_point(sums: Sums, W: np.ndarray) -> np.ndarray:
    """E g(y) z - E g'(y) w for each source, made orthogonal; white z = W'y."""
    W_new = decorrelated((sums.gy - np.diag(sums.slope)) @ W)
    return W_new * np.where(np.einsum("ij,ij->i", W_new, W) < 0, -1.0, 1.0)[:, None]


def _turn(W: np.ndarray, W_new: np.ndarray) -> float:
    """1 - cos of the largest angle by which a source's direction moves."""
    return float(np.abs(np.einsum("ij,ij->i", W_new, W) - 1.0).max(initial=0.0))


def deflation(estimator: FastICA, mixture: Mixture, W: np.ndarray) -> np.ndarray:
    """The fixed point for one source after the other, each orthogonal to those before."""
    found, histories = np.zeros_like(W), []
    for j in range(len(W)):
        start = _orthogonal_to(W[j], found[:j])
        loop = iterate(estimator, Unmixing(start), max_iter=estimator.max_iter, tol=estimator.tol)
        for w, _ in loop:
            # E g(y) z in white coordinates z: a basis that contains w, since y alone is not enough
            basis = _basis_with(w)
            sums = mixture.sums(basis)
            w_new = _orthogonal_to(sums.gy[0] @ basis - sums.slope[0] * w, found[:j])
            turn = abs(abs(float(w_new @ w)) - 1.0)
            loop.record(-abs(float(sums.G[0]) - mixture.contrast.gaussian), change=turn)
            loop.params = Unmixing(w_new)
        found[j] = loop.params.W
        histories.append(estimator.history_)
    estimator.n_iter_ = max(map(len, histories))  # of any source, as scikit-learn counts
    estimator.history_ = np.concatenate(histories)
    return found


def decorrelated(W: np.ndarray) -> np.ndarray:
    """(W W')^-1/2 W: the nearest orthogonal matrix."""
    U, _, Vt = scipy.linalg.svd(W)
    return U @ Vt


def _orthogonal_to(w: np.ndarray, found: np.ndarray) -> np.ndarray:
    for _ in range(2):
        w = w - found.T @ (found @ w)
        w = w / max(np.linalg.norm(w), np.finfo(float).tiny)
    return w


def _basis_with(w: np.ndarray) -> np.ndarray:
    """An orthogonal matrix whose first row is w: a Householder reflection, up to sign."""
    sign = -1.0 if w[0] > 0 else 1.0  # away from w, so that no digits cancel
    v = w.copy()
    v[0] -= sign
    return sign * (np.eye(len(w)) - 2.0 * np.outer(v, v) / (v @ v))


# ---- saddles -------------------------------------------------------------------------------------


def off_saddle(mixture: Mixture, W: np.ndarray) -> np.ndarray | None:
    """W turned away from a saddle of J, or None if there is none.

    The sum and the difference of two sources are a fixed point, too: one where a rotation in their
    plane brings J down to both sides, and most of all by 45 degrees (Tichavsky, Koldovsky and Oja
    2006). The second derivative of J along that rotation tells, from at most SADDLE_ROWS rows.
    """
    if callable(mixture.contrast.kind) or len(W) < 2:
        return None
    part = mixture.part(SADDLE_ROWS)
    B = (W @ part.K).astype(part.rows.dtype)
    sums = part.rows.fold(curvatures, part.mean, B, part.contrast, along=(part.weight,))
    G, gy, slope, slope_y2 = (field / part.n for field in sums)
    excess = slope - gy
    bend = _sign(G, part.contrast)[:, None] * (
        slope_y2 - gy[:, None]
    )  # (k, k)  second derivative of source i's part
    bend = bend + bend.T
    # expected for independent sources: |excess_i| + |excess_j|; an estimate from n rows is not
    # sharper than about 1 / sqrt(n)
    expected = np.abs(excess)[:, None] + np.abs(excess)
    saddle = bend < -np.maximum(0.1 * expected, 5.0 / np.sqrt(part.n))
    np.fill_diagonal(saddle, False)
    if not saddle.any():
        return None
    away = W.copy()
    free = np.ones(len(W), dtype=bool)
    for i, j in zip(*np.unravel_index(np.argsort(bend, axis=None), bend.shape), strict=True):
        if saddle[i, j] and free[i] and free[j]:
            away[i], away[j] = (W[i] + W[j]) / np.sqrt(2), (W[i] - W[j]) / np.sqrt(2)
            free[[i, j]] = False
    return away


class Curvatures(NamedTuple):
    G: np.ndarray  # (k,)
    gy: np.ndarray  # (k,)    g(y_i) y_i
    slope: np.ndarray  # (k,)    g'(y_i)
    slope_y2: np.ndarray  # (k, k)  g'(y_i) y_j^2


def curvatures(
    X: np.ndarray,
    mean: np.ndarray,
    B: np.ndarray,
    contrast: Contrast,
    weight: np.ndarray | None,
) -> Curvatures:
    """What one block of rows adds to the second derivatives of J."""
    Y = unmix(X, mean, B)
    G, g, slope = contrast.evaluate(Y)
    w = np.ones(len(Y), dtype=Y.dtype) if weight is None else weight.astype(Y.dtype)
    return Curvatures(w @ G, w @ (g * Y), w @ slope, (slope * w[:, None]).T @ (Y * Y))


# ---- quasi-Newton on rotations -------------------------------------------------------------------


class Search(NamedTuple):
    """Where the search over rotations stands between two passes."""

    W: np.ndarray  # (k, k)  accepted last
    trial: np.ndarray  # (k, k)  to be looked at next
    objective: float  # at W
    gradient: np.ndarray  # (k, k)  at W; skew-symmetric
    direction: np.ndarray  # (k, k)  skew-symmetric
    length: float  # of the step along it that leads to the trial; 0 for a fixed-point step
    steps: np.ndarray  # (m, k, k)  the last steps
    turns: np.ndarray  # (m, k, k)  and the changes of the gradient along them
    escapes: int = 0  # from saddles so far


def picard(estimator: FastICA, mixture: Mixture, W: np.ndarray) -> np.ndarray:
    """Picard-O: L-BFGS over rotations exp(E) W with skew E."""
    return _search(estimator, mixture, W, fixed_point_steps=0)


def automatic(estimator: FastICA, mixture: Mixture, W: np.ndarray) -> np.ndarray:
    """Fixed-point steps first, which end it soon for independent sources; then Picard-O."""
    return _search(estimator, mixture, W, fixed_point_steps=FIXED_POINT_STEPS)


def _search(
    estimator: FastICA, mixture: Mixture, W: np.ndarray, fixed_point_steps: int
) -> np.ndarray:
    """Steps that never raise J: the pass that tries a step gives the gradient at its end, too."""
    k = len(W)
    none, zero = np.empty((0, k, k)), np.zeros((k, k))
    loop = iterate(
        estimator,
        Search(W, W, np.inf, zero, zero, 0.0, none, none),
        max_iter=estimator.max_iter,
        tol=estimator.tol,
    )
    for at in loop:
        sums = mixture.sums(at.trial)
        objective = _distance(sums, mixture.contrast)
        worse = objective > at.objective + 1e-12 * abs(objective)
        if worse and (at.length == 0 or at.length > 1e-3):
            loop.record(at.objective, change=np.inf)
            length = at.length / 2 or 1.0  # after a fixed-point step, try the quasi-Newton one
            loop.params = at._replace(length=length, trial=_rotated(at, length))
            continue
        gradient, curvature = _relative_derivatives(sums, mixture.contrast)
        steps, turns = at.steps, at.turns
        step, turn = at.length * at.direction, gradient - at.gradient
        # what bends by much less than independent sources would says nothing of the next step
        if np.vdot(step, turn) > LEAST_BEND * np.vdot(step, curvature * step):
            steps = np.concatenate([steps, step[None]])[-MEMORY:]
            turns = np.concatenate([turns, turn[None]])[-MEMORY:]
        direction = _quasi_newton(gradient, curvature, steps, turns)
        if np.vdot(direction, gradient) >= 0:
            direction, steps, turns = -gradient / curvature, none, none
        direction = direction / max(1.0, np.abs(direction).max())  # a radian at the most
        new = Search(at.trial, at.trial, objective, gradient, direction, 1.0, steps, turns)
        if loop.n_iter < fixed_point_steps:
            trial = _fixed_point(sums, new.W)
            new = new._replace(trial=trial, length=0.0)
        else:
            new = new._replace(trial=_rotated(new, 1.0))
        turn, escapes = _turn(new.W, new.trial), at.escapes
        if turn <= estimator.tol and escapes < ESCAPES:
            away = off_saddle(mixture, new.W)
            if away is not None:  # J may rise on the way out: look at the new place unconditionally
                turn, escapes = np.inf, escapes + 1
                new = Search(new.W, away, np.inf, zero, zero, 0.0, none, none)
        loop.record(objective, change=turn)
        loop.params = new._replace(escapes=escapes)
    return decorrelated(loop.params.W)


def _rotated(at: Search, length: float) -> np.ndarray:
    return scipy.linalg.expm(length * at.direction) @ at.W


def _relative_derivatives(sums: Sums, contrast: Contrast) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of J along exp(E) W, and its curvature if the sources were independent."""
    signed = _sign(sums.G, contrast)[:, None] * sums.gy
    size = np.abs(sums.slope - np.diag(sums.gy))
    curvature = np.maximum((size[:, None] + size) / 2, LEAST_CURVATURE)
    return (signed - signed.T) / 2, curvature


def _quasi_newton(
    gradient: np.ndarray, curvature: np.ndarray, steps: np.ndarray, turns: np.ndarray
) -> np.ndarray:
    """L-BFGS direction (two-loop recursion) that starts from the approximate Hessian."""
    q, memory = gradient.copy(), []
    for step, turn in zip(steps[::-1], turns[::-1], strict=True):
        scale = 1.0 / np.vdot(step, turn)
        a = scale * np.vdot(step, q)
        q -= a * turn
        memory.append((step, turn, scale, a))
    q /= curvature
    for step, turn, scale, a in reversed(memory):
        q += (a - scale * np.vdot(turn, q)) * step
    return -q


# ---- likelihood ----------------------------------------------------------------------------------


class Ascent(NamedTuple):
    W: np.ndarray  # (k, k)
    objective: float
    gradient: np.ndarray  # (k, k)
    sign: np.ndarray  # (k,)  1 for peaked sources, -1 for flat ones
    rate: float


def gradient(estimator: FastICA, mixture: Mixture, W: np.ndarray) -> np.ndarray:
    """Maximum likelihood by natural gradient steps W <- (I + rate (I - E f(y) y')) W.

    Peaked sources have density exp(-y^2/2) / cosh y, flat ones exp(-y^2/2) cosh y, up to constants:
    f(y) = y +- tanh y, by the sign of E sech^2(y) E y^2 - E y tanh y (extended infomax). The
    signs settle in the first steps; from then on the objective never rises.
    """
    mixture = mixture._replace(contrast=Contrast.of("logcosh", None))
    log_z = _log_constants()
    start = Ascent(W, np.inf, np.zeros_like(W), np.zeros(len(W)), 0.5)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=estimator.tol)
    for at in loop:
        trial = at.W + at.rate * at.gradient @ at.W
        sums = mixture.sums(trial)
        sign = at.sign
        if loop.n_iter < SIGN_STEPS:
            sign = np.where(sums.slope * sums.y2 >= np.diag(sums.gy), 1.0, -1.0)
        each = sign * sums.G + np.where(sign > 0, *log_z) + sums.y2 / 2
        objective = float(each.sum() - np.linalg.slogdet(trial)[1])
        flipped = (sign != at.sign).any()
        if objective > at.objective + (1.0 if flipped else 0.0) and at.rate > 1e-6:
            loop.record(at.objective, change=np.inf)
            loop.params = at._replace(rate=at.rate / 2)
            continue
        correlations = trial @ trial.T  # E y y' of white rows
        ascent = np.eye(len(W)) - sign[:, None] * sums.gy - correlations
        loop.record(objective, change=float(np.abs(ascent).max(initial=0.0)))
        loop.params = Ascent(trial, objective, ascent, sign, min(at.rate * 1.1, 1.0))
    return loop.params.W


def _log_constants() -> tuple[float, float]:
    """log of the normalising constants of exp(-y^2/2) / cosh y and exp(-y^2/2) cosh y."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    return float(np.log(weights @ (1 / np.cosh(nodes)))), float(np.log(weights @ np.cosh(nodes)))


ALGORITHMS: dict[str, Callable[[FastICA, Mixture, np.ndarray], np.ndarray]] = {
    "auto": automatic,
    "parallel": parallel,
    "deflation": deflation,
    "picard": picard,
    "gradient": gradient,
}


def amari_distance(W: np.ndarray, A: np.ndarray) -> float:
    """How far W A is from a scaled permutation: 0 for perfect unmixing, at most 1.

    Amari, Cichocki and Yang (1996), equation 4, divided by its largest value.
    """
    P = np.abs(W @ A)
    k = len(P)
    rows = (P.sum(axis=1) / P.max(axis=1) - 1).sum()
    columns = (P.sum(axis=0) / P.max(axis=0) - 1).sum()
    return float((rows + columns) / (2 * k * (k - 1))) if k > 1 else 0.0
