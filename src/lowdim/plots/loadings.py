"""Variables: their correlations with components, beside the rows, and as a table of colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.arrows import at_rim, draw_arrows, named_sides, names_width
from lowdim.plots.checks import check_arrows, check_groups, check_matrix, check_names, check_points
from lowdim.plots.maps import draw_points
from lowdim.plots.style import (
    CHARACTER,
    DIVERGING,
    GRID,
    INK,
    LINE_HEIGHT,
    MAIN,
    MUTED,
    component_label,
    house_style,
    inches,
    name_ticks,
    open_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@house_style()
def correlation_circle(
    correlations: Any,
    names: Sequence[Any] | None = None,
    axes: tuple[int, int] = (0, 1),
    *,
    variance_ratio: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Correlations of the variables with two components, as arrows in the unit circle.

    The nearer an arrow comes to the circle, the better the two components explain that variable;
    arrows in one direction are correlated variables.

    Parameters
    ----------
    correlations : array-like of shape (n_features, n_components)
        Correlations of variables (rows) and components.
    names : sequence of str or None, default=None
        Names of the variables; None means x0, x1, ... The 40 longest arrows are named.
    axes : (int, int), default=(0, 1)
        The components to the right and upwards.
    variance_ratio : array-like of shape (n_components,) or None, default=None
        Explained shares, shown beside the components.
    ax : matplotlib Axes or None, default=None
    """
    tips, names = check_arrows("correlations", correlations, names, axes)
    if (np.hypot(*tips.T) > 1 + 1e-6).any():
        raise ValueError(
            "correlations has rows longer than 1, which correlations with uncorrelated components "
            "cannot be. Divide the loadings by the standard deviations of the variables."
        )
    left, right = (names_width(names[i] for i in side) for side in named_sides(tips))
    ax = open_axes(ax, (5.6 + left + right, 6.0))
    width, height = inches(ax)
    # in inches; in a small place names rather stick out than leave no room for the circle
    radius = min(max(width - left - right, 0.55 * width) / 2.3, height / 2.5)

    angle = np.linspace(0, 2 * np.pi, 361)
    circle = np.cos(angle), np.sin(angle)
    ax.plot(*circle, color=MUTED, lw=1.2, zorder=1)
    ax.plot(0.5 * circle[0], 0.5 * circle[1], color=GRID, lw=1, zorder=0)
    ax.plot([-1, 1, np.nan, 0, 0], [0, 0, np.nan, -1, 1], color=GRID, lw=1, zorder=0)
    ax.set(aspect="equal", xlim=(-1.15 - left / radius, 1.15 + right / radius), ylim=(-1.25, 1.25))
    ax.axis("off")
    draw_arrows(ax, tips, names, MAIN, columns=(-1.13, 1.13), rim=1.04)
    rightwards, upwards = (component_label(j, variance_ratio) for j in axes)
    ax.text(0, -1.1, f"{rightwards} →", ha="center", va="top")
    ax.text(0, 1.1, f"↑ {upwards}", ha="center", va="bottom")
    return ax


@house_style()
def biplot(
    Z: Any,
    loadings: Any,
    names: Sequence[Any] | None = None,
    labels: Any = None,
    axes: tuple[int, int] = (0, 1),
    *,
    variance_ratio: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Rows as points and variables as arrows, in the plane of two components.

    Parameters
    ----------
    Z : array-like of shape (n, n_components)
        Codes of the rows: their coordinates along the components.
    loadings : array-like of shape (n_features, n_components)
        Arrows of the variables: loadings, `components_.T` or correlations. Their common length is
        chosen to fit the points: directions and ratios have a meaning, lengths have not.
    names : sequence of str or None, default=None
        Names of the variables; None means x0, x1, ... The 40 longest arrows are named.
    labels : array-like of shape (n,) or None, default=None
        Groups of the rows, shown by colour.
    axes : (int, int), default=(0, 1)
        The components to the right and upwards.
    variance_ratio : array-like of shape (n_components,) or None, default=None
        Explained shares, shown beside the components.
    ax : matplotlib Axes or None, default=None
    """
    tips, names = check_arrows("loadings", loadings, names, axes)
    points = check_points("Z", Z, axes)
    groups = check_groups(labels, len(points))
    reach = np.hypot(*points.T).max() or 1.0
    tips = 0.9 * reach / (np.hypot(*tips.T).max() or 1.0) * tips
    everything = np.vstack([points, at_rim(tips, reach)])
    low, high = everything.min(axis=0) - 0.04 * reach, everything.max(axis=0) + 0.04 * reach
    left, right = (names_width(names[i] for i in side) for side in named_sides(tips))
    wide, tall = 4.6 * (high - low) / max(high - low)
    ax = open_axes(ax, (wide + left + right + 0.9, max(tall, 2.6) + 0.9))
    width, height = inches(ax)
    inch = max((high - low) / [max(width - left - right, 0.55 * width), height])

    draw_points(ax, points, groups, legend_at="above")
    ax.set(
        aspect="equal", xlim=(low[0] - left * inch, high[0] + right * inch), ylim=(low[1], high[1])
    )
    ax.plot([low[0], high[0]], [0, 0], color=GRID, lw=1, zorder=0)
    ax.axvline(0, color=GRID, lw=1, zorder=0)
    ax.grid(False)
    draw_arrows(ax, tips, names, INK, columns=(low[0], high[0]), rim=reach)
    ax.set_xticks([tick for tick in ax.get_xticks() if low[0] <= tick <= high[0]])  # not at names
    rightwards, upwards = (component_label(j, variance_ratio) for j in axes)
    ax.set(xlabel=rightwards, ylabel=upwards)
    return ax


@house_style()
def loadings_heatmap(
    loadings: Any,
    names: Sequence[Any] | None = None,
    factor_names: Sequence[Any] | None = None,
    *,
    cutoff: float = 0.3,
    ax: Axes | None = None,
) -> Axes:
    """Loadings as a table of colours: red positive, blue negative, white none.

    Parameters
    ----------
    loadings : array-like of shape (n_features, n_factors)
    names, factor_names : sequence of str or None, default=None
        Names of variables and factors; None means x0, x1, ... and F1, F2, ...
    cutoff : float, default=0.3
        Loadings at least this large are printed in bold, smaller ones pale. With more than 60
        variables or 15 factors there is no room for numbers.
    ax : matplotlib Axes or None, default=None
    """
    L = check_matrix("loadings", loadings)
    d, k = L.shape
    names = check_names("names", names, d, "x{}")
    factors = check_names("factor_names", factor_names, k, "F{}", first=1)
    has_numbers = d <= 60 and k <= 15
    row = LINE_HEIGHT * (1.25 if has_numbers else 1.0 if d <= 60 else 60 / d)
    column = 0.62 if has_numbers else 0.3
    width = CHARACTER * max(map(len, names)) + column * k + 1.1
    ax = open_axes(ax, (max(width, 2.5), max(row * d, 1.0) + 0.6))

    limit = np.abs(L).max() or 1.0
    image = ax.imshow(L, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto")
    if has_numbers:
        for (i, j), value in np.ndenumerate(L):
            large = abs(value) >= cutoff
            color = "white" if abs(value) > 0.65 * limit else INK if large else MUTED
            weight = "bold" if large else "normal"
            shown = f"{value:.2f}".replace("-0.00", "0.00")
            ax.text(j, i, shown, ha="center", va="center", color=color, weight=weight, fontsize=8.5)
    name_ticks(ax, "y", names, every=max(1, d // 60))
    name_ticks(ax, "x", factors, every=max(1, k // 30))
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    _cell_borders(ax, d, k)
    bar = ax.figure.colorbar(image, ax=ax, shrink=min(1.0, 3 / (row * d + 0.1)), aspect=14)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    return ax


def _cell_borders(ax: Axes, d: int, k: int) -> None:
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    for i in range(1, d if d <= 60 else 0):
        ax.axhline(i - 0.5, color="white", lw=1)
    for j in range(1, k):
        ax.axvline(j - 0.5, color="white", lw=1)
