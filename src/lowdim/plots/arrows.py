"""Arrows of variables, and where their names stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lowdim.plots.style import CHARACTER, LINE_HEIGHT, MUTED, NAME, SMALL_FONT, inches

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAX_LABELS = 40  # variables named in a circle or biplot, those with the longest arrows


def draw_arrows(
    ax: Axes,
    tips: np.ndarray,
    names: Sequence[str],
    color: str,
    columns: tuple[float, float],
    rim: float,
) -> None:
    """Arrows from 0 to the tips; their names in a column on either side, none on another.

    A fine line goes on from each tip to the rim, and from there to the name. Names are in the order
    of the angles, so that these lines do not cross.
    """
    sides = named_sides(tips)
    head = {"arrowstyle": "-|>,head_length=0.35,head_width=0.16", "shrinkA": 0, "shrinkB": 0}
    for i, tip in enumerate(tips):
        alpha = 0.9 if i in sides[0] or i in sides[1] else 0.3
        ax.annotate("", tip, (0, 0), arrowprops={**head, "color": color, "lw": 1.2, "alpha": alpha})

    low, high = ax.get_ylim()
    inch = (high - low) / inches(ax)[1]
    for here, column, outwards in zip(sides, columns, ("right", "left"), strict=True):
        if len(here) == 0:
            continue
        gap = min(LINE_HEIGHT * inch, (high - low) / len(here))
        style = {**NAME, "fontsize": SMALL_FONT * max(0.6, gap / (LINE_HEIGHT * inch))}
        ends = at_rim(tips[here], rim)
        heights = spread_out(ends[:, 1], gap, low + gap / 2, high - gap / 2)
        for i, end, height in zip(here, ends, heights, strict=True):
            x, y = np.array([tips[i], end, (column, height)]).T
            ax.plot(x, y, color=MUTED, lw=0.5, alpha=0.7, zorder=3)
            text = f" {names[i]}" if outwards == "left" else f"{names[i]} "
            ax.text(column, height, text, ha=outwards, va="center", zorder=5, **style)


def named_sides(tips: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The variables to name on the left and on the right: those with the longest arrows."""
    longest = np.argsort(-np.hypot(*tips.T), kind="stable")[:MAX_LABELS]
    is_left = tips[longest, 0] < 0
    return longest[is_left], longest[~is_left]


def at_rim(tips: np.ndarray, rim: float) -> np.ndarray:
    """Where the arrows, made longer, reach the circle of radius `rim`; 0 stays at 0."""
    length = np.hypot(*tips.T)[:, None]
    return tips * (rim / np.where(length > 0, length, 1.0))


def names_width(names: Iterable[str]) -> float:
    """Width of a column of names, in inches."""
    longest = max(map(len, names), default=0)
    return CHARACTER * (longest + 2) if longest else 0.0


def spread_out(wanted: np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """The positions nearest to `wanted`, in the same order, at least `gap` apart, in [low, high].

    Minimises sum (y - wanted)^2 under y_(i+1) - y_i >= gap. For y_i - i gap that is isotonic
    regression, and bounds only clip its result.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    placed = np.empty(len(wanted))
    level = isotonic_regression(wanted[order] - steps).x
    placed[order] = np.clip(level, low, high - steps[-1]) + steps
    return placed
