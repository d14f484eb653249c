"""What was done to the data, and how to do it in Python."""

from __future__ import annotations

from lowdim.report.explore.findings import Findings
from lowdim.report.page import account
from lowdim.report.page.parts import listed
from lowdim.report.page.sections import Section


def done_section(findings: Findings) -> Section:
    """Everything that was done to the table."""
    n = len(findings.encoded.X)
    notes = []
    if findings.n_rows_read > n:
        notes.append(f"{n:,} of {findings.n_rows_read:,} rows were drawn at random, as asked.")
    logs = [*notes, *findings.encoded.notes, *findings.remarks]
    left = [column.name for column in findings.encoded.columns if not column.used]
    if left:
        logs.insert(0, f"No model has seen {listed(left, 12)}; the table above says why.")
    logs.append(
        "Numbers were scaled to mean 0 and variance 1; a category became one column per level, "
        "each over the root of its share, so that a column counts about the same however many "
        "levels it has. Missing values stayed missing: the models learn from what is known."
    )
    if findings.encoded.names is None:
        whole = "" if findings.encoded.numbers is None else " in the whole table"
        logs.append(f"Rows go by their numbers{whole}, from 0.")
    lead = "What each column became is in the table at the top; this is what concerns all of it."
    return account.steps_section("What was done to the data", lead, logs, findings.seconds)


def script_section(text: str) -> Section:
    """How to do the same in Python."""
    return account.script_section(text, "the models")
