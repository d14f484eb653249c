"""Pursuit without a Gram matrix: a product of what is left with all atoms for each step.

    omp     j = argmax |U'r|;  the atom U e_j is made orthogonal to those before, q = q_k;
            r <- r - q (q'r)
    mp      r <- r - (u'r / u'u) u

Memory: s signals beside one code, of some rows at a time: many rows are products of matrices.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from lowdim.core.threads import ordered_map, shared_map
from lowdim.sparse.pursuit.dictionaries import Dictionary
from lowdim.sparse.pursuit.scan import TIE_DOUBLE, TIE_SINGLE

DEPENDENT = 10.0  # times the rounding error
MOST_NUMBERS = 2**19  # of rows that are pursued together
LEAST_PIECES = 2


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
    rows = omp_steps(dictionary, X, n_nonzero, _enough(X, max_squared_error))
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
    dictionary: Dictionary, X: np.ndarray, n_nonzero: int, enough: np.ndarray, at_least: int = 0
) -> list[Steps]:
    """Orthogonal matching pursuit of each row, with at least so many atoms."""
    directions = min(n_nonzero, *dictionary.shape)
    numbers = directions * (X.shape[1] + directions) + dictionary.shape[0]
    size = max(1, min(MOST_NUMBERS // numbers, -(-len(X) // LEAST_PIECES)))

    def work(first: int) -> list[Steps]:
        some = slice(first, first + size)
        return _steps_of_rows(dictionary, X[some], n_nonzero, directions, enough[some], at_least)

    return list(chain.from_iterable(ordered_map(work, range(0, len(X), size))))


def _steps_of_rows(
    dictionary: Dictionary,
    X: np.ndarray,
    n_nonzero: int,
    directions: int,
    enough: np.ndarray,
    at_least: int,
) -> list[Steps]:
    """A step of all rows at a time; those that are done are left out of the next."""
    n, eps = len(X), float(np.finfo(X.dtype).eps)
    tiny, ties = DEPENDENT * eps, (TIE_SINGLE if X.dtype == np.float32 else TIE_DOUBLE) * eps
    rest, size = X.astype(np.float64), np.linalg.norm(X.astype(np.float64), axis=1)
    Q = np.empty((n, directions, X.shape[1]))
    R, y = np.zeros((n, directions, directions)), np.empty((n, directions))
    chosen, used, going = np.empty((n, directions), np.int64), np.zeros(n, np.int64), np.arange(n)
    for s in range(directions):
        if s >= at_least:
            going = going[_squares(rest[going]) > enough[going]]
        if not len(going):
            break
        C = np.abs(dictionary.correlations(rest[going].astype(X.dtype, copy=False)))
        np.put_along_axis(C, chosen[going, :s], 0.0, axis=1)
        j = (C >= (1.0 - ties) * C.max(axis=1, keepdims=True)).argmax(axis=1)
        q = dictionary.some_atoms(j).astype(np.float64)
        length = np.sqrt(_squares(q))
        basis = Q[going, :s]
        for _ in range(2):  # once more: what rounding left of the others
            share = np.matmul(basis, q[:, :, None])
            R[going, :s, s] += share[:, :, 0]
            q -= np.matmul(share.transpose(0, 2, 1), basis)[:, 0]
        left = np.sqrt(_squares(q))
        more = (C[np.arange(len(j)), j] > tiny * size[going] * length) & (
            left > np.sqrt(tiny) * length
        )
        going, q, left = going[more], q[more], left[more]
        q /= left[:, None]
        step = np.einsum("nd,nd->n", q, rest[going])
        R[going, s, s], Q[going, s], y[going, s] = left, q, step
        rest[going] -= step[:, None] * q
        chosen[going, s], used[going] = j[more], s + 1
    early = (used < n_nonzero) & ((used < at_least) | (_squares(rest) > enough))
    return [
        Steps(chosen[i, :s].tolist(), R[i, :s, :s], y[i, :s], bool(early[i]))
        for i, s in enumerate(used.tolist())
    ]


def _squares(A: np.ndarray) -> np.ndarray:
    """Of the length of each row."""
    return np.einsum("nd,nd->n", A, A)


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
        atom = dictionary.some_atoms(np.array([j]))[0]
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
