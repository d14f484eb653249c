"""How much noise there is: what patches without texture have in every direction.

    sigma^2 = smallest eigenvalue of the covariance of patches without texture

for noise is as strong in every direction, and structure leaves directions out. (The median of the
finest wavelet details takes fine texture for noise; it serves signals too short for patches.)

Patches without texture are those whose differences between neighbours are what noise can make:
sum of squares <= q sigma^2, with q the quantile 1 - 10^-6 of that sum for noise of variance 1.
sigma and the choice are found in turn. Then they are grouped by brightness, and the group with the
least counts: white noise is as strong in all of them, the grain of a photograph is not.

Patches that reach the ends of the range say nothing (they may be clipped), nor do those in which
most neighbours are equal; where these are the rule, the picture was drawn, and has no noise.

References: Liu, Tanaka and Okutomi (2013), IEEE Transactions on Image Processing 22(12); Donoho and
Johnstone (1994), Biometrika 81(3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import erf, gammaincinv

from lowdim.sparse.compression.plan import TILE
from lowdim.sparse.pictures.colors import OPPONENT, mixed
from lowdim.sparse.pictures.patches import Grid, Shape, as_rows, patches_of
from lowdim.sparse.pictures.signals import Signal
from lowdim.sparse.pictures.strips import strips, tiles

NORMAL_MEDIAN = 0.6744897501960817  # of |g|, for normal g of variance 1
WAVELET = "db2"
MOST_TILES, MOST_PATCHES = 16, 2**17
SIDE, LENGTH = 7, 16  # of patches of pictures and of signals, at the most
EACH = 40  # patches for each of their pixels, at the least
SURE = 1 - 1e-6  # of noise is within the bound
CHANCE = 5  # standard deviations
FEW = 4  # and of those without texture
GROUPS = 8  # by brightness, at the most
ROUNDS, SETTLED = 20, 1e-3
ROUNDING = 1 / 12  # variance of whole numbers


class Sample(NamedTuple):
    """Some tiles of a signal, and which values are the ends of its range."""

    tiles: list[np.ndarray]  # (c, *tile) each, visible channels
    low: float
    high: float


def estimate_sigma(signal: Signal) -> float:
    """Standard deviation of white noise; of a colour picture, the median of its axes."""
    sample = _sample(signal)
    shape = _shape(signal.size)
    axes = _axes(sample, signal.colored)
    if shape is None:
        found = [_by_details(planes) for planes in axes]
    else:
        told = [_telling(planes, sample, shape) for planes in sample.tiles]
        if _drawn(told):
            return 0.0
        chosen = _chosen(told, shape.d)
        equal = np.concatenate([t.share[keep] for t, keep in zip(told, chosen, strict=True)])
        ties = Ties(equal, len(axes), _whole(sample))
        found = [_by_patches(planes, chosen, shape, ties) for planes in axes]
    square = float(np.median(found)) ** 2
    if signal.values.dtype.kind != "f":
        square -= ROUNDING
    return float(np.sqrt(max(square, 0.0)))


def _sample(signal: Signal) -> Sample:
    cut = tiles(signal.size, TILE)
    if len(signal.size) == 1:
        cut = [(part,) for part in strips(signal.size, pixels=TILE * TILE)]
    some = cut[:: -(-len(cut) // MOST_TILES)]
    seen = signal.values[..., : signal.visible] if signal.values.ndim == 3 else signal.values
    planes = [signal.planes(tile)[: signal.visible] for tile in some]
    return Sample(planes, float(seen.min()), float(seen.max()))


def _axes(sample: Sample, colored: bool) -> list[list[np.ndarray]]:
    """For each axis of colour, its planes in all tiles."""
    seen = [mixed(OPPONENT, planes) if colored else planes for planes in sample.tiles]
    return [list(axis) for axis in zip(*seen, strict=True)]


def _by_details(planes: list[np.ndarray]) -> float:
    import pywt

    found = []
    for plane in planes:
        if plane.ndim == 1:
            details = pywt.dwt(plane, WAVELET, "reflect" if plane.size > 1 else "symmetric")[1]
        else:
            details = pywt.dwt2(plane, WAVELET, "symmetric")[1][2]
        found.append(np.abs(details[details != 0]).ravel())  # 0: flat or clipped, no noise
    sizes = np.concatenate(found)
    return float(np.median(sizes) / NORMAL_MEDIAN) if sizes.size else 0.0


def _shape(size: tuple[int, ...]) -> Shape | None:
    """Of patches, so that there are enough of them; None for signals too small for any."""
    if len(size) == 1:
        w = min(LENGTH, size[0] // (EACH + 1))
        return Shape(1, w) if w >= 4 else None
    side = min(SIDE, *size)
    while side >= 3 and math.prod(s - side + 1 for s in size) < EACH * side**2:
        side -= 1
    return Shape(side, side) if side >= 3 else None


def _neighbors(shape: Shape) -> np.ndarray:
    """(differences, d): each pixel of a patch less the one before it, across and down."""
    across, down = (np.diff(np.eye(s), axis=0) for s in (shape.w, shape.h))
    return np.concatenate([np.kron(np.eye(shape.h), across), np.kron(down, np.eye(shape.w))])


def _patches(plane: np.ndarray, shape: Shape, count: int) -> np.ndarray:
    """(n, d): patches of a plane, of all parts of it, about so many."""
    x = as_rows(plane)
    most = math.prod(s - p + 1 for s, p in zip(x.shape, shape, strict=True))
    each = 1 / max(1, plane.ndim)
    return patches_of(x, shape, Grid(max(1, math.ceil((most / count) ** each))))


def _count(planes: list) -> int:
    return -(-MOST_PATCHES // len(planes))


class Ties(NamedTuple):
    """How many neighbours are equal in patches, in all channels."""

    share: np.ndarray  # (n,)
    channels: int
    whole: bool  # whether all numbers are whole, so that some are equal by chance

    def by_chance(self, sigma: float, of: int) -> np.ndarray:
        """(n,): patches in which no more of so many neighbours are equal than noise explains."""
        each = float(erf(0.25 / sigma)) ** self.channels if self.whole and sigma > 0 else 0.0
        return self.share <= each + CHANCE * math.sqrt(each * (1 - each) / of)


def _whole(sample: Sample) -> bool:
    return all(bool((tile == np.rint(tile)).all()) for tile in sample.tiles)


class Telling(NamedTuple):
    """Which patches of a tile tell of noise."""

    share: np.ndarray  # (n,)  of neighbours that are equal
    inside: np.ndarray  # (n,)  neighbours differ, and no pixel is at the ends of the range
    clipped: np.ndarray  # (n,)  neighbours differ
    equal: int  # patches in which most neighbours are equal, but not all


def _telling(planes: np.ndarray, sample: Sample, shape: Shape) -> Telling:
    """Of a tile (c, *tile)."""
    count = _count(sample.tiles)
    D = _neighbors(shape) != 0
    first, second = (np.array([np.flatnonzero(row)[i] for row in D]) for i in (0, 1))
    same: np.ndarray | bool = True
    ends: np.ndarray | bool = False
    for plane in planes:
        P = _patches(plane, shape, count)
        same = same & (P[:, first] == P[:, second])
        ends = ends | ((P == sample.low) | (P == sample.high)).any(axis=1)
    share = np.mean(same, axis=1)
    differ = share < 0.5
    return Telling(share, differ & ~ends, differ, int(((share >= 0.5) & (share < 1)).sum()))


def _drawn(told: list[Telling]) -> bool:
    """Whether most neighbours are equal in more patches than not, of those that are not flat."""
    return sum(t.equal for t in told) >= sum(int(t.clipped.sum()) for t in told)


def _chosen(told: list[Telling], d: int) -> list[np.ndarray]:
    """Patches to look at, of each tile: those within the range, if there are enough."""
    enough = sum(int(t.inside.sum()) for t in told) >= EACH * d
    return [t.inside if enough else t.clipped for t in told]


def _by_patches(
    planes: list[np.ndarray], chosen: list[np.ndarray], shape: Shape, ties: Ties
) -> float:
    """From patches with the least texture, sigma and the choice in turn."""
    count = _count(planes)
    P = np.concatenate(
        [_patches(p, shape, count)[keep] for p, keep in zip(planes, chosen, strict=True)]
    )
    D = _neighbors(shape)
    texture = np.square(P @ D.T).sum(axis=1)
    bound = _quantile(D.T @ D)
    square = _smallest(P, len(P))
    for _ in range(ROUNDS):
        weak = texture <= bound * square
        if np.count_nonzero(weak) < FEW * shape.d:
            break
        new = min(_smallest(P[weak], len(P)), square)
        if square - new <= SETTLED * square:
            break
        square = new
    weak = (texture <= bound * square) & ties.by_chance(math.sqrt(square), len(D))
    return math.sqrt(min(square, _by_brightness(P[weak])))


def _by_brightness(P: np.ndarray) -> float:
    """The smallest of groups of about the same brightness; infinite for too few patches."""
    n, d = P.shape
    count = min(GROUPS, n // (EACH * d))
    if not count:
        return math.inf
    brightness = P.mean(axis=1)
    order = np.argsort(brightness, kind="stable")
    P = P - brightness[:, np.newaxis]  # a group has but a part of its variance
    return min(_smallest(P[group], len(group), 1) for group in np.array_split(order, count))


def _smallest(P: np.ndarray, of: int, empty: int = 0) -> float:
    """Smallest eigenvalue of the covariance; for noise alone in so many patches it is sigma^2.

    So many directions are empty: nothing varies along them."""
    n, d = P.shape
    if n <= d:
        return math.inf
    C = P - P.mean(axis=0)
    least = float(np.linalg.eigvalsh(C.T @ C / n)[empty])
    return max(least, 0.0) / (1 - math.sqrt(d / of)) ** 2


def _quantile(A: np.ndarray) -> float:
    """Of g'A g for normal g: that of a gamma variable of the same mean and variance."""
    mean, variance = np.trace(A), 2 * np.sum(A * A)
    return float(gammaincinv(mean**2 / variance, SURE) * variance / mean)
