"""What the missing values probably are."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.explore.findings import Findings
from lowdim.report.explore.payload import (
    filled_payload,
    filled_shown,
)
from lowdim.report.page.figures import plain
from lowdim.report.page.parts import long_table, percent, table
from lowdim.report.page.sections import TABLE, Script, Section, Tile

FILLED = Script("filled", "lowdim.report.explore", needs=(TABLE,))


def filled_section(findings: Findings) -> Section | None:
    """What the missing values probably are; None if nothing is missing."""
    if not findings.filled:
        return None
    parts = filled_shown(findings.filled)
    lines = [
        (part.column.name, f"{len(part.rows):,}", percent(part.known), _trust(part.known))
        for part in findings.filled
    ]
    heads = ["column", "filled#", "explained by the rest#", "in words"]
    body = table(heads, lines, "filled columns")
    body += Markup('<p class="muted">{}</p>').format(_filled_by(findings))
    note = Markup("")
    if len(parts) < len(findings.filled):
        note = Markup(
            '<p class="muted">The page has room for the filled values of {} of {} columns; all are '
            "in the file that --filled writes.</p>"
        ).format(len(parts), len(findings.filled))
    if parts:
        heads = ["row", "column", "probably", "how sure (95 % range)"]
        names = [part.column.name for part in parts]
        body += Markup("<h3>Every value</h3>")
        body += long_table("filled", heads, names, "Column", "filled values")
    body += note
    total = sum(len(part.rows) for part in findings.filled)
    return Section(
        "filled",
        "The filled table",
        "Filled values",
        filled_sentence(findings),
        body,
        tile=Tile(f"{total:,}", "value filled" if total == 1 else "values filled"),
        in_short=True,
        scripts=(FILLED,) if parts else (),
        data=filled_payload(parts) if parts else None,
    )


def filled_sentence(findings: Findings) -> str:
    """How well missing values can be filled."""
    total = sum(len(part.rows) for part in findings.filled)
    known = sum(part.known * len(part.rows) for part in findings.filled) / total
    best = max(findings.filled, key=lambda part: part.known)
    assert findings.filler is not None
    values = "value is" if total == 1 else "values are"
    return (
        f"{total:,} missing {values} filled by {findings.filler.name}; the other columns explain "
        f"{percent(known)} of their variance on average, most of "
        f"{plain(best.column.name, 40)} ({percent(best.known)})."
    )


def _filled_by(findings: Findings) -> str:
    """Which model filled the missing values, and whether another might do better."""
    assert findings.filler is not None
    return f"Filled by {findings.filler.name}. {findings.filler.why}"


def _trust(known: float) -> str:
    if known >= 0.75:
        return "well explained by the other columns"
    if known >= 0.4:
        return "a fair guess"
    return "hardly better than the mean" if known < 0.15 else "a rough guess"
