"""Many small pictures in rows and columns: what a network makes of rows, and of codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lowdim.plots.checks import check_vector
from lowdim.plots.style import GRID, MAIN, MARK, MUTED, NAME, house_style, open_axes, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 40  # rows, or columns, of a wall
MOST_ON_WALL = 400
ACROSS = 12  # pictures from left to right, before the next line begins
GAP = 0.08  # between pictures, as a part of their larger side
MOST_NAMES = 11  # of columns; of more, every other has its name
LARGEST = 11.0  # inches of a figure
TILE = 0.75  # inches of a picture, where there is room
CURVE = (40, 60)  # height and width of a curve, in pixels
HOLE = (1.0, 0.72, 0.53)  # what is missing of a picture


@house_style()
def wall(X: Any, shape: Sequence[int] | None = None, *, ax: Axes | None = None) -> Axes:
    """Rows as small pictures, as many from left to right as from top to bottom, about.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The first 400 are drawn, all on one scale of greys; NaN are orange.
    shape : (height, width), (height, width, 3) or None, default=None
        Of rows that are images; None draws a row as a curve over its columns.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> ax = plots.wall(np.eye(4), (2, 2))
    """
    stack = _stack({"X": X}, MOST_ON_WALL)
    across = int(np.ceil(np.sqrt(stack.shape[1])))
    return _draw(_Wall(_folded(stack, across), []), shape, ax, "")


@house_style()
def reconstructions(
    X: Any, X_hat: Any, shape: Sequence[int] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Rows above, and below each what is left of it after coding and decoding.

    Parameters
    ----------
    X, X_hat : array-like of shape (n, d)
        Rows, and what `inverse_transform(transform(X))` gives for them; the first 40 are drawn. NaN
        are orange.
    shape : (height, width), (height, width, 3) or None, default=None
        Of rows that are images; None draws a row as a curve over its columns.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> ax = plots.reconstructions(np.eye(4), 0.9 * np.eye(4), (2, 2))
    """
    pair = _stack({"X": X, "X_hat": X_hat})
    error = float(np.nanmean((pair[0] - pair[1]) ** 2))
    wall = _Wall(_folded(pair), rows=["row", "decoded"] * _folds(pair.shape[1]))
    return _draw(wall, shape, ax, f"mean squared error {error:.3g}")


@house_style()
def latent_plane(
    rows: Any,
    first: Any,
    second: Any,
    shape: Sequence[int] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """What the codes of a plane stand for: a grid of decoded rows.

    Parameters
    ----------
    rows : array-like of shape (m, l, d)
        `rows[i, j]` is decoded from the code (first[j], second[i]).
    first : array-like of shape (l,)
        Values of the first number of a code, to the right.
    second : array-like of shape (m,)
        Values of the second number, upwards.
    shape : (height, width), (height, width, 3) or None, default=None
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> ax = plots.latent_plane(np.random.default_rng(0).random((3, 4, 4)), [-1, 0, 0.5, 1],
    ...                         [-1, 0, 1], (2, 2))
    """
    grid = _grid("rows", rows)
    first = check_vector("first", first, grid.shape[1])
    second = check_vector("second", second, grid.shape[0])
    names = [f"{value:.3g}" for value in second]
    wall = _Wall(grid[::-1], names[::-1], [f"{value:.3g}" for value in first], close=True)
    return _draw(wall, shape, ax, "decoded from the plane of codes")


@house_style()
def traversals(
    rows: Any, values: Any, shape: Sequence[int] | None = None, *, ax: Axes | None = None
) -> Axes:
    """What each number of a code changes: one of them goes along a line, the others stay.

    Parameters
    ----------
    rows : array-like of shape (k, m, d)
        `rows[j, i]` is decoded from the code whose number j has the i-th of the values.
    values : array-like of shape (m,)
    shape : (height, width), (height, width, 3) or None, default=None
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> ax = plots.traversals(np.random.default_rng(0).random((2, 3, 4)), [-1, 0, 1], (2, 2))
    """
    grid = _grid("rows", rows)
    values = check_vector("values", values, grid.shape[1])
    names = [f"code {j + 1}" for j in range(len(grid))]
    return _draw(_Wall(grid, names, [f"{value:.3g}" for value in values]), shape, ax, "")


@house_style()
def noise_chain(
    rows: Any, times: Any, shape: Sequence[int] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Rows on their way to noise, from left to right.

    Parameters
    ----------
    rows : array-like of shape (m, l, d)
        `rows[i, j]` is row i after times[j] steps; at most 40 of each.
    times : array-like of shape (l,)
    shape : (height, width), (height, width, 3) or None, default=None
        Of rows that are images; None draws a row as a curve over its columns.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> ax = plots.noise_chain(np.random.default_rng(0).random((2, 3, 4)), [0, 50, 100], (2, 2))
    """
    grid = _grid("rows", rows)
    times = check_vector("times", times, grid.shape[1])
    names = [f"t = {time:g}" if i == 0 else f"{time:g}" for i, time in enumerate(times)]
    return _draw(_Wall(grid, [""] * len(grid), names), shape, ax, "from rows to noise")


@house_style()
def filled_rows(
    X: Any,
    filled: Any,
    truth: Any = None,
    shape: Sequence[int] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Rows with missing values above, filled below, and beneath, where it is known, the truth.

    Parameters
    ----------
    X : array-like of shape (n, d)
        NaN marks missing values, which are orange; the first 40 rows are drawn.
    filled : array-like of shape (n, d)
        What `impute(X)` gives.
    truth : array-like of shape (n, d) or None, default=None
        The rows before values were taken away.
    shape : (height, width), (height, width, 3) or None, default=None
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> ax = plots.filled_rows([[1, np.nan, 0, 0.5]], [[1, 0.7, 0, 0.5]], shape=(2, 2))
    """
    known = {"X": X, "filled": filled} | ({} if truth is None else {"truth": truth})
    stack = _stack(known)
    names = ["missing", "filled", "truth"][: len(stack)] * _folds(stack.shape[1])
    missing = np.isnan(stack[0])
    title = f"{100 * missing.mean():.3g} % missing"
    if truth is not None and missing.any():
        error = np.sqrt(np.mean((stack[1] - stack[2])[missing] ** 2))
        title += f"; filled to {error:.3g} on average (root mean square)"
    return _draw(_Wall(_folded(stack), names), shape, ax, title)


# ---- rows and columns of pictures ----------------------------------------------------------------


class _Wall(NamedTuple):
    """Rows of numbers, (m, l, d), NaN throughout where there is no picture; and names."""

    grid: np.ndarray
    rows: list[str]
    columns: Sequence[str] = ()
    close: bool = False  # pictures touch each other


def _folds(n: int) -> int:
    return -(-n // ACROSS)


def _folded(stack: np.ndarray, across: int = ACROSS) -> np.ndarray:
    """Lines (m, n, d) cut after every so many pictures: (m * folds, across, d)."""
    m, n, d = stack.shape
    wide = min(n, across)
    full = np.full((m, -(-n // wide) * wide, d), np.nan)
    full[:, :n] = stack
    return full.reshape(m, -1, wide, d).transpose(1, 0, 2, 3).reshape(-1, wide, d)


def _stack(rows: dict[str, Any], most: int = MOST) -> np.ndarray:
    """Matrices of one shape above each other, their first rows."""
    given = {name: np.asarray(values, dtype=np.float64) for name, values in rows.items()}
    (first, X), *others = given.items()
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"{first} has shape {X.shape}; give rows of numbers.")
    for name, Y in others:
        if Y.shape != X.shape:
            raise ValueError(f"{name} has shape {Y.shape}, and {first} {X.shape}.")
    return np.stack([values[:most] for values in given.values()])


def _grid(name: str, rows: Any) -> np.ndarray:
    grid = np.asarray(rows, dtype=np.float64)
    if grid.ndim != 3 or grid.size == 0 or max(grid.shape[:2]) > MOST:
        raise ValueError(
            f"{name} has shape {grid.shape}; give (m, l, d), with at most {MOST} pictures in each "
            "direction."
        )
    return grid


def _image_shape(shape: Sequence[int] | None, d: int) -> tuple[int, ...] | None:
    if shape is None:
        return None
    sizes = tuple(int(size) for size in np.atleast_1d(shape))
    if len(sizes) == 3 and sizes[2] == 1:
        sizes = sizes[:2]
    if (
        len(sizes) not in (2, 3)
        or min(sizes) < 1
        or int(np.prod(sizes)) != d
        or sizes[2:] not in ((), (3,))
    ):
        raise ValueError(
            f"shape={shape!r} is not that of an image of {d} numbers: (height, width) or (height, "
            "width, 3), whose product they are."
        )
    return sizes


def _draw(wall: _Wall, shape: Any, ax: Axes | None, title: str) -> Axes:
    """All pictures on one canvas, each row and column with its name."""
    m, l, d = wall.grid.shape
    sizes = _image_shape(shape, d)
    height, width = CURVE if sizes is None else sizes[:2]
    gap = 0 if wall.close and sizes is not None else max(1, round(GAP * max(height, width)))
    down, across = height + gap, width + gap
    canvas = np.ones((m * down - gap, l * across - gap, 3))
    low, high = np.nanmin(wall.grid), np.nanmax(wall.grid)
    scaled = (wall.grid - low) / ((high - low) or 1.0)
    there = ~np.isnan(wall.grid).all(axis=2)
    ax = open_axes(ax, _figure_size(canvas.shape, max(height, width)))
    for i, j in np.argwhere(there):
        top, left = i * down, j * across
        if sizes is None:
            _curve(ax, scaled[i, j], top, left)
        else:
            canvas[top : top + height, left : left + width] = _colours(scaled[i, j], sizes)
    if sizes is None:
        ax.set(xlim=(-gap, canvas.shape[1] + gap), ylim=(canvas.shape[0] + gap, -gap))
        ax.set_aspect("equal")
    else:
        ax.imshow(canvas, interpolation="nearest")
    _name(ax, wall, (down, across), (height, width))
    ax.set(title=title, xticks=[], yticks=[])
    ax.axis("off")
    return ax


def _figure_size(shape: Sequence[int], side: int) -> tuple[float, float]:
    scale = min(TILE / side, LARGEST / max(shape[:2]))
    return max(shape[1] * scale + 0.8, 3.0), shape[0] * scale + 0.6


def _colours(row: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """(h, w, 3) from numbers between 0 and 1; orange where there is none."""
    light = row.reshape(sizes) if len(sizes) == 3 else row.reshape(*sizes, 1)
    missing = np.isnan(light).any(axis=2, keepdims=True)
    return np.where(missing, HOLE, np.broadcast_to(light, (*sizes[:2], 3)))


def _curve(ax: Axes, row: np.ndarray, top: float, left: float) -> None:
    """A row as a curve over its columns; what is missing is marked at the foot."""
    height, width = CURVE
    x = left + np.linspace(0, width, len(row)) if len(row) > 1 else np.array([left + width / 2])
    foot = top + height
    ax.plot([left, left + width], [foot, foot], color=GRID, lw=0.8, zorder=1)
    marker = "o" if len(row) <= 12 or np.isnan(row).any() else ""
    ax.plot(x, foot - height * row, color=MAIN, lw=1.2, marker=marker, ms=2, zorder=2)
    gone = np.isnan(row)
    ax.plot(x[gone], np.full(gone.sum(), foot), color=MARK, ls="none", marker="|", ms=4, zorder=3)


def _name(ax: Axes, wall: _Wall, step: tuple[int, int], size: tuple[int, int]) -> None:
    for i, name in enumerate(wall.rows):
        place = (-0.15 * size[1], i * step[0] + (size[0] - 1) / 2)
        ax.text(*place, shortened(name), ha="right", va="center", color=MUTED, **NAME)
    foot = (len(wall.grid) - 1) * step[0] + size[0] + 0.05 * size[0]
    every = 1 if len(wall.columns) <= MOST_NAMES else 2
    for j, name in list(enumerate(wall.columns))[::every]:
        middle = j * step[1] + (size[1] - 1) / 2
        ax.text(middle, foot, shortened(name), ha="center", va="top", color=MUTED, **NAME)
