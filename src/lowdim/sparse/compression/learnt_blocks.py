"""Principal components of the blocks of a picture: a basis of its own, which must be stored, too.

    mean, covariance of the blocks of each plane -> eigenvectors, by falling variance

One pass over the tiles for means, one for covariances.

Where coefficients are rounded, so are the components, each as finely as its variance asks for: an
error e of a direction in which blocks vary by s puts e s into others. They are rounded in cosines,
where most numbers are small, and made orthonormal again, one after the other: as the coefficients
are those in the rounded components, rounding costs compactness, and nothing of the picture.
"""

from __future__ import annotations

import functools

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.sparse.compression.bands import cut_blocks, zigzag_cosines
from lowdim.sparse.compression.plan import Learnt, Plan, Rounded, Tile
from lowdim.sparse.pictures.signals import Signal, peak_of

LEVELS = 256.0  # of the peak, to which means are rounded, and leaks of components
LEAST_BITS, MOST_BITS = 3, 14
INDEPENDENT = 1e-3  # length left of a rounded component, without what the others make


def with_components(plan: Plan, signal: Signal, *, rounded: bool = False) -> Plan:
    """The plan with the components of the picture's blocks, exact or in few bytes."""
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
    level = peak_of(signal.values) / LEVELS
    learnt = []
    for mean, C in zip(means, S, strict=True):
        variances, U = _axes(C)
        one = Learnt(mean, U.astype(np.float32))
        learnt.append(_rounded(one, variances, level, block) if rounded else one)
    return plan._replace(learnt=tuple(learnt))


def _axes(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variances, falling, and eigenvectors as rows, their largest entry positive."""
    variances, U = np.linalg.eigh(covariance)
    variances, U = variances[::-1], U.T[::-1]
    largest = np.abs(U).argmax(axis=1)
    signs = np.sign(U[np.arange(len(U)), largest])
    return variances, U * signs[:, None]


# ---- in few bytes --------------------------------------------------------------------------------


def _rounded(one: Learnt, variances: np.ndarray, level: float, block: int) -> Learnt:
    """The same in whole numbers: leaks of all components are about a level."""
    C = zigzag_cosines(block)
    spread = np.sqrt(np.maximum(variances, 0.0)) / level
    bits = np.ceil(np.log2(np.maximum(spread, 1.0))).astype(int).clip(LEAST_BITS, MOST_BITS)
    atoms, mean = one.atoms @ C.T, np.rint(one.mean @ C.T / level)
    while True:
        numbers = np.rint(np.ldexp(atoms, bits[:, None]))
        if bits.min() == MOST_BITS or _independent(numbers):
            break
        bits = np.minimum(bits + 1, MOST_BITS)
    both = np.concatenate([mean[None], numbers]).astype(np.int64)
    return unrounded(Rounded(both, tuple(bits.tolist()), level), block)


def _independent(numbers: np.ndarray) -> bool:
    """Whether rounding leaves the directions in which components are apart."""
    lengths = np.linalg.norm(numbers, axis=1)
    if not lengths.all():
        return False
    left = np.abs(np.diag(np.linalg.qr((numbers / lengths[:, None]).T)[1]))
    return bool(left.min() > INDEPENDENT)


def unrounded(rounded: Rounded, block: int) -> Learnt:
    """Mean and orthonormal components of whole numbers: each without what those before it make."""
    C = zigzag_cosines(block)
    Q, R = np.linalg.qr(rounded.numbers[1:].T.astype(np.float64))
    atoms = (Q * np.where(np.diag(R) < 0, -1.0, 1.0)).T @ C
    return Learnt(rounded.numbers[0] * rounded.step @ C, atoms, rounded)


def first(one: Learnt, k: int, block: int) -> Learnt:
    """The first k components alone."""
    if one.rounded is None:
        return Learnt(one.mean, one.atoms[:k])
    less = one.rounded._replace(numbers=one.rounded.numbers[: k + 1], bits=one.rounded.bits[:k])
    return unrounded(less, block)
