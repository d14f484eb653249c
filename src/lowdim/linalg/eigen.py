"""The largest eigenpairs of a positive semi-definite A that is known only by its products A V.

    maximise over orthonormal V (dim, k)     trace V'A V

For PCA, A = sum (x - m)(x - m)' and a product is a pass over the rows: over files or a cluster.
Passes are what costs. Block Lanczos gets the most out of them: of all subspaces that q passes over
a start block V1 can reach, span[V1, A V1, ..., A^(q-1) V1] holds the best Ritz vectors.

    Q <- [Q V]                          the orthonormal basis so far
    R <- A V - Q Q'A V                  what the pass found outside of it
    T = Q'A Q = Z diag(theta) Z'        Ritz values theta, Ritz vectors Q Z
    ||A q - theta q|| = ||R z||         the residual, without a further pass; z the last rows of Z
    V <- orthonormal basis of R

When the basis is full, its best Ritz vectors are kept and the rest is dropped (thick restart),
which loses nothing of what Lanczos knows about them.
Beside the products: O(dim m b) per pass for m basis vectors and blocks of b, all of it BLAS-3, and
memory for 1.5 m vectors at most. Every new block is made orthogonal twice: by the recurrence, to
the blocks that A couples it with, and then to the whole basis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_at_most, check_choice, check_number
from lowdim.linalg.checks import as_matrix, as_vector, power_of_two
from lowdim.linalg.products import dense_times, gram, inner_products, sum_of_products, tall_qr

Product = Callable[[np.ndarray], np.ndarray]

# Residuals below this many units of rounding are as good as zero
ROUNDING = 10.0

MAX_PASSES = 300

# Squares of singular values of a float32 block above this part of the largest: what R'R says of its
# range, orthogonal to some 1e-4, is made so in the second orthogonalisation
WELL_CONDITIONED = 1e-6


class TopEigen(NamedTuple):
    """The k largest eigenvalues of A, decreasing, and what is known about their accuracy."""

    values: np.ndarray  # (k,)
    vectors: np.ndarray  # (dim, k)  orthonormal columns
    n_passes: int  #           how often A was applied
    residuals: np.ndarray  # (k,)      ||A v - value v||: no value is farther from an eigenvalue
    converged: bool


class Lanczos(NamedTuple):
    """Block Lanczos between two passes: all that is needed to go on, in units of `unit`."""

    basis: tuple[np.ndarray, ...]  # orthonormal blocks (dim, b): Q, side by side
    T: np.ndarray  # (m, m)    Q'A Q
    values: np.ndarray  # (m,)      Ritz values, decreasing
    rotation: np.ndarray  # (m, m)    Z: the Ritz vectors are Q Z
    residuals: np.ndarray  # (m,)      ||A q - theta q|| for each Ritz pair
    block: np.ndarray  # (dim, b)  V: to be multiplied by A next
    unit: float  # a power of two near the size of A
    n_passes: int
    seed: int  # for directions drawn at random where R has none


@single_threaded_blas()
def top_eigen(
    apply: Product,
    dim: int,
    k: int,
    *,
    block_size: int | None = None,
    basis_size: int | None = None,
    tol: float | None = None,
    stop: str = "residual",
    max_passes: int = MAX_PASSES,
    random: Any = None,
    start: np.ndarray | None = None,
    dtype: Any = np.float64,
) -> TopEigen:
    """The k largest eigenpairs of a symmetric positive semi-definite A, given V -> A V.

    Block Lanczos with full re-orthogonalisation and thick restart (see the module's docstring).
    Multiple and clustered eigenvalues, rank below k and A = 0 are fine.

    Parameters
    ----------
    apply : callable
        apply(V) gives A V for V of shape (dim, b) and the dtype below; each call is one pass.
    dim : int
        A is dim x dim.
    k : int
        Number of eigenpairs, at most dim.
    block_size : int or None
        Columns b of V. Larger: fewer passes, more work in all; with b = k/2 a third less work and
        half as many passes again. An eigenvalue is found with all its multiplicity if that is at
        most b. None means k; at least 8; less than k for k > 32.
    basis_size : int or None
        Vectors in memory before a restart. Larger: fewer passes. None means k + 8 b; if A is not
        larger than that, it is formed in a single pass.
    tol : float or None
        How accurate, in the sense of `stop`; with 0 it runs until rounding allows no better.
        None means 1e-9, in float32 1e-5.
    stop : {'residual', 'captured'}
        'residual': when ||A v - value v|| <= tol value for all k pairs. The eigenvectors are then
        exact up to tol value / (distance to the next eigenvalue).
        'captured': when the passes to come would raise trace V'A V by no more than a fraction tol,
        judged by what the last ones did: half the passes or less if eigenvalues lie close together
        and only the variance that V captures matters.
    max_passes : int
        Stop then at the latest. With tol=0, a fixed number of passes: 3 or 4 give the accuracy of
        randomized SVD with twice as many.
    random : int, Generator, RandomState or None
        Draws the first block.
    start : ndarray of shape (dim, s) or None
        Vectors to begin with, such as those of similar data; with s < block_size random ones join.
    dtype : float32 or float64
        Of V and of the vectors returned.

    Returns
    -------
    TopEigen
        values, vectors, n_passes, residuals, converged. With `converged` False the vectors are
        still the best of all that were seen.

    References
    ----------
    Golub and Underwood (1977), The block Lanczos method for computing eigenvalues. Wu and Simon
    (2000), Thick-restart Lanczos method, SIAM J. Matrix Anal. 22. Musco and Musco (2015),
    Randomized block Krylov methods, theorem 1: the number of passes.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg import top_eigen
    >>> spectrum = 1.0 / np.arange(1, 1001)
    >>> found = top_eigen(lambda V: spectrum[:, None] * V, 1000, 3, random=0)
    >>> found.values.round(6), found.converged
    (array([1.      , 0.5     , 0.333333]), True)
    """
    dtype = _float_dtype(dtype)
    dim = check_at_least("dim", dim, 1)
    k = check_at_most("k", k, dim, "dimensions of A")
    max_passes = check_at_least("max_passes", max_passes, 1)
    check_choice("stop", stop, ("residual", "captured"))
    if tol is None:
        tol = 1e-5 if dtype == np.float32 else 1e-9
    tol = check_number("tol", tol, low=0.0)
    width = _block_size(block_size, k, dim, start)
    limit = _basis_size(basis_size, k, width)
    if block_size is None and start is None and dim <= max(limit, 2 * k):
        return _all_at_once(apply, dim, k, dtype)
    if max_passes * width < k:
        raise ValueError(
            f"max_passes={max_passes} with block_size={width} look at {max_passes * width} "
            f"directions, fewer than k={k}; raise one of them."
        )

    state = lanczos_start(dim, width, random, start=start, dtype=dtype)
    captured: list[float] = []
    while True:
        state = lanczos_step(state, apply(state.block), k, limit)
        captured.append(float(state.values[:k].sum()))
        converged = len(state.values) >= k and (
            residuals_below(state, k, tol if stop == "residual" else 0.0)
            or (stop == "captured" and gain_ahead(captured) <= tol * captured[-1])
        )
        if converged or state.n_passes >= max_passes:
            return lanczos_result(state, k, converged)


@single_threaded_blas()
def lanczos_start(
    dim: int,
    block_size: int,
    random: Any = None,
    *,
    start: np.ndarray | None = None,
    dtype: Any = np.float64,
) -> Lanczos:
    """Block Lanczos before its first pass; `start` as for `top_eigen`."""
    seed = int(random_generator(random).integers(2**62))
    draw = _draw(seed, 0)
    first = np.empty((dim, block_size), dtype=dtype)
    given = 0 if start is None else start.shape[1]
    if start is not None:
        longest = np.abs(start).max(axis=0)
        first[:, :given] = start / np.where(longest > 0, longest, 1.0).astype(start.dtype)
    first[:, given:] = draw.standard_normal((dim, block_size - given)) / np.sqrt(dim)
    block, _ = _new_block(first, (), block_size, draw, np.finfo(dtype).eps)
    empty, none = np.zeros((0, 0)), np.zeros(0)
    return Lanczos((), empty, none, empty, none, block, 0.0, 0, seed)


# Matrices here are tall and thin: BLAS threads that wait for each other cost more than they give
@single_threaded_blas()
def lanczos_step(state: Lanczos, product: np.ndarray, k: int, basis_size: int) -> Lanczos:
    """What the product A V of the last block V adds; a new state, the old one stays as it is.

    Keeps at most `basis_size` vectors, and when they are full the best Ritz vectors, k at least.
    """
    product = _checked_product(product, state)
    unit = state.unit or power_of_two(float(np.abs(product).max(initial=0.0)))
    Y = np.divide(product, unit).astype(state.block.dtype, copy=False)
    del product  # tall arrays are let go at once: beside the basis, they are the memory
    basis, n_passes = (*state.basis, state.block), state.n_passes + 1

    # A couples V to itself and to the block before it; the blocks before that hold A times theirs
    R, H = _split(Y, basis[-2:])
    del Y
    T = _bordered(state.T, H)
    values, rotation = _eigh(T)
    dim, b = R.shape
    width, noise = min(b, dim - len(T)), np.finfo(R.dtype).eps * np.abs(values).max()
    block, rest = _new_block(R, basis, width, _draw(state.seed, n_passes), noise)
    residuals = np.linalg.norm(rest @ rotation[-b:], axis=0)

    if len(T) + width > basis_size:  # thick restart with half of what fits beside the k wanted
        keep = min((k + basis_size) // 2, basis_size - width)
        kept = combined(basis, rotation[:, :keep])
        # rounding adds up over restarts: in float64 hundreds of them do not matter
        basis = (_straightened(kept) if kept.dtype == np.float32 else kept,)
        values, residuals = values[:keep], residuals[:keep]
        T, rotation = np.diag(values), np.eye(keep)
    return Lanczos(basis, T, values, rotation, residuals, block, unit, n_passes, state.seed)


@single_threaded_blas()
def lanczos_result(state: Lanczos, k: int, converged: bool) -> TopEigen:
    """The k best Ritz pairs."""
    return TopEigen(
        values=np.maximum(state.values[:k], 0.0) * state.unit,
        vectors=_straightened(combined(state.basis, state.rotation[:, :k])),
        n_passes=state.n_passes,
        residuals=state.residuals[:k] * state.unit,
        converged=bool(converged),
    )


def residuals_below(state: Lanczos, k: int, tol: float) -> bool:
    """Whether the k best Ritz pairs have relative residuals up to tol, or as rounding allows."""
    values = np.maximum(state.values[:k], 0.0)
    rounding = ROUNDING * np.finfo(state.block.dtype).eps * values[0]
    return bool((state.residuals[:k] <= np.maximum(tol * values, rounding)).all())


def gain_ahead(captured: list[float]) -> float:
    """How much `captured` will still rise, if it goes on as in the last three passes.

    Gains fall about geometrically: g, g r, g r^2 ... have the sum g / (1 - r).
    """
    if len(captured) < 4:
        return np.inf
    before, _, last = np.maximum(np.diff(captured[-4:]), 0.0)
    if last == 0.0:
        return 0.0
    r = np.sqrt(last / before) if before > last else 1.0
    return float(last * r / (1.0 - r)) if r < 1.0 else np.inf


# ---- the power method --------------------------------------------------------------------------


class PowerMethod(NamedTuple):
    """The largest eigenvalue of A and its vector."""

    value: float
    vector: np.ndarray  # (dim,)  of length 1
    n_iter: int
    converged: bool


@single_threaded_blas()
def power_method(
    apply: Product,
    dim: int,
    *,
    tol: float = 1e-9,
    max_iter: int = 1000,
    random: Any = None,
    start: np.ndarray | None = None,
    dtype: Any = np.float64,
) -> PowerMethod:
    """The largest eigenpair of a positive semi-definite A by v <- A v / ||A v||.

    The error falls by lambda_2 / lambda_1 in each iteration, so this is slow if the two are close:
    `top_eigen` needs far fewer products. It is the algorithm of the lecture.

    Parameters
    ----------
    apply : callable
        apply(V) gives A V for V of shape (dim, 1).
    dim : int
    tol : float
        Stop when ||A v - value v|| <= tol value.
    max_iter : int
    random : int, Generator, RandomState or None
        Draws the first vector.
    start : ndarray of shape (dim,) or None
        The first vector, if not a random one.
    dtype : float32 or float64

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg import power_method
    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> round(power_method(lambda V: A @ V, 2, random=0).value, 12)
    3.0
    """
    dtype = _float_dtype(dtype)
    dim = check_at_least("dim", dim, 1)
    if start is None:
        start = random_generator(random).standard_normal(dim)
    v = as_vector("start", start, dim)[:, None]
    if not v.any():
        raise ValueError("start is zero; give a vector with a direction, or None for a random one.")
    none = np.zeros((dim, 0), dtype)
    v = _orthonormalised((v / np.abs(v).max()).astype(dtype), none)
    found = _power_iteration(apply, v, none, tol, max_iter)
    return PowerMethod(found.value, found.vector, found.n_iter, found.converged)


@single_threaded_blas()
def power_deflation(
    apply: Product,
    dim: int,
    k: int,
    *,
    tol: float = 1e-9,
    max_iter: int = 1000,
    random: Any = None,
    dtype: Any = np.float64,
) -> TopEigen:
    """The k largest eigenpairs of a positive semi-definite A, one after the other.

    When v_1 is found, its part is taken out of A (deflation), A <- A - lambda_1 v_1 v_1', and the
    power method finds v_2, and so on. The iterate is kept orthogonal to the vectors found before,
    which is the same for exact eigenvectors and does not add up their errors.

    Parameters
    ----------
    apply, dim, tol, random, dtype
        As for `power_method`.
    k : int
        Number of eigenpairs, at most dim.
    max_iter : int
        Iterations for each of them.
    """
    dtype = _float_dtype(dtype)
    dim = check_at_least("dim", dim, 1)
    k = check_at_most("k", k, dim, "dimensions of A")
    random = random_generator(random)
    values, residuals = np.zeros(k), np.zeros(k)
    V = np.zeros((dim, k), dtype=dtype)
    n_passes, converged = 0, True
    for j in range(k):
        v = _orthonormalised(random.standard_normal((dim, 1)).astype(dtype), V[:, :j])
        found = _power_iteration(apply, v, V[:, :j], tol, max_iter, largest=values[0])
        V[:, j], values[j], residuals[j] = found.vector, found.value, found.residual
        n_passes += found.n_iter
        converged = converged and found.converged
    order = np.argsort(-values, kind="stable")  # close eigenvalues may be met in the wrong order
    return TopEigen(values[order], V[:, order], n_passes, residuals[order], converged)


class _Power(NamedTuple):
    value: float
    vector: np.ndarray
    residual: float
    n_iter: int
    converged: bool


def _power_iteration(
    apply: Product,
    v: np.ndarray,
    found: np.ndarray,
    tol: float,
    max_iter: int,
    largest: float = 0.0,
) -> _Power:
    """Power iterations from v, orthogonal to the columns of `found`; `largest`: ||A||, if known."""
    tol = check_number("tol", tol, low=0.0)
    max_iter = check_at_least("max_iter", max_iter, 1)
    rounding = ROUNDING * np.finfo(v.dtype).eps
    for n_iter in range(1, max_iter + 1):
        product = np.asarray(apply(v))
        _check_finite_product(product, v.shape, n_iter)
        unit = power_of_two(float(np.abs(product).max(initial=0.0)))
        Av = np.divide(product, unit).astype(v.dtype, copy=False)
        Av = Av - found @ (found.T @ Av)
        value = float(v[:, 0] @ Av[:, 0])
        residual = float(np.linalg.norm(Av - v * v.dtype.type(value)))
        converged = residual <= max(tol * value, rounding * max(value, largest / unit))
        if converged or n_iter == max_iter:
            break
        v = _orthonormalised(Av / np.linalg.norm(Av), found)
    return _Power(max(value, 0.0) * unit, v[:, 0], residual * unit, n_iter, converged)


def _orthonormalised(v: np.ndarray, found: np.ndarray) -> np.ndarray:
    """v (dim, 1) without its part in span(found), of length 1; twice, against rounding."""
    for _ in range(2):
        v = v - found @ (found.T @ v)
        v = v / np.linalg.norm(v)
    return v


# ---- parts of block Lanczos ----------------------------------------------------------------------


def _all_at_once(apply: Product, dim: int, k: int, dtype: np.dtype) -> TopEigen:
    """A itself in one pass, A = A I, and its eigenpairs from LAPACK."""
    A = np.asarray(apply(np.eye(dim, dtype=dtype)))
    _check_finite_product(A, (dim, dim), 1)
    unit = power_of_two(float(np.abs(A).max(initial=0.0)))
    A = A / unit
    values, V = _eigh((A + A.T) / 2)
    values, V = values[:k], np.ascontiguousarray(V[:, :k])
    residuals = np.linalg.norm(A @ V - V * values, axis=0)
    return TopEigen(np.maximum(values, 0.0) * unit, V.astype(dtype), 1, residuals * unit, True)


def _split(Y: np.ndarray, basis: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Y = Q H + R with Q'R = 0: what lies outside of the basis, and the coefficients inside."""
    if not basis:
        return Y.copy(), np.zeros((0, Y.shape[1]), Y.dtype)
    H = inner_products(basis, Y)
    return combined(basis, -H, plus=Y), H


def _bordered(T: np.ndarray, H: np.ndarray) -> np.ndarray:
    """Q'A Q for the basis with its new block V: T, beside it H, the last rows of Q'A V."""
    m, width = len(T), H.shape[1]
    bordered = np.zeros((m + width, m + width))
    bordered[:m, :m] = T
    bordered[-len(H) :, m:] = H
    bordered[m:, -len(H) :] = H.T
    bordered[m:, m:] = (H[-width:] + H[-width:].T) / 2
    return bordered


def _eigh(T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, decreasing, and eigenvectors."""
    values, vectors = scipy.linalg.eigh(T, driver="evd", check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _new_block(
    R: np.ndarray,
    basis: tuple[np.ndarray, ...],
    width: int,
    random: np.random.Generator,
    noise: float,
) -> tuple[np.ndarray, np.ndarray]:
    """An orthonormal block V (dim, width) of span(R), orthogonal to the basis; and R's factor.

    Directions in which R is not above the noise have nothing to say; random ones take their place,
    which may find what the start block missed.
    """
    V, factor = _range_of(R, 100 * noise)
    if width == 0:
        return R[:, :0], factor
    V = V[:, :width]
    if V.shape[1] < width:
        fresh = random.standard_normal((len(R), width - V.shape[1])).astype(R.dtype)
        fresh, _ = _split(fresh, (*basis, V))
        V = np.hstack([V, scipy.linalg.qr(fresh, mode="economic", check_finite=False)[0]])
    # the second orthogonalisation: V is nearly orthonormal, so that its Cholesky factor is safe
    V, _ = _split(V, basis)
    return dense_times(V, np.linalg.inv(np.linalg.cholesky(dense_times(V.T, V))).T), factor


def _range_of(R: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """R = V F: nearly orthonormal V (dim, r) for the singular values of R above the noise; and F.

    F may have rows more, for the others. R'R, in float64, is a tenth of the work of Q R, and has
    the digits of float32 unless R is nearly singular.
    """
    if R.dtype == np.float32:
        values, W = _eigh(gram(R))
        if values[-1] > max(WELL_CONDITIONED * values[0], noise**2):
            s = np.sqrt(values)
            return dense_times(R, (W / s).astype(R.dtype)), s[:, None] * W.T
    Q = tall_qr(R)
    U, s, _ = scipy.linalg.svd(Q.R, full_matrices=False, check_finite=False)
    return Q.times(U[:, s > noise]), Q.R


def combined(
    basis: Sequence[np.ndarray], Z: np.ndarray, plus: np.ndarray | None = None
) -> np.ndarray:
    """Q Z (dim, p) for the basis Q; plus (dim, p)."""
    edges = np.cumsum([Q.shape[1] for Q in basis])[:-1]
    return sum_of_products(basis, np.split(Z.astype(basis[0].dtype), edges), plus)


def straightening(V: np.ndarray) -> np.ndarray:
    """M for nearly orthonormal columns V: V M is a Newton step towards their polar factor."""
    return 1.5 * np.eye(V.shape[1]) - 0.5 * dense_times(V.T, V)


def _straightened(V: np.ndarray) -> np.ndarray:
    return dense_times(V, straightening(V).astype(V.dtype))


def _draw(seed: int, n_passes: int) -> np.random.Generator:
    """Random numbers that belong to a pass: the same when a fit is taken up again."""
    return np.random.default_rng([seed, n_passes])


def _block_size(block_size: int | None, k: int, dim: int, start: np.ndarray | None) -> int:
    width = _usual_width(k) if block_size is None else check_at_least("block_size", block_size, 1)
    if start is not None:
        start = as_matrix("start", start)
        if len(start) != dim:
            raise ValueError(f"start has {len(start)} rows; one for each of {dim} is needed.")
        width = max(width, start.shape[1])
    return min(width, dim)


def _basis_size(basis_size: int | None, k: int, width: int) -> int:
    if basis_size is None:
        return k + 8 * max(width, _usual_width(k))
    least = k + 2 * width
    if check_at_least("basis_size", basis_size, 1) < least:
        raise ValueError(
            f"basis_size={basis_size} is too small for k={k} vectors and two blocks of {width}; "
            f"choose at least {least}."
        )
    return basis_size


def _usual_width(k: int) -> int:
    return max(8, k) if k <= 32 else max(32, (k + 1) // 2)


def _float_dtype(dtype: Any) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype} is not possible; choose float32 or float64.")
    return dtype


def _checked_product(product: Any, state: Lanczos) -> np.ndarray:
    product = np.asarray(product)
    _check_finite_product(product, state.block.shape, state.n_passes + 1)
    return product


def _check_finite_product(product: np.ndarray, shape: tuple[int, ...], n_passes: int) -> None:
    if product.shape != shape:
        raise ValueError(
            f"apply(V) returned shape {product.shape} for V of shape {shape}; A V has V's shape."
        )
    if not np.isfinite(product).all():
        raise ValueError(
            f"apply(V) returned NaN or infinity in pass {n_passes}: the data hold them, or are so "
            "large that squares overflow. Fill the missing values, or rescale."
        )
