"""What looks at what: weights of attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_matrix, check_names
from lowdim.plots.style import LINE_HEIGHT, MAIN, fade, house_style, name_ticks, open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 60


@house_style()
def attention_map(
    weights: Any, names: Sequence[Any] | None = None, *, ax: Axes | None = None
) -> Axes:
    """How much each entry of a sequence looks at those before it, dark where much.

    Parameters
    ----------
    weights : array-like of shape (m, m)
        Row i: weights of the inputs when entry i is said; input 0 is the start, input j the entry
        before entry j.
    names : sequence of str or None, default=None
        Names of the m entries; None means x0, x1, ...
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.
    """
    A = check_matrix("weights", weights)
    m = len(A)
    if A.shape != (m, m):
        raise ValueError(f"weights has shape {A.shape}; as many rows as columns are needed.")
    said = check_names("names", names, m, "x{}")
    seen = ["start", *said[:-1]]
    side = max(2.4, LINE_HEIGHT * min(m, MOST_NAMES))
    ax = open_axes(ax, (side + 1.2, side + 0.8))
    later = np.triu(np.ones((m, m), dtype=bool), 1)
    shown = np.ma.masked_array(A, mask=later & (A == 0))
    ax.imshow(shown, cmap=fade("white", MAIN), vmin=0.0, vmax=max(float(A.max()), 1e-12))
    every = max(1, -(-m // MOST_NAMES))
    name_ticks(ax, "y", said, every=every)
    name_ticks(ax, "x", seen, every=every)
    ax.tick_params(length=0, labelrotation=0)
    if max(map(len, seen)) > 2:
        ax.tick_params(axis="x", labelrotation=90)
    ax.grid(False)
    ax.set(xlabel="looks at", ylabel="is said")
    return ax
