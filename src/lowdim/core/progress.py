"""Progress bars: silent unless on a terminal or asked for, and only for work that takes a while."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lowdim.core.config import get_config

SECONDS_BEFORE_A_BAR = 0.5

_lock = threading.RLock()
_display: Any = None
_shown = 0


@contextmanager
def watch(title: str, total: int | None = None) -> Iterator[Bar]:
    """A bar for the work in the `with` block; it appears once the work has taken half a second."""
    bar = Bar(title, total, enabled=_wanted())
    try:
        yield bar
    finally:
        bar.close()


class Bar:
    """One line of progress: title, done of total, a note, the time left."""

    def __init__(self, title: str, total: int | None, enabled: bool):
        self._title, self._total, self._enabled = title, total, enabled
        self._since = time.monotonic()
        self._task: Any = None

    def update(self, done: int, note: str = "") -> None:
        """Say how far the work is."""
        if not self._enabled:
            return
        if self._task is None:
            asked = get_config().progress
            if not asked and time.monotonic() - self._since < SECONDS_BEFORE_A_BAR:
                return
            self._open()
        with _lock:
            if _display is not None:
                _display.update(self._task, completed=done, note=note, count=self._count(done))

    def _open(self) -> None:
        left = "left" if self._total else ""
        with _lock:
            display = _open_display()
            self._task = display.add_task(
                self._title, total=self._total, left=left, note="", count=self._count(0)
            )
            display.tasks[-1].start_time = self._since  # the work began before its bar

    def _count(self, done: int) -> str:
        return f"{done:,}" if self._total is None else f"{done:,}/{self._total:,}"

    def close(self) -> None:
        """Take the line away, and the display with the last line."""
        global _display, _shown
        with _lock:
            if self._task is None or _display is None:
                return
            _display.update(self._task, visible=_display.console.is_terminal is False)
            _shown -= 1
            if _shown == 0:
                _display.stop()
                _display = None


def say(text: str) -> None:
    """One line above the bars, where bars are wanted."""
    if not _wanted():
        return
    with _lock:
        if _display is not None:
            _display.console.print(text, style="dim")
        else:
            print(text, file=sys.stderr, flush=True)


def _open_display() -> Any:
    global _display, _shown
    if _display is None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        _display = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[count]:>13}", style="progress.download", justify="right"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", style="dim"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
        )
        _display.start()
    _shown += 1
    return _display


def _wanted() -> bool:
    asked = get_config().progress
    if asked is None:
        return sys.stderr is not None and sys.stderr.isatty()
    return asked


def _forget_after_fork() -> None:
    """The thread that draws the bars stays in the parent: the child has none."""
    global _lock, _display, _shown
    _lock, _display, _shown = threading.RLock(), None, 0


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_after_fork)
