"""Atoms that are written down, and atoms that are as different as can be.

A Grassmannian frame has the least coherence of all frames of its size. Alternating projections come
near it (Tropp, Dhillon, Heath and Strohmer 2005): the products of atoms are cut to a bound, which
no dictionary has, and the nearest products that a dictionary has are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.sparse.bases.operator import Basis

ROUNDS = 500
SEED = 0  # atoms are the same in every call


class Atoms(Basis):
    """A matrix of atoms."""

    def __init__(self, kind: str, U: np.ndarray, shape: tuple[int, ...] | None = None):
        self._U = U
        self._back: np.ndarray | None = None
        D, L = U.shape
        alike = D == L and np.abs(U.T @ U - np.eye(L)).max(initial=0.0) <= 1e-12
        super().__init__(kind, shape or (D,), L, orthonormal=bool(alike))

    def matrix(self) -> np.ndarray:
        """The atoms as the columns of an array (D, L)."""
        return self._U.copy()

    def _signals(self, Z: np.ndarray) -> np.ndarray:
        return Z @ self._U.T.astype(Z.dtype)

    def _products(self, X: np.ndarray) -> np.ndarray:
        return X.reshape(len(X), -1) @ self._U.astype(X.dtype)

    def _codes(self, X: np.ndarray) -> np.ndarray:
        if self._back is None:
            self._back = np.linalg.pinv(self._U)
        return X.reshape(len(X), -1) @ self._back.T.astype(X.dtype)


def grassmannian_atoms(D: int, L: int) -> np.ndarray:
    """L atoms in D dimensions whose largest product is near the least there is, (D, L)."""
    random = np.random.default_rng(SEED)
    U = _unit(random.normal(size=(D, L)))
    if L <= D:
        return np.asarray(np.linalg.qr(random.normal(size=(D, D)))[0][:, :L])
    bound = np.sqrt((L - D) / (D * (L - 1.0)))
    best, least = U, np.inf
    for _ in range(ROUNDS):
        G = U.T @ U
        off = np.abs(G - np.eye(L)).max()
        if off < least:
            best, least = U, off
        G = np.clip(G, -bound, bound)
        np.fill_diagonal(G, 1.0)
        values, vectors = np.linalg.eigh(G)
        U = _unit((vectors[:, -D:] * np.sqrt(np.maximum(values[-D:], 0.0))).T)
    return best


def _unit(U: Any) -> np.ndarray:
    length = np.linalg.norm(U, axis=0)
    return np.asarray(U / np.where(length > 0, length, 1.0))
