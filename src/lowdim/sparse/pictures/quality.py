"""How alike two pictures or signals are.

    PSNR    10 log10( peak^2 / mean (a - b)^2 )   in dB
    SSIM    mean over windows of
            (2 m_a m_b + c1) (2 s_ab + c2) / ((m_a^2 + m_b^2 + c1) (s_a^2 + s_b^2 + c2)),
            means m and (co)variances s under a bell of width 1.5; c1, c2 = (0.01, 0.03 peak)^2

Both strip by strip: memory for a strip beside the pictures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import correlate1d

from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.core.validation import check_number
from lowdim.sparse.pictures.signals import Signal, open_signal, peak_of
from lowdim.sparse.pictures.strips import strips, with_margin

RADIUS, WIDTH = 5, 1.5  # of the window: 11 x 11
K1, K2 = 0.01, 0.03
STRIP = 2**18  # pixels: a window needs five sums of each


@single_threaded_blas()
def psnr(a: Any, b: Any, peak: float | None = None) -> float:
    """Peak signal-to-noise ratio of two pictures or signals, in dB; infinite if they are equal.

    Parameters
    ----------
    a, b : array-like of one shape
        Signals (n,), or pictures (h, w) or (h, w, c).
    peak : float or None, default=None
        The range of values. None: that of a's type for whole numbers of 8 and 16 bits; 1 for
        numbers between 0 and 1; else the range of a.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> a = np.zeros((4, 4), np.uint8)
    >>> round(sparse.psnr(a, a + 1), 3)  # 20 log10(255)
    48.131
    """
    A, B, peak = _pair(a, b, peak, "psnr")
    return psnr_of(squared_error(A, B) / A.values.size, peak)


def psnr_of(mean_square: float, peak: float) -> float:
    """In dB."""
    if not mean_square > 0:
        return float("inf")
    return float(20.0 * np.log10(peak) - 10.0 * np.log10(mean_square))


def squared_error(A: Signal, B: Signal) -> float:
    """Sum of squared differences."""

    def of_strip(rows: slice) -> float:
        D = A.values[rows].astype(np.float64) - B.values[rows]
        return float(np.sum(D * D))

    return float(sum(ordered_map(of_strip, strips(A.size))))


@single_threaded_blas()
def ssim(a: Any, b: Any, peak: float | None = None) -> float:
    """Structural similarity of two pictures or signals: 1 if they are equal, less if not.

    The mean over all windows of 11 x 11 pixels (11 numbers) that lie within, and over channels, as
    in Wang et al. (2004).

    Parameters
    ----------
    a, b : array-like of one shape
        Signals (n,), or pictures (h, w) or (h, w, c), of at least 11 pixels along each side.
    peak : float or None, default=None
        The range of values, as of `psnr`.

    Returns
    -------
    float

    References
    ----------
    Wang, Bovik, Sheikh and Simoncelli (2004): Image quality assessment: from error visibility to
    structural similarity, IEEE Transactions on Image Processing 13(4), eq. 13.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> a = np.outer(np.arange(16.0), np.ones(16)) / 15
    >>> sparse.ssim(a, a)
    1.0
    """
    A, B, peak = _pair(a, b, peak, "ssim")
    if min(A.size) < 2 * RADIUS + 1:
        raise ValueError(
            f"a has the shape {A.values.shape}; ssim needs at least {2 * RADIUS + 1} pixels along "
            "each side, the width of its window. psnr needs none."
        )
    return similarity(A, B, peak)


def similarity(A: Signal, B: Signal, peak: float) -> float:
    """SSIM of two signals; NaN where no window fits in."""
    if min(A.size) < 2 * RADIUS + 1:
        return float("nan")
    bell = np.exp(-0.5 * (np.arange(-RADIUS, RADIUS + 1) / WIDTH) ** 2)
    bell /= bell.sum()
    inner = tuple(slice(RADIUS, -RADIUS) for _ in A.size)

    def of_strip(rows: slice) -> float:
        wide = with_margin(slice(rows.start + RADIUS, rows.stop + RADIUS), RADIUS, A.size[0])
        x, y = A.planes(wide), B.planes(wide)
        return sum(float(_map(p, q, bell, peak)[inner].sum()) for p, q in zip(x, y, strict=True))

    windows = (A.size[0] - 2 * RADIUS, *A.size[1:])
    total = sum(ordered_map(of_strip, strips(windows, pixels=STRIP)))
    count = A.channels * windows[0] * (A.size[1] - 2 * RADIUS if len(A.size) == 2 else 1)
    return float(total / count)


def _map(x: np.ndarray, y: np.ndarray, bell: np.ndarray, peak: float) -> np.ndarray:
    def mean(values: np.ndarray) -> np.ndarray:
        for axis in range(values.ndim):
            values = correlate1d(values, bell, axis=axis, mode="nearest")
        return values

    middle = 0.5  # second moments about a point nearby keep their digits
    x, y = x / peak - middle, y / peak - middle
    mx, my = mean(x), mean(y)
    xx, yy, xy = mean(x * x) - mx * mx, mean(y * y) - my * my, mean(x * y) - mx * my
    mx, my = mx + middle, my + middle
    c1, c2 = K1**2, K2**2
    return ((2 * mx * my + c1) * (2 * xy + c2)) / ((mx * mx + my * my + c1) * (xx + yy + c2))


def _pair(a: Any, b: Any, peak: float | None, who: str) -> tuple[Signal, Signal, float]:
    A, B = open_signal("a", a, who), open_signal("b", b, who)
    if A.values.shape != B.values.shape:
        raise ValueError(
            f"a has the shape {A.values.shape} and b {B.values.shape}; {who} compares signals of "
            "one shape."
        )
    if peak is None:
        return A, B, peak_of(A.values)
    return A, B, check_number("peak", peak, 0.0, open_low=True)
