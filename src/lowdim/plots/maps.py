"""Maps of rows: points, coloured by group or by a quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import Groups, check_groups, check_points, check_vector
from lowdim.plots.style import (
    CHARACTER,
    GRID,
    INK,
    LINE_HEIGHT,
    MAIN,
    NAME,
    PALETTE,
    SEQUENTIAL,
    color_bar,
    fade,
    group_colors,
    house_style,
    inches,
    legend,
    open_axes,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAX_LEGEND = len(PALETTE)  # groups in a legend; more are named in the map itself
MANY_POINTS = 100_000  # from here on an uncoloured map shows counts, not points


@house_style()
def scatter_map(
    Z: Any,
    labels: Any = None,
    colors: Any = None,
    axes: tuple[int, int] = (0, 1),
    *,
    colors_name: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Rows as points of a map. Many points become small and transparent, then counts.

    Parameters
    ----------
    Z : array-like of shape (n, n_components)
        Codes or map coordinates of the rows.
    labels : array-like of shape (n,) or None, default=None
        Groups, one colour each: up to 10 in a legend, more named in the map.
    colors : array-like of shape (n,) or None, default=None
        A quantity to show by colour; NaN are grey.
    axes : (int, int), default=(0, 1)
        The columns of Z to the right and upwards.
    colors_name : str, default=''
        What `colors` is.
    ax : matplotlib Axes or None, default=None
    """
    if labels is not None and colors is not None:
        raise ValueError("labels and colors are both given; a point has one colour: choose one.")
    points = check_points("Z", Z, axes)
    groups = check_groups(labels, len(points))
    colors = check_vector("colors", colors, len(points))
    ax = open_axes(ax, (6.4, 5.4))
    ax.set(aspect="equal")
    ax.set_adjustable("datalim")
    if colors is not None:
        _colored_points(ax, points, colors, colors_name)
    elif labels is None and len(points) >= MANY_POINTS:
        shades = fade("#DCE8F2", MAIN, "#06213A")
        image = ax.hexbin(*points.T, gridsize=150, bins="log", cmap=shades, mincnt=1, lw=0.1)
        color_bar(ax, image, "rows per cell").formatter = "{x:g}"
    else:
        draw_points(ax, points, groups, legend_at="beside")
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    ax.margins(0.04)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def draw_points(ax: Axes, points: np.ndarray, groups: Groups | None, legend_at: str) -> None:
    """Points coloured by group, in an order that lets no group cover the others."""
    style = _point_style(len(points))
    if groups is None:
        ax.scatter(*points.T, color=MAIN, **style)
        return
    colors = group_colors(len(groups.names))
    shuffle = np.random.default_rng(0).permutation(len(points))
    ax.scatter(*points[shuffle].T, color=colors[groups.member[shuffle]], **style)
    if len(groups.names) <= MAX_LEGEND:
        keys = [ax.plot([], [], "o", color=color, ms=6)[0] for color in colors]
        legend(ax, keys, groups.names, legend_at)
    else:
        _name_groups(ax, points, groups)


def _name_groups(ax: Axes, points: np.ndarray, groups: Groups) -> None:
    """The name of each group in its middle, or as near to it as there is room."""
    from matplotlib.patheffects import withStroke

    names = [shortened(name) for name in groups.names]
    inch = max(np.ptp(points, axis=0) / inches(ax))
    middle = np.array([np.median(points[groups.member == j], axis=0) for j in range(len(names))])
    size = np.array([[CHARACTER * (len(name) + 1), LINE_HEIGHT] for name in names]) * inch
    halo = [withStroke(linewidth=2.5, foreground="white")]
    for name, (x, y), (x0, y0) in zip(names, move_apart(middle, size), middle, strict=True):
        if (x, y) != (x0, y0):
            ax.plot([x0, x], [y0, y], color=INK, lw=0.6, zorder=5)
        place = {"ha": "center", "va": "center", "zorder": 6}
        ax.text(x, y, name, weight="bold", path_effects=halo, **place, **NAME)


def move_apart(centers: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Centers of boxes (width, height), each moved to the nearest place free of earlier boxes."""
    half_steps = np.arange(-2 * len(centers), 2 * len(centers) + 1) / 2
    sideways, upwards = (steps.ravel() for steps in np.meshgrid([-0.5, 0.0, 0.5], half_steps))
    placed = np.empty_like(centers)
    for j, (center, size) in enumerate(zip(centers, sizes, strict=True)):
        moves = np.column_stack([sideways, upwards]) * size
        trials = center + moves[np.argsort(np.hypot(*moves.T), kind="stable")]
        room = 0.999 * (size + sizes[:j]) / 2
        covers = (np.abs(trials[:, None] - placed[:j]) < room).all(axis=2).any(axis=1)
        placed[j] = trials[np.argmin(covers)]
    return placed


def _colored_points(ax: Axes, points: np.ndarray, value: np.ndarray, name: str) -> None:
    known = ~np.isnan(value)
    style = _point_style(len(points))
    ax.scatter(*points[~known].T, color=GRID, **{**style, "zorder": 1})
    shuffle = np.random.default_rng(0).permutation(np.flatnonzero(known))
    image = ax.scatter(*points[shuffle].T, c=value[shuffle], cmap=SEQUENTIAL, **style)
    color_bar(ax, image, name)


def _point_style(n: int) -> dict[str, Any]:
    """The more points, the smaller and the more transparent; pixels instead of paths for many."""
    return {
        "s": float(np.clip(4500 / n**0.75, 1.2, 26)),
        "alpha": float(np.clip(20 / n**0.4, 0.2, 0.85)),
        "linewidths": 0,
        "rasterized": n > 2000,
        "zorder": 2,
    }
