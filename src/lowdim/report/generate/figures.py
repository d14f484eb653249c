"""The figures of the page: columns and characters, real beside drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, DatetimeTickFormatter, FixedTicker

from lowdim.plots.style import MAIN, MARK
from lowdim.report.generate.columns import Shares
from lowdim.report.page.figures import blank, hover, place_legend, plain

DAY_MS = 86_400_000


def column_figure(shares: Shares, label: str) -> Any:
    """How often values are there: real rows filled, drawn rows as a line or as points."""
    return _levels(shares, label) if shares.levels is not None else _numbers(shares, label)


def _numbers(shares: Shares, label: str) -> Any:
    assert shares.edges is not None
    scale = DAY_MS if shares.is_date else 1.0
    edges = shares.edges * scale
    p = blank(230, label)
    source = ColumnDataSource(
        {
            "left": edges[:-1],
            "right": edges[1:],
            "middle": (edges[:-1] + edges[1:]) / 2,
            "real": 100 * shares.real,
            "drawn": 100 * shares.drawn,
        }
    )
    bars = p.quad(
        left="left", right="right", top="real", bottom=0, source=source, color=MAIN, alpha=0.45,
        line_color=None, legend_label="real",
    )  # fmt: skip
    p.step(
        edges,
        np.append(100 * shares.drawn, 100 * shares.drawn[-1:]),
        mode="after",
        color=MARK,
        line_width=2,
        legend_label="drawn",
    )
    hover(p, bars, ("real", "@real{0.0} %"), ("drawn", "@drawn{0.0} %"), mode="vline")
    p.yaxis.axis_label = "% of rows"
    if shares.is_date:
        p.xaxis.formatter = DatetimeTickFormatter()
    place_legend(p)
    return p


def _levels(shares: Shares, label: str) -> Any:
    assert shares.levels is not None
    m = len(shares.levels)
    place = np.arange(m)
    names = [plain(level, 22) for level in shares.levels]
    p = blank(90 + 24 * m, label, y_range=(m - 0.5, -0.5))
    source = ColumnDataSource(
        {
            "place": place,
            "level": [plain(level, 60) for level in shares.levels],
            "real": 100 * shares.real,
            "drawn": 100 * shares.drawn,
        }
    )
    look = {"source": source, "color": MAIN, "alpha": 0.45, "line_color": None}
    p.hbar("place", right="real", height=0.7, **look)
    dots = p.scatter("drawn", "place", source=source, color=MARK, size=11)
    hover(p, dots, ("", "@level"), ("real", "@real{0.0} %"), ("drawn", "@drawn{0.0} %"))
    p.yaxis.ticker = FixedTicker(ticks=place.tolist())
    p.yaxis.major_label_overrides = dict(zip(place.tolist(), names, strict=True))
    p.xaxis.axis_label = "% of rows"
    p.x_range.start = 0
    p.ygrid.visible = False
    return p
