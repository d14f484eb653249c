"""Orthogonal matching pursuit and orthogonal least squares, from the Gram matrix.

    minimise over z     |x - z D|^2     with few non-zeros, one more atom at a time

    omp     the atom that has most in common with what is left of x:      argmax |c_m|
    ols     the atom that leaves least of x:                              argmax c_m^2 / w_m

With the chosen atoms as D_S' = Q R, the k numbers p_i = q_i'D' of each q are kept. A new atom j has
l_i = p_i[j], and

    l_k^2 = G_jj - sum_i l_i^2,    p_k = (G_j - sum_i l_i p_i) / l_k,    y_k = c_j / l_k
    c <- c - y_k p_k,    w <- w - p_k^2,    |rest|^2 <- |rest|^2 - y_k^2

One loop over the atoms does all that, and no system is solved before the end: R z = y. A row of s
non-zeros takes O(s^2 k) time; memory is O(s k) beside the rows in work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.sparse.pursuit.scan import bits_of, first_of_ties, new_direction, room

PIECE = 2**18  # numbers of codes, zeros included, that are worked on at a time
LEAST_PIECES = 4
LEAST = 2**14  # atoms, counted again for each row: fewer are not worth a piece of their own
DEPENDENT = 10.0  # times the rounding error: what is left of an atom beside those chosen is nothing


class Chosen(NamedTuple):
    """Codes of rows by the atoms they use: of each row the first `used` places."""

    atoms: np.ndarray  # (n, most)  their numbers, in the order in which they were chosen
    value: np.ndarray  # (n, most)  their coefficients
    used: np.ndarray  # (n,)
    k: int  # atoms that there are

    def as_csr(self) -> sp.csr_array:
        """The same as a matrix (n, k)."""
        return as_csr(self.atoms, self.value, self.used, self.k)

    def cut(self) -> Chosen:
        """The same without the places that no row uses."""
        most = int(self.used.max(initial=0))
        return self._replace(atoms=self.atoms[:, :most].copy(), value=self.value[:, :most].copy())


class Codes(NamedTuple):
    """Codes of rows, and whether atoms were exhausted before what was asked for was reached."""

    codes: sp.csr_array  # (n, k)
    ended_early: np.ndarray  # (n,)  bool


def omp(
    gram: np.ndarray,
    correlations: np.ndarray,
    squares: np.ndarray,
    n_nonzero: int,
    max_squared_error: Any = None,
) -> sp.csr_array:
    """Codes of orthogonal matching pursuit, (n, k).

    Parameters
    ----------
    gram : array of shape (k, k)
        D D'; it says the kind of floating point numbers.
    correlations : array of shape (n, k)
        X D'.
    squares : array of shape (n,)
        |x|^2.
    n_nonzero : int
        How many atoms at the most.
    max_squared_error : float or array of shape (n,), default=None
        A row is done when its squared error is at most this.
    """
    return pursue(gram, correlations, squares, n_nonzero, max_squared_error).codes


def ols(
    gram: np.ndarray,
    correlations: np.ndarray,
    squares: np.ndarray,
    n_nonzero: int,
    max_squared_error: Any = None,
) -> sp.csr_array:
    """Codes of orthogonal least squares, (n, k); the arguments are those of `omp`."""
    return pursue(
        gram, correlations, squares, n_nonzero, max_squared_error, least_squares=True
    ).codes


def pursue(
    gram: np.ndarray,
    correlations: np.ndarray,
    squares: np.ndarray,
    n_nonzero: int,
    max_squared_error: Any = None,
    *,
    least_squares: bool = False,
    at_least: int = 0,
) -> Codes:
    """`omp` or `ols`, with at least so many atoms, and which rows ended early."""
    gram = np.require(gram, requirements=["C", "W"])
    n, k = correlations.shape
    enough = np.full(n, -1.0) if max_squared_error is None else max_squared_error
    enough = np.broadcast_to(np.asarray(enough, gram.dtype), (n,))
    size = rows_at_a_time(n, min(n_nonzero, k), k)

    def work(start: int) -> Codes:
        rows = slice(start, start + size)
        C = np.require(correlations[rows], gram.dtype, ["C", "W"])
        left = np.array(squares[rows], gram.dtype)
        chosen, early = pursued(gram, C, left, enough[rows], n_nonzero, at_least, least_squares)
        return Codes(chosen.as_csr(), early)

    parts = list(ordered_map(work, range(0, n, size)))
    return joined_codes([part.codes for part in parts], [part.ended_early for part in parts])


def rows_at_a_time(n: int, width: int, k: int) -> int:
    """How many rows are coded at a time by k atoms, with codes of so many numbers."""
    return max(1, min(PIECE // width, max(-(-n // LEAST_PIECES), LEAST // k)))


def joined_codes(codes: list[sp.csr_array], ended_early: list[np.ndarray]) -> Codes:
    """Codes of consecutive rows as one."""
    if len(codes) == 1:
        return Codes(codes[0], ended_early[0])
    return Codes(sp.csr_array(sp.vstack(codes, format="csr")), np.concatenate(ended_early))


def joined_choices(parts: list[Chosen]) -> Chosen:
    """Those of consecutive rows as one."""
    if len(parts) == 1:
        return parts[0]
    n, most = sum(len(part.used) for part in parts), max(part.atoms.shape[1] for part in parts)
    atoms, value = np.zeros((n, most), np.int64), np.zeros((n, most), parts[0].value.dtype)
    start = 0
    for part in parts:
        rows, width = slice(start, start + len(part.used)), part.atoms.shape[1]
        atoms[rows, :width], value[rows, :width] = part.atoms, part.value
        start = rows.stop
    return Chosen(atoms, value, np.concatenate([part.used for part in parts]), parts[0].k)


def pursued(
    gram: np.ndarray,
    C: np.ndarray,
    left: np.ndarray,
    enough: np.ndarray,
    n_nonzero: int,
    at_least: int = 0,
    least_squares: bool = False,
) -> tuple[Chosen, np.ndarray]:
    """Codes of some rows, and which ended early; writes into left, which is |x|^2 of each."""
    b, k = C.shape
    most, dtype = min(n_nonzero, k), gram.dtype
    index, value = np.empty((b, most), np.int64), np.empty((b, most), dtype)
    count, reached = np.zeros(b, np.int64), np.zeros(b, np.bool_)
    P, work, share = room(most, k, dtype), room(4, k, dtype), np.empty(most, dtype)
    own = np.diag(gram).copy()
    tiny = np.asarray([DEPENDENT * np.finfo(dtype).eps], dtype)
    order, limits = np.arange(most), np.array([most, at_least, least_squares], np.int64)
    given = (gram, own, C, left, np.array(enough), tiny, limits, order)
    _greedy(*given, P, share, work, bits_of(work[2]), index, value, count, reached)
    return Chosen(index, value, count, k), ~reached


def as_csr(index: np.ndarray, value: np.ndarray, count: np.ndarray, k: int) -> sp.csr_array:
    """Rows of (n, k) with these entries: the first `count` of each, ordered by their columns."""
    used = np.arange(index.shape[1]) < count[:, None]
    indptr = np.concatenate([[0], np.cumsum(count)])
    small = np.int32 if max(int(indptr[-1]), k) < 2**31 else np.int64
    parts = (value[used], index[used].astype(small), indptr.astype(small))
    codes = sp.csr_array(parts, shape=(len(count), k))
    codes.has_sorted_indices = False
    codes.sort_indices()
    return codes


# ---- kernels -------------------------------------------------------------------------------------


@kernel(views=("work", "bits"))
def _greedy(
    G, own, C, left, enough, tiny, limits, order, P, share, work, bits, index, value, count, reached
):
    """Rows one after the other; left becomes the squared error of each."""
    b, k = C.shape
    c, w, score = work[0], work[1], work[2]
    for r in range(b):
        y, A, begin = value[r], index[r], C[r]
        nothing = tiny[0] * tiny[0] * left[r]
        p, step = work[3], tiny[0] - tiny[0]  # of nothing: the first scores
        for m in range(k):
            c[m] = begin[m]
            w[m] = own[m]
            p[m] = step
        s = 0
        while s < limits[0] and (s < limits[1] or left[r] > enough[r]):
            _take(p, c, w, own, tiny[0], step, limits[2], score)
            for i in range(s):
                score[A[i]] = 0
            j = first_of_ties(bits)
            p, g = P[s], G[j]
            scale = new_direction(p, g, j, s, P, share, order, tiny[0])
            if c[j] * c[j] <= nothing * own[j] or scale <= 0.0:
                break
            step = c[j] * scale
            y[s] = step
            A[s] = j
            left[r] -= step * step
            s += 1
        reached[r] = s == limits[0] or (s >= limits[1] and left[r] <= enough[r])
        count[r] = s
        for i in range(s - 1, -1, -1):  # R z = y, with R[i, t] = p_i of the t-th chosen atom
            j = A[i]
            z = y[i] / P[i, j]
            y[i] = z
            for t in range(i):
                y[t] -= z * P[t, j]


@kernel(within=True)
def _take(p, c, w, own, tiny, step, least_squares, score):
    """Take a direction out of c, and say how good atoms are then: |c|, or c^2 / w."""
    if least_squares:
        for m in range(len(p)):
            v, rest = c[m] - step * p[m], w[m] - p[m] * p[m]
            c[m], w[m] = v, rest
            good = v * v / rest
            score[m] = good if rest > tiny * own[m] else v - v
    else:
        for m in range(len(p)):
            v = c[m] - step * p[m]
            c[m] = v
            score[m] = abs(v)
