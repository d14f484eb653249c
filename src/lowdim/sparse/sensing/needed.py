"""How many Gaussian measurements are enough for a sparse code.

Basis pursuit finds half of all codes of K non-zeros among N at about

    M = N min over t >= 0  r (1 + t^2) + (1 - r) E(|g| - t)_+^2,       r = K/N, g normal

measurements, and nearly all or nearly none some sqrt(N) above or below: the statistical dimension
of the cone of directions in which |z|_1 falls. Amelunxen, Lotz, McCoy and Tropp (2014), (4.4).

    E(|g| - t)_+^2 = 2 ((1 + t^2) P(g > t) - t p(t)),      least where  r t = (1 - r) E(|g| - t)_+
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_number


@single_threaded_blas()
def measurements_needed(n_nonzero, size):
    """The number of Gaussian measurements at which basis pursuit finds half of all sparse codes.

    Parameters
    ----------
    n_nonzero : int or float
        Non-zeros K of a code, from 0 to size.
    size : int
        Numbers N of a code: the atoms.

    Returns
    -------
    float
        M; 2 sqrt(N) more are enough for nearly all.

    See Also
    --------
    phase_transition : tries it.

    References
    ----------
    Amelunxen, Lotz, McCoy and Tropp (2014), Living on the edge.

    Examples
    --------
    >>> from lowdim import sparse
    >>> round(sparse.measurements_needed(100, 1000), 1)
    328.8
    """
    size = check_at_least("size", size, 1)
    n_nonzero = check_number("n_nonzero", n_nonzero, 0.0)
    if n_nonzero > size:
        raise ValueError(
            f"n_nonzero={n_nonzero:g} is more than the {size} numbers of a code; choose at most "
            f"{size}."
        )
    return size * needed_share(n_nonzero / size)


def needed_share(r: float) -> float:
    """M/N for K/N = r."""
    if r <= 0.0 or r >= 1.0:
        return max(0.0, min(r, 1.0))
    t = brentq(lambda t: r * t - (1.0 - r) * _beyond(t), 0.0, 40.0, xtol=1e-14)
    squares = 2.0 * ((1.0 + t * t) * ndtr(-t) - t * _density(t))
    return float(r * (1.0 + t * t) + (1.0 - r) * squares)


def found_share(delta: float) -> float:
    """The K/M up to which half of all codes are found, from M/N = delta: the way back."""
    if delta >= 1.0:
        return 1.0
    r = brentq(lambda r: needed_share(r) - delta, 0.0, delta, xtol=1e-15)
    return float(r / delta)


def _beyond(t: float) -> float:
    """E(|g| - t)_+"""
    return float(2.0 * (_density(t) - t * ndtr(-t)))


def _density(t: float) -> float:
    return math.exp(-t * t / 2.0) / math.sqrt(2.0 * np.pi)
