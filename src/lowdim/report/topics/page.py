"""The page of `topics`: its sections in the shell that all pages have."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.page import shell
from lowdim.report.page.map import color_name
from lowdim.report.page.parts import counted, drawing
from lowdim.report.page.texts import excerpt
from lowdim.report.topics.findings import Findings
from lowdim.report.topics.payload import document_names, excerpts, shown_payload
from lowdim.report.topics.sections import all_sections
from lowdim.report.topics.sections.documents import GLANCE, MAP_ID

_GLANCE = Markup("""
<figure role="group" aria-label="The documents at a glance">{drawing}
<figcaption>The documents, coloured by {color}: each lies between its topics.
<a href="#{map}">Explore the map</a></figcaption></figure>
""")


def page(findings: Findings, script: str, seed: int) -> str:
    """The whole page as text."""
    name = findings.reading.where.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    name = excerpt(name, 80) or "A corpus"
    n, k = findings.reading.n_read, len(findings.topics)
    first = "main topic" if findings.labels is None else findings.labels.column
    glance = _GLANCE.format(
        drawing=drawing(GLANCE), color=color_name(MAP_ID, excerpt(first, 40)), map=MAP_ID
    )
    return shell.html(
        shell.Page(
            title=f"{name}: what it is about",
            subtitle=f"{counted(n, 'document')}, {counted(k, 'topic')}",
            sections=all_sections(findings, script, seed),
            glance=glance,
            data={
                "row-names": document_names(findings),
                "excerpts": excerpts(findings),
                "shown": shown_payload(findings),
            },
        )
    )
