"""The map: the rows in the plane of two components."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.explore.findings import Findings
from lowdim.report.explore.payload import (
    MAP_ROWS,
    MOST_COORDINATES,
    json_script,
    map_columns,
    map_payload,
    map_rows,
)
from lowdim.report.page.map import row_map, row_source, small_map
from lowdim.report.page.parts import (
    Section,
    options,
    place,
)

_MAP = Markup("""
<div class="controls">
<label>Colour by <select id="map-color">{colors}</select></label>
<label>To the right <select id="map-x">{xs}</select></label>
<label>Upwards <select id="map-y">{ys}</select></label>
<label>Select all of <select id="map-pick"><option value="">…</option>{picks}</select></label>
<form id="map-find"><label>Find row <input id="map-row" size="8" autocomplete="off"></label>
<button>Find</button></form>
<button type="button" id="map-clear">Clear</button>
</div>
<ul id="map-legend" aria-label="colours"></ul>
<div class="with-panel">
{figure}
<div class="panel" aria-live="polite">
<p id="map-said" class="muted">Nothing is selected.</p>
<h3 id="row-name">A row</h3>
<p class="muted">Tap a point, or find a row, to see its values.</p>
<div class="scroll" tabindex="0" role="region" aria-label="values of the row"><table>
<tbody id="row-values"></tbody></table></div>
</div>
</div>
<div id="difference" hidden>
<h3>How the selected rows differ from the others</h3>
<div class="scroll" tabindex="0" role="region" aria-label="differences"><table>
<thead><tr><th scope="col">column</th><th scope="col">selected</th><th scope="col">others</th>
<th scope="col">difference, in standard deviations</th></tr></thead>
<tbody id="difference-values"></tbody></table></div>
</div>
{note}{payload}
""")


def map_section(findings: Findings, seed: int) -> Section:
    """The rows in the plane of two components."""
    rows = map_rows(findings, seed)
    payload = map_payload(findings, rows)
    plane = findings.factors.plane
    coordinates = range(min(plane.shape[1], MOST_COORDINATES))
    first_words = [
        (f"{j}:{code}", word if j == 0 else f"{column['name']} = {word}")
        for j, column in enumerate(payload["columns"])
        if column["words"] is not None
        for code, word in enumerate(column["words"])
    ]
    names = [column["name"] for column in payload["columns"]]
    start = 1 if findings.encoded.target is not None else 0
    used, shown = len(findings.encoded.used), len(map_columns(findings, len(rows)))
    shown -= findings.encoded.target is not None
    notes = []
    if len(rows) < len(plane):
        notes.append(f"{MAP_ROWS:,} of the {len(plane):,} rows are drawn, chosen at random.")
    if shown < used:
        notes.append(f"Of the {used} columns the {shown} that the factors tell most of are here.")
    body = _MAP.format(
        colors=options(enumerate(names), start),
        xs=options(((j, f"component {j + 1}") for j in coordinates), 0),
        ys=options(((j, f"component {j + 1}") for j in coordinates), 1),
        picks=options(first_words, None),
        figure=place("map", "Each point is a row. Rows near each other are alike."),
        note=Markup('<p class="muted">{}</p>').format(" ".join(notes)) if notes else "",
        payload=json_script("map-data", payload),
    )
    lead = (
        "Rows that are alike lie close together; choose what colours them, and select some with "
        "the lasso or the box to see how they differ from the others."
    )
    source = row_source(plane, rows)
    drawn = {"map": row_map(source), "glance": small_map(source)}
    return Section("map", "The map", "Map", lead, body, drawn)
