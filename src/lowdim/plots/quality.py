"""How good maps and samples are: Shepard's diagram, kept neighbours, shares of drawn rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_vector
from lowdim.plots.style import INK, MAIN, MARK, MUTED, NAME, color_bar, fade, house_style, open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY_PAIRS = 20_000  # from here on a diagram shows counts, not points
FEW_POINTS = 500  # of a curve that is drawn over a logarithmic axis


@house_style()
def shepard(
    dissimilarity: Any,
    distance: Any = None,
    disparity: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Shepard's diagram: distances in a map over dissimilarities, and the rising curve near them.

    `plots.shepard(lowdim.shepard(D, Y))` draws one. Many pairs become counts.

    Parameters
    ----------
    dissimilarity : array-like of shape (m,), or what `lowdim.shepard` returns
        Of each pair.
    distance : array-like of shape (m,)
        Of each pair, in the map.
    disparity : array-like of shape (m,) or None, default=None
        What distances should be: the curve. None draws none.
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.
    """
    if hasattr(dissimilarity, "disparity"):
        dissimilarity, distance, disparity = dissimilarity
    elif distance is None:
        raise ValueError("distance is None; give what lowdim.shepard(D, Y) returns, or its parts.")
    delta = check_vector("dissimilarity", dissimilarity)
    d = check_vector("distance", distance, len(delta))
    f = check_vector("disparity", disparity, len(delta))
    ax = open_axes(ax, (5.4, 4.6))
    if len(delta) > MANY_PAIRS:
        shades = fade("#DCE8F2", MAIN, "#06213A")
        image = ax.hexbin(delta, d, gridsize=90, bins="log", cmap=shades, mincnt=1, lw=0.1)
        color_bar(ax, image, "pairs per cell").formatter = "{x:g}"
    else:
        size, alpha = (
            np.clip(900 / len(delta) ** 0.6, 2, 22),
            np.clip(12 / len(delta) ** 0.4, 0.2, 0.8),
        )
        ax.scatter(
            *(delta, d),
            s=float(size),
            alpha=float(alpha),
            color=MAIN,
            linewidths=0,
            rasterized=True,
        )
    if f is not None:
        order = np.argsort(delta, kind="stable")
        ax.step(delta[order], f[order], where="mid", color=MARK, lw=1.8, zorder=3)
    ax.set(xlabel="dissimilarity", ylabel="distance in the map")
    ax.set_ylim(bottom=0)
    return ax


@house_style()
def kept_neighbors(
    curve: Any, *, n_neighbors: int | None = None, name: str = "", ax: Axes | None = None
) -> Axes:
    """How many neighbours a map keeps beyond chance, over sizes of neighbourhoods.

    Parameters
    ----------
    curve : array-like of shape (m,)
        R_NX(k) for k = 1, 2, ..., such as `lowdim.map_quality(X, Y).curve`.
    n_neighbors : int or None, default=None
        A size to mark.
    name : str, default=''
        Of the map, for a legend. Curves of several maps may be drawn on the same `ax`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.
    """
    R = check_vector("curve", curve)
    ax = open_axes(ax, (6.0, 3.8))
    k = np.arange(1, len(R) + 1)
    shown = np.unique(np.geomspace(1, len(R), FEW_POINTS).astype(int)) - 1
    label = {"label": name} if name else {}
    ax.plot(k[shown], R[shown], **label)
    if n_neighbors is not None:
        ax.axvline(n_neighbors, color=MUTED, lw=0.9, linestyle=":", zorder=1)
    ax.axhline(0.0, color=INK, lw=0.8, zorder=1)
    ax.set(xscale="log", xlabel="nearest rows k", ylabel="kept beyond chance, $R_{NX}(k)$")
    ax.set_xlim(1, max(len(R), 2))
    ax.set_ylim(min(0.0, float(R.min())) - 0.02, 1.0)
    if name:
        ax.legend(loc="best")
    return ax


@house_style()
def sample_shares(
    values: Mapping[str, float], honest: Mapping[str, float], *, ax: Axes | None = None
) -> Axes:
    """Measures of a sample that are shares, each on a line with what honest draws have.

    `lowdim.sample_quality(real, fake).plot()` draws one.

    Parameters
    ----------
    values : mapping of str to float
        The measures, from top to bottom.
    honest : mapping of str to float
        What each is for rows of the true distribution.
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.
    """
    names = list(values)
    if lacking := [name for name in names if name not in honest]:
        raise ValueError(f"honest lacks {lacking[0]!r}; it needs a number for each of values.")
    found = check_vector("values", [values[name] for name in names])
    aim = check_vector("honest", [honest[name] for name in names], len(found))
    ax = open_axes(ax, (6.0, 1.1 + 0.32 * len(names)))
    place = np.arange(len(names))
    ax.hlines(place, np.minimum(found, aim), np.maximum(found, aim), color=MUTED, lw=1.2, zorder=2)
    ax.plot(aim, place, ls="none", marker="|", ms=14, mew=2, color=MARK, label="honest draws")
    ax.plot(found, place, ls="none", marker="o", ms=7, color=MAIN, zorder=3, label="this sample")
    ax.set_yticks(place, names, **NAME)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(-0.03, max(1.03, 1.05 * float(found.max())))
    ax.set_xlabel("share")
    ax.grid(False, axis="y")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    return ax
