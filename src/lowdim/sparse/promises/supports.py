"""What small sets of atoms do: when are they dependent, and how much do they stretch a code?

    spark         the least number of atoms that are linearly dependent: a code of fewer than half
                  of that is the only one so sparse
    delta_s       the least d with (1 - d)|z|^2 <= |U z|^2 <= (1 + d)|z|^2 for all z of s non-zeros

Both are about all sets of s atoms. These are looked at one by one where there are few enough; where
not, what is known of products gives bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, combinations, islice, takewhile
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.sparse.promises.products import as_matrix, unit_atoms

MOST_SETS = 2_000_000  # that are looked at one by one
SETS_AT_A_TIME = 4096
DEPENDENT = 1e-10  # least singular value of a set of atoms of length 1 that counts as 0
TRIED = 2000  # sets, for a lower bound
SEED = 0  # of the sets that are tried


@single_threaded_blas()
def spark(U):
    """The least number of atoms that are linearly dependent; infinity if none are.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator

    Examples
    --------
    >>> from lowdim import sparse
    >>> sparse.spark(sparse.union(sparse.basis("identity", 4), sparse.basis("hadamard", 4)))
    4
    """
    V = unit_atoms(U)
    L = V.shape[1]
    rank = int(np.linalg.matrix_rank(V, tol=DEPENDENT * np.sqrt(L)))
    if rank == L:
        return math.inf
    G = np.abs(V.T @ V)
    np.fill_diagonal(G, 0.0)
    mu = float(G.max())
    first = max(2, math.ceil((1.0 + 1.0 / mu) * (1.0 - 1e-12))) if mu > 0 else 2
    looked_at = 0
    for s in range(first, rank + 1):
        looked_at += math.comb(L, s)
        if looked_at > MOST_SETS:
            raise ValueError(
                f"The spark of {L} atoms is between {s} and {rank + 1}; to find it, more than "
                f"{MOST_SETS:,} sets of atoms would have to be looked at. `guarantees` says what "
                "follows from coherence."
            )
        for sets in _sets(L, s):
            least = np.linalg.svd(V.T[sets], compute_uv=False)[:, -1]
            if (least <= DEPENDENT).any():
                return s
    return rank + 1


class RIP(NamedTuple):
    """delta_s, or what is known of it."""

    lower: float
    upper: float
    exact: bool


@single_threaded_blas()
def rip(U, s):
    """The constant of restricted isometry delta_s, of the atoms as they are.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator
    s : int
        Number of non-zeros.

    Returns
    -------
    RIP
        `lower`, `upper` and `exact`: whether both are the constant itself. Bounds come from
        products of atoms (above) and from sets that were tried (below).

    Examples
    --------
    >>> from lowdim import sparse
    >>> sparse.rip(sparse.basis("dct", 16), 2).upper < 1e-12
    True
    """
    A = as_matrix(U)
    L = A.shape[1]
    s = check_number_of_atoms(s, L)
    G = A.T @ A
    if math.comb(L, s) <= MOST_SETS:
        value = max(_deltas(G, sets).max() for sets in _sets(L, s))
        return RIP(float(value), float(value), True)
    own = np.abs(np.diag(G) - 1.0)
    others = np.abs(G - np.diag(np.diag(G)))
    sums = np.partition(others, L - s + 1, axis=1)[:, L - s + 1 :].sum(axis=1)
    upper = min(float((own + sums).max()), _whole(G, A.shape[0]))
    return RIP(float(_deltas(G, _tried(others, s)).max()), upper, False)


def _whole(G: np.ndarray, D: int) -> float:
    """delta of all atoms together, which no set of them exceeds."""
    values = np.linalg.eigvalsh(G)
    return float(max(values[-1] - 1.0, 1.0 - max(values[0], 0.0)))


def _deltas(G: np.ndarray, sets: np.ndarray) -> np.ndarray:
    values = np.linalg.eigvalsh(G[sets[:, :, None], sets[:, None, :]])
    return np.maximum(values[:, -1] - 1.0, 1.0 - values[:, 0])


def _tried(others: np.ndarray, s: int) -> np.ndarray:
    """Sets that may be bad: atoms with those that have most in common with them, and any."""
    L = len(others)
    near = np.argsort(-others, axis=1, kind="stable")[:, : s - 1]
    greedy = np.column_stack([np.arange(L), near])
    random = np.random.default_rng(SEED)
    any_sets = np.array([random.choice(L, s, replace=False) for _ in range(TRIED)])
    return np.concatenate([greedy, any_sets])


def _sets(n: int, s: int) -> Iterator[np.ndarray]:
    """All sets of s of n numbers, some thousands at a time, (m, s)."""
    every = combinations(range(n), s)
    while some := list(islice(every, SETS_AT_A_TIME)):
        yield np.array(some)


class Sparsest(NamedTuple):
    """The code with the fewest non-zeros."""

    coef: np.ndarray  # (L,)
    support: np.ndarray  # (s,)
    error: float  # |x - U z| / |x|


@single_threaded_blas()
def sparsest(U, x, *, max_error=0.0, max_nonzero=None):
    """The code with the fewest non-zeros that makes x, by looking at all sets of atoms.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator
    x : array of shape (D,)
    max_error : float, default=0.0
        |x - U z| / |x| at the most; 0 means up to rounding.
    max_nonzero : int, default=None
        How many at the most; None: as many as there are dimensions. Refused where more than two
        million sets of atoms would have to be looked at.

    Returns
    -------
    Sparsest
        `coef`, `support` and `error`: of the smallest sets that do, the one with the least error.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> U = sparse.union(sparse.basis("identity", 8), sparse.basis("hadamard", 8))
    >>> sparse.sparsest(U, U @ np.eye(16)[[3, 12]].sum(axis=0)).support
    array([ 3, 12])
    """
    A, x = as_matrix(U), np.asarray(x, np.float64)
    D, L = A.shape
    if x.shape != (D,):
        raise ValueError(f"x has the shape {x.shape}; U makes signals of {D} numbers.")
    length = float(np.linalg.norm(x))
    enough = max(float(max_error), DEPENDENT) * length
    if length <= enough:
        return Sparsest(np.zeros(L), np.zeros(0, np.intp), 0.0)
    most = (
        min(D, L) if max_nonzero is None else check_number_of_atoms(max_nonzero, L, "max_nonzero")
    )
    _refuse_too_many_sets(L, most)
    for s in range(1, most + 1):
        best = _best_set(A, x, s)
        if best.error <= enough:
            return best._replace(error=best.error / length)
    raise ValueError(
        f"No code of at most {most} non-zeros makes x; raise max_error or max_nonzero."
    )


def _refuse_too_many_sets(L: int, most: int) -> None:
    total = accumulate(math.comb(L, s) for s in range(1, most + 1))
    feasible = sum(1 for _ in takewhile(lambda count: count <= MOST_SETS, total))
    if feasible < most:
        advice = f"choose max_nonzero={feasible}, or take" if feasible else "take"
        raise ValueError(
            f"max_nonzero={most} of {L} atoms: more than {MOST_SETS:,} sets would have to be "
            f"looked at; {advice} lowdim.sparse.basis_pursuit, which finds a sparse code without."
        )


def _best_set(A: np.ndarray, x: np.ndarray, s: int) -> Sparsest:
    """The set of s atoms that leaves least of x; its error is |x - U z|."""
    least, chosen = np.inf, np.zeros(s, np.intp)
    for sets in _sets(A.shape[1], s):
        Q = np.linalg.svd(A.T[sets].transpose(0, 2, 1), full_matrices=False)
        inside = Q.S > DEPENDENT * Q.S[:, :1]
        shares = np.einsum("mds,d->ms", Q.U, x) * inside
        left = np.linalg.norm(x - np.einsum("mds,ms->md", Q.U, shares), axis=1)
        if left.min() < least:
            least, chosen = float(left.min()), sets[int(left.argmin())]
    coef = np.zeros(A.shape[1])
    coef[chosen] = np.linalg.lstsq(A[:, chosen], x)[0]
    return Sparsest(coef, chosen, float(np.linalg.norm(x - A @ coef)))


def check_number_of_atoms(s: Any, L: int, name: str = "s") -> int:
    """s as a number of atoms, from 1 to L."""
    check_at_least(name, s, 1)
    if s > L:
        raise ValueError(f"{name}={s} is more than the {L} atoms; choose at most {L}.")
    return int(s)
