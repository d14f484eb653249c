"""How much a point acts at a distance: the kernels K whose sums are fields.

    Student    K(d) = (1 + d^2 / dof)^(-(dof + 1) / 2)     t-SNE; dof = 1: 1 / (1 + d^2)
    Gauss      K(d) = exp(-d^2)                            SNE

K falls from K(0) = 1. Values are taken as differences from a far one, K(d) - K(R), without
cancellation: while a map is small, all of K is next to 1, and what moves its points is the rest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

NOTHING = 18.4  # e^-18.4 = 1e-8: less than the last digit of float32


class Radial(NamedTuple):
    """A kernel: its name and, of Student's, the degrees of freedom."""

    name: str
    dof: float = 1.0

    @property
    def reach(self) -> float:
        """The distance from which K is nothing beside 1 in float32."""
        return float(np.sqrt(NOTHING)) if self.name == "gauss" else np.inf

    @property
    def width(self) -> float:
        """The distance over which K changes: 1 for Student's, less below one degree of freedom."""
        return min(1.0, float(np.sqrt(0.5 if self.name == "gauss" else self.dof)))

    def log(self, square: Any) -> Any:
        """log K at squared distances."""
        if self.name == "gauss":
            return -square
        return -(self.dof + 1) / 2 * np.log1p(square / self.dof)

    def above(self, square: np.ndarray, far: float) -> np.ndarray:
        """K at squared distances minus K at the squared distance `far`."""
        logs = self.log(square)
        return -np.exp(logs) * np.expm1(self.log(np.float64(far)) - logs)

    def value(self, square: float) -> float:
        """K at one squared distance."""
        return float(np.exp(self.log(np.float64(square))))

    def value_and_slope(self, square: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """K, and its derivative by the squared distance, in the precision of `square`."""
        if self.name == "gauss":
            value = np.exp(-square)
            return value, -value
        dof = square.dtype.type(self.dof)
        near = 1 / (1 + square / dof)
        value = near if self.dof == 1 else near ** ((dof + 1) / 2)
        return value, value * near * (-(dof + 1) / (2 * dof))


def radial(kernel: str, dof: float = 1.0) -> Radial:
    """The kernel of this name: "student" with `dof` degrees of freedom, or "gauss"."""
    if kernel not in ("student", "gauss"):
        raise ValueError(f"kernel={kernel!r} is not known; choose 'student' or 'gauss'.")
    if not 0 < dof < np.inf:
        raise ValueError(f"dof={dof!r} must be a positive number.")
    return Radial(kernel, float(dof) if kernel == "student" else 1.0)
