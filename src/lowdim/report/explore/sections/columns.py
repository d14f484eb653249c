"""Columns and their kinds, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from lowdim.report.explore import figures
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.missingness import Pattern
from lowdim.report.explore.sections.parts import (
    Section,
    counted,
    listed,
    percent,
    place,
    table,
)

MOST_LISTED = 400  # columns in the table of columns


def table_section(findings: Findings) -> Section:
    """Columns and their kinds, and what is missing."""
    encoded, missing = findings.encoded, findings.missing
    kinds: dict[str, int] = {}
    for column in encoded.columns:
        kinds[column.kind] = kinds.get(column.kind, 0) + 1
    words = listed([f"{count} {kind}" for kind, count in kinds.items()], most=8)
    lines = [
        (
            column.name,
            column.kind,
            f"{column.n_missing:,}" + _share_of(column.n_missing, len(encoded.X)),
            f"{column.n_distinct:,}",
            column.done,
        )
        for column in encoded.columns[:MOST_LISTED]
    ]
    more = len(encoded.columns) - len(lines)
    body = table(["column", "kind", "missing#", "distinct#", "what was done"], lines, "columns")
    if more:
        body += Markup('<p class="muted">And {} more columns.</p>').format(f"{more:,}")
    drawn = {}
    if missing.n_missing:
        names = [encoded.used[j].name for j in missing.columns]
        drawn["missing"] = figures.missing_map(missing.bands, missing.edges, names)
        caption = (
            "What is missing: a line for each column with holes, the rows from left to right; the "
            "stronger the colour, the more of these rows have no value."
        )
        body += Markup("<h3>What is missing</h3><p>{}</p>").format(pattern_sentence(findings))
        body += _patterns(missing.patterns)
        body += Markup('<div class="wide">{}</div>').format(place("missing", caption))
    holes = (
        "no value is missing"
        if missing.n_missing == 0
        else f"{missing.n_missing:,} values are missing "
        f"({percent(missing.n_missing / missing.n_cells)} of the used columns)"
    )
    rows = counted(len(encoded.X), "row")
    lead = f"{rows} and {counted(len(encoded.columns), 'column')}: {words}; {holes}."
    return Section("table", "The table", "Table", lead, body, drawn)


def _share_of(count: int, n: int) -> str:
    return f" ({percent(count / n)})" if count else ""


def pattern_sentence(findings: Findings) -> str:
    """Whether holes are where they are by chance."""
    missing = findings.missing
    complete = f"{missing.n_complete_rows:,} of {len(findings.encoded.X):,} rows are complete."
    if missing.patterns:
        return (
            f"{complete} Values are not missing at random: where they are missing goes with other "
            "columns. The models take these columns into account, but not what no column shows."
        )
    return f"{complete} There is no sign that values are missing in a pattern."


def _patterns(patterns: Sequence[Pattern]) -> Markup:
    items = Markup("").join(
        Markup("<li>{} is missing {} (correlation {})</li>").format(
            pattern.column, _goes_with(pattern), f"{pattern.correlation:+.2f}"
        )
        for pattern in patterns
    )
    return Markup("<ul>{}</ul>").format(items) if patterns else Markup("")


def _goes_with(pattern: Pattern) -> str:
    if pattern.together:
        how = "together with" if pattern.correlation > 0 else "where there is a value of"
        return f"{how} {pattern.other}"
    return f"more often where {pattern.other} is {'high' if pattern.correlation > 0 else 'low'}"
