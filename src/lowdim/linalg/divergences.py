"""How far apart two discrete distributions are.

JS(p, q) = 1/2 KL(p || m) + 1/2 KL(q || m),    m = (p + q) / 2,    from 0 to log 2
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import rel_entr

from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.checks import as_dense, as_vector

ROUNDING = 1e-4  # by which probabilities in float32 may miss a sum of 1


@single_threaded_blas()
def js_divergence(p: Any, q: Any) -> Any:
    """Jensen-Shannon divergence of two discrete distributions, in nats.

        1/2 sum_j p_j log(2 p_j / (p_j + q_j)) + 1/2 sum_j q_j log(2 q_j / (p_j + q_j))

    0 where they are equal, log 2 where no outcome has a probability in both; symmetric, and finite
    where KL is not. Its square root is a distance.

    Parameters
    ----------
    p, q : array of shape (k,) or (n, k)
        Probabilities that add up to 1, of one distribution or by row. One distribution is compared
        with every row of the other.

    Returns
    -------
    float, or ndarray of shape (n,)

    Examples
    --------
    >>> from lowdim.linalg import js_divergence
    >>> round(js_divergence([1.0, 0.0], [0.0, 1.0]), 4)  # log 2
    0.6931
    >>> js_divergence([[0.5, 0.5], [1.0, 0.0]], [0.5, 0.5]).round(4)
    array([0.    , 0.2158])
    """
    p, q = _probabilities("p", p), _probabilities("q", q)
    alike = p.shape[-1] == q.shape[-1] and (p.ndim != 2 or q.ndim != 2 or len(p) == len(q))
    if not alike:
        raise ValueError(
            f"p has shape {p.shape} and q has shape {q.shape}; they need the same outcomes in "
            "their last dimension, and as many rows, or one distribution."
        )
    middle = 0.5 * (p + q)
    parts = rel_entr(p, middle) + rel_entr(q, middle)
    found = np.clip(0.5 * parts.sum(axis=-1), 0.0, np.log(2.0))
    return float(found) if found.ndim == 0 else found


def _probabilities(name: str, p: Any) -> np.ndarray:
    """p as a float64 array whose rows add up to 1."""
    found = as_vector(name, p) if np.ndim(p) == 1 else as_dense(name, p)
    found = found.astype(np.float64, copy=False)
    if found.min() < 0.0:
        raise ValueError(f"{name} has the value {found.min():g}; probabilities are 0 or more.")
    total = found.sum(axis=-1, keepdims=True)
    far = np.abs(total - 1.0)
    if far.max() > ROUNDING:
        raise ValueError(
            f"{name} adds up to {total.flat[int(far.argmax())]:g}; probabilities add up to 1. "
            f"Divide {name} by its sum."
        )
    return found / total
