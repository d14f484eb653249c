"""The page of `explore`: its sections in the shell that all pages have."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.explore.findings import Findings
from lowdim.report.explore.payload import row_names
from lowdim.report.explore.sections import all_sections
from lowdim.report.explore.sections.rows import GLANCE, MAP_ID
from lowdim.report.page import shell
from lowdim.report.page.map import color_name
from lowdim.report.page.parts import counted, drawing

_GLANCE = Markup("""
<figure role="group" aria-label="The rows at a glance">{drawing}
<figcaption>The rows, coloured by {color}: those that are alike lie close
together. <a href="#{map}">Explore the map</a></figcaption></figure>
""")


def page(findings: Findings, script: str, seed: int) -> str:
    """The whole page as text."""
    name = findings.where.replace("\\", "/").rsplit("/", 1)[-1] or "A table"
    n, d = len(findings.encoded.X), len(findings.encoded.columns)
    glance = _GLANCE.format(
        drawing=drawing(GLANCE), color=color_name(MAP_ID, "cluster"), map=MAP_ID
    )
    return shell.html(
        shell.Page(
            title=f"{name}: what is inside",
            subtitle=f"{counted(n, 'row')}, {counted(d, 'column')}",
            sections=all_sections(findings, script, seed),
            glance=glance,
            data={"row-names": row_names(findings)},
        )
    )
