"""Measure ours beside its peers: the same data, the same threads, the same noise.

A **case** is a data set, our entry, the peers' entries, and one quality that is the same for all.
Each entry lives in a process of its own (``worker.py``), fits once to warm up, and then waits. The
parent asks the processes in turn to fit once more, round after round, so that whatever else the
machine does hits all of them. Compared are the best times,

    ratio = min over rounds t(ours) / min over rounds t(peer),      below 1: ours is faster,

and, as a check that does not rest on two lucky moments, the median over rounds of
t(ours) / t(peer). Peak memory is measured in another fresh process, which fits once; it does so
after the rounds, because a compiler at work would be counted (10 MB for a single kernel).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

Data: TypeAlias = np.ndarray | sparse.csr_array

SAME = 1.05  # times, or memories, closer than this are called equal
CLEARLY_SLOWER = 4.0  # an entry this much slower than the fastest leaves after LEAST_ROUNDS
LEAST_ROUNDS = 2
BREATH = 0.1  # seconds; idle BLAS and OpenMP threads spin for a while before they sleep


@dataclass(frozen=True)
class Entry:
    """One competitor: ``fit(X)`` is what is timed, its result is what the quality is taken of."""

    name: str
    fit: Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """One data set and those who compete on it.

    Parameters
    ----------
    name : str
        Short and unique in its family; what ``--case`` selects.
    about : str
        What the data are, for the reader of the table.
    make : callable
        ``make(shrink)`` gives the data, seeded; ``shrink`` divides the number of rows.
    ours, peers : Entry, sequence of Entry
        Without peers there is nothing to time: only quality and memory are measured.
    quality : callable
        ``quality(X, result)``, computed once per entry and outside the timing.
    higher_is_better : bool, default=True
    tolerance : float, default=1e-6
        Entries whose quality is this close to the best (relative) are of equal quality.
    warm_rows : int, default=1000
        Rows of the small fit that precedes the measurement of memory, so that imports, thread
        pools and compiled kernels are not counted.
    memory_limit : float or None, default=None
        Megabytes that the whole process must stay under, for the cases that promise it.
    remark : callable or None, default=None
        ``remark(result)``: a few words for the table, such as the number of passes.
    big : bool, default=False
        Runs for minutes: only with ``--big``, and in a table of its own.
    most_rounds : int or None, default=None
        Rounds at the most, where one fit of a peer takes a minute.
    """

    name: str
    about: str
    make: Callable[[int], Data]
    ours: Entry
    peers: Sequence[Entry]
    quality: Callable[[Any, Any], float]
    higher_is_better: bool = True
    tolerance: float = 1e-6
    warm_rows: int = 1000
    memory_limit: float | None = None
    remark: Callable[[Any], str] | None = None
    big: bool = False
    most_rounds: int | None = None

    @property
    def entries(self) -> list[Entry]:
        return [self.ours, *self.peers]


@dataclass
class Measured:
    """What was seen of one entry; ``error`` is the reason when it did not run."""

    entry: str
    seconds: list[float] = field(default_factory=list)  # one per round, in the order of the rounds
    quality: float = float("nan")
    loss: float = float("nan")  # relative distance of the quality from the best one
    memory: float | None = None  # MB above the state with the data loaded; None: not measurable
    process_memory: float | None = None  # MB, the peak of the whole process
    remark: str = ""
    error: str = ""


@dataclass
class Outcome:
    """A case that was run: ours, the peers, and how much others disturbed the machine."""

    case: Case
    ours: Measured
    peers: list[Measured]
    disturbance: float = 0.0  # share of the processors that others took while an entry ran

    @property
    def failures(self) -> list[Measured]:
        return [measured for measured in [self.ours, *self.peers] if measured.error]

    def is_equal(self, measured: Measured) -> bool:
        """Whether this entry is as good as the best."""
        return measured.loss <= self.case.tolerance

    @property
    def rival(self) -> Measured | None:
        """The fastest peer among those of the best quality; without such a one, the best peer."""
        ran = [peer for peer in self.peers if not peer.error]
        equal = [peer for peer in ran if self.is_equal(peer)]
        if equal:
            return min(equal, key=lambda peer: min(peer.seconds))
        return min(ran, key=lambda peer: peer.loss, default=None)


# --- Running ----------------------------------------------------------------------------------


def run_case(family: ModuleType, case: Case, repeats: int = 9, shrink: int = 1) -> Outcome:
    """Make the data, run all entries in turn, measure their quality and their memory."""
    measured = {entry.name: Measured(entry.name) for entry in case.entries}
    outcome = Outcome(case, measured[case.ours.name], [measured[peer.name] for peer in case.peers])
    with tempfile.TemporaryDirectory(prefix="lowdim-benchmark-") as folder:
        save_data(case.make(shrink), Path(folder))
        if case.peers:
            rounds = min(repeats, case.most_rounds or repeats)
            outcome.disturbance = _run_rounds(family, case, measured, folder, rounds)
        for one in measured.values():  # after the rounds, whose fits left no kernel to be compiled
            if not one.error:
                _measure_memory(family, case, one, folder)
    _set_losses(case, [one for one in measured.values() if not one.error])
    return outcome


def _measure_memory(family: ModuleType, case: Case, measured: Measured, folder: str) -> None:
    """Peak memory, quality and remark of one fit in a fresh process."""
    with Worker(family, case, measured.entry, folder) as worker:
        try:
            memory = worker.ask("memory")
            measured.memory, measured.process_memory = memory["growth"], memory["process"]
            measured.quality = worker.ask("quality")["quality"]
            measured.remark = worker.ask("remark")["remark"]
        except EntryError as error:
            measured.error = str(error)


def _run_rounds(
    family: ModuleType, case: Case, measured: dict[str, Measured], folder: str, repeats: int
) -> float:
    """Fill in the seconds of all entries, round by round; return the disturbance by others."""
    clock = DisturbanceClock()
    workers: dict[str, Worker] = {}
    try:
        for name in [one.entry for one in measured.values() if not one.error]:
            workers[name] = Worker(family, case, name, folder)
        for name in list(workers):
            _attempt(workers, measured[name], "warm up")
        for round_ in range(repeats):
            in_turn = list(workers) if round_ % 2 == 0 else list(reversed(workers))
            for name in in_turn:
                time.sleep(BREATH)
                with clock:
                    reply = _attempt(workers, measured[name], "run")
                    if reply is not None:
                        measured[name].seconds.append(reply["seconds"])
                        clock.own += reply["cpu_seconds"]
            if round_ + 1 == LEAST_ROUNDS:
                _send_home_the_slow(case, workers, measured)
    finally:
        for worker in workers.values():
            worker.close()
    return clock.share


def _attempt(workers: dict[str, Worker], measured: Measured, request: str) -> dict | None:
    """Ask an entry; one that fails is closed, with its reason noted, and the others go on."""
    try:
        return workers[measured.entry].ask(request)
    except EntryError as error:
        measured.error = str(error)
        workers.pop(measured.entry).close()
        return None


def _send_home_the_slow(
    case: Case, workers: dict[str, Worker], measured: dict[str, Measured]
) -> None:
    """Close the peers whose place is clear, so that the close ones are compared closely."""
    fastest = min((min(measured[name].seconds) for name in workers), default=0.0)
    for name in list(workers):
        if name != case.ours.name and min(measured[name].seconds) > CLEARLY_SLOWER * fastest:
            workers.pop(name).close()


def _set_losses(case: Case, measured: list[Measured]) -> None:
    sign = 1.0 if case.higher_is_better else -1.0
    best = max((sign * one.quality for one in measured), default=float("nan"))
    for one in measured:
        one.loss = (best - sign * one.quality) / max(abs(best), np.finfo(float).tiny)


class EntryError(RuntimeError):
    """An entry did not run; the message is its own."""


class Worker:
    """One entry in a process of its own: one JSON line asks, one JSON line answers."""

    def __init__(self, family: ModuleType, case: Case, entry: str, folder: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", family.__name__, case.name, entry, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=worker_environment(),
            text=True,
        )

    def ask(self, request: str) -> dict:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"request": request}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise EntryError(f"the process ended with exit code {self._process.wait()}")
        reply = json.loads(line)
        if "error" in reply:
            raise EntryError(reply["error"])
        return reply

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()  # the worker leaves at the end of its input
        except BrokenPipeError:
            pass  # it left before
        self._process.stdout.close()
        self._process.wait()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def available_cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_environment() -> dict[str, str]:
    """The parent's environment and import path, and as many threads as cores for everybody."""
    threads = dict.fromkeys(
        ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"],
        str(available_cores()),
    )
    path = [str(Path(__file__).parents[1]), *filter(None, sys.path)]
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(path)}


class DisturbanceClock:
    """Share of the processors taken by others, over the times it is entered.

    ``own`` is the processor time of the entries themselves, added by the caller. Where the system
    does not tell (no /proc/stat), the share is 0.
    """

    def __init__(self) -> None:
        self.own = self.busy = self.wall = 0.0

    def __enter__(self) -> DisturbanceClock:
        self.busy -= busy_seconds()
        self.wall -= time.perf_counter()
        return self

    def __exit__(self, *exception: object) -> None:
        self.busy += busy_seconds()
        self.wall += time.perf_counter()

    @property
    def share(self) -> float:
        capacity = self.wall * available_cores()
        return max(self.busy - self.own, 0.0) / capacity if capacity and self.busy else 0.0


def busy_seconds() -> float:
    """Processor time that the whole machine has spent on work since it started."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0
    user, nice, system, _idle, _iowait, *rest = map(
        int, stat.read_text().split("\n")[0].split()[1:]
    )
    stolen_and_interrupts = sum(rest[:3])  # the guest times that follow are part of user and nice
    return (user + nice + system + stolen_and_interrupts) / os.sysconf("SC_CLK_TCK")


# --- Data on disk, mapped by every process ----------------------------------------------------


def save_data(X: Data, folder: Path) -> None:
    """Write the arrays that make up X as .npy files."""
    if isinstance(X, np.ndarray):
        np.save(folder / "X.npy", X)
        return
    for part in ("data", "indices", "indptr", "shape"):
        np.save(folder / f"{part}.npy", np.asarray(getattr(X, part)))


def load_data(folder: Path) -> Data:
    """Map the arrays that make up X, read-only, and bring all their pages into memory."""
    if (folder / "X.npy").exists():
        return _mapped(folder / "X.npy")
    parts = (_mapped(folder / f"{part}.npy") for part in ("data", "indices", "indptr"))
    return sparse.csr_array(tuple(parts), shape=tuple(np.load(folder / "shape.npy")))


def _mapped(path: Path) -> np.ndarray:
    array = np.asarray(np.load(path, mmap_mode="r"))
    array.max(initial=0)  # reads every page
    return array


# --- Comparing --------------------------------------------------------------------------------


def best_ratio(ours: Sequence[float], peer: Sequence[float]) -> float:
    """Best time of ours in units of the peer's best time."""
    return min(ours) / min(peer)


def median_ratio(ours: Sequence[float], peer: Sequence[float]) -> float:
    """Median, over the rounds that both ran, of ours in units of the peer."""
    return statistics.median(a / b for a, b in zip(ours, peer, strict=False))


def verdict(
    ratio: float, *, less: str = "faster", more: str = "SLOWER", same: str = "equal"
) -> str:
    """'faster 1.7x', 'equal' or 'SLOWER 1.20x' for a ratio ours / peer."""
    if ratio > SAME:
        return f"{more} {_times(ratio)}"
    if ratio < 1 / SAME:
        return f"{less} {_times(1 / ratio)}" if ratio > 0 else less
    return same


def _times(factor: float) -> str:
    digits = 2 if factor < 1.5 else 1 if factor < 20 else 0
    return f"{factor:.{digits}f}x"
