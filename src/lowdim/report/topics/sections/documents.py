"""The documents: a map, a search, and the typical ones of each topic."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.page.map import map_body, point_map, point_source, small_map
from lowdim.report.page.parts import options
from lowdim.report.page.sections import FIGURES, MAP, Script, Section
from lowdim.report.topics.figures import name_anchors
from lowdim.report.topics.findings import Findings
from lowdim.report.topics.payload import map_documents, map_payload
from lowdim.report.topics.topic_map import document_plane

MAP_ID = "documents"
GLANCE = "glance"  # the name of the small map at the top
WHAT = "document"
AXES = ("across", "upwards")
DOCUMENT = Script("document", "lowdim.report.topics", needs=(FIGURES,))
TYPICAL = Script("typical", "lowdim.report.topics", needs=(DOCUMENT,))
SEARCH = Script("search", "lowdim.report.topics", needs=(FIGURES,))

_SEARCH = Markup("""
<h3>Search</h3>
<div class="controls">
<form id="{id}-search"><label>Words in names and beginnings of documents
<input id="{id}-words" size="24" autocomplete="off"></label>
<button>Search</button></form>
</div>
<p id="{id}-found-said" class="muted" aria-live="polite"></p>
<ol id="{id}-found" class="found"></ol>
""")

_TYPICAL = Markup("""
<div class="controls">
<label>Topic <select id="{id}-topic">{topics}</select></label>
</div>
<div id="{id}-documents" class="documents" aria-live="polite"></div>
""")


def map_section(findings: Findings, seed: int) -> Section:
    """The documents between their topics."""
    rows = map_documents(findings, seed)
    data = map_payload(findings, rows)
    n = len(findings.shares)
    note = ""
    if len(rows) < n:
        note = f"{len(rows):,} of the {n:,} documents are drawn, chosen at random."
    colored_by = 1 if findings.labels is not None else 0
    body = map_body(MAP_ID, data, AXES, colored_by, note) + _SEARCH.format(id=MAP_ID)
    plane = document_plane(findings.shares, findings.anchors)[rows]
    source = point_source(MAP_ID, plane[:, 0], plane[:, 1])
    lead = (
        "Documents lie between their topics, whose numbers stand where a document of one topic "
        "would be; choose what colours them, and select some with the lasso or the box to see how "
        "they differ from the others."
    )
    drawn = {
        MAP_ID: name_anchors(point_map(MAP_ID, source, AXES, WHAT), findings.anchors),
        GLANCE: small_map(source, WHAT),
    }
    return Section(
        MAP_ID,
        "The documents",
        "Documents",
        lead,
        body,
        drawn,
        scripts=(MAP, SEARCH),
        data={**data, "total": n},
    )


def typical_section(findings: Findings) -> Section:
    """The typical documents of each topic, their words coloured."""
    topics = findings.topics
    body = _TYPICAL.format(
        id="typical",
        topics=options(((t.number, f"{t.number + 1} {t.name}") for t in topics), 0),
    )
    lead = (
        "The documents with the largest share of a topic. A word has the colour of the topic that "
        "it most probably stands for in this document."
    )
    return Section("typical", "Typical documents", "Typical", lead, body, scripts=(TYPICAL,))
