"""Signals and pictures: what compression keeps, coefficients, pictures side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.checks import check_vector
from lowdim.plots.style import DIVERGING, MUTED, NAME, house_style, legend, open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PIXELS = 1200  # along a side, of a picture in a figure
GAP = 0.03  # between pictures, of their width


@house_style()
def rate_distortion(curves: Mapping[str, tuple[Any, Any]], *, ax: Axes | None = None) -> Axes:
    """PSNR over bytes, a curve for each way to compress.

    Parameters
    ----------
    curves : mapping of str to (bytes, psnr)
        Two array-likes of one length for each name.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> from lowdim import plots
    >>> ax = plots.rate_distortion({"dct": ([900, 2000], [30.0, 36.0])})
    """
    if not curves:
        raise ValueError("curves is empty; give at least one curve.")
    checked = {}
    for name, (nbytes, values) in curves.items():
        x = check_vector("bytes", nbytes)
        checked[str(name)] = (x, check_vector("psnr", values, len(x)))
    ax = open_axes(ax, (6.4, 4.0))
    lines = [ax.plot(x, y, marker="o", markersize=4)[0] for x, y in checked.values()]
    ax.set(xscale="log", xlabel="bytes", ylabel="PSNR (dB)")
    legend(ax, lines, list(checked), place="lower right")
    return ax


@house_style()
def coefficient_decay(curves: Mapping[str, Any], *, ax: Axes | None = None) -> Axes:
    """Sizes of coefficients from the largest to the least: the steeper, the sparser.

    Parameters
    ----------
    curves : mapping of str to array-like
        Coefficients of a signal in each basis.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> from lowdim import plots
    >>> ax = plots.coefficient_decay({"haar": [9.9, 1.4, -2.0, 0.1]})
    """
    if not curves:
        raise ValueError("curves is empty; give the coefficients in at least one basis.")
    sizes = {str(name): _falling(values) for name, values in curves.items()}
    ax = open_axes(ax, (6.4, 4.0))
    lines = [ax.plot(np.arange(1, len(z) + 1), z)[0] for z in sizes.values()]
    ax.set(xscale="log", yscale="log", xlabel="coefficients, largest first", ylabel="size")
    legend(ax, lines, list(sizes), place="lower left")
    return ax


def _falling(values: Any) -> np.ndarray:
    z = np.sort(np.abs(check_vector("coefficients", np.ravel(values))))[::-1]
    return np.where(z > 0, z, np.nan)  # a logarithm has no place for 0


@house_style()
def pyramid(coefficients: Any, level: int, *, ax: Axes | None = None) -> Axes:
    """Wavelet coefficients of a picture in the places that they belong to.

    The averages are the small picture at the top left; each level around it has details along rows
    (top right), columns (bottom left) and diagonals. Dark is large, each band on its own scale.

    Parameters
    ----------
    coefficients : array-like of shape (h, w), (h * w,) in the order of `sparse.basis`
        With h and w divisible by 2^level; give the picture's shape by an array (h, w) that holds
        the code of `Basis.analyze`, reshaped.
    level : int
        How often the picture was halved.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots, sparse
    >>> x = np.outer(np.arange(8.0), np.ones(8))
    >>> z = sparse.basis("haar", (8, 8), level=2).analyze(x.ravel())
    >>> ax = plots.pyramid(z.reshape(8, 8), 2)
    """
    Z = np.asarray(coefficients, dtype=np.float64)
    if Z.ndim != 2 or level < 0 or any(s % 2**level for s in Z.shape):
        raise ValueError(
            f"coefficients of shape {Z.shape} are no picture that can be halved {level} times."
        )
    canvas = _laid_out(Z.ravel(), Z.shape, level)
    ax = open_axes(ax, (5.0, 5.0 * Z.shape[0] / Z.shape[1]))
    ax.imshow(canvas, cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
    for j in range(1, level + 1):
        h, w = Z.shape[0] >> j, Z.shape[1] >> j
        ax.plot([-0.5, 2 * w - 0.5], [h - 0.5] * 2, color=MUTED, lw=0.7)
        ax.plot([w - 0.5] * 2, [-0.5, 2 * h - 0.5], color=MUTED, lw=0.7)
    ax.axis("off")
    return ax


def _laid_out(z: np.ndarray, shape: tuple[int, ...], level: int) -> np.ndarray:
    """(h, w) between 0 and 1: the bands of a code, coarse to fine, in their places."""
    canvas = np.zeros(shape)
    h, w = shape[0] >> level, shape[1] >> level
    average = z[: h * w].reshape(h, w)
    spread = np.ptp(average) or 1.0
    canvas[:h, :w] = (average.max() - average) / spread  # a picture: light is light
    used = h * w
    for _ in range(level):
        for top, left in ((h, 0), (0, w), (h, w)):  # along rows, columns, diagonals
            band = np.abs(z[used : used + h * w].reshape(h, w))
            large = np.quantile(band, 0.99) or band.max() or 1.0
            canvas[top : top + h, left : left + w] = np.minimum(band / large, 1.0)
            used += h * w
        h, w = 2 * h, 2 * w
    return canvas


@house_style()
def side_by_side(
    pictures: Mapping[str, Any], difference: bool = True, *, ax: Axes | None = None
) -> Axes:
    """Pictures next to each other, and how the last differs from the first.

    Parameters
    ----------
    pictures : mapping of str to array-like of shape (h, w) or (h, w, c)
        Titles and pictures of one size; whole numbers, or between 0 and 1.
    difference : bool, default=True
        Whether the last panel is last minus first, averaged over channels: red is lighter than
        before, blue darker; the scale is in its title.
    ax : matplotlib Axes or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import plots
    >>> a = np.zeros((8, 8), np.uint8)
    >>> ax = plots.side_by_side({"before": a, "after": a + 3})
    """
    given = [np.asarray(one) for one in pictures.values()]
    if not given or len({one.shape[:2] for one in given}) > 1 or given[0].ndim not in (2, 3):
        raise ValueError("pictures must be at least one picture, all of one size.")
    step = max(1, -(-max(given[0].shape[:2]) // MOST_PIXELS))
    small = [one[::step, ::step] for one in given]
    panels = [_colours(one) for one in small]
    titles = [str(name) for name in pictures]
    if difference and len(small) > 1:
        panel, most = _difference(small[0], small[-1])
        panels.append(panel)
        titles.append(f"difference, ±{most:.3g}")
    h, w = panels[0].shape[:2]
    gap = max(1, round(GAP * w))
    wide = np.ones((h, len(panels) * (w + gap) - gap, 3))
    for j, panel in enumerate(panels):
        wide[:, j * (w + gap) : j * (w + gap) + w] = panel
    ax = open_axes(ax, _size(wide.shape))
    ax.imshow(wide, interpolation="nearest")
    for j, title in enumerate(titles):
        middle = j * (w + gap) + w / 2
        ax.text(middle, -0.02 * h, title, ha="center", va="bottom", **NAME)
    ax.axis("off")
    return ax


def _size(shape: Sequence[int]) -> tuple[float, float]:
    width = 12.0
    return width, min(12.0, width * shape[0] / shape[1] + 0.4)


def _colours(picture: np.ndarray) -> np.ndarray:
    """(h, w, 3) between 0 and 1; transparent parts are white."""
    whole = picture.dtype.kind in "iu"
    x = picture / float(np.iinfo(picture.dtype).max) if whole else picture.astype(np.float64)
    x = np.clip(np.nan_to_num(x, nan=1.0), 0.0, 1.0)
    x = x[:, :, None] if x.ndim == 2 else x
    light = x[:, :, :1] if x.shape[2] < 3 else x[:, :, :3]
    if x.shape[2] in (2, 4):
        light = light * x[:, :, -1:] + 1.0 - x[:, :, -1:]
    return np.broadcast_to(light, (*x.shape[:2], 3)).copy()


def _difference(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, float]:
    import matplotlib

    D = last.astype(np.float64) - first
    D = D.mean(axis=2) if D.ndim == 3 else D
    known = np.abs(D[np.isfinite(D)])
    most = float(np.quantile(known, 0.999)) if known.size else 0.0
    shade = 0.5 + 0.5 * np.nan_to_num(D) / (most or 1.0)
    return matplotlib.colormaps[DIVERGING](np.clip(shade, 0, 1))[:, :, :3], most
