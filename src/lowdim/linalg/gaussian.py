"""Algebra of Gaussians: conditioning, densities and divergence, by Cholesky factors.

    x ~ N(mean, C),  x = (observed o, rest r):

    E[x_r | x_o]   = mean_r + C_ro C_oo^-1 (x_o - mean_o)
    Cov[x_r | x_o] = C_rr - C_ro C_oo^-1 C_or                  the Schur complement of C_oo

For C = W W' + diag(noise) with k columns in W (factor analysis, PPCA), Woodbury's identity needs
only the k x k matrix M = I + W' diag(noise)^-1 W: O(n d k) in place of O(n d^2 + d^3).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.checks import as_covariance, as_dense, as_matrix, as_square, as_vector

LOG_2PI = float(np.log(2.0 * np.pi))


class Gaussian(NamedTuple):
    mean: np.ndarray
    covariance: np.ndarray


@single_threaded_blas()
def condition(mean: Any, covariance: Any, observed: Any, values: Any) -> Gaussian:
    """The Gaussian of the other variables, given that some are observed.

    Parameters
    ----------
    mean : array of shape (d,)
    covariance : array of shape (d, d)
        Symmetric, positive semi-definite. Where it is singular, its pseudo-inverse is used.
    observed : array of int, or of bool with shape (d,)
        Which variables are observed.
    values : array of shape (m,) or (n, m)
        Their values, in the order of `observed`; with two dimensions, n cases.

    Returns
    -------
    Gaussian
        mean (r,) or (n, r) and covariance (r, r) of the others, in their order in x.

    Examples
    --------
    >>> from lowdim.linalg import condition
    >>> condition([0.0, 0.0], [[2.0, 1.0], [1.0, 2.0]], [0], [4.0])
    Gaussian(mean=array([2.]), covariance=array([[1.5]]))
    """
    mean = as_vector("mean", mean)
    C = as_covariance("covariance", covariance, len(mean))
    o, r = _split_index(observed, len(mean))
    values = np.asarray(values)
    if values.ndim not in (1, 2) or values.shape[-1] != len(o):
        raise ValueError(
            f"values has shape {values.shape}; ({len(o)},) or (n, {len(o)}) is needed, one for "
            "each observed variable."
        )
    if len(o) == 0:
        prior = mean[r] if values.ndim == 1 else np.tile(mean[r], (len(values), 1))
        return Gaussian(prior, C[np.ix_(r, r)])
    values = as_matrix("values", values.reshape(-1, len(o))).reshape(values.shape)
    gain = _solve_semidefinite(C[np.ix_(o, o)], C[np.ix_(o, r)])  # (m, r)  C_oo^-1 C_or
    rest = C[np.ix_(r, r)] - C[np.ix_(r, o)] @ gain
    return Gaussian(mean[r] + (values - mean[o]) @ gain, (rest + rest.T) / 2)


@single_threaded_blas()
def schur_complement(A: Any, index: Any) -> np.ndarray:
    """A_rr - A_ro A_oo^-1 A_or: what is left of a square A when the rows and columns o are
    eliminated.

    Parameters
    ----------
    A : array of shape (d, d)
        Symmetric or not; A_oo must be invertible.
    index : array of int, or of bool with shape (d,)
        The rows and columns o.

    Examples
    --------
    >>> from lowdim.linalg import schur_complement
    >>> schur_complement([[4.0, 2.0], [2.0, 3.0]], [0])
    array([[2.]])
    """
    A = as_square("A", A)
    o, r = _split_index(index, len(A), name="index")
    try:
        eliminated = A[np.ix_(r, o)] @ np.linalg.solve(A[np.ix_(o, o)], A[np.ix_(o, r)])
    except np.linalg.LinAlgError:
        raise ValueError(
            "A restricted to index is singular and cannot be eliminated; choose other rows."
        ) from None
    return A[np.ix_(r, r)] - eliminated


@single_threaded_blas()
def log_density(X: Any, mean: Any, cholesky: Any) -> np.ndarray:
    """log N(x; mean, L L') of every row x.

    Parameters
    ----------
    X : array of shape (n, d)
    mean : array of shape (d,)
    cholesky : array of shape (d, d)
        The lower triangular factor L; what is above its diagonal is not looked at.

    Returns
    -------
    array of shape (n,), float64
    """
    X = as_dense("X", X)
    mean = as_vector("mean", mean, X.shape[1])
    L = as_square("cholesky", cholesky, X.shape[1])
    diagonal = np.diag(L)
    if not (diagonal > 0).all():
        raise ValueError(
            "cholesky has entries on its diagonal that are not positive; it must be the lower "
            "factor L of a positive definite covariance L L'."
        )
    whitened = scipy.linalg.solve_triangular(
        L, (X - mean).T, lower=True, overwrite_b=True, check_finite=False
    )
    squares = np.einsum("ij,ij->j", whitened, whitened, dtype=np.float64)
    return -0.5 * (len(L) * LOG_2PI + squares) - np.log(diagonal, dtype=np.float64).sum()


@single_threaded_blas()
def kl_divergence(mean0: Any, cov0: Any, mean1: Any, cov1: Any) -> float:
    """KL(N(mean0, cov0) || N(mean1, cov1)) in nats.

        1/2 [ trace(C1^-1 C0) + (m1 - m0)' C1^-1 (m1 - m0) - d + log |C1| / |C0| ]

    Infinite if C0 is singular, for then N0 lives on a subspace to which N1 gives no weight.

    Examples
    --------
    >>> from lowdim.linalg import kl_divergence
    >>> kl_divergence([1.0], [[1.0]], [0.0], [[1.0]])
    0.5
    """
    mean0 = as_vector("mean0", mean0)
    d = len(mean0)
    mean1 = as_vector("mean1", mean1, d)
    L1 = _cholesky("cov1", as_covariance("cov1", cov1, d))
    C0 = as_covariance("cov0", cov0, d)
    try:
        L0 = np.linalg.cholesky(C0)
    except np.linalg.LinAlgError:
        if np.linalg.eigvalsh(C0)[0] < -1e-8 * np.abs(C0).max():
            raise ValueError("cov0 has negative eigenvalues; a covariance has none.") from None
        return float("inf")
    ratio = scipy.linalg.solve_triangular(L1, L0, lower=True, check_finite=False)
    shift = scipy.linalg.solve_triangular(L1, mean1 - mean0, lower=True, check_finite=False)
    # trace - d - log det, eigenvalue by eigenvalue: l - 1 - log l >= 0
    l = scipy.linalg.svdvals(ratio, check_finite=False) ** 2
    return float(0.5 * (np.sum(l - 1.0 - np.log(l)) + shift @ shift))


# ---- C = W W' + diag(noise) ----------------------------------------------------------------------


@single_threaded_blas()
def low_rank_solve(W: Any, noise: Any, B: Any) -> np.ndarray:
    """C^-1 B for C = W W' + diag(noise), in O(d k (k + columns of B)).

    Parameters
    ----------
    W : array of shape (d, k)
    noise : float or array of shape (d,)
        Positive.
    B : array of shape (d,) or (d, m)
    """
    W, noise = _loadings(W, noise)
    B = np.asarray(B)
    if B.ndim not in (1, 2) or len(B) != len(W):
        raise ValueError(f"B has shape {B.shape}; ({len(W)},) or ({len(W)}, m) is needed.")
    columns = as_matrix("B", B.reshape(len(W), -1))
    scaled = W / noise[:, None]
    codes = scipy.linalg.cho_solve((_inner_cholesky(W, noise), True), scaled.T @ columns)
    return ((columns - W @ codes) / noise[:, None]).reshape(B.shape)


@single_threaded_blas()
def low_rank_log_determinant(W: Any, noise: Any) -> float:
    """log |W W' + diag(noise)| = log |M| + sum log noise, in O(d k^2)."""
    W, noise = _loadings(W, noise)
    L = _inner_cholesky(W, noise)
    return float(2.0 * np.log(np.diag(L)).sum() + np.log(noise).sum())


@single_threaded_blas()
def low_rank_log_density(X: Any, mean: Any, W: Any, noise: Any) -> np.ndarray:
    """log N(x; mean, W W' + diag(noise)) of every row x, in O(n d k).

    Parameters
    ----------
    X : array of shape (n, d)
    mean : array of shape (d,)
    W : array of shape (d, k)
    noise : float or array of shape (d,)
        Positive variances.

    Returns
    -------
    array of shape (n,), float64

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg import log_density, low_rank_log_density
    >>> W, noise, x = np.array([[1.0], [2.0]]), np.array([0.5, 0.1]), [[0.3, -0.2]]
    >>> L = np.linalg.cholesky(W @ W.T + np.diag(noise))
    >>> np.allclose(low_rank_log_density(x, [0, 0], W, noise), log_density(x, [0, 0], L))
    True
    """
    X = as_dense("X", X)
    mean = as_vector("mean", mean, X.shape[1])
    W, noise = _loadings(W, noise)
    if len(W) != X.shape[1]:
        raise ValueError(f"W has {len(W)} rows; one for each of the {X.shape[1]} columns of X.")
    L = _inner_cholesky(W, noise)
    D = X - mean
    Z = scipy.linalg.cho_solve((L, True), (D @ (W / noise[:, None])).T).T  # (n, k)  E[z | x]
    # d'C^-1 d = min_z ||z||^2 + (d - W z)' diag(noise)^-1 (d - W z), attained at E[z | x]: a sum of
    # squares, where Woodbury's difference of two large terms would lose its digits
    R = (D - Z @ W.T) / np.sqrt(noise)
    squares = np.einsum("ij,ij->i", R, R) + np.einsum("ij,ij->i", Z, Z)
    log_determinant = 2.0 * np.log(np.diag(L)).sum() + np.log(noise).sum()
    return -0.5 * (len(W) * LOG_2PI + log_determinant + squares)


def _inner_cholesky(W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The lower Cholesky factor (k, k) of M = I + W' diag(noise)^-1 W."""
    scaled = W / np.sqrt(noise)[:, None]
    return np.linalg.cholesky(np.eye(W.shape[1]) + scaled.T @ scaled)


def _loadings(W: Any, noise: Any) -> tuple[np.ndarray, np.ndarray]:
    """W and one positive noise variance for each of its rows, in float64."""
    W = np.asarray(W)
    if W.ndim != 2 or W.size:  # no columns at all is fine: the noise alone
        W = as_dense("W", W)
    W = W.astype(np.float64, copy=False)
    noise = np.broadcast_to(noise, len(W)) if np.ndim(noise) == 0 else noise
    noise = as_vector("noise", noise, len(W)).astype(np.float64, copy=False)
    if not (noise > 0).all():
        raise ValueError(
            f"noise has the value {noise.min():g}; variances must be positive. "
            "Raise them to a small positive floor."
        )
    return W, noise


# ---- helpers -------------------------------------------------------------------------------------


def _split_index(observed: Any, d: int, name: str = "observed") -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the observed variables, in their order, and of the others."""
    index = np.asarray(observed)
    if index.size == 0 and index.dtype.kind == "f":  # an empty list
        index = index.astype(np.intp)
    if index.dtype.kind == "b" and index.shape == (d,):
        index = np.flatnonzero(index)
    if index.ndim != 1 or index.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a list of variable numbers, or {d} times True or False.")
    if index.size and (index.min() < -d or index.max() >= d):
        raise ValueError(f"{name} has numbers beyond the {d} variables (0 to {d - 1}).")
    index = index % d
    if len(np.unique(index)) < len(index):
        raise ValueError(f"{name} names a variable twice.")
    return index, np.setdiff1d(np.arange(d), index)


def _solve_semidefinite(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A^-1 B for a covariance A; with the pseudo-inverse where A is singular."""
    try:
        return scipy.linalg.cho_solve(scipy.linalg.cho_factor(A, lower=True), B)
    except np.linalg.LinAlgError:
        return scipy.linalg.pinvh(A) @ B


def _cholesky(name: str, A: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise ValueError(
            f"{name} is not positive definite; add a small multiple of the identity."
        ) from None
