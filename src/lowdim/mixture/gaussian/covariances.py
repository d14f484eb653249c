"""The forms a component's covariance may take: full, tied, diagonal, spherical or unit.

All of them look at rows in the same way, in units in which columns are about 1 in size:

    squares      |A_j (y - mean_j)|^2,    A_j' A_j = C_j^-1               of every row
    scatter      sum r (y - mean_j),  sum r (y - mean_j)(y - mean_j)'     about the present means
    update       C_j = scatter / sum r - shift shift'                     about the next ones

and differ in what of C_j is kept. Full and tied covariances are matrices; diagonal ones are rows
of variances, spherical and unit ones too, with equal entries. `missing.py` has the same steps for
rows with missing values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dtrtri

# Rows that add nothing beyond rounding to a component are left out of its sums
NEGLIGIBLE = 1e-16

# Squares may be expanded, y^2 - 2 y m + m^2, while no mean is further than this from the middle, in
# squared standard deviations: it costs 4 of 16 digits, and products of matrices are fast
EXPANDABLE = 1e4

# Beside the sums, a slice of rows takes about so many numbers: a part of the second-level cache
SLICE_NUMBERS = 2**16

# A covariance is at least this part of the columns' variance: without any floor, a component on a
# plane would have no density
LEAST_VARIANCE = 1e-13


class Gaussians(NamedTuple):
    """K Gaussians and their weights, ready to look at rows."""

    kind: str
    log_weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    covariances: np.ndarray  # (K, d, d), tied (d, d), else (K, d)
    whiten: np.ndarray  # (K, d, d) lower triangular A_j, tied (d, d), else (K, d)
    log_det: np.ndarray  # (K,)  of the covariances
    center: np.ndarray  # (d,)  y = (x - center) / scale
    scale: np.ndarray  # (d,)  powers of two

    def measured(self, X: np.ndarray) -> np.ndarray:
        """The rows in the units of the means."""
        Y = np.subtract(X, self.center, dtype=np.float64)
        Y /= self.scale
        return Y


class Full:
    """Each component has its own covariance matrix."""

    def shape(self, k: int, d: int) -> tuple[int, ...]:
        """Of `covariances_`."""
        return (k, d, d)

    def n_parameters(self, k: int, d: int) -> int:
        """Free numbers in the covariances."""
        return k * d * (d + 1) // 2

    def whitening(self, covariances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """A = L^-1 for C = L L', and log |C| of every component."""
        L = np.linalg.cholesky(covariances)
        return _inverse_lower(L), np.broadcast_to(_log_det(L), k)

    def squares(self, Y: np.ndarray, model: Gaussians) -> np.ndarray:
        """|A_j (y - mean_j)|^2 of every component and row, (K, b)."""
        k, d = model.means.shape
        A = model.whiten.reshape(k * d, d)
        offset = (model.whiten @ model.means[:, :, None]).reshape(k * d, 1)
        squares = np.empty((k, len(Y)))
        for rows in slices(len(Y), k * d):
            Z = A @ Y[rows].T  # (K d, b)
            Z -= offset
            Z = Z.reshape(k, d, -1)
            np.einsum("jfb,jfb->jb", Z, Z, out=squares[:, rows])
        return squares

    def scatter(
        self, Y: np.ndarray, resp: np.ndarray, means: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """sum r (y - mean), (K, d), and sum r (y - mean)(y - mean)', (K, d, d)."""
        k, d = means.shape
        sum_x, sum_xx = np.empty((k, d)), np.empty((k, d, d))
        for j in range(k):
            own = np.flatnonzero(resp[j] > NEGLIGIBLE)
            root = np.sqrt(resp[j, own])
            D = Y.take(own, axis=0)
            D -= means[j]
            D *= root[:, None]
            sum_x[j] = root @ D
            np.matmul(D.T, D, out=sum_xx[j])
        return sum_x, sum_xx

    def spread(self, count: np.ndarray, shift: np.ndarray, sum_xx: np.ndarray) -> np.ndarray:
        """Covariances about means that move by `shift`."""
        return sum_xx / count[:, None, None] - shift[:, :, None] * shift[:, None, :]

    def floored(self, spread: np.ndarray, floor: np.ndarray, old: np.ndarray) -> np.ndarray:
        """What becomes of the covariances: `floor` is added to their diagonals."""
        return spread + np.diag(floor)

    def variances(self, spread: np.ndarray) -> np.ndarray:
        """Of each component and column, (K, d) or (1, d)."""
        return np.diagonal(spread, axis1=-2, axis2=-1).reshape(-1, spread.shape[-1])

    def chosen(self, new: np.ndarray, old: np.ndarray, update: np.ndarray) -> np.ndarray:
        """The new covariances of the components in `update`, the old ones of the others."""
        return np.where(update.reshape(-1, *[1] * (new.ndim - 1)), new, old)

    def halved(
        self, covariances: np.ndarray, offset: np.ndarray, weight: float, source: int, target: int
    ) -> np.ndarray:
        """Two components at +- offset in place of one of this weight: less is left to each."""
        covariances = covariances.copy()
        covariances[[source, target]] = covariances[source] - self._outer(offset)
        return covariances

    def _outer(self, offset: np.ndarray) -> np.ndarray:
        return np.outer(offset, offset)

    def longest_axis(self, spread: np.ndarray, j: int) -> np.ndarray:
        """One standard deviation along component j's longest axis, (d,)."""
        values, axes = np.linalg.eigh(spread[j])
        axis = axes[:, -1] * np.sqrt(max(values[-1], 0.0))
        return axis * np.sign(axis[np.argmax(np.abs(axis))] or 1.0)

    def rows(self, covariances: np.ndarray, Z: np.ndarray, j: int) -> np.ndarray:
        """Standard normal rows Z as deviations of component j."""
        return Z @ np.linalg.cholesky(covariances[j]).T

    def projected(self, covariances: np.ndarray, axes: np.ndarray, k: int) -> np.ndarray:
        """Covariances of y . axes, (K, m, m), for axes (d, m)."""
        inner = axes.T @ covariances @ axes
        return np.broadcast_to(inner, (k, *inner.shape[-2:]))

    # ---- in the user's units ---------------------------------------------------------------------

    def to_user(self, covariances: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return covariances * scale[:, None] * scale

    def from_user(self, covariances: np.ndarray, scale: np.ndarray, k: int) -> np.ndarray:
        return covariances / scale[:, None] / scale

    def cholesky_to_user(self, whiten: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """The upper factors U of the precisions U U'."""
        return np.swapaxes(whiten, -1, -2) / scale[:, None]

    def cholesky_from_user(
        self, cholesky: np.ndarray, scale: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """A and log |C|."""
        A = np.swapaxes(cholesky, -1, -2) * scale
        return A, np.broadcast_to(-_log_det(A), k)

    def sizes(self, cholesky: np.ndarray) -> np.ndarray:
        """About one standard deviation of each column given the others, (d,): no squares."""
        return 1.0 / np.abs(cholesky).reshape(-1, *cholesky.shape[-2:]).max(axis=(0, 2))

    def from_whitening(self, whiten: np.ndarray) -> np.ndarray:
        """The covariances of A."""
        L = _inverse_lower(whiten)
        return L @ np.swapaxes(L, -1, -2)

    def precisions(self, cholesky: np.ndarray) -> np.ndarray:
        return cholesky @ np.swapaxes(cholesky, -1, -2)

    def from_precisions(self, precisions: np.ndarray) -> np.ndarray:
        """Covariances; a ValueError says what is wrong with precisions that have none."""
        if not np.allclose(precisions, np.swapaxes(precisions, -1, -2)):
            raise ValueError("not symmetric")
        try:
            A = _inverse_lower(np.linalg.cholesky(precisions))
        except np.linalg.LinAlgError:
            raise ValueError("not positive definite") from None
        return np.swapaxes(A, -1, -2) @ A


class Tied(Full):
    """All components have one covariance matrix."""

    def shape(self, k: int, d: int) -> tuple[int, ...]:
        return (d, d)

    def n_parameters(self, k: int, d: int) -> int:
        return d * (d + 1) // 2

    def squares(self, Y: np.ndarray, model: Gaussians) -> np.ndarray:
        A = model.whiten
        return scaled_squares(Y @ A.T, model.means @ A.T, np.ones_like(model.means))

    def scatter(
        self, Y: np.ndarray, resp: np.ndarray, means: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        # sum_j r_j (y - m_j)(y - m_j)' from sum y y', sum r_j y and sum r_j
        count, sum_y = resp.sum(axis=1), resp @ Y
        cross = means.T @ sum_y
        D = Y * np.sqrt(resp.sum(axis=0))[:, None]
        between = (means * count[:, None]).T @ means
        return sum_y - count[:, None] * means, D.T @ D - cross - cross.T + between

    def spread(self, count: np.ndarray, shift: np.ndarray, sum_xx: np.ndarray) -> np.ndarray:
        return (sum_xx - (shift * count[:, None]).T @ shift) / count.sum()

    def chosen(self, new: np.ndarray, old: np.ndarray, update: np.ndarray) -> np.ndarray:
        return new

    def halved(
        self, covariances: np.ndarray, offset: np.ndarray, weight: float, source: int, target: int
    ) -> np.ndarray:
        return covariances - weight * self._outer(offset)

    def longest_axis(self, spread: np.ndarray, j: int) -> np.ndarray:
        return super().longest_axis(spread[None], 0)

    def rows(self, covariances: np.ndarray, Z: np.ndarray, j: int) -> np.ndarray:
        return super().rows(covariances[None], Z, 0)


class Diagonal(Full):
    """Each component has its own variance in every column, and no correlations."""

    def shape(self, k: int, d: int) -> tuple[int, ...]:
        return (k, d)

    def n_parameters(self, k: int, d: int) -> int:
        return k * d

    def whitening(self, covariances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        return 1.0 / np.sqrt(covariances), np.log(covariances).sum(axis=1)

    def squares(self, Y: np.ndarray, model: Gaussians) -> np.ndarray:
        return scaled_squares(Y, model.means, model.whiten)

    def scatter(
        self, Y: np.ndarray, resp: np.ndarray, means: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        # sum r (y - m)^2 = sum r y^2 - 2 m sum r y + m^2 sum r, where that costs few digits
        count, sum_y = resp.sum(axis=1)[:, None], resp @ Y
        sum_x = sum_y - count * means
        sum_xx = resp @ np.square(Y) - means * (sum_y + sum_x)
        lost = (count * np.square(means) > EXPANDABLE * sum_xx).any(axis=1)
        for j in np.flatnonzero(lost):
            D = Y - means[j]
            sum_x[j] = resp[j] @ D
            sum_xx[j] = resp[j] @ np.square(D)
        return sum_x, sum_xx

    def spread(self, count: np.ndarray, shift: np.ndarray, sum_xx: np.ndarray) -> np.ndarray:
        return np.maximum(sum_xx / count[:, None] - np.square(shift), 0.0)

    def floored(self, spread: np.ndarray, floor: np.ndarray, old: np.ndarray) -> np.ndarray:
        return spread + floor

    def variances(self, spread: np.ndarray) -> np.ndarray:
        return spread

    def longest_axis(self, spread: np.ndarray, j: int) -> np.ndarray:
        axis = np.zeros(spread.shape[1])
        longest = int(np.argmax(spread[j]))
        axis[longest] = np.sqrt(spread[j, longest])
        return axis

    def _outer(self, offset: np.ndarray) -> np.ndarray:
        return np.square(offset)

    def rows(self, covariances: np.ndarray, Z: np.ndarray, j: int) -> np.ndarray:
        return Z * np.sqrt(covariances[j])

    def projected(self, covariances: np.ndarray, axes: np.ndarray, k: int) -> np.ndarray:
        return axes.T @ (covariances[:, :, None] * axes)

    def to_user(self, covariances: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return covariances * np.square(scale)

    def from_user(self, covariances: np.ndarray, scale: np.ndarray, k: int) -> np.ndarray:
        return covariances / np.square(scale)

    def cholesky_to_user(self, whiten: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return whiten / scale

    def cholesky_from_user(
        self, cholesky: np.ndarray, scale: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        A = cholesky * scale
        return A, -2.0 * np.log(A).sum(axis=1)

    def sizes(self, cholesky: np.ndarray) -> np.ndarray:
        return 1.0 / cholesky.max(axis=0)

    def from_whitening(self, whiten: np.ndarray) -> np.ndarray:
        return 1.0 / np.square(whiten)

    def precisions(self, cholesky: np.ndarray) -> np.ndarray:
        return np.square(cholesky)

    def from_precisions(self, precisions: np.ndarray) -> np.ndarray:
        if not (precisions > 0).all():
            raise ValueError("not positive")
        return 1.0 / precisions


class Spherical(Diagonal):
    """Each component has one variance, the same in all columns."""

    def shape(self, k: int, d: int) -> tuple[int, ...]:
        return (k,)

    def n_parameters(self, k: int, d: int) -> int:
        return k

    def floored(self, spread: np.ndarray, floor: np.ndarray, old: np.ndarray) -> np.ndarray:
        mean = spread.mean(axis=1, keepdims=True) + floor.mean()
        return np.broadcast_to(mean, spread.shape).copy()

    def _outer(self, offset: np.ndarray) -> np.ndarray:
        return np.full(len(offset), np.square(offset).mean())

    def to_user(self, covariances: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return super().to_user(covariances, scale)[:, 0]

    def from_user(self, covariances: np.ndarray, scale: np.ndarray, k: int) -> np.ndarray:
        return super().from_user(covariances[:, None], scale, k)

    def cholesky_to_user(self, whiten: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return super().cholesky_to_user(whiten, scale)[:, 0]

    def cholesky_from_user(
        self, cholesky: np.ndarray, scale: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        return super().cholesky_from_user(cholesky[:, None], scale, k)


class Unit(Spherical):
    """Every component has the identity as its covariance: only the means are learned."""

    def n_parameters(self, k: int, d: int) -> int:
        return 0

    def floored(self, spread: np.ndarray, floor: np.ndarray, old: np.ndarray) -> np.ndarray:
        return old

    def _outer(self, offset: np.ndarray) -> np.ndarray:
        return np.zeros(len(offset))


KINDS: dict[str, Any] = {
    "full": Full(),
    "tied": Tied(),
    "diag": Diagonal(),
    "spherical": Spherical(),
    "unit": Unit(),
}


def scaled_squares(Y: np.ndarray, means: np.ndarray, whiten: np.ndarray) -> np.ndarray:
    """sum_f a_jf^2 (y_f - m_jf)^2 of every component and row, (K, b)."""
    k, d = means.shape
    squares = np.empty((k, len(Y)))
    scaled = means * whiten
    lengths = np.square(scaled).sum(axis=1)
    if lengths.max() <= EXPANDABLE:
        quadratic, linear = np.square(whiten), -2.0 * scaled * whiten
        for rows in slices(len(Y), k + d):
            y = Y[rows].T
            product = np.matmul(quadratic, np.square(y), out=squares[:, rows])
            product += linear @ y
            product += lengths[:, None]
        return np.maximum(squares, 0.0, out=squares)
    for rows in slices(len(Y), 2 * d):
        y = np.ascontiguousarray(Y[rows].T)
        for j in range(k):
            Z = y - means[j, :, None]
            Z *= whiten[j, :, None]
            np.einsum("fb,fb->b", Z, Z, out=squares[j, rows])
    return squares


def slices(n: int, numbers: int) -> list[slice]:
    """Rows at a time, of which each takes so many numbers: all of them stay in the cache."""
    size = max(64, SLICE_NUMBERS // numbers)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _inverse_lower(L: np.ndarray) -> np.ndarray:
    """L^-1 of lower triangular matrices along the last two axes."""
    flat = L.reshape(-1, *L.shape[-2:])
    return np.stack([dtrtri(one, lower=1)[0] for one in flat]).reshape(L.shape)


def _log_det(triangular: np.ndarray) -> np.ndarray:
    """log |T T'| of triangular matrices along the last two axes."""
    return 2.0 * np.log(np.diagonal(triangular, axis1=-2, axis2=-1)).sum(axis=-1)
