"""The session of a fit: Ctrl-C, and checkpoints that continue where the fit was cut short."""

import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

from lowdim.core import session as session_module
from lowdim.core.config import config_context
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.persistence import read_state
from lowdim.core.session import CheckpointError, InterruptedFitWarning
from lowdim.core.validation import check_weights
from tests.core import resumable
from tests.core.resumable import Scripted

FIXTURES = Path(__file__).parent.parent / "fixtures"
fixtures = runpy.run_path(str(FIXTURES / "make_fixtures.py"))

SCRIPT = Path(resumable.__file__)
X, weights = resumable.data(), np.linspace(0.5, 2, 60)


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """As on a terminal; a shell lets programs in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def clean():
    """No hook of one test stays for the next, and none leaves another answer to Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    yield
    resumable.each_iteration.clear()
    resumable._count = 0
    assert signal.getsignal(signal.SIGINT) is before
    assert session_module._current.get() is None


def press_ctrl_c(at):
    return lambda i: os.kill(os.getpid(), signal.SIGINT) if i == at else None


# ---- Ctrl-C --------------------------------------------------------------------------------------


def test_ctrl_c_ends_a_loop_whose_latest_parameters_are_the_best_with_these():
    class Falling(Scripted):
        @fitting
        def fit(self, X=None, y=None):
            loop = iterate(self, 0, max_iter=4, tol=0.0, falls=True)
            for i in loop:
                self.at(i)
                loop.record(self.objectives[i])
                loop.params = i + 1
            self.params_ = loop.params
            return self

    with pytest.warns(InterruptedFitWarning, match="the model holds the latest parameters so far"):
        model = Falling([5.0, 1.0, 3.0, 0.0], at=press_ctrl_c(2)).fit()
    assert model.params_ == 3


@pytest.mark.parametrize(
    ("objectives", "at", "best"),
    [
        ([5.0, 4.0, 3.0, 2.0], 2, 3),  # falling: the parameters made last are the best
        ([5.0, 1.0, 3.0, 0.0], 2, 1),  # up and down: those of the smallest objective
        ([5.0, 1.0, np.nan, 0.0], 2, 1),
        ([1.0, 3.0, 1.0, 7.0, 0.0], 3, 2),  # of equals, the later
        ([5.0, 4.0], 0, 1),
    ],
)
def test_ctrl_c_ends_the_fit_with_the_best_parameters(objectives, at, best):
    text = rf"^Ctrl-C ended the fit of Scripted after {at + 1} iterations; the model holds the best"
    with pytest.warns(InterruptedFitWarning, match=text) as caught:
        model = Scripted(objectives, tol=1e-9, at=press_ctrl_c(at)).fit()
    assert len(caught) == 1  # and no ConvergenceWarning besides
    assert caught[0].filename == resumable.__file__  # the first line outside lowdim
    assert model.params_ == best
    assert model.n_iter_ == at + 1 and not model.converged_
    np.testing.assert_array_equal(model.history_, objectives[: at + 1])


def test_the_second_ctrl_c_raises():
    def press_twice(i):
        if i == 1:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        Scripted([3.0, 2.0, 1.0], at=press_twice).fit()


def test_the_handler_of_the_user_is_back_after_the_fit_and_gets_the_second_ctrl_c():
    pressed = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        mine = signal.getsignal(signal.SIGINT)
        with pytest.warns(InterruptedFitWarning):
            Scripted(
                [3.0, 2.0, 1.0],
                at=lambda i: [
                    os.kill(os.getpid(), signal.SIGINT) for _ in range(2 if i == 1 else 0)
                ],
            ).fit()
        assert pressed == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)


def test_where_ctrl_c_is_ignored_it_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a background job of a shell
    try:
        assert Scripted([3.0, 2.0, 1.0], at=press_ctrl_c(1)).fit().n_iter_ == 3
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_in_an_iteration_leaves_the_handler_as_it_was():
    def fail(i):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Scripted([1.0], at=fail).fit()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_in_another_thread_no_handler_is_installed():
    handlers = []
    model = Scripted([2.0, 1.0], at=lambda i: handlers.append(signal.getsignal(signal.SIGINT)))
    thread = threading.Thread(target=model.fit)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler] * 2 and model.n_iter_ == 2


def test_ctrl_c_in_the_main_thread_does_not_end_fits_of_others():
    inside, done = threading.Event(), threading.Event()

    def wait(i):
        if i == 1:
            inside.set()
            done.wait(timeout=30)

    other = Scripted([3.0, 2.0, 1.0], at=wait)
    thread = threading.Thread(target=other.fit)
    thread.start()
    inside.wait(timeout=30)
    with pytest.warns(InterruptedFitWarning):
        Scripted([3.0, 2.0, 1.0], at=press_ctrl_c(0)).fit()
    done.set()
    thread.join()
    assert other.n_iter_ == 3


def test_after_ctrl_c_every_later_loop_of_the_fit_makes_one_step():
    resumable.each_iteration.append(press_ctrl_c(5))  # 3 in Coarse, then the second of Wanderer
    with pytest.warns(
        InterruptedFitWarning, match="the fit of Wanderer after 2 iterations"
    ) as caught:
        model = resumable.Wanderer(n_starts=1).fit(resumable.data())
    assert len(caught) == 1 and model.n_iter_ == 2
    resumable._count = 0
    with pytest.warns(InterruptedFitWarning) as caught:
        model = resumable.Wanderer(n_starts=3, max_iter=2).fit(resumable.data())
    assert len(caught) == 1  # one warning for one Ctrl-C


class Restarts(Estimator):
    """Three loops; Ctrl-C comes in the first."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, again_at=None):
        self.again_at = again_at

    @fitting
    def fit(self, X=None, y=None):
        self.lengths_ = []
        for start in range(3):
            loop = iterate(self, 0, max_iter=4, tol=0)
            for i in loop:
                if (start, i) == (0, 1) or (start, i) == self.again_at:
                    os.kill(os.getpid(), signal.SIGINT)
                loop.record(float(-i))
                loop.params = i + 1
            self.lengths_.append(loop.n_iter)
        return self


def test_a_loop_that_begins_after_ctrl_c_still_has_a_history():
    with pytest.warns(InterruptedFitWarning):
        assert Restarts().fit().lengths_ == [2, 1, 1]


def test_a_second_ctrl_c_in_a_later_loop_raises():
    with pytest.raises(KeyboardInterrupt), warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedFitWarning)
        Restarts(again_at=(1, 0)).fit()


# ---- checkpoints ---------------------------------------------------------------------------------


def attributes(model):
    return (
        model.histories_, model.centers_, model.history_, model.last_draw_, model.steps_,
        model.n_iter_, model.converged_,
    )  # fmt: skip


def assert_bit_identical(model, other):
    for one, two in zip(attributes(model), attributes(other), strict=True):
        np.testing.assert_array_equal(one, two)


def crash_at(number):
    def crash(count):
        if count == number:
            raise MemoryError("as if killed")

    return crash


def fit_in(folder, model=None, X=None, seconds=0, **arguments):
    resumable._count = 0
    with config_context(checkpoint=folder, checkpoint_seconds=seconds):
        model = resumable.Wanderer() if model is None else model
        return model.fit(resumable.data() if X is None else X, **arguments)


def crashed_in(folder, number, *args, **kwargs):
    resumable.each_iteration.append(crash_at(number))
    with pytest.raises(MemoryError):
        fit_in(folder, *args, **kwargs)
    resumable.each_iteration.clear()


def checkpoint_in(folder, model="Wanderer"):
    """The one file in a folder, which is a checkpoint of this model."""
    (file,) = folder.iterdir()
    assert re.fullmatch(rf"{model}-[0-9a-f]{{24}}\.checkpoint", file.name)
    return file


def test_a_fit_killed_with_signal_9_continues_and_ends_bit_identical(tmp_path):
    def run(number):
        command = [sys.executable, SCRIPT, tmp_path / "state", tmp_path / "result.npz", str(number)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    # 8 iterations per start, 3 of them in the fit within: it dies in the second start
    assert run(14).returncode == -signal.SIGKILL
    assert checkpoint_in(tmp_path / "state", "Wanderer")
    assert not (tmp_path / "result.npz").exists()
    last = run(0)
    assert last.returncode == 0, last.stderr
    assert list((tmp_path / "state").iterdir()) == []
    uninterrupted = resumable.Wanderer().fit(resumable.data())
    with np.load(tmp_path / "result.npz") as saved:
        for one, two in zip(saved.values(), attributes(uninterrupted)[:5], strict=True):
            np.testing.assert_array_equal(one, two)


def test_resumed_equals_uninterrupted_wherever_the_fit_stopped(tmp_path):
    uninterrupted = resumable.Wanderer().fit(resumable.data())
    for number in (1, 3, 4, 5, 8, 9, 11, 12, 13, 16, 17, 21, 24):  # of 3 starts with 3 + 5 each
        crashed_in(tmp_path, number)
        redone = []
        resumable.each_iteration.append(redone.append)
        assert_bit_identical(fit_in(tmp_path), uninterrupted)
        resumable.each_iteration.clear()
        starts, within = divmod(number - 1, 8)
        done = 5 * starts + max(within - 3, 0)
        fits_within = 3 * 3  # these are repeated
        assert len(redone) == fits_within + 15 - done
        assert list(tmp_path.iterdir()) == []


def test_many_crashes_in_a_row_are_no_worse_than_one(tmp_path):
    for number in (5, 6, 5, 9, 12):
        crashed_in(tmp_path, number)
    assert_bit_identical(fit_in(tmp_path), resumable.Wanderer().fit(resumable.data()))


def test_a_generator_as_random_state_continues_where_it_was(tmp_path):
    def model():
        return resumable.Wanderer(random_state=np.random.default_rng(3))

    crashed_in(tmp_path, 14, model())
    assert_bit_identical(fit_in(tmp_path, model()), model().fit(resumable.data()))


class Alternating(Estimator):
    """Every second loop has the generator among its parameters; all take their start from it."""

    _parameter_constraints: ClassVar[dict] = {}

    @fitting
    def fit(self, X, y=None):
        self.open_rows(X)
        random = np.random.default_rng(0)
        self.ends_ = []
        for number in range(4):
            loop = iterate(self, [random.normal(), random][: 2 - number % 2], max_iter=2, tol=0)
            for value, *moving in loop:
                resumable.tick()
                loop.record(value)
                step = moving[0].normal() if moving else 1.0
                loop.params = [value + step, *moving]
            self.ends_.append(loop.params[0])
        self.ends_.append(random.normal())
        return self


@pytest.mark.parametrize("number", range(2, 9))
def test_a_generator_that_only_some_loops_hold_is_where_it_was_after_each(number, tmp_path):
    uninterrupted = Alternating().fit(X).ends_
    crashed_in(tmp_path, number, Alternating())
    assert fit_in(tmp_path, Alternating()).ends_ == uninterrupted


def test_convergence_is_remembered(tmp_path):
    model = resumable.Wanderer(tol=1e3)  # every loop converges in its second iteration
    uninterrupted = resumable.Wanderer(tol=1e3).fit(resumable.data())
    assert uninterrupted.converged_ and uninterrupted.n_iter_ == 2
    crashed_in(tmp_path, 9, model)
    assert_bit_identical(fit_in(tmp_path, model), uninterrupted)


def test_checkpoints_are_written_only_every_few_seconds(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(session_module, "write_state", lambda *args: written.append(args))
    clock = iter(np.arange(0.0, 10**6, 1.0))  # a second passes whenever somebody looks
    monkeypatch.setattr(session_module.time, "monotonic", lambda: next(clock))
    fit_in(tmp_path, seconds=4.5)
    assert len(written) == 15 // 5


def test_a_finished_fit_removes_its_checkpoint_and_a_new_one_starts_anew(tmp_path):
    seen = []
    resumable.each_iteration.append(lambda count: seen.append(len(list(tmp_path.iterdir()))))
    fit_in(tmp_path)
    assert seen[4:8] == [1] * 4 and list(tmp_path.iterdir()) == []
    seen.clear()
    fit_in(tmp_path)
    assert len(seen) == 24


def test_without_a_setting_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    resumable.Wanderer().fit(resumable.data())
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_made_if_it_is_not_there(tmp_path):
    crashed_in(tmp_path / "a" / "b", 7)
    assert checkpoint_in(tmp_path / "a" / "b", "Wanderer")


class Other(resumable.Wanderer):
    pass


WHAT_TO_DO = (
    r"\. Fit the same model with the same parameters to the same data to continue it, or choose "
    r"another checkpoint folder, or delete the file to start anew\."
)


OTHER_FITS = {
    "another model": (Other(), X, {}),
    "another parameter": (resumable.Wanderer(max_iter=6), X, {}),
    "another seed": (resumable.Wanderer(random_state=None), X, {}),
    "other values": (resumable.Wanderer(), X + 1e-12, {}),
    "fewer rows": (resumable.Wanderer(), X[:50], {}),
    "another dtype": (resumable.Wanderer(), X.astype(np.float32), {}),
    "weights": (resumable.Wanderer(), X, {"sample_weight": weights}),
    "other weights": (resumable.Wanderer(), X, {"sample_weight": weights[::-1].copy()}),
}


@pytest.mark.parametrize("kind", OTHER_FITS)
def test_every_fit_has_a_checkpoint_of_its_own(kind, tmp_path):
    model, data, arguments = OTHER_FITS[kind]
    crashed_in(tmp_path, 7)
    of_the_first = checkpoint_in(tmp_path)
    before = of_the_first.read_bytes()
    crashed_in(tmp_path, 14, clone(model), data, **arguments)
    assert len(list(tmp_path.iterdir())) == 2
    assert of_the_first.read_bytes() == before
    resumed = fit_in(tmp_path, clone(model), data, **arguments)
    if model.random_state is not None:
        assert_bit_identical(resumed, clone(model).fit(data, **arguments))
    assert checkpoint_in(tmp_path) == of_the_first
    assert_bit_identical(fit_in(tmp_path), resumable.Wanderer().fit(X))


def test_a_script_of_two_fits_that_was_killed_in_the_second_can_be_run_again(tmp_path):
    def script():
        first = fit_in(tmp_path, resumable.Wanderer(n_starts=1))
        return first, fit_in(tmp_path, resumable.Wanderer(n_starts=2))

    uninterrupted = [resumable.Wanderer(n_starts=n).fit(X) for n in (1, 2)]

    def killed(count):
        if count == 12:  # the first has 8
            raise MemoryError("as if killed")

    resumable.each_iteration.append(killed)
    with pytest.raises(MemoryError):
        script()
    resumable.each_iteration.clear()
    assert checkpoint_in(tmp_path)
    for model, expected in zip(script(), uninterrupted, strict=True):
        assert_bit_identical(model, expected)
    assert list(tmp_path.iterdir()) == []


def test_fits_at_once_share_a_folder(tmp_path):
    """Different ones, and one of them twice: it writes the same states to the same file."""
    models = [resumable.Wanderer(n_starts=n) for n in (1, 2, 3, 3)]
    barrier = threading.Barrier(len(models), timeout=30)

    def fit(model):
        barrier.wait()
        with config_context(checkpoint=tmp_path, checkpoint_seconds=0):
            model.fit(X)

    threads = [threading.Thread(target=fit, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model in models:
        assert_bit_identical(model, clone(model).fit(X))
    assert list(tmp_path.iterdir()) == []


def test_processes_at_once_share_a_folder(tmp_path):
    """The same fit in two processes: both end with the result of one alone."""
    state = tmp_path / "state"
    results = [tmp_path / "0.npz", tmp_path / "1.npz"]
    running = [subprocess.Popen([sys.executable, SCRIPT, state, result, "0"]) for result in results]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    uninterrupted = resumable.Wanderer().fit(X)
    for result in results:
        with np.load(result) as saved:
            for one, two in zip(saved.values(), attributes(uninterrupted)[:5], strict=True):
                np.testing.assert_array_equal(one, two)
    assert list(state.iterdir()) == []


class WarmStart(resumable.Wanderer):
    """Goes on from where its last fit ended."""

    def __init__(self, n_starts=1, max_iter=5, tol=0.0, random_state=0, warm_start=True):
        super().__init__(n_starts, max_iter, tol, random_state)
        self.warm_start = warm_start


def test_what_a_warm_start_goes_on_from_is_part_of_the_fit(tmp_path):
    model = fit_in(tmp_path, WarmStart())
    crashed_in(tmp_path, 7, model)
    of_the_second = checkpoint_in(tmp_path, "WarmStart")
    redone = []
    resumable.each_iteration.append(redone.append)
    again = fit_in(tmp_path, WarmStart())  # the first fit of the script, when it runs again
    assert len(redone) == 8 and checkpoint_in(tmp_path, "WarmStart") == of_the_second
    redone.clear()
    fit_in(tmp_path, again)
    assert len(redone) == 5  # 3 within, which are repeated, and the last 2
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_file_that_a_killed_process_left_is_removed_when_the_next_fit_begins(tmp_path):
    import lowdim.core.atomic as atomic

    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = tmp_path / f".lowdim-{atomic._place()}-{dead.pid}-1-{'0' * 16}.tmp"
    alive = tmp_path / f".lowdim-{atomic._place()}-{os.getpid()}-0-{'0' * 16}.tmp"
    elsewhere = tmp_path / f".lowdim-{'0' * 8}-{dead.pid}-1-{'0' * 16}.tmp"
    for file in (left, alive, elsewhere):
        file.touch()
    fit_in(tmp_path, seconds=1000)  # writes nothing itself
    assert sorted(tmp_path.iterdir()) == sorted([alive, elsewhere])


def test_a_folder_that_is_a_file_is_refused_and_named(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(CheckpointError, match=r"checkpoint='.*taken' cannot be a folder"):
        fit_in(tmp_path / "taken")


def test_a_checkpoint_under_the_name_of_another_fit_is_refused_and_the_difference_named(tmp_path):
    crashed_in(tmp_path, 7)
    first = checkpoint_in(tmp_path)
    crashed_in(tmp_path, 7, resumable.Wanderer(max_iter=6))
    (second,) = set(tmp_path.iterdir()) - {first}
    shutil.copy(first, second)
    differs = "max_iter=5, and this fit has max_iter=6"
    with pytest.raises(CheckpointError, match=f"was written with {differs}{WHAT_TO_DO}"):
        fit_in(tmp_path, resumable.Wanderer(max_iter=6))


def test_a_checkpoint_of_the_earlier_name_is_taken_up_by_its_fit_alone(tmp_path):
    crashed_in(tmp_path, 7)
    earlier = checkpoint_in(tmp_path).rename(tmp_path / "fit.checkpoint")
    before = earlier.read_bytes()
    fit_in(tmp_path, resumable.Wanderer(max_iter=6))
    assert earlier.read_bytes() == before
    redone = []
    resumable.each_iteration.append(redone.append)
    assert_bit_identical(fit_in(tmp_path), resumable.Wanderer().fit(X))
    assert len(redone) == 9 + 15 - 3 + 24  # and the fit without a checkpoint
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_the_earlier_name_that_cannot_be_read_is_left_alone(tmp_path):
    (tmp_path / "fit.checkpoint").write_bytes(b"x" * 50)
    fit_in(tmp_path)
    assert (tmp_path / "fit.checkpoint").read_bytes() == b"x" * 50


def test_a_checkpoint_of_another_version_is_refused(tmp_path, monkeypatch):
    crashed_in(tmp_path, 7)
    monkeypatch.setattr(session_module, "__version__", "999.0")
    with pytest.raises(
        CheckpointError, match=r"written with lowdim=.*, and this fit has lowdim=999\.0"
    ):
        fit_in(tmp_path)


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b"x" * 50])
def test_a_damaged_checkpoint_is_refused(damage, tmp_path):
    crashed_in(tmp_path, 7)
    file = checkpoint_in(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(CheckpointError, match=r"\.checkpoint cannot be read \(.*" + WHAT_TO_DO):
        fit_in(tmp_path)
    file.unlink()
    fit_in(tmp_path)


def test_parameters_of_any_kind_are_distinguished_by_their_values():
    described = session_module._described
    equal = [np.random.default_rng(1), np.arange(5.0), (1, "a"), {"b": 2}, resumable.statistics]
    again = [np.random.default_rng(1), np.arange(5.0), (1, "a"), {"b": 2}, resumable.statistics]
    other = [np.random.default_rng(2), np.arange(5), (1, "b"), {"b": 3}, resumable.tick]
    for one, two, three in zip(equal, again, other, strict=True):
        assert described(one) == described(two) != described(three)
        assert "0x" not in described(one)
    assert described(0.1) == "0.1" and described("auto") == "'auto'" and described(None) == "None"


def test_a_full_disk_does_not_end_a_fit(tmp_path, monkeypatch):
    def no_space(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session_module, "write_state", no_space)
    with pytest.warns(
        RuntimeWarning, match=r"cannot be written \(.*No space left.*goes on"
    ) as caught:
        model = fit_in(tmp_path)
    assert len(caught) == 1
    assert_bit_identical(model, resumable.Wanderer().fit(X))


def test_ctrl_c_keeps_a_checkpoint_from_which_the_fit_continues(tmp_path):
    resumable.each_iteration.append(press_ctrl_c(14))  # in the second start
    text = r"The state is in .*\.checkpoint; fit again to continue\."
    with pytest.warns(InterruptedFitWarning, match=text):
        fit_in(tmp_path, seconds=1000)  # at once, however short the fit was
    resumable.each_iteration.clear()
    assert checkpoint_in(tmp_path)
    assert_bit_identical(fit_in(tmp_path), resumable.Wanderer().fit(X))
    assert list(tmp_path.iterdir()) == []


class Twice(Estimator):
    """fit_transform that calls fit: both are marked, and it is one fit."""

    _parameter_constraints: ClassVar[dict] = {}

    @fitting
    def fit(self, X, y=None):
        self.open_rows(X)
        loop = iterate(self, 0, max_iter=4, tol=0)
        for i in loop:
            resumable.tick()
            loop.record(float(-i))
            loop.params = i + 1
        return self

    @fitting
    def fit_transform(self, X, y=None):
        return self.fit(X).n_iter_


def test_a_fit_that_is_called_by_another_method_of_the_same_model_has_a_checkpoint(tmp_path):
    resumable.each_iteration.append(crash_at(3))
    with config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with pytest.raises(MemoryError):
            Twice().fit_transform(X)
        assert checkpoint_in(tmp_path, "Twice")
        assert Twice().fit_transform(X) == 4
    assert resumable._count == 3 + 2  # two of four were done


def test_weights_outside_a_fit_belong_to_nothing():
    from lowdim.core.opening import as_blocks

    assert check_weights(weights, as_blocks(X)) is not None
    assert session_module._current.get() is None


# ---- checkpoints of an earlier day ---------------------------------------------------------------


# methods that have learned to take better steps: they end where they would have ended
OTHER_STEPS_SINCE = {"pca_em"}
# and those that minimise something else: they end near where they end today
OTHER_OBJECTIVE_SINCE = {"gaussian_mixture", "mixture_of_factor_analyzers"}


@pytest.mark.parametrize("name", fixtures["INTERRUPTED"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")  # of the method: of no interest here
def test_a_fit_that_was_cut_short_on_an_earlier_day_is_continued(name, tmp_path):
    """The names of modules in it are those of that day."""
    kept = FIXTURES / "format1" / "checkpoints" / name
    (file,) = kept.glob("*.checkpoint")  # the name is of that day, too
    shutil.copy(file, tmp_path)
    _, states = read_state(file)
    model, X = fixtures["INTERRUPTED"][name]
    with config_context(checkpoint=tmp_path):
        model = clone(model).fit(X)
    taken_up = states[-1]["history"]
    np.testing.assert_array_equal(model.history_[: len(taken_up)], taken_up)  # not begun anew
    # another machine's last bits differ, and iterations carry them on
    expected = json.loads((kept / "expected.json").read_text())["history"]
    if name in OTHER_OBJECTIVE_SINCE:
        today = clone(model).fit(X).history_[-1]
        np.testing.assert_allclose(model.history_[-1], today, rtol=1e-2)
    elif name in OTHER_STEPS_SINCE:
        np.testing.assert_allclose(model.history_[-1], expected[-1], rtol=1e-6)
    else:
        np.testing.assert_allclose(model.history_, expected, rtol=1e-6)
