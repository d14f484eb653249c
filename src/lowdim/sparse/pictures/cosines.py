"""Patches in cosines: those that are small are taken for noise.

    hard      a coefficient stays if |z| >= threshold; the mean always does
    wiener    z * p^2 / (p^2 + sigma^2), where p is the coefficient of a first estimate

A patch counts the more, the fewer coefficients it needs.
"""

from __future__ import annotations

import numpy as np

from lowdim.sparse.bases.making import basis
from lowdim.sparse.pictures.patches import (
    EVERYWHERE,
    Estimate,
    Grid,
    Part,
    Shape,
    averaged,
    patches_of,
)


def cosine_atoms(shape: Shape) -> np.ndarray:
    """(d, d): orthonormal cosines of a patch as rows, the constant first."""
    rows, columns = (basis("dct", s).matrix().T for s in shape)
    return np.kron(rows, columns).astype(np.float32)


def hard(plane: np.ndarray, shape: Shape, threshold: float, grid: Grid = EVERYWHERE) -> np.ndarray:
    """The mean of all patches without their small coefficients, (h, w)."""
    U, least = cosine_atoms(shape), np.float32(threshold)

    def estimate(part: Part) -> Estimate:
        Z = patches_of(plane[part.where].astype(np.float32), shape, part.grid) @ U.T
        large = np.abs(Z) >= least
        large[:, 0] = True
        Z *= large
        return Z @ U, 1.0 / large.sum(axis=1)

    total, weight = averaged(plane.shape, shape, estimate, grid)
    return np.divide(total, weight, out=np.array(plane, np.float64), where=weight > 0)


def wiener(plane: np.ndarray, pilot: np.ndarray, shape: Shape, sigma: float) -> np.ndarray:
    """The mean of all patches, each coefficient shrunk by what a first estimate says of it."""
    U, noise = cosine_atoms(shape), np.float32(sigma**2)

    def estimate(part: Part) -> Estimate:
        Z, P = (patches_of(x[part.where].astype(np.float32), shape) @ U.T for x in (plane, pilot))
        gain = P * P
        gain /= gain + noise
        gain[:, 0] = 1.0
        return (Z * gain) @ U, 1.0 / (gain * gain).sum(axis=1)

    total, weight = averaged(plane.shape, shape, estimate)
    return total / weight
