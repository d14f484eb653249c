"""`sparse_encode`: codes of rows in a dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import is_dask
from lowdim.core.numeric import numeric_array
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import (
    check_at_least,
    check_at_most,
    check_choice,
    check_number,
    open_rows_for,
)
from lowdim.sparse.pursuit.coding import (
    ALGORITHMS,
    BY_PRODUCTS,
    COUNTED,
    SIGNED_ONLY,
    WITH_ERROR,
    Plan,
    code_block,
    prepared,
)
from lowdim.sparse.pursuit.dictionaries import Dictionary, open_dictionary


@single_threaded_blas()
def sparse_encode(
    X,
    dictionary,
    *,
    gram=None,
    cov=None,
    algorithm="lasso_lars",
    n_nonzero_coefs=None,
    alpha=None,
    copy_cov=True,
    init=None,
    max_iter=1000,
    n_jobs=None,
    check_input=True,
    verbose=0,
    positive=False,
    max_error=None,
    sparse_output=False,
):
    """Sparse codes of rows: few numbers z with x about z D.

    Minimises  1/2 |x - z D|^2 + alpha |z|_1  (lasso_lars, lasso_cd), exactly, or looks for the
    least |x - z D|^2 with few non-zeros (omp, ols, mp, cosamp, iht), or for the least |z|_1 with
    x = z D (bp) or |x - z D| <= max_error |x| (bpdn).

    Takes scikit-learn's arguments with scikit-learn's meaning. In addition: further algorithms,
    dictionaries as operators or by name, missing values (a row is coded from what is observed),
    `max_error`, `sparse_output`, streams and Dask.

    Cost: O(n k d + n s^2 k) time for codes of s non-zeros, O(k^2) memory beside a block and the
    codes; with `sparse_output` no n x k array is made.

    Parameters
    ----------
    X : array, data frame, Dask collection or stream of shape (n, d)
        NaN marks missing values.
    dictionary : array of shape (k, d), Basis, LinearOperator of shape (d, k), or str
        Atoms as rows of an array, or as columns of an operator; a name is that of a basis, as in
        `sparse.basis`. In an orthonormal basis codes are formulas, and nothing is searched.
    gram : array of shape (k, k), default=None
        D D', if it is known.
    cov : array of shape (k, n), default=None
        D X', if it is known.
    algorithm : str, default='lasso_lars'
        'lasso_lars', 'lasso_cd': the lasso, along its path. 'lars': least angle regression. 'omp':
        orthogonal matching pursuit. 'threshold': products with atoms, shrunk by alpha. 'mp':
        matching pursuit, max_iter steps. 'ols': orthogonal least squares, better than omp in
        coherent dictionaries, about as fast. 'cosamp', 'iht': keep the largest of a better and
        better code. 'bp', 'bpdn': basis pursuit, without and with an error.
    n_nonzero_coefs : int, default=None
        How many atoms a code has at the most; None: a tenth of the columns, or as many as it takes
        if max_error is given. For lars, omp, ols, mp, cosamp and iht.
    alpha : float, default=None
        The penalty of the lasso, or the threshold; None: 1. Other algorithms do not use it.
    copy_cov : bool, default=True
        Accepted for compatibility with scikit-learn; ignored: cov is never written to.
    init : array of shape (n, k), default=None
        Codes near the solution, where 'lasso_cd' begins.
    max_iter : int, default=1000
        Steps at the most of lasso_lars, mp, cosamp and iht.
    n_jobs : int, default=None
        Accepted for compatibility with scikit-learn; ignored: see `lowdim.config`.
    check_input : bool, default=True
        False: the numbers of the dictionary are not looked at.
    verbose : int, default=0
        Accepted for compatibility with scikit-learn; ignored.
    positive : bool, default=False
        Only z >= 0; for the lasso and threshold.
    max_error : float, default=None
        |x - z D| / |x| at the most: a row gets as many atoms as that takes, at most
        n_nonzero_coefs. For omp, ols, mp, cosamp, iht and bpdn.
    sparse_output : bool, default=False
        Codes as a `scipy.sparse.csr_array`.

    Returns
    -------
    ndarray or csr_array of shape (n, k), or a Dask array

    See Also
    --------
    SparseCoder : the same as an estimator, with `inverse_transform` and `impute`.
    sparse.basis_pursuit : one signal, with a proof.
    sparse.guarantees : which codes are surely found.

    Notes
    -----
    As in scikit-learn, omp chooses by |x'd| and assumes atoms of one length; mp takes the length
    into account. scikit-learn's documentation says that alpha is a tolerance of omp; it has no
    effect there, and none here: use max_error.

    References
    ----------
    Pati, Rezaiifar and Krishnaprasad (1993), omp. Chen, Billings and Luo (1989), ols. Mallat and
    Zhang (1993), mp. Osborne, Presnell and Turlach (2000), the path of the lasso. Needell and
    Tropp (2009), cosamp. Blumensath and Davies (2010), iht.

    Examples
    --------
    >>> import lowdim
    >>> atoms = [[1.0, 0.0], [0.0, 1.0], [0.5**0.5, 0.5**0.5]]
    >>> lowdim.sparse_encode([[1.0, 1.0]], atoms, algorithm="omp", n_nonzero_coefs=1).round(4)
    array([[0.    , 0.    , 1.4142]])
    """
    rows = open_rows_for("sparse_encode", X, nan=True, sparse=False)
    opened = open_dictionary(dictionary, rows.n_columns, gram=gram, check=check_input)
    plan = checked_plan(
        opened, algorithm, n_nonzero_coefs, alpha, max_error, max_iter, positive
    )._replace(sparse_output=bool(sparse_output))
    k = opened.shape[0]
    start = _companion("init", init, (k,), X) if algorithm == "lasso_cd" else None
    products = None if cov is None else _companion("cov", np.asarray(cov).T, (k,), X)
    opened = prepared(opened, plan, rows.known_rows)
    return rows.map(code_block, opened, plan, along=(start, products))


def checked_plan(
    dictionary: Dictionary,
    algorithm: Any,
    n_nonzero: Any,
    alpha: Any,
    max_error: Any,
    max_iter: Any,
    positive: Any,
    names: str = "",
) -> Plan:
    """What is asked for, or an error; `names` goes before the arguments' names."""
    k, d = dictionary.shape
    check_choice(f"{names}algorithm", algorithm, ALGORITHMS)
    if positive and algorithm in SIGNED_ONLY:
        raise ValueError(
            f"Positive constraint not supported for '{algorithm}' coding method; choose "
            "'lasso_lars', 'lasso_cd' or 'threshold'."
        )
    written = dictionary.may_have_gram or dictionary.basis is not None
    if not written and algorithm not in BY_PRODUCTS:
        raise ValueError(
            f"{names}algorithm={algorithm!r} needs the atoms written down, and {k:,} atoms for "
            f"{d:,} numbers are too many; choose one of {', '.join(BY_PRODUCTS)}."
        )
    if max_error is not None:
        if algorithm not in WITH_ERROR:
            raise ValueError(
                f"{names}max_error={max_error!r} has no meaning for {names}algorithm="
                f"{algorithm!r}; choose one of {', '.join(WITH_ERROR)}."
            )
        max_error = check_number(f"{names}max_error", max_error, 0.0)
    elif algorithm == "bpdn":
        raise ValueError(
            f"{names}algorithm='bpdn' needs {names}max_error, the error |x - z D| / |x| that is "
            "allowed; for none choose 'bp'."
        )
    penalty = 1.0 if alpha is None else check_number(f"{names}alpha", alpha, 0.0)
    steps = check_at_least(f"{names}max_iter", max_iter, 0)
    return Plan(
        algorithm,
        _number_of_atoms(f"{names}n_nonzero_coefs", n_nonzero, algorithm, max_error, k, d),
        penalty,
        max_error,
        steps,
        bool(positive),
    )


def _number_of_atoms(
    name: str, n_nonzero: Any, algorithm: str, max_error: float | None, k: int, d: int
) -> int:
    if n_nonzero is None:
        if algorithm == "mp":
            return k
        enough = max_error is not None and algorithm in ("omp", "ols")
        return min(k, d) if enough else int(min(max(d / 10, 1), k))
    if algorithm not in COUNTED:
        check_at_least(name, n_nonzero, 1)
        return k
    return min(check_at_most(name, n_nonzero, k, "atoms"), k if algorithm == "mp" else min(k, d))


def _companion(name: str, values: Any, width: tuple, X: Any) -> Any:
    """Row-aligned numbers that come with X: codes to begin with, or products."""
    if values is None:
        return None
    if sp.issparse(values) or is_dask(values):
        return values
    values = numeric_array(values, name, "sparse_encode")
    if values.ndim != 2 or values.shape[1:] != width:
        raise ValueError(f"{name} has the shape {values.shape}; (n, {width[0]}) is needed.")
    return values
