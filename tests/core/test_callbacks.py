"""scikit-learn's callbacks see the fit, its loops and their iterations, and can stop a loop."""

import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import TransformerMixin, clone
from sklearn.pipeline import Pipeline

from lowdim.core.config import config_context
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9")


class Halving(TransformerMixin, Estimator):
    """Two loops that halve a number."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, max_iter=3, fails_in=None):
        self.max_iter = max_iter
        self.fails_in = fails_in

    @fitting
    def fit(self, X=None, y=None):
        for _ in range(2):
            loop = iterate(
                self,
                8.0,
                max_iter=self.max_iter,
                tol=0,
                attributes=lambda value: {"value_": value, "n_features_in_": 1},
            )
            for value in loop:
                if loop.n_iter == self.fails_in:
                    raise ZeroDivisionError
                loop.record(value)
                loop.params = value / 2
        self.value_ = loop.params
        return self

    def transform(self, X):
        return np.asarray(X) * self.value_


class Recorder:
    """Writes down every call; asks to stop when `stop_at` says so."""

    def __init__(self, stop_at=lambda context: False):
        self.calls, self.stop_at = [], stop_at

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        value = getattr(fitted_estimator, "value_", None)
        self.calls.append(("end", context.task_name, context.task_id, value))
        return self.stop_at(context)


def test_a_callback_sees_the_fit_its_loops_and_their_iterations():
    recorder = Recorder()
    model = Halving(max_iter=2).set_callbacks(recorder)
    model.fit()
    loop = [
        ("begin", "iteration", 0),
        ("end", "iteration", 0, 4.0),  # the parameters after the step, in a fitted estimator
        ("begin", "iteration", 1),
        ("end", "iteration", 1, 2.0),
    ]
    assert recorder.calls == [
        "setup",
        ("begin", "fit", 0),
        ("begin", "loop", 0), *loop, ("end", "loop", 0, None),
        ("begin", "loop", 1), *loop, ("end", "loop", 1, None),
        ("end", "fit", 0, None),
        "teardown",
    ]  # fmt: skip


def test_a_callback_that_returns_true_stops_the_loop_but_not_the_fit():
    recorder = Recorder(lambda context: context.task_name == "iteration" and context.task_id == 1)
    model = Halving(max_iter=9).set_callbacks(recorder).fit()  # without a ConvergenceWarning
    assert model.n_iter_ == 2 and model.value_ == 2.0 and not model.converged_
    assert [call[:3] for call in recorder.calls if call[0] == "begin" and call[1] == "loop"] == [
        ("begin", "loop", 0),
        ("begin", "loop", 1),
    ]


def test_a_loop_that_a_callback_stopped_stays_stopped_when_the_fit_is_resumed(tmp_path):
    stop = Recorder(lambda context: context.task_name == "iteration" and context.task_id == 1)

    class Resumed(Halving):
        crash = True

        @fitting
        def fit(self, X=None, y=None):
            lengths = []
            for number in range(2):
                loop = iterate(self, 8.0, max_iter=5, tol=0)
                for value in loop:
                    if self.crash and number == 1:
                        raise MemoryError
                    loop.record(value)
                    loop.params = value / 2
                lengths.append(loop.n_iter)
            self.lengths_ = lengths
            return self

    with config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with pytest.raises(MemoryError):
            Resumed().set_callbacks(stop).fit()
        resumed = Resumed()
        resumed.crash = False
        assert resumed.fit().lengths_ == [2, 5]  # this time no callback stops the second


def test_callbacks_are_torn_down_after_an_error():
    recorder = Recorder()
    with pytest.raises(ZeroDivisionError):
        Halving(fails_in=1).set_callbacks(recorder).fit()
    assert recorder.calls[-1] == "teardown"
    assert not hasattr(Halving, "_callback_fit_ctx")


def test_without_callbacks_nothing_is_set_up():
    model = Halving().fit()
    assert [name for name in vars(model) if "callback" in name] == []


def test_callbacks_go_through_a_pipeline():
    recorder = Recorder()
    model = Pipeline([("halving", Halving(max_iter=1).set_callbacks(recorder))])
    model.fit(np.ones((2, 1)))
    assert ("end", "iteration", 0, 4.0) in recorder.calls
    assert recorder.calls.count("setup") == recorder.calls.count("teardown") == 1


def test_a_clone_fits_as_the_model_does():
    assert clone(Halving(max_iter=2)).fit().value_ == 2.0


def test_the_progress_bar_of_scikit_learn_shows_our_loops(capsys):
    Halving(max_iter=4).set_callbacks(callback.ProgressBar()).fit()
    shown = capsys.readouterr().out
    assert "Halving - fit" in shown and "Halving - loop #1" in shown and "100%" in shown


@pytest.mark.parametrize(
    ("asked", "theirs", "ours"),
    [
        (None, True, False),  # one display is enough
        (None, False, True),
        (True, True, True),  # asked for
        (False, False, False),
    ],
)
def test_our_bars_stay_away_from_those_of_scikit_learn(asked, theirs, ours, monkeypatch, capsys):
    from lowdim.core import progress

    class Terminal:
        def isatty(self):
            return True

    wanted = []
    real = progress._wanted
    monkeypatch.setattr(progress, "_wanted", lambda: wanted.append(real()) or False)
    monkeypatch.setattr(progress.sys, "stderr", Terminal())
    with config_context(progress=asked):
        model = Halving(max_iter=1)
        model.set_callbacks(callback.ProgressBar() if theirs else Recorder())
        model.fit()
    assert wanted == [ours, ours]


def test_an_older_scikit_learn_without_callbacks_is_enough():
    script = """
import sys
sys.modules["sklearn.callback"] = None  # importing it raises ImportError, as before 1.9
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate

class Halving(Estimator):
    _parameter_constraints = {}

    @fitting
    def fit(self, X=None, y=None):
        "Halves."
        loop = iterate(self, 8.0, max_iter=3, tol=0)
        for value in loop:
            loop.record(value)
            loop.params = value / 2
        self.value_ = loop.params
        return self

model = Halving().fit()
assert model.value_ == 1.0 and model.n_iter_ == 3 and Halving.fit.__doc__ == "Halves."
assert not hasattr(model, "set_callbacks")
print("fitted")
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    assert run.stdout == "fitted\n", run.stderr
