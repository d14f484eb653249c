"""The curve of UMAP's map: w(d) = 1 / (1 + a d^(2b)), close to 1 up to min_dist, then falling.

    minimise over a, b     sum over d in [0, 3 spread] of (w(d) - target(d))^2
    target(d) = 1 for d < min_dist, else exp(-(d - min_dist) / spread)

min_dist 0.1 and spread 1: a = 1.5769, b = 0.8951. Coefficients of the forces come from tables in
d^2 (`coefficients`): a power takes as long as ten steps without one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

POINTS = 300
FLOOR = 1e-3  # added to d^2 where it divides: rows at one place are pushed, not torn apart

LONGEST = 4.0  # no single force is longer than this, times the learning rate

# A table has an entry for every 64th of an octave of d^2: the bits of a positive float32, from the
# 6th of its mantissa up, are the number of the entry, for every float32 there is
SHIFT = 17
ENTRIES = 1 << (31 - SHIFT)
LARGEST = 0x7F7FFFFF  # the bits of the largest float32


class Curve(NamedTuple):
    """w(d) = 1 / (1 + a d^(2b))."""

    a: float
    b: float


class Coefficients(NamedTuple):
    """What y_i - y_j is multiplied by, for each entry of d^2 (see SHIFT)."""

    attraction: np.ndarray  # (entries,)  negative: towards y_j
    repulsion: np.ndarray  # (entries,)


def fitted_curve(min_dist: float, spread: float) -> Curve:
    """The a and b whose curve is nearest to the target, by least squares."""
    from scipy.optimize import least_squares

    # in units of spread: a is then a d^(2b) of its own units
    x = np.linspace(0.0, 3.0, POINTS)
    start = min_dist / spread
    target = np.where(x < start, 1.0, np.exp(-(x - start)))
    log_x = np.log(np.maximum(x, 1e-300))

    def power(log_a_b: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(log_a_b[0] + 2.0 * np.exp(log_a_b[1]) * log_x, 600.0))

    def misfit(log_a_b: np.ndarray) -> np.ndarray:
        return 1.0 / (1.0 + power(log_a_b)) - target

    def slope(log_a_b: np.ndarray) -> np.ndarray:
        p = power(log_a_b)
        by_power = -p / (1.0 + p) ** 2
        return np.column_stack([by_power, by_power * 2.0 * np.exp(log_a_b[1]) * log_x])

    found = least_squares(misfit, np.zeros(2), jac=slope, method="lm", xtol=1e-14, ftol=1e-14)
    b = float(np.exp(found.x[1]))
    return Curve(float(np.exp(found.x[0]) / spread ** (2.0 * b)), b)


def similarity(squared: np.ndarray, curve: Curve) -> np.ndarray:
    """w for squared distances."""
    return 1.0 / (1.0 + curve.a * np.asarray(squared, dtype=np.float64) ** curve.b)


def attraction(squared: np.ndarray, curve: Curve) -> np.ndarray:
    """The derivative of log w(d) by y_i, as a multiple of y_i - y_j."""
    squared = np.asarray(squared, dtype=np.float64)
    power = squared ** (curve.b - 1.0)
    return -2.0 * curve.a * curve.b * power / (1.0 + curve.a * power * squared)


def repulsion(squared: np.ndarray, curve: Curve, strength: float = 1.0) -> np.ndarray:
    """The derivative of log(1 - w(d)) by y_i, as a multiple of y_i - y_j."""
    squared = np.asarray(squared, dtype=np.float64)
    return 2.0 * strength * curve.b / ((FLOOR + squared) * (1.0 + curve.a * squared**curve.b))


def coefficients(curve: Curve, strength: float = 1.0) -> Coefficients:
    """Tables of both forces, at the middle of each entry's interval of d^2; none is too long."""
    squared = table_middles()
    longest = LONGEST / np.sqrt(squared)
    return Coefficients(
        np.maximum(attraction(squared, curve), -longest).astype(np.float32),
        np.minimum(repulsion(squared, curve, strength), longest).astype(np.float32),
    )


def entries(squared: np.ndarray) -> np.ndarray:
    """The entries of tables for squared distances."""
    return np.ascontiguousarray(squared, dtype=np.float32).view(np.uint32) >> np.uint32(SHIFT)


def losses(squared: np.ndarray, curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    """-log w and -log(1 - w); rows at one place count as if a hair apart."""
    # with p = a d^(2b), w = 1 / (1 + p) and 1 - w = p / (1 + p): no digits lost where w rounds to 1
    log_p = np.log(curve.a) + curve.b * np.log(np.maximum(squared, 1e-12))
    apart = np.logaddexp(0.0, log_p)
    return apart, apart - log_p


def table_middles() -> np.ndarray:
    """The d^2 in the middle of each entry's interval, within what powers of it can be taken of."""
    bits = (np.arange(ENTRIES, dtype=np.uint32) << SHIFT) + (1 << (SHIFT - 1))
    squared = np.minimum(bits, LARGEST).astype(np.uint32).view(np.float32)
    return np.clip(squared.astype(np.float64), 1e-36, 1e36)
