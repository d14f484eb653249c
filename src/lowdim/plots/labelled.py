"""Maps whose points have names: cities, colours, words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_points
from lowdim.plots.maps import scatter_map
from lowdim.plots.style import CHARACTER, INK, LINE_HEIGHT, NAME, house_style, inches, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# where a name may stand: beside its point, above, below, in the corners; then farther away (inches)
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
PLACES = tuple((side, gap) for gap in (0.04, 0.12) for side in SIDES)
FEW_TEXTS = 40  # they are written closely rather than left out
MOST_TEXTS = 500  # names that are tried: of more points, the first have theirs


@house_style()
def map(  # `lowdim.plots.map`: this module needs no other one of that name
    Y: Any,
    labels: Any = None,
    *,
    text: Sequence[Any] | None = None,
    colors: Any = None,
    colors_name: str = "",
    axes: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """A map: a point for each row, with names beside the points and colours of any meaning.

    A name has a place beside its point where it covers no other one; where there is no room, it is
    left out, later ones first.

    Parameters
    ----------
    Y : array-like of shape (n, n_components)
        Places of the rows, such as `embedding_` of a model.
    labels : array-like of shape (n,) or None, default=None
        Groups, one colour each: up to 10 in a legend, more named in the map.
    text : sequence of n or None, default=None
        The name of each point; None or '' for points without one.
    colors : array-like of shape (n,) or (n, 3), or None, default=None
        A quantity to show by colour (NaN are grey); or the colours themselves, as matplotlib names
        them or as red, green and blue from 0 to 1.
    colors_name : str, default=''
        What the quantity is.
    axes : (int, int), default=(0, 1)
        The columns of Y to the right and upwards.
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.
    """
    points = check_points("Y", Y, axes)
    names = _names(text, len(points))
    own = _own_colors(colors, len(points))
    if own is None:
        ax = scatter_map(points, labels, colors, colors_name=colors_name, ax=ax)
    elif labels is not None:
        raise ValueError("labels and colors are both given; a point has one colour: choose one.")
    else:
        ax = scatter_map(points, ax=ax)
        for drawn in ax.collections:
            drawn.remove()
        size = float(np.clip(9000 / len(points) ** 0.75, 2, 160))
        ax.scatter(*points.T, color=own, s=size, lw=0.4, edgecolors=INK, zorder=2)
    if any(names):
        drawn = ax.collections[-1].get_sizes()
        _write_names(ax, points, names, np.sqrt(drawn.max()) / 2 / 72 if len(drawn) else 0.0)
    return ax


def _names(text: Sequence[Any] | None, n: int) -> list[str]:
    if text is None:
        return [""] * n
    if isinstance(text, str) or len(text) != n:
        given = repr(text) if isinstance(text, str) else f"{len(text)} entries"
        raise ValueError(f"text is {given}; give one name for each of the {n} points.")
    return ["" if name is None else shortened(str(name)) for name in text]


def _own_colors(colors: Any, n: int) -> np.ndarray | None:
    """Colours that are given as such, (n, 4); None if there are none, or a quantity."""
    if colors is None:
        return None
    from matplotlib.colors import to_rgba_array

    given = np.asarray(colors)
    if given.dtype.kind in "biuf" and given.ndim == 1:
        return None
    if given.dtype.kind not in "USOf" or len(given) != n:
        raise ValueError(
            f"colors has shape {given.shape}; give a number or a colour for each of the {n} points."
        )
    try:
        return np.asarray(to_rgba_array(colors if given.ndim == 2 else list(given)))
    except (ValueError, TypeError) as error:
        if given.dtype.kind == "O":
            return None  # numbers among them None: a quantity
        raise ValueError(f"colors does not hold colours ({error}).") from error


def _write_names(ax: Axes, points: np.ndarray, names: list[str], radius: float) -> None:
    """Names beside their points, of a radius in inches, at the first place that is free."""
    inch = max(*(1.08 * np.ptp(points, axis=0) / inches(ax)), np.finfo(float).tiny)
    at = points / inch  # in inches
    boxes = np.empty((0, 4))  # left, right, low, high of the names so far
    wanted = [i for i, name in enumerate(names) if name][:MOST_TEXTS]
    tightness = (1.0, 0.8) if len(wanted) <= FEW_TEXTS else (1.0,)
    for i in wanted:
        for tight, (side, gap) in product(tightness, PLACES):
            width, height = tight * 1.15 * CHARACTER * len(names[i]), tight * LINE_HEIGHT
            x, y = at[i] + (gap + radius) * np.array(side)
            left, low = x - width * (1 - side[0]) / 2, y - height * (1 - side[1]) / 2
            box = np.array([left, left + width, low, low + height])
            if not _covers(box, boxes) and not _covers_points(box, at):
                boxes = np.vstack([boxes, box])
                _write(ax, (x * inch, y * inch), names[i], side)
                break


def _write(ax: Axes, place: tuple[float, float], name: str, side: tuple[int, int]) -> None:
    across = {1: "left", 0: "center", -1: "right"}[side[0]]
    up = {1: "bottom", 0: "center", -1: "top"}[side[1]]
    ax.text(*place, name, color=INK, ha=across, va=up, zorder=6, **NAME)


def _covers(box: np.ndarray, boxes: np.ndarray) -> bool:
    left, right, low, high = boxes.T
    return bool(((left < box[1]) & (box[0] < right) & (low < box[3]) & (box[2] < high)).any())


def _covers_points(box: np.ndarray, at: np.ndarray) -> bool:
    x, y = at.T
    return bool(((box[0] < x) & (x < box[1]) & (box[2] < y) & (y < box[3])).any())
