"""`lowdim warmup` uses every class, with each of its solvers, on every kind of data it takes."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.cli import warmup
from lowdim.core import signatures
from lowdim.core.constraints import StrOptions
from lowdim.core.estimator import Estimator
from lowdim.core.signatures import listed

FEW = ("lowdim.maps.keys", "lowdim.text.similarity")


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


@pytest.fixture
def only(monkeypatch):
    """Let these classes be all there are, tried in this process."""

    def use(**classes):
        monkeypatch.setattr(warmup, "_by_name", lambda: classes)

    return use


def test_modules_are_compiled_side_by_side_and_families_timed(run, monkeypatch):
    few = {name: of for name, of in listed().items() if name in FEW}
    monkeypatch.setattr(signatures, "listed", lambda: few)
    lines = run("warmup").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["maps", "text", "together"]
    assert all(line.endswith(" s") for line in lines)


def test_some_methods_can_be_named(run, recorder, only):
    only(Recorder=recorder, Other=Estimator)
    assert run("warmup", "Recorder").stdout.split()[0] == "Recorder"
    assert recorder.seen


def test_a_method_that_does_not_exist_is_named(run):
    result = run("warmup", "KMean", code=2)
    assert "no method or family is called KMean" in result.stderr


def test_quiet_says_nothing(run, recorder, only):
    only(Recorder=recorder)
    result = run("warmup", "--quiet", "Recorder")
    assert recorder.seen
    assert (result.stdout, result.stderr) == ("", "")


def test_each_choice_of_an_argument_is_tried_in_both_precisions(recorder):
    assert warmup.warm_up(recorder) is None
    assert set(recorder.seen) == {
        (solver, dtype, False, False)
        for solver in ("exact", "fast")
        for dtype in ("float32", "float64")
    }


def test_arguments_that_go_together_are_tried_on_every_kind_of_rows(recorder, monkeypatch):
    monkeypatch.setattr(recorder, "accepts_sparse", True)
    monkeypatch.setattr(recorder, "warmed_together", ({"solver": None},), raising=False)
    assert warmup.warm_up(recorder) is None
    kinds = {sparse for solver, _, sparse, _ in recorder.seen if solver is None}
    assert kinds == {False, True}


def test_missing_values_and_sparse_rows_are_tried_where_they_are_accepted(recorder, monkeypatch):
    monkeypatch.setattr(recorder, "accepts_nan", True)
    monkeypatch.setattr(recorder, "accepts_sparse", True)
    assert warmup.warm_up(recorder) is None
    kinds = {(sparse, nan) for solver, _, sparse, nan in recorder.seen if solver == "exact"}
    assert kinds == {(False, False), (False, True), (True, False)}


def test_a_class_that_never_works_is_named(run, recorder, only):
    class Broken(recorder):
        def fit(self, X):
            raise ValueError("it never works")

    only(Broken=Broken, Recorder=recorder)
    result = run("warmup", "Broken", "Recorder")
    assert result.stderr == "Warning: Broken could not be tried (it never works).\n"
    assert result.stdout.startswith("Recorder")


# ---- nothing is left to compile ------------------------------------------------------------------

WATCH = """
import json
from tests.apart import watch_kernels
watch_kernels()
from lowdim.core.kernel import kernels
from lowdim.core.signatures import in_use
from tests.cli.kernel_list import use_all_methods
from tests.cli.wide_use import use_everything

use_all_methods()
fitted = in_use()
use_everything()
from_python = {name: one for name, one in kernels().items() if not one.within}
unused = [name for name, one in from_python.items() if not one.compiled().signatures]
seen = {"fitted": fitted, "wide": in_use(), "unused": unused}
print(json.dumps(seen))
"""


def test_warmup_compiles_what_wide_use_needs_and_nothing_else():
    """In a process of its own: one signature for each precision, and no further ones in wide use.

    Each further one is compiled while a person waits: an order of memory, a type of index. And no
    kernel writes to what two of its arguments share, unless it names them as views.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WATCH], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    again = "write the list again: python -m tests.cli.kernel_list"
    assert pairs(seen["fitted"]) == pairs(listed()), again
    assert pairs(seen["wide"]) == pairs(listed())
    assert seen["unused"] == []
    number = {
        (module, name): len(of) for module, found in listed().items() for name, of in found.items()
    }
    assert {name: n for name, n in number.items() if n > 2} == {}


def pairs(signatures):
    return {
        (module, name, str(one))
        for module, of in signatures.items()
        for name in of
        for one in of[name]
    }
