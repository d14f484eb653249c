"""Linear regression that learns row by row: y is predicted as w'x + b.

    minimise over w, b      Q = 1/2 E (y - w'x - b)^2 + alpha/2 |w|^2

rls        Q follows from sums of x x' and x y, which rows add to       -> sums.py
sgd        w += gain_t e x            e = y - w'x - b, before the step  -> steps.py
nlms       w += gain_t e x / |x|^2
adagrad    w += eta0 e x / sqrt(sum of squared gradients so far + eps), entry by entry

rls is least squares after any cut into blocks; with forgetting < 1 a row counts forgetting^age.
The others make one step for each row and need no d x d matrix.

Cost: O(n d^2) for rls, O(n d) for the others, of a pass; memory d^2 or d beside one window of rows.
"""

from __future__ import annotations

import math
from contextlib import closing
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.estimator import Estimator
from lowdim.core.gains import FALLING, power_of
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.targets import check_targets
from lowdim.core.validation import check_weights
from lowdim.linalg.moments import frame_of, frame_of_extremes, unit_for
from lowdim.linear.online_regression.steps import (
    RULES,
    LearnedSteps,
    Pass,
    Scales,
    scales_of,
    step_by_row,
    windows_of,
)
from lowdim.linear.online_regression.sums import (
    LearnedSums,
    first_rows,
    mean_square,
    more_rows,
    nothing_summed,
    pieces,
    solution,
)


class OnlineRegression(RegressorMixin, Estimator):
    """Linear regression that learns row by row, from streams, and from rows that drift.

    Minimises  Q = 1/2 E (y - w'x - b)^2 + alpha/2 |w|^2  by sums over the rows ('rls'), or by a
               step for each row.

    Cost: O(n d^2) for 'rls', O(n d) for the others, of a pass; d^2 or d memory beside the rows.
    Use 'rls' up to some thousands of columns: it has nothing to tune, and after any number of rows
    it is least squares on them. The others are for more columns, and to learn how they work.

    Parameters
    ----------
    solver : {'rls', 'sgd', 'nlms', 'adagrad'}, default='rls'
        Recursive least squares; stochastic gradient, w += gain e x with the error e = y - w'x - b;
        the same with steps divided by |x|^2; or with steps divided, entry by entry, by the root of
        the sum of squared gradients.
    gain : {'decreasing', 'harmonic', 'count', 'constant'}, default='decreasing'
        The gain of step t, for 'sgd' and 'nlms': eta0 / t^power_t, eta0 / t, 1 / t, or eta0. Those
        that fall settle; a constant one follows coefficients that change, and settles if averaged.
    eta0 : float or None, default=None
        The first gain, for rows as they are. None: rows are measured from their mean and in units
        of their spread (that of the first ones, in `partial_fit`), and eta0 follows from these: for
        'sgd' with a constant gain 1 / (4 E|x|^2), with others 1 in units of a column's mean square;
        for 'nlms' 1; for 'adagrad' one over the root of the number of coefficients. No step then
        goes beyond the row's own y.
    power_t : float, default=0.6
        Of gain='decreasing'; above 0.5 the steps settle, above 1 they stop too early.
    average : bool, default=False
        Publish the mean of the coefficients of all steps (Polyak), not the last ones.
    forgetting : float, default=1.0
        Of 'rls': how much a row counts, as against the row after it. 0.99 is a memory of about 100
        rows.
    alpha : float, default=0.0
        Penalty, as in SGDRegressor: scikit-learn's Ridge(n alpha) for n rows.
    fit_intercept : bool, default=True
        Whether there is a b; it is not penalised.
    shuffle : bool, default=True
        Learn from the rows in random order, anew in each pass, within windows of 65536 rows;
        not for 'rls', and not in `partial_fit`, where rows are learned from as they come.
    max_iter : int, default=1
        Passes over the rows; 'rls' needs one.
    tol : float, default=0.0
        Stop when a pass lowers the error by less than this part of it; 0 makes all passes.
    max_steps : int or None, default=None
        Stop after so many rows, over all passes; None: no limit.
    history_every : int or None, default=None
        m: `history_` is the error of all rows after every m steps. This costs a look at all
        rows for their d^2 second moments. None: the error of each pass, of rows as they came.
    random_state : int, Generator, RandomState or None, default=None
        For the order of the rows.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (q, d) if y has q columns
        w.
    intercept_ : float, or ndarray of shape (q,)
        b.
    t_ : int
        Rows learned from so far.
    history_ : ndarray
        Mean over rows of |y - w'x - b|^2, see `history_every`; 'rls' without it: at the end.
    n_iter_, converged_ : int, bool
        Passes of the last `fit`, and whether they met `tol`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    PCA : with svd_solver='oja', axes that follow the rows in the same way.
    KMeans : `partial_fit`, centers that do.

    Notes
    -----
    Among coefficients that predict equally well, as while there are fewer rows than columns, 'rls'
    gives the shortest.

    A row of weight w has w times the gradient, and one of weight 0 is left out; for 'rls' a row of
    weight 2 is a row twice, in age, too.

    A row in units of the rows' spread has about d + 1 squares in sum: eta0=1 / (4 (d + 1)). With
    gain='harmonic' and eta0=1 the first steps go beyond y wherever |x|^2 > 2 t, and may go far.

    References
    ----------
    Polyak and Juditsky (1992), Acceleration of stochastic approximation by averaging. Bach and
    Moulines (2013), Non-strongly-convex smooth stochastic approximation with convergence rate
    O(1/n). Haykin (2002), Adaptive filter theory, ch. 6 and 9. Duchi, Hazan and Singer (2011),
    Adaptive subgradient methods.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import OnlineRegression
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([1.0, 4.0, 7.0, 10.0])
    >>> model = OnlineRegression().partial_fit(X[:2], y[:2]).partial_fit(X[2:], y[2:])
    >>> model.coef_.round(6), round(model.intercept_, 6), model.t_
    (array([3.]), 1.0, 4)
    """

    shapes: ClassVar[dict] = {"t_": ()}

    _parameter_constraints: ClassVar[dict] = {
        "solver": [StrOptions({"rls", *RULES})],
        "gain": [StrOptions({*FALLING, "constant"})],
        "eta0": [POSITIVE, None],
        "power_t": [NOT_NEGATIVE],
        "average": ["boolean"],
        "forgetting": [Interval(Real, 0, 1, closed="right")],
        "alpha": [NOT_NEGATIVE],
        "fit_intercept": ["boolean"],
        "shuffle": ["boolean"],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "max_steps": [AT_LEAST_1, None],
        "history_every": [AT_LEAST_1, None],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        solver="rls",
        *,
        gain="decreasing",
        eta0=None,
        power_t=0.6,
        average=False,
        forgetting=1.0,
        alpha=0.0,
        fit_intercept=True,
        shuffle=True,
        max_iter=1,
        tol=0.0,
        max_steps=None,
        history_every=None,
        random_state=None,
    ):
        self.solver = solver
        self.gain = gain
        self.eta0 = eta0
        self.power_t = power_t
        self.average = average
        self.forgetting = forgetting
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.max_iter = max_iter
        self.tol = tol
        self.max_steps = max_steps
        self.history_every = history_every
        self.random_state = random_state

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y, sample_weight=None):
        """Learn from these rows alone.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
        y : array of shape (n,) or (n, q)
            What to predict, in memory.
        sample_weight : array of shape (n,), default=None
            How much each row counts.
        """
        self._check_together()
        rows = self.open_rows(X)
        targets = check_targets(self, y, rows)
        Y, weight = targets.reshape(len(targets), -1), check_weights(sample_weight, rows)
        learned = (self._fit_sums if self.solver == "rls" else self._fit_steps)(rows, Y, weight)
        self._publish(learned, targets.ndim)
        return self

    @fitting
    def partial_fit(self, X, y, sample_weight=None):
        """Learn from further rows, in their order; see `fit`."""
        self._check_together()
        learned = getattr(self, "_learned", None)
        rows = self.open_rows(X, reset=learned is None)
        targets = check_targets(self, y, rows)
        Y, weight = targets.reshape(len(targets), -1), check_weights(sample_weight, rows)
        if learned is not None:
            self._check_goes_on(learned, targets)
        if self.solver == "rls":
            learned = more_rows(learned or self._no_sums(rows, Y), rows, Y, weight, self.forgetting)
        else:
            learned = learned or self._first_step(rows, Y, weight)
            for window in windows_of(rows, Y, weight, None):
                learned, _ = self._learn(learned, window, window.order)
        self._publish(learned, targets.ndim)
        return self

    # ---- predict and judge -----------------------------------------------------------------------

    def predict(self, X):
        """w'x + b of each row."""
        rows = self.open_rows(X, reset=False)
        return rows.map(predicted, self.coef_, self.intercept_)

    def score(self, X, y, sample_weight=None):
        """R^2: the part of the variance of y that is predicted; of several outputs, their mean."""
        rows = self.open_rows(X, reset=False)
        targets, weight = check_targets(self, y, rows), check_weights(sample_weight, rows)
        found = np.asarray(rows.map(predicted, self.coef_, self.intercept_))
        unit = unit_for(np.abs(targets).max(initial=0.0), targets.dtype)
        return float(r2_score(targets / unit, found / unit, sample_weight=weight))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.required = True
        return tags

    # ---- inside ----------------------------------------------------------------------------------

    def _shapes(self):
        q = ("q",) if np.ndim(self.intercept_) else ()
        one = q or (1,)  # y of shape (n,) is one output
        by_sums = {
            "x": {"pilot": ("d",), "unit": ()},
            "y": {"pilot": one, "unit": ()},
            "sums": {"weight": (), "sum_x": ("dq",), "sum_xx": ("dq", "dq")},
            "t": (),
        }
        by_steps = {
            "scales": {"center": ("d",), "unit": (), "shift": one, "y_unit": ()},
            "eta0": (),
            "coefs": (3, *one, "d"),
            "biases": (3, *one),
            "t": (),
        }
        summed = isinstance(getattr(self, "_learned", None), LearnedSums)
        learned = Maybe(by_sums if summed else by_steps)
        own = {"coef_": (*q, "d"), "intercept_": q, "_learned": learned}
        return {**super()._shapes(), **own}

    def _check_together(self):
        if self.forgetting < 1.0 and self.solver != "rls":
            raise ValueError(
                f"forgetting={self.forgetting} is for solver='rls', not {self.solver!r}; choose "
                "gain='constant', which follows a drift, or leave it out."
            )

    def _check_goes_on(self, learned, targets):
        if isinstance(learned, LearnedSums) != (self.solver == "rls"):
            raise ValueError(
                f"solver={self.solver!r} cannot go on from what another solver has learned; call "
                "fit, or set solver back."
            )
        if np.ndim(self.intercept_) != targets.ndim - 1 or targets.shape[1:] != np.shape(
            self.intercept_
        ):
            raise ValueError(
                f"y has shape {targets.shape}, but the rows before had "
                f"{('n', *np.shape(self.intercept_))}; give as many outputs, or call fit."
            )

    def _publish(self, learned, ndim):
        if isinstance(learned, LearnedSums):
            coef, intercept = solution(learned, self.fit_intercept, self.alpha)
        else:
            coef, intercept = self._from_steps(learned)
        self._learned, self.t_ = learned, int(learned.t)
        self.coef_ = coef[0] if ndim == 1 else coef
        self.intercept_ = float(intercept[0]) if ndim == 1 else intercept

    # ---- by sums ---------------------------------------------------------------------------------

    def _no_sums(self, rows, Y):
        """Nothing learned, in a frame of these rows."""
        frames = [frame_of(rows), frame_of(ArrayBlocks(Y))]
        if not self.fit_intercept:  # a plane through zero: sums about zero
            frames = [frame._replace(pilot=np.zeros_like(frame.pilot)) for frame in frames]
        return nothing_summed(*frames)

    def _fit_sums(self, rows, Y, weight):
        weight = first_rows(weight, len(Y), self.max_steps)
        start = self._no_sums(rows, Y)
        with np.errstate(over="ignore", invalid="ignore"):
            learned = more_rows(start, rows, Y, weight, self.forgetting)
            if not np.isfinite(learned.sums.sum_xx).all():  # in units of the first rows
                extremes = frame_of_extremes(rows), frame_of_extremes(ArrayBlocks(Y))
                x, y = (a._replace(unit=b.unit) for a, b in zip(start[:2], extremes, strict=True))
                start = nothing_summed(x, y)
                learned = more_rows(start, rows, Y, weight, self.forgetting)
        all_rows = learned
        if self.forgetting < 1.0 or self.max_steps is not None:
            all_rows = more_rows(start, rows, Y, None, 1.0)
        errors, now = [], start
        if self.history_every is None:
            errors.append(mean_square(all_rows, *solution(learned, self.fit_intercept, self.alpha)))
        else:
            for piece in pieces(rows, Y, weight, self.history_every):
                now = more_rows(now, *piece, self.forgetting)
                found = solution(now, self.fit_intercept, self.alpha)
                errors.append(mean_square(all_rows, *found))
        self.history_, self.n_iter_, self.converged_ = np.array(errors), 1, True
        return learned

    # ---- by steps --------------------------------------------------------------------------------

    def _fit_steps(self, rows, Y, weight):
        n_rows = len(Y) if weight is None else int(np.count_nonzero(weight))
        most = self.max_iter * n_rows if self.max_steps is None else self.max_steps
        all_rows = None
        if self.history_every is not None:
            all_rows = more_rows(self._no_sums(rows, Y), rows, Y, weight, 1.0)
        seed = int(random_generator(self.random_state).integers(2**63))
        start = Pass(self._first_step(rows, Y, weight), seed, np.zeros(0))
        passes = min(self.max_iter, -(-most // n_rows))
        loop = iterate(self, start, max_iter=passes, tol=self.tol)
        for now in loop:
            key = (now.seed, loop.n_iter) if self.shuffle else None
            learned, errors, loss, total = now.learned, list(now.errors), 0.0, 0.0
            windows = windows_of(rows, Y, weight, key)
            with closing(windows):
                for window in windows:
                    for order in self._cuts(window.order[: most - learned.t], learned.t):
                        learned, found = self._learn(learned, window, order)
                        loss, total = loss + found, total + float(window.weight[order].sum())
                        if all_rows is not None and learned.t % self.history_every == 0:
                            errors.append(mean_square(all_rows, *self._from_steps(learned)))
                    if learned.t >= most:
                        break
            error = loss / total
            change = abs(loop.history[-1] - error) / max(error, 1e-300) if loop.history else np.inf
            loop.record(error, change=change)
            loop.params = Pass(learned, now.seed, np.array(errors))
        if all_rows is not None:
            self.history_ = loop.params.errors
        return loop.params.learned

    def _first_step(self, rows, Y, weight):
        """Coefficients of 0, in the scales of these rows where eta0 is None."""
        d, q = rows.n_columns, Y.shape[1]
        if self.eta0 is not None:
            scales, eta0 = Scales(np.zeros(d), 1.0, np.zeros(q), 1.0), float(self.eta0)
        else:
            scales = scales_of(rows, Y, weight, self.fit_intercept)
            size = d + 1.0 if self.fit_intercept else float(d)  # mean of |x|^2 in these scales
            constant = 1.0 / (4.0 * size)
            eta0 = {"nlms": 1.0, "adagrad": 1.0 / math.sqrt(size)}.get(
                self.solver, constant if self.gain == "constant" else 1.0
            )
        return LearnedSteps(scales, eta0, np.zeros((3, q, d)), np.zeros((3, q)), 0)

    def _cuts(self, order, t):
        """Parts of an order of rows, at whose ends the error of all rows is asked for."""
        if self.history_every is None:
            return [order]
        first = self.history_every - t % self.history_every
        return np.split(order, range(first, len(order), self.history_every))

    def _learn(self, learned, window, order):
        """What is learned after these rows of a window, too; and the sum of w e^2, as they came."""
        scales, coefs, biases = learned.scales, learned.coefs.copy(), learned.biases.copy()
        power = power_of(self.gain, float(self.power_t))
        run: Any = step_by_row
        loss = run(
            *window[:3],
            order,
            *(scales.center, 1.0 / scales.unit, scales.shift, 1.0 / scales.y_unit),
            *(
                RULES[self.solver],
                1.0 if self.gain == "count" else learned.eta0,
                power,
                float(self.alpha) / scales.unit / scales.unit,
            ),
            *(bool(self.fit_intercept), self.eta0 is None, bool(self.average), learned.t),
            *(np.empty(len(scales.center)), *coefs, *biases),
        )
        if not (np.isfinite(coefs).all() and np.isfinite(biases).all()):
            raise ValueError(
                f"eta0={self.eta0} is too large for these rows: the coefficients became infinite "
                f"in the first {learned.t + len(order)} steps. Choose a smaller one, or None, "
                "which follows from the rows."
            )
        learned = learned._replace(coefs=coefs, biases=biases, t=learned.t + len(order))
        return learned, loss * scales.y_unit * scales.y_unit

    def _from_steps(self, learned):
        """(coefficients (q, d), intercepts (q,)) for rows as they are."""
        center, unit, shift, y_unit = learned.scales
        which = 1 if self.average else 0
        coef = learned.coefs[which] * (y_unit / unit)
        intercept = shift + y_unit * learned.biases[which] - coef @ center
        return coef, intercept if self.fit_intercept else np.zeros_like(intercept)


def predicted(X, coef, intercept):
    """w'x + b of the rows of a block."""
    return X @ np.asarray(coef).T + intercept
