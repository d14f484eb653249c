"""Missing pixels by atoms that are learnt from the picture while it is filled.

    x <- codes of the known pixels, in cosines                                       (`coded`)
    D <- K-SVD of the patches of x, each within an error s             every third round
    x <- mean of all patches as sums of few atoms of D, within s;   known pixels put back;   s falls

Patches with missing pixels alone teach little: where half of a patch is unknown, atoms fit what is
known and say nothing better than cosines of the rest. What the first rounds fill teaches the next
ones. The error falls from 25 to 3 (of 255). Atoms are learnt from windows of the picture, and serve
all of it, a tile at a time.

Reference: Mairal, Elad and Sapiro (2008), Sparse representation for color image restoration, IEEE
Transactions on Image Processing 17(1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lowdim.sparse.denoising import learnt
from lowdim.sparse.inpainting.coded import by_codes
from lowdim.sparse.inpainting.iterated import FARTHER
from lowdim.sparse.pictures.patches import Shape

ERRORS = np.geomspace(25.0, 3.0, 12)
EVERY = 3  # rounds with the same atoms
SWEEPS, TRAINED_ON = 3, 20_000


def stages(
    planes: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    shape: Shape,
    k: int,
    random: np.random.Generator,
) -> list[np.ndarray]:
    """Atoms for the rounds, learnt while planes (plane, observed, first guess) are filled."""
    cosines = learnt.first_atoms(shape, k)
    now = [by_codes(first, x, m, shape, cosines) for x, m, first in planes]
    found: list[np.ndarray] = []
    for n, error in enumerate(ERRORS):
        if n % EVERY == 0:
            P = np.concatenate([_some(x, shape, len(now), random) for x in now])
            found.append(learnt.learn(P, shape, k, float(error), random, SWEEPS))
        now = [
            _round(x, plane, m, shape, found[-1], float(error))
            for x, (plane, m, _) in zip(now, planes, strict=True)
        ]
    return found


def _some(x: np.ndarray, shape: Shape, planes: int, random: np.random.Generator) -> np.ndarray:
    """Patches at random places, (n, d)."""
    across = x.shape[1] - shape.w + 1
    count = (x.shape[0] - shape.h + 1) * across
    at = np.sort(random.choice(count, min(count, -(-TRAINED_ON // planes)), replace=False))
    windows = np.lib.stride_tricks.sliding_window_view(x, shape)
    return windows[at // across, at % across].reshape(len(at), shape.d).astype(np.float32)


def by_stages(
    plane: np.ndarray,
    observed: np.ndarray,
    shape: Shape,
    first: np.ndarray,
    atoms: Sequence[np.ndarray],
) -> np.ndarray:
    """(h, w), in units in which the peak is 255, from a first guess."""
    x = by_codes(first, plane, observed, shape, learnt.first_atoms(shape, len(atoms[0])))
    for n, error in enumerate(ERRORS):
        x = _round(x, plane, observed, shape, atoms[n // EVERY], float(error))
    return x


def _round(
    x: np.ndarray,
    plane: np.ndarray,
    observed: np.ndarray,
    shape: Shape,
    D: np.ndarray,
    error: float,
) -> np.ndarray:
    change = learnt.by_atoms(x, shape, D, error, as_it_was=0.0) - x
    return np.where(observed, plane, x + FARTHER * change)
