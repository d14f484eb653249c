"""Units in which the columns of a Gaussian mixture are about 1 in size.

    y = (x - center) / scale

Scales are powers of two: no digit changes on the way there and back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.linalg.observed import column_sizes
from lowdim.mixture.gaussian.covariances import LEAST_VARIANCE

LEAST_SIZE = 1e-150  # of columns beside variances of 1: squares are numbers


class Space(NamedTuple):
    """y = (x - center) / scale is about 1 in size."""

    center: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)  powers of two, so that no digit changes
    size: np.ndarray  # (d,)  standard deviations of y: between 0.7 and 1.4

    def floor(self, reg_covar: float) -> np.ndarray:
        """What is added to the variances of columns: this part of them."""
        return max(reg_covar, LEAST_VARIANCE) * np.square(self.size)


def space_of(mean: np.ndarray, std: np.ndarray, name: str) -> Space:
    """Units in which the columns (spherical and unit: all together) are about 1 in size."""
    scale = column_sizes(std, together=name in ("spherical", "unit"))
    powers = powers_of_two(scale)
    if name == "unit" and not LEAST_SIZE < powers.max() < 1.0 / LEAST_SIZE:
        raise ValueError(
            f"covariance_type='unit' means variances of 1, and columns of X vary by "
            f"{scale.max():.0e}: densities are no numbers. Choose 'spherical', which learns the "
            "variance, or divide X by its size."
        )
    return Space(mean, powers, scale / powers)


def powers_of_two(scale: np.ndarray) -> np.ndarray:
    """The nearest power of two of each."""
    return np.exp2(np.clip(np.round(np.log2(scale)), -1000, 1000))


def dtype_of_squares(scale: np.ndarray, dtype: np.dtype) -> np.dtype:
    """The dtype in which squares of rows are published: that of the rows, if it can hold them."""
    limit = 0.8 * np.finfo(dtype).maxexp  # what is near it has too few digits left for its inverse
    fits = 2.0 * np.abs(np.log2(scale)).max() <= limit
    return np.dtype(dtype if fits else np.float64)
