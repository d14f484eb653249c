"""The loop: history, convergence, and what becomes of a method that is marked as a fit."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from lowdim.core.config import config_context
from lowdim.core.loop import iterate
from tests.core import resumable
from tests.core.resumable import Scripted


def test_the_history_holds_every_objective_and_n_iter_their_number():
    model = Scripted([5.0, 3.0, 2.5]).fit()
    assert model.history_.tolist() == [5.0, 3.0, 2.5] and model.history_.dtype == np.float64
    assert model.n_iter_ == 3 and model.converged_ is False and model.params_ == 3


def test_the_loop_ends_when_the_objective_changes_by_at_most_tol():
    model = Scripted([5.0, 3.0, 2.5, 2.0, 1.0], tol=0.5).fit()
    assert model.history_.tolist() == [5.0, 3.0, 2.5]
    assert model.converged_ is True
    assert model.params_ == 3  # one step beyond the last recorded ones


def test_a_rise_is_a_change_as_well_as_a_fall():
    model = Scripted([1.0, 2.0, 2.25, 0.0], tol=0.25).fit()
    assert model.n_iter_ == 3 and model.converged_


def test_a_method_may_say_itself_what_has_changed():
    model = Scripted([5.0, 5.0, 5.0, 5.0], tol=0.1, changes=[9.0, 1.0, 0.1, 0.0]).fit()
    assert model.n_iter_ == 3 and model.converged_


def test_without_convergence_a_warning_says_what_to_do_and_points_at_the_caller():
    text = (
        r"^Scripted stopped after 3 iterations; the last change was 5\.0e-01 \(tol=0\.00025\)\. "
        r"Raise max_iter or tol\.$"
    )
    with pytest.warns(ConvergenceWarning, match=text) as caught:
        Scripted([5.0, 3.0, 2.5], tol=2.5e-4).fit()
    assert caught[0].filename == resumable.__file__  # the first line outside lowdim


def test_with_tol_0_all_iterations_run_without_a_warning():
    model = Scripted([5.0, 4.0, 3.0], tol=0.0).fit()  # warnings are errors here
    assert model.n_iter_ == 3 and not model.converged_


def test_with_tol_0_a_fixed_point_counts_as_converged():
    model = Scripted([5.0, 4.0, 4.0, 3.0], tol=0.0).fit()
    assert model.n_iter_ == 3 and model.converged_


def test_no_iterations_at_all_leave_the_start():
    model = Scripted([], tol=0.0).fit()
    assert model.n_iter_ == 0 and model.params_ == 0 and model.history_.shape == (0,)


def test_without_an_interruption_the_last_parameters_are_the_result():
    assert Scripted([1.0, 5.0, 9.0]).fit().params_ == 3


@pytest.mark.parametrize("times", [0, 2])
def test_an_iteration_must_record_exactly_once(times):
    loop = iterate(Scripted(), 0, max_iter=3, tol=0)
    with pytest.raises(RuntimeError, match=r"must call loop\.record"):
        for _ in loop:
            for _ in range(times):
                loop.record(1.0)


def test_iterate_works_without_fitting_and_keeps_no_checkpoint(tmp_path):
    model = Scripted()
    with config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        loop = iterate(model, 0, max_iter=2, tol=0)
        for i in loop:
            loop.record(float(-i))
            loop.params = i + 1
    assert model.history_.tolist() == [0.0, -1.0] and list(tmp_path.iterdir()) == []


# ---- scikit-learn's view of a decorated fit ------------------------------------------------------


def test_fitting_keeps_the_name_the_signature_and_the_docstring():
    import inspect

    assert resumable.Wanderer.fit.__name__ == "fit"
    assert list(inspect.signature(resumable.Wanderer.fit).parameters) == [
        "self", "X", "y", "sample_weight",
    ]  # fmt: skip


def test_arguments_are_checked_before_anything_else():
    from lowdim.core.constraints import AT_LEAST_1

    class Strict(Scripted):
        _parameter_constraints: ClassVar[dict] = {"max_iter": [AT_LEAST_1]}

    with pytest.raises(ValueError, match="The 'max_iter' parameter of Strict must be an int"):
        Strict([1.0], max_iter=0).fit()


def test_a_loop_whose_objective_falls_keeps_no_other_parameters_alive():
    import weakref

    class Params:
        pass

    alive = []
    loop = iterate(Scripted(), Params(), max_iter=3, tol=0, falls=True)
    for params in loop:
        alive.append(weakref.ref(params))
        del params
        loop.record(-float(len(alive)))
        loop.params = Params()
        assert [ref() is None for ref in alive] == [True] * len(alive)
    with pytest.raises(AssertionError):  # otherwise the best ones are kept for Ctrl-C
        kept = iterate(Scripted(), Params(), max_iter=1, tol=0)
        for params in kept:
            best = weakref.ref(params)
            del params
            kept.record(0.0)
            kept.params = Params()
            assert best() is None
