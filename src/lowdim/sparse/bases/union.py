"""Several dictionaries side by side: spikes and waves, cartoon and texture."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.sparse.bases.atoms import Atoms
from lowdim.sparse.bases.operator import Basis

SAME = 1e-10  # of 1 - |u'v|: atoms that are one


@single_threaded_blas()
def union(*bases, distinct=False):
    """All atoms of several dictionaries for the same signals, as one dictionary.

    Parameters
    ----------
    *bases : Basis, or array of shape (D, L) with atoms as columns
    distinct : bool, default=False
        Leave out atoms that an earlier one is, up to its sign. Their products are computed: for
        dictionaries that can be written down.

    Returns
    -------
    Basis
        Codes are those of the dictionaries one after the other.

    Examples
    --------
    >>> from lowdim import sparse
    >>> U = sparse.union(sparse.basis("identity", 64), sparse.basis("dct", 64))
    >>> U.shape, U.tight
    ((64, 128), 2.0)
    """
    if not bases:
        raise ValueError("union needs at least one dictionary.")
    several = [_as_basis(one, number) for number, one in enumerate(bases)]
    shapes = {one.signal_shape for one in several}
    if len({one.shape[0] for one in several}) > 1 or len(shapes) > 2:
        raise ValueError(
            f"The dictionaries are for signals of shapes {sorted(shapes)}; they must be for the "
            "same signals."
        )
    if distinct:
        return Atoms("union", _distinct(several), several[0].signal_shape)
    return Union(several)


class Union(Basis):
    """Dictionaries side by side."""

    def __init__(self, bases: list[Basis]):
        self.bases = bases
        self._edges = np.cumsum([0, *(one.shape[1] for one in bases)])
        tight = [one.tight for one in bases]
        super().__init__(
            " + ".join(one.kind for one in bases),
            max((one.signal_shape for one in bases), key=len),
            int(self._edges[-1]),
            orthonormal=len(bases) == 1 and bases[0].orthonormal,
            tight=None if None in tight else float(sum(t for t in tight if t is not None)),
        )

    def parts(self, Z: np.ndarray) -> list[np.ndarray]:
        """The codes of each dictionary, from rows of codes."""
        return [Z[..., a:b] for a, b in zip(self._edges[:-1], self._edges[1:], strict=True)]

    def _signals(self, Z: np.ndarray) -> np.ndarray:
        X = np.zeros((len(Z), *self.signal_shape), Z.dtype)
        for one, part in zip(self.bases, self.parts(Z), strict=True):
            X += one._signals(np.ascontiguousarray(part)).reshape(X.shape)
        return X

    def _products(self, X: np.ndarray) -> np.ndarray:
        found = [one._products(X.reshape(len(X), *one.signal_shape)) for one in self.bases]
        return np.concatenate([part.reshape(len(X), -1) for part in found], axis=1)


def _as_basis(one: Any, number: int) -> Basis:
    if isinstance(one, Basis):
        return one
    U = np.asarray(one)
    if U.ndim != 2 or U.dtype.kind not in "biuf":
        raise TypeError(
            f"Dictionary {number} of the union is of type {type(one).__name__}; give a Basis, or "
            "an array with atoms as columns."
        )
    return Atoms("atoms", U.astype(np.float64))


def _distinct(bases: list[Basis]) -> np.ndarray:
    """The atoms, each once, (D, L)."""
    U = np.hstack([one.matrix() for one in bases])
    length = np.linalg.norm(U, axis=0)
    unit = U / np.where(length > 0, length, 1.0)
    kept = np.ones(U.shape[1], bool)
    first = 0
    for one in bases:
        last = first + one.shape[1]
        for j in range(first, last):
            earlier = unit[:, :j][:, kept[:j]]
            kept[j] = not (np.abs(earlier.T @ unit[:, j]) >= 1.0 - SAME).any()
        first = last
    return np.ascontiguousarray(U[:, kept])
