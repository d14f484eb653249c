"""The pictures of a page: bokeh figures from plain arrays, and how they get into it.

Colours are set for light pages; the page's script repaints axes and text for dark ones. Strength is
shown by opacity of two colours that colour-blind readers can tell apart, which suits both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from bokeh.document import Document
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool
from bokeh.plotting import figure
from bokeh.resources import Resources

from lowdim.plots.style import MAIN, MARK, MUTED

LONGEST_NAME = 26
TONED = "toned"  # the mark of sources whose colours the page's script makes lighter on dark pages


# ---- into the page -------------------------------------------------------------------------------


def figure_id(name: str) -> str:
    """The id of the element in which a figure is drawn."""
    return f"figure-{name}"


def bokeh_script() -> str:
    """bokeh's own script, for pages with figures."""
    return "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)


def drawing_data(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures as js/figures.js draws them: one document, and where its roots go.

    In one document figures may share a source: what is selected in one is selected in the others.
    """
    document = Document()
    for drawn in figures.values():
        document.add_root(drawn)
    data = {
        "document": document.to_json(deferred=False),
        "places": {drawn.id: figure_id(name) for name, drawn in figures.items()},
    }
    document.clear()  # so that another page can have the figures, too
    return data


# ---- figures in the style of pages ---------------------------------------------------------------


def plain(text: str, most: int = LONGEST_NAME) -> str:
    """A name for a label: short, on one line, and never taken for a formula by bokeh."""
    line = " ".join(text.split())
    short = line if len(line) <= most else line[: most - 1] + "…"
    for mark in ("$$", "\\(", "\\["):
        short = short.replace(mark, f"{mark[0]}\u200b{mark[1]}")
    return short


def blank(height: int | None, label: str, **settings: Any) -> Any:
    """An empty figure in the style of the page; height None follows from its aspect ratio."""
    tools = "pan,box_zoom,wheel_zoom,reset,save"
    p = figure(
        height=height,
        sizing_mode="stretch_width",
        tools=tools,
        active_drag=None,  # dragging and scrolling move the page until a tool is chosen
        active_scroll=None,
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
        toolbar_location="above",
        name=label,
        **settings,
    )
    p.toolbar.logo = None
    p.toolbar.autohide = False
    p.axis.minor_tick_line_color = None
    p.axis.axis_label_text_font_style = "normal"
    p.axis.major_label_text_font_size = "12px"
    p.axis.axis_label_text_font_size = "13px"
    p.grid.grid_line_alpha = 0.6
    return p


def hover(p: Any, renderer: Any, *tips: tuple[str, str], mode: str = "mouse") -> None:
    """Show these fields of a point that the pointer is over."""
    p.add_tools(HoverTool(renderers=[renderer], tooltips=list(tips), mode=mode))


def place_legend(p: Any) -> None:
    """Put the legend into the corner, without a frame."""
    box = p.legend[0]
    box.background_fill_alpha = 0.0
    box.border_line_color = None
    box.location = "top_right"


def heat_map(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    label: str,
    what: str,
    largest: float = 1.0,
) -> Any:
    """Cells in two colours, blue above zero and orange below, opaque at `largest`."""
    r, c = values.shape
    i, j = np.divmod(np.arange(r * c), c)
    flat = np.nan_to_num(values.ravel())
    source = ColumnDataSource(
        {
            "x": j,
            "y": i,
            "value": flat,
            "row": [plain(rows[a], 80) for a in i],
            "column": [plain(columns[b], 80) for b in j],
            "color": np.where(flat >= 0, MAIN, MARK).tolist(),
            "alpha": np.clip(np.abs(flat) / largest, 0.0, 1.0),
        },
        tags=[TONED],
    )
    height = 110 + (24 if r <= 15 else 17) * r
    p = blank(height, label, x_range=(-0.5, c - 0.5), y_range=(r - 0.5, -0.5))
    cells = p.rect(
        "x", "y", 0.96, 0.94, source=source, color="color", alpha="alpha", line_color=None
    )
    hover(p, cells, ("", "@row"), ("", "@column"), (what, "@value{+0.00}"))
    p.xaxis.ticker, p.yaxis.ticker = (
        FixedTicker(ticks=list(range(c))),
        FixedTicker(ticks=list(range(r))),
    )
    p.xaxis.major_label_overrides = {b: plain(columns[b], 18) for b in range(c)}
    p.yaxis.major_label_overrides = {a: plain(rows[a]) for a in range(r)}
    if c > 4:
        p.xaxis.major_label_orientation = 0.9
    p.grid.visible = False
    p.axis.axis_line_color = None
    return p


class Measure(NamedTuple):
    """What methods are compared by."""

    name: str
    axis: str
    form: str  # of numbers, as bokeh writes it


def comparison(
    label: str,
    names: Sequence[str],
    value: np.ndarray,
    error: np.ndarray,
    good: np.ndarray,
    by: Measure,
) -> Any:
    """A value for each method, best on top, with bars of two standard errors; good ones filled."""
    n = len(names)
    place = np.arange(n)
    p = blank(95 + 32 * n, label, y_range=(n - 0.5, -0.5))
    source = ColumnDataSource(
        {
            "place": place,
            "value": value,
            "low": value - 2 * error,
            "high": value + 2 * error,
            "error": error,
            "name": list(names),
            "alpha": np.where(good, 1.0, 0.15),
        }
    )
    p.segment("low", "place", "high", "place", source=source, color=MUTED, line_width=2)
    look = {"size": 12, "line_color": MAIN, "fill_color": MAIN, "fill_alpha": "alpha"}
    dots = p.scatter("value", "place", source=source, **look)
    hover(p, dots, ("", "@name"), (by.name, f"@value{{{by.form}}} ± @error{{{by.form}}}"))
    p.yaxis.ticker = FixedTicker(ticks=place.tolist())
    p.yaxis.major_label_overrides = {int(e): name for e, name in enumerate(names)}
    p.xaxis.axis_label = by.axis
    p.ygrid.visible = False
    return p
