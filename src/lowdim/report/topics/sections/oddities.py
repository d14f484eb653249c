"""The odd documents: those that the topics explain worst."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.page.parts import counted, table
from lowdim.report.page.sections import Script, Section, Tile
from lowdim.report.page.texts import excerpt
from lowdim.report.topics.findings import Findings
from lowdim.report.topics.odd import ODD
from lowdim.report.topics.sections.documents import DOCUMENT

ODD_SCRIPT = Script("odd", "lowdim.report.topics", needs=(DOCUMENT,))


def odd_section(findings: Findings) -> Section:
    """The documents that the topics explain worst, and their surprising words."""
    odd = findings.odd
    tile = Tile(f"{odd.n_odd:,}", "odd document" if odd.n_odd == 1 else "odd documents")
    lead = odd_sentence(findings)
    if not odd.documents:
        return Section("odd", "Odd documents", "Odd", lead, Markup(""), tile=tile, in_short=True)
    lines = [
        (
            excerpt(findings.reading.ids[one.document], 80),
            f"{one.deviations:.1f}",
            f"{one.perplexity:,.0f}",
            ", ".join(excerpt(word, 30) for word in one.words),
        )
        for one in odd.documents
    ]
    heads = ["document", "deviations#", "perplexity#", "most surprising words"]
    body = table(heads, lines, "odd documents") + Markup(
        "<details><summary>Read them</summary>"
        '<div id="odd-documents" class="documents"></div></details>'
    )
    return Section(
        "odd",
        "Odd documents",
        "Odd",
        lead,
        body,
        tile=tile,
        in_short=True,
        scripts=(ODD_SCRIPT,),
    )


def odd_sentence(findings: Findings) -> str:
    """Whether documents are odder than most."""
    odd = findings.odd
    if odd.n_odd == 0:
        return "The topics explain no document much worse than those of the same length."
    some = "is" if odd.n_odd == 1 else "are"
    return (
        f"{counted(odd.n_odd, 'document')} {some} explained much worse by the topics than "
        f"documents of the same length (more than {ODD:g} deviations): other languages, tables, "
        "encoded files, or a subject of their own."
    )
