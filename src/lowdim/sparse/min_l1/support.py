"""An exact code and its dual vector from a guess: which atoms are used, and with which signs.

    U_A'U_A b = U_A'x          the code of the atoms A, without noise
    U_A'U_A c = w_A s          what a penalty t takes from it: z_A = b - t c
    v = U_A c                  U_A'v = w_A s: a dual vector, if all other atoms keep their bounds

With noise, |x - U_A z_A|^2 = |x - U_A b|^2 + t^2 |v|^2 gives t, and the dual vector is what is left
of x, divided by t. Without, any y with U_A'y = w_A s will do: the one that is nearest to the guess.

Matrices by a decomposition, operators by conjugate gradients. Where the atoms of the guess are
dependent (doubles), some of them will do: which, the path of these atoms alone says.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse.linalg import LinearOperator, cg

from lowdim.sparse.min_l1.homotopy import follow
from lowdim.sparse.min_l1.problem import SPANNED, OutsideError, Problem

SOLVED, MOST_STEPS = 1e-12, 300  # of conjugate gradients
DEPENDENT = 1e-10
UNUSED = 1e-9  # of the largest coefficient: atoms that are not needed
MOST = 1 / 3  # atoms for each number of a signal: beyond, gradients need many steps
NEAR = 1e-6  # of |x|, that a code may miss at first


def from_support(
    problem: Problem, x: np.ndarray, noise: float, z: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Code and dual vector of the atoms that z uses; None if no code of them is near x."""
    chosen = np.flatnonzero(z)
    if len(chosen) == 0 or (problem.matrix is None and len(chosen) > MOST * problem.shape[0]):
        return None
    wanted = problem.weights[chosen] * np.sign(z[chosen])
    solve = _by_qr(problem, chosen) if problem.matrix is not None else _by_cg(problem, chosen)
    if solve is None:
        return _of_dependent(problem, x, noise, chosen, wanted, y)
    project, raise_ = solve
    b = project(x)
    left = x - _made(problem, chosen, b)
    if float(np.linalg.norm(left)) > noise + NEAR * float(np.linalg.norm(x)):
        return None
    b += project(left)
    left = x - _made(problem, chosen, b)
    code = np.zeros(problem.shape[1])
    if noise == 0.0:
        code[chosen] = np.where(np.abs(b) > UNUSED * np.abs(b).max(), b, 0.0)
        if not code[chosen].all():  # a guess of too many atoms
            return from_support(problem, x, noise, code, y)
        return code, y + _made(problem, chosen, raise_(wanted - problem.products(y)[chosen]))
    c = raise_(wanted)
    v = _made(problem, chosen, c)
    square = (noise**2 - float(left @ left)) / float(v @ v)
    if square <= 0.0:
        return None
    t = float(np.sqrt(square))
    code[chosen] = b - t * c
    return code, left / t + v


def only_code(problem: Problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Code and dual vector, where independent atoms that are not more than numbers make x."""
    D, L = problem.shape
    if L > D or problem.matrix is None:
        return None
    if problem.solved is None:  # once for all signals
        problem.solved = (_by_qr(problem, np.arange(L)),)
    (solve,) = problem.solved
    if solve is None:
        return None
    project, raise_ = solve
    b = project(x)
    b += project(x - problem.matrix @ b)
    if np.linalg.norm(x - problem.matrix @ b) > SPANNED * np.linalg.norm(x):
        return None
    b = np.where(np.abs(b) > 1e-14 * np.abs(b).max(), b, 0.0)
    return b, problem.matrix @ raise_(problem.weights * np.sign(b))


def _of_dependent(
    problem: Problem,
    x: np.ndarray,
    noise: float,
    chosen: np.ndarray,
    wanted: np.ndarray,
    y: np.ndarray,
) -> tuple[np.ndarray, np.ndarray] | None:
    A = problem.atoms(chosen)
    try:
        found = follow(A, x, noise, problem.weights[chosen], 20 * len(chosen))
    except OutsideError:
        return None
    if found is None or not found.finished:
        return None
    code = np.zeros(problem.shape[1])
    code[chosen] = found.coef
    dual = found.dual if noise else y + np.linalg.lstsq(A.T, wanted - A.T @ y)[0]
    return code, dual


Solve = Callable[[np.ndarray], np.ndarray]


def _made(problem: Problem, chosen: np.ndarray, b: np.ndarray) -> np.ndarray:
    """U_A b"""
    if problem.matrix is not None:
        return np.asarray(problem.matrix[:, chosen] @ b)
    code = np.zeros(problem.shape[1])
    code[chosen] = b
    return problem.times(code)


def _by_qr(problem: Problem, chosen: np.ndarray) -> tuple[Solve, Solve] | None:
    """b of a signal, and c of the wanted products; None if the atoms are dependent."""
    if len(chosen) > problem.shape[0]:
        return None
    Q, R = qr(problem.atoms(chosen), mode="economic", check_finite=False)
    size = np.abs(np.diag(R))
    if size.min() <= DEPENDENT * size.max():
        return None

    def project(x: np.ndarray) -> np.ndarray:
        return np.asarray(solve_triangular(R, Q.T @ x, check_finite=False))

    def raise_(wanted: np.ndarray) -> np.ndarray:
        p = solve_triangular(R, wanted, trans=1, check_finite=False)
        return np.asarray(solve_triangular(R, p, check_finite=False))

    return project, raise_


def _by_cg(problem: Problem, chosen: np.ndarray) -> tuple[Solve, Solve] | None:
    k = len(chosen)

    def gram(b: np.ndarray) -> np.ndarray:
        return problem.products(_made(problem, chosen, b))[chosen]

    operator = LinearOperator((k, k), matvec=gram, dtype=np.float64)

    def raise_(wanted: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # dependent atoms
            found = np.asarray(cg(operator, wanted, rtol=SOLVED, maxiter=MOST_STEPS)[0])
        return np.where(np.isfinite(found), found, 0.0)

    return lambda x: raise_(problem.products(x)[chosen]), raise_
