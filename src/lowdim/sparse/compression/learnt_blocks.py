"""Principal components of the blocks of a picture: a basis of its own, which must be stored, too.

    mean, covariance of the blocks of each plane -> eigenvectors, by falling variance

One pass over the tiles for means, one for covariances.
"""

from __future__ import annotations

import functools

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.sparse.compression.bands import cut_blocks
from lowdim.sparse.compression.plan import Learnt, Plan, Tile
from lowdim.sparse.pictures.signals import Signal


def with_components(plan: Plan, signal: Signal) -> Plan:
    """The plan with the components of the picture's blocks."""
    block, cut = int(plan.block or 1), plan.tiles()

    def blocks(tile: Tile) -> np.ndarray:
        planes = plan.planes(signal, tile)
        pad = [(0, -s % block) for s in planes.shape[1:]]
        return np.stack([cut_blocks(np.pad(p, pad, mode="edge"), block) for p in planes])

    def sums(tile: Tile) -> tuple[np.ndarray, int]:
        P = blocks(tile)
        return P.sum(axis=1), P.shape[1]

    found = list(ordered_map(sums, cut))
    n = sum(count for _, count in found)
    totals = np.sum([total for total, _ in found], axis=0)
    means = (totals / n).astype(np.float32)  # (c, d), as stored

    def moments(tile: Tile) -> np.ndarray:
        P = blocks(tile) - means[:, None]
        return P.transpose(0, 2, 1) @ P

    S = functools.reduce(np.add, ordered_map(moments, cut)) / n
    return plan._replace(
        learnt=tuple(Learnt(mean, _axes(C)) for mean, C in zip(means, S, strict=True))
    )


def _axes(covariance: np.ndarray) -> np.ndarray:
    """Eigenvectors as rows, by falling variance, their largest entry positive."""
    U = np.linalg.eigh(covariance)[1].T[::-1]
    largest = np.abs(U).argmax(axis=1)
    signs = np.sign(U[np.arange(len(U)), largest])
    return (U * signs[:, None]).astype(np.float32)
