"""Pursuits that keep the s largest numbers of a better and better code, many rows at a time.

    iht       z <- H_s(z + mu (x - z D) D'),  the step mu of least error on the atoms in use, or
              1 / |D|^2 where that made the error larger: it never rises
    cosamp    the 2 s atoms nearest to the rest join those in use; least squares on all of these,
              of which the s largest stay

H_s keeps the s numbers of largest size. Blumensath and Davies (2010); Needell and Tropp (2009).
"""

from __future__ import annotations

import numpy as np

CONVERGED = 1e-12  # of |x|^2: errors that fall by less have ended


def keep_largest(Z: np.ndarray, s: int) -> np.ndarray:
    """Z with all but the s numbers of largest size in each row set to 0; of equals, the first."""
    if s >= Z.shape[1]:
        return Z
    kept = np.zeros_like(Z)
    place = np.argsort(-np.abs(Z), axis=1, kind="stable")[:, :s]
    np.put_along_axis(kept, place, np.take_along_axis(Z, place, axis=1), axis=1)
    return kept


def iht(
    atoms: np.ndarray, X: np.ndarray, s: int, n_steps: int, max_squared_error: np.ndarray
) -> np.ndarray:
    """Codes (n, k) of iterative hard thresholding, with s non-zeros at the most."""
    safe = 1.0 / max(np.linalg.norm(atoms, 2) ** 2, np.finfo(atoms.dtype).tiny)
    Z = np.zeros((len(X), len(atoms)), X.dtype)
    squares = (X**2).sum(axis=1)
    error, going = squares.copy(), np.arange(len(X))
    for _ in range(n_steps):
        going = going[error[going] > max_squared_error[going]]
        if not len(going):
            break
        Y, old = X[going], Z[going]
        g = (Y - old @ atoms) @ atoms.T
        used = np.where(old.any(axis=1)[:, None], g * (old != 0), keep_largest(g, s))
        image = ((used @ atoms) ** 2).sum(axis=1)
        step = np.divide(
            (used**2).sum(axis=1), image, out=np.full_like(image, safe), where=image > 0
        )
        new = keep_largest(old + step[:, None] * g, s)
        left = ((Y - new @ atoms) ** 2).sum(axis=1)
        worse = left > error[going]
        if worse.any():
            new[worse] = keep_largest(old[worse] + X.dtype.type(safe) * g[worse], s)
            left[worse] = ((Y[worse] - new[worse] @ atoms) ** 2).sum(axis=1)
        better = left < error[going]
        Z[going[better]] = new[better]
        fell = error[going] - left
        error[going] = np.minimum(left, error[going])
        going = going[fell > CONVERGED * squares[going]]
    return Z


def cosamp(
    atoms: np.ndarray, X: np.ndarray, s: int, n_steps: int, max_squared_error: np.ndarray
) -> np.ndarray:
    """Codes (n, k) of compressive sampling matching pursuit, with s non-zeros at the most."""
    n, k = len(X), len(atoms)
    Z = np.zeros((n, k), X.dtype)
    squares = (X**2).sum(axis=1)
    error, going = squares.copy(), np.arange(n)
    for _ in range(n_steps):
        going = going[error[going] > max_squared_error[going]]
        if not len(going):
            break
        Y, old = X[going], Z[going]
        c = (Y - old @ atoms) @ atoms.T
        joined = (old != 0) | (keep_largest(c, min(2 * s, k)) != 0)
        pruned = keep_largest(least_squares_on(atoms, Y, joined), s)
        new = least_squares_on(atoms, Y, pruned != 0)
        left = ((Y - new @ atoms) ** 2).sum(axis=1)
        better = left < error[going]
        Z[going[better]] = new[better]
        fell = error[going] - left
        error[going] = np.minimum(left, error[going])
        going = going[fell > CONVERGED * squares[going]]
    return Z


def least_squares_on(atoms: np.ndarray, X: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The codes of least error, and of least length, with non-zeros where `used` says."""
    count = used.sum(axis=1)
    width = int(count.max(initial=1))
    order = np.argsort(~used, axis=1, kind="stable")[:, :width]  # those in use first
    inside = np.arange(width) < count[:, None]
    A = atoms[order] * inside[:, :, None]  # (n, width, d)
    z = np.einsum("nd,ndw->nw", X, np.linalg.pinv(A)) * inside
    Z = np.zeros((len(X), len(atoms)), X.dtype)
    np.put_along_axis(Z, order, z.astype(X.dtype), axis=1)
    return Z
