"""Rotation of loadings: the same fit, seen along axes that are easier to read.

A factor model x = A z + noise does not know its axes: A T with z replaced by T^-1 z explains the
same rows. With L = A T of shape (d, k) we choose T to minimise, with T'T = I (orthogonal factors),

    orthomax  f(L) = -1/d sum_j [ sum_i l_ij^4  -  gamma/d (sum_i l_ij^2)^2 ]

              varimax gamma = 1 (minus the variance of the squared loadings, summed over factors),
              quartimax gamma = 0, equamax gamma = k/2;

or, where factors may be correlated, phi = (T'T)^-1 with unit diagonal,

    oblimin   f(L) = 1/d sum_{j<m} [ sum_i l_ij^2 l_im^2  -  gamma/d sum_i l_ij^2 sum_i l_im^2 ].

For orthogonal T the two are one criterion, up to a factor and a constant: oblimin starts there.
Orthomax turns two columns at a time by the best angle, which has a closed form (`planar_sweep`);
oblimin descends along the gradient, projected on axes of unit length (`descend`). Neither ever
raises f. One sweep or step: O(d k^2) time, O(d k) memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from lowdim.core.calling import level_of_caller
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number, numbers_of

EPS = np.finfo(np.float64).eps
ORTHOMAX = ("varimax", "quartimax", "equamax")
OBLIQUE = ("oblimin", "promax")
EXACT = ("ordered", "lower")
METHODS = (*ORTHOMAX, *OBLIQUE, *EXACT)


class Rotation(NamedTuple):
    """Rotated loadings, and the matrix that rotated them."""

    loadings: np.ndarray  # (d, k)  the pattern: given loadings @ rotation
    rotation: np.ndarray  # (k, k)  T; orthogonal, or with (T'T)^-1 = phi
    phi: np.ndarray  # (k, k)  correlations of the factors; the identity if orthogonal
    criterion: float  # what was minimised, at its minimum

    @property
    @single_threaded_blas()
    def structure(self) -> np.ndarray:
        """Covariances of variables and factors: pattern @ phi, the pattern itself if orthogonal."""
        return self.loadings @ self.phi


@single_threaded_blas()
def rotate(
    loadings: Any,
    method: str = "varimax",
    *,
    kaiser: bool = True,
    gamma: float = 0.0,
    power: float = 4.0,
    max_iter: int = 1000,
    tol: float = 1e-8,
    n_starts: int = 1,
    random_state: Any = None,
) -> Rotation:
    """Rotate factor loadings to a form that is easier to read.

    Minimises the criterion of `method` (see the top of this module) over the rotations T of
    `loadings @ T`. The model's covariance, and so its likelihood, stay what they are.

    Parameters
    ----------
    loadings : array-like of shape (n_features, n_factors)
        One row per variable. That is `components_.T` of a fitted FactorAnalysis or PCA.
    method : str, default='varimax'
        Uncorrelated factors: 'varimax' (each factor has few large loadings), 'quartimax' (each
        variable has few), 'equamax' (between the two). Correlated factors: 'oblimin', 'promax'.
        Exact forms: 'ordered' (orthogonal columns by decreasing variance, through the SVD),
        'lower' (lower triangular with positive diagonal: variable i has loadings on the first i
        factors only).
    kaiser : bool, default=True
        Scale each variable to unit communality before, and back after, so that all variables
        have the same say. 'lower' and 'ordered' do not depend on it.
    gamma : float, default=0.0
        Of 'oblimin', at most 0: 0 is direct quartimin; further below, factors are less correlated.
    power : float, default=4.0
        Of 'promax', more than 1: larger gives simpler, more correlated factors.
    max_iter : int, default=1000
        Largest number of sweeps over all pairs of factors, or of gradient steps.
    tol : float, default=1e-8
        Converged when the gradient of the criterion with respect to the rotation is at most
        `tol` times the mean squared communality ('oblimin': times 1 - gamma).
    n_starts : int, default=1
        The criteria can have several minima. The first start is the loadings as they come, further
        ones are random rotations of them; the best result is returned.
    random_state : int, Generator, RandomState or None, default=None
        Source of the random starts; unused when n_starts=1.

    Returns
    -------
    Rotation
        Named tuple of `loadings` (the pattern), `rotation` T, `phi` and `criterion`, and the
        property `structure`. Codes go with the inverse: `Z @ inv(T).T`, which is `Z @ T` for the
        orthogonal methods.

    Notes
    -----
    Columns come by decreasing variance explained, the diagonal of phi L'L, and each has a positive
    sum ('lower': columns stay, the diagonal is positive). T may contain a reflection.

    `criterion` is that of the loadings scaled as `kaiser` says. Promax has none of its own: for it
    the quartimin value is given, to compare with 'oblimin'. For the exact forms it is 0.

    'promax' is that of R's stats::promax: the target is the varimax pattern (Kaiser's scaling
    undone) raised to `power` with its signs kept, and the least-squares fit to it is rescaled to
    factors of unit variance. gamma > 0 is refused since direct oblimin then has no minimum [3]_.

    References
    ----------
    .. [1] Kaiser (1958), The varimax criterion for analytic rotation in factor analysis:
           the angle of the plane rotation.
    .. [2] Jennrich (2002), A simple general method for oblique rotation; Bernaards and Jennrich
           (2005), Gradient projection algorithms and software: gradient projection.
    .. [3] Jennrich (1979), Admissible values of gamma in direct oblimin rotation.
    .. [4] Hendrickson and White (1964), Promax.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import rotate
    >>> simple = np.array([[0.8, 0.0], [0.7, 0.0], [0.0, 0.6], [0.0, 0.5]])
    >>> turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    >>> rotated = rotate(simple @ turn, "varimax")
    >>> bool(np.abs(rotated.loadings - simple).max() < 1e-8)
    True
    >>> rotated.criterion  # half the loadings are 1, half 0, once rows have unit length
    -0.5
    """
    check_choice("method", method, METHODS)
    check_number("gamma", gamma, high=0.0)
    check_number("power", power, low=1.0, open_low=True)
    check_number("tol", tol, low=0.0)
    check_at_least("max_iter", max_iter, 1)
    check_at_least("n_starts", n_starts, 1)
    loadings = numbers_of(loadings, "loadings", "rotate")
    given = check_array(loadings, dtype=[np.float64, np.float32], input_name="loadings")
    if method in OBLIQUE:
        _check_rank(given, method)

    W = given.astype(np.float64)
    unit = np.abs(W).max() or 1.0  # fourth powers neither overflow nor vanish
    W /= unit
    A = W / row_lengths(W) if kaiser else W
    starts = _starts(A.shape[1], n_starts, random_state)

    if method in EXACT:
        found = RotationMinimum((order if method == "ordered" else triangulate)(W), 0.0, 0.0)
    elif method == "oblimin":
        found = _best(oblimin(A, gamma, start, tol, max_iter) for start in starts)
    else:
        orthomax_gamma = {"quartimax": 0.0, "equamax": A.shape[1] / 2}.get(method, 1.0)
        found = _best(orthomax(A, orthomax_gamma, start, tol, max_iter) for start in starts)
    _warn_unless_settled(found, tol, max_iter)

    T, criterion = found.rotation, found.criterion
    if method == "promax":
        T = T @ raise_contrast(W @ T, power)
        criterion = oblimin_criterion(A @ T, 0.0)
    if not kaiser and criterion != 0.0:
        with np.errstate(over="ignore"):  # loadings beyond 1e77 have an infinite criterion
            criterion = float(criterion * np.float64(unit) ** 4)

    T, phi = settle(W, T, keep_order=method == "lower", orthogonal=method not in OBLIQUE)
    T, phi = T.astype(given.dtype), phi.astype(given.dtype)
    rotated = np.tril(given @ T) if method == "lower" else given @ T
    return Rotation(rotated, T, phi, criterion)


class RotationMinimum(NamedTuple):
    """Where a search over rotations ended."""

    rotation: np.ndarray  # (k, k)
    criterion: float
    slope: float  # of the criterion there, relative to its size


def _warn_unless_settled(found: RotationMinimum, tol: float, max_iter: int) -> None:
    if found.slope > tol:
        warnings.warn(
            f"rotate stopped after {max_iter} iterations; the relative slope is still "
            f"{found.slope:.1e} (tol={tol:.0e}). Raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=level_of_caller(),
        )


def row_lengths(W: np.ndarray) -> np.ndarray:
    """Square roots of the communalities, (d, 1); 1 for variables that no factor explains."""
    length = np.linalg.norm(W, axis=1, keepdims=True)
    # a constant variable has loadings of rounding size: they must not be blown up to unit length
    return np.where(length > W.shape[1] * EPS * length.max(), length, 1.0)


def settle(
    W: np.ndarray, T: np.ndarray, *, keep_order: bool, orthogonal: bool
) -> tuple[np.ndarray, np.ndarray]:
    """T with its columns in our order and signs, and the factor correlations."""
    if keep_order:
        return T, np.eye(len(T))
    phi = np.eye(len(T)) if orthogonal else _factor_correlations(T)
    L = W @ T
    total = L.sum(axis=0)
    largest = L[np.abs(L).argmax(axis=0), np.arange(len(T))]
    sign = np.where(np.where(total == 0, largest, total) < 0, -1.0, 1.0)
    by_variance = np.argsort(-(L * (L @ phi)).sum(axis=0), kind="stable")
    T = (T * sign)[:, by_variance]
    return T, phi if orthogonal else _factor_correlations(T)


# ---- orthogonal factors --------------------------------------------------------------------------


def orthomax_criterion(L: np.ndarray, gamma: float) -> float:
    """Orthomax, to minimise; with gamma=1 minus the varimax criterion."""
    d = len(L)
    squares = L**2
    return float(gamma / d * (squares.sum(axis=0) ** 2).sum() - (squares**2).sum()) / d


def orthomax(
    A: np.ndarray, gamma: float, start: np.ndarray, tol: float, max_iter: int
) -> RotationMinimum:
    """Sweeps over all planes from `start`, until none has a slope."""
    d = len(A)
    columns = np.hstack([(A @ start).T, start.T])  # (k, d + k)  L and T turn together
    rounds = _disjoint_pairs(len(start))
    scale = _squared_communalities(A) or 1.0
    for _ in range(max_iter):
        slope = planar_sweep(columns, d, gamma, rounds) / scale
        if slope <= tol:
            break
    return RotationMinimum(columns[:, d:].T, orthomax_criterion(columns[:, :d].T, gamma), slope)


def planar_sweep(
    columns: np.ndarray, d: int, gamma: float, rounds: list[tuple[np.ndarray, np.ndarray]]
) -> float:
    """Turn every pair of columns to its best angle, in place; the largest slope met.

    A pair (x, y) is the complex column z = x + iy. A turn by phi multiplies z by exp(-i phi), and

        -d f = Re( m exp(-4 i phi) ) / 4 + const,    m = sum z^4 - gamma/d (sum z^2)^2,

    so the best phi is a quarter of the angle of m, and the slope at 0 is Im m. Pairs without a
    common column do not touch each other's part of f: a round of them is turned at once.
    """
    slope = 0.0
    for left, right in rounds:
        z = columns[left] + 1j * columns[right]
        square = z[:, :d] ** 2
        m = np.einsum("pi,pi->p", square, square) - gamma / d * square.sum(axis=1) ** 2
        # Im m vanishes at the worst angle too; there Re m < 0 says that we are not done
        slope = max(slope, np.abs(np.where(m.real < 0, m, m.imag)).max())
        z *= np.exp(-0.25j * np.angle(m))[:, None]
        columns[left], columns[right] = z.real, z.imag
    return slope


def _disjoint_pairs(k: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """All pairs of k columns as rounds of pairs without a common column: a round-robin draw."""
    ring = list(range(k + k % 2))  # with an odd k, one column rests in each round
    rounds = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        pairs = [
            pair for pair in zip(ring[:half], ring[: half - 1 : -1], strict=True) if max(pair) < k
        ]
        if pairs:
            left, right = np.array(pairs).T
            rounds.append((left, right))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


# ---- correlated factors --------------------------------------------------------------------------


def oblimin_criterion(L: np.ndarray, gamma: float) -> float:
    """Direct oblimin, to minimise; with gamma=0 quartimin."""
    squares = L**2
    return float((squares * _others(squares, gamma)).sum()) / (2 * len(L))


def _others(squares: np.ndarray, gamma: float) -> np.ndarray:
    """For each loading, the squared loadings in the other columns, less gamma times their mean."""
    others = squares.sum(axis=1, keepdims=True) - squares
    return others - gamma * others.mean(axis=0)


def oblimin(
    A: np.ndarray, gamma: float, start: np.ndarray, tol: float, max_iter: int
) -> RotationMinimum:
    """Orthomax from `start`, which is oblimin for uncorrelated factors; then descent."""
    return descend(A, gamma, orthomax(A, gamma, start, tol, max_iter).rotation, tol, max_iter)


def descend(
    A: np.ndarray, gamma: float, axes: np.ndarray, tol: float, max_iter: int
) -> RotationMinimum:
    """Gradient projection for oblimin over axes of unit length.

    With factor axes U (unit columns, phi = U'U) the pattern is L = A T, T = U^-T, and
    df/dU = -(L' df/dL U^-1)'. Steps have Barzilai and Borwein's length, halved until f falls.
    """
    scale = (1 - gamma) * _squared_communalities(A) / len(A)  # no criterion is larger by much
    rounding = 16 * len(axes) * EPS * scale
    at = _oblimin_at(A, gamma, axes)
    step = 1.0 / scale
    for _ in range(max_iter):
        slope = float(np.linalg.norm(at.gradient))
        if slope <= tol * scale:
            break
        step = min(step, 1.0 / slope)  # axes have length 1: longer steps only go round
        trial = _oblimin_at(A, gamma, _unit_columns(at.axes - step * at.gradient))
        # near the minimum f is flat to rounding, while the slope still shows the way
        enough = at.criterion + rounding
        while trial.criterion > enough - 1e-4 * step * slope**2 and step * slope > EPS:
            step /= 2
            trial = _oblimin_at(A, gamma, _unit_columns(at.axes - step * at.gradient))
        moved, turned = trial.axes - at.axes, trial.gradient - at.gradient
        curvature = np.vdot(moved, turned)
        step = float(np.vdot(moved, moved) / curvature) if curvature > 0 else 2 * step
        at = trial
    return RotationMinimum(at.rotation, at.criterion, float(np.linalg.norm(at.gradient)) / scale)


class _ObliquePoint(NamedTuple):
    axes: np.ndarray  # (k, k)  U, unit columns
    rotation: np.ndarray  # (k, k)  T = U^-T
    criterion: float
    gradient: np.ndarray  # (k, k)  df/dU, without its part along the axes


def _oblimin_at(A: np.ndarray, gamma: float, axes: np.ndarray) -> _ObliquePoint:
    """Criterion and projected gradient for these axes."""
    T = np.linalg.inv(axes).T
    L = A @ T
    slope_L = 2 / len(A) * L * _others(L**2, gamma)
    gradient = -T @ slope_L.T @ L
    gradient -= axes * (axes * gradient).sum(axis=0)
    return _ObliquePoint(axes, T, oblimin_criterion(L, gamma), gradient)


def raise_contrast(L: np.ndarray, power: float) -> np.ndarray:
    """Promax: the oblique rotation of L towards its own entries raised to `power`."""
    target = np.sign(L) * np.abs(L) ** power
    T = np.linalg.lstsq(L, target)[0]
    # scale the columns of T to unit variances of the factors, the diagonal of phi = (T'T)^-1
    inverse = np.linalg.inv(T)
    return T * np.linalg.norm(inverse, axis=1)


def _factor_correlations(T: np.ndarray) -> np.ndarray:
    """phi = (T'T)^-1, with a diagonal of exactly 1."""
    axes = _unit_columns(np.linalg.inv(T).T)
    phi = axes.T @ axes
    np.fill_diagonal(phi, 1.0)
    return phi


# ---- exact forms ---------------------------------------------------------------------------------


def order(W: np.ndarray) -> np.ndarray:
    """The rotation to the principal axes: W T has orthogonal columns."""
    return np.linalg.svd(W)[2].T


def triangulate(W: np.ndarray) -> np.ndarray:
    """The rotation that makes the first rows of W lower triangular, with positive diagonal."""
    k = W.shape[1]
    Q, R = np.linalg.qr(W[:k].T, mode="complete")  # W[:k] Q = R'
    sign = np.ones(k)
    diagonal = np.diag(R)
    sign[: len(diagonal)] = np.where(diagonal < 0, -1.0, 1.0)
    return Q * sign


# ---- small things --------------------------------------------------------------------------------


def _unit_columns(U: np.ndarray) -> np.ndarray:
    return U / np.linalg.norm(U, axis=0)


def _squared_communalities(A: np.ndarray) -> float:
    """The sum of squared communalities: the size of the criterion, whatever the rotation."""
    return float(((A**2).sum(axis=1) ** 2).sum())


def _starts(k: int, n_starts: int, random_state: Any) -> list[np.ndarray]:
    random = random_generator(random_state)
    others = (np.linalg.qr(random.standard_normal((k, k)))[0] for _ in range(n_starts - 1))
    return [np.eye(k), *others]


def _best(minima: Iterable[RotationMinimum]) -> RotationMinimum:
    """The smallest of the minima, the first of equals."""
    return min(minima, key=lambda minimum: minimum.criterion)


def _check_rank(loadings: np.ndarray, method: str) -> None:
    """Raise where factors are not independent: their correlations would be arbitrary."""
    k = loadings.shape[1]
    rank = np.linalg.matrix_rank(loadings)
    if rank < k:
        raise ValueError(
            f"loadings have {k} columns but rank {rank}; {method!r} needs independent columns. "
            f"Fit {rank} factors, or choose an orthogonal method."
        )
