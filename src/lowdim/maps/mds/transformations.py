"""What distances should be: f(dissimilarity), learned along with the map.

    interval   f(x) = a + b x,  b >= 0, f >= 0
    spline     f a monotone quadratic spline, f >= 0
    ordinal    f any function that does not fall

Given the distances d in the map, f is their weighted least-squares fit within its cone, then scaled
to sum w f^2 = sum w: a free f would make map and disparities shrink together. A projection onto a
cone, then scaled, is also the best f of that size. So

    sigma(Y) = min over f of  sum w (f - d)^2  = sum w - 2 sqrt(sum w) |P d| + |d|^2

has the gradient of the sum at fixed f, the minimiser (the envelope theorem): one search serves all.
(The ratio, f(x) = b x, needs no search of its own: it is the plain map in another unit.)

Interval and spline are non-negative combinations of rising functions (I-splines; Ramsay 1988), here
in powers of x, as a part of the range of dissimilarities, and squares of its excess over the knots.
Their sums over pairs are few numbers. Ordinal: sorted once; ties `secondary` keeps equal
dissimilarities together, `primary` lets them be in the order of their distances, `tertiary` only
orders their means (Kruskal 1964; de Leeuw 1977).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize
import scipy.special

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.maps.mds.guttman import cuts_of
from lowdim.maps.mds.isotonic import isotonic

KNOTS = 2  # within the range of dissimilarities, at their quantiles
GRID = 2048  # pieces by which a learned spline is kept
ORDINAL_KNOTS = 2**14  # at the most, by which a learned step function is kept
TIED = 1e-12  # of the largest dissimilarity: a difference that is rounding
RIDGE = 1e-13  # of the mean square of a basis function: few distinct dissimilarities


class Curve(NamedTuple):
    """A learned f: straight between knots, and straight beyond the ends."""

    knots: np.ndarray  # (m,)
    values: np.ndarray  # (m,)
    slopes: np.ndarray  # (2,)  before the first and beyond the last knot


def disparities_at(curve: Curve, dissimilarity: np.ndarray) -> np.ndarray:
    """f of any dissimilarities; nothing is below 0."""
    knots, values, slopes = curve
    inside = np.interp(dissimilarity, knots, values)
    below = np.minimum(dissimilarity - knots[0], 0.0) * slopes[0]
    above = np.maximum(dissimilarity - knots[-1], 0.0) * slopes[1]
    return np.maximum(inside + below + above, 0.0)


def transformation_of(
    name: str, ties: str, dissimilarity: np.ndarray, weight: np.ndarray, k: int = 2
) -> Smooth | Ordinal:
    """The transformation of these pairs, before it has seen a map, which will have k dimensions.

    `weight` has an entry for each pair, or one for all. For "ordinal" pairs have to be sorted.
    """
    if name == "ordinal":
        return Ordinal(dissimilarity, weight, ties, k)
    return Smooth(dissimilarity, weight, KNOTS if name == "spline" else None)


def sized(disparity: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Disparities scaled to sum w f^2 = sum w; where all are 0, all 1."""
    size = np.vdot(disparity, disparity * weight)
    total = weight.sum() * (len(disparity) if len(weight) == 1 else 1)
    if size == 0.0:
        return np.ones_like(disparity)
    return disparity * np.sqrt(total / size)


# ---- interval and spline -------------------------------------------------------------------------


class Smooth:
    """f as a non-negative combination of a constant and rising quadratic splines.

    n_knots=None means a straight line.
    """

    def __init__(self, dissimilarity: np.ndarray, weight: np.ndarray, n_knots: int | None):
        low, high = float(dissimilarity.min()), float(dissimilarity.max())
        self._low, self._range = low, (high - low) or 1.0
        self._x, self._weight = (dissimilarity - low) / self._range, weight
        if n_knots is None:
            self._knots, self._basis = np.empty(0), np.eye(2, 3)
        else:
            parts = np.quantile(self._x, np.arange(1, n_knots + 1) / (n_knots + 1))
            self._knots = np.unique(parts[(parts > 0.0) & (parts < 1.0)])
            self._basis = rising_splines(self._knots)

    def first(self) -> np.ndarray:
        """f of the pairs that the search begins with: in proportion to the dissimilarities."""
        return sized(self._low + self._range * self._x, self._weight)

    def fitted(self, distance: np.ndarray) -> np.ndarray:
        """f of the pairs, for their distances in the map."""
        return sized(self._values(self._coefficients(distance)), self._weight)

    def curve(self, distance: np.ndarray) -> Curve:
        """f for any dissimilarity."""
        raw = self._coefficients(distance)
        values = self._values(raw)
        scale = _scale_of(values, sized(values, self._weight))
        x = np.linspace(0.0, 1.0, GRID + 1) if len(self._knots) else np.array([0.0, 1.0])
        f = powers(x, self._knots) @ raw * scale
        ends = np.diff(f)[[0, -1]] / np.diff(x)[[0, -1]]
        if not np.any(f):
            f = np.ones_like(f)
        return Curve(self._low + self._range * x, f, ends / self._range)

    def _coefficients(self, distance: np.ndarray) -> np.ndarray:
        """Of the powers, for the best non-negative combination of basis functions."""
        moments = _moments(self._x, distance, self._weight, self._knots)
        A, b = self._gram, self._basis @ moments
        U = np.linalg.cholesky(A + RIDGE * np.trace(A) * np.eye(len(A))).T
        best, _ = scipy.optimize.nnls(U, np.linalg.solve(U.T, b))
        return best @ self._basis

    def _values(self, coefficients: np.ndarray) -> np.ndarray:
        values = np.empty_like(self._x)

        def work(cut: slice) -> None:
            add_powers(self._x[cut], self._knots, coefficients, values[cut])

        for _ in ordered_map(work, cuts_of(len(values))):
            pass
        return np.maximum(values, 0.0, out=values)

    @cached_property
    def _gram(self) -> np.ndarray:
        m = len(self._basis[0])
        products = np.empty((m, m))
        for r, unit in enumerate(np.eye(m)):
            products[r] = _moments(self._x, self._values(unit), self._weight, self._knots)
        return self._basis @ products @ self._basis.T


def rising_splines(knots: np.ndarray) -> np.ndarray:
    """The constant and the I-splines of degree 2 on [0, 1], in `powers`.

    Their derivatives are hats, 1 at one of 0, the knots and 1 and straight to 0 at its neighbours:
    non-negative combinations are all splines that do not fall.
    """
    places = np.array([0.0, *knots, 1.0])
    hats = np.eye(len(places))
    slopes = np.diff(hats, axis=1) / np.diff(places)  # (m, m - 1)  of each hat, piece by piece
    turns = np.diff(slopes, axis=1)  # (m, knots)
    rising = np.column_stack([np.zeros(len(hats)), hats[:, 0], slopes[:, 0] / 2, turns / 2])
    area = rising @ powers(np.ones(1), knots)[0]
    constant = np.eye(1, rising.shape[1])
    return np.vstack([constant, rising / area[:, None]])


def powers(x: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """1, x, x^2 and max(0, x - t)^2 for each knot t, (p, 3 + knots)."""
    excess = np.maximum(x[:, None] - knots, 0.0)
    return np.column_stack([np.ones_like(x), x, x * x, excess * excess])


def _moments(
    x: np.ndarray, distance: np.ndarray, weight: np.ndarray, knots: np.ndarray
) -> np.ndarray:
    """Sums of w d over pairs, times each of the powers."""

    def work(cut: slice) -> np.ndarray:
        sums = np.zeros(3 + len(knots))
        own = weight if len(weight) == 1 else weight[cut]
        sum_powers(x[cut], distance[cut], own, knots, sums)
        return sums

    return sum(ordered_map(work, cuts_of(len(x))), np.zeros(3 + len(knots)))


def _scale_of(before: np.ndarray, after: np.ndarray) -> float:
    largest = int(np.argmax(before))
    return float(after[largest] / before[largest]) if before[largest] > 0 else 1.0


# ---- ordinal -------------------------------------------------------------------------------------


class Ordinal:
    """f that only has to keep the order of dissimilarities, which are sorted."""

    def __init__(self, dissimilarity: np.ndarray, weight: np.ndarray, ties: str, k: int):
        self._dissimilarity, self._weight, self._k = dissimilarity, weight, k
        least = TIED * float(dissimilarity[-1])
        self._starts = np.flatnonzero(np.diff(dissimilarity, prepend=-np.inf) > least)
        self._has_ties = len(self._starts) < len(dissimilarity)
        self._ties = ties

    def first(self) -> np.ndarray:
        """Distances within a normal cloud in k dimensions, in the order of the dissimilarities.

        Nothing but the order says where the search goes. Quantiles of the chi distribution by
        Wilson and Hilferty (1931).
        """
        rank = (self._starts + (self._counts - 1) / 2 + 0.5) / len(self._dissimilarity)
        part = 2.0 / (9.0 * self._k)
        cube_root = np.maximum(1.0 - part + np.sqrt(part) * scipy.special.ndtri(rank), 0.0)
        return sized(np.repeat(cube_root**1.5, self._counts), self._weight)

    def fitted(self, distance: np.ndarray) -> np.ndarray:
        return sized(self._fit(distance), self._weight)

    def curve(self, distance: np.ndarray) -> Curve:
        values = np.maximum(self.fitted(distance), 0.0)
        x = self._dissimilarity[self._starts]
        means = self._means(values)
        return Curve(*_thinned(x, np.maximum.accumulate(means)), np.zeros(2))

    def _fit(self, distance: np.ndarray) -> np.ndarray:
        if not self._has_ties:
            return isotonic(distance, self._weight)
        if self._ties == "primary":
            order = np.lexsort((distance, self._group))
            weight = self._weight if len(self._weight) == 1 else self._weight[order]
            fit = np.empty_like(distance)
            fit[order] = isotonic(distance[order], weight)
            return fit
        means = self._means(distance)
        best = isotonic(means, self._masses)
        if self._ties == "secondary":
            return np.repeat(best, self._counts)
        return distance + np.repeat(best - means, self._counts)

    def _means(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values * self._weight, self._starts) / self._masses

    @cached_property
    def _counts(self) -> np.ndarray:
        return np.diff(self._starts, append=len(self._dissimilarity))

    @cached_property
    def _masses(self) -> Any:
        if len(self._weight) == 1:
            return self._counts * self._weight[0]
        return np.add.reduceat(self._weight, self._starts)

    @cached_property
    def _group(self) -> np.ndarray:
        return np.repeat(np.arange(len(self._starts), dtype=np.int32), self._counts)


def _thinned(x: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of each step; of more than can be kept, some at even ranks."""
    inner = (np.diff(values, prepend=-np.inf) != 0) | (np.diff(values, append=np.inf) != 0)
    kept = np.flatnonzero(inner)
    if len(kept) > ORDINAL_KNOTS:
        kept = kept[np.linspace(0, len(kept) - 1, ORDINAL_KNOTS).astype(np.intp)]
    return x[kept], values[kept]


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def sum_powers(x, distance, weight, knots, sums):
    """Add w d times 1, x, x^2 and max(0, x - t)^2 for each knot t."""
    one = weight.shape[0] == 1
    m = knots.shape[0]
    for p in range(x.shape[0]):
        part = distance[p] * (weight[0] if one else weight[p])
        sums[0] += part
        sums[1] += part * x[p]
        sums[2] += part * x[p] * x[p]
        for t in range(m):
            excess = x[p] - knots[t]
            if excess > 0.0:
                sums[3 + t] += part * excess * excess


@kernel(any_order=True)
def add_powers(x, knots, coefficients, values):
    """Fill the values of the function with these coefficients of the powers."""
    m = knots.shape[0]
    for p in range(x.shape[0]):
        total = coefficients[0] + x[p] * (coefficients[1] + x[p] * coefficients[2])
        for t in range(m):
            excess = x[p] - knots[t]
            if excess > 0.0:
                total += coefficients[3 + t] * excess * excess
        values[p] = total
