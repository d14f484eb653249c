"""The tables of a run, as Markdown: ratios, quality and memory; never seconds.

A time says something about one machine on one day; a ratio of two times from the same run carries
over much better. ``RESULTS.md`` holds one section per family, and a run replaces its own.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info

from benchmarks.harness import (
    Measured,
    Outcome,
    available_cores,
    best_ratio,
    median_ratio,
    verdict,
)

HEADER = """# Benchmark results

Written by `python -m benchmarks`; `README.md` beside this file says how to read it.
"""
NOTABLE_FLAGS = ("avx2", "fma", "avx512f", "amx_tile", "asimd", "sve")
CALM = 0.1  # above this share of the processors taken by others, a run is not to be believed
SAME_MEMORY = 2.0  # MB


def section(outcomes: Sequence[Outcome], libraries: Sequence[str]) -> str:
    """One family: on what machine, ours against the best peer, and all entries."""
    parts = [
        machine(libraries),
        disturbance_note(outcomes),
        summary_table([outcome for outcome in outcomes if outcome.case.peers]),
        promise_table([outcome for outcome in outcomes if outcome.case.memory_limit is not None]),
        entry_table(outcomes),
        case_list(outcomes),
    ]
    return "\n\n".join(part for part in parts if part)


def replace_section(text: str, title: str, body: str) -> str:
    """The text of RESULTS.md with the section of this title replaced, or added at the end."""
    header, *sections = (text or HEADER).split("\n## ")
    by_title = {one.split("\n", 1)[0]: one for one in sections}
    by_title[title] = f"{title}\n\n{body}\n"
    return "\n## ".join([header, *by_title.values()])


# --- Tables -----------------------------------------------------------------------------------


def summary_table(outcomes: Sequence[Outcome]) -> str:
    """Ours against the fastest peer of equal quality, one row per case."""
    head = ("case", "best peer", "time ours/peer", "median of pairs", "memory ours/peer", "verdict")
    return table(head, [_summary_row(outcome) for outcome in outcomes])


def _summary_row(outcome: Outcome) -> tuple[str, ...]:
    ours, rival = outcome.ours, outcome.rival
    if ours.error or rival is None:
        return (outcome.case.name, rival.entry if rival else "none ran", "-", "-", "-", "FAILED")
    ratio = best_ratio(ours.seconds, rival.seconds)
    memory = memory_ratio(ours, rival)
    said = [verdict(ratio)]
    if memory is not None:
        said.append(verdict(memory, less="less memory", more="MORE MEMORY", same="equal memory"))
    if not outcome.is_equal(ours):
        said.append("LOWER QUALITY")
    if not outcome.is_equal(rival):
        said.append("no peer reaches this quality")
    return (
        outcome.case.name,
        rival.entry,
        f"{ratio:.2f}",
        f"{median_ratio(ours.seconds, rival.seconds):.2f}",
        "-" if memory is None else f"{memory:.2f}",
        ", ".join(said),
    )


def memory_ratio(ours: Measured, peer: Measured) -> float | None:
    """Growth of ours in units of the peer's; 1 for differences that are accidents of allocation."""
    if ours.memory is None or peer.memory is None:
        return None
    if abs(ours.memory - peer.memory) <= SAME_MEMORY:
        return 1.0
    return ours.memory / max(peer.memory, SAME_MEMORY)


def promise_table(outcomes: Sequence[Outcome]) -> str:
    """The cases that promise a limit of memory."""
    head = ("case", "peak of the process, MB", "limit, MB", "verdict")
    return table(head, [_promise_row(outcome) for outcome in outcomes])


def _promise_row(outcome: Outcome) -> tuple[str, ...]:
    limit, peak = outcome.case.memory_limit, outcome.ours.process_memory
    assert limit is not None
    if peak is None:
        return (outcome.case.name, "-", f"{limit:.0f}", "FAILED" if outcome.ours.error else "-")
    return (
        outcome.case.name,
        f"{peak:.0f}",
        f"{limit:.0f}",
        "kept" if peak < limit else "BROKEN",
    )


def entry_table(outcomes: Sequence[Outcome]) -> str:
    """Every entry of every case; time in units of ours, so that above 1 is slower than ours."""
    head = ("case", "entry", "time, ours = 1", "quality", "below the best", "memory, MB", "remark")
    rows = [
        _entry_row(outcome, measured)
        for outcome in outcomes
        for measured in [outcome.ours, *outcome.peers]
    ]
    return table(head, rows)


def _entry_row(outcome: Outcome, measured: Measured) -> tuple[str, ...]:
    if measured.error:
        reason = f"FAILED: {measured.error}"
        return (outcome.case.name, measured.entry, "-", "-", "-", "-", reason)
    ours = outcome.ours
    timed = bool(ours.seconds and measured.seconds) and not ours.error
    remark = [measured.remark, "" if outcome.is_equal(measured) else "lower quality"]
    return (
        outcome.case.name,
        measured.entry,
        f"{best_ratio(measured.seconds, ours.seconds):.2f}" if timed else "-",
        f"{measured.quality:.7g}",
        f"{measured.loss:.0e}" if measured.loss else "0",
        "-" if measured.memory is None else f"{measured.memory:.0f}",
        ", ".join(filter(None, remark)),
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns; nothing when there are no rows."""
    if not rows:
        return ""
    escaped = [[cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *escaped, strict=True)]
    lines = [head, ["-" * width for width in widths], *escaped]
    return "\n".join(
        "| " + " | ".join(map(str.ljust, line, widths)) + " |"  # one row
        for line in lines
    )


def case_list(outcomes: Sequence[Outcome]) -> str:
    return "\n".join(f"* **{outcome.case.name}**: {outcome.case.about}" for outcome in outcomes)


def disturbance_note(outcomes: Sequence[Outcome]) -> str:
    timed = [outcome.disturbance for outcome in outcomes if outcome.case.peers]
    if not timed:
        return ""
    worst = max(timed)
    note = f"Others took up to {worst:.0%} of the processors while the entries ran."
    return f"{note} **Run it again on a quiet machine.**" if worst > CALM else note


# --- The machine ------------------------------------------------------------------------------


def machine(libraries: Sequence[str]) -> str:
    """Date, processor and versions, in three lines."""
    blas = sorted(
        {
            f"{pool['internal_api']} {pool['version']} ({pool.get('architecture', '?')})"
            for pool in threadpool_info()
            if pool["user_api"] == "blas"
        }
    )
    versions = [f"Python {platform.python_version()}", *map(_library_version, libraries)]
    return "\n".join(
        [
            f"{date.today().isoformat()}, {processor()}, {platform.system()}.",
            f"{', '.join(versions)}.",
            f"BLAS: {', '.join(blas) or 'unknown'}.",
        ]
    )


def processor() -> str:
    """Model, number of cores used, and the vector units that decide the speed of BLAS."""
    cpuinfo = Path("/proc/cpuinfo")
    fields = {}
    if cpuinfo.exists():
        pairs = (line.partition(":") for line in cpuinfo.read_text().splitlines())
        fields = {name.strip(): value.strip() for name, _, value in pairs}
    model = fields.get("model name") or platform.processor() or platform.machine()
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    vector_units = [flag for flag in NOTABLE_FLAGS if flag in flags]
    return ", ".join([model, f"{available_cores()} cores", *vector_units])


def _library_version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} (not installed)"
