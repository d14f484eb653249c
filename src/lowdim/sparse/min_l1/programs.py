"""Basis pursuit as a linear program (9.3): z = a - b with a, b >= 0.

min over a, b  sum_j w_j (a_j + b_j)    with  U (a - b) = x
"""

from __future__ import annotations

import numpy as np

from lowdim.sparse.min_l1.homotopy import Found
from lowdim.sparse.min_l1.problem import OutsideError

EXACT = 1e-10  # the least tolerance of HiGHS
INFEASIBLE = 2


def linear_program(
    U: np.ndarray, x: np.ndarray, weights: np.ndarray, max_iter: int | None
) -> Found:
    """Code and dual vector by HiGHS.

    It takes numbers below 1e-9 for 0, and none above 1e15: so U and the weights are brought to 1,
    by powers of 2, which round nothing."""
    from scipy.optimize import linprog  # half a second, that other solvers need not wait for

    (U, unit), (weights, cost) = _brought_to_one(U), _brought_to_one(weights)
    L = U.shape[1]
    options = {"primal_feasibility_tolerance": EXACT, "dual_feasibility_tolerance": EXACT}
    if max_iter is not None:
        options["maxiter"] = max_iter
    found = linprog(
        np.concatenate([weights, weights]),
        A_eq=np.hstack([U, -U]),
        b_eq=x,
        method="highs",
        options=options,
    )
    if found.status == INFEASIBLE:
        left = x - U @ np.linalg.lstsq(U, x)[0]
        raise OutsideError(float(np.linalg.norm(left)))
    if found.x is None:  # stopped before a code was found
        return Found(np.zeros(L), np.zeros(len(x)), int(found.nit), False)
    coef = (found.x[:L] - found.x[L:]) / unit
    return Found(coef, found.eqlin.marginals * (cost / unit), int(found.nit), found.status == 0)


def _brought_to_one(A: np.ndarray) -> tuple[np.ndarray, float]:
    """A divided by a power of 2, its largest number between 1/2 and 1; and this power."""
    power = int(np.frexp(np.abs(A).max())[1])
    return np.ldexp(A, -power), float(np.ldexp(1.0, power))
