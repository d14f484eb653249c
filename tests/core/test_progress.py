"""Progress bars: on a terminal or when asked for, with objective and time left, and gone after."""

import io
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import redirect_stderr
from typing import ClassVar

import numpy as np
import pytest

from lowdim.core import progress
from lowdim.core.config import config_context
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.progress import watch
from lowdim.tables.streaming import stream


class Terminal(io.StringIO):
    """A standard error that says it is a terminal, within a `with` block."""

    def isatty(self):
        return True

    def __enter__(self):
        self._redirect = redirect_stderr(self)
        self._redirect.__enter__()
        return self

    def __exit__(self, *error):
        self._redirect.__exit__(*error)


class Summing(Estimator):
    """Passes over a stream, the objective falling."""

    _parameter_constraints: ClassVar[dict] = {}

    def __init__(self, max_iter=3, at=None):
        self.max_iter = max_iter
        self.at = at

    @fitting
    def fit(self, X, y=None):
        rows = self.open_rows(X)
        loop = iterate(self, 1.0, max_iter=self.max_iter, tol=0)
        for scale in loop:
            total = rows.fold(np.sum)
            if self.at is not None:
                self.at(loop.n_iter)
            loop.record(total * scale)
            loop.params = scale / 2
        return self


def blocks():
    for _ in range(3):
        yield np.ones((1000, 2))


@pytest.fixture(autouse=True)
def nothing_left():
    """Every test ends without a display, and without the thread that draws one."""
    yield
    assert progress._display is None and progress._shown == 0
    for thread in threading.enumerate():
        if type(thread).__name__ == "_RefreshThread":
            thread.join(timeout=30)
            assert not thread.is_alive()


@pytest.fixture
def terminal(monkeypatch):
    """A wide terminal as standard error, and bars that do not wait for half a second."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(progress, "SECONDS_BEFORE_A_BAR", 0.0)
    return Terminal()


def plain(text):
    """What a terminal shows, without colours and movements of the cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


# Silent unless wanted


def test_without_a_terminal_nothing_is_printed(capfd, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BEFORE_A_BAR", 0.0)
    Summing().fit(stream(blocks))
    assert capfd.readouterr() == ("", "")


def test_on_a_terminal_quick_work_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BEFORE_A_BAR", 1000.0)
    with terminal:
        Summing().fit(stream(blocks))
    assert terminal.getvalue() == ""


def test_progress_false_is_silent_on_a_terminal(terminal):
    with terminal, config_context(progress=False):
        Summing().fit(stream(blocks))
    assert terminal.getvalue() == ""


def test_without_a_standard_error_work_goes_on(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    assert Summing().fit(stream(blocks)).n_iter_ == 3


def test_silent_work_does_not_import_rich():
    script = """
import sys
from lowdim.core.progress import watch
with watch("work", 3) as bar:
    bar.update(2)
assert "rich" not in sys.modules
print("silent")
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    assert (run.stdout, run.stderr) == ("silent\n", "")


# What is shown


def test_when_asked_for_the_bar_is_on_standard_error_with_objective_and_time_left(capfd):
    with config_context(progress=True):
        Summing().fit(np.ones((1000, 2)))
    out, err = capfd.readouterr()
    assert out == ""
    assert re.search(r"Summing .*3/3 +\d:\d\d:\d\d left \d:\d\d:\d\d +objective 500", plain(err))


def test_on_a_terminal_the_bars_of_a_loop_and_of_the_pass_within_it_stand_together(terminal):
    seen = []

    def look(n_iter):
        if n_iter == 1:
            with watch("inner work", total=None) as bar:
                bar.update(1234567)
                progress._display.refresh()
                seen.append(plain(terminal.getvalue()))

    with terminal:
        Summing(at=look).fit(stream(blocks))
    assert re.search(r"Summing +\S+ +1/3 .* objective 6000\s+inner work +\S+ +1,234,567", seen[0])
    assert re.search(r"reading rows +\S+ +[\d,]+/3,000 ", plain(terminal.getvalue()))


def test_on_a_terminal_the_bars_are_gone_afterwards(terminal):
    with terminal:
        Summing().fit(stream(blocks))
    end = terminal.getvalue().rsplit("\r", 1)[-1]
    assert plain(end).strip() == ""  # the last line is wiped,
    assert "\x1b[?25h" in end  # and the cursor is back


def test_the_time_is_counted_from_the_beginning_of_the_work(terminal, monkeypatch):
    clock = iter([0.0] + [100.0] * 10**6)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with terminal, watch("work", total=10) as bar:
        bar.update(5)
        since = progress._display.tasks[0].start_time
    assert since == 0.0  # not when the bar appeared


def test_bars_on_several_threads_share_one_display(terminal):
    all_open = threading.Barrier(4, timeout=30)
    displays = set()

    def work(number):
        with watch(f"work {number}", total=10) as bar:
            bar.update(number)
            all_open.wait()
            displays.add(id(progress._display))
            assert len([task for task in progress._display.tasks if task.visible]) == 4
            all_open.wait()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    with terminal:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(displays) == 1


# Errors, forks


def test_an_error_leaves_no_display(terminal):
    def fail(n_iter):
        if n_iter == 1:
            raise ZeroDivisionError

    def broken():
        yield np.ones((10, 2))
        raise ConnectionError

    with terminal, pytest.raises(ZeroDivisionError):
        Summing(at=fail).fit(stream(blocks))
    assert progress._display is None
    with terminal, pytest.raises(ConnectionError):
        Summing().fit(stream(broken))
    assert "\x1b[?25h" in terminal.getvalue()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_child_forked_while_a_bar_is_shown_has_none_and_does_not_hang(terminal):
    def hold_the_locks():
        with progress._lock, progress._display._lock:
            held.set()
            forked.wait(timeout=60)

    held, forked = threading.Event(), threading.Event()
    with terminal, watch("work", total=10) as bar:
        bar.update(1)
        other = threading.Thread(target=hold_the_locks)  # the worst moment for a fork
        other.start()
        held.wait(timeout=60)
        pid = os.fork()
        if pid == 0:
            signal.alarm(60)  # ends the child, should it hang
            code = 1
            try:
                bar.update(2)
                bar.close()
                with watch("its own", total=2) as own:
                    own.update(1)
                code = 0
            finally:
                os._exit(code)
        forked.set()
        other.join()
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
