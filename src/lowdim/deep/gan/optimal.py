"""The best discriminator of two known densities, and what it loses.

    D(x) = p(x) / (p(x) + q(x))
    E_p log D + E_q log(1 - D) = 2 JS(p, q) - log 4          the largest value over all D

Both expectations are one over m = (p + q) / 2, as p = 2 m D and q = 2 m (1 - D):

    2 E_m [ D log D + (1 - D) log(1 - D) ]

so rows of both kinds, mixed half and half, estimate it without being told apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from lowdim.core.threads import single_threaded_blas


class OptimalDiscriminator(NamedTuple):
    """The best discriminator at rows; see `optimal_discriminator`."""

    probability: np.ndarray  # (n,)  of coming from p
    loss: float  # 2 JS - log 4
    js: float


@single_threaded_blas()
def optimal_discriminator(
    log_p: Callable[[Any], Any], log_q: Callable[[Any], Any], X: Any
) -> OptimalDiscriminator:
    """What no discriminator can do better: tell rows of a density p from those of a density q.

    Parameters
    ----------
    log_p, log_q : callable
        log_p(X) is the logarithm of the density p at each row, of shape (n,); -inf where it is 0.
    X : array of shape (n, d) or (n,)
        Rows, half of them drawn from p and half from q, in any order. The probabilities are right
        for any rows; `loss` and `js` are estimates from these.

    Returns
    -------
    OptimalDiscriminator
        Named tuple of `probability`, p / (p + q) at each row; `loss`, the estimate of
        E_p log D + E_q log(1 - D) = 2 JS - log 4, from -log 4 (p = q) to 0; and `js`, that of the
        Jensen-Shannon divergence, in nats.

    References
    ----------
    Goodfellow et al. (2014), Generative adversarial nets, proposition 1 and theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from lowdim.deep import optimal_discriminator
    >>> p, q = norm(0.0), norm(1.0)
    >>> X = np.concatenate([p.rvs(5000, random_state=0), q.rvs(5000, random_state=1)])
    >>> found = optimal_discriminator(p.logpdf, q.logpdf, X)
    >>> round(found.js, 2)
    0.11
    >>> bool(np.isclose(found.loss, 2 * found.js - np.log(4)))
    True
    """
    n = np.shape(X)[0] if np.ndim(X) else 0
    if n == 0:
        raise ValueError("X has no rows; give rows drawn half from p and half from q.")
    p, q = _logarithms("log_p", log_p, X, n), _logarithms("log_q", log_q, X, n)
    nowhere = np.isneginf(p) & np.isneginf(q)
    if nowhere.any():
        raise ValueError(
            f"log_p and log_q are both -inf at row {int(nowhere.argmax())} of X; a row comes from "
            "one of the two, and has a density there."
        )
    logit = p - q  # +-inf where one of them is 0
    D = expit(logit)
    sure = np.isinf(logit)  # 1 log 1 + 0 log 0 = 0
    at = np.where(sure, 0.0, logit)
    terms = np.where(sure, 0.0, D * log_expit(at) + (1.0 - D) * log_expit(-at))
    loss = 2.0 * float(terms.mean())
    return OptimalDiscriminator(D, loss, 0.5 * (loss + float(np.log(4.0))))


def _logarithms(name: str, log_density: Callable[[Any], Any], X: Any, n: int) -> np.ndarray:
    found = np.asarray(log_density(X), np.float64)
    if found.shape != (n,):
        raise ValueError(
            f"{name}(X) has shape {found.shape}; one number for each of the {n} rows is needed."
        )
    bad = np.isnan(found) | np.isposinf(found)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"{name}(X) is {found[row]} at row {row}; the logarithm of a density is finite, or "
            "-inf where it is 0."
        )
    return found
