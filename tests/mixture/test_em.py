"""EM from several starts: which run is kept, what the estimator gets, what is said."""

import warnings
from typing import ClassVar

import numpy as np
import pytest

from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting
from lowdim.core.opening import as_blocks
from lowdim.mixture.collapse import CollapsedComponentWarning
from lowdim.mixture.em import (
    EMRun,
    Step,
    check_enough_rows,
    checked_columns,
    fit_from_starts,
    lowest,
    n_weighted,
)


class Halving(Estimator):
    """Not a mixture: every step halves the distance of the parameters from `bottom`."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, starts=(8.0,), max_iter=4, tol=0.0, restart_at=None):
        self.starts = starts
        self.max_iter = max_iter
        self.tol = tol
        self.restart_at = restart_at

    @fitting
    def fit(self, X=None, trouble=lambda params: None, best=lowest):
        self.seen = []

        def starts():
            for start in self.starts:
                self.seen.append(("start", start))
                yield np.array([start, 0.0])

        def step(params, is_last):
            self.seen.append(("step", is_last))
            x, bottom = params
            change = np.inf if x == self.restart_at else None
            return Step(np.array([(x + bottom) / 2, bottom]), abs(x - bottom), change)

        self.params_ = fit_from_starts(self, starts(), step, best=best, trouble=trouble)
        return self


# ---- golden values -------------------------------------------------------------------------------


def test_the_run_of_the_lowest_objective_is_kept():
    model = Halving(starts=(8.0, 2.0, 4.0)).fit()
    np.testing.assert_array_equal(model.history_, [2.0, 1.0, 0.5, 0.25])
    assert model.params_[0] == 0.125 and model.lower_bound_ == -0.25
    assert model.n_iter_ == 4 and not model.converged_


def test_each_start_is_drawn_when_the_run_before_has_ended():
    model = Halving(starts=(8.0, 2.0), max_iter=2).fit()
    run = [("step", False), ("step", True)]
    assert model.seen == [("start", 8.0), *run, ("start", 2.0), *run]


def test_without_iterations_the_first_start_stays():
    model = Halving(starts=(8.0, 2.0), max_iter=0).fit()
    assert model.params_[0] == 8.0
    assert model.n_iter_ == 0 and model.lower_bound_ == -np.inf and not model.converged_
    assert model.history_.shape == (0,)


def test_a_step_may_say_that_the_end_is_not_near():
    # from 1 on the objective falls by less than tol, but the step at 1 asks to go on
    early = Halving(starts=(4.0,), max_iter=10, tol=1.0).fit()
    late = Halving(starts=(4.0,), max_iter=10, tol=1.0, restart_at=1.0).fit()
    assert early.converged_ and late.converged_
    assert (early.n_iter_, late.n_iter_) == (3, 4)


# ---- choices and warnings ------------------------------------------------------------------------


def test_of_equal_runs_the_first_is_the_lowest():
    runs = [EMRun(name, value, np.empty(0), True) for name, value in [("a", 2), ("b", 1), ("c", 1)]]
    assert lowest(runs).params == "b"


def test_another_rule_may_choose():
    model = Halving(starts=(8.0, 2.0)).fit(best=lambda runs: runs[0])
    assert model.history_[0] == 8.0


def test_trouble_of_the_kept_run_is_a_warning_that_points_at_the_call():
    model = Halving(starts=(8.0, 2.0))
    with pytest.warns(CollapsedComponentWarning, match="ended at 0.125") as caught:
        model.fit(trouble=lambda params: f"ended at {params[0]}")
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit()


# ---- the door ------------------------------------------------------------------------------------


def test_rows_of_no_weight_do_not_count():
    rows = as_blocks(np.zeros((4, 2)))
    assert n_weighted(rows, None) == 4
    assert n_weighted(rows, np.array([0.0, 2.0, 1.0, 0.0])) == 2
    check_enough_rows("n_components", 4, rows, None)
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 rows of X"):
        check_enough_rows("n_components", 3, rows, np.array([0.0, 2.0, 1.0, 0.0]))


def test_a_column_without_values_is_refused_by_its_name():
    X = np.array([[1.0, np.nan], [3.0, np.nan]])
    model = Halving()
    model.feature_names_in_ = np.array(["height", "weight"], dtype=object)
    with pytest.raises(ValueError, match="weight"):
        checked_columns(model, as_blocks(X), None)
    columns = checked_columns(model, as_blocks(np.nan_to_num(X, nan=5.0)), None)
    np.testing.assert_array_equal(columns.mean, [2.0, 5.0])
    np.testing.assert_array_equal(columns.std, [1.0, 0.0])
