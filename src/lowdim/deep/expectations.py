"""Gradients of E f(z), z ~ N(mean, U U'), by draws of z: two estimators and how much they vary.

    reparam      z = mean + U e:   grad_mean = E[g],   grad_U = E[g e'],     g = grad f(z)
    reinforce    by scores:    grad_mean = E[(f - b) U^-T e],   grad_U = E[(f - b) U^-T (e e' - I)]

where b, the baseline of a draw, is the mean of f over the other draws. Both are unbiased; the
gradient in U is that of a general square factor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice
from lowdim.deep.engine import torch_for


class GaussianGradient(NamedTuple):
    """Estimated gradients of E f(z), and the variances of a single draw's share."""

    mean: np.ndarray  # (k,)
    factor: np.ndarray  # (k, k)
    mean_variance: np.ndarray  # (k,)
    factor_variance: np.ndarray  # (k, k)


@single_threaded_blas()
def gaussian_gradient(
    fun: Callable[[Any], Any],
    mean: Any,
    factor: Any,
    *,
    method: str = "reparam",
    n_samples: int = 1000,
    random_state: Any = None,
) -> GaussianGradient:
    """Gradient of E f(z) for z ~ N(mean, U U') in the mean and in the factor U.

    Parameters
    ----------
    fun : callable
        f: from a float64 tensor of shape (n_samples, k), a draw in each row, to one of shape
        (n_samples,).
    mean : array-like of shape (k,)
    factor : array-like of shape (k, k)
        U, which must be invertible.
    method : {"reparam", "reinforce"}, default="reparam"
        Through the draws, which needs the gradient of f; or by scores, which needs f alone and
        varies more.
    n_samples : int, default=1000
        Draws, at least 2.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    mean, factor : ndarray of shapes (k,) and (k, k)
        The estimates.
    mean_variance, factor_variance : ndarray of the same shapes
        Variance of a single draw's share; divided by n_samples, that of the estimates.

    References
    ----------
    Kingma and Welling (2014); Williams (1992); Rezende, Mohamed and Wierstra (2014).

    Examples
    --------
    For f(z) = |z|^2 the gradients are 2 mean and 2 U:

    >>> import lowdim
    >>> found = lowdim.deep.gaussian_gradient(
    ...     lambda z: (z**2).sum(dim=1), [1.0, 0.0], [[1.0, 0.0], [0.5, 1.0]], random_state=0
    ... )
    >>> [round(float(g)) for g in found.mean]
    [2, 0]
    """
    torch = torch_for("gaussian_gradient")
    check_choice("method", method, ("reparam", "reinforce"))
    n = check_at_least("n_samples", n_samples, 2)
    m, U = _checked(mean, factor)
    E = random_generator(random_state).normal(size=(n, len(m)))
    Z = torch.from_numpy(m + E @ U.T).requires_grad_(method == "reparam")
    f = _values(fun, Z, n)
    if method == "reparam":
        g = torch.autograd.grad(f.sum(), Z)[0].numpy()
        by_draw = g, g[:, :, None] * E[:, None, :]
    else:
        value = f.detach().numpy().astype(np.float64)
        advantage = value - (value.sum() - value) / (n - 1)
        score = np.linalg.solve(U.T, E.T).T  # U^-T e
        squares = score[:, :, None] * E[:, None, :] - np.linalg.inv(U).T
        by_draw = advantage[:, None] * score, advantage[:, None, None] * squares
    return GaussianGradient(
        *(part.mean(axis=0) for part in by_draw), *(part.var(axis=0, ddof=1) for part in by_draw)
    )


def _checked(mean: Any, factor: Any) -> tuple[np.ndarray, np.ndarray]:
    m = numeric_array(mean, "mean", "gaussian_gradient").astype(np.float64)
    U = numeric_array(factor, "factor", "gaussian_gradient").astype(np.float64)
    if m.ndim != 1 or U.shape != (len(m), len(m)):
        raise ValueError(
            f"mean has shape {m.shape} and factor {U.shape}; (k,) and (k, k) are needed."
        )
    if not (np.isfinite(m).all() and np.isfinite(U).all()) or np.linalg.matrix_rank(U) < len(m):
        raise ValueError("mean and factor must be finite, and factor invertible.")
    return m, U


def _values(fun: Callable[[Any], Any], Z: Any, n: int) -> Any:
    f = fun(Z)
    if tuple(getattr(f, "shape", ())) != (n,):
        found = tuple(f.shape) if hasattr(f, "shape") else type(f).__name__
        raise ValueError(
            f"fun gave {found} for {n} draws; a tensor of shape ({n},), a number for each row of "
            "its argument, is needed."
        )
    return f
