"""Coefficients shrunk towards 0, in wavelets or in sines and cosines.

    universal    t = sigma sqrt(2 log n): noise is hardly ever beyond
    bayes        t = sigma^2 / sqrt(max(mean z^2 - sigma^2, 0)), for each band
    sure         the t with the least unbiased estimate of the risk, for each band (soft only)

    soft         sign(z) max(|z| - t, 0)        hard     z where |z| >= t

Wavelets see edges differently by where they stand; so the signal is shifted, shrunk and shifted
back, and the mean of all shifts is taken (cycle spinning).

References: Donoho and Johnstone (1994, 1995); Chang, Yu and Vetterli (2000); Coifman and Donoho
(1995).
"""

from __future__ import annotations

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.sparse.compression.bands import WaveletBands, WholeBands, default_level
from lowdim.sparse.pictures.strips import tiles, with_margin

SHIFTS = {1: 16, 2: 4}  # along each axis
PIECE, MARGIN = 512, 64  # of large pictures; of signals, these squared over 64
LEVELS = 4
RULES = ("bayes", "universal", "sure")


def by_wavelets(plane: np.ndarray, sigma: float, wavelet: str, rule: str, mode: str) -> np.ndarray:
    """A plane without noise, piece by piece."""
    cut = tiles(plane.shape, PIECE)

    def piece(tile: tuple[slice, ...]) -> np.ndarray:
        wide = tuple(
            with_margin(part, MARGIN, length)
            for part, length in zip(tile, plane.shape, strict=True)
        )
        found = _spun(plane[wide], sigma, wavelet, rule, mode)
        inner = (
            slice(part.start - all_.start, part.stop - all_.start)
            for part, all_ in zip(tile, wide, strict=True)
        )
        return found[tuple(inner)]

    out = np.empty_like(plane)
    for tile, part in zip(cut, ordered_map(piece, cut), strict=True):
        out[tile] = part
    return out


def _spun(x: np.ndarray, sigma: float, wavelet: str, rule: str, mode: str) -> np.ndarray:
    """The mean over shifts."""
    level = min(default_level(wavelet, x.shape), LEVELS if x.ndim == 2 else 8)
    # mirrored ends: what is periodic has no jump there
    padded = tuple(-(-(s + 16) >> level) << level for s in x.shape)
    wide = [(0, p - s) for p, s in zip(padded, x.shape, strict=True)]
    X = np.pad(x, wide, mode="symmetric")
    bands = WaveletBands(wavelet, padded, level)
    total = np.zeros(padded)
    axes = tuple(range(x.ndim))
    for shift in np.ndindex(*(SHIFTS[x.ndim],) * x.ndim):
        code = bands.analyze(np.roll(X, shift, axis=axes))
        noise = sigma / bands.lengths  # of a band whose atoms are not of length 1, about
        code[1:] = [
            shrunk(band, float(s), rule, mode) for band, s in zip(code[1:], noise[1:], strict=True)
        ]
        total += np.roll(bands.synthesize(code), tuple(-s for s in shift), axis=axes)
    return total[tuple(slice(s) for s in x.shape)] / SHIFTS[x.ndim] ** x.ndim


def by_frequencies(plane: np.ndarray, sigma: float, rule: str, mode: str) -> np.ndarray:
    """A plane without the frequencies that could be noise; mirrored, so that it has no jumps."""
    cut = tiles(plane.shape, PIECE)
    out = np.empty_like(plane)

    def piece(tile: tuple[slice, ...]) -> np.ndarray:
        x = plane[tile]
        X = np.pad(x, [(0, s) for s in x.shape], mode="symmetric")
        bands = WholeBands("dft", X.shape)
        (z,) = bands.analyze(X)
        first = z[0, 0]
        # a mirrored signal has its energy in cosines, which are sqrt 2 longer along each axis
        ring = _rings(z.shape)
        for number in range(int(ring.max()) + 1):
            inside = ring == number
            z[inside] = shrunk(z[inside], sigma * np.sqrt(2.0) ** x.ndim, rule, mode)
        z[0, 0] = first
        return bands.synthesize([z])[tuple(slice(s) for s in x.shape)]

    for tile, part in zip(cut, ordered_map(piece, cut), strict=True):
        out[tile] = part
    return out


def _rings(shape: tuple[int, ...]) -> np.ndarray:
    """Octaves of frequency, as bands: 0 for the lowest."""
    r, c = np.ogrid[: shape[0], : shape[1]]
    return np.log2(1 + np.hypot(r, c)).astype(int)


def shrunk(z: np.ndarray, sigma: float, rule: str, mode: str) -> np.ndarray:
    """A band of coefficients with white noise, shrunk."""
    t = threshold_of(z, sigma, rule)
    if mode == "hard":
        return np.where(np.abs(z) >= t, z, 0.0)
    return np.sign(z) * np.maximum(np.abs(z) - t, 0.0)


def threshold_of(z: np.ndarray, sigma: float, rule: str) -> float:
    """What is beyond is kept."""
    if rule == "universal":
        return float(sigma * np.sqrt(2.0 * np.log(max(z.size, 2))))
    if rule == "bayes":
        left = float(np.mean(z * z)) - sigma**2
        return float(sigma**2 / np.sqrt(left)) if left > 0 else float(np.abs(z).max(initial=0.0))
    return _sure(z, sigma)


def _sure(z: np.ndarray, sigma: float) -> float:
    """argmin over t of  n - 2 #{|z| <= t} + sum min(|z|, t)^2,  in units of sigma."""
    if sigma == 0:
        return 0.0
    s = np.sort((z.ravel() / sigma) ** 2)
    n = s.size
    risk = n - 2.0 * np.arange(1, n + 1) + np.cumsum(s) + s * np.arange(n - 1, -1, -1)
    best = int(np.argmin(risk))
    t = np.sqrt(s[best]) if risk[best] < n else 0.0
    return float(sigma * min(t, np.sqrt(2.0 * np.log(max(n, 2)))))
