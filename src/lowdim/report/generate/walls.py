"""Walls of small images: drawn ones, and real ones beside them."""

from __future__ import annotations

import numpy as np

MOST = 64  # images of a wall
LEAST_SIDE = 48  # pixels of the longer side of an image on a wall
LARGEST_WALL = 1600  # pixels


def wall(images: np.ndarray, across: int | None = None, peak: float | None = None) -> np.ndarray:
    """The first images on one canvas, bytes: (height, width) or (height, width, 3).

    Parameters
    ----------
    images : ndarray of shape (n, h, w) or (n, h, w, c)
    across : int or None
        Images from left to right; None: as many as from top to bottom.
    peak : float or None
        What is white; None: the largest value. The least value, if it is below 0, is black.
    """
    some = images[:MOST].astype(np.float64)
    n, h, w = some.shape[:3]
    low = min(float(some.min()), 0.0)
    high = float(some.max()) if peak is None else peak
    grey = np.rint(255 * np.clip((some - low) / ((high - low) or 1.0), 0.0, 1.0)).astype(np.uint8)
    times = max(1, -(-LEAST_SIDE // max(h, w)))
    across = int(np.ceil(np.sqrt(n))) if across is None else across
    times = max(1, min(times, LARGEST_WALL // (across * w)))
    grey = grey.repeat(times, axis=1).repeat(times, axis=2)
    gap = max(1, times * max(h, w) // 16)
    lines = -(-n // across)
    canvas = np.full(
        (lines * (h * times + gap) - gap, across * (w * times + gap) - gap, *grey.shape[3:]),
        255,
        dtype=np.uint8,
    )
    for i, image in enumerate(grey):
        top, left = (i // across) * (h * times + gap), (i % across) * (w * times + gap)
        canvas[top : top + h * times, left : left + w * times] = image
    return canvas


def walls(drawn: np.ndarray, real: np.ndarray | None, seed: int) -> np.ndarray:
    """Drawn images to the left, as many real ones to the right."""
    if real is None:
        return wall(drawn)
    some = some_of(real, min(len(drawn), MOST), seed)
    peak = float(some.max())
    across = int(np.ceil(np.sqrt(max(len(some), min(len(drawn), MOST)))))
    left, right = wall(drawn, across, peak), wall(some, across, peak)
    height = max(len(left), len(right))
    left, right = (_taller(part, height) for part in (left, right))
    between = np.full((height, max(16, left.shape[1] // 16), *left.shape[2:]), 255, dtype=np.uint8)
    return np.concatenate([left, between, right], axis=1)


def some_of(images: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Some images, drawn at random."""
    chosen = np.random.default_rng(seed).permutation(len(images))[:count]
    return images[np.sort(chosen)]


def _taller(part: np.ndarray, height: int) -> np.ndarray:
    below = np.full((height - len(part), *part.shape[1:]), 255, dtype=np.uint8)
    return np.concatenate([part, below])
