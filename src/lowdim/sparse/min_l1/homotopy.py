"""Basis pursuit exactly: the path of the lasso, from the largest penalty to the noise.

    min over z   |x - U z|^2 / 2 + t sum_j w_j |z_j|            for every t, downwards

Between two events the code is a line in t. On the atoms A in use, with signs s,

    U_A = Q R,   p = R'^-1 (w s),   v = Q p,   z_A moves by R^-1 p and U'r by -U'v, per unit of t

until an atom joins (|u_j'r| = w_j t), a coefficient reaches 0 and leaves, or what is left of x
is the noise: |r| falls as r'r = |x_outside|^2 + t^2 |p|^2, which is solved for t. With no noise the
path ends at t = 0, where r = t v and v is the dual vector. One step costs one product with U, as
v and U'v change by multiples of q, the new direction, and of U'q.

Osborne, Presnell and Turlach (2000); Efron, Hastie, Johnstone and Tibshirani (2004).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr_delete, solve_triangular

from lowdim.sparse.min_l1.problem import SPANNED, OutsideError

DEPENDENT = 1e-10  # length left of an atom of length 1 that the others make
SAME = 1e-12  # relative: two numbers that are one
STANDING = 1e-13  # relative length of a step that goes nowhere


class Found(NamedTuple):
    """Where a path ended."""

    coef: np.ndarray  # (L,)
    dual: np.ndarray  # (D,)
    n_iter: int
    finished: bool


class Path:
    """A path on its way down. Names are those of the derivation above."""

    def __init__(self, U: np.ndarray, x: np.ndarray, weights: np.ndarray):
        D, L = U.shape
        self.U, self.x, self.w = U, x, weights
        self.used: list[int] = []
        self.resting = np.ones(L, bool)  # atoms that are not in use and may join
        self.Q = np.zeros((D, 0), order="F")
        self.R = np.zeros((0, 0))
        self.sign = np.zeros(0)
        self.z = np.zeros(0)
        self.p = np.zeros(0)
        self.v = np.zeros(D)
        self.Uv = np.zeros(L)
        self.r = x.copy()
        self.Ur = x @ U
        self.t = float(np.max(np.abs(self.Ur) / weights))

    def join(self, j: int) -> None:
        """Atom j comes into use; not if the others make it."""
        u = self.U[:, j]
        k = len(self.used)
        Q = self.Q[:, :k]
        b = Q.T @ u
        q = u - Q @ b
        again = Q.T @ q  # once more: q is orthogonal to all digits
        q -= Q @ again
        b += again
        length, left = float(np.linalg.norm(u)), float(np.linalg.norm(q))
        self.resting[j] = False
        if k == len(self.x) or left <= DEPENDENT * length:
            return
        q /= left
        self._room(k + 1)
        self.Q[:, k] = q
        self.R[:k, k], self.R[k, k] = b, left
        sign = 1.0 if self.Ur[j] > 0 else -1.0
        last = (self.w[j] * sign - b @ self.p) / left
        self.used.append(j)
        self.sign, self.z = np.append(self.sign, sign), np.append(self.z, 0.0)
        self.p = np.append(self.p, last)
        self.v += last * q
        self.Uv += last * (q @ self.U)

    def _room(self, k: int) -> None:
        """Q and R for at least k atoms."""
        if k > len(self.R):
            new = min(2 * k + 14, len(self.x))
            Q, R = np.zeros((len(self.x), new), order="F"), np.zeros((new, new), order="F")
            Q[:, : self.Q.shape[1]], R[: len(self.R), : len(self.R)] = self.Q, self.R
            self.Q, self.R = Q, R

    def leave(self, i: int) -> None:
        """The i-th atom in use goes."""
        k = len(self.used)
        Q, R = qr_delete(self.Q[:, :k], self.R[:k, :k], i, 1, which="col")
        self.Q[:, : k - 1], self.R[: k - 1, : k - 1] = Q[:, : k - 1], R[: k - 1]
        self.used.pop(i)
        self.resting[:] = True  # also atoms that this one was needed for to make
        self.resting[self.used] = False
        self.sign, self.z = np.delete(self.sign, i), np.delete(self.z, i)
        self.settle()

    def settle(self) -> None:
        """p, v and U'v from the atoms in use."""
        k = len(self.used)
        wanted = self.w[self.used] * self.sign
        self.p = solve_triangular(self.R[:k, :k], wanted, trans=1, check_finite=False)
        self.v = self.Q[:, :k] @ self.p
        self.Uv = self.v @ self.U

    def direction(self) -> np.ndarray:
        """How z moves, per unit of t."""
        k = len(self.used)
        return np.asarray(solve_triangular(self.R[:k, :k], self.p, check_finite=False))

    def next_join(self) -> tuple[float, int]:
        """How far t can fall until an atom joins, and which."""
        # |U'r - g U'v| = w (t - g): for + and - each, where the two come nearer
        # of atoms that join at one place the first one does, whatever rounding says
        wt = self.w * self.t
        steps = np.full(len(wt), np.inf)
        for sign in (1.0, -1.0):
            speed = self.w - sign * self.Uv
            open_ = self.resting & (speed > SAME * self.w)
            own = np.full(len(wt), np.inf)
            np.divide(np.maximum(wt - sign * self.Ur, 0.0), speed, out=own, where=open_)
            np.minimum(steps, own, out=steps)
        j = first_of(-steps, SAME * self.t)
        return float(steps[j]), j

    def next_leave(self, d: np.ndarray) -> tuple[float, int]:
        """How far t can fall until a coefficient is 0, and which."""
        falling = d * self.sign < 0
        if not falling.any():
            return np.inf, -1
        steps = np.full(len(d), np.inf)
        np.divide(np.maximum(self.z * self.sign, 0.0), -d * self.sign, out=steps, where=falling)
        i = int(np.argmin(steps))
        return float(steps[i]), i

    def move(self, step: float, d: np.ndarray) -> None:
        self.z += step * d
        self.r -= step * self.v
        self.Ur -= step * self.Uv
        self.t -= step


def follow(
    U: np.ndarray, x: np.ndarray, noise: float, weights: np.ndarray, max_iter: int
) -> Found | None:
    """The end of the path; None where events at one place go round in a circle."""
    path = Path(U, x, weights)
    start, standing = path.t, 0
    path.join(first_of(np.abs(path.Ur) / weights, SAME * start))
    for n_iter in range(1, max_iter + 1):
        d = path.direction()
        join, j = path.next_join()
        leave, i = path.next_leave(d)
        event = min(join, leave)
        t_end = _end(path, noise)
        if path.t - t_end <= event or path.t - event <= SAME * start:
            return Found(*_exact(path, noise, t_end), n_iter, True)
        standing = standing + 1 if event <= STANDING * path.t else 0
        if standing > 2 * len(path.used) + 10:
            return None
        path.move(event, d)
        if leave <= join:
            path.z[i] = 0.0
            path.leave(i)
        else:
            path.join(j)
    return Found(*_exact(path, noise, path.t), max_iter, False)


def first_of(values: np.ndarray, within: float) -> int:
    """The first index of those whose values are the largest, up to rounding."""
    return int(np.argmax(values >= values.max() - within))


def _end(path: Path, noise: float) -> float:
    """The t at which what is left of x is the noise, if no event comes first; 0 if never."""
    if noise == 0.0:
        return 0.0
    square = path.t**2 - (float(path.r @ path.r) - noise**2) / float(path.p @ path.p)
    return float(np.sqrt(square)) if square > 0.0 else 0.0


def _exact(path: Path, noise: float, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Code and dual vector at t, from the atoms in use and their signs."""
    k = len(path.used)
    Q, R, A = path.Q[:, :k], path.R[:k, :k], path.U[:, path.used]
    inside = solve_triangular(R, Q.T @ path.x, check_finite=False)
    left = path.x - A @ inside
    inside += solve_triangular(R, Q.T @ left, check_finite=False)
    left = path.x - A @ inside  # outside of the atoms in use
    z = np.zeros(path.U.shape[1])
    missed, length = float(np.linalg.norm(left)), float(np.linalg.norm(path.x))
    if t == 0.0:
        if missed > noise + SPANNED * length:
            raise OutsideError(missed)
        # atoms whose coefficients end at 0 were needed for the dual vector alone
        z[path.used] = np.where(np.abs(inside) > SAME * np.abs(inside).max(), inside, 0.0)
        return z, path.v
    if noise > 0.0 and missed < noise:
        t = float(np.sqrt(noise**2 - missed**2) / np.linalg.norm(path.p))
    z[path.used] = inside - t * path.direction()
    return z, left / t + path.v
