"""Basis pursuit with noise, by jumps along the path of the lasso instead of from atom to atom.

    A, s    atoms in use and their signs, guessed at the last t:  |u_j'r + |u_j|^2 z_j| > t w_j
    z_A     = b - t c,     b = (U_A'U_A)^-1 U_A'x,     c = (U_A'U_A)^-1 w s
    t       falls to 0.6 of itself, but no farther than to where |x - U z| is the noise:
            |r|^2 = |x - U_A b|^2 + t^2 c'(w s)

until t is that end and the atoms are those they were: then the code is exact. A step is one product
with U and one decomposition of a matrix as large as the number of atoms; a handful of steps does
what takes the path as many as there are atoms. Where it does not settle, the path itself must be
followed (`homotopy`).

Fan, Jiao and Lu (2014), A primal dual active set with continuation algorithm for compressed
sensing, IEEE Transactions on Signal Processing 62(23).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from lowdim.sparse.min_l1.homotopy import Found

FALL = 0.6  # of t, in a step
STEPS = 60  # at t of 1e-12 of the first; atoms that change places go on for ever


class Seen:
    """Atoms that were in use at some time, with their products."""

    def __init__(self, U: np.ndarray):
        self.U = U
        self.place = np.full(U.shape[1], -1)
        self.atoms = np.empty((0, len(U)))
        self.gram = np.empty((0, 0))

    def places(self, chosen: np.ndarray) -> np.ndarray:
        """Where these atoms stand; those not yet seen are added."""
        new = chosen[self.place[chosen] < 0]
        if len(new):
            k = len(self.atoms)
            self.place[new] = k + np.arange(len(new))
            added = np.ascontiguousarray(self.U[:, new].T)
            self.atoms = np.concatenate([self.atoms, added])
            products = self.atoms @ added.T
            gram = np.empty((len(self.atoms),) * 2)
            gram[:k, :k], gram[:, k:], gram[k:, :k] = self.gram, products, products[:k].T
            self.gram = gram
        return self.place[chosen]


def jump(
    U: np.ndarray, x: np.ndarray, noise: float, weights: np.ndarray, max_iter: int | None = None
) -> Found | None:
    """Code and dual vector, or None where the atoms in use do not settle."""
    squares = np.einsum("ij,ij->j", U, U)
    seen, Ux = Seen(U), x @ U
    t = FALL * float(np.max(np.abs(Ux) / weights))
    h = Ux
    used = np.flatnonzero(np.abs(h) > t * weights)
    for n_iter in range(1, min(STEPS, max_iter or STEPS) + 1):
        if len(used) > min(U.shape):
            return None
        sign = np.sign(h[used])
        places, wanted = seen.places(used), weights[used] * sign
        try:
            factor = cho_factor(seen.gram[np.ix_(places, places)], check_finite=False)
        except LinAlgError:
            return None
        both = np.column_stack([Ux[used], wanted])
        b, c = cho_solve(factor, both, check_finite=False).T
        # not xx - b'U_A'x, the rounding of which would be as large as a small noise
        left, slope = x - b @ seen.atoms[places], c @ seen.atoms[places]
        outside, speed = float(left @ left), float(c @ wanted)
        end = float(np.sqrt(max((noise**2 - outside) / speed, 0.0))) if speed > 0 else 0.0
        t = max(FALL * t, end)
        z = np.zeros(len(seen.atoms))
        z[places] = b - t * c
        r = left + t * slope
        h = r @ U
        h[used] += squares[used] * z[places]
        now = np.flatnonzero(np.abs(h) > t * weights)
        if t == end and np.array_equal(now, used) and np.array_equal(np.sign(h[used]), sign):
            code = np.zeros(U.shape[1])
            code[used] = z[places]
            return Found(code, r / t, n_iter, True)
        used = now
        if not len(used):
            return None
    return None
