"""Shrinkage: the proximal operators of the l1 norm and of the nuclear norm.

    soft_threshold(x, t) = argmin_b  1/2 ||x - b||_2^2 + t ||b||_1    = sign(x) max(|x| - t, 0)
    shrink(A, t)         = argmin_B  1/2 ||A - B||_F^2 + t ||B||_*    = U diag(max(s - t, 0)) V'

Only singular values above t survive. If they are few, only they are computed: block Krylov asks for
more of them until one is below t.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_number
from lowdim.linalg.checks import as_operand
from lowdim.linalg.norms import frobenius
from lowdim.linalg.svd import SMALL, SVD, svd

# Up to this part of all singular values, finding the largest is cheaper than LAPACK's whole SVD
FEW = 0.15


@single_threaded_blas()
def soft_threshold(x: Any, t: Any) -> np.ndarray:
    """sign(x) max(|x| - t, 0): every entry moves towards zero by t, and stops there.

    Parameters
    ----------
    x : array
    t : float or array that broadcasts against x
        At least 0.

    Examples
    --------
    >>> from lowdim.linalg import soft_threshold
    >>> soft_threshold([-3.0, 0.5, 2.0], 1.0)
    array([-2.,  0.,  1.])
    """
    x = np.asarray(x)
    if x.dtype not in (np.float32, np.float64):
        x = x.astype(np.float64)
    threshold = np.asarray(t, dtype=x.dtype)
    if not (threshold >= 0).all():
        raise ValueError(f"t={t!r} has negative or NaN entries; thresholds are 0 or more.")
    # x minus its part within [-t, t]: exact zeros inside, and NaN stay NaN
    return x - np.clip(x, -threshold, threshold)


@single_threaded_blas()
def shrink(A: Any, t: float, *, rank: int | None = None, random: Any = 0) -> np.ndarray:
    """The singular value thresholding of A: all singular values move towards zero by t.

    Parameters are those of `shrink_svd`, which returns the factors of the same matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg import shrink
    >>> shrink(np.diag([5.0, 2.0, 0.5]), 1.0)
    array([[4., 0., 0.],
           [0., 1., 0.],
           [0., 0., 0.]])
    """
    return shrink_svd(A, t, rank=rank, random=random).matrix()


@single_threaded_blas()
def shrink_svd(A: Any, t: float, *, rank: int | None = None, random: Any = 0) -> SVD:
    """The factors U, max(s - t, 0), Vt of `shrink(A, t)`, without those that vanish.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator of shape (n, d)
    t : float
        At least 0. Larger: lower rank.
    rank : int or None
        About how many singular values are above t, if known (in an iteration, those of the last
        step): the search begins there. A good guess saves time, a bad one costs some; the result
        does not depend on it.
    random : int, Generator, RandomState or None
        For block Krylov.
    """
    A = as_operand("A", A)
    t = check_number("t", t, low=0.0)
    k = 10 if rank is None else check_at_least("rank", rank, 0) + 1  # one more, to see it vanish
    random, most = random_generator(random), _most_survivors(A, t)
    if most == 0:
        return _nothing(A)
    while (k := min(k, most)) <= _few(A):
        found = svd(A, k, "krylov", random=random)
        if found.s[-1] <= t or k == most:
            return _surviving(found, t)
        k *= 2
    return _surviving(svd(A), t)


def _surviving(found: SVD, t: float) -> SVD:
    above = found.s > t
    return SVD(found.U[:, above], found.s[above] - found.s.dtype.type(t), found.Vt[above])


def _most_survivors(A: Any, t: float) -> int:
    """At most how many singular values exceed t, since the sum of their squares is ||A||_F^2."""
    smaller = min(A.shape)
    if t == 0.0 or isinstance(A, LinearOperator):
        return smaller
    ratio = frobenius(A) / t
    return int(min(1.001 * ratio * ratio, smaller))  # a little more, for rounding


def _few(A: Any) -> float:
    """Up to how many singular values are better found by block Krylov than by LAPACK."""
    smaller = min(A.shape)
    if sp.issparse(A) or isinstance(A, LinearOperator):
        return smaller  # LAPACK would need it dense
    return FEW * smaller if smaller > SMALL else 0


def _nothing(A: Any) -> SVD:
    dtype = A.dtype
    n, d = A.shape
    return SVD(np.zeros((n, 0), dtype), np.zeros(0, dtype), np.zeros((0, d), dtype))
