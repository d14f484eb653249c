"""Frechet distance: that of the Gaussians with the means and covariances of both samples, squared.

    frechet = |m - n|^2 + tr(C + D - 2 (C^1/2 D C^1/2)^1/2)

Two samples of the same Gaussian have more than 0, the more the fewer rows. Beyond 64 columns the
leading principal components of the real rows stand for the columns, as the features of a network do
for pictures in FID (Heusel et al. 2017).
"""

from __future__ import annotations

import numpy as np

from lowdim.linear.pca import PCA

MOST_COLUMNS = 64


def frechet(real: np.ndarray, fake: np.ndarray) -> float:
    """The squared distance of the rows of two matrices."""
    if real.shape[1] > MOST_COLUMNS:
        leading = PCA(min(MOST_COLUMNS, len(real) - 1), random_state=0).fit(real)
        real, fake = leading.transform(real), leading.transform(fake)
    with np.errstate(over="ignore", invalid="ignore"):
        C, D = (np.atleast_2d(np.cov(side, rowvar=False)) for side in (real, fake))
    apart = real.mean(axis=0) - fake.mean(axis=0)
    if not (np.isfinite(C).all() and np.isfinite(D).all()):
        return np.inf  # squares of so large values are no numbers
    return frechet_of_gaussians(apart, C, D)


def frechet_of_gaussians(apart: np.ndarray, C: np.ndarray, D: np.ndarray) -> float:
    """For a difference of means (d,) and two covariances (d, d)."""
    values, vectors = np.linalg.eigh(C)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    shared = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ D @ root), 0.0)).sum()
    return max(float(apart @ apart + np.trace(C) + np.trace(D) - 2 * shared), 0.0)
