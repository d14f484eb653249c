"""GradientFactorization: gradient descent on the factors themselves.

    minimise over U, V     J = 1/2 sum_observed (y_ij - u_i'v_j)^2 + penalty/2 (||U||^2 + ||V||^2)

    full gradient     U <- U + step (G V - penalty U),   V <- V + step (G'U - penalty V),
                      G = y - u'v on the observed entries, 0 elsewhere; with momentum
    stochastic        one entry at a time: u_i <- u_i + step (g_ij v_j - penalty u_i), v_j likewise

J is not convex: U = V = 0 is a saddle. From a small balanced start the large singular values grow
first, each along the curve of the scalar case: with y = a, u(0) = v(0) and c = u(0) v(0), gradient
flow gives  u(t) v(t) = a c e^(2at) / (a - c + c e^(2at)),  which tends to a if a > 0, and to 0 if
a < 0: from u(0) = v(0) the product never becomes negative.

Cost of an iteration (of a pass over all entries): O(N k).
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from lowdim.completion.coding import Coding
from lowdim.completion.spectral import CENTER, CenteredEntries, Factors, SpectralCompleter
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.kernel import kernel
from lowdim.core.loop import iterate
from lowdim.core.random import random_generator
from lowdim.linalg.sparse import SparseBothWays, row_numbers, spectral_norm

DEFAULT_RATES = {"gd": 0.5, "sgd": 0.01}
START = 0.1  # size of the first products u'v, in units of the entries


class GradientFactorization(SpectralCompleter):
    """Matrix completion by gradient descent on the factors, full or stochastic (Funk's SVD).

    Minimises  1/2 sum_observed (y_ij - u_i'v_j)^2 + penalty/2 sum_observed (|u_i|^2 + |v_j|^2)

    Cost: O(N k) per pass over N observed entries. NaN are missing; of a sparse matrix the stored
    entries are the observed ones, zeros included. ALS reaches the same minimum in far fewer passes:
    this class shows the method, and is the one to take where a pass must be as cheap as possible.

    Parameters
    ----------
    n_components : int, default=10
        Number of factors k.
    penalty : float, default=0.02
        How much large factors cost, by entry and in units of the entries' size.
    solver : {"gd", "sgd"}, default="gd"
        "gd": the full gradient, all entries at once. "sgd": one entry at a time in random order; a
        pass then moves as far as hundreds of full gradients if there are many entries.
    learning_rate : float or None, default=None
        Length of the steps: of "gd" in units of 1 / (largest singular value of the entries), of
        "sgd" by entry. None means 0.5 for "gd" and 0.01 for "sgd". A step of "gd" that raises the
        objective, a pass of "sgd" that does not lower it halve the rate.
    momentum : float, default=0.9
        How much of the last step is taken again, from 0 (plain) to below 1.
    center : {None, "global", "rows", "columns", "both"}, default="both"
        What is taken from the entries before: nothing, their mean, and with it a bias of each row
        or column. A bias of rows is one more column of `row_factors_`, the last, with a constant
        component.
    max_iter : int, default=1000
        Steps of "gd", passes of "sgd".
    tol : float, default=1e-5
        Stop when an iteration lowers J by entry by less than this.
    random_state : int, Generator, RandomState or None, default=None
        For the first factors, and the order of entries of "sgd".
    warm_start : bool, default=False
        Whether a further fit begins where the last one ended.

    Attributes
    ----------
    components_ : array of shape (k, d)
        V' in units of X (with biases of rows a constant one follows).
    row_factors_ : array of shape (n, k)
        U.
    mean_ : array of shape (d,)
    scale_ : float
        Root mean square of the centred entries.
    noise_std_ : float
        Standard deviation of the entries about the model, in units of X.
    code_covariance_ : array of shape (q, q)
        How far codes spread, for `impute(X, return_std=True)`.
    history_ : array of shape (n_iter_,)
        J by entry, in units of scale_ squared.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    ALS : exact half-steps on a like objective.

    Notes
    -----
    The penalty of a row is multiplied by its number of entries, as it comes out when every entry's
    step shrinks the two factors that it touches. A row or column without any entry is predicted by
    `mean_`. Streams and Dask collections are gathered: the observed entries must fit in memory.

    References
    ----------
    Funk (2006), Netflix update: try this at home. Koren, Bell and Volinsky (2009), Matrix
    factorization techniques for recommender systems, equation 2.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import GradientFactorization
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(100, 2)) @ random.normal(size=(2, 50))
    >>> X = np.where(random.random(truth.shape) < 0.5, truth, np.nan)
    >>> model = GradientFactorization(2, penalty=0, center=None, tol=1e-9, random_state=0).fit(X)
    >>> bool(np.abs(model.complete() - truth).max() < 0.01)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "penalty": [NOT_NEGATIVE],
        "solver": [StrOptions({"gd", "sgd"})],
        "learning_rate": [POSITIVE, None],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "center": CENTER,
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        n_components=10,
        *,
        penalty=0.02,
        solver="gd",
        learning_rate=None,
        momentum=0.9,
        center="both",
        max_iter=1000,
        tol=1e-5,
        random_state=None,
        warm_start=False,
    ):
        self.n_components = n_components
        self.penalty = penalty
        self.solver = solver
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.center = center
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.warm_start = warm_start

    def _learn(self, opened: CenteredEntries) -> Factors:
        entries = opened.entries
        random = random_generator(self.random_state)
        rate = self.learning_rate or DEFAULT_RATES[self.solver]
        if self.solver == "gd":
            rate /= spectral_norm(entries, tol=1e-3) or 1.0
        problem = DescentProblem(entries, self.penalty, self.momentum, counts(entries))
        U, V = self._first_factors(opened, random)
        start = DescentState(
            U, V, np.zeros_like(U), np.zeros_like(V), rate, objective(U, V, problem)
        )
        moved = full_step if self.solver == "gd" else stochastic_pass
        loop = iterate(self, (start, random), max_iter=self.max_iter, tol=self.tol)
        for at, random in loop:
            new = moved(at, problem, random)
            loop.params = (new, random)
            refused = new.U is at.U  # it stands still for another reason than convergence
            loop.record(new.objective, change=np.inf if refused else at.objective - new.objective)
        at = loop.params[0]
        return Factors(at.U, at.V)

    def _first_factors(
        self, centered: CenteredEntries, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Small and random, of equal size on both sides; with `warm_start` the last ones first."""
        (n, d), k = centered.entries.shape, self.n_components
        size = np.sqrt(START) / k**0.25  # so that u'v has standard deviation START
        U, V = size * random.standard_normal((n, k)), size * random.standard_normal((d, k))
        last = self._last_factors(centered)
        if last is not None:
            r = min(k, last[0].shape[1])
            U[:, :r], V[:, :r] = last[0][:, :r], last[1][:, :r]
        dtype = centered.entries.values.dtype
        return U.astype(dtype), V.astype(dtype)

    def _code_penalty(self) -> np.ndarray:
        penalty = np.full(len(self.components_), float(self.penalty))
        penalty[self.n_components :] = 0.0  # a bias of rows
        return penalty

    def _coding(self) -> Coding:
        coding = super()._coding()
        return coding._replace(on=coding.on._replace(by_count=True))


class DescentProblem(NamedTuple):
    """What does not change in the descent."""

    entries: SparseBothWays
    penalty: float
    momentum: float
    counts: tuple[np.ndarray, np.ndarray]  # entries of each row (n, 1) and column (d, 1)


class DescentState(NamedTuple):
    """Factors on their way."""

    U: np.ndarray  # (n, k)
    V: np.ndarray  # (d, k)
    U_step: np.ndarray  # the last steps, for momentum
    V_step: np.ndarray
    rate: float
    objective: float  # J by entry


def counts(entries: SparseBothWays) -> tuple[np.ndarray, np.ndarray]:
    dtype = entries.values.dtype
    return (
        np.diff(entries.by_rows.indptr)[:, None].astype(dtype),
        np.diff(entries.by_columns.indptr)[:, None].astype(dtype),
    )


def objective(U: np.ndarray, V: np.ndarray, problem: DescentProblem) -> float:
    """J by entry."""
    g = problem.entries.values - problem.entries.product_at(U, V)
    n_i, n_j = problem.counts
    sizes = np.sum(n_i * U**2, dtype=np.float64) + np.sum(n_j * V**2, dtype=np.float64)
    return float(np.sum(g * g, dtype=np.float64) + problem.penalty * sizes) / (2 * len(g))


def full_step(at: DescentState, problem: DescentProblem, random: Any = None) -> DescentState:
    """One step along the full gradient and the last step; if J rises, stay and halve the rate."""
    entries, (n_i, n_j) = problem.entries, problem.counts
    left = entries.with_values(entries.values - entries.product_at(at.U, at.V))
    step, keep, penalty = (at.U.dtype.type(x) for x in (at.rate, problem.momentum, problem.penalty))
    U_step = keep * at.U_step + step * (left.times(at.V) - penalty * n_i * at.U)
    V_step = keep * at.V_step + step * (left.transposed_times(at.U) - penalty * n_j * at.V)
    return _accepted(at, problem, at.U + U_step, at.V + V_step, U_step, V_step)


def stochastic_pass(
    at: DescentState, problem: DescentProblem, random: np.random.Generator
) -> DescentState:
    """One pass over all entries in random order; if J rises, stay and halve the rate."""
    Y = problem.entries.by_rows
    U, V, U_step, V_step = (part.copy() for part in (at.U, at.V, at.U_step, at.V_step))
    order = random.permutation(Y.nnz)
    rate, keep, penalty = (U.dtype.type(x) for x in (at.rate, problem.momentum, problem.penalty))
    _descend(order, row_numbers(Y), Y.indices, Y.data, rate, keep, penalty, U, V, U_step, V_step)
    return _accepted(at, problem, U, V, U_step, V_step)


def _accepted(
    at: DescentState,
    problem: DescentProblem,
    U: np.ndarray,
    V: np.ndarray,
    U_step: np.ndarray,
    V_step: np.ndarray,
) -> DescentState:
    with np.errstate(over="ignore", invalid="ignore"):  # steps far too long: J is not finite
        J = objective(U, V, problem)
    if J <= at.objective:
        return DescentState(U, V, U_step, V_step, at.rate, J)
    at_rest = not (at.U_step.any() or at.V_step.any())  # then it was not the momentum
    rate = at.rate / 2 if at_rest else at.rate
    return at._replace(U_step=np.zeros_like(U_step), V_step=np.zeros_like(V_step), rate=rate)


@kernel
def _descend(order, rows, columns, values, rate, momentum, penalty, U, V, U_step, V_step):
    k = U.shape[1]
    for e in order:
        i, j = rows[e], columns[e]
        g = values[e]
        for r in range(k):
            g -= U[i, r] * V[j, r]
        for r in range(k):
            u, v = U[i, r], V[j, r]
            U_step[i, r] = momentum * U_step[i, r] + rate * (g * v - penalty * u)
            V_step[j, r] = momentum * V_step[j, r] + rate * (g * u - penalty * v)
            U[i, r] = u + U_step[i, r]
            V[j, r] = v + V_step[j, r]
