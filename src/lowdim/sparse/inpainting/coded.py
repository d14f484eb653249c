"""Missing pixels by codes: the known pixels of a patch choose few atoms, which say the others.

    minimise over z     sum_f m_f (x_f - (z D)_f)^2     with few non-zeros
    x_f <- (z D)_f      where m_f = 0

A patch's mean is that of what is known of it. Every pixel is the mean of what its patches say.
"""

from __future__ import annotations

import numpy as np

from lowdim.sparse.pictures.patches import Estimate, Part, Shape, averaged, patches_of
from lowdim.sparse.pursuit.observed import omp_observed

CLOSE = 3.0  # root mean square error of known pixels, of 255


def limits(observed: np.ndarray) -> np.ndarray:
    """Squared errors of the known pixels that are good enough."""
    return CLOSE**2 * observed.sum(axis=1)


def _centred(P: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Known pixels without their mean, 0 elsewhere; and the means."""
    mean = (P * m).sum(axis=1, keepdims=True) / np.maximum(m.sum(axis=1, keepdims=True), 1)
    return np.ascontiguousarray((P - mean) * m, np.float32), mean.astype(np.float32)


def _most(shape: Shape) -> int:
    return max(1, shape.d // 5)


def by_codes(
    x: np.ndarray, plane: np.ndarray, observed: np.ndarray, shape: Shape, D: np.ndarray
) -> np.ndarray:
    """(h, w): where no patch knows anything, the first guess x stays."""

    def estimate(part: Part) -> Estimate:
        P = patches_of(plane[part.where].astype(np.float32), shape)
        m = np.ascontiguousarray(patches_of(observed[part.where], shape))
        X, mean = _centred(P, m)
        Z = omp_observed(X, m, D, _most(shape), limits(m))
        share = m.mean(axis=1)
        return (Z @ D).astype(np.float32) + mean, np.maximum(share, 1e-6) * (share > 0)

    total, weight = averaged(plane.shape, shape, estimate)
    found = np.divide(total, weight, out=np.array(x, np.float64), where=weight > 0)
    return np.where(observed, plane, found)
