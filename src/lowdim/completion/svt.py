"""SVT: singular value thresholding, the convex relaxation of completion without error.

    minimise over X    tau ||X||_* + 1/2 ||X||_F^2     subject to  x_ij = y_ij where observed

For a large tau this is the matrix of smallest nuclear norm through the observed entries: the truth,
with high probability, if that is of low rank and incoherent. The iteration climbs the dual,

    X <- shrink_tau(Q)                  singular values move towards 0 by tau
    Q <- Q + step * P(Y - X)            P keeps the observed entries: Q stays sparse

    g(Q) = <Q, Y> - 1/2 ||shrink_tau(Q)||_F^2,      whose gradient is P(Y - X).

The first steps would only make Q large enough for a singular value to pass tau; they are all taken
at once (the kicking start): Q = k0 step P(Y) with the largest k0 for which X is still about 0. Then
each step begins ahead of Q, on the line through the last two (Nesterov's acceleration, with a
restart where the dual falls). The gradient changes by no more than Q does, so steps up to 1 are
safe. Where values are missing at random, it changes by about the observed part of that: steps begin
with 1 / (that part) and are cut when the gradient is seen to change faster.

Cost of an iteration with N entries: about 3 products with r vectors, O(N r), r the rank of X.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from lowdim.completion.spectral import (
    CENTER,
    CenteredEntries,
    Factors,
    SpectralCompleter,
    dot,
    root_mean_square,
)
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, POSITIVE, StrOptions
from lowdim.core.loop import iterate
from lowdim.core.shapes import Maybe
from lowdim.linalg.sparse import (
    SparseBothWays,
    spectral_norm,
    top_svd,
    truncated,
)
from lowdim.linalg.svd import SVD

SVD_TOL = 1e-7  # relative residual of singular vectors
# The last singular value looked for is the first below tau, somewhere in the crowd of the noise: it
# would take forever to converge, and need not. Those above tau have converged long before.
SVD_PASSES = 4
FURTHER = 5  # singular values that are looked for in addition while the last is above tau
AUTO_TAU = 2.0  # in units of sqrt(n d) times the size of the entries


class SVT(SpectralCompleter):
    """Matrix completion by singular value thresholding: the smallest nuclear norm, without error.

    Minimises  tau ||X||_* + 1/2 ||X||_F^2  over all X that agree with the observed entries.

    Cost: O(N r) per iteration for N observed entries and rank r of the current X; only a sparse
    matrix and r singular vectors are kept. NaN are missing; of a sparse matrix the stored entries
    are the observed ones, zeros included. Use it for entries without noise: it reproduces them all.
    With noise the rank grows until the noise is explained, too: SoftImpute is then better and
    faster.

    Parameters
    ----------
    tau : float or "auto", default="auto"
        The threshold, in units of sqrt(n d) times the size of the entries. Larger: closer to the
        smallest nuclear norm, more iterations. "auto" is 2.
    step : float or "auto", default="auto"
        Length of the steps. Up to 1 they are always safe; "auto" begins with 1 / (observed part),
        which is far faster. A step that is too long for what the dual turns out to be is cut, and
        stays so.
    center : {None, "global", "rows", "columns", "both"}, default=None
        What is taken from the entries before: nothing, their mean, and with it a bias of each row
        or column. A bias of rows is one more column of `row_factors_`, the last, with a constant
        component.
    max_iter : int, default=500
    tol : float, default=1e-4
        Stop when the observed entries are met up to an error of this part of their size.

    Attributes
    ----------
    components_ : array of shape (r, d)
        Right singular vectors times scale_ (with biases of rows a constant one follows); at least
        one.
    row_factors_ : array of shape (n, r)
        Left singular vectors times singular values, in units of scale_.
    mean_ : array of shape (d,)
    singular_values_ : array of shape (r,)
        Of the completed, centred matrix, in units of X.
    rank_ : int
        r, which is found, not given.
    threshold_ : float
        tau, in units of X.
    scale_ : float
        Root mean square of the centred entries.
    noise_std_ : float
        Standard deviation of the entries about the model, in units of X.
    code_covariance_ : array of shape (q, q)
        How far codes spread, for `impute(X, return_std=True)`.
    history_ : array of shape (n_iter_,)
        -g(Q) by entry, the dual objective, in units of scale_ squared and tau.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    SoftImpute : the same penalty with least squares, for entries with noise.

    Notes
    -----
    A row or column without any entry is predicted by `mean_`. Parts of the matrix that share no row
    and no column cannot be related by any method: entries between them are predicted by `mean_`,
    too, and `recoverability` says which they are. Streams and Dask collections are gathered: the
    observed entries must fit in memory.

    Entries are taken to be without noise. If they are not, and there are not many more rows than
    columns, `impute(X, return_std=True)` is far too certain: SoftImpute knows its error.

    References
    ----------
    Cai, Candes and Shen (2010), A singular value thresholding algorithm for matrix completion,
    equations 2.7 (iteration), 5.1 (step) and 5.3 (kicking).
    Beck and Teboulle (2009), A fast iterative shrinkage-thresholding algorithm (acceleration).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import SVT
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(100, 2)) @ random.normal(size=(2, 100))
    >>> X = np.where(random.random(truth.shape) < 0.3, truth, np.nan)
    >>> model = SVT(tol=1e-6).fit(X)
    >>> model.rank_, bool(np.abs(model.complete() - truth).max() < 1e-3)
    (2, True)
    """

    shapes: ClassVar[dict] = {
        **SpectralCompleter.shapes,
        "rank_": "rank",
        "threshold_": Maybe(()),
    }

    _parameter_constraints: ClassVar[dict] = {
        "tau": [POSITIVE, StrOptions({"auto"})],
        "step": [POSITIVE, StrOptions({"auto"})],
        "center": CENTER,
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(self, tau="auto", step="auto", *, center=None, max_iter=500, tol=1e-4):
        self.tau = tau
        self.step = step
        self.center = center
        self.max_iter = max_iter
        self.tol = tol

    def _learn(self, opened: CenteredEntries) -> Factors:
        entries = opened.entries
        tau = (AUTO_TAU if self.tau == "auto" else self.tau) * float(
            np.sqrt(np.prod(entries.shape))
        )
        self.threshold_ = tau * opened.scale
        step = 1.0 / entries.density if self.step == "auto" else float(self.step)
        loop = iterate(self, dual_start(entries, tau, step), max_iter=self.max_iter, tol=self.tol)
        for at in loop:
            loop.params = next_dual(at, entries, tau)
            loop.record(
                dual_objective(loop.params, entries, tau),
                change=root_mean_square(loop.params.residual),
            )
        model = loop.params.model()
        self.rank_ = len(model.s)
        if not self.rank_:  # all entries are 0 once centred: one component of zeros
            model = SVD(*(np.zeros(shape, model.s.dtype) for shape in _one(entries.shape)))
        self.singular_values_ = model.s * opened.scale
        return Factors(model.U * model.s, model.Vt.T)

    def _code_weights(self) -> np.ndarray:
        # at the minimum, z_i (1 + tau / s) = q_i'V: of the codes that meet the entries of a row,
        # a fitted one is that of the least sum_r (1 + tau / s_r) z_r^2
        weights = np.ones(self.components_.shape[0])
        s = self.singular_values_
        if hasattr(self, "threshold_") and s.all():  # not in files of earlier versions
            own = 1.0 + self.threshold_ / s.astype(np.float64)
            weights[: len(s)] = own / own.min()
        return weights


class DualState(NamedTuple):
    """Where the iteration is: Q, X = shrink_tau(Q), and what X leaves of the entries."""

    q: np.ndarray  # (N,)  the entries of Q, divided by tau
    U: np.ndarray  # (n, r)
    s: np.ndarray  # (r,)
    Vt: np.ndarray  # (r, d)
    residual: np.ndarray  # (N,)  y - x
    q_before: np.ndarray  # (N,)  the last q without momentum
    momentum: float  # t of Nesterov's sequence; 1 restarts it
    step: float

    def model(self) -> SVD:
        return SVD(self.U, self.s, self.Vt)


def dual_start(entries: SparseBothWays, tau: float, step: float) -> DualState:
    """The state after the first k0 steps, in which X stays about 0."""
    largest = spectral_norm(entries)
    k0 = np.ceil(tau / (step * largest)) if largest > 0 else 1.0
    return dual_at(entries.values * entries.values.dtype.type(k0 * step / tau), entries, tau, step)


def dual_at(
    q: np.ndarray, entries: SparseBothWays, tau: float, step: float, near: SVD | None = None
) -> DualState:
    """X = shrink_tau(Q) and what it leaves; `near` is where singular vectors are looked for."""
    Q, most = entries.with_values(q), min(entries.shape)
    k = 1 + (0 if near is None else len(near.s))
    while True:
        k = min(k, most)
        found = top_svd(Q, k, start=near, tol=SVD_TOL, max_passes=SVD_PASSES)
        if found.s[-1] <= 1.0 or k == most:
            break
        k, near = k + FURTHER, found
    model = truncated(found, found.s > 1.0)
    model = SVD(model.U, (model.s - 1) * model.s.dtype.type(tau), model.Vt)
    residual = entries.values - entries.product_at(model.U * model.s, model.Vt.T)
    return DualState(q, *model, residual, q, 1.0, step)


def next_dual(at: DualState, entries: SparseBothWays, tau: float) -> DualState:
    """One step up the dual and ahead; if that went too far, the same place with a shorter step."""
    q = at.q + at.residual * at.q.dtype.type(at.step / tau)
    t = (1 + np.sqrt(1 + 4 * at.momentum**2)) / 2
    ahead = q + (q - at.q_before) * at.q.dtype.type((at.momentum - 1) / t)
    new = dual_at(ahead, entries, tau, at.step, at.model())
    moved, turned = new.q - at.q, new.residual - at.residual
    # g rises by about the mean slope at the two ends: differences of g would drown in rounding
    falls = dot(moved, new.residual) + dot(moved, at.residual) < 0
    curvature = _size(turned) / max(tau * _size(moved), np.finfo(float).tiny)
    if at.step > 1.0 and at.step * curvature > 1.0:
        step = max(at.step / 2, 1.0 / curvature, 1.0)
        stay = at if falls or _size(new.residual) > _size(at.residual) else new
        return stay._replace(q_before=stay.q, momentum=1.0, step=step)
    if falls and at.momentum > 1:
        return at._replace(q_before=at.q, momentum=1.0)
    return new._replace(q_before=q, momentum=t)


def dual_objective(at: DualState, entries: SparseBothWays, tau: float) -> float:
    """-g(Q) / (N tau)."""
    squares = float(np.sum(at.s.astype(np.float64) ** 2))
    return (squares / (2 * tau) - dot(at.q, entries.values)) / len(at.q)


def _size(values: np.ndarray) -> float:
    return float(np.sqrt(dot(values, values)))


def _one(shape: tuple[int, int]) -> tuple:
    n, d = shape
    return (n, 1), (1,), (1, d)
