"""`basis_pursuit`: the code of least sum of absolute values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.sparse.min_l1.homotopy import Found, follow
from lowdim.sparse.min_l1.jumps import jump
from lowdim.sparse.min_l1.problem import BasisPursuit, OutsideError, Problem, rounding_of
from lowdim.sparse.min_l1.programs import linear_program
from lowdim.sparse.min_l1.splitting import alternate
from lowdim.sparse.min_l1.support import from_support, only_code

SOLVERS = ("auto", "lp", "homotopy", "admm")
ITERATIONS = 20_000  # of admm
STEPS = 20  # of the homotopy, for each number of a signal
APART = 1e-9  # by which weights are made different where atoms join at one place
SEED = 0  # of these differences


@single_threaded_blas()
def basis_pursuit(U, x, *, noise=0.0, weights=None, solver="auto", tol=1e-8, max_iter=None):
    """Basis pursuit: the code of least sum of absolute values that makes x.

    Minimises  sum_j w_j |z_j|  over all codes z with |x - U z| <= noise. The answer comes with its
    proof: a dual vector y, |u_j'y| <= w_j, shows that no code costs less than x'y - noise |y|.

    Cost: 'homotopy' one product with U per step, about one or two steps per non-zero, with noise
    mostly ten to thirty in all; 'admm' two products per iteration, some hundreds of them.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator
        Atoms as columns, of any length.
    x : array of shape (D,)
    noise : float, default=0.0
        |x - U z| at the most.
    weights : array of shape (L,), default=None
        What an atom costs; None: 1 each.
    solver : {'auto', 'lp', 'homotopy', 'admm'}, default='auto'
        'homotopy' is exact and follows the lasso from few atoms to more (with noise it jumps, and
        follows atom by atom where jumps do not settle); 'lp' is the linear
        program, by HiGHS, without noise; 'admm' needs products alone and is for operators. 'auto':
        homotopy for what can be written down, else admm; should a path with many ties not end, lp.
    tol : float, default=1e-8
        The gap at the most, relative to the cost.
    max_iter : int, default=None
        Steps or iterations at the most; None: enough.

    Returns
    -------
    BasisPursuit
        `coef` (L,), `dual` (D,), `gap` (the cost of coef less what the dual vector proves),
        `n_iter` and `solver`. All in float64.

    See Also
    --------
    sparsest : the code with the fewest non-zeros, by looking at all of them.
    null_space_property : whether both are the same.

    Notes
    -----
    Numbers in float32 are known to 1.2e-7 of their size: so much noise, relative to |x|, is always
    allowed where U or x are in float32 (not by 'lp'). Else the code would have to make their
    rounding, too, which takes as many atoms as x has numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> U = np.array([[1.0, 0.0, 0.5**0.5], [0.0, 1.0, 0.5**0.5]])
    >>> found = sparse.basis_pursuit(U, [1.0, 1.0])
    >>> found.coef.round(6)
    array([0.      , 0.      , 1.414214])
    >>> abs(found.gap) < 1e-12
    True
    """
    problem = Problem(U, weights)
    problem.rounding = max(problem.rounding, rounding_of(x))
    return pursue(problem, problem.signal(x), noise, solver, tol, max_iter)


def pursue(
    problem: Problem,
    x: np.ndarray,
    noise: float = 0.0,
    solver: str = "auto",
    tol: float = 1e-8,
    max_iter: int | None = None,
) -> BasisPursuit:
    """Basis pursuit of one signal: of many, the problem is made once."""
    noise = check_number("noise", noise, 0.0)
    tol = check_number("tol", tol, 0.0, open_low=True)
    solver = _chosen(problem, check_choice("solver", solver, SOLVERS), noise)
    if max_iter is not None:
        max_iter = check_at_least("max_iter", max_iter, 1)
    D, L = problem.shape
    size = float(np.max(np.abs(x)))
    if float(np.linalg.norm(x / (size or 1.0))) * size <= noise:
        return BasisPursuit(np.zeros(L), np.zeros(D), 0.0, 0, solver.removesuffix("?"))
    x, noise = x / size, noise / size
    if solver.startswith("homotopy") and noise == 0.0:
        only = only_code(problem, x)
        if only is not None:
            dual, gap = problem.proved(x, 0.0, *only)
            scale = size / problem.unit
            return BasisPursuit(only[0] * scale, dual / problem.unit, gap * scale, 1, "homotopy")
    if solver != "lp":
        noise = max(noise, problem.rounding * float(np.linalg.norm(x)))
    try:
        found, solver = _solved(problem, x, noise, solver, tol, max_iter)
    except OutsideError as error:
        raise error.explained(x, noise, size) from None
    coef, dual, gap = _best(problem, x, noise, found, tol)
    if gap > tol * float(problem.weights @ np.abs(coef)):
        _warn(problem, coef, gap, found, solver, tol)
    scale = size / problem.unit
    return BasisPursuit(coef * scale, dual / problem.unit, gap * scale, found.n_iter, solver)


def _chosen(problem: Problem, solver: str, noise: float) -> str:
    """The solver; 'homotopy?' is one that may hand over."""
    if solver == "auto":
        return "admm" if problem.matrix is None else "homotopy?"
    if solver == "lp" and noise > 0:
        raise ValueError(
            f"solver='lp' is for noise=0, found noise={noise:g}: with noise it is no linear "
            "program. Choose 'homotopy' or 'admm'."
        )
    if solver != "admm" and problem.matrix is None:
        D, L = problem.shape
        raise ValueError(
            f"solver={solver!r} needs a matrix, and this operator of {D:,} x {L:,} is too large to "
            "be written down; choose 'admm'."
        )
    return solver


def _solved(
    problem: Problem, x: np.ndarray, noise: float, solver: str, tol: float, max_iter: int | None
) -> tuple[Found, str]:
    if solver == "admm":
        return alternate(problem, x, noise, tol, max_iter or ITERATIONS), solver
    assert problem.matrix is not None
    if solver == "lp":
        return linear_program(problem.matrix, x, problem.weights, max_iter), solver
    if noise:
        found = jump(problem.matrix, x, noise, problem.weights, max_iter)
        if found is not None and _proves(problem, x, noise, found, tol):
            return found, "homotopy"
    hands_over = solver.endswith("?")
    steps = max_iter or STEPS * min(problem.shape) + 100
    found = follow(problem.matrix, x, noise, problem.weights, steps)
    if found is None or (found.finished and not _proves(problem, x, noise, found, tol)):
        # ties: with weights that differ a little atoms join one after the other
        apart = np.random.default_rng(SEED).uniform(1.0, 1.0 + APART, problem.shape[1])
        found = follow(problem.matrix, x, noise, problem.weights * apart, steps)
    if hands_over and (found is None or not _proves(problem, x, noise, found, tol)):
        other = "admm" if noise else "lp"
        return _solved(problem, x, noise, other, tol, max_iter)
    if found is None:
        found = Found(np.zeros(problem.shape[1]), np.zeros(len(x)), steps, False)
    return found, "homotopy"


def _proves(problem: Problem, x: np.ndarray, noise: float, found: Found, tol: float) -> bool:
    coef, _, gap = _best(problem, x, noise, found, tol)
    return gap <= tol * float(problem.weights @ np.abs(coef))


def _best(
    problem: Problem, x: np.ndarray, noise: float, found: Found, tol: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Code, dual vector and gap; exact from the atoms in use, where that is better."""
    dual, gap = problem.proved(x, noise, found.coef, found.dual)
    if gap <= tol * float(problem.weights @ np.abs(found.coef)):
        return found.coef, dual, gap
    exact = from_support(problem, x, noise, found.coef, found.dual)
    if exact is not None:
        better, less = problem.proved(x, noise, *exact)
        if less < gap:
            return exact[0], better, less
    return found.coef, dual, gap


def _warn(
    problem: Problem, coef: np.ndarray, gap: float, found: Found, solver: str, tol: float
) -> None:
    cost = float(problem.weights @ np.abs(coef))
    what = "no code that makes x" if np.isinf(gap) else f"a gap of {gap / max(cost, 1e-300):.1e}"
    advice: Any = "Raise max_iter, or try another solver" if not found.finished else "Raise tol"
    warnings.warn(
        f"basis_pursuit stopped after {found.n_iter} iterations of {solver} with {what}, relative "
        f"to the cost (tol={tol:g}). {advice}.",
        ConvergenceWarning,
        stacklevel=3,
    )
