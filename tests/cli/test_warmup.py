"""`lowdim warmup` uses every class, with each of its solvers, on every kind of data it takes."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.cli import warmup
from lowdim.core.constraints import StrOptions
from lowdim.core.estimator import Estimator


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


def test_families_are_tried_side_by_side_and_timed(run, monkeypatch):
    monkeypatch.setattr(warmup, "TOGETHER", (("LSA", "TruncatedSVD"), ("FastICA",)))
    lines = run("warmup").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    assert names == ["LSA", "TruncatedSVD", "FastICA", "together"]
    assert all(line.endswith(" s") for line in lines)


def test_every_method_is_tried_once():
    known = warmup._by_name()
    tried = [each for name in sum(warmup.TOGETHER, ()) for each in warmup._members(name, known)]
    assert sorted(tried) == sorted(known)


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
from lowdim.cli.warmup import _by_name, warm_up
from lowdim.core.kernel import kernels

for cls in _by_name().values():
    problem = warm_up(cls)
    assert problem is None, problem

def signatures():
    return {name: {str(s) for s in one.compiled().signatures} for name, one in kernels().items()}

warm = signatures()
from tests.cli.wide_use import use_everything
use_everything()
after = signatures()
print(json.dumps({
    "number": {name: len(found) for name, found in warm.items()},
    "unknown": sorted(set(after) - set(warm)),
    "new": {name: sorted(after[name] - warm[name]) for name in warm if after[name] - warm[name]},
}))
"""


def test_after_a_warmup_nothing_is_compiled_and_kernels_have_few_signatures():
    """In a process of its own: one signature for each precision, and no further ones in wide use.

    Each further one is compiled while a person waits: an order of memory, a type of index.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WATCH], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["unknown"] == []
    assert seen["new"] == {}
    assert {name: number for name, number in seen["number"].items() if number > 2} == {}
    # those that are compiled into others have a signature of their own only in an empty cache
    assert {name for name, number in seen["number"].items() if number == 0} <= {
        "lowdim.cluster.kmeans.kernels.square_apart",
        "lowdim.linalg.nearest._insert",
        "lowdim.linalg.ridge._pull",
        "lowdim.linalg.ridge._times_rest",
        "lowdim.linalg.small.factor_block",
        "lowdim.linalg.small.solve_factored",
        "lowdim.linear.nmf.hals._slopes",
        *(f"lowdim.maps.field.splines._{name}" for name in ("top", "side", "weigh", "slope")),
        *(f"lowdim.maps.field.splines._{name}_slope" for name in ("top", "side")),
        "lowdim.maps.keys._mixed",
        "lowdim.maps.umap.kernels._begun",
        "lowdim.maps.umap.kernels._entry",
        "lowdim.text.embeddings.word2vec.chance.mixed",
        "lowdim.text.embeddings.word2vec.logistic.logistic",
        "lowdim.text.embeddings.word2vec.noise.add_noise",
        "lowdim.text.embeddings.word2vec.noise.move_noise",
        "lowdim.text.embeddings.word2vec.noise.noise_scores",
        "lowdim.text.topics.expectation._exp_digamma",
        "lowdim.text.topics.lda.gibbs_kernels.begin_word",
        "lowdim.text.topics.lda.gibbs_kernels.draw_from_prior",
        "lowdim.text.topics.lda.gibbs_kernels.draw_other",
        "lowdim.text.topics.lda.gibbs_kernels._skip",
        "lowdim.text.topics.lda.gibbs_kernels.move",
        "lowdim.text.topics.lda.gibbs_kernels.pick",
        "lowdim.text.topics.lda.gibbs_kernels.place_of",
        "lowdim.text.topics.lda.gibbs_kernels.sum_of",
        "lowdim.text.topics.lda.gibbs_kernels.uniform",
        "lowdim.text.topics.lda.gibbs_kernels.weigh",
        "lowdim.text.topics.lda.left_to_right.draw",
        "lowdim.text.topics.lda.left_to_right.replace_light",
    }
