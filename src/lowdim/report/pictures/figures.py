"""The figures of the page: PSNR by bytes, and how much pixels changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from lowdim.plots.style import MAIN, PALETTE
from lowdim.report.page.figures import blank, hover, place_legend

BINS = 61


def curves(table: Any, label: str) -> Any:
    """PSNR over bytes, a curve for each basis."""
    p = blank(340, label, x_axis_type="log")
    for i, name in enumerate(dict.fromkeys(table["basis"].tolist())):
        own = table["basis"] == name
        source = ColumnDataSource(
            {"bytes": table["nbytes"][own], "psnr": table["psnr"][own], "ssim": table["ssim"][own]}
        )
        color = PALETTE[i % len(PALETTE)]
        p.line("bytes", "psnr", source=source, color=color, line_width=2, legend_label=str(name))
        dots = p.scatter("bytes", "psnr", source=source, color=color, size=8)
        hover(
            p, dots, (str(name), "@bytes{0,0} bytes"), ("PSNR", "@psnr{0.0} dB"), ("SSIM", "@ssim")
        )
    p.xaxis.axis_label, p.yaxis.axis_label = "bytes", "PSNR (dB)"
    place_legend(p)
    p.legend[0].location = "bottom_right"
    return p


def changes(before: np.ndarray, after: np.ndarray, label: str) -> Any:
    """How many pixels changed by how much."""
    step = max(1, -(-max(before.shape[:2]) // 2000))
    D = after[::step, ::step].astype(np.float64) - before[::step, ::step]
    D = D[np.isfinite(D)]
    most = float(np.quantile(np.abs(D), 0.999)) if D.size else 1.0
    most = most or 1.0
    if after.dtype.kind in "iu":  # as many whole numbers in each bar
        most = BINS / 2 * max(1, np.ceil(2 * most / BINS))
    count, edges = np.histogram(np.clip(D, -most, most), bins=BINS, range=(-most, most))
    p = blank(260, label)
    source = ColumnDataSource(
        {"left": edges[:-1], "right": edges[1:], "share": 100.0 * count / max(D.size, 1)}
    )
    bars = p.quad("left", "right", "share", 0, source=source, color=MAIN, line_color=None)
    hover(p, bars, ("from", "@left{0.0}"), ("to", "@right{0.0}"), ("%", "@share{0.0}"))
    p.xaxis.axis_label, p.yaxis.axis_label = "change", "% of values"
    return p
