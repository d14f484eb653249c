"""SVP: singular value projection, gradient steps on the observed entries within rank k.

    minimise over X of rank at most k     J = sum_observed (y_ij - x_ij)^2 / N

    X <- [ X + step * P(Y - X) ]_k        P keeps the observed entries, [.]_k is the truncated SVD

X + step * P(Y - X) is sparse plus low rank, and only its k largest singular values are computed. A
step up to 1 cannot raise J (the missing values are filled by X, then the best rank k is taken);
where values are missing at random, about 1 / (the observed part) is right and far faster. The
automatic step minimises J along the gradient within the tangent space of the matrices of rank k
at X.

Cost of an iteration with N entries: about 4 products with k vectors, O((N + (n + d) k) k).
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from lowdim.completion.spectral import (
    CENTER,
    CenteredEntries,
    Factors,
    SpectralCompleter,
    root_mean_square,
)
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, POSITIVE, StrOptions
from lowdim.core.loop import iterate
from lowdim.linalg.sparse import (
    SparseBothWays,
    SparseLowRank,
    top_svd,
    truncated,
)
from lowdim.linalg.svd import SVD

SVD_TOL = 1e-7  # relative residual of singular vectors; they need not be better than the step
SVD_PASSES = 12


class SVP(SpectralCompleter):
    """Matrix completion by singular value projection: the best matrix of a given rank.

    Minimises  sum_observed (y_ij - x_ij)^2  over X of rank at most k, by gradient steps that are
    projected to rank k:  X <- [X + step * P(Y - X)]_k.

    Cost: O((N + (n + d) k) k) per iteration for N observed entries; the matrix is never written
    down. NaN are missing; of a sparse matrix the stored entries are the observed ones, zeros
    included. Use it when the rank is known and there is little noise; else SoftImpute.

    Parameters
    ----------
    n_components : int, default=10
        Rank k; more than the smaller side of X means that side.
    step : float or "auto", default="auto"
        Length of the steps. Up to 1 the objective cannot rise; where values are missing at
        random, 1 / (observed part) is faster, and a step that would raise the objective is halved.
        "auto" takes the best step in the tangent space in each iteration.
    center : {None, "global", "rows", "columns", "both"}, default=None
        What is taken from the entries before: nothing, their mean, and with it a bias of each row
        or column. A bias of rows is one more column of `row_factors_`, the last, with a constant
        component.
    max_iter : int, default=500
    tol : float, default=1e-5
        Stop when an iteration lowers the root mean square error of the observed entries by less
        than this part of their size.
    warm_start : bool, default=False
        Whether a further fit begins where the last one ended.

    Attributes
    ----------
    components_ : array of shape (k, d)
        Right singular vectors times scale_ (with biases of rows a constant one follows).
    row_factors_ : array of shape (n, k)
        Left singular vectors times singular values, in units of scale_.
    mean_ : array of shape (d,)
    singular_values_ : array of shape (k,)
        Of the completed, centred matrix, in units of X.
    scale_ : float
        Root mean square of the centred entries.
    noise_std_ : float
        Standard deviation of the entries about the model, in units of X.
    code_covariance_ : array of shape (q, q)
        How far codes spread, for `impute(X, return_std=True)`.
    history_ : array of shape (n_iter_,)
        J, in units of scale_ squared.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    SoftImpute : needs no rank and has no local minima.
    IterativeSVD : the same with step 1, from column means.

    Notes
    -----
    A row or column without any entry is predicted by `mean_`. Parts of the matrix that share no row
    and no column cannot be related by any method: entries between them are predicted by `mean_`,
    too, and `recoverability` says which they are. Streams and Dask collections are gathered: the
    observed entries must fit in memory.

    References
    ----------
    Jain, Meka and Dhillon (2010), Guaranteed rank minimization via singular value projection,
    algorithm 1. Tanner and Wei (2013), Normalized iterative hard thresholding for matrix completion
    (the step).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import SVP
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(100, 2)) @ random.normal(size=(2, 60))
    >>> X = np.where(random.random(truth.shape) < 0.3, truth, np.nan)
    >>> model = SVP(2, tol=1e-8).fit(X)
    >>> bool(np.abs(model.complete() - truth).max() < 1e-4)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "step": [POSITIVE, StrOptions({"auto"})],
        "center": CENTER,
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        n_components=10,
        step="auto",
        *,
        center=None,
        max_iter=500,
        tol=1e-5,
        warm_start=False,
    ):
        self.n_components = n_components
        self.step = step
        self.center = center
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    def _learn(self, opened: CenteredEntries) -> Factors:
        return learn_rank(self, opened, self.step)


def learn_rank(estimator: Any, centered: CenteredEntries, step: float | str) -> Factors:
    """Projected gradient steps from the estimator's start, within rank `n_components`."""
    entries = centered.entries
    k = min(estimator.n_components, *entries.shape)
    start = low_rank_fit(truncated(estimator._start(centered), slice(k)), entries)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=estimator.tol)
    for at in loop:
        error = root_mean_square(at.residual)
        loop.params = next_fit(at, entries, k, step)
        loop.record(error**2, change=error - root_mean_square(loop.params.residual))
    model = loop.params.model()
    estimator.singular_values_ = model.s * centered.scale
    return Factors(model.U * model.s, model.Vt.T)


class LowRankFit(NamedTuple):
    """A matrix of low rank and what it leaves of the observed entries."""

    U: np.ndarray  # (n, k)
    s: np.ndarray  # (k,)
    Vt: np.ndarray  # (k, d)
    residual: np.ndarray  # (N,)  y - x

    def model(self) -> SVD:
        return SVD(self.U, self.s, self.Vt)


def low_rank_fit(model: SVD, entries: SparseBothWays) -> LowRankFit:
    left = entries.values - entries.product_at(model.U * model.s, model.Vt.T)
    return LowRankFit(*model, left)


def next_fit(at: LowRankFit, entries: SparseBothWays, k: int, step: float | str) -> LowRankFit:
    """The next matrix: a projected gradient step, halved while it would raise the objective."""
    gradient = entries.with_values(at.residual)
    length = tangent_step(at, gradient, k) if step == "auto" else float(step)
    here = root_mean_square(at.residual)
    while True:
        new = low_rank_fit(projected(at.model(), gradient, length, k), entries)
        if length <= 1.0 or root_mean_square(new.residual) < here:
            return new
        length = max(length / 2, 1.0)


def projected(model: SVD, gradient: SparseBothWays, step: float, k: int) -> SVD:
    """[ X + step * G ]_k for a sparse G."""
    S = gradient.with_values(gradient.values * gradient.values.dtype.type(step))
    A = SparseLowRank(S, model.U * model.s, model.Vt.T)
    return top_svd(A, k, start=model, tol=SVD_TOL, max_passes=SVD_PASSES)


def tangent_step(at: LowRankFit, gradient: SparseBothWays, k: int) -> float:
    """The step that minimises J along T: ||T||^2 / ||P(T)||^2.

    T = UU'G + GVV' - UU'GVV', the gradient G within the tangent space at X; at X = 0, [ G ]_k.
    """
    if not len(at.s):
        first = top_svd(gradient, k, tol=SVD_TOL, max_passes=SVD_PASSES)
        return _best_step(gradient, first.U * first.s, first.Vt.T, _squares(first.s))
    U, V = at.U, at.Vt.T
    GV, GtU = gradient.times(V), gradient.transposed_times(U)
    GV -= U @ (U.T @ GV)  # T = U (G'U)' + (I - UU') G V V': the two parts are orthogonal
    return _best_step(
        gradient, np.hstack([U, GV]), np.hstack([GtU, V]), _squares(GtU) + _squares(GV)
    )


def _best_step(gradient: SparseBothWays, L: np.ndarray, R: np.ndarray, squares: float) -> float:
    """||T||^2 / ||P(T)||^2 for T = L R'."""
    seen = _squares(gradient.product_at(L, R))
    return squares / seen if seen > 0 else 1.0


def _squares(values: np.ndarray) -> float:
    return float(np.sum(np.square(values, dtype=np.float64)))
