"""The maps side by side: what is selected in one is selected in all."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from lowdim.report.maps.findings import Findings, OneMap
from lowdim.report.maps.payload import maps_payload, shown_columns
from lowdim.report.page.parts import counted, listed, options, percent
from lowdim.report.page.sections import MAP, Script, Section, Tile

MAPS_ID = "maps"
POINTS = Script("points", "lowdim.report.maps", needs=(MAP,))
LINKED = Script("linked", "lowdim.report.maps", needs=(POINTS,))

_BODY = Markup("""
<div class="controls">
<label>Colour by <select id="{id}-color">{colors}</select></label>
<label>Dragging <select id="{id}-tool"><option value="lasso">selects with a lasso</option>
<option value="box">selects a box</option><option value="move">moves the map</option></select>
</label>
<label>Select all of <select id="{id}-pick"><option value="">…</option>{picks}</select></label>
<form id="{id}-find"><label>Find rows <input id="{id}-row" size="12" autocomplete="off"></label>
<button>Find</button></form>
<button type="button" id="{id}-whole">Whole maps</button>
<button type="button" id="{id}-clear">Clear</button>
</div>
<ul id="{id}-legend" class="legend" aria-label="colours"></ul>
<p id="{id}-said" class="muted" aria-live="polite">Nothing is selected.</p>
<div class="with-panel">
<div class="linked">{maps}</div>
<div class="panel">
<h3 id="{id}-row-name" aria-live="polite">A row</h3>
<p id="{id}-row-said" class="muted">Tap a point, or find a row: lines lead to the rows that are
nearest to it in the data.</p>
<ul id="{id}-near" class="found-words" aria-label="nearest rows in the data"></ul>
<div class="scroll" tabindex="0" role="region" aria-label="values of the row"><table>
<tbody id="{id}-row-values"></tbody></table></div>
</div>
</div>
<div id="{id}-tip" class="tip" role="status" hidden></div>
<div id="{id}-difference" hidden>
<h3>How the selected rows differ from the others</h3>
<div class="scroll" tabindex="0" role="region" aria-label="differences"><table>
<thead><tr><th scope="col">column</th><th scope="col">selected</th><th scope="col">others</th>
<th scope="col">difference, in standard deviations</th></tr></thead>
<tbody id="{id}-difference-values"></tbody></table></div>
</div>
<details><summary>The rows as a table: choose some to see them in the maps</summary>
<div class="controls">
<button type="button" id="{id}-before">Before</button>
<button type="button" id="{id}-after">Next</button>
<span id="{id}-place" class="muted" aria-live="polite"></span>
</div>
<div class="scroll long" tabindex="0" role="region" aria-label="rows"><table>
<thead><tr id="{id}-heads"></tr></thead><tbody id="{id}-values"></tbody></table></div>
</details>
<p class="muted">{note}</p>
""")

_MAP = Markup("""<figure class="one-map" role="group" aria-label="{title}">
<h3>{title} <span class="muted">{figure}</span></h3>
<div class="plane"><canvas id="{id}-points-{j}"></canvas>
<canvas id="{id}-over-{j}" tabindex="0" role="img" aria-label="{title}: {about}"></canvas></div>
<div class="small-controls">
<button type="button" id="{id}-in-{j}" aria-label="Zoom in {title}">+</button>
<button type="button" id="{id}-out-{j}" aria-label="Zoom out {title}">−</button>
<span class="muted">{axes}</span></div>
</figure>""")


def maps_section(findings: Findings) -> Section:
    """The maps side by side."""
    data = maps_payload(findings)
    maps = Markup("").join(_one(one, findings, j) for j, one in enumerate(findings.maps))
    body = _BODY.format(
        id=MAPS_ID,
        colors=options(_colors(findings, data), 1 if findings.encoded.target is not None else 0),
        picks=options(_picks(data), None),
        maps=maps,
        note=_note(findings, data),
    )
    n = len(findings.maps)
    tile = Tile(f"{findings.n_rows:,}", f"rows in {counted(n, 'map')}")
    return Section(
        MAPS_ID,
        "The maps" if n > 1 else "The map",
        "Maps" if n > 1 else "Map",
        maps_sentence(findings),
        body,
        tile=tile,
        in_short=True,
        scripts=(LINKED,),
        data=data,
    )


def maps_sentence(findings: Findings) -> str:
    """Which map keeps most neighbours."""
    k = findings.truth.near.shape[1]
    best = sorted(findings.maps, key=lambda one: -one.kept.share)
    kept = [f"{one.kind.title} {percent(one.kept.share)}" for one in best]
    if len(kept) == 1:
        return f"{kept[0]} of the {k} nearest rows of each row are kept by the map."
    return (
        f"Of the {k} nearest rows of each row in the data the maps keep: {listed(kept, 8)}. What "
        "is selected in one map is selected in all."
    )


def _colors(findings: Findings, data: dict[str, Any]) -> list[tuple[Any, str]]:
    k = findings.truth.near.shape[1]
    columns = [(j, column["name"]) for j, column in enumerate(data["columns"])]
    return [*columns, ("kept", f"neighbours kept, of {k}")]


def _picks(data: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (f"{j}:{at}", word if j == 0 else f"{column['name']} = {word}")
        for j, column in enumerate(data["columns"])
        if column["words"] is not None
        for at, word in enumerate(column["words"])
    ]


def _one(one: OneMap, findings: Findings, j: int) -> Markup:
    about = f"each point is a row, {counted(len(findings.drawn), 'point')}"
    return _MAP.format(
        id=MAPS_ID,
        j=j,
        title=one.kind.title,
        about=about,
        figure=f"keeps {percent(one.kept.share)} of neighbours",
        axes=_axes(one),
    )


def _axes(one: OneMap) -> str:
    """What the axes of a map are."""
    if one.kind.keeps != "axes":
        return "left and up mean nothing"
    share = one.model.estimator_.explained_variance_ratio_
    return "; ".join(
        f"{side}: component {j + 1}, {percent(float(share[j]))} of variance"
        for j, side in enumerate(("right", "up")[: len(share)])
    )


def _note(findings: Findings, data: dict[str, Any]) -> str:
    """How to use the maps, and what they do not show."""
    notes = [
        "Hold shift while you select to add to what is selected. With the keyboard: arrows move "
        "the map that has the focus, + and − zoom, 0 shows all of it, escape clears."
    ]
    n, m = findings.n_placed, len(findings.drawn)
    if m < n:
        notes.append(f"{m:,} of the {n:,} rows are points; the shade behind them is all rows.")
    used = len(findings.encoded.used)
    shown = len(shown_columns(findings)) - (findings.encoded.target is not None)
    if shown < used:
        notes.append(f"Of the {used} columns the {shown} that vary most together are here.")
    return " ".join(notes)
