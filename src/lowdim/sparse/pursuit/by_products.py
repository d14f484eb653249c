"""Pursuit without a Gram matrix: a product of what is left with all atoms for each step.

    omp     j = argmax |U'r|;  the atom U e_j is made orthogonal to those before, q = q_k;
            r <- r - q (q'r)
    mp      r <- r - (u'r / u'u) u

Memory: s signals beside one code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from lowdim.core.threads import shared_map
from lowdim.sparse.pursuit.dictionaries import Dictionary

DEPENDENT = 10.0  # times the rounding error


class Steps(NamedTuple):
    """Orthogonal matching pursuit of one row, step by step: R z = y after each."""

    chosen: list[int]
    R: np.ndarray  # (s, s)
    y: np.ndarray  # (s,)
    ended_early: bool

    def code(self, s: int | None = None) -> np.ndarray:
        """The numbers of the first s atoms, as they were after s steps; None: of all."""
        s = len(self.chosen) if s is None else s
        return solve_triangular(self.R[:s, :s], self.y[:s]) if s else self.y[:0]


def omp(
    dictionary: Dictionary, X: np.ndarray, n_nonzero: int, max_squared_error: Any = None
) -> tuple[sp.csr_array, np.ndarray]:
    """Codes (n, k) of orthogonal matching pursuit, and which rows ended early."""
    enough = _enough(X, max_squared_error)
    rows = shared_map(lambda i: omp_steps(dictionary, X[i], n_nonzero, enough[i]), range(len(X)))
    codes = [dict(zip(row.chosen, row.code().tolist(), strict=True)) for row in rows]
    return _stacked(codes, dictionary, X), np.array([row.ended_early for row in rows])


def mp(
    dictionary: Dictionary, X: np.ndarray, n_steps: int, max_squared_error: Any = None
) -> sp.csr_array:
    """Codes (n, k) of matching pursuit, of n_steps steps."""
    enough = _enough(X, max_squared_error)
    codes = shared_map(lambda i: _mp_of_row(dictionary, X[i], n_steps, enough[i]), range(len(X)))
    return _stacked(codes, dictionary, X)


def omp_steps(
    dictionary: Dictionary, x: np.ndarray, n_nonzero: int, enough: float, at_least: int = 0
) -> Steps:
    """Orthogonal matching pursuit of one row, with at least so many atoms."""
    rest, size = x.astype(np.float64), float(np.linalg.norm(x))
    tiny = DEPENDENT * np.finfo(x.dtype).eps
    Q, R, y = np.empty((n_nonzero, len(x))), np.zeros((n_nonzero, n_nonzero)), np.empty(n_nonzero)
    chosen: list[int] = []
    while len(chosen) < n_nonzero and (len(chosen) < at_least or rest @ rest > enough):
        c = dictionary.correlations(rest[None].astype(x.dtype, copy=False))[0]
        c[chosen] = 0.0
        j, s = int(np.argmax(np.abs(c))), len(chosen)
        atom = dictionary.atom(j)
        length = np.linalg.norm(atom)
        if abs(c[j]) <= tiny * size * length:
            break
        q = atom
        for _ in range(2):  # once more: what rounding left of the others
            share = Q[:s] @ q
            R[:s, s] += share
            q = q - share @ Q[:s]
        left = np.linalg.norm(q)
        if left <= np.sqrt(tiny) * length:
            break
        R[s, s], Q[s] = left, q / left
        y[s] = Q[s] @ rest
        rest = rest - y[s] * Q[s]
        chosen.append(j)
    s = len(chosen)
    early = s < n_nonzero and (s < at_least or rest @ rest > enough)
    return Steps(chosen, R[:s, :s], y[:s], bool(early))


def _mp_of_row(
    dictionary: Dictionary, x: np.ndarray, n_steps: int, enough: float
) -> dict[int, float]:
    rest, code = x.astype(np.float64), dict[int, float]()
    nothing = np.finfo(x.dtype).eps * float(np.linalg.norm(x))
    for _ in range(n_steps):
        if rest @ rest <= enough:
            break
        c = dictionary.correlations(rest[None])[0]
        j = int(np.argmax(np.abs(c)))
        atom = dictionary.atom(j)
        step = float(c[j] / (atom @ atom))
        if abs(step) * np.linalg.norm(atom) <= nothing:
            break
        code[j] = code.get(j, 0.0) + step
        rest = rest - step * atom
    return code


def _enough(X: np.ndarray, max_squared_error: Any) -> np.ndarray:
    enough = -1.0 if max_squared_error is None else max_squared_error
    return np.broadcast_to(np.asarray(enough, np.float64), (len(X),))


def _stacked(codes: list[dict[int, float]], dictionary: Dictionary, X: np.ndarray) -> sp.csr_array:
    indptr = np.cumsum([0, *map(len, codes)])
    indices = np.array([j for code in codes for j in code], np.int64)
    data = np.array([z for code in codes for z in code.values()], X.dtype)
    found = sp.csr_array((data, indices, indptr), shape=(len(X), dictionary.shape[0]))
    found.has_sorted_indices = False
    found.sort_indices()
    return found
