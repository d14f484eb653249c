"""Phase diagrams: where something nearly always succeeds, and where nearly never."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_matrix, check_vector
from lowdim.plots.style import INK, MAIN, MARK, color_bar, fade, house_style, open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@house_style()
def phase_diagram(
    success: Any,
    deltas: Any,
    rhos: Any,
    theory: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """How often sparse codes are found, over measurements and non-zeros.

    `lowdim.sparse.phase_transition(...).plot()` draws one.

    Parameters
    ----------
    success : array-like of shape (n_deltas, n_rhos)
        Shares from 0 to 1.
    deltas : array-like of shape (n_deltas,)
        Measurements for each number, M/N, rising.
    rhos : array-like of shape (n_rhos,)
        Non-zeros for each measurement, K/M, rising.
    theory : array-like of shape (n_deltas,) or None, default=None
        The rho at which half are found: a line.
    ax : matplotlib Axes or None, default=None
        Where to draw; None opens a new figure.

    Examples
    --------
    >>> from lowdim import plots
    >>> ax = plots.phase_diagram([[1, 0], [1, 1]], [0.3, 0.6], [0.2, 0.4], [0.28, 0.44])
    """
    shares = check_matrix("success", success)
    x = _rising("deltas", deltas, shares.shape[0])
    y = _rising("rhos", rhos, shares.shape[1])
    line = check_vector("theory", theory, len(x))
    ax = open_axes(ax, (5.6, 4.4))
    ax.grid(False)
    shades = fade("#FFFFFF", "#B9CFE0", MAIN, "#06213A")
    image = ax.pcolormesh(
        *(_edges(x), _edges(y), shares.T), cmap=shades, vmin=0.0, vmax=1.0, rasterized=True
    )
    color_bar(ax, image, "share of codes found")
    if line is not None:
        ax.plot(x, line, color=MARK, lw=2.0, label="theory: half are found")
        ax.set_ylim(*_edges(y)[[0, -1]])
        ax.legend(loc="upper left", labelcolor=INK)
    ax.set(xlabel="measurements per number, $M/N$", ylabel="non-zeros per measurement, $K/M$")
    return ax


def _rising(name: str, values: Any, length: int) -> np.ndarray:
    vector = np.asarray(check_vector(name, values, length))
    if not (np.diff(vector) > 0).all():
        raise ValueError(f"{name} must rise from each value to the next.")
    return vector


def _edges(values: np.ndarray) -> np.ndarray:
    """Borders of cells around the values."""
    if len(values) == 1:
        return values[0] + np.array([-0.05, 0.05])
    middle = (values[1:] + values[:-1]) / 2
    first, last = 2 * values[0] - middle[0], 2 * values[-1] - middle[-1]
    return np.concatenate([[first], middle, [last]])
