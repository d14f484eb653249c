"""`dict_learning` and `dict_learning_online`: codes and atoms as arrays, as in scikit-learn."""

from __future__ import annotations

from lowdim.core.threads import single_threaded_blas
from lowdim.sparse.dictionary.estimator import DictionaryLearning
from lowdim.sparse.dictionary.minibatch import MiniBatchDictionaryLearning
from lowdim.sparse.dictionary.model import in_memory


@single_threaded_blas()
def dict_learning(
    X,
    n_components,
    *,
    alpha,
    max_iter=100,
    tol=1e-8,
    method="lars",
    n_jobs=None,
    dict_init=None,
    code_init=None,
    callback=None,
    verbose=False,
    random_state=None,
    return_n_iter=False,
    positive_dict=False,
    positive_code=False,
    method_max_iter=1000,
):
    """Atoms and codes that minimise  sum_i (1/2 |x_i - z_i D|^2 + alpha |z_i|_1),  |d_j| <= 1.

    Parameters
    ----------
    X : array, data frame, Dask collection or stream of shape (n, d)
    n_components : int or None
        Number of atoms k; None means as many as columns.
    alpha : float
        The price of |z|_1. Larger: sparser codes.
    max_iter, tol, n_jobs, dict_init, code_init, callback, verbose, random_state, positive_dict, \
positive_code
        As in `DictionaryLearning`.
    method : {'lars', 'cd'}, default='lars'
        As `fit_algorithm` there.
    return_n_iter : bool, default=False
        Whether to return the number of iterations, too.
    method_max_iter : int, default=1000
        Steps for the codes that are returned, at most.

    Returns
    -------
    code : ndarray of shape (n, k)
        The codes for these atoms.
    dictionary : ndarray of shape (k, d)
    errors : list of float
        The objective after each iteration.
    n_iter : int, if return_n_iter

    See Also
    --------
    DictionaryLearning : the same as an estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import dict_learning
    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> Z, D, errors = dict_learning(X, 6, alpha=0.5, tol=1e-5, random_state=0)
    >>> bool(np.all(np.diff(errors) <= 0))
    True
    """
    _check_method(method)
    model = DictionaryLearning(
        n_components,
        alpha=alpha,
        max_iter=max_iter,
        tol=tol,
        fit_algorithm=method,
        n_jobs=n_jobs,
        dict_init=dict_init,
        code_init=code_init,
        callback=callback,
        verbose=verbose,
        random_state=random_state,
        positive_code=positive_code,
        positive_dict=positive_dict,
        transform_algorithm="lasso_" + method,
        transform_max_iter=method_max_iter,
    ).fit(X)
    code = in_memory(model.set_output(transform="default").transform(X))
    found = (code, model.components_, model.error_)
    return (*found, model.n_iter_) if return_n_iter else found


@single_threaded_blas()
def dict_learning_online(
    X,
    n_components=2,
    *,
    alpha=1,
    max_iter=100,
    return_code=True,
    dict_init=None,
    callback=None,
    batch_size=256,
    verbose=False,
    shuffle=True,
    n_jobs=None,
    method="lars",
    random_state=None,
    positive_dict=False,
    positive_code=False,
    method_max_iter=1000,
    tol=1e-3,
    max_no_improvement=10,
):
    """Atoms and codes that minimise  sum_i (1/2 |x_i - z_i D|^2 + alpha |z_i|_1),  batch by batch.

    Parameters
    ----------
    X : array, data frame, Dask collection or stream of shape (n, d)
    n_components : int or None, default=2
        Number of atoms k; None means as many as columns.
    alpha : float, default=1
        The price of |z|_1. Larger: sparser codes.
    return_code : bool, default=True
        Whether to return codes, too.
    max_iter, dict_init, callback, batch_size, verbose, shuffle, n_jobs, random_state, \
positive_dict, positive_code, tol, max_no_improvement
        As in `MiniBatchDictionaryLearning`.
    method : {'lars', 'cd'}, default='lars'
        As `fit_algorithm` there.
    method_max_iter : int, default=1000
        Steps for the codes that are returned, at most.

    Returns
    -------
    code : ndarray of shape (n, k), if return_code
    dictionary : ndarray of shape (k, d)

    See Also
    --------
    MiniBatchDictionaryLearning : the same as an estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import dict_learning_online
    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> Z, D = dict_learning_online(X, 6, alpha=0.5, random_state=0)
    >>> Z.shape, D.shape
    ((50, 6), (6, 8))
    """
    _check_method(method)
    model = MiniBatchDictionaryLearning(
        n_components,
        alpha=alpha,
        max_iter=max_iter,
        n_jobs=n_jobs,
        fit_algorithm=method,
        batch_size=batch_size,
        shuffle=shuffle,
        dict_init=dict_init,
        random_state=random_state,
        transform_algorithm="lasso_" + method,
        transform_alpha=alpha,
        positive_code=positive_code,
        positive_dict=positive_dict,
        transform_max_iter=method_max_iter,
        verbose=verbose,
        callback=callback,
        tol=tol,
        max_no_improvement=max_no_improvement,
    ).fit(X)
    if not return_code:
        return model.components_
    code = in_memory(model.set_output(transform="default").transform(X))
    return code, model.components_


def _check_method(method: object) -> None:
    if method not in ("lars", "cd"):
        raise ValueError(
            f"method={method!r} is not known; choose 'lars' or 'cd'. For matching pursuit use "
            "DictionaryLearning(fit_algorithm='omp')."
        )
