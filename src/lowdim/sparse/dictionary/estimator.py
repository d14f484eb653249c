"""DictionaryLearning: atoms such that the rows have sparse codes.

    minimise over D, Z     J = sum_i w_i (1/2 |x_i - z_i D|^2 + alpha |z_i|_1),     |d_j| <= 1

    fixed D:  the codes, each row for itself                   learning.py
    fixed Z:  the atoms, from sum zz' and sum zx' alone        atoms.py

    start.py       the first atoms
    online.py      a batch of rows at a time: MiniBatchDictionaryLearning
    ksvd.py        atoms together with their coefficients: KSVD
    model.py       arguments and codes
    functions.py   dict_learning and dict_learning_online

Neither half can raise J, and only sums are kept: rows may be in memory, in files or on Dask.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import check_weights
from lowdim.sparse.dictionary.atoms import unused, updated
from lowdim.sparse.dictionary.learning import (
    Coder,
    gram_of,
    measured,
    replaced,
    statistics,
    unit_of,
)
from lowdim.sparse.dictionary.model import DictionaryModel

PATIENCE = 3  # iterations of matching pursuit without a lower J, which greedy codes may raise


class DictionaryLearning(DictionaryModel):
    """Dictionary learning: atoms such that every row is a sum of few of them.

    Minimises over atoms d_j, of length 1 at most, and codes z_i (the few numbers that stand for a
    row)::

        sum_i w_i (1/2 |x_i - z_i D|^2 + alpha |z_i|_1)

    by turns: exact codes, then one atom after the other from sum zz' and sum zx'. With
    fit_algorithm='omp' codes have `transform_n_nonzero_coefs` non-zeros instead of the price alpha.

    Cost: O(n k (d + s^2)) for an iteration with s non-zeros in a code, on all cores; O(k (k + d))
    memory beside a block. Streams and Dask learn what the same rows in memory teach.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms k; None means as many as columns.
    alpha : float, default=1
        The price of |z|_1, in units of X. Larger: sparser codes.
    max_iter : int, default=1000
    tol : float, default=1e-8
        Stop when an iteration lowers the objective by less than this part of it.
    fit_algorithm : {'lars', 'cd', 'omp'}, default='lars'
        How rows are coded in `fit`: 'lars' and 'cd' both find the exact minimum along the path of
        the lasso; 'omp' is orthogonal matching pursuit.
    transform_algorithm : str, default='omp'
        How `transform` codes rows: 'lasso_lars', 'lasso_cd', 'lars', 'omp', 'threshold', 'mp',
        'ols', 'cosamp', 'iht', 'bp' or 'bpdn', as in `sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Non-zeros of a code, at most; None means a tenth of the columns.
    transform_alpha : float or None, default=None
        Price or threshold in `transform`; None means alpha.
    n_jobs : int or None, default=None
        Accepted for compatibility with scikit-learn; ignored: see `lowdim.set_config(threads=...)`.
    code_init : array of shape (n, k), default=None
        Accepted for compatibility with scikit-learn; ignored: codes are exact wherever they start.
    dict_init : array of shape (k, d), default=None
        The first atoms; None means singular vectors of X, and rows where more are asked for.
    callback : callable, default=None
        Called after every fifth iteration with a dict of `dictionary`, `errors` and `ii`.
    verbose : bool, default=False
        Above 0: show progress bars, also where none would be (`lowdim.set_config(progress=...)`).
    split_sign : bool, default=False
        Whether codes are twice as long: their positive parts, then the sizes of negative ones.
    random_state : int, Generator, RandomState or None, default=None
        Which rows become atoms where more are asked for than X has directions.
    positive_code : bool, default=False
        Only codes z >= 0; needs fit_algorithm='cd'.
    positive_dict : bool, default=False
        Only atoms d >= 0.
    transform_max_iter : int, default=1000
        Steps of `transform_algorithm`, at most, where it has any.
    transform_max_error : float or None, default=None
        |x - z D| / |x| at the most in `transform`: a row gets as many atoms as that takes.
    sparse_output : bool, default=False
        Whether `transform` gives a `csr_array`.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        The atoms.
    error_ : list of float
        The objective after each iteration.
    history_ : ndarray of shape (n_iter_,)
        The same as a part of 1/2 sum w |x|^2. It never rises, unless fit_algorithm='omp'.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    MiniBatchDictionaryLearning : learns from a part of the rows at a time; faster for many rows.
    KSVD : a fixed number of non-zeros, and missing values.
    SparseCoder : codes in a dictionary that is given.

    Notes
    -----
    `fit_transform` gives what `transform` gives afterwards; in scikit-learn it gives codes by
    fit_algorithm, which `dict_learning` returns here, too. `dict_init` is used also without
    `code_init`. The start has length 1, so that units of X and alpha together do not matter. An
    atom that no row uses becomes the row that is coded worst, where scikit-learn draws one.

    References
    ----------
    Mairal, Bach, Ponce and Sapiro (2010), Online learning for matrix factorization and sparse
    coding (algorithm 2 for the atoms).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import DictionaryLearning
    >>> random = np.random.default_rng(0)
    >>> atoms = random.normal(size=(6, 4))
    >>> atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    >>> codes = random.normal(size=(500, 6)) * (random.random((500, 6)) < 0.2)
    >>> model = DictionaryLearning(6, alpha=0.05, random_state=0).fit(codes @ atoms)
    >>> bool((np.abs(model.components_ @ atoms.T).max(axis=0) > 0.98).all())
    True
    """

    shapes: ClassVar[dict] = {**DictionaryModel.shapes, "error_": Maybe(("iterations",))}

    _parameter_constraints: ClassVar[dict] = {
        **DictionaryModel._parameter_constraints,
        "code_init": ["array-like", None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        alpha=1,
        max_iter=1000,
        tol=1e-8,
        fit_algorithm="lars",
        transform_algorithm="omp",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        n_jobs=None,
        code_init=None,
        dict_init=None,
        callback=None,
        verbose=False,
        split_sign=False,
        random_state=None,
        positive_code=False,
        positive_dict=False,
        transform_max_iter=1000,
        transform_max_error=None,
        sparse_output=False,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_algorithm = fit_algorithm
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.n_jobs = n_jobs
        self.code_init = code_init
        self.dict_init = dict_init
        self.callback = callback
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.transform_max_error = transform_max_error
        self.sparse_output = sparse_output

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the atoms.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        coder = self._coder(rows.n_columns)
        unit = unit_of(rows)
        rows, coder = measured(rows, unit), coder.in_unit(unit)
        start = self._first_atoms(rows, weight, random_generator(self.random_state))
        loop = iterate(self, first_state(start), max_iter=self.max_iter, tol=self.tol)
        for state in loop:
            loop.params = step(rows, weight, state, coder, self.positive_dict)
            loop.record(loop.params.cost / (loop.params.size or 1.0), loop.params.fell)
            if (loop.n_iter - 1) % 5 == 0:
                errors = [share * loop.params.size for share in loop.history]
                self._call_back(dictionary=loop.params.atoms, errors=errors, ii=loop.n_iter - 1)
        self.components_ = loop.params.atoms
        with np.errstate(over="ignore"):
            scale = loop.params.size * np.float64(unit) ** 2
            self.error_ = [float(share * scale) for share in loop.history]
        return self


class State(NamedTuple):
    """Where a fit stands after an iteration."""

    atoms: np.ndarray  # (k, d)
    cost: float  # J, with the codes for the atoms before
    size: float  # 1/2 sum w |x|^2
    best: float  # the least J so far
    waiting: int  # iterations since then
    fell: float  # by which part of itself the least J fell; what is held against tol


def first_state(atoms: np.ndarray) -> State:
    """Before the first iteration."""
    return State(atoms, np.inf, 0.0, np.inf, 0, np.inf)


def step(
    rows: Blocks, weight: np.ndarray | None, state: State, coder: Coder, positive: bool
) -> State:
    """One iteration: codes of all rows, then the atoms; unused ones become rows."""
    sums = rows.fold(statistics, state.atoms, gram_of(state.atoms), coder, along=(weight,))
    atoms = updated(sums, state.atoms, positive)
    cost = coder.cost(sums, atoms)
    idle = unused(sums)
    if len(idle):
        atoms = replaced(rows, weight, atoms, idle, coder, positive)
    better = cost < state.best
    waiting = 0 if better else state.waiting + 1
    fell = (state.best - cost) / cost if better and cost > 0 else 0.0
    if coder.alpha is None and not better and waiting < PATIENCE:
        fell = np.inf  # greedy codes may be worse for better atoms
    return State(atoms, cost, 0.5 * sums.squares, min(cost, state.best), waiting, fell)
