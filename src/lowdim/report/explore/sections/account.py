"""What was done to the data, and how to do it in Python."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.explore.findings import Findings
from lowdim.report.page.parts import copyable, listed
from lowdim.report.page.sections import COPY, Section


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
    seconds = ", ".join(f"{title} {value:.1f} s" for title, value in findings.seconds.items())
    items = Markup("").join(Markup("<li>{}</li>").format(text) for text in logs)
    body = Markup('<ul>{}</ul><p class="muted">Time: {}.</p>').format(items, seconds)
    lead = "What each column became is in the table at the top; this is what concerns all of it."
    return Section("done", "What was done to the data", "What was done", lead, body)


def script_section(text: str) -> Section:
    """How to do the same in Python."""
    lead = "This script gives the models of this page again; change it as you like."
    body = copyable("script", text)
    return Section("script", "How to do it in Python", "Python", lead, body, scripts=(COPY,))
