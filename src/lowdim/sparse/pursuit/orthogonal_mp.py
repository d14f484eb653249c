"""`orthogonal_mp` and `orthogonal_mp_gram`: scikit-learn's functions of columns.

    minimise over w     |y - X w|^2     with at most so many non-zeros, or until it is at most tol

Atoms are the columns of X, and targets those of y: in `greedy` both are rows. Without a Gram matrix
the residual itself is followed (`by_products`), which keeps more digits.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_array

from lowdim.core.calling import level_of_caller
from lowdim.core.numeric import numeric_array
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number, numbers_of
from lowdim.sparse.pursuit.by_products import Steps, omp_steps
from lowdim.sparse.pursuit.coding import PREMATURE
from lowdim.sparse.pursuit.dictionaries import gram_pays, without_gram
from lowdim.sparse.pursuit.greedy import pursue

SHARE = 0.1  # of the columns, if nothing is asked for


@single_threaded_blas()
def orthogonal_mp(
    X,
    y,
    *,
    n_nonzero_coefs=None,
    tol=None,
    precompute=False,
    copy_X=True,
    return_path=False,
    return_n_iter=False,
):
    """Orthogonal matching pursuit: few columns of X whose sum is near y.

    Takes scikit-learn's arguments with scikit-learn's meaning.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Columns are atoms, assumed to be of one length.
    y : array of shape (n_samples,) or (n_samples, n_targets)
    n_nonzero_coefs : int, default=None
        How many columns at the most; None: a tenth of them.
    tol : float, default=None
        Stop when |y - X w|^2 is at most this; n_nonzero_coefs has no effect then.
    precompute : bool or 'auto', default=False
        Whether to use X'X, which is faster for many targets; 'auto': where it takes less time.
    copy_X : bool, default=True
        Accepted for compatibility with scikit-learn; ignored: X is never written to.
    return_path : bool, default=False
        Whether to return the coefficients after each step, along the last axis.
    return_n_iter : bool, default=False
        Whether to return the number of columns that are used for each target, too.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with a path one axis more
    n_iters : int, or list of int for several targets; if return_n_iter

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> X = np.eye(4)
    >>> lowdim.orthogonal_mp(X, np.array([1.0, 5.0, 2.0, 3.0]), n_nonzero_coefs=2)
    array([0., 5., 0., 3.])
    """
    X = numbers_of(X, "X", "orthogonal_mp")
    X = check_array(X, dtype=[np.float64, np.float32], input_name="X")
    y = _targets(y, X.dtype)
    if len(y) != len(X):
        raise ValueError(f"y has {len(y)} rows, X has {len(X)}; one number for each is needed.")
    n_nonzero, tol = _limits(n_nonzero_coefs, tol, X.shape[1])
    check_choice("precompute", precompute, ["auto", True, False])
    if precompute == "auto":
        precompute = gram_pays(y.shape[1], n_nonzero, X.shape[1])
    if precompute:
        squares = (y**2).sum(axis=0)
        found = _from_gram(X.T @ X, X.T @ y, squares, n_nonzero, tol, return_path)
    else:
        found = _from_columns(X, y, n_nonzero, tol, return_path)
    return _returned(*found, return_n_iter)


@single_threaded_blas()
def orthogonal_mp_gram(
    Gram,
    Xy,
    *,
    n_nonzero_coefs=None,
    tol=None,
    norms_squared=None,
    copy_Gram=True,
    copy_Xy=True,
    return_path=False,
    return_n_iter=False,
):
    """Orthogonal matching pursuit from X'X and X'y alone.

    Takes scikit-learn's arguments with scikit-learn's meaning.

    Parameters
    ----------
    Gram : array of shape (n_features, n_features)
        X'X.
    Xy : array of shape (n_features,) or (n_features, n_targets)
        X'y.
    n_nonzero_coefs : int, default=None
        How many columns at the most; None: a tenth of them.
    tol : float, default=None
        Stop when |y - X w|^2 is at most this; n_nonzero_coefs has no effect then.
    norms_squared : array of shape (n_targets,), default=None
        |y|^2, needed if tol is given.
    copy_Gram, copy_Xy : bool, default=True
        Accepted for compatibility with scikit-learn; ignored: neither is ever written to.
    return_path : bool, default=False
        Whether to return the coefficients after each step, along the last axis.
    return_n_iter : bool, default=False
        Whether to return the number of columns that are used for each target, too.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with a path one axis more
    n_iters : int, or list of int for several targets; if return_n_iter

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> lowdim.orthogonal_mp_gram(np.eye(3), np.array([1.0, 5.0, 2.0]), n_nonzero_coefs=2)
    array([0., 5., 2.])
    """
    Gram = numbers_of(Gram, "Gram", "orthogonal_mp_gram")
    gram = check_array(Gram, dtype=[np.float64, np.float32], input_name="Gram")
    if gram.shape[0] != gram.shape[1]:
        raise ValueError(f"Gram has the shape {gram.shape}; a square matrix is needed.")
    products = _targets(Xy, gram.dtype)
    if len(products) != len(gram):
        raise ValueError(f"Xy has {len(products)} rows, Gram has {len(gram)}; as many are needed.")
    n_nonzero, tol = _limits(n_nonzero_coefs, tol, len(gram))
    if tol is not None and norms_squared is None:
        raise ValueError(
            "Gram OMP needs the precomputed norms in order to evaluate the error sum of squares: "
            "give norms_squared, |y|^2 of each target."
        )
    squares = np.ones(products.shape[1]) if norms_squared is None else np.asarray(norms_squared)
    squares = np.atleast_1d(squares.astype(gram.dtype))
    if norms_squared is None:  # only a scale: what counts as nothing
        squares = np.maximum((products**2).sum(axis=0) / np.diag(gram).max(initial=1e-300), 0)
    if squares.shape != (products.shape[1],):
        raise ValueError(
            f"norms_squared has the shape {squares.shape}; {products.shape[1]} targets have one "
            "number each."
        )
    found = _from_gram(gram, products, squares, n_nonzero, tol, return_path)
    return _returned(*found, return_n_iter)


def _targets(y: Any, dtype: np.dtype) -> np.ndarray:
    y = numeric_array(y, "y", "orthogonal matching pursuit")
    y = y[:, None] if y.ndim == 1 else y
    return check_array(y, dtype=dtype, input_name="y")


def _limits(n_nonzero: Any, tol: Any, k: int) -> tuple[int, float | None]:
    if tol is not None:
        return k, check_number("tol", tol, 0.0)
    if n_nonzero is None:
        return max(int(SHARE * k), 1), None
    if check_at_least("n_nonzero_coefs", n_nonzero, 1) > k:
        raise ValueError(
            f"The number of atoms cannot be more than the number of features: "
            f"n_nonzero_coefs={n_nonzero}, and there are {k}; choose at most {k}."
        )
    return int(n_nonzero), None


def _from_gram(
    gram: np.ndarray,
    products: np.ndarray,
    squares: np.ndarray,
    n_nonzero: int,
    tol: float | None,
    path: bool,
) -> tuple[np.ndarray, list[int]]:
    """Coefficients (k, targets) or their path (k, targets, steps), and how many of each target."""
    C = np.ascontiguousarray(products.T)
    found = pursue(gram, C, squares, n_nonzero, tol, at_least=1)
    _warn_if(found.ended_early)
    count = np.diff(found.codes.indptr).tolist()
    if not path:
        return found.codes.toarray().T, count
    # the first atoms are the same, however many there are
    steps = [pursue(gram, C, squares, s).codes.toarray().T for s in range(1, min(count) + 1)]
    return np.stack(steps, axis=-1) if steps else np.zeros((*products.shape, 0)), count


def _from_columns(
    X: np.ndarray, y: np.ndarray, n_nonzero: int, tol: float | None, path: bool
) -> tuple[np.ndarray, list[int]]:
    enough = -1.0 if tol is None else tol
    rows = steps_of_targets(X, y, n_nonzero, enough)
    _warn_if(np.array([row.ended_early for row in rows]))
    count = [len(row.chosen) for row in rows]
    lengths = range(1, min(count) + 1) if path else [None]
    coef = np.zeros((X.shape[1], y.shape[1], len(lengths)), X.dtype)
    for t, row in enumerate(rows):
        for i, s in enumerate(lengths):
            coef[row.chosen[:s], t, i] = row.code(s)
    return (coef if path else coef[:, :, 0]), count


def steps_of_targets(
    X: np.ndarray, y: np.ndarray, n_nonzero: int, enough: float = -1.0
) -> list[Steps]:
    """How each target (n, targets) is pursued with the columns of X themselves."""
    dictionary, most = without_gram(X.T), min(n_nonzero, X.shape[1])
    targets = np.ascontiguousarray(y.T)
    return omp_steps(dictionary, targets, most, np.full(len(targets), enough), 1)


def _warn_if(ended_early: np.ndarray) -> None:
    if ended_early.any():
        warnings.warn(PREMATURE, RuntimeWarning, stacklevel=level_of_caller())


def _returned(coef: np.ndarray, count: list[int], return_n_iter: bool) -> Any:
    coef = np.squeeze(coef)
    if not return_n_iter:
        return coef
    return coef, count[0] if len(count) == 1 else count
