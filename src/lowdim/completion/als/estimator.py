"""ALS: alternating least squares on the observed entries.

    x_ij = mean + b_i + c_j + u_i'v_j          in units of the entries' spread

    minimise over U, V, b, c
        J = sum_observed w_ij (y_ij - b_i - c_j - u_i'v_j)^2  +  penalty (sum |u_i|^2 + sum |v_j|^2)
            + the same for b and c,             y = (x - mean) / scale

    fixed V, c:  each row's (u_i, b_i) is a ridge regression on (v_j, 1) of what it has observed
    fixed U, b:  each column's (v_j, c_j) likewise on (u_i, 1) of the rows that observe it

Neither half can raise J. Implicit feedback replaces the sum by one over all entries,
sum (1 + alpha x_ij) (1[x_ij > 0] - u_i'v_j)^2, at the cost of the observed ones
(`linalg/ridge.py`).

    units.py        the mean and the units of the entries
    objective.py    J, and the regressions that follow from it
    start.py        the first V
    half_steps.py   the two halves, in memory and by blocks
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.completion.als.half_steps import Alternation, Blockwise, InMemory, in_memory
from lowdim.completion.als.objective import Objective, gram_of, twin_of
from lowdim.completion.als.start import spectral_factors
from lowdim.completion.als.units import EntrySums, WeightedEntries, WeightedRows, column_units
from lowdim.completion.coding import Coding, coded, with_zeros
from lowdim.completion.entries import Entries, check_some_observed, entry_weights
from lowdim.completion.model import Completer
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
from lowdim.linalg.entries import observed
from lowdim.linalg.ridge import solve_rows

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
        one value fits small and large matrices; without, rows with few entries are shrunk more
        strongly towards the mean.
    center : {"auto", "both", "rows", "columns", "global", None}, default="auto"
        What explains an entry beside the factors: the mean of all, and with it a learned bias of
        each row, of each column, or of both. A bias of rows is one more column of
        `row_factors_`, the last, with a constant component. "auto" is "both" for explicit feedback,
        None for implicit feedback and non-negative factors.
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
        Codes of the fitted rows (the few numbers that stand for each), the bias last.
    mean_ : array of shape (d,)
        What is predicted of a row of which nothing is known: the mean and the biases of columns.
    global_mean_ : float
    scale_ : array of shape (d,)
        Units of the columns.
    noise_std_ : array of shape (d,)
        Standard deviation of the entries about the model, in units of X.
    code_covariance_ : array of shape (q, q)
        How far codes spread, for `impute(X, return_std=True)`.
    history_ : array of shape (n_iter_,)
        J by observed entry.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    ProbabilisticPCA : a table with some missing values, not a few entries; says how sure it is.

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
    >>> model.predict_entries([0, 1], [5, 7]).shape
    (2,)
    """

    shapes: ClassVar[dict] = {
        **Completer.shapes,
        "global_mean_": (),
    }

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
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, entry_weight: Any = None
    ) -> ALS:
        """Learn the factors of rows and columns.

        Parameters
        ----------
        X : array with NaN, sparse matrix (stored = observed), Entries, stream or Dask, (n, d)
            What is not NaN, or what is stored, was observed.
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        entry_weight : array or sparse matrix like X, or (number of entries,), default=None
            How much each observed entry counts; in memory only. `Entries` may bring theirs along.

        Returns
        -------
        self
        """
        opened = self._open(X, sample_weight, entry_weight)
        self._publish(opened, self._learn(opened))
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any = None) -> ALS:
        """Take in new rows: their codes join `row_factors_`, the components stay as they are.

        The first call learns everything, like `fit`. New columns come by `add_columns`.
        """
        if not hasattr(self, "components_"):
            return self.fit(X)
        codes = in_memory(self.transform(X))
        self.row_factors_ = np.concatenate([self.row_factors_, codes])
        return self

    def add_columns(self, X: Any) -> ALS:
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
        objective = self._objective_of(self.global_mean_, scale, 1.0)
        targets, weight = objective.targets(new.X.astype(dtype), new.weight)
        twin, weight = twin_of(targets, weight)
        on, method = objective.on_rows(self.row_factors_), objective.exact_method
        W = solve_rows(twin, on, weight=weight, method=method, with_loss=False).Z
        components, mean = objective.decoder(W, dtype)
        self.components_ = np.concatenate([self.components_, components], axis=1)
        self.mean_ = np.concatenate([self.mean_, mean])
        if hasattr(self, "noise_std_"):
            noise = scale * (self.noise_std_[0] / self.scale_[0])
            self.noise_std_ = np.concatenate([self.noise_std_, noise])
        self.scale_ = np.concatenate([self.scale_, scale])
        self.n_features_in_ += m
        known, names = getattr(self, "feature_names_in_", None), getattr(X, "columns", None)
        if known is not None and names is not None:
            self.feature_names_in_ = np.array([*known, *names], dtype=object)
        elif known is not None:
            del self.feature_names_in_
        return self

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the root mean squared error of the observed entries of X, in units of X.

        The rows are coded anew, from these entries: so it is what the model cannot explain.
        Implicit feedback: minus the objective of the rows, by row that has entries.
        """
        if self.feedback == "explicit":
            return super().score(X)
        rows = self.open_entries(X, reset=False)
        loss, n = rows.fold(loss_of, self._coding())
        check_some_observed(n, type(self).__name__)
        return -float(loss / n)

    def _check_arguments_go_together(self) -> None:
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

    def _open(self, X: Any, sample_weight: Any = None, entry_weight: Any = None) -> Opened:
        """The half-steps of the entries, centred and scaled."""
        rows = self.open_entries(X)
        weight = check_weights(sample_weight, rows)
        if entry_weight is None and isinstance(X, Entries):
            entry_weight = X.weight
        self._check_arguments_go_together()
        if rows.in_memory is None:
            if entry_weight is not None:
                raise ValueError(
                    "entry_weight needs data in memory; X is a stream or a Dask collection."
                )
            data_by_blocks = WeightedRows(rows, weight)
            sums = data_by_blocks.entry_sums()
            return Opened(Blockwise(data_by_blocks, self._objective(data_by_blocks, sums)), sums)
        entries = observed(rows.in_memory)
        by_entry = None if entry_weight is None else entry_weights(entry_weight, entries)
        data = WeightedEntries(entries, by_entry, weight)
        sums = data.entry_sums()
        return Opened(InMemory(data, self._objective(data, sums)), sums)

    def _learn(self, opened: Opened) -> Alternation:
        """Both half-steps in turn, from the best approximation to what is observed."""
        steps = opened.steps
        no_codes_yet = np.empty((0, 0), steps.dtype)
        start = Alternation(no_codes_yet, self._first_columns(opened))
        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
        for at in loop:
            solved: Any = steps.solve_rows(at)
            loop.record(steps.objective.by_entry(solved.loss, at.W, solved.count))
            loop.params = steps.solve_columns(solved, at.W)
        return loop.params

    def _publish(self, opened: Opened, learned: Alternation) -> None:
        """Decoders in units of X, and the exact codes of all rows."""
        objective = opened.steps.objective
        self.components_, self.mean_ = objective.decoder(learned.W, learned.W.dtype)
        self.global_mean_ = objective.mean
        self.scale_ = objective.scale
        self.row_factors_ = opened.steps.codes(learned.W, self._coding())
        if self.feedback == "explicit":
            by_column = opened.sums.by_column
            sample = opened.steps.sample(self.row_factors_)
            usual = float(by_column[by_column > 0].mean())
            self._learn_noise(sample, usual, opened.steps.row_weight)
        elif hasattr(self, "noise_std_"):  # of an earlier fit
            del self.noise_std_, self.code_covariance_

    def _why_no_std(self) -> str:
        if self.feedback == "explicit":
            return super()._why_no_std()
        return (
            "return_std=True needs values that were observed; with feedback='implicit' what is not "
            "observed is a weak no, and nothing says how certain. Leave return_std=False."
        )

    def _objective(self, data: WeightedEntries | WeightedRows, sums: EntrySums) -> Objective:
        """What is minimised: the mean and the units of the entries are learned here."""
        check_some_observed(sums.count, type(self).__name__)
        total = float(sums.count)
        if self.feedback == "implicit":
            if sums.negative:
                raise ValueError(
                    f"Negative values in data passed to ALS: {sums.negative} entries of X; with "
                    "feedback='implicit' values say how often something was seen, 0 or more."
                )
            return self._objective_of(0.0, np.ones(data.n_columns, data.dtype), total)
        mean = float(sums.sum_x / sums.count) if self._center() is not None else 0.0
        size = float(sums.sum_size / sums.count) or 1.0
        units = column_units(data.column_sums(mean, size), by_column=self.scale == "columns")
        return self._objective_of(mean, (size * units).astype(data.dtype), total)

    def _objective_of(self, mean: float, scale: np.ndarray, total: float) -> Objective:
        implicit = self.feedback == "implicit"
        solver = self.solver
        if solver == "auto":
            solver = "cg" if self.n_components >= CG_FROM else "cholesky"
        return Objective(
            k=self.n_components,
            mean=mean,
            scale=scale,
            penalty=float(self.penalty),
            by_count=self.weighted_penalty and not implicit,
            row_bias=self._center() in ("rows", "both"),
            column_bias=self._center() in ("columns", "both"),
            alpha=float(self.alpha) if implicit else None,
            method="nonnegative" if self.non_negative else solver,
            steps=self.cg_steps,
            total=total,
        )

    def _center(self) -> str | None:
        if self.center != "auto":
            return self.center
        return None if self.non_negative or self.feedback == "implicit" else "both"

    def _first_columns(self, opened: Opened) -> np.ndarray:
        """First factors of the columns; biases 0, and all of a column without entries."""
        random, k, steps = random_generator(self.random_state), self.n_components, opened.steps
        used, m = np.flatnonzero(opened.sums.by_column), steps.n_columns
        n, d = opened.sums.n_rows, len(used)

        def gram_times(Q: np.ndarray) -> np.ndarray:
            return steps.gram_times(with_zeros(Q, used, m))[used]

        if self.feedback == "implicit":
            V = random.normal(size=(d, k)) / np.sqrt(k)
        else:
            density = steps.objective.total / (n * d)
            V = spectral_factors(gram_times, n, d, k, density, random)
        if self.non_negative:
            V = np.abs(V)
        bias = np.zeros((d, int(steps.objective.column_bias)))
        return with_zeros(np.hstack([V, bias]), used, m).astype(steps.dtype)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.feedback == "implicit"
        return tags

    def _code_penalty(self) -> np.ndarray:
        return np.full(self.components_.shape[0], float(self.penalty))

    def _coding(self) -> Coding:
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


class Opened(NamedTuple):
    """What a fit looks at."""

    steps: InMemory | Blockwise
    sums: EntrySums


def loss_of(X: Any, coding: Coding) -> tuple[float, int]:
    """What the rows of a block add to the objective at their best codes; rows with entries."""
    X = observed(X)
    return float(coded(X, coding).loss.sum()), int(np.count_nonzero(np.diff(X.indptr)))
