"""When is the code of least |z|_1 the sparsest one?

U has the null space property of order s if every v != 0 with U v = 0 has less on any s of its
entries than on all others: |v_S|_1 < |v_rest|_1. Then, and only then, every code of s non-zeros is
the one of least |z|_1 among all that make the same signal. The constant is

    c_s = max over v, S of  |v_S|_1 / |v_rest|_1,        c_s < 1: it holds

For given S and signs it is a linear program: most sign'v_S with U v = 0, |v_rest|_1 <= 1. Where
there are too many of these,

    c_s <= s a / (1 - s a),  a = max over v of max |v_i| / |v|_1        L linear programs

says that it holds, or sets that were tried that it does not.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from lowdim.core.threads import single_threaded_blas
from lowdim.sparse.promises.products import as_matrix
from lowdim.sparse.promises.supports import check_number_of_atoms

MOST_PROGRAMS = 3000
TRIED = 100
SEED = 0  # of the sets that are tried
TINY = 1e-9  # of a constant, that programs leave open
RANK = 1e-12


class NullSpaceProperty(NamedTuple):
    """Whether it holds, and how far from it."""

    holds: bool | None  # None: open
    constant: float  # c_s; if `exact` is False, a bound: above if it holds, below if not or open
    exact: bool
    violation: np.ndarray | None  # v with U v = 0 and |v_S|_1 >= |v_rest|_1


@single_threaded_blas()
def null_space_property(U, s):
    """Whether basis pursuit finds every code of s non-zeros.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator
        Atoms as columns.
    s : int
        Number of non-zeros.

    Returns
    -------
    NullSpaceProperty
        `holds` (None: open), `constant`, `exact` and `violation`.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> U = np.array([[1.0, 0.0, 0.7071], [0.0, 1.0, 0.7071]])
    >>> sparse.null_space_property(U, 1).holds
    True
    """
    A = as_matrix(U)
    L = A.shape[1]
    s = check_number_of_atoms(s, L)
    rows, kernel = _row_space(A)
    if len(kernel) == 0:
        return NullSpaceProperty(True, 0.0, True, None)
    if s == L:
        return _violated(kernel[0], math.inf, True)
    if math.comb(L, s) * 2 ** (s - 1) <= MOST_PROGRAMS:
        sets = [np.array(some) for some in combinations(range(L), s)]
        constant, v = _largest(rows, sets, s)
        if constant < 1.0 - TINY:
            return NullSpaceProperty(True, constant, True, None)
        return _violated(v, constant, True)
    return _bounded(rows, kernel, s)


def _violated(v: np.ndarray, constant: float, exact: bool) -> NullSpaceProperty:
    return NullSpaceProperty(False, constant, exact, v / np.abs(v).max())


def _bounded(rows: np.ndarray, kernel: np.ndarray, s: int) -> NullSpaceProperty:
    L = rows.shape[1]
    singles = [_most(rows, np.array([i]), np.ones(1)) for i in range(L)]
    shares = np.array([value / (1.0 + value) for value, _ in singles])  # |v_i| / |v|_1
    a = float(np.sort(shares)[-s:].sum())
    if a < 0.5 - TINY:
        return NullSpaceProperty(True, a / (1.0 - a), False, None)
    random = np.random.default_rng(SEED)
    best, worst = 0.0, None
    starts = [v for _, v in singles] + [
        random.normal(size=len(kernel)) @ kernel for _ in range(TRIED)
    ]
    for v in starts:
        value, v = _climbed(rows, v, s)
        if value > best:
            best, worst = value, v
        if best >= 1.0 - TINY:
            assert worst is not None
            return _violated(worst, best, False)
    return NullSpaceProperty(None, best, False, None)


def _climbed(rows: np.ndarray, v: np.ndarray, s: int) -> tuple[float, np.ndarray]:
    """A larger ratio from v on: its s largest entries and their signs, the best v for them, ..."""
    value = -1.0
    while True:
        chosen = np.argsort(-np.abs(v), kind="stable")[:s]
        new, w = _most(rows, chosen, np.where(v[chosen] < 0, -1.0, 1.0))
        if new <= value * (1.0 + TINY):
            return value, v
        value, v = new, w


def _largest(rows: np.ndarray, sets: list[np.ndarray], s: int) -> tuple[float, np.ndarray]:
    best, worst = -1.0, np.zeros(rows.shape[1])
    signs = [np.array((1.0, *rest)) for rest in product((1.0, -1.0), repeat=s - 1)]
    for chosen in sets:
        for sign in signs:  # v and -v are one: the first sign is +
            value, v = _most(rows, chosen, sign)
            if value > best:
                best, worst = value, v
    return best, worst


def _most(rows: np.ndarray, chosen: np.ndarray, sign: np.ndarray) -> tuple[float, np.ndarray]:
    """max sign'v_S over v with A v = 0 and |v_rest|_1 <= 1; infinity, if nothing holds it.

    Variables: v_S, and p, q >= 0 with v_rest = p - q: as many conditions as A has rows, and one.
    """
    L, s = rows.shape[1], len(chosen)
    rest = np.setdiff1d(np.arange(L), chosen)
    r = len(rest)
    found = linprog(
        np.concatenate([-sign, np.zeros(2 * r)]),
        A_ub=np.concatenate([np.zeros(s), np.ones(2 * r)])[None],
        b_ub=np.ones(1),
        A_eq=np.hstack([rows[:, chosen], rows[:, rest], -rows[:, rest]]),
        b_eq=np.zeros(len(rows)),
        bounds=[(None, None)] * s + [(0, None)] * (2 * r),
        method="highs",
    )
    v = np.zeros(L)
    if found.status == 3:  # no bound: a v that is zero outside of S
        v[chosen] = np.linalg.svd(rows[:, chosen])[2][-1]
        return math.inf, v
    v[chosen], v[rest] = found.x[:s], found.x[s : s + r] - found.x[s + r :]
    return float(-found.fun), v


def _row_space(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal rows: those that span the rows of A, and those with A v = 0."""
    _, values, right = np.linalg.svd(A)
    rank = int((values > RANK * max(A.shape) * values[0]).sum()) if len(values) else 0
    return np.ascontiguousarray(right[:rank]), np.ascontiguousarray(right[rank:])
