"""Columns and their kinds, and what is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from lowdim.report.explore import figures
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.missingness import Pattern
from lowdim.report.page.parts import counted, listed, percent, place, table
from lowdim.report.page.sections import Section
from lowdim.tables.errors import ARGUMENT
from lowdim.tables.info import remarks
from lowdim.tables.kinds import ColumnInfo

MOST_LISTED = 400  # columns in the table of columns
PLURAL = {
    "number": "numbers",
    "whole number": "whole numbers",
    "positive": "positive numbers",
    "share": "shares",
    "flag": "flags",
    "category": "categories",
    "date": "dates",
    "id": "names of rows",
    "text": "texts",
    "constant": "constants",
    "copy": "copies",
}


def table_section(findings: Findings) -> Section:
    """Columns and their kinds, and what is missing."""
    encoded, missing = findings.encoded, findings.missing
    body = _column_table(findings)
    drawn = {}
    if missing.n_missing:
        names = [encoded.used[j].name for j in missing.columns]
        drawn["missing"] = figures.missing_map(missing.bands, missing.edges, names)
        caption = (
            "What is missing: a line for each column with missing values, the rows from left to "
            "right; the stronger the colour, the more of these rows have no value."
        )
        body += Markup("<h3>What is missing</h3><p>{}</p>").format(pattern_sentence(findings))
        body += _patterns(missing.patterns)
        body += Markup('<div class="wide">{}</div>').format(place("missing", caption))
    absent = (
        "no value is missing"
        if missing.n_missing == 0
        else f"{missing.n_missing:,} values are missing "
        f"({percent(missing.n_missing / missing.n_cells)} of the used columns)"
    )
    rows = counted(len(encoded.X), "row")
    lead = f"{rows} and {counted(len(encoded.columns), 'column')}: {_kinds(findings)}; {absent}."
    return Section("table", "The table", "Table", lead, body, drawn)


def _kinds(findings: Findings) -> str:
    """How many columns of each kind."""
    kinds = Counter(column.kind for column in findings.encoded.columns)
    words = [f"{n} {kind if n == 1 else PLURAL.get(kind, kind)}" for kind, n in kinds.items()]
    return listed(words, most=8)


def _column_table(findings: Findings) -> Markup:
    """A line for each column: what it is, and what was done to it."""
    encoded = findings.encoded
    n = len(encoded.X)
    apart = {column.name: int(column.not_applicable.sum()) for column in encoded.used}
    lines = []
    for info in encoded.columns[:MOST_LISTED]:
        empty, done = apart.get(info.name, 0), _explained(info)
        absent = (info.n_missing or 0) - empty
        if empty:
            sentence = info.not_applicable.sentence()
            done = done.replace(sentence, f"{sentence} ({counted(empty, 'cell')})")
        lines.append(
            (
                info.name,
                info.kind,
                "" if info.n_missing is None else _with_share(absent, n),
                "" if info.n_levels is None else f"{info.n_levels:,}",
                done,
            )
        )
    body = table(["column", "kind", "missing#", "levels#", "what was done"], lines, "columns")
    more = len(encoded.columns) - len(lines)
    if more:
        body += Markup('<p class="muted">And {} more columns.</p>').format(f"{more:,}")
    return body


def _with_share(count: int, n: int) -> str:
    return f"{count:,} ({percent(count / n)})" if count else "0"


def _explained(info: ColumnInfo) -> str:
    """What was done, with the names of arguments as Python and the command line have them."""

    def both(match: re.Match[str]) -> str:
        return f"{match[1]}= or --{match[1].replace('_', '-')}"

    return ARGUMENT.sub(both, "; ".join(remarks(info)))


def pattern_sentence(findings: Findings) -> str:
    """Whether values are missing where they are by chance."""
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
