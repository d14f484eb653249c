"""KSVD: a dictionary in which every row has few non-zeros, by Aharon, Elad and Bruckstein's K-SVD.

minimise over D, Z     sum_i w_i |x_i - z_i D|^2,     |z_i|_0 <= s,  |d_l| = 1

alternation.py    both halves of an iteration, and the atoms that are replaced
sweep.py          each atom together with its coefficients
warming.py        the start by a few passes of the lasso
encoding.py       codes of new rows, and what they say about missing values
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import ArrayBlocks, Blocks, is_dask
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.imputation import ImputeMixin
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import (
    check_at_most,
    check_columns_observed,
    check_weights,
    open_rows_for,
)
from lowdim.sparse.dictionary.alternation import State, Task, change, first_state, step
from lowdim.sparse.dictionary.encoding import Pursuit, encode, fill, fill_with_std
from lowdim.sparse.dictionary.learning import squares_of, unit_of
from lowdim.sparse.dictionary.start import (
    cosines,
    data_atoms,
    given_atoms,
    principal_atoms,
    random_atoms,
)
from lowdim.sparse.dictionary.warming import warmed
from lowdim.sparse.pursuit.coder import decoded
from lowdim.sparse.pursuit.dictionaries import without_gram

STARTS = {"online", "random", "data", "dct"}


class KSVD(ImputeMixin, Transformer, Estimator):
    """K-SVD: atoms such that every row is a sum of few of them.

    Minimises over atoms d_l of length 1 and codes z_i (the few numbers that stand for a row)::

        sum_i w_i |x_i - z_i D|^2,     at most n_nonzero_coefs non-zeros in each z_i

    by turns: codes by orthogonal matching pursuit (of all sets of atoms the best one where there
    are at most 64 sets), then each atom together with its coefficients.
    NaN are missing: sums run over the observed entries.

    Cost: O(n s^2 k + n k d) for an iteration with s non-zeros, on all cores, with missing values
    O(n s k d). Memory: the rows once more, and their codes. Rows must be in memory.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms k; None means as many as columns. More than columns is usual.
    n_nonzero_coefs : int or None, default=None
        Non-zeros of a code, at most. None means a tenth of the columns, or, if `max_error` is
        given, no limit.
    max_error : float or None, default=None
        A code is complete when |x - z D| <= max_error |x|. Larger: fewer non-zeros.
    update : {'approximate', 'exact'}, default='approximate'
        How an atom and its coefficients are found: by one step of power iteration, or by a singular
        value decomposition. 'exact' takes longer and is rarely better in the end.
    dict_init : {'online', 'random', 'data', 'dct'} or array of shape (k, d), default='online'
        The first atoms. 'online': a few passes of learning with the lasso, a batch of rows at a
        time; 'random': directions at random; 'data': rows at random; 'dct': cosines of a signal of
        d numbers (for pictures give ``sparse.basis("dct-overcomplete", (8, 8)).matrix().T``).
    max_iter : int, default=30
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this part of it.
    transform_n_nonzero_coefs : int or None, default=None
        Non-zeros of the codes that `transform` gives; None means as in `fit`.
    transform_max_error : float or None, default=None
        As `max_error`, for `transform`; None means as in `fit`.
    sparse_output : bool, default=False
        Whether `transform` gives a `csr_array`.
    random_state : int, Generator, RandomState or None, default=None
        For the first atoms.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        The atoms d_l, of length 1.
    history_ : ndarray of shape (n_iter_,)
        The objective after each iteration, as a part of sum_i w_i |x_i|^2. It falls, except where
        atoms were replaced. With `max_error` a non-zero of x costs max_error^2 |x|^2 / d, the error
        allowed for one number.
    replaced_ : ndarray of shape (n_iter_,)
        How many atoms were replaced before each iteration: those that no row used, and those that
        were another one once more (\\|cos\\| > 0.99), by the rows that were coded worst.
    n_nonzero_coefs_ : int
        Non-zeros of a code, at most.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    DictionaryLearning : codes with few large values by the lasso; with fit_algorithm='omp' for rows
        that do not fit into memory.
    MiniBatchDictionaryLearning : learns from a part of the rows at a time.
    PCA : the best k directions if codes need not be sparse.

    Notes
    -----
    A row keeps its old code where the new one is worse. Algorithm 1 of the lecture notes divides by
    zero for an atom that no row uses, and where R g = 0: here such atoms are replaced, or stay.

    References
    ----------
    Aharon, Elad and Bruckstein (2006), K-SVD: an algorithm for designing overcomplete dictionaries
    for sparse representation. Rubinstein, Zibulevsky and Elad (2008), Efficient implementation of
    the K-SVD algorithm using batch orthogonal matching pursuit ('approximate').

    Examples
    --------
    Rows in two planes: four atoms, two in each.

    >>> import numpy as np
    >>> from lowdim import KSVD
    >>> random = np.random.default_rng(0)
    >>> planes = np.array([[[1.0, 0, 0], [0, 1, 0]], [[0, 1, 1], [1, 0, 1]]])
    >>> X = np.concatenate([random.normal(size=(100, 2)) @ plane for plane in planes])
    >>> model = KSVD(4, n_nonzero_coefs=2, max_iter=100, tol=0.0, random_state=0).fit(X)
    >>> Z = model.transform(X)
    >>> int((Z != 0).sum(axis=1).max()), bool(np.abs(X - Z @ model.components_).max() < 1e-6)
    (2, True)
    """

    accepts_nan: ClassVar[bool] = True
    accepts_stream: ClassVar[bool] = False
    accepts_dask: ClassVar[bool] = False

    shapes: ClassVar[dict] = {
        "components_": ("k", "d"),
        "replaced_": ("iterations",),
        "n_nonzero_coefs_": (),
        "_noise": (),
        "_sizes_of_columns": ("d",),
        "history_": Maybe(("iterations",)),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, None],
        "n_nonzero_coefs": [AT_LEAST_1, None],
        "max_error": [Interval(Real, 0, 1, closed="left"), None],
        "update": [StrOptions({"approximate", "exact"})],
        "dict_init": [StrOptions(STARTS), "array-like"],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "transform_n_nonzero_coefs": [AT_LEAST_1, None],
        "transform_max_error": [Interval(Real, 0, 1, closed="left"), None],
        "sparse_output": ["boolean"],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_nonzero_coefs=None,
        max_error=None,
        update="approximate",
        dict_init="online",
        max_iter=30,
        tol=1e-4,
        transform_n_nonzero_coefs=None,
        transform_max_error=None,
        sparse_output=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.n_nonzero_coefs = n_nonzero_coefs
        self.max_error = max_error
        self.update = update
        self.dict_init = dict_init
        self.max_iter = max_iter
        self.tol = tol
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_max_error = transform_max_error
        self.sparse_output = sparse_output
        self.random_state = random_state

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the atoms.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            NaN are missing.
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        _refuse_what_is_elsewhere(X)
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        k, n_nonzero = self._sizes(rows.n_columns)
        unit = unit_of(rows)
        task = self._task(rows.in_memory, unit, weight, n_nonzero)
        random = random_generator(self.random_state)
        start = first_state(self._start(task, k, random))
        size = float(np.average(squares_of(task.X).astype(np.float64), weights=weight)) or 1.0
        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
        for state in loop:
            loop.params = step(task, state)
            loop.record(loop.params.objective / size, change(state, loop.params))
        self._publish(task, loop.params, unit)
        return self

    def _sizes(self, d: int) -> tuple[int, int]:
        """Number of atoms, and of non-zeros at the most."""
        k = d if self.n_components is None else self.n_components
        if self.n_nonzero_coefs is None:
            return k, min(k, d) if self.max_error is not None else min(k, max(d // 10, 1))
        return k, check_at_most("n_nonzero_coefs", self.n_nonzero_coefs, k, "atoms (n_components)")

    def _task(self, X: np.ndarray, unit: float, weight: Any, n_nonzero: int) -> Task:
        observed = None
        X = X / X.dtype.type(unit) if unit != 1.0 else X
        if np.isnan(X).any():
            observed = ~np.isnan(X)
            names = getattr(self, "feature_names_in_", None)
            check_columns_observed(observed.sum(axis=0), names)
            X = np.where(observed, X, X.dtype.type(0))
        bound = None if self.max_error is None else self.max_error**2 * squares_of(X)
        X = np.require(X, requirements=["C", "W"])
        return Task(X, observed, weight, n_nonzero, bound, self.update == "exact")

    def _start(self, task: Task, k: int, random: np.random.Generator) -> np.ndarray:
        d, dtype = task.X.shape[1], task.X.dtype
        if not isinstance(self.dict_init, str):
            atoms = given_atoms(self.dict_init, k, d, dtype)
            sizes = np.linalg.norm(atoms, axis=1, keepdims=True)
            if not sizes.all():
                raise ValueError(
                    f"dict_init has {np.count_nonzero(sizes == 0)} of {k} atoms that are all 0; "
                    "atoms must have a direction."
                )
            return np.asarray(atoms / sizes)
        if self.dict_init == "random":
            return random_atoms(k, d, random).astype(dtype)
        if self.dict_init == "dct":
            return cosines(k, d).astype(dtype)
        rows = ArrayBlocks(task.X)
        if self.dict_init == "data":
            return data_atoms(rows, task.weight, k, random)
        return warmed(task, principal_atoms(rows, task.weight, k, random), random)

    def _publish(self, task: Task, state: State, unit: float) -> None:
        self.components_ = state.atoms
        self.replaced_ = state.replaced
        self.n_nonzero_coefs_ = task.n_nonzero
        n, d = task.X.shape
        seen = np.full(n, d) if task.observed is None else task.observed.sum(axis=1)
        assert state.codes is not None
        used = np.diff(state.codes.indptr)
        free = float(np.average(np.maximum(seen - used, 0), weights=task.weight))
        error = state.objective
        if task.bound is not None:
            error -= float(np.average(task.price() * used, weights=task.weight))
        self._noise = float(np.sqrt(max(error, 0.0) / max(free, 1.0)) * unit)
        w = np.ones(n) if task.weight is None else task.weight
        count = np.full(d, w.sum()) if task.observed is None else w @ task.observed
        squares = w @ task.X.astype(np.float64) ** 2
        self._sizes_of_columns = np.sqrt(squares / np.where(count > 0, count, 1.0)) * unit

    # ---- code ------------------------------------------------------------------------------------

    def transform(self, X):
        """Codes of rows, found as in `fit`; of what is observed.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)

        Returns
        -------
        Z : array of shape (n, k), or a csr_array if sparse_output
        """
        return self._rows(X).map(encode, self._pursuit(), self.sparse_output)

    def inverse_transform(self, X):
        """Rows Z D of codes Z."""
        check_is_fitted(self)
        return decoded(self, X, without_gram(self.components_), split_sign=False)

    def _filling(self, return_std: bool) -> tuple:
        if not return_std:
            return fill, self._pursuit()
        return fill_with_std, self._pursuit(), self._noise, self._sizes_of_columns

    def _rows_to_fill(self, X: Any) -> Blocks:
        return self._rows(X)

    def _rows(self, X: Any) -> Blocks:
        """Rows to code: unlike those to learn from, they may be elsewhere."""
        if not isinstance(X, Blocks) and not is_dask(X):
            return self.open_rows(X, reset=False)
        check_is_fitted(self)
        rows = open_rows_for(type(self).__name__, X, nan=True, sparse=False)
        if rows.n_columns != self.n_features_in_:
            raise ValueError(
                f"X has {rows.n_columns} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return rows

    def _pursuit(self) -> Pursuit:
        k = len(self.components_)
        n_nonzero, error = self.transform_n_nonzero_coefs, self.transform_max_error
        if n_nonzero is not None:
            n_nonzero = check_at_most(
                "transform_n_nonzero_coefs", n_nonzero, k, "atoms (n_components)"
            )
        elif error is not None:
            n_nonzero = min(self.components_.shape)
        else:
            n_nonzero, error = self.n_nonzero_coefs_, self.max_error
        return Pursuit(self.components_, n_nonzero, error)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _refuse_what_is_elsewhere(X: Any) -> None:
    if is_dask(X) or (isinstance(X, Blocks) and X.in_memory is None):
        raise TypeError(
            f"X is a {type(X).__name__}; KSVD needs all rows in memory. Learn from it with "
            "DictionaryLearning(fit_algorithm='omp'), which only keeps sums, or give KSVD an "
            "array, for example a random part of the rows."
        )
