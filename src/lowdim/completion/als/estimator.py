"""ALS: alternating least squares on the observed entries.

    x_ij = mean + b_i + c_j + u_i'v_j          in units of the entries' spread

    minimise over U, V, b, c
        J = sum_observed w_ij (y_ij - b_i - c_j - u_i'v_j)^2  +  penalty (sum |u_i|^2 + sum |v_j|^2)
            + the same for b and c,             y = (x - mean) / scale

    fixed V, c:  each row's (u_i, b_i) is a ridge regression on (v_j, 1) of what it has observed
    fixed U, b:  each column's (v_j, c_j) likewise on (u_i, 1) of the rows that observe it

Neither half can raise J. Implicit feedback replaces the sum by one over all entries,
sum (1 + alpha x_ij) (1[x_ij > 0] - u_i'v_j)^2, at the cost of the observed ones (`als_kernels`).

In memory both halves go by rows, on the matrix and on its twin by columns. From streams and Dask
one pass solves the rows of a block and adds up the normal equations of the columns.

Cost of an iteration with N entries: O(N k^2 + (n + d) k^3), by conjugate gradients O(N k). Memory:
the entries twice and (n + d) k numbers; in a stream, d k^2 numbers beside one block.
"""

from __future__ import annotations

from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.completion.als.start import spectral_factors
from lowdim.completion.entries import Entries, check_some_observed, entry_weights, observed
from lowdim.completion.model import Coding, Completer, coded, encode
from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    StrOptions,
)
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import check_weights
from lowdim.linalg.ridge import (
    Regression,
    Systems,
    row_systems,
    solve_rows,
    solve_systems,
)
from lowdim.linalg.sparse import by_column, row_numbers, sparse_times, with_values

PIECE = 2**16  # entries that are looked at together
CG_FROM = 16  # components from which conjugate gradients are faster than Cholesky


class ALS(Completer):
    """Matrix completion by alternating least squares, with biases or for implicit feedback.

    Minimises  sum_observed (y - b_i - c_j - u_i'v_j)^2 + penalty (|U|^2 + |V|^2 + |b|^2 + |c|^2),
               y = (x - mean) / scale,  over the entries that were observed.

    Cost: O(N k^2) per iteration for N observed entries (O(N k) by conjugate gradients), on all
    cores; results do not depend on their number. NaN are missing; of a sparse matrix the stored
    entries are the observed ones, zeros included.

    Parameters
    ----------
    n_components : int, default=10
        Number of factors k. More of them fit finer detail and need more penalty.
    penalty : float, default=0.1
        How much large factors cost, in units of the spread of the entries (so that it does not
        depend on the units of X). Larger: closer to the biases alone.
    weighted_penalty : bool, default=True
        Whether the penalty of a row or column is multiplied by its number of observed entries. Then
        one value fits small and large matrices; without, rows with few entries are drawn more
        strongly to the mean.
    center : {"auto", "both", "rows", "columns", "global", None}, default="auto"
        What explains an entry beside the factors: the mean of all, and with it a learned bias of
        each row, of each column, or of both. A bias of rows is one more code, the last, with a
        constant component. "auto" is "both" for explicit feedback, None for implicit feedback and
        non-negative factors.
    scale : {None, "columns"}, default=None
        "columns" divides each column by its standard deviation: columns in different units then
        count the same.
    non_negative : bool, default=False
        Whether factors must be 0 or more: parts that only add up.
    feedback : {"explicit", "implicit"}, default="explicit"
        "explicit": values say how much. "implicit": a value says how often, everything not observed
        is a weak no; what is predicted is a preference, about 1 for yes and 0 for no.
    alpha : float, default=1.0
        Implicit feedback: an entry x counts as 1 + alpha x, one not observed as 1.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        Each regression exactly, or by `cg_steps` steps of conjugate gradients from the last
        iteration; "auto" takes the latter from 16 components on. Streams and Dask, non-negative
        factors and the codes of rows in the end are always solved exactly.
    cg_steps : int, default=3
        More steps: fewer iterations, each slower.
    max_iter : int, default=100
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by observed entry by less than this.
    random_state : int, Generator, RandomState or None, default=None
        For the directions in which the first factors of the columns are looked for.

    Attributes
    ----------
    components_ : array of shape (q, d)
        V' in units of X; with biases of rows, q = k + 1 and the last component is constant.
    row_factors_ : array of shape (n, q)
        Codes of the fitted rows, the bias last.
    mean_ : array of shape (d,)
        What is predicted of a row of which nothing is known: the mean and the biases of columns.
    global_mean_ : float
    scale_ : array of shape (d,)
        Units of the columns.
    history_ : array of shape (n_iter_,)
        J by observed entry.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    ProbabilisticPCA : a table with some holes rather than a few entries; says how sure it is.

    Notes
    -----
    A column or row without any entry has factors 0 and is predicted by the means of the others.
    More components than columns are allowed: the penalty keeps them small. In the units of X the
    objective is sum (x - mean - u'v)^2 + lambda (...) with lambda = penalty * scale.

    References
    ----------
    Zhou, Wilkinson, Schreiber and Pan (2008), Large-scale parallel collaborative filtering for the
    Netflix prize (weighted penalty). Hu, Koren and Volinsky (2008), Collaborative filtering for
    implicit feedback datasets. Takacs, Pilaszy and Tikk (2011), Applications of the conjugate
    gradient method for implicit feedback collaborative filtering.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import ALS
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(100, 2)) @ random.normal(size=(2, 30))
    >>> X = np.where(random.random(truth.shape) < 0.5, truth, np.nan)
    >>> model = ALS(2, penalty=0.01, center=None, tol=1e-5, random_state=0).fit(X)
    >>> bool(np.abs(model.complete() - truth).mean() < 0.05)
    True
    >>> model.predict([0, 1], [5, 7]).shape
    (2,)
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "penalty": [NOT_NEGATIVE],
        "weighted_penalty": ["boolean"],
        "center": [StrOptions({"auto", "both", "rows", "columns", "global"}), None],
        "scale": [StrOptions({"columns"}), None],
        "non_negative": ["boolean"],
        "feedback": [StrOptions({"explicit", "implicit"})],
        "alpha": [POSITIVE],
        "solver": [StrOptions({"auto", "cholesky", "cg"})],
        "cg_steps": [AT_LEAST_1],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components=10,
        *,
        penalty=0.1,
        weighted_penalty=True,
        center="auto",
        scale=None,
        non_negative=False,
        feedback="explicit",
        alpha=1.0,
        solver="auto",
        cg_steps=3,
        max_iter=100,
        tol=1e-4,
        random_state=None,
    ):
        self.n_components = n_components
        self.penalty = penalty
        self.weighted_penalty = weighted_penalty
        self.center = center
        self.scale = scale
        self.non_negative = non_negative
        self.feedback = feedback
        self.alpha = alpha
        self.solver = solver
        self.cg_steps = cg_steps
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None, sample_weight=None, entry_weight=None):
        """Learn the factors of rows and columns.

        Parameters
        ----------
        X : array with NaN, sparse matrix (stored = observed), Entries, stream or Dask, (n, d)
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        entry_weight : array or sparse matrix like X, or (number of entries,), default=None
            How much each observed entry counts; in memory only. `Entries` may bring theirs along.
        """
        rows = self.open_entries(X)
        weight = check_weights(sample_weight, rows)
        entry_weight = X.weight if isinstance(X, Entries) and entry_weight is None else entry_weight
        self._check_arguments_go_together()
        matrix = self._in_memory(rows, entry_weight, weight)
        problem = self._problem(rows, matrix, weight)
        half_steps = Blockwise(rows, weight, problem) if matrix is None else matrix.ready(problem)
        loop = iterate(
            self,
            Factors(np.empty((0, 0), rows.dtype), self._start(rows, half_steps, problem)),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        for factors in loop:
            solved = half_steps.solve_rows(factors)
            loop.record(objective(solved, factors.W, problem))
            loop.params = half_steps.solve_columns(solved, factors.W)
        self._publish(loop.params.W, problem)
        self.row_factors_ = half_steps.codes(loop.params.W, self._coding())
        return self

    @fitting
    def partial_fit(self, X, y=None):
        """Take in new rows: their codes join `row_factors_`, the components stay as they are.

        The first call learns everything, like `fit`. New columns come by `add_columns`.
        """
        if not hasattr(self, "components_"):
            return self.fit(X)
        codes = in_memory(self.transform(X))
        self.row_factors_ = np.concatenate([self.row_factors_, codes])
        return self

    def add_columns(self, X):
        """Take in new columns, observed by the fitted rows, without learning the rest anew.

        Parameters
        ----------
        X : array with NaN, sparse matrix or Entries of shape (n, m)
            m new columns of all n fitted rows, in the same order. They get the numbers after the
            known ones; `n_features_in_` grows by m. Names of columns are kept if X has some too.
        """
        check_is_fitted(self)
        new = X if isinstance(X, Entries) else Entries(X)
        if new.shape[0] != len(self.row_factors_):
            raise ValueError(
                f"X has {new.shape[0]} rows; new columns need one row for each of the "
                f"{len(self.row_factors_)} fitted rows, NaN or not stored where nothing is known."
            )
        dtype = self.components_.dtype
        m = new.shape[1]
        scale = np.full(m, np.mean(self.scale_), dtype)
        problem = self._problem_of(self.global_mean_, scale, 1.0)
        targets, weight = targets_of(new.X.astype(dtype), problem, new.weight)
        twin, weight = twin_of(targets, weight)
        on = on_rows(self.row_factors_, problem)
        W = solve_rows(twin, on, weight=weight, method=exact(problem), with_loss=False).Z
        components, mean = decoder(W, problem, dtype)
        self.components_ = np.concatenate([self.components_, components], axis=1)
        self.mean_ = np.concatenate([self.mean_, mean])
        self.scale_ = np.concatenate([self.scale_, scale])
        self.n_features_in_ += m
        known, names = getattr(self, "feature_names_in_", None), getattr(X, "columns", None)
        if known is not None and names is not None:
            self.feature_names_in_ = np.array([*known, *names], dtype=object)
        elif known is not None:
            del self.feature_names_in_
        return self

    def score(self, X, y=None):
        """Minus the mean squared error of the observed entries of X, from the codes of its rows.

        Implicit feedback: minus the objective of the rows, by row.
        """
        if self.feedback == "explicit":
            return super().score(X)
        rows = self.open_entries(X, reset=False)
        return -float(rows.fold(loss_of, self._coding())) / rows.shape[0]

    def _check_arguments_go_together(self):
        if self.center not in ("auto", None) and (self.non_negative or self.feedback == "implicit"):
            other = "non_negative=True" if self.non_negative else "feedback='implicit'"
            raise ValueError(
                f"center={self.center!r} does not go with {other}, which looks at the entries as "
                "they are; leave it at 'auto'."
            )
        if self.scale is not None and self.feedback == "implicit":
            raise ValueError(
                f"scale={self.scale!r} does not go with feedback='implicit', whose values say how "
                "often; set scale=None."
            )

    def _in_memory(self, rows, entry_weight, weight):
        """The half-steps of data in memory; None for streams and Dask."""
        if rows.in_memory is not None:
            X = observed(rows.in_memory)
            by_entry = None if entry_weight is None else entry_weights(entry_weight, X)
            return InMemory(X, by_entry, weight)
        if entry_weight is not None:
            raise ValueError(
                "entry_weight needs data in memory; X is a stream or a Dask collection."
            )
        return None

    def _problem(self, rows, matrix, weight):
        """What is minimised: the mean and the units of the entries are learned here."""
        centered = self._center() is not None
        if matrix is None:
            first = rows.fold(first_sums, along=(weight,))
        else:
            first = matrix.fold(first_sums_of)
        check_some_observed(first.count, type(self).__name__)
        if self.feedback == "implicit":
            if first.negative:
                raise ValueError(
                    f"Negative values in data passed to ALS: {first.negative} entries of X; with "
                    "feedback='implicit' values say how often something was seen, 0 or more."
                )
            return self._problem_of(0.0, np.ones(rows.n_columns, rows.dtype), float(first.count))
        mean = float(first.sum_x / first.count) if centered else 0.0
        size = float(first.sum_size / first.count) or 1.0
        if matrix is None:
            second = rows.fold(second_sums, mean, size, along=(weight,))
        else:
            second = matrix.fold(second_sums_of, mean, size)
        scale = size * column_units(second, by_column=self.scale == "columns")
        return self._problem_of(mean, scale.astype(rows.dtype), float(first.count))

    def _problem_of(self, mean, scale, total):
        implicit = self.feedback == "implicit"
        solver = self.solver
        if solver == "auto":
            solver = "cg" if self.n_components >= CG_FROM else "cholesky"
        return Problem(
            self.n_components,
            mean,
            scale,
            float(self.penalty),
            self.weighted_penalty and not implicit,
            self._center() in ("rows", "both"),
            self._center() in ("columns", "both"),
            float(self.alpha) if implicit else None,
            "nonnegative" if self.non_negative else solver,
            self.cg_steps,
            total,
        )

    def _center(self):
        if self.center != "auto":
            return self.center
        return None if self.non_negative or self.feedback == "implicit" else "both"

    def _start(self, rows, half_steps, problem):
        """Factors of the columns; biases 0."""
        random, d, k = random_generator(self.random_state), rows.n_columns, self.n_components
        if self.feedback == "implicit":
            V = random.normal(size=(d, k)) / np.sqrt(k)
        else:
            n = half_steps.n_rows
            V = spectral_factors(half_steps.gram_times, n, d, k, problem.total / (n * d), random)
        if self.non_negative:
            V = np.abs(V)
        bias = np.zeros((d, int(self._center() in ("columns", "both"))))
        return np.hstack([V, bias]).astype(rows.dtype)

    def _publish(self, W, problem):
        self.components_, self.mean_ = decoder(W, problem, W.dtype)
        self.global_mean_ = problem.mean
        self.scale_ = problem.scale

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.feedback == "implicit"
        return tags

    def _code_penalty(self):
        return np.full(self.components_.shape[0], float(self.penalty))

    def _coding(self):
        coding = super()._coding()
        implicit = self.feedback == "implicit"
        on = coding.on._replace(by_count=self.weighted_penalty and not implicit)
        if implicit:
            on = on._replace(gram=gram_of(on.F))
        return coding._replace(
            on=on,
            method="nonnegative" if self.non_negative else "cholesky",
            confidence=float(self.alpha) if implicit else None,
        )


class Factors(NamedTuple):
    """Where the alternation stands."""

    Z: np.ndarray  # (n, k [+ 1])  u, b; empty before the first half-step and for streams
    W: np.ndarray  # (d, k [+ 1])  v, c


class Problem(NamedTuple):
    """What is minimised, and how."""

    k: int
    mean: float
    scale: np.ndarray  # (d,)
    penalty: float
    by_count: bool
    row_bias: bool
    column_bias: bool
    alpha: float | None  # None: explicit feedback
    method: str
    steps: int
    total: float  # weight of the observed entries


# ---- the half-steps ------------------------------------------------------------------------------


class SolvedRows(NamedTuple):
    loss: float  # of all rows, with their penalty
    count: np.ndarray  # type: ignore[assignment]  # (d,)  weight of each column's entries
    Z: np.ndarray  # (n, q)


class InMemory:
    """Both half-steps go by rows: on the matrix, and on its twin by columns."""

    def __init__(self, X: Any, entry_weight: np.ndarray | None, row_weight: np.ndarray | None):
        self._X, self._entry_weight, self._row_weight = X, entry_weight, row_weight
        self._full_weight = entry_weight  # of an entry for its column: times that of its row
        if row_weight is not None:
            by_row = row_weight[row_numbers(X)]
            self._full_weight = by_row if entry_weight is None else entry_weight * by_row

    def fold(self, function: Any, *params: Any) -> Any:
        """What the entries add up, with all weights."""
        return function(self._X, self._full_weight, *params)

    def ready(self, problem: Problem) -> InMemory:
        """Centre and scale the entries, and make the twin."""
        self._problem = problem
        self._targets, self._weight = targets_of(self._X, problem, self._entry_weight)
        columns, weight = twin_of(self._targets, self._weight, self._row_weight)
        self._columns, self._column_weight = columns, weight
        self._count = np.diff(columns.indptr).astype(np.float64)
        if self._full_weight is not None:
            self._count = np.bincount(self._X.indices, self._full_weight, len(self._count))
        return self

    @property
    def n_rows(self) -> float:
        """Weight of the rows."""
        return self._X.shape[0] if self._row_weight is None else float(self._row_weight.sum())

    def gram_times(self, Q: np.ndarray) -> np.ndarray:
        """Y'Y Q: entries times their weight, rows weighted."""
        Q = Q.astype(self._targets.dtype)
        U = sparse_times(weighted(self._targets, self._weight), Q)
        return sparse_times(weighted(self._columns, self._column_weight), U).astype(np.float64)

    def solve_rows(self, factors: Factors) -> SolvedRows:
        start = factors.Z if len(factors.Z) else None
        solved = solve_rows(
            self._targets,
            on_columns(factors.W, self._problem),
            weight=self._weight,
            method=self._problem.method,
            steps=self._problem.steps,
            start=start,
        )
        weight = 1.0 if self._row_weight is None else self._row_weight
        return SolvedRows(float((weight * solved.loss).sum()), self._count, solved.Z)

    def solve_columns(self, solved: SolvedRows, W: np.ndarray) -> Factors:
        new = solve_rows(
            self._columns,
            on_rows(solved.Z, self._problem, self._row_weight),
            weight=self._column_weight,
            method=self._problem.method,
            steps=self._problem.steps,
            start=W,
            with_loss=False,
        ).Z
        return Factors(solved.Z, new)

    def codes(self, W: np.ndarray, coding: Coding) -> np.ndarray:
        """Exact codes of all rows."""
        return solve_rows(
            self._targets,
            coding.on._replace(offset=on_columns(W, self._problem).offset),
            weight=self._weight,
            method=coding.method,
            with_loss=False,
        ).Z


class Blockwise:
    """One pass solves the rows of each block and adds up the normal equations of the columns."""

    def __init__(self, rows: Blocks, weight: np.ndarray | None, problem: Problem):
        self._rows, self._weight, self._problem = rows, weight, problem

    @property
    def n_rows(self) -> float:
        return self._rows.shape[0] if self._weight is None else float(self._weight.sum())

    def gram_times(self, Q: np.ndarray) -> np.ndarray:
        return self._rows.fold(gram_times, Q, self._problem, along=(self._weight,))

    def solve_rows(self, factors: Factors) -> Sums:
        return self._rows.fold(statistics, factors.W, self._problem, along=(self._weight,))

    def solve_columns(self, sums: Sums, W: np.ndarray) -> Factors:
        on = regression(W, self._problem, self._problem.row_bias, self._problem.column_bias)
        on = on._replace(gram=None if self._problem.alpha is None else sums.gram)
        systems = Systems(sums.A, sums.b, sums.count)
        new = solve_systems(systems, on, method=exact(self._problem), start=W)
        return Factors(np.empty((0, 0), W.dtype), new.astype(W.dtype))

    def codes(self, W: np.ndarray, coding: Coding) -> np.ndarray:
        return in_memory(self._rows.map(encode, coding))


class Sums(NamedTuple):
    A: np.ndarray  # (d, q, q)  normal equations of the columns
    b: np.ndarray  # (d, q)
    count: np.ndarray  # type: ignore[assignment]  # (d,)
    gram: np.ndarray  # (q, q)  sum w u u' over all rows
    loss: float  # of the rows, with their penalty


def statistics(X: Any, W: np.ndarray, problem: Problem, weight: np.ndarray | None) -> Sums:
    """What one block adds up, its rows solved."""
    targets, by_entry = targets_of(observed(X), problem, None)
    solved = solve_rows(targets, on_columns(W, problem), weight=by_entry, method=exact(problem))
    columns, by_entry = twin_of(targets, by_entry, weight)
    on = on_rows(solved.Z, problem, weight)
    systems = row_systems(columns, on, weight=by_entry)
    q = on.F.shape[1]
    return Sums(
        *systems,
        np.zeros((q, q)) if on.gram is None else on.gram,
        float((solved.loss if weight is None else weight * solved.loss).sum()),
    )


def gram_times(X: Any, Q: np.ndarray, problem: Problem, weight: np.ndarray | None) -> np.ndarray:
    """What one block adds to Y'Y Q."""
    Y, _ = targets_of(observed(X), problem, None)
    U = Y @ Q.astype(Y.dtype)
    return Y.T @ (U if weight is None else weight[:, None] * U)


def objective(solved: Any, W: np.ndarray, problem: Problem) -> float:
    """J by observed entry: what the rows have, and the penalty of the columns."""
    squares = np.square(W, dtype=np.float64).sum(axis=1)
    columns = problem.penalty * (squares @ solved.count if problem.by_count else squares.sum())
    return float(solved.loss + columns) / problem.total


def on_columns(W: np.ndarray, problem: Problem) -> Regression:
    """What rows are regressed on: (v_j, 1), beside c_j."""
    return regression(W, problem, problem.column_bias, problem.row_bias)


def on_rows(Z: np.ndarray, problem: Problem, weight: np.ndarray | None = None) -> Regression:
    """What columns are regressed on: (u_i, 1), beside b_i."""
    return regression(Z, problem, problem.row_bias, problem.column_bias, weight)


def regression(
    factors: np.ndarray,
    problem: Problem,
    own_bias: bool,
    other_bias: bool,
    weight: np.ndarray | None = None,
) -> Regression:
    """The regression on one side's factors (own bias last) and a constant for the other's."""
    m, k = len(factors), problem.k
    F = factors[:, :k]
    if other_bias:
        F = np.hstack([F, np.ones((m, 1), F.dtype)])
    offset = factors[:, k] if own_bias else np.zeros(m, F.dtype)
    gram = None if problem.alpha is None else gram_of(F, weight)
    penalty = np.full(F.shape[1], problem.penalty)
    return Regression(np.ascontiguousarray(F), offset, penalty, problem.by_count, gram)


def gram_of(F: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """sum_j w_j f_j f_j' in float64."""
    F = F.astype(np.float64)
    return F.T @ (F if weight is None else F * weight[:, None])


def targets_of(X: Any, problem: Problem, weight: np.ndarray | None) -> tuple[Any, Any]:
    """(y, w) of the entries: what the regressions take as values and as weights."""
    if problem.alpha is not None:
        x = X.data if weight is None else X.data * weight
        return with_values(X, (problem.alpha * x).astype(X.dtype, copy=False)), None
    y = (X.data - problem.mean) / problem.scale[X.indices]
    return with_values(X, y.astype(X.dtype, copy=False)), weight


def twin_of(X: Any, weight: Any, row_weight: np.ndarray | None = None) -> tuple[Any, Any]:
    """The entries by column, and their weights there: times that of their row."""
    twin = by_column(X)
    weight = None if weight is None else by_column(with_values(X, weight)).data
    if row_weight is not None:
        by_row = row_weight[twin.indices]
        weight = by_row if weight is None else weight * by_row
    return twin, weight


def weighted(X: Any, weight: np.ndarray | None) -> Any:
    """The entries times their weights."""
    return X if weight is None else with_values(X, (X.data * weight).astype(X.dtype))


def exact(problem: Problem) -> str:
    return "nonnegative" if problem.method == "nonnegative" else "cholesky"


def decoder(W: np.ndarray, problem: Problem, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """(components, mean) in units of X, from the factors of the columns."""
    components = W[:, : problem.k].T
    if problem.row_bias:
        components = np.vstack([components, np.ones(len(W), W.dtype)])
    bias = W[:, problem.k] if problem.column_bias else np.zeros(len(W), W.dtype)
    mean = problem.mean + problem.scale.astype(np.float64) * bias
    return (components * problem.scale).astype(dtype), mean.astype(dtype)


def loss_of(X: Any, coding: Coding) -> float:
    """What the rows of a block add to the objective at their best codes."""
    return float(coded(X, coding).loss.sum())


def in_memory(codes: Any) -> np.ndarray:
    return codes.compute() if is_dask(codes) else codes


# ---- the mean and the units of the entries -------------------------------------------------------


class FirstSums(NamedTuple):
    count: float  # type: ignore[assignment]  # weight of the observed entries
    sum_x: float
    sum_size: float  # of |x|
    negative: int


def first_sums(X: Any, weight: np.ndarray | None) -> FirstSums:
    X = observed(X)
    return first_sums_of(X, None if weight is None else weight[row_numbers(X)])


def first_sums_of(X: Any, weight: np.ndarray | None) -> FirstSums:
    return summed(_first_of_piece, X, weight)


def _first_of_piece(_: np.ndarray, x: np.ndarray, w: np.ndarray) -> FirstSums:
    return FirstSums(float(w.sum()), float(w @ x), float(w @ np.abs(x)), int((x < 0).sum()))


class SecondSums(NamedTuple):
    count: np.ndarray  # type: ignore[assignment]  # (d,)
    sum_y: np.ndarray  # (d,)  y = (x - mean) / size
    sum_yy: np.ndarray  # (d,)


def second_sums(X: Any, mean: float, size: float, weight: np.ndarray | None) -> SecondSums:
    X = observed(X)
    return second_sums_of(X, None if weight is None else weight[row_numbers(X)], mean, size)


def second_sums_of(X: Any, weight: np.ndarray | None, mean: float, size: float) -> SecondSums:
    return summed(_second_of_piece, X, weight, mean, size, X.shape[1])


def _second_of_piece(
    j: np.ndarray, x: np.ndarray, w: np.ndarray, mean: float, size: float, d: int
) -> SecondSums:
    y = (x - mean) / size
    return SecondSums(np.bincount(j, w, d), np.bincount(j, w * y, d), np.bincount(j, w * y * y, d))


def summed(function: Any, X: Any, weight: np.ndarray | None, *params: Any) -> Any:
    """What function(columns, values in float64, weights) adds up, over pieces of the entries."""
    sums = None
    for start in range(0, max(X.nnz, 1), PIECE):
        cut = slice(start, start + PIECE)
        x = X.data[cut].astype(np.float64)
        w = np.ones(len(x)) if weight is None else weight[cut]
        part = function(X.indices[cut], x, w, *params)
        sums = part if sums is None else type(part)(*map(add, sums, part))
    return sums


def column_units(sums: SecondSums, *, by_column: bool) -> np.ndarray:
    """Root mean square of the entries; by column, their standard deviations drawn to it."""
    overall = sums.sum_yy.sum() / sums.count.sum()
    overall = overall if overall > 0 else 1.0
    d = len(sums.count)
    if not by_column:
        return np.full(d, np.sqrt(overall))
    means = np.divide(sums.sum_y, sums.count, out=np.zeros(d), where=sums.count > 0)
    squares = np.maximum(sums.sum_yy - sums.count * means**2, 0.0)
    return np.sqrt((squares + overall) / (sums.count + 1.0))
