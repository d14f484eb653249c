"""The map: rows as points of a plane."""

from __future__ import annotations

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

from lowdim.plots.figures import MAIN
from lowdim.report.page.figures import blank, hover

MOST_AT_A_GLANCE = 5_000  # rows in the map at the top of the page
MAP_NAME = "map-rows"  # by which the page's script finds the source of the map


def row_source(plane: np.ndarray, rows: np.ndarray) -> Any:
    """The rows as points; the page's script colours them and fills in what hovering shows."""
    n = len(rows)
    return ColumnDataSource(
        {
            "x": plane[rows, 0].astype(np.float32),
            "y": plane[rows, 1].astype(np.float32),
            "color": [MAIN] * n,
            "label": [""] * n,
            "shown": [""] * n,
        },
        name=MAP_NAME,
    )


def row_map(source: Any) -> Any:
    """The map: zoom, hover, select by lasso, box or tap."""
    p = blank(520, "map of the rows", output_backend="webgl", lod_threshold=20_000)
    dots = _points(p, source, 1.0)
    p.add_tools(LassoSelectTool(), BoxSelectTool(), TapTool())
    hover(p, dots, ("row", "@label"), ("", "@shown"))
    p.xaxis.axis_label, p.yaxis.axis_label = "component 1", "component 2"
    return p


def small_map(source: Any) -> Any:
    """The same rows for the top of the page: no axes, no tools, only what hovering shows."""
    p = blank(300, "map at a glance", output_backend="webgl", min_border=4)
    p.toolbar_location = None
    p.tools = []
    n = len(source.data["x"])
    few = np.unique(np.linspace(0, n - 1, min(n, MOST_AT_A_GLANCE)).astype(int)).tolist()
    dots = _points(p, source, 0.75, view=CDSView(filter=IndexFilter(few)))
    hover(p, dots, ("row", "@label"), ("", "@shown"))
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
