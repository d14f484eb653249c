"""Components as pictures: what each adds to an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_matrix, check_vector
from lowdim.plots.style import DIVERGING, MUTED, NAME, house_style, open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 100  # pictures in one figure
WIDE = 1.5  # width of the figure by its height, about
TILE = 1.0  # inches
GAP = 0.06  # between pictures, as a part of their larger side
LINE = 0.18  # inches, for the numbers


@house_style()
def parts(
    components: Any,
    shape: tuple[int, ...],
    mean: Any = None,
    values: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Components of images as images: eigenfaces, parts, independent components, atoms.

    Components of one sign, as those of NMF, go from black (0) to white; others from blue (negative)
    by white (0) to red. Each picture has its own scale: the lengths of components mean nothing.

    Parameters
    ----------
    components : array-like of shape (k, d)
        `components_` of a model; the first 100 are drawn.
    shape : (height, width) or (height, width, 3)
        Of an image, with height * width (* 3) = d.
    mean : array-like of shape (d,) or None, default=None
        The mean image, which comes first.
    values : array-like of shape (k,) or None, default=None
        A number to stand above each component, such as `explained_variance_ratio_`.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> ax = plots.parts(np.eye(4), (2, 2))
    """
    C = check_matrix("components", components)
    shape = _checked_shape(shape, C.shape[1])
    values = check_vector("values", values, len(C))
    first = check_vector("mean", mean, C.shape[1])
    k = min(len(C), MOST)
    tiles = [] if first is None else [_shown(first, shape, signed=False, low=first.min())]
    signed = bool((C < 0).any())
    tiles += [_shown(part, shape, signed) for part in C[:k]]
    names = [] if first is None else ["mean"]
    names += [""] * k if values is None else [f"{value:.3g}" for value in values[:k]]
    return _draw(tiles, names, shape, "" if k == len(C) else f"{k} of {len(C)}", ax)


def _checked_shape(shape: Any, d: int) -> tuple[int, ...]:
    sizes = tuple(int(size) for size in np.atleast_1d(shape))
    if len(sizes) not in (2, 3) or min(sizes) < 1 or (len(sizes) == 3 and sizes[2] != 3):
        raise ValueError(
            f"shape={shape!r} is not that of an image: (height, width) or (height, width, 3)."
        )
    if np.prod(sizes) != d:
        product = " x ".join(map(str, sizes))
        raise ValueError(
            f"shape={shape!r} has {product} = {int(np.prod(sizes))} pixels, and components has {d} "
            "columns."
        )
    return sizes


def _shown(part: np.ndarray, shape: tuple[int, ...], signed: bool, low: float = 0.0) -> np.ndarray:
    """The colours of a component, (height, width, 3)."""
    import matplotlib

    largest = np.abs(part).max() or 1.0
    scaled = 0.5 + 0.5 * part / largest if signed else (part - low) / ((part.max() - low) or 1.0)
    if len(shape) == 3:
        return scaled.reshape(shape)
    colours = matplotlib.colormaps[DIVERGING if signed else "gray"](scaled)
    return np.asarray(colours[:, :3].reshape(*shape, 3))


def _draw(
    tiles: list[np.ndarray], names: list[str], shape: tuple[int, ...], title: str, ax: Axes | None
) -> Axes:
    """All pictures on one canvas, row by row."""
    height, width = shape[:2]
    gap = max(1, round(GAP * max(height, width)))
    named = any(names)
    scale = max(height, width) / TILE  # pixels of an inch
    line = round(LINE * scale) if named else 0
    across = height + gap + line, width + gap
    columns = int(np.clip(round(np.sqrt(WIDE * len(tiles) * across[0] / across[1])), 1, len(tiles)))
    rows = -(-len(tiles) // columns)
    canvas = np.ones((rows * across[0] + gap, columns * across[1] + gap, 3))
    ax = open_axes(ax, (canvas.shape[1] / scale + 0.2, canvas.shape[0] / scale + 0.2))
    for t, (tile, name) in enumerate(zip(tiles, names, strict=True)):
        top, left = (t // columns) * across[0] + gap + line, (t % columns) * across[1] + gap
        canvas[top : top + height, left : left + width] = tile
        if name:
            middle = left + (width - 1) / 2
            ax.text(middle, top - 1, name, ha="center", va="bottom", color=MUTED, **NAME)
    ax.imshow(canvas, interpolation="nearest")
    ax.axis("off")
    if title:
        ax.set_title(title)
    return ax
