"""The pictures of the page of `words`, from plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import Arrow, ColumnDataSource, FixedTicker, Range1d, TapTool, VeeHead

from lowdim.plots.style import MAIN, MARK
from lowdim.report.page.figures import blank, hover, plain
from lowdim.report.page.map import point_source, small_map

MARGIN = 0.06  # of the map, around the words


def word_source(id: str, points: np.ndarray) -> Any:
    """The words as points; the page's script colours them and writes their names."""
    return point_source(id, points[:, 0], points[:, 1])


def word_map(id: str, source: Any) -> Any:
    """The map: points, those that are lit, and names, which the page's script thins out."""
    across, upwards = (_range(np.asarray(source.data[axis])) for axis in "xy")
    p = blank(560, f"{id}-plot", x_range=across, y_range=upwards)
    n = len(source.data["x"])
    dots = p.scatter(
        "x",
        "y",
        source=source,
        size=float(np.clip(60 / n**0.3, 3.5, 8)),
        line_color=None,
        fill_color="color",
        fill_alpha=0.5,
        selection_fill_color="color",
        selection_fill_alpha=1.0,
        nonselection_fill_color="color",
        nonselection_fill_alpha=0.12,
    )
    empty: dict[str, list[Any]] = {"x": [], "y": []}
    lit = ColumnDataSource({**empty, "size": []}, name=f"{id}-lit")
    p.scatter(
        "x", "y", size="size", source=lit, fill_color=None, line_color=MARK, line_width=2,
        nonselection_line_alpha=1.0,
    )  # fmt: skip
    names = ColumnDataSource({**empty, "name": [], "style": [], "alpha": []}, name=f"{id}-labels")
    p.text(
        "x", "y", text="name", source=names, text_baseline="middle",
        text_font_size="12px", text_font_style="style", text_alpha="alpha",
    )  # fmt: skip
    p.add_tools(TapTool(renderers=[dots]))
    hover(p, dots, ("", "@label"), ("", "@shown"))
    p.axis.visible = p.grid.visible = False
    return p


def glance_map(source: Any) -> Any:
    """The same points for the top of the page."""
    return small_map(source, "word")


def _range(values: np.ndarray) -> Any:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = MARGIN * (high - low) or 1.0
    return Range1d(low - room, high + room)


# ---- analogies -----------------------------------------------------------------------------------


def arrow_columns(
    pairs: Sequence[tuple[str, str]], points: np.ndarray, agreement: np.ndarray
) -> dict[str, Any]:
    """Arrows from first to second words, blue where a pair agrees with the others."""
    return {
        "x0": points[:, 0, 0].round(5).tolist(),
        "y0": points[:, 0, 1].round(5).tolist(),
        "x1": points[:, 1, 0].round(5).tolist(),
        "y1": points[:, 1, 1].round(5).tolist(),
        "first": [plain(a, 24) for a, _ in pairs],
        "second": [plain(b, 24) for _, b in pairs],
        "agreement": agreement.round(3).tolist(),
        "color": np.where(agreement > 0, MAIN, MARK).tolist(),
    }


def arrows(columns: dict[str, Any]) -> Any:
    """Pairs of words as arrows; the page's script puts others in their place."""
    source = ColumnDataSource(columns, name="analogies-arrows")
    p = blank(
        540,
        "analogies-plot",
        x_range=_range(np.array(columns["x0"] + columns["x1"])),
        y_range=_range(np.array(columns["y0"] + columns["y1"])),
    )
    lines = p.segment("x0", "y0", "x1", "y1", source=source, color="color", line_width=1.5)
    p.add_layout(
        Arrow(
            source=source,
            x_start="x0",
            y_start="y0",
            x_end="x1",
            y_end="y1",
            line_alpha=0.0,
            end=VeeHead(size=9, fill_color="color", line_color="color"),
        )
    )
    look = {"text_font_size": "12px", "text_align": "center"}
    p.text("x0", "y0", text="first", source=source, y_offset=4, text_baseline="top", **look)
    p.text("x1", "y1", text="second", source=source, y_offset=-4, text_baseline="bottom", **look)
    hover(p, lines, ("", "@first"), ("", "@second"), ("agreement", "@agreement{+0.00}"))
    p.xaxis.axis_label = "what the pairs differ in most"
    p.yaxis.axis_label = "their mean difference"
    p.axis.major_label_text_font_size = "0px"
    p.axis.major_tick_in = p.axis.major_tick_out = 0
    return p


def accuracies(names: Sequence[str], right: np.ndarray, asked: np.ndarray) -> Any:
    """The share of questions that were answered rightly, a bar for each section."""
    n = len(names)
    share = 100 * right / np.maximum(asked, 1)
    source = ColumnDataSource(
        {
            "place": np.arange(n),
            "share": share,
            "right": right,
            "asked": asked,
            "name": [plain(name, 60) for name in names],
        }
    )
    p = blank(95 + 26 * n, "accuracy-plot", y_range=(n - 0.5, -0.5), x_range=(0, 100))
    bars = p.hbar("place", right="share", height=0.7, source=source, color=MAIN, alpha=0.85)
    hover(p, bars, ("", "@name"), ("right", "@right{0,0} of @asked{0,0}"), ("", "@share{0.0} %"))
    p.yaxis.ticker = FixedTicker(ticks=list(range(n)))
    p.yaxis.major_label_overrides = {i: plain(name) for i, name in enumerate(names)}
    p.xaxis.axis_label = "questions answered rightly (%)"
    p.ygrid.visible = False
    return p


def agreements(cosines: np.ndarray) -> Any:
    """How near words of two vocabularies lie to themselves."""
    count, edges = np.histogram(cosines, np.linspace(-1, 1, 41))
    source = ColumnDataSource({"left": edges[:-1], "right": edges[1:], "count": count})
    p = blank(260, "agreements-plot", x_axis_label="cosine", y_axis_label="words")
    bars = p.quad(
        left="left", right="right", top="count", bottom=0, source=source,
        fill_color=MAIN, line_color=None, fill_alpha=0.85,
    )  # fmt: skip
    hover(p, bars, ("cosine", "@left{0.00} to @right{0.00}"), ("words", "@count{0,0}"))
    p.y_range.start = 0
    return p
