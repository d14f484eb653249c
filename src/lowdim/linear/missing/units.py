"""Factor models in a unit of their data: 1e200 has no square, 1e200 / unit has one.

    x = unit (W z + mean + noise),     unit a power of two: dividing by it changes no digit

The unit is 1 unless squares could overflow or vanish.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.moments import unit_for
from lowdim.linear.missing.model import FactorModel


class MeasuredModel(NamedTuple):
    """A factor model of x / unit."""

    mean: np.ndarray  # (d,)
    W: np.ndarray  # (d, k)
    noise: np.ndarray  # (d,)  variances
    unit: float

    @property
    def model(self) -> FactorModel:
        """The model of x / unit."""
        return FactorModel(self.mean, self.W, self.noise)


def measured(mean: np.ndarray, W: np.ndarray, noise_std: np.ndarray) -> MeasuredModel:
    """The model of loadings, mean and noise given in the units of X."""
    unit = unit_of(max(np.abs(W).max(initial=0.0), noise_std.max(initial=0.0)))
    noise = np.maximum(np.square(noise_std / unit), np.finfo(np.float64).tiny)
    return MeasuredModel(mean / unit, W / unit, noise, unit)


def learned_noise_std(estimator: Any) -> Any:
    """The standard deviation of the noise; models of earlier releases know only its square."""
    known = getattr(estimator, "_noise_std", None)
    return np.sqrt(estimator.noise_variance_) if known is None else known


def unit_of(largest: float) -> float:
    """A unit for what is about as large in the data; 1 if its square is safe."""
    return unit_for(largest, np.dtype(np.float64))


def in_units(X: np.ndarray, unit: float) -> np.ndarray:
    """X / unit; X itself if that is the same."""
    return X if unit == 1.0 else np.ldexp(X, 1 - int(np.frexp(unit)[1]))


def out_of_units(Y: np.ndarray, unit: float) -> np.ndarray:
    """Y unit: the inverse of `in_units`."""
    return in_units(Y, 1.0 / unit)


def squares_out_of_units(squares: np.ndarray | float, unit: float) -> np.ndarray:
    """squares unit^2: infinite, or 0, where float64 does not reach."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(squares, dtype=np.float64) * unit * unit


def narrowed(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """In this dtype, unless it cannot hold them: squares of float32 rows may need float64."""
    limits = np.finfo(dtype)
    sizes = np.abs(values[(values != 0) & np.isfinite(values)])
    fits = sizes.max(initial=0.0) <= limits.max and sizes.min(initial=1.0) >= limits.tiny
    return values.astype(dtype if fits else np.float64)
