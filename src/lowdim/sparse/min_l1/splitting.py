"""Basis pursuit by alternating directions: products with U and U' alone.

Two copies of the code, one that makes the signal and one that is sparse, are brought together:

    h = (U U')^-1 (U (q - u) - x)
    p = q - u - U'h                       the nearest code that makes x
    q = shrink(p + u, w / rho)            the nearest sparse one
    u = u + p - q

U U' is a number where the frame is tight, else it is decomposed once (operators too large for that:
conjugate gradients). y = -rho h is a dual vector on the way, and U'y = rho (p - q + u) comes with
it. Noise is a further signal e of at most its length: U p + e = x.

Now and then the atoms in use are asked for their exact code (`support`): the last digits then need
no further iterations. Boyd, Parikh, Chu, Peleato and Eckstein (2011), section 6.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg, lsmr

from lowdim.linalg.products import dense_times
from lowdim.sparse.min_l1.homotopy import Found
from lowdim.sparse.min_l1.problem import SPANNED, OutsideError, Problem
from lowdim.sparse.min_l1.support import from_support

TIGHT = 1e-11  # relative: U U'g is a multiple of g
OVER = 1.6  # steps are made longer by this
LOOK_EVERY = 10  # iterations
FEW = 0.05  # of the atoms in use, that may still come and go when they are asked
LONGER = 1.2  # the wait until atoms are asked again
UNEQUAL, CHANGE = 5.0, 2.0  # of the two errors, and of rho
LARGEST_GRAM = 6000  # side of U U' that is decomposed
SOLVED = 1e-12
LEAST_SQUARES, LEAST_SQUARES_STEPS = 2, 1000  # how lsmr calls an end outside of the span
SEED = 0  # of the signal that U U' is tried on

Solve = Callable[[np.ndarray], np.ndarray]


def tight_frame(problem: Problem) -> float | None:
    """The number c with U U' = c, or None: tried on a random signal, which no other U U' keeps."""
    g = np.random.default_rng(SEED).normal(size=problem.shape[0])
    image = problem.times(problem.products(g))
    c = float(image @ g / (g @ g))
    near = np.linalg.norm(image - c * g) <= TIGHT * c * np.linalg.norm(g)
    return c if near else None


def check_span(problem: Problem, x: np.ndarray, noise: float) -> None:
    """An error, if the nearest sum of atoms misses x by more than the noise."""
    U = LinearOperator(problem.shape, problem.times, problem.products, dtype=np.float64)
    found = lsmr(U, x, atol=SOLVED, btol=SOLVED, maxiter=LEAST_SQUARES_STEPS)
    left, length = float(found[3]), float(np.linalg.norm(x))
    if found[1] == LEAST_SQUARES and left > noise + SPANNED * length:
        raise OutsideError(left)


def frame_inverse(problem: Problem, extra: float, c: float | None) -> Solve:
    """y -> (U U' + extra)^-1 y, where U U' = c if the frame is tight."""
    D = problem.shape[0]
    if c is not None:
        return lambda y: y / (c + extra)
    if problem.matrix is not None or D <= LARGEST_GRAM:
        gram = _gram(problem)
        gram[np.diag_indices(D)] += max(extra, 1e-14 * float(np.trace(gram)))
        factor = cho_factor(gram, overwrite_a=True, check_finite=False)
        return lambda y: np.asarray(cho_solve(factor, y, check_finite=False))
    operator = LinearOperator(
        (D, D), matvec=lambda y: problem.times(problem.products(y)) + extra * y, dtype=np.float64
    )
    last = np.zeros(D)

    def solve(y: np.ndarray) -> np.ndarray:
        last[:] = cg(operator, y, x0=last, rtol=SOLVED)[0]
        return last.copy()

    return solve


def _gram(problem: Problem) -> np.ndarray:
    """U U', written down."""
    if problem.matrix is not None:
        return dense_times(problem.matrix, np.ascontiguousarray(problem.matrix.T))
    return np.array([problem.times(problem.products(e)) for e in np.eye(problem.shape[0])])


def alternate(problem: Problem, x: np.ndarray, noise: float, tol: float, max_iter: int) -> Found:
    """Code and dual vector, with a gap of at most tol times the cost."""
    way = _Way(problem, x, noise)
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    last: np.ndarray | None = None
    next_try = 0
    for n_iter in range(1, max_iter + 1):
        way.step()
        if n_iter % LOOK_EVERY and n_iter != max_iter:
            continue
        way.balance()
        signs = np.sign(way.q)
        settled = last is not None and n_iter >= next_try and _nearly_same(signs, last)
        last = signs
        if not settled and n_iter != max_iter and way.rough_gap() > tol:
            continue
        next_try = int(LONGER * n_iter)  # a guess that failed is not worth much
        for z, y in way.candidates():
            y, gap = problem.proved(x, noise, z, y)
            if best is None or gap < best[0]:
                best = gap, z, y
        assert best is not None
        if best[0] <= tol * float(problem.weights @ np.abs(best[1])):
            return Found(best[1], best[2], n_iter, True)
    assert best is not None
    return Found(best[1], best[2], max_iter, False)


def _nearly_same(signs: np.ndarray, last: np.ndarray) -> bool:
    return bool(np.count_nonzero(signs != last) <= FEW * np.count_nonzero(signs))


class _Way:
    """The two copies and their difference, on the way."""

    def __init__(self, problem: Problem, x: np.ndarray, noise: float):
        D, L = problem.shape
        self.problem, self.x, self.noise = problem, x, noise
        product = problem.products(x)
        # of the size of U U': noise and code weigh alike
        self.extra = float(product @ product / (x @ x)) if noise else 0.0
        self.root = float(np.sqrt(self.extra))
        c = tight_frame(problem)
        if c is None:
            check_span(problem, x, noise)
        self.inverse = frame_inverse(problem, self.extra, c)
        self.q, self.u = np.zeros(L), np.zeros(L)
        self.e, self.f = np.zeros(D), np.zeros(D)  # the noise, divided by root: as q and u
        self.y = self.inverse(x)
        self.p = problem.products(self.y)
        self.e_p = self.root * self.y
        self.rho = float(len(self.p) / np.abs(self.p).sum())
        self.moved = np.inf

    def step(self) -> None:
        goal, goal_e = self.q - self.u, self.e - self.f
        made = self.problem.times(goal)
        h = self.inverse(made + self.root * goal_e - self.x)
        Uh = self.problem.products(h)
        self.y, self.Uy = -self.rho * h, -self.rho * Uh
        self.p = goal - Uh
        self.e_p = goal_e - self.root * h
        before = self.q
        longer = OVER * self.p + (1.0 - OVER) * self.q + self.u
        bound = self.problem.weights / self.rho
        self.q = longer - np.clip(longer, -bound, bound)
        self.u = longer - self.q
        self.moved = float(np.linalg.norm(self.q - before))
        if self.noise:
            longer = OVER * self.e_p + (1.0 - OVER) * self.e + self.f
            length = float(np.linalg.norm(longer)) * self.root
            self.e = longer * min(1.0, self.noise / length) if length else longer
            self.f = longer - self.e

    def balance(self) -> None:
        """rho so that the copies come together as fast as they come to rest."""
        apart = float(np.linalg.norm(self.p - self.q))
        if apart > UNEQUAL * self.moved:
            factor = CHANGE
        elif self.moved > UNEQUAL * apart:
            factor = 1.0 / CHANGE
        else:
            return
        self.rho *= factor
        self.u /= factor
        self.f /= factor

    def rough_gap(self) -> float:
        """The gap of p and y, relative to the cost of p."""
        w = self.problem.weights
        y = self.y / max(float(np.max(np.abs(self.Uy) / w)), 1.0)
        cost = float(w @ np.abs(self.p))
        proved = float(self.x @ y - self.noise * np.linalg.norm(y))
        return (cost - proved) / cost if cost else 0.0

    def candidates(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Codes and dual vectors that may be exact."""
        exact = from_support(self.problem, self.x, self.noise, self.q, self.y)
        return [(self.p, self.y)] + ([exact] if exact is not None else [])
