"""`non_negative_factorization`: both factors as arrays, as in scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

from lowdim.core.threads import single_threaded_blas
from lowdim.linear.nmf.estimator import NMF


@single_threaded_blas()
def non_negative_factorization(
    X: Any,
    W: Any = None,
    H: Any = None,
    n_components: Any = "auto",
    *,
    init: Any = None,
    update_H: bool = True,
    solver: str = "cd",
    beta_loss: Any = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: Any = "same",
    l1_ratio: float = 0.0,
    random_state: Any = None,
    verbose: int = 0,
    shuffle: bool = False,
) -> tuple[Any, Any, int]:
    """X as a product of two matrices without negative numbers, W H.

    What :class:`lowdim.NMF` does, as a function: see there for the objective and the arguments.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        0 or more.
    W, H : arrays of shapes (n, k) and (k, d), default=None
        Where to start, with init='custom'; with update_H=False, H is what stays.
    n_components : int, 'auto' or None, default='auto'
        k; 'auto': as many as H has rows, or X columns.
    init, solver, beta_loss, tol, max_iter, alpha_W, alpha_H, l1_ratio, random_state
        As in `NMF`, and so are verbose and shuffle.
    update_H : bool, default=True
        False: only W is found, the one minimiser for this H.

    Returns
    -------
    W : array of shape (n, k)
    H : array of shape (k, d)
    n_iter : int
        Iterations; 1 with update_H=False.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import non_negative_factorization
    >>> X = np.array([[1.0, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> W, H, n_iter = non_negative_factorization(X, n_components=2, random_state=0)
    >>> bool(np.abs(W @ H - X).max() < 0.05)
    True
    """
    model = NMF(
        n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        verbose=verbose,
        shuffle=shuffle,
    )
    if not update_H:
        if W is not None:
            warnings.warn(
                "When update_H=False, the provided initial W is not used.",
                RuntimeWarning,
                stacklevel=2,
            )
        return model.codes_for(X, H), model.components_, 1
    if init != "custom" and (W is not None or H is not None):
        warnings.warn(
            "When init!='custom', provided W or H are ignored. Set init='custom' to use them as "
            "the start.",
            RuntimeWarning,
            stacklevel=2,
        )
        W = H = None
    return model.fit_transform(X, W=W, H=H), model.components_, model.n_iter_
