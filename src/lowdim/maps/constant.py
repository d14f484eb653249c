"""The additive constant: the least c for which D + c (off the diagonal) are distances of places.

    B_c = B_2 + 2 c B_1 + c^2 / 2 J,     B_2 = -1/2 J D^2 J,     B_1 = -1/2 J D J

has no negative eigenvalue for c >= c*, where c* is the largest real eigenvalue (Cailliez 1983) of

    | 0    2 B_2 |
    | -I  -4 B_1 |

Cost: O(n^3) up to `ALL` rows; above, ARPACK, O(n^2) per product.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.checks import power_of_two
from lowdim.linalg.products import dense_times
from lowdim.maps.coordinates import centre_twice, squared

ALL = 200  # rows, up to which all eigenvalues are found
DIRECTIONS = 40  # that ARPACK works with
TOL = 1e-12
ROUNDING = 1e-6  # of the largest dissimilarity: a constant that rounding makes of none

# ARPACK draws directions where it runs out of them; SciPy before 1.17 always the same ones
_SEEDED: dict[str, Any] = {"rng": 0} if "rng" in signature(eigs).parameters else {}


@single_threaded_blas()
def additive_constant(D: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Cailliez' constant of dissimilarities (n, n); 0 if they are Euclidean distances already.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        float64, symmetric.
    weight : ndarray of shape (n,), default=None
        How often each row counts: copies of a row are c apart then, as other rows with equal
        dissimilarities are.
    """
    if weight is not None:  # rows that do not count have no say
        D, weight = D[np.ix_(weight > 0, weight > 0)], weight[weight > 0]
    n, unit = len(D), power_of_two(float(D.max(initial=0.0)))
    B2, B1 = squared(D / unit), D / unit
    for B in (B2, B1):
        centre_twice(B, weight)
        if weight is not None:
            root = np.sqrt(weight)
            B *= root[:, None]
            B *= root
    B2 *= 2.0
    B1 *= -4.0
    largest = _by_all(B2, B1) if n <= ALL else _by_products(B2, B1)
    return largest * unit if largest > ROUNDING else 0.0


def _by_all(upper: np.ndarray, lower: np.ndarray) -> float:
    zero, one = np.zeros_like(upper), np.eye(len(upper))
    values = scipy.linalg.eigvals(np.block([[zero, upper], [-one, lower]]), check_finite=False)
    return float(values.real.max())


def _by_products(upper: np.ndarray, lower: np.ndarray) -> float:
    n = len(upper)

    def apply(v: np.ndarray) -> np.ndarray:
        first, second = v[:n], np.ascontiguousarray(v[n:])[:, None]
        below = dense_times(lower, second)[:, 0] - first.ravel()
        return np.concatenate([dense_times(upper, second)[:, 0], below])

    start = np.random.default_rng(0).standard_normal(2 * n)
    operator = LinearOperator((2 * n, 2 * n), matvec=apply, dtype=np.float64)
    try:
        values = eigs(
            operator,
            1,
            which="LR",
            v0=start,
            ncv=DIRECTIONS,
            tol=TOL,
            return_eigenvectors=False,
            **_SEEDED,
        )
    except ArpackError:  # it did not settle
        return _by_all(upper, lower)
    return float(values.real.max())
