"""K-SVD: codes of all rows, then each atom together with its coefficients.

    minimise over D, Z     J = sum_i w_i (|x_i - z_i D|^2 + p_i |z_i|_0),     |d_l| = 1

where a row has at most s non-zeros, or as few as its error allows (10.4); only then a non-zero has
a price p_i, the squared error allowed for one number, and else none.

    fixed D:  orthogonal matching pursuit, or all sets of s atoms where these are few; a row keeps
              its old code where the new one is worse
    fixed support of Z:  the sweep of `sweep.py`

Neither half raises J. Before the codes, atoms that no row uses, or that are another one once more,
become the rows that are coded worst: only this may raise J. NaN count as entries of weight 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map
from lowdim.sparse.dictionary.learning import ALIKE, MORE, distinct_rows, gram_of, squares_of
from lowdim.sparse.dictionary.sweep import sweep
from lowdim.sparse.pursuit.exhaustive import are_few, best_codes
from lowdim.sparse.pursuit.greedy import omp
from lowdim.sparse.pursuit.observed import omp_observed

PIECE = 1024  # rows that a thread codes at a time


class Task(NamedTuple):
    """The rows, and how they are to be coded."""

    X: np.ndarray  # (n, d)  0 where missing
    observed: np.ndarray | None  # (n, d)  bool; None where nothing is missing
    weight: np.ndarray | None  # (n,)
    n_nonzero: int
    bound: np.ndarray | None  # (n,)  squared error at which a row is done
    exact: bool  # whether atoms are singular vectors

    def price(self, rows: slice | None = None) -> Any:
        """What a non-zero of each row costs."""
        if self.bound is None:
            return 0.0
        bound = self.bound[slice(None) if rows is None else rows]
        return bound / self.X.shape[1]


def some_of(task: Task, which: np.ndarray) -> Task:
    """Only these rows."""
    X, observed, weight, n_nonzero, bound, exact = task
    observed, weight, bound = (
        None if part is None else part[which] for part in (observed, weight, bound)
    )
    return Task(X[which], observed, weight, n_nonzero, bound, exact)


class State(NamedTuple):
    """Where a fit stands after an iteration."""

    atoms: np.ndarray  # (k, d)
    codes: sp.csr_array | None  # (n, k)
    objective: float  # J / sum w
    replaced: np.ndarray  # (iterations,)  how many atoms, before each


def first_state(atoms: np.ndarray) -> State:
    """Before the first iteration."""
    return State(atoms, None, np.inf, np.zeros(0, dtype=np.int64))


def step(task: Task, state: State) -> State:
    """One iteration: atoms replaced, rows coded, atoms swept."""
    atoms, codes, n_replaced = state.atoms, state.codes, 0
    if codes is not None:
        atoms, codes, n_replaced = _replaced(task, atoms, codes)
    codes, rest = _coded(task, atoms, codes)
    swept = sweep(rest, codes, atoms, task.weight, task.observed, task.exact)
    each = squares_of(swept.rest).astype(np.float64)
    each += task.price() * np.diff(swept.codes.indptr)
    objective = float(np.average(each, weights=task.weight))
    replaced = np.append(state.replaced, n_replaced)
    return State(swept.atoms, swept.codes, objective, replaced)


def change(before: State, after: State) -> float:
    """What is held against `tol`: by which part of itself J fell; inf where atoms were replaced."""
    if after.replaced[-1] or not np.isfinite(before.objective):
        return np.inf
    fell = before.objective - after.objective
    return fell / after.objective if after.objective > 0.0 else 0.0


# ---- codes ---------------------------------------------------------------------------------------


def _coded(task: Task, atoms: np.ndarray, old: Any) -> tuple[sp.csr_array, np.ndarray]:
    """Codes, and X - Z D."""
    gram, n = gram_of(atoms), len(task.X)
    rest = np.empty_like(task.X)

    def work(start: int) -> sp.csr_array:
        rows = slice(start, start + PIECE)
        new = codes_of(task, rows, atoms, gram)
        left = rest_of(task, rows, new, atoms)
        if old is not None:
            before = old[rows]
            left_before = rest_of(task, rows, before, atoms)
            price = task.price(rows)
            worse = squares_of(left) + price * np.diff(new.indptr) > (
                squares_of(left_before) + price * np.diff(before.indptr)
            )
            left[worse] = left_before[worse]
            new = _rows_of_either(new, before, worse)
        rest[rows] = left
        return new

    parts = list(ordered_map(work, range(0, n, PIECE)))
    return sp.csr_array(sp.vstack(parts, format="csr")), rest


def codes_of(task: Task, rows: slice, atoms: np.ndarray, gram: np.ndarray) -> sp.csr_array:
    """Codes of some rows."""
    X = task.X[rows]
    bound = None if task.bound is None else task.bound[rows]
    if task.observed is not None:
        return omp_observed(X, task.observed[rows], atoms, task.n_nonzero, bound)
    if bound is None and are_few(len(atoms), task.n_nonzero):
        return best_codes(X, atoms, task.n_nonzero)
    return omp(gram, X @ atoms.T, squares_of(X), task.n_nonzero, bound)


def rest_of(task: Task, rows: slice, codes: sp.csr_array, atoms: np.ndarray) -> np.ndarray:
    """X - Z D of some rows, 0 where X is missing."""
    rest = task.X[rows] - np.asarray(codes @ atoms)
    if task.observed is not None:
        rest[~task.observed[rows]] = 0.0
    return rest


def _rows_of_either(new: sp.csr_array, old: sp.csr_array, which: np.ndarray) -> sp.csr_array:
    """Rows of `new`, but those of `old` where `which`."""
    if not which.any():
        return new
    number = np.arange(len(which)) + np.where(which, len(which), 0)
    return sp.csr_array(sp.vstack([new, old], format="csr")[number])


# ---- atoms that explain nothing of their own -----------------------------------------------------


def _replaced(task: Task, atoms: np.ndarray, codes: sp.csr_array) -> tuple[np.ndarray, Any, int]:
    """Atoms without unused and doubled ones, the codes that are left, and how many there were."""
    same_as, sign = _doubles(atoms)
    idle = np.union1d(_unused(codes, task.weight), np.flatnonzero(same_as >= 0))
    if not len(idle):
        return atoms, codes, 0
    codes = _merged(codes, same_as, sign)
    new = _worst_rows(task, atoms, codes, idle)
    atoms = atoms.copy()
    atoms[idle[: len(new)]] = new
    return atoms, codes, len(new)


def _unused(codes: sp.csr_array, weight: np.ndarray | None) -> np.ndarray:
    stored = codes.data != 0.0
    if weight is not None:
        stored &= np.repeat(weight > 0, np.diff(codes.indptr))
    return np.flatnonzero(np.bincount(codes.indices[stored], minlength=codes.shape[1]) == 0)


def _doubles(atoms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each atom the first one that it equals and that stays, or -1, and with which sign."""
    cosine = np.tril(atoms @ atoms.T, -1)
    same_as, sign = np.full(len(atoms), -1), np.ones(len(atoms))
    for j in np.flatnonzero((np.abs(cosine) > ALIKE).any(axis=1)):
        alike = np.flatnonzero((np.abs(cosine[j]) > ALIKE) & (same_as < 0))
        if len(alike):
            same_as[j], sign[j] = alike[0], np.sign(cosine[j, alike[0]])
    return same_as, sign


def _merged(codes: sp.csr_array, same_as: np.ndarray, sign: np.ndarray) -> sp.csr_array:
    """Codes in which an earlier atom stands for each that equals it."""
    k = len(same_as)
    to = np.where(same_as >= 0, same_as, np.arange(k))
    values = np.where(same_as >= 0, sign, 1.0).astype(codes.dtype)
    merged = sp.csr_array(codes @ sp.csr_array((values, (np.arange(k), to)), shape=(k, k)))
    merged.sum_duplicates()
    return merged


def _worst_rows(task: Task, atoms: np.ndarray, codes: sp.csr_array, idle: np.ndarray) -> np.ndarray:
    """Rows that are coded worst, of length 1, each like no other atom; at most one for each."""
    X = task.X
    error = squares_of(rest_of(task, slice(None), codes, atoms)).astype(np.float64)
    if task.weight is not None:
        error[task.weight == 0] = 0.0
    order = np.argsort(-error, kind="stable")[: 4 * len(idle) + MORE]
    order = order[error[order] > np.finfo(X.dtype).eps ** 2 * squares_of(X[order])]
    rows = X[order]
    if task.observed is not None:  # what is missing is what the code says
        rows = np.where(task.observed[order], rows, codes[order] @ atoms)
    return distinct_rows(rows, np.delete(atoms, idle, axis=0), len(idle))
