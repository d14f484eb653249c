"""The pictures of the page that are not maps: Shepard plots."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from lowdim.plots.style import MAIN, MARK
from lowdim.report.page.figures import TONED, blank

BANDS = 15  # of pairs, by their distance in the data


def shepard(label: str, dissimilarity: np.ndarray, distance: np.ndarray) -> Any:
    """Pairs of rows: their distance in the data and in the map, and the middle of these."""
    p = blank(300, label)
    pairs = {"x": dissimilarity, "y": distance, "color": [MAIN] * len(distance)}
    look: dict[str, Any] = {"size": 4, "line_color": None, "fill_alpha": 0.25}
    p.scatter("x", "y", source=ColumnDataSource(pairs, tags=[TONED]), fill_color="color", **look)
    x, y = middles(dissimilarity, distance)
    p.line(x, y, line_color=MARK, line_width=3)
    p.xaxis.axis_label, p.yaxis.axis_label = "distance in the data", "distance in the map"
    p.x_range.start = p.y_range.start = 0
    return p


def middles(dissimilarity: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Medians of both, in bands of as many pairs each."""
    order = np.argsort(dissimilarity, kind="stable")
    parts = [part for part in np.array_split(order, BANDS) if len(part)]
    return (
        np.array([np.median(dissimilarity[part]) for part in parts]),
        np.array([np.median(distance[part]) for part in parts]),
    )
