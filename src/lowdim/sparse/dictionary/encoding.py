"""Codes of rows as K-SVD has them, and what they say about missing values.

    x_f = (z D)_f,     var x_f = sigma^2 (1 + d_Sf' (D_So D_So')^-1 d_Sf)

where S are the atoms of the code, o the observed columns, and sigma^2 what is left of an entry by a
code. A row without any value has the code 0, and is as uncertain as columns are large.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.moments import unit_for
from lowdim.sparse.dictionary.learning import gram_of, squares_of
from lowdim.sparse.pursuit.exhaustive import are_few, best_codes
from lowdim.sparse.pursuit.greedy import omp
from lowdim.sparse.pursuit.observed import omp_observed


class Pursuit(NamedTuple):
    """How rows are coded."""

    atoms: np.ndarray  # (k, d)
    n_nonzero: int
    max_error: float | None  # relative


def encode(X: np.ndarray, by: Pursuit, sparse_output: bool) -> Any:
    """Codes (n, k) of a block of rows."""
    Z = codes(X, by)
    return Z if sparse_output else Z.toarray()


def codes(X: np.ndarray, by: Pursuit) -> sp.csr_array:
    """Codes (n, k) of a block of rows, each in its own unit: none overflows."""
    unit = _units(X)
    Y = X if unit is None else X / unit[:, None]
    atoms = by.atoms.astype(X.dtype, copy=False)
    observed = ~np.isnan(Y)
    whole = observed.all(axis=1)
    if whole.all():
        Z = _complete_codes(Y, atoms, by)
    else:
        Y = np.where(observed, Y, Y.dtype.type(0))
        bound = _bound(Y[~whole], by)
        some = omp_observed(Y[~whole], observed[~whole], atoms, by.n_nonzero, bound)
        both = sp.vstack([_complete_codes(Y[whole], atoms, by), some], format="csr")
        order = np.empty(len(X), dtype=np.int64)
        order[np.concatenate([np.flatnonzero(whole), np.flatnonzero(~whole)])] = np.arange(len(X))
        Z = sp.csr_array(both[order])
    if unit is not None:
        Z.data *= np.repeat(unit, np.diff(Z.indptr))
    return Z


def _complete_codes(X: np.ndarray, atoms: np.ndarray, by: Pursuit) -> sp.csr_array:
    if not len(X):
        return sp.csr_array((0, len(atoms)), dtype=X.dtype)
    if by.max_error is None and are_few(len(atoms), by.n_nonzero):
        return best_codes(X, atoms, by.n_nonzero)
    return omp(gram_of(atoms), X @ atoms.T, squares_of(X), by.n_nonzero, _bound(X, by))


def _bound(X: np.ndarray, by: Pursuit) -> np.ndarray | None:
    return None if by.max_error is None else by.max_error**2 * squares_of(X)


def _units(X: np.ndarray) -> np.ndarray | None:
    """A power of two for each row, or None where squares of all rows are safe."""
    largest = np.where(np.isnan(X), 0.0, np.abs(X)).max(axis=1, initial=0.0)
    extremes = (largest.max(initial=0.0), largest[largest > 0].min(initial=1.0))
    if all(unit_for(float(value), X.dtype) == 1.0 for value in extremes):
        return None
    return np.array([unit_for(float(v), X.dtype) for v in largest], X.dtype)


def fill(X: np.ndarray, by: Pursuit) -> np.ndarray:
    """A block, with what is missing as the codes say."""
    return _filled(X, codes(X, by), by)


def fill_with_std(
    X: np.ndarray, by: Pursuit, sigma: float, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same, and how uncertain it is; 0 where X was observed."""
    Z = codes(X, by)
    std = np.zeros(X.shape, X.dtype)
    for i in np.flatnonzero(np.isnan(X).any(axis=1)):
        missing = np.isnan(X[i])
        if missing.all():
            std[i] = sizes
            continue
        S = by.atoms[Z.indices[Z.indptr[i] : Z.indptr[i + 1]]].astype(np.float64)
        half = np.linalg.lstsq(S[:, ~missing].T, np.eye((~missing).sum()), rcond=None)[0]
        leverage = np.sum((half.T @ S[:, missing]) ** 2, axis=0) if len(S) else 0.0
        std[i, missing] = sigma * np.sqrt(1.0 + leverage)
    return _filled(X, Z, by), std


def _filled(X: np.ndarray, Z: sp.csr_array, by: Pursuit) -> np.ndarray:
    return np.where(np.isnan(X), Z @ by.atoms.astype(X.dtype, copy=False), X)
