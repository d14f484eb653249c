"""Figures, from plain arrays, in one style.

Each function draws on `ax`, or on a new figure, and returns the Axes: change what you like
afterwards, or `ax.figure.savefig(...)`. Colours can be told apart by colour-blind readers. Nothing
here changes matplotlib's global settings; `with house_style():` lends them to figures of your own.
matplotlib is imported when the first figure is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito (2008), without the yellow that vanishes on white; then four more for many groups
PALETTE = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
    *("#6A3D9A", "#7F7F7F", "#8C510A", "#A3B82A"),
)
INK, MUTED, GRID, PALE = "#262626", "#757575", "#E4E4E4", "#B9CFE0"
MAIN, MARK = PALETTE[0], PALETTE[1]
DIVERGING = "RdBu_r"
SEQUENTIAL = "viridis"

FONT_SIZE = 10.0
SMALL_FONT = 9.0
LINE_HEIGHT = 1.45 * SMALL_FONT / 72  # inches from one small label to the next
CHARACTER = 0.58 * SMALL_FONT / 72  # inches, on average
LONGEST_LABEL = 28
NAME: dict[str, Any] = {"fontsize": SMALL_FONT, "parse_math": False}  # a $ in a name is a dollar
MAX_LABELS = 40  # variables named in a circle or biplot, those with the longest arrows
MAX_LEGEND = len(PALETTE)  # groups in a legend; more are named in the map itself
MANY_POINTS = 100_000  # from here on an uncoloured map shows counts, not points
MAX_BANDS = 400  # bands of rows in a missing map

STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": FONT_SIZE,
    "figure.dpi": 110,
    "font.size": FONT_SIZE,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.fontsize": SMALL_FONT,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "savefig.dpi": 160,
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": SMALL_FONT,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": SMALL_FONT,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Our settings for matplotlib, until the end of the `with`; also a decorator."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(
            'Figures need matplotlib, which is not installed: pip install "lowdim[report]".'
        ) from error
    settings = {**STYLE, "axes.prop_cycle": matplotlib.cycler(color=PALETTE)}
    with matplotlib.rc_context(settings):
        yield


# ---- how many components -------------------------------------------------------------------------


@house_style()
def scree(
    variance_ratio: Any,
    chosen: int | None = None,
    errors: Any = None,
    parallel: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Share of the variance that each component explains.

    Parameters
    ----------
    variance_ratio : array-like of shape (k,)
        Explained shares, between 0 and 1.
    chosen : int or None, default=None
        Number of components kept: they are filled, and their share is told.
    errors : array-like of shape (k,) or None, default=None
        Standard errors of the shares.
    parallel : array-like of shape (k,) or None, default=None
        Shares that data without structure would give (parallel analysis).
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.
    """
    ratio = _check_vector("variance_ratio", variance_ratio)
    errors = _check_vector("errors", errors, len(ratio))
    parallel = _check_vector("parallel", parallel, len(ratio))
    if chosen is not None and not 0 <= chosen <= len(ratio):
        raise ValueError(f"chosen={chosen} is not between 0 and the {len(ratio)} components.")
    ax = _axes(ax, (6.4, 3.8))
    number = np.arange(1, len(ratio) + 1)
    kept = len(ratio) if chosen is None else chosen
    size = np.clip(160 / len(ratio), 2.5, 7)

    ax.plot(number, 100 * ratio, color=PALE, zorder=2)
    if errors is not None:
        style: dict[str, Any] = {"fmt": "none", "color": MUTED, "capsize": 2.5, "lw": 1}
        ax.errorbar(number, 100 * ratio, yerr=100 * errors, zorder=2, **style)
    dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": size, "zorder": 3}
    ax.plot(number[:kept], 100 * ratio[:kept], color=MAIN, **dots)
    ax.plot(number[kept:], 100 * ratio[kept:], color=PALE, markerfacecolor="white", **dots)
    if parallel is not None:
        ax.plot(number, 100 * parallel, "--", color=MARK, lw=1.3, label="parallel analysis")
        ax.legend(loc="upper right")
    if chosen is not None:
        ax.axvline(chosen + 0.5, color=MUTED, lw=0.9, linestyle=":")
        share = _percent(ratio[:chosen].sum())
        verb = "explains" if chosen == 1 else "explain"
        ax.set_title(f"{_counted(chosen, 'component')} {verb} {share}")
    ax.set(xlabel="component", ylabel="variance explained (%)", xlim=(0.4, len(ratio) + 0.6))
    ax.set_ylim(bottom=0)
    _whole_numbers(ax)
    return ax


@house_style()
def curve_with_errors(
    sizes: Any,
    curve: Any,
    errors: Any = None,
    choice: int | None = None,
    *,
    reference: Any = None,
    xlabel: str = "number of components",
    ylabel: str = "held-out error",
    ax: Axes | None = None,
) -> Axes:
    """A criterion against the size of the model, and the size that was chosen.

    With standard errors, a band shows them, and a line the one-standard-error rule: the smallest
    model below it is as good as the best.

    Parameters
    ----------
    sizes, curve : array-like of shape (m,)
        Sizes compared, and the criterion for each.
    errors : array-like of shape (m,) or None, default=None
        Standard errors of the curve.
    choice : int or None, default=None
        The chosen one of `sizes`.
    reference : array-like of shape (m,) or None, default=None
        A second curve to hold the first against.
    xlabel, ylabel : str
    ax : matplotlib Axes or None, default=None
    """
    sizes = _check_vector("sizes", sizes)
    curve = _check_vector("curve", curve, len(sizes))
    errors = _check_vector("errors", errors, len(sizes))
    reference = _check_vector("reference", reference, len(sizes))
    if choice is not None and choice not in sizes:
        raise ValueError(f"choice={choice} is not one of the {len(sizes)} sizes.")
    ax = _axes(ax, (6.4, 3.8))
    marker_size = float(np.clip(160 / len(sizes), 2.5, 5))

    if errors is not None:
        best = int(np.nanargmin(curve))
        ax.fill_between(
            sizes, curve - errors, curve + errors, color=MAIN, alpha=0.16, lw=0, label="± 1 SE"
        )
        ax.axhline(
            curve[best] + errors[best], color=MUTED, lw=1, linestyle="--", label="best + 1 SE"
        )
    if reference is not None:
        ax.plot(sizes, reference, color=MUTED, lw=1.3, linestyle="--", label="reference")
    ax.plot(sizes, curve, color=MAIN, marker="o", markersize=marker_size, zorder=3)
    if choice is not None:
        at = int(np.flatnonzero(sizes == choice)[0])
        ax.axvline(choice, color=MARK, lw=1, alpha=0.5, zorder=1)
        chosen = {"label": f"chosen: {choice}", "color": MARK, "linestyle": "none", "zorder": 4}
        ax.plot([choice], [curve[at]], marker="o", markersize=9, **chosen)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.margins(x=0.03)
    _whole_numbers(ax)
    return ax


@house_style()
def trace(history: Any, *, ylabel: str = "objective", ax: Axes | None = None) -> Axes:
    """The objective, iteration by iteration.

    Parameters
    ----------
    history : array-like of shape (n_iter,), or mapping of names to such
        `history_` of a fitted model; several, to compare them.
    ylabel : str, default='objective'
    ax : matplotlib Axes or None, default=None
    """
    runs: Mapping[str, Any] = history if isinstance(history, Mapping) else {"": history}
    if not runs:
        raise ValueError("history is empty; give at least one run.")
    curves = {name: _check_vector("history", values) for name, values in runs.items()}
    ax = _axes(ax, (6.4, 3.8))
    longest = max(map(len, curves.values()))
    lines = []
    for j, values in enumerate(curves.values()):
        color = PALETTE[j % len(PALETTE)]
        number = np.arange(1, len(values) + 1)
        (line,) = ax.plot(number, values, color=color, marker="o" if longest <= 30 else "", ms=3.5)
        ax.plot(number[-1:], values[-1:], color=color, marker="o", ms=6, linestyle="none")
        lines.append(line)
    if isinstance(history, Mapping):
        _legend(ax, lines, list(curves))
    else:
        ax.set_title(f"{values[-1]:.6g} after {_counted(len(values), 'iteration')}")
    if longest > 50:
        ax.set_xscale("log")  # the first steps do most of the work
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        _whole_numbers(ax)
    ax.set(xlabel="iteration", ylabel=ylabel)
    return ax


# ---- variables -----------------------------------------------------------------------------------


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

    The nearer an arrow comes to the circle, the better the two components tell that variable;
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
        Explained shares, told beside the components.
    ax : matplotlib Axes or None, default=None
    """
    tips, names = _check_arrows("correlations", correlations, names, axes)
    if (np.hypot(*tips.T) > 1 + 1e-6).any():
        raise ValueError(
            "correlations has rows longer than 1, which correlations with uncorrelated components "
            "cannot be. Divide the loadings by the standard deviations of the variables."
        )
    left, right = (_width(names[i] for i in side) for side in _named(tips))
    ax = _axes(ax, (5.6 + left + right, 6.0))
    width, height = _inches(ax)
    # in inches; in a small place names rather stick out than leave no room for the circle
    radius = min(max(width - left - right, 0.55 * width) / 2.3, height / 2.5)

    angle = np.linspace(0, 2 * np.pi, 361)
    circle = np.cos(angle), np.sin(angle)
    ax.plot(*circle, color=MUTED, lw=1.2, zorder=1)
    ax.plot(0.5 * circle[0], 0.5 * circle[1], color=GRID, lw=1, zorder=0)
    ax.plot([-1, 1, np.nan, 0, 0], [0, 0, np.nan, -1, 1], color=GRID, lw=1, zorder=0)
    ax.set(aspect="equal", xlim=(-1.15 - left / radius, 1.15 + right / radius), ylim=(-1.25, 1.25))
    ax.axis("off")
    _arrows(ax, tips, names, MAIN, columns=(-1.13, 1.13), rim=1.04)
    rightwards, upwards = (_component(j, variance_ratio) for j in axes)
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
        Codes of the rows.
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
        Explained shares, told beside the components.
    ax : matplotlib Axes or None, default=None
    """
    tips, names = _check_arrows("loadings", loadings, names, axes)
    points = _check_points("Z", Z, axes)
    groups = _check_groups(labels, len(points))
    reach = np.hypot(*points.T).max() or 1.0
    tips = 0.9 * reach / (np.hypot(*tips.T).max() or 1.0) * tips
    everything = np.vstack([points, _at_rim(tips, reach)])
    low, high = everything.min(axis=0) - 0.04 * reach, everything.max(axis=0) + 0.04 * reach
    left, right = (_width(names[i] for i in side) for side in _named(tips))
    wide, tall = 4.6 * (high - low) / max(high - low)
    ax = _axes(ax, (wide + left + right + 0.9, max(tall, 2.6) + 0.9))
    width, height = _inches(ax)
    inch = max((high - low) / [max(width - left - right, 0.55 * width), height])

    _points(ax, points, groups, legend_at="above")
    ax.set(
        aspect="equal", xlim=(low[0] - left * inch, high[0] + right * inch), ylim=(low[1], high[1])
    )
    ax.plot([low[0], high[0]], [0, 0], color=GRID, lw=1, zorder=0)
    ax.axvline(0, color=GRID, lw=1, zorder=0)
    ax.grid(False)
    _arrows(ax, tips, names, INK, columns=(low[0], high[0]), rim=reach)
    ax.set_xticks([tick for tick in ax.get_xticks() if low[0] <= tick <= high[0]])  # not at names
    rightwards, upwards = (_component(j, variance_ratio) for j in axes)
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
    L = _check_matrix("loadings", loadings)
    d, k = L.shape
    names = _check_names("names", names, d, "x{}")
    factors = _check_names("factor_names", factor_names, k, "F{}", first=1)
    has_numbers = d <= 60 and k <= 15
    row = LINE_HEIGHT * (1.25 if has_numbers else 1.0 if d <= 60 else 60 / d)
    column = 0.62 if has_numbers else 0.3
    width = CHARACTER * max(map(len, names)) + column * k + 1.1
    ax = _axes(ax, (max(width, 2.5), max(row * d, 1.0) + 0.6))

    limit = np.abs(L).max() or 1.0
    image = ax.imshow(L, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto")
    if has_numbers:
        for (i, j), value in np.ndenumerate(L):
            large = abs(value) >= cutoff
            color = "white" if abs(value) > 0.65 * limit else INK if large else MUTED
            weight = "bold" if large else "normal"
            shown = f"{value:.2f}".replace("-0.00", "0.00")
            ax.text(j, i, shown, ha="center", va="center", color=color, weight=weight, fontsize=8.5)
    _name_ticks(ax, "y", names, every=max(1, d // 60))
    _name_ticks(ax, "x", factors, every=max(1, k // 30))
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    _cell_borders(ax, d, k)
    bar = ax.figure.colorbar(image, ax=ax, shrink=min(1.0, 3 / (row * d + 0.1)), aspect=14)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    return ax


# ---- rows ----------------------------------------------------------------------------------------


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
    points = _check_points("Z", Z, axes)
    groups = _check_groups(labels, len(points))
    colors = _check_vector("colors", colors, len(points))
    ax = _axes(ax, (6.4, 5.4))
    ax.set(aspect="equal")
    ax.set_adjustable("datalim")
    if colors is not None:
        _colored_points(ax, points, colors, colors_name)
    elif labels is None and len(points) >= MANY_POINTS:
        fade = _fade("#DCE8F2", MAIN, "#06213A")
        image = ax.hexbin(*points.T, gridsize=150, bins="log", cmap=fade, mincnt=1, lw=0.1)
        _color_bar(ax, image, "rows per cell").formatter = "{x:g}"
    else:
        _points(ax, points, groups, legend_at="beside")
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    ax.margins(0.04)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


@house_style()
def missing_map(X: Any, names: Sequence[Any] | None = None, *, ax: Axes | None = None) -> Axes:
    """Where a table has holes: rows downwards, columns to the right, missing entries dark.

    Parameters
    ----------
    X : array-like of shape (n, d)
        NaN marks what is missing. Beyond 400 rows, neighbouring rows share a band, which is the
        darker the more of their entries are missing.
    names : sequence of str or None, default=None
        Names of the columns; None means x0, x1, ...
    ax : matplotlib Axes or None, default=None
    """
    X = np.asarray(X)
    if not np.issubdtype(X.dtype, np.floating):
        X = X.astype(np.float64)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"X has shape {X.shape}; a missing map needs rows and columns.")
    n, d = X.shape
    names = _check_names("names", names, d, "x{}")
    missing = np.isnan(X)
    by_column = missing.mean(axis=0)
    complete = int(n - missing.any(axis=1).sum())

    # rows start, start + 1, ... up to the next start share a band
    starts = np.unique(np.linspace(0, n, min(n, MAX_BANDS), endpoint=False).astype(int))
    count = np.diff([*starts, n])
    share = np.add.reduceat(missing, starts, axis=0, dtype=np.float64) / count[:, None]

    ax = _axes(ax, (float(np.clip(1.6 + 0.42 * d, 4.2, 11)), 4.6))
    area = {"extent": (-0.5, d - 0.5, n, 0), "aspect": "auto", "interpolation": "nearest"}
    ax.imshow(share, cmap=_fade("#F1F1EE", MAIN), vmin=0, vmax=1, **area)
    crowded = d > 30
    shown = [
        f"{name}  {_percent(part)}" if part > 0 else name
        for name, part in zip(names, by_column, strict=True)
    ]
    _name_ticks(ax, "x", shown, every=max(1, d // 40) if crowded else 1)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    if crowded:
        place = {"rotation": 90, "ha": "left", "va": "center"}
    elif max(map(len, shown)) * CHARACTER > 0.42:
        place = {"rotation": 45, "ha": "left", "va": "bottom"}
    else:
        place = {}
    for label in ax.get_xticklabels():
        label.set(rotation_mode="anchor", **place)
    for f in range(1, d if not crowded else 0):
        ax.axvline(f - 0.5, color="white", lw=1.2)
    ax.set(
        ylabel="row", xlabel=f"{_percent(missing.mean())} missing; {complete} of {n} rows complete"
    )
    ax.grid(False)
    return ax


# ---- arrows and their names ----------------------------------------------------------------------


def spread_out(wanted: np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """The positions nearest to `wanted`, in the same order, at least `gap` apart, in [low, high].

    Minimises sum (y - wanted)^2 under y_(i+1) - y_i >= gap. For y_i - i gap that is isotonic
    regression, and bounds only clip its result.
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    placed = np.empty(len(wanted))
    level = isotonic_regression(wanted[order] - steps).x
    placed[order] = np.clip(level, low, high - steps[-1]) + steps
    return placed


def _named(tips: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The variables to name on the left and on the right: those with the longest arrows."""
    longest = np.argsort(-np.hypot(*tips.T), kind="stable")[:MAX_LABELS]
    is_left = tips[longest, 0] < 0
    return longest[is_left], longest[~is_left]


def _arrows(
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
    sides = _named(tips)
    head = {"arrowstyle": "-|>,head_length=0.35,head_width=0.16", "shrinkA": 0, "shrinkB": 0}
    for i, tip in enumerate(tips):
        alpha = 0.9 if i in sides[0] or i in sides[1] else 0.3
        ax.annotate("", tip, (0, 0), arrowprops={**head, "color": color, "lw": 1.2, "alpha": alpha})

    low, high = ax.get_ylim()
    inch = (high - low) / _inches(ax)[1]
    for here, column, outwards in zip(sides, columns, ("right", "left"), strict=True):
        if len(here) == 0:
            continue
        gap = min(LINE_HEIGHT * inch, (high - low) / len(here))
        style = {**NAME, "fontsize": SMALL_FONT * max(0.6, gap / (LINE_HEIGHT * inch))}
        ends = _at_rim(tips[here], rim)
        heights = spread_out(ends[:, 1], gap, low + gap / 2, high - gap / 2)
        for i, end, height in zip(here, ends, heights, strict=True):
            x, y = np.array([tips[i], end, (column, height)]).T
            ax.plot(x, y, color=MUTED, lw=0.5, alpha=0.7, zorder=3)
            text = f" {names[i]}" if outwards == "left" else f"{names[i]} "
            ax.text(column, height, text, ha=outwards, va="center", zorder=5, **style)


def _at_rim(tips: np.ndarray, rim: float) -> np.ndarray:
    """Where the arrows, made longer, reach the circle of radius `rim`; 0 stays at 0."""
    length = np.hypot(*tips.T)[:, None]
    return tips * (rim / np.where(length > 0, length, 1.0))


def _width(names: Iterable[str]) -> float:
    """Width of a column of names, in inches."""
    longest = max(map(len, names), default=0)
    return CHARACTER * (longest + 2) if longest else 0.0


def _inches(ax: Axes) -> np.ndarray:
    """Width and height of the Axes, about as they will be drawn."""
    figure, box = ax.figure, ax.get_position(original=True)
    # a layout engine, which comes later, takes back most of the margins
    gain = 1.2 if figure.get_layout_engine() is not None else 1.0
    width, height = gain * figure.bbox.size / figure.dpi * [box.width, box.height]
    if ax.get_aspect() == 1.0 and ax.get_adjustable() == "box":  # the narrower direction decides
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        height = min(height, width * (high - low) / (right - left))
    return np.array([width, height])


# ---- points --------------------------------------------------------------------------------------


def _point_style(n: int) -> dict[str, Any]:
    """The more points, the smaller and the more transparent; pixels instead of paths for many."""
    return {
        "s": float(np.clip(4500 / n**0.75, 1.2, 26)),
        "alpha": float(np.clip(20 / n**0.4, 0.2, 0.85)),
        "linewidths": 0,
        "rasterized": n > 2000,
        "zorder": 2,
    }


class Groups(NamedTuple):
    names: list[str]
    member: np.ndarray  # (n,)  number of the group of each row


def _points(ax: Axes, points: np.ndarray, groups: Groups | None, legend_at: str) -> None:
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
        _legend(ax, keys, groups.names, legend_at)
    else:
        _name_groups(ax, points, groups)


def _name_groups(ax: Axes, points: np.ndarray, groups: Groups) -> None:
    """The name of each group in its middle, or as near to it as there is room."""
    from matplotlib.patheffects import withStroke

    names = [_shortened(name) for name in groups.names]
    inch = max(np.ptp(points, axis=0) / _inches(ax))
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
    _color_bar(ax, image, name)


def group_colors(count: int) -> np.ndarray:
    """One colour per group, (count, 3): our palette, and beyond it the colour wheel."""
    from matplotlib.colors import hsv_to_rgb, to_rgb

    if count <= len(PALETTE):
        return np.array([to_rgb(color) for color in PALETTE[:count]])
    number = np.arange(count)
    hue = number * 0.618 % 1  # neighbours are far apart on the wheel
    return hsv_to_rgb(
        np.column_stack([hue, np.full(count, 0.8), np.array([0.85, 0.6])[number % 2]])
    )


def _color_bar(ax: Axes, image: Any, name: str) -> Any:
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=24, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, which="both")
    bar.set_label(name, parse_math=False)
    if bar.solids is not None:
        bar.solids.set(alpha=1)
    return bar


# ---- small things --------------------------------------------------------------------------------


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The Axes given, in our style as far as still possible; or those of a new figure."""
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=size, layout="constrained")[1]
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(True, color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def _legend(ax: Axes, keys: list[Any], names: Sequence[Any], place: str = "best") -> None:
    """A legend inside, above or beside the picture; its entries may be any text."""
    outside: dict[str, dict[str, Any]] = {
        "above": {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": min(5, len(keys))},
        "beside": {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)},
    }
    where = outside.get(place, {"loc": place})
    # matplotlib leaves out entries that begin with an underscore: the names come afterwards
    legend = ax.legend(keys, ["M" * len(_shortened(str(name))) for name in names], **where)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=_shortened(str(name)), parse_math=False)


def _whole_numbers(ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def _name_ticks(ax: Axes, direction: str, names: Sequence[str], every: int) -> None:
    axis = ax.xaxis if direction == "x" else ax.yaxis
    axis.set_ticks(range(0, len(names), every), list(names[::every]), parse_math=False)


def _cell_borders(ax: Axes, d: int, k: int) -> None:
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    for i in range(1, d if d <= 60 else 0):
        ax.axhline(i - 0.5, color="white", lw=1)
    for j in range(1, k):
        ax.axvline(j - 0.5, color="white", lw=1)


def _fade(*colors: str) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("fade", colors)


def _component(j: int, variance_ratio: Any) -> str:
    name = f"component {j + 1}"
    return name if variance_ratio is None else f"{name} ({_percent(variance_ratio[j])})"


def _percent(share: float) -> str:
    """A share in percent, with no more digits than one wants to read."""
    percent = 100 * float(share)
    return "<0.1 %" if 0 < percent < 0.1 else f"{percent:.1f}".removesuffix(".0") + " %"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"


def _check_vector(name: str, values: Any, length: int | None = None) -> Any:
    """A float vector; None, where a length is asked for, stays None."""
    if values is None and length is not None:
        return None
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1 or len(vector) == 0:
        raise ValueError(f"{name} has shape {vector.shape}; give a list of numbers.")
    if length is not None and len(vector) != length:
        raise ValueError(f"{name} has {len(vector)} entries where {length} are needed.")
    return vector


def _check_matrix(name: str, values: Any) -> np.ndarray:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"{name} has shape {matrix.shape}; give a matrix.")
    if not np.isfinite(matrix).all():
        row = int(np.argmin(np.isfinite(matrix).all(axis=1)))
        raise ValueError(f"{name} has NaN or infinity (first in row {row}), which has no place.")
    return matrix


def _check_points(name: str, values: Any, axes: tuple[int, int]) -> np.ndarray:
    """Two columns of a matrix, (n, 2)."""
    matrix = _check_matrix(name, values)
    k = matrix.shape[1]
    if not all(0 <= j < k for j in axes):
        raise ValueError(f"axes={axes} must be two of the {k} columns of {name}, 0 to {k - 1}.")
    return matrix[:, list(axes)]


def _check_arrows(
    name: str, values: Any, names: Sequence[Any] | None, axes: tuple[int, int]
) -> tuple[np.ndarray, list[str]]:
    tips = _check_points(name, values, axes)
    return tips, _check_names("names", names, len(tips), "x{}")


def _check_names(
    name: str, names: Sequence[Any] | None, count: int, default: str, first: int = 0
) -> list[str]:
    if names is None:
        return [default.format(i + first) for i in range(count)]
    if len(names) != count:
        raise ValueError(f"{name} has {len(names)} entries where {count} are needed.")
    return [_shortened(str(n)) for n in names]


def _check_groups(labels: Any, n: int) -> Groups | None:
    """Groups in sorted order; None stays None."""
    if labels is None:
        return None
    labels = np.asarray(labels)
    if labels.shape != (n,):
        raise ValueError(f"labels has shape {labels.shape}; Z has {n} rows.")
    if labels.dtype == object:  # None or mixed types, which have no order
        labels = labels.astype(str)
    names, member = np.unique(labels, return_inverse=True)
    return Groups([str(name) for name in names], member)
