"""The pictures of the page of `topics`, from plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, Span, TapTool

from lowdim.plots.style import MAIN, MARK, MUTED, PALETTE
from lowdim.report.page.figures import TONED, Measure, blank, comparison, hover, plain

BINS = 40
LARGEST_CIRCLE, SMALLEST_CIRCLE = 64.0, 9.0  # pixels
MOST_LINES = 6


def lengths(n_words: np.ndarray) -> Any:
    """How many documents have how many words; the axis is logarithmic."""
    some = n_words[n_words > 0]
    high = max(float(some.max()) if len(some) else 1.0, 2.0)
    edges = np.unique(np.round(np.geomspace(1, high + 1, BINS + 1)))
    count, _ = np.histogram(some, edges)
    source = ColumnDataSource(
        {"left": edges[:-1], "right": edges[1:], "last": edges[1:] - 1, "count": count}
    )
    p = blank(
        280,
        "lengths",
        x_axis_type="log",
        x_axis_label="words of a document",
        y_axis_label="documents",
    )
    bars = p.quad(
        left="left",
        right="right",
        top="count",
        bottom=0,
        source=source,
        fill_color=MAIN,
        line_color=None,
        fill_alpha=0.85,
    )
    hover(p, bars, ("words", "@left{0,0} to @last{0,0}"), ("documents", "@count{0,0}"))
    p.y_range.start = 0
    return p


def methods(names: Sequence[str], mean: np.ndarray, error: np.ndarray, good: np.ndarray) -> Any:
    """Perplexities of methods."""
    by = Measure("perplexity", "perplexity of held-out words", "0,0")
    return comparison("methods", names, mean, error, good, by)


def circle_sizes(shares: np.ndarray) -> np.ndarray:
    """Diameters in pixels: areas are as the shares."""
    return np.maximum(LARGEST_CIRCLE * np.sqrt(shares / max(shares.max(), 1e-300)), SMALLEST_CIRCLE)


def topic_circles(points: np.ndarray, shares: np.ndarray, names: Sequence[str]) -> Any:
    """The topics as circles; the page's script changes their sizes and listens to taps."""
    source = ColumnDataSource(
        {
            "x": points[:, 0],
            "y": points[:, 1],
            "size": circle_sizes(shares),
            "share": 100 * shares,
            "number": [str(j + 1) for j in range(len(shares))],
            "name": [plain(name, 60) for name in names],
            "color": [MAIN] * len(shares),
        },
        name="topics-points",
        tags=[TONED],
    )
    x_range, y_range = _around(points)
    p = blank(520, "topics-plot", x_range=x_range, y_range=y_range)
    circles = p.scatter(
        "x",
        "y",
        size="size",
        source=source,
        fill_color="color",
        line_color="color",
        fill_alpha=0.35,
        selection_fill_color=MARK,
        selection_line_color=MARK,
        selection_fill_alpha=0.6,
        nonselection_fill_alpha=0.3,
        nonselection_fill_color="color",
        nonselection_line_color="color",
        nonselection_line_alpha=0.7,
    )
    _numbers(p, source, text_font_size="12px", nonselection_text_alpha=1.0)
    p.add_tools(TapTool(renderers=[circles]))
    hover(p, circles, ("topic", "@number"), ("", "@name"), ("share", "@share{0.0} %"))
    for along in ("width", "height"):
        p.add_layout(Span(location=0, dimension=along, line_color=MUTED, line_alpha=0.4))
    p.axis.visible = p.grid.visible = False
    return p


def _around(points: np.ndarray) -> list[tuple[float, float]]:
    """Ranges of x and y with all points and room for circles; equally long, so distances hold."""
    low, high = points.min(axis=0), points.max(axis=0)
    reach = max(float((high - low).max()) / 2, 1e-3) * 1.25
    return [(float(at - reach), float(at + reach)) for at in (low + high) / 2]


def _numbers(p: Any, source: Any, **look: Any) -> None:
    """The numbers of topics, in the middle of their places."""
    middle = {"text_align": "center", "text_baseline": "middle"}
    p.text("x", "y", text="number", source=source, **middle, **look)


def lines_over_time(
    periods: Sequence[str], shares: np.ndarray, names: Sequence[str], chosen: Sequence[int]
) -> Any:
    """The shares of some topics by period, in percent."""
    p = blank(440, "over time", y_axis_label="share of the words (%)")
    at = np.arange(len(periods))
    for colour, j in enumerate(chosen):
        source = ColumnDataSource(
            {
                "at": at,
                "share": 100 * shares[:, j],
                "period": list(periods),
                "name": [plain(names[j], 60)] * len(at),
            }
        )
        paint = PALETTE[colour % len(PALETTE)]
        label = plain(f"{j + 1} {names[j]}", 40)
        p.line("at", "share", source=source, color=paint, line_width=2.5, legend_label=label)
        dots = p.scatter("at", "share", source=source, color=paint, size=6, legend_label=label)
        hover(p, dots, ("", "@name"), ("", "@period"), ("share", "@share{0.0} %"))
    step = max(1, -(-len(periods) // 12))
    p.xaxis.ticker = FixedTicker(ticks=at[::step].tolist())
    p.xaxis.major_label_overrides = {int(i): plain(periods[i], 18) for i in at[::step]}
    p.xaxis.major_label_orientation = 0.7
    p.y_range.start = 0
    legend = p.legend[0]
    legend.click_policy = "hide"
    legend.background_fill_alpha, legend.border_line_color = 0.0, None
    p.add_layout(legend, "above")  # inside it would hide lines
    return p


def name_anchors(p: Any, anchors: np.ndarray) -> Any:
    """Write the numbers of topics where documents of one topic lie."""
    source = ColumnDataSource(
        {
            "x": anchors[:, 0],
            "y": anchors[:, 1],
            "number": [str(j + 1) for j in range(len(anchors))],
        }
    )
    _numbers(p, source, text_font_size="15px", text_font_style="bold")
    p.axis.visible = p.grid.visible = False
    return p
