"""The stages of a long report."""

import pytest

from lowdim.report.page import stages as module
from lowdim.report.page.stages import Stages, stages


class Heard:
    """A bar that keeps what it is told."""

    def __init__(self):
        self.updates = []

    def update(self, done, note=""):
        self.updates.append((done, note))


def test_the_bar_moves_by_the_share_of_what_is_done():
    bar = Heard()
    stage = Stages(bar, {"first": 30, "second": 60, "third": 10})
    for title in ("first", "second", "third"):
        with stage(title):
            pass
    assert bar.updates == [(0, "first"), (30, "second"), (90, "third")]


def test_every_stage_has_its_seconds(monkeypatch):
    clock = iter([1.0, 3.5, 10.0, 10.25])
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    stage = Stages(Heard(), {"first": 1, "second": 1})
    for title in ("first", "second"):
        with stage(title):
            pass
    assert stage.seconds == {"first": 2.5, "second": 0.25}


def test_a_stage_that_fails_is_not_done():
    stage = Stages(Heard(), {"first": 1})
    with pytest.raises(ZeroDivisionError), stage("first"):
        raise ZeroDivisionError
    assert stage.seconds == {}


def test_a_stage_without_a_share_is_refused():
    with stages("working", {"first": 1}) as stage:
        with stage("other"):
            pass
        with pytest.raises(KeyError, match="other"), stage("first"):
            pass
