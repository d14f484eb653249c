"""SoftImpute: least squares on the observed entries with a penalty on the nuclear norm.

    minimise over X     J = 1/2 sum_observed (y_ij - x_ij)^2 + lambda ||X||_*

J is convex: there is one minimum, and no rank to choose. Two ways to it, both along a path of
falling lambda, each from the solution before:

als     X = L R' and ||X||_* = min (||L||_F^2 + ||R||_F^2) / 2 over all such L, R. For fixed R each
        row of L is a ridge regression, and the other way round. The number of columns of L and R
        grows by what is found missing: where the residual G = P(Y - X) has singular values above
        lambda beside the singular vectors of X, these directions lower J and join.
svd     X <- shrink_lambda(Z + P(Y - Z)), the singular values of the filled matrix moved towards 0,
        Z ahead of X on the line through the last two (Nesterov's acceleration, with restarts).

X is the minimum if and only if G = lambda (U V' + W) with U'W = 0, W V = 0 and ||W||_2 <= 1. How
far from it: every matrix D on the observed entries with ||D||_2 <= lambda bounds the minimum from
below by <D, Y> - ||D||^2 / 2, and G scaled down to ||G||_2 <= lambda is such a D. The difference to
J is the duality gap: J is not farther than that from the minimum.

Cost with N entries and rank r: als O(N r^2 + (n + d) r^3) per iteration, few iterations; svd
O((N + (n + d) r) r), more of them.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from lowdim.completion.spectral import (
    CENTER,
    SCALE,
    CenteredEntries,
    Factors,
    SpectralCompleter,
    dot,
)
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, POSITIVE, StrOptions
from lowdim.core.loop import iterate
from lowdim.core.shapes import Maybe
from lowdim.linalg.ridge import Regression, solve_rows
from lowdim.linalg.sparse import (
    SparseBothWays,
    SparseLowRank,
    spectral_norm,
    svd_of_product,
    top_svd,
    truncated,
)
from lowdim.linalg.svd import SVD

PATH = 0.3  # lambda falls by this factor from one point of the path to the next
FIRST = 12  # directions that the path begins with, at the most
LOOSE = 0.01  # on the way, J need not fall by less than this part per iteration
ROUNDING = 4.0  # J that falls by fewer units of rounding than this does not fall
CG_FROM = 32  # columns from which conjugate gradients are faster than Cholesky
SVD_TOL = 1e-7
SVD_PASSES = 6


class SoftImpute(SpectralCompleter):
    """Matrix completion by nuclear-norm regularised least squares: convex, finds its own rank.

    Minimises  1/2 sum_observed (y_ij - x_ij)^2 + lambda ||X||_*,   lambda = penalty * lambda_max,
               where lambda_max is the smallest lambda whose solution is 0.

    Cost: O(N r^2) per iteration for N observed entries and rank r, on all cores; the matrix is
    never written down. NaN are missing; of a sparse matrix the stored entries are the observed
    ones, zeros included.

    Parameters
    ----------
    penalty : float, default=0.02
        lambda as a part of lambda_max: 1 and more give the means alone, 0.5 few components, 1e-6
        reproduces the entries, which is right if they have no noise. Choose it by
        `CompletionSearch`.
    max_rank : int or None, default=None
        Most components; None means no limit. If it binds, the result is the best that was found of
        this rank, `duality_gap_` stays large, and the fit ends when J rests.
    center : {None, "global", "rows", "columns", "both"}, default="columns"
        What is taken from the entries before, so that it is not shrunk: nothing, their mean, and
        with it a bias of each row or column. A bias of rows is one more column of `row_factors_`,
        the last, with a constant component.
    scale : {None, "rows", "columns"}, default=None
        Divide the centred entries by the standard deviation of their row or column, so that all
        count the same; a row or column with few entries by one that is shrunk towards that of
        all. The result is in units of X again.
    solver : {"als", "svd"}, default="als"
        "als": alternating ridge regressions on factors that grow to the rank they need. "svd":
        accelerated shrinkage of the filled matrix; better for ranks above about 100.
    max_iter : int, default=500
    tol : float, default=1e-4
        Stop when the duality gap is below this part of J.
    warm_start : bool, default=False
        Whether a further fit begins where the last one ended: with the next smaller penalty, a few
        iterations are enough.

    Attributes
    ----------
    components_ : array of shape (r, d)
        sqrt(s) V' in units of X (with biases of rows a constant one follows); at least one.
    row_factors_ : array of shape (n, r)
        U sqrt(s): so codes and components share the penalty equally.
    mean_ : array of shape (d,)
    singular_values_ : array of shape (r,)
        Of the completed matrix, centred (and scaled).
    rank_ : int
        r, found by the penalty.
    penalty_ : float
        lambda, in units of the centred (and scaled) entries.
    duality_gap_ : float
        At most this part of J could still be gained.
    scale_ : float, or array of shape (d,) with scale="columns"
        Root mean square of the centred entries (with `scale`, times the standard deviations).
    code_penalty_ : float
        lambda for the codes of a row, in units of scale_.
    noise_std_ : float, or array of shape (d,) with scale="columns"
        Standard deviation of the entries about the model, in units of X.
    code_covariance_ : array of shape (q, q)
        How far codes spread, for `impute(X, return_std=True)`.
    history_ : array of shape (n_iter_,)
        J by entry, in units of scale_ squared; it falls along the path, too.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    ALS : for very many entries, with biases learned together with the factors.
    SVT : the limit of penalty to 0, by another road.

    Notes
    -----
    A row or column without any entry is predicted by `mean_`. Parts of the matrix that share no row
    and no column cannot be related by any method: entries between them are predicted by `mean_`,
    too, and `recoverability` says which they are. Streams and Dask collections are gathered: the
    observed entries must fit in memory.

    References
    ----------
    Mazumder, Hastie and Tibshirani (2010), Spectral regularization algorithms for learning large
    incomplete matrices, algorithm 1 and lemma 1. Hastie, Mazumder, Lee and Zadeh (2015), Matrix
    completion and low-rank SVD via fast alternating least squares. Yao and Kwok (2015), Accelerated
    inexact Soft-Impute for fast large-scale matrix completion.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import SoftImpute
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(100, 2)) @ random.normal(size=(2, 60))
    >>> X = np.where(random.random(truth.shape) < 0.4, truth, np.nan)
    >>> model = SoftImpute(1e-6, center=None, tol=1e-6).fit(X)
    >>> model.rank_, bool(np.abs(model.complete() - truth).max() < 1e-3)
    (2, True)
    """

    shapes: ClassVar[dict] = {
        **SpectralCompleter.shapes,
        "rank_": "rank",
        "penalty_": (),
        "duality_gap_": (),
        "code_penalty_": Maybe(()),
    }

    _parameter_constraints: ClassVar[dict] = {
        "penalty": [POSITIVE],
        "max_rank": [AT_LEAST_1, None],
        "center": CENTER,
        "scale": SCALE,
        "solver": [StrOptions({"als", "svd"})],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        penalty=0.02,
        max_rank=None,
        *,
        center="columns",
        scale=None,
        solver="als",
        max_iter=500,
        tol=1e-4,
        warm_start=False,
    ):
        self.penalty = penalty
        self.max_rank = max_rank
        self.center = center
        self.scale = scale
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    def _learn(self, opened: CenteredEntries) -> Factors:
        entries = opened.entries
        largest = spectral_norm(entries)
        goal = Goal(
            penalty=self.penalty * largest,
            max_rank=min(self.max_rank or min(entries.shape), *entries.shape),
            tol=self.tol,
        )
        improved = ridge_step if self.solver == "als" else shrink_step
        start = self._first(opened, largest, goal)
        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
        for at in loop:
            loop.params = next_on_path(improved(at, entries), at, entries, goal)
            loop.record(loop.params.objective / len(entries.values), change=loop.params.change)
        return self._found(opened, loop.params, goal)

    def _first(self, centered: CenteredEntries, largest: float, goal: Goal) -> PathPoint:
        """Where the path begins: at nothing, or at the last solution and then with its penalty."""
        start = self._start(centered)
        warm = len(start.s) > 0
        penalty = goal.penalty if warm else max(goal.penalty, PATH * largest)
        start = truncated(start, slice(goal.max_rank))
        return first_point(*balanced(start), centered.entries, penalty)

    def _found(self, centered: CenteredEntries, at: PathPoint, goal: Goal) -> Factors:
        """The factors at the end of the path, and what is said of it."""
        s = np.einsum("ir,ir->r", at.L, at.L)  # L = U sqrt(s)
        self.rank_ = len(s)
        self.penalty_ = goal.penalty * centered.scale
        self.duality_gap_ = duality_gap(at, centered.entries) if np.isnan(at.gap) else at.gap
        self.code_penalty_ = float(goal.penalty)  # of a row of usual deviation, if rows are scaled
        L, R = at.L, at.R
        if not self.rank_:  # the means alone: one component of zeros
            s, L, R = np.zeros(1, L.dtype), np.zeros((len(L), 1)), np.zeros((len(R), 1))
        self.singular_values_ = s * centered.scale
        return Factors(L, R)

    def _code_penalty(self) -> np.ndarray:
        # twice J for one row: sum (y - z'r)^2 + lambda |z|^2; a bias of the row is not penalised
        penalty = np.full(len(self.components_), self.code_penalty_)
        penalty[len(self.singular_values_) :] = 0.0
        return penalty


class Goal(NamedTuple):
    """Where the path leads to."""

    penalty: float
    max_rank: int
    tol: float


class PathPoint(NamedTuple):
    """A point on the path: X = L R' with balanced factors, at a penalty."""

    L: np.ndarray  # (n, r)  U sqrt(s)
    R: np.ndarray  # (d, r)  V sqrt(s)
    L_before: np.ndarray  # the point before it, for acceleration
    R_before: np.ndarray
    momentum: float  # t of Nesterov's sequence; 1 restarts it
    penalty: float
    objective: float  # J here
    rest: float  # falls of J below this part of it count as rest
    change: float  # what is held against tol
    gap: float = np.nan  # the duality gap, once it ends the path


def first_point(L: np.ndarray, R: np.ndarray, entries: SparseBothWays, penalty: float) -> PathPoint:
    """A point at rest, before any iteration at this penalty."""
    residual = entries.values - entries.product_at(L, R)
    J = objective(_squares(residual), L, R, penalty)
    return PathPoint(L, R, L, R, 1.0, penalty, J, LOOSE, np.inf)


def objective(squares: float, L: np.ndarray, R: np.ndarray, penalty: float) -> float:
    """J from the sum of squared residuals; ||X||_* = (||L||^2 + ||R||^2) / 2 if balanced."""
    return 0.5 * (squares + penalty * (_squares(L) + _squares(R)))


# ---- the two ways down ---------------------------------------------------------------------------


def ridge_step(at: PathPoint, entries: SparseBothWays) -> PathPoint:
    """All rows, then all columns by ridge regression; then the factors are balanced."""
    if not at.L.shape[1]:
        return at
    method = "cg" if at.L.shape[1] >= CG_FROM else "cholesky"
    on = _on(at.R, at.penalty)
    L = solve_rows(entries.by_rows, on, method=method, start=at.L, with_loss=False).Z
    R, loss = solve_rows(entries.by_columns, _on(L, at.penalty), method=method, start=at.R)
    squares = float(loss.sum()) - at.penalty * _squares(R)
    L, R = balanced(_nonzero(svd_of_product(L, R)))
    return at._replace(L=L, R=R, objective=objective(squares, L, R, at.penalty))


def shrink_step(at: PathPoint, entries: SparseBothWays) -> PathPoint:
    """shrink(Z + P(Y - Z)) for Z ahead on the line through the last two points."""
    t = (1 + np.sqrt(1 + 4 * at.momentum**2)) / 2
    new = _proximal(at, entries, (at.momentum - 1) / t)._replace(momentum=t)
    if new.objective > at.objective and at.momentum > 1:  # gone too far: restart from here
        new = _proximal(at, entries, 0.0)._replace(momentum=1.0)
    return new


def _proximal(
    at: PathPoint, entries: SparseBothWays, beta: float, limit: int | None = None
) -> PathPoint:
    """shrink(Z + P(Y - Z)) for Z = X + beta (X - X_before), of no more than `limit` values."""
    b = at.L.dtype.type(beta)
    ahead = beta > 0 and at.L_before.shape[1] > 0
    ZL = np.hstack([(1 + b) * at.L, -b * at.L_before]) if ahead else at.L
    ZR = np.hstack([at.R, at.R_before]) if ahead else at.R
    left = entries.with_values(entries.values - entries.product_at(ZL, ZR))
    near = svd_of_product(at.L, at.R)
    L, R = balanced(_shrink(SparseLowRank(left, ZL, ZR), at.penalty, near, limit))
    squares = _squares(entries.values - entries.product_at(L, R))
    return at._replace(
        L=L, R=R, L_before=at.L, R_before=at.R, objective=objective(squares, L, R, at.penalty)
    )


def _shrink(A: SparseLowRank, penalty: float, near: SVD, limit: int | None) -> SVD:
    """shrink_penalty(A): as many singular values as are above the penalty, found near a model."""
    most = min(*A.shape, A.shape[0] if limit is None else limit)
    k = len(near.s) + 1
    while True:
        k = min(k, most)
        found = top_svd(A, k, start=near, tol=SVD_TOL, max_passes=SVD_PASSES)
        if found.s[-1] <= penalty or k == most:
            break
        k, near = k + max(5, k // 4), found
    kept = truncated(found, found.s > penalty)
    return SVD(kept.U, kept.s - kept.s.dtype.type(penalty), kept.Vt)


# ---- along the path ------------------------------------------------------------------------------


def next_on_path(new: PathPoint, at: PathPoint, entries: SparseBothWays, goal: Goal) -> PathPoint:
    """What follows an iteration: another one, further directions, a smaller penalty, or the end."""
    fall = at.objective - new.objective
    if fall > new.rest * new.objective:
        return new._replace(change=np.inf)
    at_goal = new.penalty <= goal.penalty
    look = certificate(new, entries, with_gap=at_goal)
    if look.gap <= goal.tol:
        return new._replace(change=look.gap, gap=look.gap)
    room = goal.max_rank - new.L.shape[1]
    above = look.beside.s > new.penalty
    gain = 0.5 * float(np.sum((look.beside.s[above] - new.penalty) ** 2))
    if room > 0 and gain > fall:  # else another iteration as it is lowers J more
        return _joined(new, truncated(look.beside, above), room, entries)
    kept = _pruned(new, entries)
    if not at_goal:
        return first_point(kept.L, kept.R, entries, max(goal.penalty, PATH * new.penalty))
    # where max_rank allows no more, J must rest as far as it can
    change = fall / new.objective if above.any() and room <= 0 else look.gap
    if at.objective - kept.objective <= ROUNDING * np.finfo(new.L.dtype).eps * new.objective:
        change = 0.0  # the gap is what rounding leaves of it
    return kept._replace(change=change, rest=new.rest / 4)


def _pruned(at: PathPoint, entries: SparseBothWays) -> PathPoint:
    """One step of shrinkage: directions that only fade in alternation vanish at once."""
    r = at.L.shape[1]
    new = _proximal(at, entries, 0.0, limit=r) if r else at
    return new if new.objective < at.objective else at


def _joined(at: PathPoint, beside: SVD, room: int, entries: SparseBothWays) -> PathPoint:
    """Further directions, as far as one step of shrinkage takes them: that lowers J."""
    kept = truncated(beside, slice(room))
    L, R = balanced(SVD(kept.U, kept.s - kept.s.dtype.type(at.penalty), kept.Vt))
    return first_point(np.hstack([at.L, L]), np.hstack([at.R, R]), entries, at.penalty)._replace(
        rest=at.rest
    )


class Certificate(NamedTuple):
    """What the residual says about a point."""

    beside: SVD  # largest singular values of G beside the singular vectors of X
    gap: float  # duality gap as a part of J; inf if it was not asked for


def certificate(at: PathPoint, entries: SparseBothWays, *, with_gap: bool) -> Certificate:
    """Whether G = P(Y - X) has singular values above the penalty, and the duality gap."""
    G = entries.with_values(entries.values - entries.product_at(at.L, at.R))
    r, most = at.L.shape[1], min(entries.shape)
    model = svd_of_product(at.L, at.R)
    room = most - r
    if room:
        few = min(max(4, r // 2) if r else FIRST, room)
        beside = top_svd(_beside(G, model), few, tol=1e-3, max_passes=10 if with_gap else 2)
    else:
        beside = truncated(model, slice(0))
    return Certificate(beside, _gap(at, G, entries, model) if with_gap else np.inf)


def _beside(G: SparseBothWays, model: SVD) -> SparseLowRank:
    """(I - UU') G (I - VV') = G - U (G'U)' - (I - UU') G V V'."""
    U, V = model.U, model.Vt.T
    GV = G.times(V)
    GV -= U @ (U.T @ GV)
    return SparseLowRank(G, -np.hstack([U, GV]), np.hstack([G.transposed_times(U), V]))


def duality_gap(at: PathPoint, entries: SparseBothWays) -> float:
    """(J - lower bound) / J, the bound from G scaled down to spectral norm lambda."""
    G = entries.with_values(entries.values - entries.product_at(at.L, at.R))
    return _gap(at, G, entries, svd_of_product(at.L, at.R))


def _gap(at: PathPoint, G: SparseBothWays, entries: SparseBothWays, model: SVD) -> float:
    largest = float(top_svd(G, 1, start=model, tol=1e-8, max_passes=30).s[0])
    shrink = min(1.0, at.penalty / largest) if largest > 0 else 1.0
    g, y = G.values, entries.values
    bound = shrink * dot(g, y) - 0.5 * shrink**2 * _squares(g)
    J = objective(_squares(g), at.L, at.R, at.penalty)
    return max(J - bound, 0.0) / J if J > 0 else 0.0


# ---- small parts ---------------------------------------------------------------------------------


def balanced(model: SVD) -> tuple[np.ndarray, np.ndarray]:
    """U sqrt(s) and V sqrt(s)."""
    root = np.sqrt(model.s)
    return model.U * root, model.Vt.T * root


def _nonzero(model: SVD) -> SVD:
    """Without singular values that are rounding."""
    largest = model.s[0] if len(model.s) else 0.0
    return truncated(model, model.s > 10 * np.finfo(model.s.dtype).eps * largest)


def _on(F: np.ndarray, penalty: float) -> Regression:
    return Regression(
        np.ascontiguousarray(F), np.zeros(len(F), F.dtype), np.full(F.shape[1], penalty)
    )


def _squares(values: np.ndarray) -> float:
    return dot(values.ravel(), values.ravel())
