"""Cosines in blocks that overlap by half: no edges between blocks, and still orthonormal.

The modified discrete cosine transform (Princen and Bradley 1986) of blocks of M numbers. Atom k of
block b is the cosine

    sqrt(2 / M) w(n) cos(pi / M (n + 1/2 + M/2)(k + 1/2)),    w(n) = sin(pi (n + 1/2) / 2M),

    n = 0, ..., 2M - 1,

from half a block before the block to half a block after it; the ends of the signal are joined. What
neighbours have in common cancels, since w(n)^2 + w(n + M)^2 = 1.
"""

from __future__ import annotations

import numpy as np
import scipy.fft

from lowdim.sparse.bases.axes import Axis


def lapped(size: int, block: int) -> Axis:
    """One axis in overlapping blocks; codes block by block, each from low to high frequency."""
    M = block
    if M < 2 or M % 2 or size % M:
        raise ValueError(
            f"Blocks of block={M} do not fit a signal of {size} numbers: an even number that "
            f"divides {size} is needed."
        )
    half, window = M // 2, np.sin(np.pi * (np.arange(2 * M) + 0.5) / (2 * M))

    def products(X: np.ndarray) -> np.ndarray:
        lead = X.shape[:-1]
        shifted = np.roll(X, half, axis=-1).reshape(*lead, size // M, M)
        pieces = np.concatenate([shifted, np.roll(shifted, -1, axis=-2)], axis=-1)
        a, b, c, d = np.split(pieces * window.astype(X.dtype), 4, axis=-1)
        # 2M numbers fold to M, of which the fourth cosine transform is taken
        folded = np.concatenate([-c[..., ::-1] - d, a - b[..., ::-1]], axis=-1)
        return scipy.fft.dct(folded, type=4, axis=-1, norm="ortho").reshape(X.shape)

    def signals(Z: np.ndarray) -> np.ndarray:
        lead = Z.shape[:-1]
        folded = scipy.fft.dct(Z.reshape(*lead, size // M, M), type=4, axis=-1, norm="ortho")
        front, back = np.split(folded, 2, axis=-1)
        pieces = np.concatenate([back, -back[..., ::-1], -front[..., ::-1], -front], axis=-1)
        pieces = pieces * window.astype(Z.dtype)
        overlapped = pieces[..., :M] + np.roll(pieces[..., M:], 1, axis=-2)
        return np.roll(overlapped.reshape(*lead, size), -half, axis=-1)

    return Axis(size, size, signals, products, products, True)
