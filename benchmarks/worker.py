"""The child process of the harness: holds one entry of one case and fits when asked.

Started as ``python -m benchmarks.worker FAMILY_MODULE CASE ENTRY FOLDER``. Every line on the
standard input is a request, every line on the standard output its answer, both JSON:

    warm up   fit once                                            {}
    run       fit once, timed                                     {"seconds", "cpu_seconds"}
    memory    small fit, then fit once and watch the memory       {"growth", "process"}  in MB
    quality   of the latest fit                                   {"quality"}
    remark    on the latest fit                                   {"remark"}
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import math
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any, TextIO

from benchmarks.harness import Case, Entry, load_data


class Session:
    """The requests that a worker answers."""

    def __init__(self, case: Case, entry: Entry, folder: Path) -> None:
        self.case = case
        self.entry = entry
        self.X = load_data(folder)
        self.result: Any = None

    def warm_up(self) -> dict:
        self.result = self.entry.fit(self.X)
        return {}

    def run(self) -> dict:
        self.result = None  # its memory is free again, as it was for the first fit
        gc.collect()
        seconds, cpu_seconds = time.perf_counter(), time.process_time()
        self.result = self.entry.fit(self.X)
        return {
            "seconds": time.perf_counter() - seconds,
            "cpu_seconds": time.process_time() - cpu_seconds,
        }

    def memory(self) -> dict:
        self.entry.fit(self.X[: self.case.warm_rows])
        if not Path("/proc/self/clear_refs").exists():
            self.result = self.entry.fit(self.X)
            return {"growth": None, "process": None}
        return_free_memory()
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here (proc(5))
        before = resident_memory("VmRSS")
        self.result = self.entry.fit(self.X)
        peak = resident_memory("VmHWM")
        return {"growth": peak - before, "process": peak}

    def quality(self) -> dict:
        quality = float(self.case.quality(self.X, self.result))
        if not math.isfinite(quality):
            raise ArithmeticError(f"the quality of its result is {quality}")
        return {"quality": quality}

    def remark(self) -> dict:
        return {"remark": self.case.remark(self.result) if self.case.remark else ""}


def resident_memory(name: str) -> float:
    """VmRSS (now) or VmHWM (the peak) of this process, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"/proc/self/status has no {name}")


def return_free_memory() -> None:
    """Give freed memory back to the system: reused, it would hide the growth of the next fit."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):  # glibc
        libc.malloc_trim(0)


def answer_requests(session: Session, requests: TextIO, answers: TextIO) -> None:
    for line in requests:
        request = json.loads(line)["request"]
        try:
            reply = getattr(session, request.replace(" ", "_"))()
        except Exception as error:  # whatever a peer raises is its result in this case
            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=answers, flush=True)


def private_stdout() -> TextIO:
    """The standard output for the answers alone; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def main(family: str, case_name: str, entry_name: str, folder: str) -> None:
    answers = private_stdout()
    case = {case.name: case for case in importlib.import_module(family).CASES}[case_name]
    entry = {entry.name: entry for entry in case.entries}[entry_name]
    answer_requests(Session(case, entry, Path(folder)), sys.stdin, answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
