"""`lowdim warmup` uses every class, with each of its solvers, on every kind of data it takes."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.cli import warmup
from lowdim.core.constraints import StrOptions
from lowdim.core.estimator import Estimator
from lowdim.registry import public_estimators


class Recorder(Estimator):
    """Remembers what it was fitted on."""

    _parameter_constraints = {"solver": [StrOptions({"fast", "exact"}), None]}  # noqa: RUF012
    seen = []  # noqa: RUF012

    def __init__(self, solver="exact", max_iter=1000):
        self.solver, self.max_iter = solver, max_iter

    def fit(self, X):
        if self.solver == "fast" and sp.issparse(X):
            raise ValueError("solver='fast' needs dense rows")
        assert self.max_iter < 10
        values = X.data if sp.issparse(X) else X
        self.seen.append((self.solver, str(X.dtype), sp.issparse(X), bool(np.isnan(values).any())))
        return self


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.setattr(Recorder, "seen", [])
    return Recorder


def test_every_public_class_is_tried_and_timed(run):
    lines = run("warmup").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*sorted(public_estimators()), "together"]
    assert all(line.endswith(" s") for line in lines)


def test_quiet_says_nothing(run, recorder, monkeypatch):
    monkeypatch.setattr("lowdim.registry.public_estimators", lambda: {"Recorder": recorder})
    result = run("warmup", "--quiet")
    assert recorder.seen
    assert (result.stdout, result.stderr) == ("", "")


def test_each_choice_of_an_argument_is_tried_in_both_precisions(recorder):
    assert warmup.warm_up(recorder) is None
    assert set(recorder.seen) == {
        (solver, dtype, False, False)
        for solver in ("exact", "fast")
        for dtype in ("float32", "float64")
    }


def test_missing_values_and_sparse_rows_are_tried_where_they_are_accepted(recorder, monkeypatch):
    monkeypatch.setattr(recorder, "accepts_nan", True)
    monkeypatch.setattr(recorder, "accepts_sparse", True)
    assert warmup.warm_up(recorder) is None
    kinds = {(sparse, nan) for solver, _, sparse, nan in recorder.seen if solver == "exact"}
    assert kinds == {(False, False), (False, True), (True, False)}


def test_a_class_that_never_works_is_named(run, recorder, monkeypatch):
    class Broken(recorder):
        def fit(self, X):
            raise ValueError("it never works")

    monkeypatch.setattr(
        "lowdim.registry.public_estimators", lambda: {"Broken": Broken, "Recorder": recorder}
    )
    result = run("warmup")
    assert result.stderr == "Warning: Broken could not be tried (it never works).\n"
    assert result.stdout.startswith("Recorder")
