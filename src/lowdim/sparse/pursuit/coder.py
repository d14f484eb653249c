"""`SparseCoder`: sparse codes in a given dictionary, as an estimator.

    encode    z of x with few non-zeros, by any of the pursuits        decode    x = z D

There is nothing to learn: `fit` looks at the arguments.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator
from sklearn.utils import Tags

from lowdim.core.blocks import is_dask
from lowdim.core.constraints import AT_LEAST_0, AT_LEAST_1, NOT_NEGATIVE, Integral, StrOptions
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting
from lowdim.core.output import in_columns_of_x
from lowdim.core.sparse import checked_sparse
from lowdim.core.validation import check_codes
from lowdim.sparse.pursuit.coding import ALGORITHMS, Plan, code_block, fill_block, prepared
from lowdim.sparse.pursuit.dictionaries import Dictionary, open_dictionary
from lowdim.sparse.pursuit.encoding import checked_plan


class SparseCoder(Transformer, Estimator):
    """Sparse coding in a given dictionary: a row is a sum of few atoms.

    Looks for codes z with few non-zeros and x about z D; `sparse_encode` says what each algorithm
    minimises.

    Takes scikit-learn's arguments with scikit-learn's meaning. In addition: dictionaries as
    operators or by name, further algorithms, missing values, `impute`, streams and Dask.

    Cost: O(n k d + n s^2 k) time for codes of s non-zeros; none of it in `fit`.

    Parameters
    ----------
    dictionary : array of shape (k, d), Basis, LinearOperator or str, default='dct'
        Atoms as rows of an array, or as columns of an operator of shape (d, k); a name is that of a
        basis, as in `sparse.basis`, for signals as long as X has columns.
    transform_algorithm : str, default='omp'
        'lasso_lars', 'lasso_cd', 'lars', 'omp', 'threshold', 'mp', 'ols', 'cosamp', 'iht', 'bp' or
        'bpdn', as in `sparse_encode`.
    transform_n_nonzero_coefs : int, default=None
        How many atoms a code has at the most; None: a tenth of the columns, or as many as it takes
        if transform_max_error is given.
    transform_alpha : float, default=None
        The penalty of the lasso, or the threshold; None: 1.
    split_sign : bool, default=False
        Whether codes are twice as long: their positive parts, then the sizes of negative ones.
    n_jobs : int, default=None
        Accepted for compatibility with scikit-learn; ignored: see `lowdim.config`.
    positive_code : bool, default=False
        Only z >= 0; for the lasso and threshold.
    transform_max_iter : int, default=1000
        Steps at the most of lasso_lars, mp, cosamp and iht.
    transform_max_error : float, default=None
        |x - z D| / |x| at the most: a row gets as many atoms as that takes.
    sparse_output : bool, default=False
        Codes as a `scipy.sparse.csr_array`.

    Attributes
    ----------
    n_components_ : int
        Number of atoms k.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    sparse_encode : the same as a function.
    CompressiveSensing : signals from fewer measurements than numbers.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> x = np.cos(np.pi * (np.arange(8) + 0.5) * 2 / 8) + 3
    >>> coder = lowdim.SparseCoder("dct", transform_n_nonzero_coefs=2)
    >>> coder.fit_transform([x]).round(4).tolist()
    [[8.4853, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    >>> x[3] = np.nan
    >>> coder.impute([x])[0, 3].round(4)
    np.float64(2.0761)
    """

    accepts_nan: ClassVar[bool] = True
    shapes: ClassVar[dict] = {"n_components_": ()}

    _parameter_constraints: ClassVar[dict] = {
        "dictionary": ["array-like", LinearOperator, str],
        "transform_algorithm": [StrOptions(set(ALGORITHMS))],
        "transform_n_nonzero_coefs": [AT_LEAST_1, None],
        "transform_alpha": [NOT_NEGATIVE, None],
        "split_sign": ["boolean"],
        "n_jobs": [Integral, None],
        "positive_code": ["boolean"],
        "transform_max_iter": [AT_LEAST_0],
        "transform_max_error": [NOT_NEGATIVE, None],
        "sparse_output": ["boolean"],
    }

    def __init__(
        self,
        dictionary="dct",
        *,
        transform_algorithm="omp",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        split_sign=False,
        n_jobs=None,
        positive_code=False,
        transform_max_iter=1000,
        transform_max_error=None,
        sparse_output=False,
    ):
        self.dictionary = dictionary
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.split_sign = split_sign
        self.n_jobs = n_jobs
        self.positive_code = positive_code
        self.transform_max_iter = transform_max_iter
        self.transform_max_error = transform_max_error
        self.sparse_output = sparse_output

    @fitting
    def fit(self, X, y=None):
        """Look whether the dictionary suits X; nothing is learned.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        rows = self.open_rows(X)
        dictionary, _ = self._opened(rows.n_columns)
        self.n_components_ = dictionary.shape[0]
        return self

    def transform(self, X, y=None):
        """Sparse codes of rows.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            A row with missing values (NaN) is coded from those that are observed.
        y : ignored
            Accepted for compatibility with scikit-learn.

        Returns
        -------
        ndarray or csr_array of shape (n, k), or with split_sign of shape (n, 2 k)
        """
        self._validate_params()
        rows = self.open_rows(X, reset=False)
        dictionary, plan = self._opened(rows.n_columns)
        return rows.map(code_block, prepared(dictionary, plan, rows.known_rows), plan)

    def inverse_transform(self, X):
        """The rows that codes stand for, z D.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, k), or with split_sign of shape (n, 2 k)
        """
        d = getattr(self, "n_features_in_", None) or self._width()
        return decoded(self, X, self._opened(d)[0], self.split_sign)

    def impute(self, X):
        """X with missing values (NaN) replaced by what the codes of the observed ones make there.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)

        Returns
        -------
        ndarray of shape (n, d), or a data frame if `set_output` asks for it
        """
        rows = self.open_rows(X, reset=False)
        dictionary, plan = self._opened(rows.n_columns)
        filled = rows.map(fill_block, prepared(dictionary, plan, rows.known_rows), plan)
        return in_columns_of_x(self, filled, X)

    def _width(self) -> int:
        """How many numbers a signal has, as far as the dictionary says it."""
        if isinstance(self.dictionary, str):
            raise ValueError(
                f"dictionary={self.dictionary!r} is the name of a basis, as long as X has columns; "
                "call fit(X) before inverse_transform."
            )
        if isinstance(self.dictionary, LinearOperator):
            return int(self.dictionary.shape[0])
        return int(np.shape(self.dictionary)[1])

    def _opened(self, d: int) -> tuple[Dictionary, Plan]:
        dictionary = open_dictionary(self.dictionary, d)
        plan = checked_plan(
            dictionary,
            self.transform_algorithm,
            self.transform_n_nonzero_coefs,
            self.transform_alpha,
            self.transform_max_error,
            self.transform_max_iter,
            self.positive_code,
            names="transform_",
        )
        return dictionary, plan._replace(
            split_sign=self.split_sign, sparse_output=self.sparse_output
        )

    @property
    def _n_features_out(self) -> int:
        return self.n_components_ * (2 if self.split_sign else 1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def decoded(estimator: Any, X: Any, dictionary: Dictionary, split_sign: bool) -> Any:
    """The rows that codes stand for, (n, d), for an estimator with codes in this dictionary."""
    k, d = dictionary.shape
    if getattr(X, "ndim", 0) == 2:
        _check_width(X.shape[1], k, split_sign)
    width = 2 * k if split_sign else k
    Z = checked_sparse(X).tocsr() if sp.issparse(X) else check_codes(estimator, X, width)
    if split_sign:
        Z = Z[:, :k] - Z[:, k:]
    if is_dask(Z):
        return Z.map_blocks(_decoded, dictionary, dtype=Z.dtype, chunks=(Z.chunks[0], (d,)))
    return _decoded(Z, dictionary)


def _decoded(Z: Any, dictionary: Dictionary) -> np.ndarray:
    return dictionary.to(Z.dtype).signals(Z)


def _check_width(found: int, k: int, split_sign: bool) -> None:
    expected = 2 * k if split_sign else k
    if found != expected:
        raise ValueError(
            "The number of components in the code is different from the number of components in "
            f"the dictionary. Expected {expected}, got {found}."
        )
