"""Large products and decompositions of tall matrices, on our threads.

    A B            runs of rows of A, of columns of B, or, where both are few, of the sum over both
    A = Q R        runs of rows A_i = Q_i R_i, then [R_1; R_2; ...] = P R and Q = [Q_1 P_1; ...]

The pieces depend on the shapes alone, and each is the work of one thread with single-threaded BLAS:
so the number of threads changes no bit. Small matrices are one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.threads import ordered_map, shared_map, single_threaded_blas

# In multiplications, of which a core makes about 2e10 a second: what is worth a turn on a thread,
# and what an entry costs that comes from memory
WORK_PER_PIECE = 2**22
ENTRY = 16
MOST_PIECES = 12
FEW_ROWS, FEW_PIECES = 16, 4  # of so few rows a product takes as long as reading the other matrix
NARROWEST = 128  # rows or columns of a piece: BLAS copies the other matrix for each
PANEL = 48  # rows and columns: a multiple of the tiles of all of OpenBLAS' kernels

# Rows of a piece of a tall matrix for each of its columns: the joint R is an eighth of the work
ROWS_PER_COLUMN = 8
ROWS_AT_A_TIME = 4096


@single_threaded_blas()
def dense_times(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A B of arrays (n, m) and (m, d), on threads if they are large."""
    (n, m), d = A.shape, B.shape[1]
    work = n * m * d + ENTRY * (n * m + m * d + n * d)
    pieces = min(work // WORK_PER_PIECE, FEW_PIECES if n <= FEW_ROWS else MOST_PIECES)
    if pieces < 2 or A.dtype != B.dtype:
        return A @ B
    if max(n, d) <= NARROWEST and m > max(n, d):
        cuts = _cuts(m, pieces)
        return reduce(np.add, ordered_map(lambda cut: A[:, cut] @ B[cut], cuts))
    product = np.empty((n, d), dtype=A.dtype)
    if n >= d:
        _run(lambda cut: np.matmul(A[cut], B, out=product[cut]), _cuts(n, pieces))
    else:
        _run(lambda cut: np.matmul(A, B[:, cut], out=product[:, cut]), _cuts(d, pieces))
    return product


@single_threaded_blas()
def times_row_by_row(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A B of arrays (n, m) and (m, d) in float64, of which no row depends on the other rows of A.

    BLAS goes over tiles of a product, and adds up in another order in those that are cut off at an
    edge. So all products have PANEL rows and a multiple of PANEL columns: what lacks is zero. (In
    float32 there are processors where even the tiles that are whole differ.)
    """
    n, d = len(A), B.shape[1]
    product = np.empty((n, d))
    B = np.pad(B.astype(np.float64, copy=False), [(0, 0), (0, -d % PANEL)])
    panel, found = np.zeros((PANEL, A.shape[1])), np.empty((PANEL, B.shape[1]))
    for first in range(0, n, PANEL):
        rows = A[first : first + PANEL]
        panel[: len(rows)] = rows
        product[first : first + PANEL] = np.matmul(panel, B, out=found)[: len(rows), :d]
    return product


@single_threaded_blas()
def sum_of_products(
    A: Sequence[np.ndarray], B: Sequence[np.ndarray], plus: np.ndarray | None = None
) -> np.ndarray:
    """sum_i A_i B_i of tall arrays (n, m_i) and (m_i, d), a run of rows at a time; plus (n, d)."""
    n, d = len(A[0]), B[0].shape[1]
    total = np.empty((n, d), dtype=A[0].dtype)

    def work(cut: slice) -> None:
        np.matmul(A[0][cut], B[0], out=total[cut])
        for left, right in zip(A[1:], B[1:], strict=True):
            total[cut] += left[cut] @ right
        if plus is not None:
            total[cut] += plus[cut]

    _run(work, _runs(n))
    return total


@single_threaded_blas()
def inner_products(A: Sequence[np.ndarray], B: np.ndarray) -> np.ndarray:
    """[A_1 A_2 ...]'B of tall arrays (n, m_i) and (n, d), a run of rows at a time."""

    def work(cut: slice) -> np.ndarray:
        return np.concatenate([left[cut].T @ B[cut] for left in A])

    return reduce(np.add, ordered_map(work, _runs(len(B))))


@single_threaded_blas()
def gram(B: np.ndarray) -> np.ndarray:
    """B'B (d, d) in float64, a run of rows at a time."""

    def work(first: int) -> np.ndarray:
        some = B[first : first + ROWS_AT_A_TIME].astype(np.float64, copy=False)
        return some.T @ some

    return reduce(np.add, ordered_map(work, range(0, len(B), ROWS_AT_A_TIME)))


def _cuts(length: int, pieces: int) -> list[slice]:
    size = max(-(-length // pieces), NARROWEST)
    size += -size % 8  # the kernels of BLAS take eight at a time
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _runs(n: int) -> list[slice]:
    return [slice(first, first + ROWS_AT_A_TIME) for first in range(0, n, ROWS_AT_A_TIME)]


def _run(work: Callable[[slice], object], cuts: list[slice]) -> None:
    shared_map(work, cuts)


# ---- tall matrices -------------------------------------------------------------------------------


class TallQR(NamedTuple):
    """A = Q R for A (n, d) with n >= d, by runs of rows."""

    parts: list[np.ndarray]  # Q_i; orthonormal columns
    joint: list[np.ndarray]  # P_i; together orthonormal columns
    R: np.ndarray  # (d, d)  upper triangular

    def times(self, W: np.ndarray) -> np.ndarray:
        """Q W (n, k)."""
        edges = np.cumsum([0, *(len(part) for part in self.parts)])
        product = np.empty((edges[-1], W.shape[1]), dtype=np.result_type(self.R, W))

        def work(i: int) -> None:
            np.matmul(self.parts[i], self.joint[i] @ W, out=product[edges[i] : edges[i + 1]])

        for _ in ordered_map(work, range(len(self.parts))):
            pass
        return product


def is_tall(shape: tuple[int, int]) -> bool:
    """Whether a matrix has the rows for two pieces, and its decomposition is worth two threads."""
    n, d = shape
    return n >= 2 * ROWS_PER_COLUMN * d and n * d * d >= 2 * WORK_PER_PIECE


@single_threaded_blas()
def tall_qr(A: np.ndarray) -> TallQR:
    """Q and R of a tall matrix (Demmel, Grigori, Hoemmen and Langou 2012, algorithm TSQR)."""
    found = list(ordered_map(lambda cut: np.linalg.qr(A[cut]), _tall_cuts(A.shape)))
    P, R = np.linalg.qr(np.concatenate([part.R for part in found]))
    joint = np.split(P, np.cumsum([len(part.R) for part in found])[:-1])
    return TallQR([part.Q for part in found], joint, R)


@single_threaded_blas()
def tall_r(A: np.ndarray) -> np.ndarray:
    """R alone: singular values and right singular vectors of A are those of R."""
    parts = list(ordered_map(lambda cut: _r(A[cut]), _tall_cuts(A.shape)))
    return _r(np.concatenate(parts))


def _r(A: np.ndarray) -> Any:
    return np.linalg.qr(A, mode="r")


def _tall_cuts(shape: tuple[int, int]) -> list[slice]:
    n, d = shape
    pieces = min(n // (ROWS_PER_COLUMN * d), n * d * d // WORK_PER_PIECE, MOST_PIECES)
    edges = np.linspace(0, n, max(pieces, 1) + 1).astype(int)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


@single_threaded_blas()
def orthonormal(A: np.ndarray) -> np.ndarray:
    """Orthonormal columns (n, d) that span the columns of A (n, d), each that of the first ones."""
    if is_tall(A.shape):
        return tall_qr(A).times(np.eye(A.shape[1], dtype=A.dtype))
    return scipy.linalg.qr(A, mode="economic", check_finite=False)[0]


class ThinSVD(NamedTuple):
    """A = U diag(s) Vt, singular values decreasing; signs are LAPACK's."""

    U: np.ndarray  # (n, k)
    s: np.ndarray  # (min(n, d),)  all of them
    Vt: np.ndarray  # (k, d)


@single_threaded_blas()
def thin_svd(A: np.ndarray, k: int) -> ThinSVD:
    """All singular values of A (n, d), and the first k pairs of vectors.

    A tall or wide matrix is first made small by Q R, which loses no digits.
    """
    if is_tall(A.shape):
        Q = tall_qr(A)
        U, s, Vt = lapack_svd(Q.R)
        return ThinSVD(Q.times(U[:, :k]), s, Vt[:k])
    if is_tall(A.shape[::-1]):
        V, s, Ut = thin_svd(A.T, k)
        return ThinSVD(Ut.T, s, V.T)
    U, s, Vt = lapack_svd(A)
    return ThinSVD(U[:, :k], s, Vt[:k])


@single_threaded_blas()
def right_svd(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """All singular values of A, and the first k right singular vectors, as rows."""
    if is_tall(A.shape):
        _, s, Vt = lapack_svd(tall_r(A))
        return s, Vt[:k]
    return thin_svd(A, k)[1:]


def lapack_svd(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The whole thin decomposition."""
    try:
        return scipy.linalg.svd(A, full_matrices=False, check_finite=False)
    except np.linalg.LinAlgError:  # divide and conquer failed, as it does once in a blue moon
        return scipy.linalg.svd(A, full_matrices=False, check_finite=False, lapack_driver="gesvd")
