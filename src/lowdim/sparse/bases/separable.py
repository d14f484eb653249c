"""The same kind of atoms along each axis: an atom of a picture is a product u(row) v(column).

Codes are in the order of the axes: of a picture, the atom of its columns runs fastest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lowdim.sparse.bases.axes import Axis, Transform
from lowdim.sparse.bases.operator import Basis


class Separable(Basis):
    """Transforms of the axes of a signal, one after the other."""

    def __init__(self, kind: str, axes: Sequence[Axis]):
        self._axes = tuple(axes)
        super().__init__(
            kind,
            tuple(axis.size for axis in axes),
            int(np.prod([axis.n_atoms for axis in axes])),
            orthonormal=all(axis.orthonormal for axis in axes),
        )

    def _signals(self, Z: np.ndarray) -> np.ndarray:
        Z = Z.reshape(len(Z), *(axis.n_atoms for axis in self._axes))
        return _along(Z, [axis.signals for axis in self._axes])

    def _products(self, X: np.ndarray) -> np.ndarray:
        return _along(X, [axis.products for axis in self._axes])

    def _codes(self, X: np.ndarray) -> np.ndarray:
        return _along(X, [axis.codes for axis in self._axes])


def _along(A: np.ndarray, transforms: Sequence[Transform]) -> np.ndarray:
    """transforms[i] on axis i + 1 of A."""
    for i, transform in enumerate(transforms, start=1):
        A = np.moveaxis(transform(np.ascontiguousarray(np.moveaxis(A, i, -1))), -1, i)
    return np.ascontiguousarray(A)
