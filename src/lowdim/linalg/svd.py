"""Singular value decomposition, exact and of the largest k.

    A = U diag(s) V'       best of rank k: the first k terms;  error^2 = sum of the other s^2

`exact` is LAPACK's. The others see A only through products with blocks of vectors, so A may be
sparse, implicitly centred or any LinearOperator:

    randomized   Q = orth((A A')^q A R) for a random R, then the SVD of the small Q'A
    krylov       all of R, A'A R, (A'A)^2 R, ... is used, not only the last: to full accuracy
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_at_most, check_choice
from lowdim.linalg.checks import as_dense, as_matrix, as_operand, as_vector, power_of_two
from lowdim.linalg.eigen import MAX_PASSES, top_eigen
from lowdim.linalg.products import dense_times, thin_svd

METHODS = ("auto", "exact", "randomized", "krylov")

# Below this smaller side, LAPACK's SVD takes less than the fixed costs of the others
SMALL = 500


class SVD(NamedTuple):
    """A = U diag(s) Vt, singular values decreasing."""

    U: np.ndarray  # (n, k)  orthonormal columns
    s: np.ndarray  # (k,)
    Vt: np.ndarray  # (k, d)  orthonormal rows; the largest entry of each is positive

    @single_threaded_blas()
    def matrix(self) -> np.ndarray:
        """U diag(s) Vt (n, d)."""
        return dense_times(self.U * self.s, self.Vt)


@single_threaded_blas()
def svd(
    A: Any,
    k: int | None = None,
    method: str = "auto",
    *,
    n_iter: int | None = None,
    oversampling: int = 10,
    normalizer: str = "QR",
    tol: float | None = None,
    random: Any = None,
) -> SVD:
    """The k largest singular values of A and their vectors.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator of shape (n, d)
        Also `centered(A, mean)`. float32 stays float32; nothing is densified.
    k : int or None
        How many, at most min(n, d). None means all, for dense A.
    method : {'auto', 'exact', 'randomized', 'krylov'}
        'exact': LAPACK, dense A only. 'randomized': a subspace of k + oversampling random
        directions, sharpened by n_iter power iterations; fast, inexact if singular values decay
        slowly. 'krylov': block Lanczos on the smaller side, to `tol` or for `n_iter` passes; more
        accurate than 'randomized' for the same number of products.
        'auto': 'exact' if A is dense and k is not small beside A, else 'krylov'.
    n_iter : int or None
        'randomized': power iterations; None means 7, or 4 if k is more than a tenth of min(n, d).
        'krylov': the number of passes (products with A'A); None means as many as `tol` needs.
    oversampling : int
        Further random directions of 'randomized'.
    normalizer : {'QR', 'LU', 'none'}
        How 'randomized' keeps its directions apart between products. 'LU' is faster and spans the
        same space; 'none' loses the small singular values after a few iterations.
    tol : float or None
        'krylov': see `top_eigen`.
    random : int, Generator, RandomState or None
        Draws the random directions.

    Returns
    -------
    SVD
        U, s, Vt; signs as `fix_signs` makes them.

    Notes
    -----
    'krylov' works with A'A: singular values below 1e-8 of the largest (3e-4 in float32) are
    distinguished from zero only by 'exact' and 'randomized'.

    References
    ----------
    Halko, Martinsson and Tropp (2011), Finding structure with randomness, algorithms 4.4 and 5.1.
    Musco and Musco (2015), Randomized block Krylov methods.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg import svd
    >>> A = np.outer([3.0, 4.0], [1.0, 2.0, 2.0])
    >>> U, s, Vt = svd(A, 1)
    >>> s.round(12), Vt.round(12)
    (array([15.]), array([[0.33333333, 0.66666667, 0.66666667]]))
    """
    A = as_operand("A", A)
    check_choice("method", method, METHODS)
    check_choice("normalizer", normalizer, tuple(NORMALIZERS))
    check_at_least("oversampling", oversampling, 0)
    if n_iter is not None:
        check_at_least("n_iter", n_iter, 1 if method == "krylov" else 0)
    smaller = min(A.shape)
    if k is not None:
        k = check_at_most("k", k, smaller, f"singular values of A, of shape {A.shape}")
    if method == "auto":
        dense = not (sp.issparse(A) or isinstance(A, LinearOperator))
        few = k is not None and smaller > SMALL and k < 0.2 * smaller
        method = "exact" if dense and not few else "krylov"
    if k is None or method == "exact":
        return _exact(as_dense("A", A), smaller if k is None else k)
    products = _products(A, random := random_generator(random))
    if method == "krylov":
        return _krylov(products, k, n_iter, tol, random)
    if n_iter is None:  # 7 for few components, where it costs little: as scikit-learn
        n_iter = 7 if k < 0.1 * smaller else 4
    return _randomized(products, k, n_iter, oversampling, normalizer, random)


class RankError(NamedTuple):
    """How far a best approximation is from A, by its discarded singular values."""

    frobenius: float  # sqrt(sum of their squares)
    spectral: float  # the largest of them


class BestRankK(NamedTuple):
    approximation: np.ndarray  # (n, d)
    error: RankError


@single_threaded_blas()
def best_rank_k(A: Any, k: int) -> BestRankK:
    """The matrix of rank at most k that is nearest to A, and its distance.

    By Eckart and Young it is the truncated SVD, nearest in the Frobenius and in the spectral norm.

    Parameters
    ----------
    A : array of shape (n, d)
    k : int
        From 0 (the zero matrix) to min(n, d).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg import best_rank_k
    >>> approximation, error = best_rank_k(np.diag([5.0, 4.0, 3.0]), 1)
    >>> error
    RankError(frobenius=5.0, spectral=4.0)
    """
    A = as_dense("A", A)
    if k != 0:
        k = check_at_most("k", k, min(A.shape), f"singular values of A, of shape {A.shape}")
    U, s, Vt = _exact(A, min(A.shape))
    error = RankError(float(scipy.linalg.norm(s[k:])), float(s[k:].max(initial=0.0)))
    return BestRankK(SVD(U[:, :k], s[:k], Vt[:k]).matrix(), error)


@single_threaded_blas()
def effective_rank(A: Any) -> float:
    """exp(entropy of s / sum s): how many singular values A has, if small ones count less.

    Between 1 and the rank; equal to the rank if all singular values are equal. 0 for A = 0.

    Parameters
    ----------
    A : array of shape (n, d), or of shape (r,): its singular values

    References
    ----------
    Roy and Vetterli (2007), The effective rank, EUSIPCO.

    Examples
    --------
    >>> from lowdim.linalg import effective_rank
    >>> effective_rank([[2.0, 0.0], [0.0, 2.0]])
    2.0
    """
    s = _singular_values(A)
    if s[0] == 0.0:
        return 0.0
    p = s[s > 0] / s.sum()
    p = p[p > 0]
    return float(np.exp(-np.sum(p * np.log(p))))


@single_threaded_blas()
def stable_rank(A: Any) -> float:
    """||A||_F^2 / ||A||_2^2: the rank, if singular values count by their squares. 0 for A = 0.

    Parameters
    ----------
    A : array of shape (n, d), or of shape (r,): its singular values
    """
    s = _singular_values(A)
    return float(np.sum((s / s[0]) ** 2)) if s[0] > 0.0 else 0.0


@single_threaded_blas()
def deterministic_signs(components: np.ndarray) -> np.ndarray:
    """Rows, each turned so that its entry of largest magnitude is positive."""
    components = np.asarray(components)
    return components * _signs(components)[:, None]


@single_threaded_blas()
def fix_signs(U: np.ndarray, Vt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """U and Vt with signs that depend on Vt alone: the largest entry of each row is positive.

    As scikit-learn's `svd_flip(U, Vt, u_based_decision=False)`.
    """
    signs = _signs(np.asarray(Vt))
    return np.asarray(U) * signs, np.asarray(Vt) * signs[:, None]


@single_threaded_blas()
def centered(A: Any, mean: Any) -> LinearOperator:
    """A - 1 mean' as a LinearOperator: products with A, minus a rank-one term; never densified.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator of shape (n, d)
    mean : array of shape (d,)

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lowdim.linalg import centered, svd
    >>> A = sp.random_array((1000, 300), density=0.01, rng=np.random.default_rng(0))
    >>> U, s, Vt = svd(centered(A, A.mean(axis=0)), 5, random=0)
    >>> bool(abs(U.sum(axis=0)).max() < 1e-8)
    True
    """
    A = as_operand("A", A)
    return _Centered(A, as_vector("mean", np.ravel(mean), A.shape[1]))


class _Centered(LinearOperator):
    def __init__(self, A: Any, mean: np.ndarray):
        super().__init__(A.dtype, A.shape)
        self.A = A
        self.mean = mean.astype(A.dtype)

    @single_threaded_blas()
    def _matmat(self, V: np.ndarray) -> np.ndarray:
        return times(self.A, V) - self.mean @ V

    @single_threaded_blas()
    def _rmatmat(self, Y: np.ndarray) -> np.ndarray:
        return times(_transposed(self.A), Y) - np.outer(self.mean, Y.sum(axis=0))

    def _matvec(self, v: np.ndarray) -> np.ndarray:
        return self._matmat(v.reshape(-1, 1)).ravel()

    def _rmatvec(self, y: np.ndarray) -> np.ndarray:
        return self._rmatmat(y.reshape(-1, 1)).ravel()


# ---- the methods ---------------------------------------------------------------------------------


class _Products(NamedTuple):
    """A seen through its products, in a unit in which its entries are about 1."""

    shape: tuple[int, int]
    dtype: np.dtype
    times: Callable[[np.ndarray], np.ndarray]  # V (d, b) -> A V
    transposed_times: Callable[[np.ndarray], np.ndarray]  # Y (n, b) -> A'Y
    unit: float

    def swapped(self) -> _Products:
        n, d = self.shape
        return _Products((d, n), self.dtype, self.transposed_times, self.times, self.unit)


def _products(A: Any, random: np.random.Generator) -> _Products:
    dtype = np.dtype(np.float32 if A.dtype == np.float32 else np.float64)
    if isinstance(A, LinearOperator):
        probe = A @ random.standard_normal((A.shape[1], 1)).astype(dtype)
        if not np.isfinite(probe).all():
            raise ValueError("Products with the operator A are not finite; finite ones are needed.")
        largest = float(np.abs(probe).max())
    else:
        values = A.data if sp.issparse(A) else A
        largest = float(max(values.max(initial=0), -values.min(initial=0)))
    unit, At = power_of_two(largest), _transposed(A)
    return _Products(
        A.shape, dtype, lambda V: times(A, V) / unit, lambda Y: times(At, Y) / unit, unit
    )


def _exact(A: np.ndarray, k: int) -> SVD:
    U, s, Vt = thin_svd(A, k)
    U, Vt = fix_signs(U, Vt)
    return SVD(U, s[:k], Vt)


def _randomized(
    A: _Products,
    k: int,
    n_iter: int,
    oversampling: int,
    normalizer: str,
    random: np.random.Generator,
) -> SVD:
    """Halko, Martinsson and Tropp's algorithms 4.4 (subspace iteration) and 5.1 (SVD from it)."""
    normalize = NORMALIZERS[normalizer]
    width = min(k + oversampling, *A.shape)
    V = random.standard_normal((A.shape[1], width)).astype(A.dtype)
    for _ in range(n_iter):
        V = normalize(A.transposed_times(normalize(A.times(V))))
    Q = _orthonormal(A.times(V))
    V, s, Wt = scipy.linalg.svd(A.transposed_times(Q), full_matrices=False, check_finite=False)
    U, Vt = fix_signs(Q @ Wt[:k].T, V[:, :k].T)
    return SVD(U, s[:k] * A.dtype.type(A.unit), Vt)


def _krylov(
    A: _Products, k: int, n_passes: int | None, tol: float | None, random: np.random.Generator
) -> SVD:
    """Eigenvectors V of A'A, or U of A A' if that is smaller; then the SVD of A V."""
    wide = A.shape[0] < A.shape[1]
    B = A.swapped() if wide else A
    V = top_eigen(
        lambda block: B.transposed_times(B.times(block)),
        B.shape[1],
        k,
        tol=0.0 if n_passes is not None and tol is None else tol,
        max_passes=n_passes or MAX_PASSES,
        random=random,
        dtype=A.dtype,
    ).vectors
    U, s, Wt = scipy.linalg.svd(B.times(V), full_matrices=False, check_finite=False)
    V = V @ Wt.T
    U, Vt = fix_signs(V, U.T) if wide else fix_signs(U, V.T)
    return SVD(U, s * A.dtype.type(A.unit), Vt)


def _orthonormal(Y: np.ndarray) -> np.ndarray:
    return scipy.linalg.qr(Y, mode="economic", check_finite=False)[0]


NORMALIZERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "QR": _orthonormal,
    "LU": lambda Y: scipy.linalg.lu(Y, permute_l=True, check_finite=False)[0],
    "none": lambda Y: Y,
}


def _singular_values(A: Any) -> np.ndarray:
    """Singular values of a matrix, decreasing; given as such, they are sorted."""
    if np.ndim(A) != 1:
        return scipy.linalg.svdvals(as_dense("A", A), check_finite=False)
    s = as_vector("A", A)
    if (s < 0).any():
        raise ValueError(
            "A has one dimension, so it should hold singular values; some are negative."
        )
    return -np.sort(-s)


def _signs(components: np.ndarray) -> np.ndarray:
    """+1 or -1 for each row: the sign of its entry of largest magnitude; +1 for a row of zeros."""
    components = as_matrix("components", components) if components.size else components
    largest = np.abs(components).argmax(axis=1) if components.size else np.zeros(0, dtype=int)
    values = components[np.arange(len(largest)), largest]
    return np.where(values < 0, -1, 1).astype(components.dtype)


def times(A: Any, V: np.ndarray) -> np.ndarray:
    """A V for an array (on threads), a sparse matrix or an operator."""
    return dense_times(A, V) if isinstance(A, np.ndarray) else A @ V


def _transposed(A: Any) -> Any:
    """A'; for a real operator its adjoint."""
    return A.H if isinstance(A, LinearOperator) else A.T
