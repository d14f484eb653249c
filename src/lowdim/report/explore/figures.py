"""The pictures of the page of `explore`, from plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    NumeralTickFormatter,
    Span,
    Whisker,
)

from lowdim.plots.style import MAIN, MARK, MUTED
from lowdim.report.page.figures import (
    TONED,
    Measure,
    blank,
    comparison,
    hover,
    place_legend,
    plain,
)

MOST_SCREE = 30
MOST_FEATURES = 30  # rows of a heat map
MOST_ARROWS = 40
NAMED_ARROWS = 10  # on each side of the circle
LINE = 0.09  # height of a name, where the circle has radius 1
MOST_ODD = 2_000


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
    p = blank(320, "scree", x_axis_label="component", y_axis_label="share of the variance (%)")
    bars = p.vbar("number", top="share", width=0.7, source=source, color=MAIN, fill_alpha="alpha")
    p.line("number", "chance", source=source, color=MARK, line_width=2, legend_label="chance")
    p.scatter("number", "chance", source=source, color=MARK, size=5, legend_label="chance")
    place_legend(p)
    tips = (("component", "@number"), ("share", "@share{0.0} %"), ("chance", "@chance{0.0} %"))
    hover(p, bars, *tips, mode="vline")
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
    p = blank(320, ylabel, x_axis_label=xlabel, y_axis_label=ylabel)
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
    hover(p, dots, (xlabel, "@size"), (ylabel, "@value{0,0.[000]}"), mode="vline")
    p.yaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
    place_legend(p)
    return p


def contest(names: Sequence[str], error: np.ndarray, spread: np.ndarray, good: np.ndarray) -> Any:
    """Errors of methods; a line where column means are."""
    by = Measure("error", "error (column means: 1)", "0.000")
    p = comparison("comparison", names, error, spread, good, by)
    p.add_layout(Span(location=1.0, dimension="height", line_color=MARK, line_dash="dashed"))
    return p


# ---- missing values ------------------------------------------------------------------------------


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
    p = blank(height, "missing values", x_range=(0.0, float(edges[-1])), y_range=(c - 0.5, -0.5))
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
    hover(p, cells, ("", "@name"), ("rows", "@left to @last"), ("missing", "@share{0.0} %"))
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
    p = blank(None, "correlation circle", x_range=(-width, width), y_range=(-height, height))
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
    hover(p, dots, ("", "@name"), ("first", "@x{+0.00}"), ("second", "@y{+0.00}"))
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
    p = blank(300, "odd rows", x_axis_label="row", y_axis_label="oddness (zeros in the chance)")
    dots = p.scatter("row", "score", source=source, color="color", size=6, alpha=0.7)
    p.add_layout(Span(location=limit, dimension="width", line_color=MARK, line_dash="dashed"))
    hover(p, dots, ("row", "@label"), ("chance", "1 in 10^@score{0.0}"))
    p.xaxis.formatter = NumeralTickFormatter(format="0,0")
    return p
