"""MiniBatchDictionaryLearning: a dictionary from a part of the rows at a time.

    minimise over D     sum_i w_i min_z (1/2 |x_i - z D|^2 + alpha |z|_1),     |d_j| <= 1

Each batch is coded and added to sums from which the atoms follow; sums of earlier batches count
less and less (`online.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_0, AT_LEAST_1
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import check_weights
from lowdim.sparse.dictionary.learning import in_unit, measured, unit_of
from lowdim.sparse.dictionary.model import DictionaryModel
from lowdim.sparse.dictionary.online import (
    How,
    Learned,
    Stopping,
    first_learned,
    first_state,
    folded_step,
    one_pass,
    online_step,
    with_own_sums,
)

MOST_QUIET = 100  # batches at the beginning that are not looked at

SUMS = {"zz": ("k", "k"), "zx": ("k", "d"), "squares": (), "absolute": (), "weight": ()}


class MiniBatchDictionaryLearning(DictionaryModel):
    """Dictionary learning from many rows, some at a time.

    Minimises what DictionaryLearning does, over atoms d_j, of length 1 at most::

        sum_i w_i min_z (1/2 |x_i - z D|^2 + alpha |z|_1)

    by steps over batches of rows: exact codes of the batch, then the atoms from sums over all
    batches, in which older ones count less. With fit_algorithm='omp' codes have
    `transform_n_nonzero_coefs` non-zeros instead of the price alpha.

    Cost: O(n k (d + s^2)) for a pass with s non-zeros in a code, and O(k^2 d) for each batch;
    O(k (k + d)) memory beside a batch.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms k; None means as many as columns.
    alpha : float, default=1
        The price of |z|_1, in units of X. Larger: sparser codes.
    max_iter : int, default=1000
        Passes over the rows, at the most.
    fit_algorithm : {'lars', 'cd', 'omp'}, default='lars'
        As in `DictionaryLearning`.
    n_jobs : int or None, default=None
        Accepted for compatibility with scikit-learn; ignored: see `lowdim.set_config(threads=...)`.
    batch_size : int, default=256
        Rows of a batch. Smaller: atoms move sooner, each row costs more.
    shuffle : bool, default=True
        Whether rows in memory are taken in random order. Streams and Dask come in their own.
    dict_init : array of shape (k, d), default=None
        The first atoms; None means singular vectors of X, and rows where more are asked for.
    transform_algorithm, transform_n_nonzero_coefs, transform_alpha
        As in `DictionaryLearning`.
    verbose : bool, default=False
        Above 0: show progress bars, also where none would be (`lowdim.set_config(progress=...)`).
    split_sign : bool, default=False
        Whether codes are twice as long: their positive parts, then the sizes of negative ones.
    random_state : int, Generator, RandomState or None, default=None
        For the order of the rows, and for which rows become atoms.
    positive_code, positive_dict, transform_max_iter
        As in `DictionaryLearning`.
    callback : callable, default=None
        Called after each batch with a dict of `dictionary`, `batch_cost` and `i`.
    tol : float, default=1e-3
        Stop when a batch moves the atoms by less: |D - D_before| / k. 0 never stops for this.
    max_no_improvement : int or None, default=10
        Stop after so many batches without a lower cost, averaged over about the last pass; None
        never stops for this.
    transform_max_error : float or None, default=None
        |x - z D| / |x| at the most in `transform`: a row gets as many atoms as that takes.
    sparse_output : bool, default=False
        Whether `transform` gives a `csr_array`.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        The atoms.
    n_iter_ : int
        Passes over the rows.
    n_steps_ : int
        Batches that were learned from.
    history_ : ndarray of shape (n_iter_,)
        The objective of a row, on average over each pass, each when it was met. It may rise.
    converged_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    DictionaryLearning : all rows in each iteration: a lower objective.
    KSVD : a fixed number of non-zeros, and missing values.

    Notes
    -----
    scikit-learn counts all batches alike for the first `batch_size` steps; here older ones count
    less, which needs fewer passes. An atom that no row has used for a while becomes a row of the
    batch that is coded worst, where scikit-learn draws one at once.

    References
    ----------
    Mairal, Bach, Ponce and Sapiro (2010), Online learning for matrix factorization and sparse
    coding (algorithm 1).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import MiniBatchDictionaryLearning
    >>> random = np.random.default_rng(0)
    >>> atoms = random.normal(size=(6, 4))
    >>> atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    >>> codes = random.normal(size=(2000, 6)) * (random.random((2000, 6)) < 0.2)
    >>> model = MiniBatchDictionaryLearning(6, alpha=0.05, random_state=0).fit(codes @ atoms)
    >>> model.components_.shape, bool(model.n_steps_ >= 8)
    ((6, 4), True)
    """

    shapes: ClassVar[dict] = {
        **DictionaryModel.shapes,
        "n_steps_": (),
        "_learned": {"atoms": ("k", "d"), "sums": SUMS, "idle": ("k",), "steps": ()},
        "_unit": (),
    }

    _parameter_constraints: ClassVar[dict] = {
        **DictionaryModel._parameter_constraints,
        "batch_size": [AT_LEAST_1],
        "shuffle": ["boolean"],
        "max_no_improvement": [AT_LEAST_0, None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        alpha=1,
        max_iter=1_000,
        fit_algorithm="lars",
        n_jobs=None,
        batch_size=256,
        shuffle=True,
        dict_init=None,
        transform_algorithm="omp",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        verbose=False,
        split_sign=False,
        random_state=None,
        positive_code=False,
        positive_dict=False,
        transform_max_iter=1000,
        callback=None,
        tol=1e-3,
        max_no_improvement=10,
        transform_max_error=None,
        sparse_output=False,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.fit_algorithm = fit_algorithm
        self.n_jobs = n_jobs
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.dict_init = dict_init
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.callback = callback
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.transform_max_error = transform_max_error
        self.sparse_output = sparse_output

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the atoms, by passes over batches of rows.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        how = How(self._coder(rows.n_columns), self.positive_dict)
        unit = unit_of(rows)
        how = how._replace(coder=how.coder.in_unit(unit))
        random = random_generator(self.random_state)
        start = self._first_atoms(measured(rows, unit), weight, random)
        n = rows.shape[0]
        order = random.permutation(n) if self.shuffle and rows.in_memory is not None else None
        total = float(n if weight is None else weight.sum())
        quiet = min(MOST_QUIET, n / min(self.batch_size, n))
        stopping = Stopping(self.tol, self.max_no_improvement, total, quiet)
        loop = iterate(self, first_state(start), max_iter=self.max_iter, tol=self.tol)
        for state in loop:
            batches = _batches(rows, self.batch_size, weight, order, unit)
            loop.params = one_pass(batches, state, how, stopping, self._after_batch)
            with np.errstate(over="ignore"):
                cost = loop.params.cost * np.float64(unit) ** 2
            loop.record(min(cost, np.finfo(float).max), 0.0 if loop.params.stopped else np.inf)
        self._publish(loop.params.learned, unit)
        return self

    @fitting
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from these rows, too, as one batch; the first call starts from them."""
        begins = not hasattr(self, "_learned")
        rows = self.open_rows(X, reset=begins)
        weight = check_weights(sample_weight, rows)
        how = How(self._coder(rows.n_columns), self.positive_dict)
        unit = unit_of(rows) if begins else self._unit
        how = how._replace(coder=how.coder.in_unit(unit))
        batch = measured(rows, unit)
        if begins:
            random = random_generator(self.random_state)
            learned = first_learned(self._first_atoms(batch, weight, random))
        else:
            learned = with_own_sums(Learned(*self._learned))
        if batch.in_memory is None:
            learned = folded_step(batch, weight, learned, how)
        else:
            learned = online_step(batch.in_memory, weight, learned, how).learned
        self._publish(learned, unit)
        return self

    @property
    def _A(self) -> np.ndarray:
        """sum zz' (k, k), under scikit-learn's name for it and in the dtype of the rows."""
        return self._in_units_of_rows(self._learned.sums.zz)

    @property
    def _B(self) -> np.ndarray:
        """sum xz' (d, k), likewise."""
        return self._in_units_of_rows(self._learned.sums.zx.T)

    def _in_units_of_rows(self, sums: np.ndarray) -> np.ndarray:
        return (sums * self._unit**2).astype(self.components_.dtype)

    def _publish(self, learned: Learned, unit: float) -> None:
        self._learned, self._unit = learned, unit
        self.components_, self.n_steps_ = learned.atoms, learned.steps

    def _after_batch(self, learned: Learned, cost: float) -> None:
        self._call_back(dictionary=learned.atoms, batch_cost=cost, i=learned.steps - 1)


def _batches(
    rows: Blocks, size: int, weight: np.ndarray | None, order: np.ndarray | None, unit: float
) -> Iterator[tuple[np.ndarray, Any]]:
    """Batches of rows with their weights, in this unit, and in this order if there is one."""
    if order is None:
        yield from measured(rows, unit).batches(size, along=(weight,))
        return
    for start in range(0, len(order), size):
        which = order[start : start + size]
        X = rows.in_memory[which]
        yield X if unit == 1.0 else in_unit(X, unit), None if weight is None else weight[which]
