"""The least likely rows, and why."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from lowdim.report.explore import figures
from lowdim.report.explore.findings import Findings
from lowdim.report.page.figures import plain
from lowdim.report.page.parts import counted, place, table
from lowdim.report.page.sections import Section, Tile


def odd_section(findings: Findings) -> Section:
    """The least likely rows, and why."""
    encoded, odd = findings.encoded, findings.odd
    lines = [
        (
            encoded.label(row.row),
            chance_in_words(row.log10_chance),
            Markup("; ").join(
                Markup("{} is {} where {} is expected ({} deviations)").format(
                    reason.column,
                    Markup("<b>{}</b>").format(reason.value),
                    reason.expected,
                    f"{reason.deviations:.1f}",
                )
                for reason in row.reasons
            ),
        )
        for row in odd.rows
    ]
    most = np.argsort(odd.log10_chance, kind="stable")[: figures.MOST_ODD]
    labels = [plain(encoded.label(int(i)), 60) for i in most]
    drawn = {"odd": figures.oddness(odd.log10_chance, labels, most)}
    caption = "How unlikely rows are under the factor model; above the line, too odd for chance."
    body = table(["row", "chance#", "what makes it odd"], lines, "odd rows") + Markup(
        '<div class="wide">{}</div>'
    ).format(place("odd", caption))
    if len(most) < len(odd.log10_chance):
        body += Markup('<p class="muted">The {} oddest rows are drawn.</p>').format(
            f"{len(most):,}"
        )
    tile = Tile(f"{odd.n_odd:,}", "odd row" if odd.n_odd == 1 else "odd rows")
    lead = odd_sentence(findings)
    return Section("odd", "The odd rows", "Odd rows", lead, body, drawn, tile, in_short=True)


def chance_in_words(log10_chance: float) -> str:
    """'1 in 12,000'; of very small ones the power of ten."""
    if log10_chance < -7:
        return f"1 in 10^{-log10_chance:.0f}"
    rounded = float(f"{10.0**-log10_chance:.2g}")
    return f"1 in {rounded:,.0f}"


def odd_sentence(findings: Findings) -> str:
    """Whether rows are odder than chance allows."""
    odd = findings.odd
    if odd.n_odd == 0:
        return "No row is odder than chance allows in a table of this size."
    are, them = ("is", "it") if odd.n_odd == 1 else ("are", "them")
    return (
        f"{counted(odd.n_odd, 'row')} {are} odder than chance allows in a table of this size, if "
        f"the columns were normally distributed: look at {them} first."
    )
