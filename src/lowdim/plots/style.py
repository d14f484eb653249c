"""How figures look: colours, settings of matplotlib, axes, legends and the words beside them.

Colour-blind readers can distinguish the colours. Nothing here changes matplotlib's global
settings; `with house_style():` lends them to figures of your own. matplotlib is imported when the
first figure is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

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


def open_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The Axes given, in our style as far as still possible; or those of a new figure."""
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=size, layout="constrained")[1]
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(True, color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def legend(ax: Axes, keys: list[Any], names: Sequence[Any], place: str = "best") -> None:
    """A legend inside, above or beside the picture; its entries may be any text."""
    outside: dict[str, dict[str, Any]] = {
        "above": {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": min(5, len(keys))},
        "beside": {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)},
    }
    where = outside.get(place, {"loc": place})
    # matplotlib leaves out entries that begin with an underscore: the names come afterwards
    drawn = ax.legend(keys, ["M" * len(shortened(str(name))) for name in names], **where)
    for text, name in zip(drawn.get_texts(), names, strict=True):
        text.set(text=shortened(str(name)), parse_math=False)


def color_bar(ax: Axes, image: Any, name: str) -> Any:
    """A bar beside the picture that says what its colours mean."""
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=24, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, which="both")
    bar.set_label(name, parse_math=False)
    if bar.solids is not None:
        bar.solids.set(alpha=1)
    return bar


def whole_numbers(ax: Axes) -> None:
    """Ticks to the right at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def name_ticks(ax: Axes, direction: str, names: Sequence[str], every: int) -> None:
    """Every so many of the names, along the x or the y axis."""
    axis = ax.xaxis if direction == "x" else ax.yaxis
    axis.set_ticks(range(0, len(names), every), list(names[::every]), parse_math=False)


def fade(*colors: str) -> Any:
    """A colour map from the first colour to the last."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("fade", colors)


def inches(ax: Axes) -> np.ndarray:
    """Width and height of the Axes, about as they will be drawn."""
    figure, box = ax.figure, ax.get_position(original=True)
    # a layout engine, which comes later, takes back most of the margins
    gain = 1.2 if figure.get_layout_engine() is not None else 1.0
    width, height = gain * figure.bbox.size / figure.dpi * [box.width, box.height]
    if ax.get_aspect() == 1.0 and ax.get_adjustable() == "box":  # the narrower direction decides
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        height = min(height, width * (high - low) / (right - left))
    return np.array([width, height])


def component_label(j: int, variance_ratio: Any) -> str:
    """The name of a component, with its share of the variance where it is known."""
    name = f"component {j + 1}"
    return name if variance_ratio is None else f"{name} ({percent(variance_ratio[j])})"


def percent(share: float) -> str:
    """A share in percent, with no more digits than one wants to read."""
    percent = 100 * float(share)
    return "<0.1 %" if 0 < percent < 0.1 else f"{percent:.1f}".removesuffix(".0") + " %"


def counted(count: int, what: str) -> str:
    """So many of something, in English."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def shortened(name: str) -> str:
    """A name with no more characters than a label has room for."""
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"
