"""The page of `words`: its sections in the shell that all pages have."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.page import shell
from lowdim.report.page.map import color_name
from lowdim.report.page.parts import counted, drawing
from lowdim.report.page.texts import excerpt
from lowdim.report.words.findings import Findings
from lowdim.report.words.payload import map_payload
from lowdim.report.words.sections import all_sections
from lowdim.report.words.sections.map import GLANCE, MAP_ID

_GLANCE = Markup("""
<figure role="group" aria-label="The words at a glance">{drawing}
<figcaption>The words, coloured by {color}. <a href="#{map}">Explore the map</a></figcaption>
</figure>
""")


def page(findings: Findings, script: str) -> str:
    """The whole page as text."""
    data, names = map_payload(findings)
    called = " and ".join(excerpt(v.name, 60) or "vectors" for v in findings.vocabularies)
    d = findings.vocabularies[0].units.shape[1]
    n_all = sum(vocabulary.n_all for vocabulary in findings.vocabularies)
    return shell.html(
        shell.Page(
            title=f"{called}: how words are related",
            subtitle=f"{counted(n_all, 'word')}, {counted(d, 'dimension')}",
            sections=all_sections(findings, data, script),
            glance=_GLANCE.format(
                drawing=drawing(GLANCE),
                color=color_name(MAP_ID, data["columns"][0]["name"]),
                map=MAP_ID,
            ),
            data={"words": names},
        )
    )
