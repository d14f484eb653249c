"""The map: rows as points of a plane, coloured by what the reader chooses.

    data = map_data(coordinates, columns)
    source = point_source("map", *coordinates[:2])
    Section("map", ..., map_body("map", data, axes), {"map": point_map("map", source, axes)},
            scripts=(MAP,), data=data)

Points can be coloured, found by their names, and selected; the selected ones are compared with the
others (js/map.js).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    BoxSelectTool,
    CDSView,
    ColumnDataSource,
    IndexFilter,
    LassoSelectTool,
    TapTool,
)
from bokeh.palettes import Viridis256
from markupsafe import Markup

from lowdim.plots.style import MAIN, PALETTE
from lowdim.report.page.figures import blank, hover, plain
from lowdim.report.page.parts import options, place
from lowdim.report.page.payload import packed

MOST_AT_A_GLANCE = 5_000  # points in the small map

_BODY = Markup("""
<div class="controls">
<label>Colour by <select id="{id}-color">{colors}</select></label>
{planes}<label>To the right <select id="{id}-x">{xs}</select></label>
<label>Upwards <select id="{id}-y">{ys}</select></label>
<label>Select all of <select id="{id}-pick"><option value="">…</option>{picks}</select></label>
<form id="{id}-find"><label>Find {what} <input id="{id}-row" size="8" autocomplete="off"></label>
<button>Find</button></form>
<button type="button" id="{id}-clear">Clear</button>
</div>
<ul id="{id}-legend" class="legend" aria-label="colours"></ul>
<div class="with-panel">
{figure}
<div class="panel" aria-live="polite">
<p id="{id}-said" class="muted">Nothing is selected.</p>
<h3 id="{id}-row-name">A {what}</h3>
<p class="muted">Tap a point, or find a {what}, to see its values.</p>
<div class="scroll" tabindex="0" role="region" aria-label="values of the {what}"><table>
<tbody id="{id}-row-values"></tbody></table></div>
</div>
</div>
<div id="{id}-difference" hidden>
<h3>How the selected {what}s differ from the others</h3>
<div class="scroll" tabindex="0" role="region" aria-label="differences"><table>
<thead><tr><th scope="col">column</th><th scope="col">selected</th><th scope="col">others</th>
<th scope="col">difference, in standard deviations</th></tr></thead>
<tbody id="{id}-difference-values"></tbody></table></div>
</div>
{note}
""")


_PLANES = Markup('<label>Map <select id="{id}-plane">{planes}</select></label>')


def map_data(
    coordinates: Sequence[np.ndarray],
    columns: Sequence[dict[str, Any]],
    rows: np.ndarray | None = None,
    first_compared: int = 0,
    what: str = "row",
) -> dict[str, Any]:
    """What js/map.js needs to draw, colour and compare rows.

    Parameters
    ----------
    coordinates : sequence of ndarray (n,)
        Of the points; at least two.
    columns : sequence of dict
        What points can be coloured by, as `packed_words` and `packed_numbers` give it.
    rows : ndarray of int (n,) or None
        Their numbers among the names of rows that the page has; None: 0, 1, ...
    first_compared : int
        The columns from here on are compared between selected rows and others.
    what : str
        What a point is called.
    """
    return {
        "n": len(coordinates[0]),
        "rows": None if rows is None else packed(rows, "<u4"),
        "coordinates": [packed(axis, "<f4") for axis in coordinates],
        "columns": list(columns),
        "firstCompared": first_compared,
        "what": what,
        "palette": list(PALETTE),
        "viridis": list(Viridis256),
    }


def map_body(
    id: str,
    data: dict[str, Any],
    axes: Sequence[str],
    colored_by: int = 0,
    note: str = "",
    planes: Sequence[tuple[str, int]] = (),
) -> Markup:
    """The map with its controls, as the body of a section.

    Parameters
    ----------
    id : str
        Of the section, and the name of the figure.
    data : dict
        From `map_data`.
    axes : sequence of str
        Names of the coordinates.
    colored_by : int
        The column that colours points at first.
    note : str
        What to say beneath; '' for nothing.
    planes : sequence of (str, int)
        Coordinates that belong together, with the next one each: what they are, and the first.
    """
    what = data["what"]
    picks = [
        (f"{j}:{at}", word if j == 0 else f"{column['name']} = {word}")
        for j, column in enumerate(data["columns"])
        if column["words"] is not None
        for at, word in enumerate(column["words"])
    ]
    return _BODY.format(
        id=id,
        colors=options(enumerate(column["name"] for column in data["columns"]), colored_by),
        xs=options(enumerate(axes), 0),
        ys=options(enumerate(axes), 1),
        planes=_PLANES.format(id=id, planes=options(((at, name) for name, at in planes), 0))
        if planes
        else "",
        picks=options(picks, None),
        what=what,
        figure=place(
            id, f"Each point is a {what}. {what.capitalize()}s near each other are alike."
        ),
        note=Markup('<p class="muted">{}</p>').format(note) if note else "",
    )


def color_name(id: str, first: str) -> Markup:
    """What colours the points of a map, anywhere in the page; the script keeps it true."""
    return Markup('<b data-color-of="{}">{}</b>').format(id, first)


# ---- figures -------------------------------------------------------------------------------------


def point_source(id: str, x: np.ndarray, y: np.ndarray) -> Any:
    """The points; the page's script colours them and fills in what hovering shows."""
    n = len(x)
    return ColumnDataSource(
        {
            "x": x.astype(np.float32),
            "y": y.astype(np.float32),
            "color": [MAIN] * n,
            "label": [""] * n,
            "shown": [""] * n,
        },
        name=f"{id}-points",
    )


def point_map(id: str, source: Any, axes: Sequence[str], what: str = "row") -> Any:
    """The map: zoom, hover, select by lasso, box or tap."""
    p = blank(520, f"{id}-plot", lod_threshold=20_000)
    dots = _points(p, source, 1.0)
    p.add_tools(LassoSelectTool(), BoxSelectTool(), TapTool())
    hover(p, dots, (what, "@label"), ("", "@shown"))
    p.xaxis.axis_label, p.yaxis.axis_label = (plain(axis, 60) for axis in axes[:2])
    return p


def small_map(source: Any, what: str = "row") -> Any:
    """The same points for the top of the page: no axes, no tools, only what hovering shows."""
    p = blank(300, f"{source.name}-small", min_border=4)
    p.toolbar_location = None
    p.tools = []
    n = len(source.data["x"])
    few = np.unique(np.linspace(0, n - 1, min(n, MOST_AT_A_GLANCE)).astype(int)).tolist()
    dots = _points(p, source, 0.75, view=CDSView(filter=IndexFilter(few)))
    hover(p, dots, (what, "@label"), ("", "@shown"))
    p.axis.visible = p.grid.visible = False
    return p


def _points(p: Any, source: Any, scale: float, **settings: Any) -> Any:
    """Points for the rows: the more there are, the smaller and the fainter."""
    n = len(source.data["x"])
    return p.scatter(
        "x",
        "y",
        source=source,
        size=scale * float(np.clip(60 / n**0.3, 2.5, 9)),
        line_color=None,
        fill_color="color",
        fill_alpha=float(np.clip(12 / n**0.35, 0.3, 0.85)),
        nonselection_fill_alpha=0.12,
        nonselection_fill_color="color",
        selection_fill_color="color",
        **settings,
    )
