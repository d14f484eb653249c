"""Where a table has missing values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_names
from lowdim.plots.style import CHARACTER, MAIN, fade, house_style, name_ticks, open_axes, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAX_BANDS = 400  # bands of rows in a missing map


@house_style()
def missing_map(X: Any, names: Sequence[Any] | None = None, *, ax: Axes | None = None) -> Axes:
    """Where a table has missing values: rows downwards, columns to the right, missing entries dark.

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
    names = check_names("names", names, d, "x{}")
    missing = np.isnan(X)
    by_column = missing.mean(axis=0)
    complete = int(n - missing.any(axis=1).sum())

    # rows start, start + 1, ... up to the next start share a band
    starts = np.unique(np.linspace(0, n, min(n, MAX_BANDS), endpoint=False).astype(int))
    count = np.diff([*starts, n])
    share = np.add.reduceat(missing, starts, axis=0, dtype=np.float64) / count[:, None]

    ax = open_axes(ax, (float(np.clip(1.6 + 0.42 * d, 4.2, 11)), 4.6))
    area = {"extent": (-0.5, d - 0.5, n, 0), "aspect": "auto", "interpolation": "nearest"}
    ax.imshow(share, cmap=fade("#F1F1EE", MAIN), vmin=0, vmax=1, **area)
    crowded = d > 30
    shown = [
        f"{name}  {percent(part)}" if part > 0 else name
        for name, part in zip(names, by_column, strict=True)
    ]
    name_ticks(ax, "x", shown, every=max(1, d // 40) if crowded else 1)
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
        ylabel="row", xlabel=f"{percent(missing.mean())} missing; {complete} of {n} rows complete"
    )
    ax.grid(False)
    return ax
