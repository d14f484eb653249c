"""The pictures of the page: bokeh figures from plain arrays.

Colours are set for light pages; the page's script repaints axes and text for dark ones. Strength is
shown by opacity of two colours that colour-blind readers can tell apart, which suits both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    BoxSelectTool,
    CDSView,
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    IndexFilter,
    LassoSelectTool,
    NumeralTickFormatter,
    Span,
    TapTool,
    Whisker,
)
from bokeh.plotting import figure

from lowdim.plots.style import MAIN, MARK, MUTED

LONGEST_NAME = 26
MOST_SCREE = 30
MOST_FEATURES = 30  # rows of a heat map
MOST_ARROWS = 40
NAMED_ARROWS = 10  # on each side of the circle
LINE = 0.09  # height of a name, where the circle has radius 1
MOST_ODD = 2_000
MOST_AT_A_GLANCE = 5_000  # rows in the map at the top of the page
MAP_NAME = "map-rows"  # by which the page's script finds the source of the map
TONED = "toned"  # the mark of sources whose colours the page's script makes lighter on dark pages


def plain(text: str, most: int = LONGEST_NAME) -> str:
    """A name for a label: short, on one line, and never taken for a formula by bokeh."""
    line = " ".join(text.split())
    short = line if len(line) <= most else line[: most - 1] + "…"
    for mark in ("$$", "\\(", "\\["):
        short = short.replace(mark, f"{mark[0]}\u200b{mark[1]}")
    return short


def _blank(height: int | None, label: str, **settings: Any) -> Any:
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


def _hover(p: Any, renderer: Any, *tips: tuple[str, str], mode: str = "mouse") -> None:
    p.add_tools(HoverTool(renderers=[renderer], tooltips=list(tips), mode=mode))


# ---- how many dimensions -------------------------------------------------------------------------


def scree(share: np.ndarray, chance: np.ndarray, kept: int) -> Any:
    """Shares of variance by component, against those of shuffled columns."""
    share, chance = 100 * share[:MOST_SCREE], 100 * chance[:MOST_SCREE]
    number = np.arange(1, len(share) + 1)
    source = ColumnDataSource(
        {
            "number": number,
            "share": share,
            "chance": chance,
            "alpha": np.where(number <= kept, 0.9, 0.3),
        }
    )
    p = _blank(320, "scree", x_axis_label="component", y_axis_label="share of the variance (%)")
    bars = p.vbar("number", top="share", width=0.7, source=source, color=MAIN, fill_alpha="alpha")
    p.line("number", "chance", source=source, color=MARK, line_width=2, legend_label="chance")
    p.scatter("number", "chance", source=source, color=MARK, size=5, legend_label="chance")
    _legend(p)
    tips = (("component", "@number"), ("share", "@share{0.0} %"), ("chance", "@chance{0.0} %"))
    _hover(p, bars, *tips, mode="vline")
    p.y_range.start = 0
    return p


def criterion(
    sizes: np.ndarray,
    curve: np.ndarray,
    errors: np.ndarray | None,
    choice: int,
    xlabel: str,
    ylabel: str,
) -> Any:
    """A criterion by size of the model, with its standard errors and the size chosen."""
    source = ColumnDataSource({"size": sizes, "value": curve})
    p = _blank(320, ylabel, x_axis_label=xlabel, y_axis_label=ylabel)
    if errors is not None:
        bounds = {"size": sizes, "low": curve - errors, "high": curve + errors}
        bars = Whisker(
            base="size",
            lower="low",
            upper="high",
            source=ColumnDataSource(bounds),
            line_color=MUTED,
        )
        for head in (bars.lower_head, bars.upper_head):
            head.line_color, head.size = MUTED, 8
        p.add_layout(bars)
    p.line("size", "value", source=source, color=MAIN, line_width=2)
    dots = p.scatter("size", "value", source=source, color=MAIN, size=8)
    at = int(np.flatnonzero(sizes == choice)[0])
    p.scatter([choice], [curve[at]], color=MARK, size=14, legend_label=f"chosen: {choice}")
    p.add_layout(Span(location=choice, dimension="height", line_color=MARK, line_dash="dotted"))
    _hover(p, dots, (xlabel, "@size"), (ylabel, "@value{0,0.[000]}"), mode="vline")
    p.yaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
    _legend(p)
    return p


def contest(names: Sequence[str], error: np.ndarray, spread: np.ndarray, good: np.ndarray) -> Any:
    """Errors of methods, best on top, with bars of two standard errors."""
    n = len(names)
    place = np.arange(n)
    p = _blank(90 + 30 * n, "comparison", y_range=(n - 0.5, -0.5))
    source = ColumnDataSource(
        {
            "place": place,
            "error": error,
            "low": error - 2 * spread,
            "high": error + 2 * spread,
            "spread": spread,
            "name": list(names),
            "alpha": np.where(good, 1.0, 0.15),
        }
    )
    p.segment("low", "place", "high", "place", source=source, color=MUTED, line_width=2)
    dots = p.scatter(
        "error",
        "place",
        source=source,
        size=12,
        line_color=MAIN,
        fill_color=MAIN,
        fill_alpha="alpha",
    )
    p.add_layout(Span(location=1.0, dimension="height", line_color=MARK, line_dash="dashed"))
    _hover(p, dots, ("", "@name"), ("error", "@error{0.000} ± @spread{0.000}"))
    p.yaxis.ticker = FixedTicker(ticks=place.tolist())
    p.yaxis.major_label_overrides = {int(e): name for e, name in enumerate(names)}
    p.xaxis.axis_label = "error (column means: 1)"
    p.ygrid.visible = False
    return p


def _legend(p: Any) -> None:
    legend = p.legend[0]
    legend.background_fill_alpha = 0.0
    legend.border_line_color = None
    legend.location = "top_right"


# ---- heat maps -----------------------------------------------------------------------------------


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
    p = _blank(height, label, x_range=(-0.5, c - 0.5), y_range=(r - 0.5, -0.5))
    cells = p.rect(
        "x", "y", 0.96, 0.94, source=source, color="color", alpha="alpha", line_color=None
    )
    _hover(p, cells, ("", "@row"), ("", "@column"), (what, "@value{+0.00}"))
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


def missing_map(bands: np.ndarray, edges: np.ndarray, names: Sequence[str]) -> Any:
    """Where values are missing: a line for each column, bands of rows to the right."""
    b, c = bands.shape
    i, j = np.divmod(np.arange(b * c), c)
    share = bands.ravel()
    some = share > 0
    source = ColumnDataSource(
        {
            "left": edges[i[some]],
            "right": edges[i[some] + 1],
            "top": j[some] - 0.42,
            "bottom": j[some] + 0.42,
            "last": edges[i[some] + 1] - 1,
            "share": 100 * share[some],
            "alpha": 0.25 + 0.75 * share[some],
            "name": [plain(names[a], 80) for a in j[some]],
            "color": [MARK] * int(some.sum()),
        },
        tags=[TONED],
    )
    height = 110 + (26 if c <= 15 else 17) * c
    p = _blank(height, "missing values", x_range=(0.0, float(edges[-1])), y_range=(c - 0.5, -0.5))
    cells = p.quad(
        "left",
        "right",
        "top",
        "bottom",
        source=source,
        color="color",
        alpha="alpha",
        line_color=None,
    )
    _hover(p, cells, ("", "@name"), ("rows", "@left to @last"), ("missing", "@share{0.0} %"))
    p.yaxis.ticker = FixedTicker(ticks=list(range(c)))
    p.yaxis.major_label_overrides = {a: plain(names[a]) for a in range(c)}
    p.xaxis.axis_label = "row"
    p.xaxis.formatter = NumeralTickFormatter(format="0,0")
    p.grid.visible = False
    return p


# ---- factors -------------------------------------------------------------------------------------


def circle(correlations: np.ndarray, names: Sequence[str]) -> Any:
    """Correlations of the columns with the first two components, in the unit circle."""
    tips = correlations[:, :2]
    length = np.hypot(*tips.T)
    longest = np.argsort(-length, kind="stable")[:MOST_ARROWS]
    tips, length = tips[longest], length[longest]
    width, height = 2.1, 1.2  # room for names beside the circle, on a phone, too
    p = _blank(None, "correlation circle", x_range=(-width, width), y_range=(-height, height))
    p.aspect_ratio = 1.5  # of the whole figure; a little taller than its range, for the axis
    angle = np.linspace(0, 2 * np.pi, 181)
    p.line(np.cos(angle), np.sin(angle), color=MUTED)
    source = ColumnDataSource(
        {
            "x": tips[:, 0],
            "y": tips[:, 1],
            "zero": np.zeros(len(tips)),
            "name": [plain(names[f], 80) for f in longest],
        }
    )
    p.segment("zero", "zero", "x", "y", source=source, color=MAIN, line_width=1.5)
    dots = p.scatter("x", "y", source=source, color=MAIN, size=8)
    _hover(p, dots, ("", "@name"), ("first", "@x{+0.00}"), ("second", "@y{+0.00}"))
    for side, align, shift in ((1, "left", 6), (-1, "right", -6)):
        here = _apart([a for a in range(len(tips)) if (tips[a, 0] >= 0) == (side == 1)], tips)
        text = ColumnDataSource(
            {
                "x": tips[here, 0],
                "y": tips[here, 1],
                "name": [plain(names[longest[a]], 16) for a in here],
            }
        )
        p.text(
            "x",
            "y",
            text="name",
            source=text,
            text_align=align,
            text_baseline="middle",
            text_font_size="12px",
            x_offset=shift,
            text_color=MUTED,
        )
    p.xaxis.axis_label, p.yaxis.axis_label = "component 1", "component 2"
    return p


def _apart(candidates: Sequence[int], tips: np.ndarray) -> list[int]:
    """The first of the arrows whose names have room: a line of text from the names before."""
    chosen: list[int] = []
    for a in candidates:
        free = all(abs(tips[a, 1] - tips[b, 1]) > LINE for b in chosen)
        if free and len(chosen) < NAMED_ARROWS:
            chosen.append(a)
    return chosen


# ---- rows ----------------------------------------------------------------------------------------


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
    p = _blank(520, "map of the rows", output_backend="webgl", lod_threshold=20_000)
    dots = _points(p, source, 1.0)
    p.add_tools(LassoSelectTool(), BoxSelectTool(), TapTool())
    _hover(p, dots, ("row", "@label"), ("", "@shown"))
    p.xaxis.axis_label, p.yaxis.axis_label = "component 1", "component 2"
    return p


def small_map(source: Any) -> Any:
    """The same rows for the top of the page: no axes, no tools, only what hovering shows."""
    p = _blank(300, "map at a glance", output_backend="webgl", min_border=4)
    p.toolbar_location = None
    p.tools = []
    n = len(source.data["x"])
    few = np.unique(np.linspace(0, n - 1, min(n, MOST_AT_A_GLANCE)).astype(int)).tolist()
    dots = _points(p, source, 0.75, view=CDSView(filter=IndexFilter(few)))
    _hover(p, dots, ("row", "@label"), ("", "@shown"))
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


def oddness(log10_chance: np.ndarray, labels: Sequence[str], rows: np.ndarray) -> Any:
    """How unlikely the oddest rows are."""
    score = -log10_chance[rows]
    limit = float(np.log10(20 * len(log10_chance)))
    source = ColumnDataSource(
        {
            "row": rows,
            "score": score,
            "label": list(labels),
            "color": np.where(score > limit, MARK, MAIN).tolist(),
        }
    )
    p = _blank(300, "odd rows", x_axis_label="row", y_axis_label="oddness (zeros in the chance)")
    dots = p.scatter("row", "score", source=source, color="color", size=6, alpha=0.7)
    p.add_layout(Span(location=limit, dimension="width", line_color=MARK, line_dash="dashed"))
    _hover(p, dots, ("row", "@label"), ("chance", "1 in 10^@score{0.0}"))
    p.xaxis.formatter = NumeralTickFormatter(format="0,0")
    return p
