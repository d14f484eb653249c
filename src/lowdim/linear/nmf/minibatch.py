"""MiniBatchNMF: NMF that learns from a part of the rows at a time.

    minimise over H >= 0     sum_i min_w D(x_i | w'H) + penalties

Each batch is coded and added to sums from which H follows; the sums of earlier batches count less
and less (`online.py`).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, Interval, Real
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.shapes import Either
from lowdim.core.validation import check_weights
from lowdim.linear.nmf.alternation import EXACT
from lowdim.linear.nmf.codes import encode, sum_errors
from lowdim.linear.nmf.data import computed, data_of
from lowdim.linear.nmf.learning import Problem, Solver, learn_factors
from lowdim.linear.nmf.model import PartsModel
from lowdim.linear.nmf.mu import floor_of, size_of
from lowdim.linear.nmf.objective import (
    Penalties,
    Penalty,
    Units,
    beta_of,
    in_pieces,
    in_unit,
    penalties,
    units_of,
)
from lowdim.linear.nmf.online import (
    How,
    Learned,
    first_learned,
    first_state,
    one_pass,
    online_step,
    pass_change,
)
from lowdim.linear.nmf.start import Factors

SUMS = {"pull": ("d", "k"), "push": Either((("k", "k"), ("d", "k"))), "weight": ()}


class MiniBatchNMF(PartsModel):
    """Non-negative matrix factorisation of many rows, some at a time.

    Minimises what NMF does, D(X | W H) + penalties, by steps over batches of rows: codes of the
    batch, then H from sums over all batches, in which older ones count less.

    Cost: O(N k) per pass for N entries; fewer passes than NMF takes iterations where rows are many
    and alike. Memory: one code of every row (none with fresh_restarts=True) and a batch. With
    `partial_fit` rows are seen once, and only the sums are kept.

    Parameters
    ----------
    n_components : int, 'auto' or None, default='auto'
        Number of parts k. 'auto' takes that of W and H, if they are given, else, like None, the
        number of columns.
    init : {None, 'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default=None
        As in `NMF`.
    batch_size : int, default=1024
        Rows of a batch. Smaller: H moves sooner, each row costs more.
    beta_loss : {'frobenius', 'kullback-leibler', 'itakura-saito'} or float, default='frobenius'
        As in `NMF`.
    tol : float, default=1e-4
        Stop when a batch, on average over a pass, lowers J by less than this part of it.
    max_no_improvement : int or None, default=10
        Stop after so many batches in a row without a lower sum of all batches' objectives; None
        never stops for this.
    max_iter : int, default=200
        Passes over the rows, at the most.
    alpha_W, alpha_H, l1_ratio : float
        As in `NMF`.
    forget_factor : float, default=0.7
        Of the sums, what is left after a pass. 1 forgets nothing; smaller follows rows that change.
    fresh_restarts : bool, default=False
        Whether the codes of a batch start at 0 each time, and are not kept.
    fresh_restarts_max_iter : int, default=30
        Sweeps over the codes of a batch, at the most.
    transform_max_iter : int or None, default=None
        Accepted for compatibility with scikit-learn; ignored: codes are exact.
    random_state : int, Generator, RandomState or None, default=None
        For random starts.
    verbose : bool or int, default=0
        Above 0: show progress bars, also where none would be (`lowdim.set_config(progress=...)`).

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        H: the parts.
    n_components_ : int
    reconstruction_err_ : float
        |X - W H|, for other losses sqrt(2 D), with the codes that `transform` gives; after
        `partial_fit`, of the rows of the last call.
    n_iter_ : int
        Passes over the rows.
    n_steps_ : int
        Batches that were learned from.
    history_ : ndarray of shape (n_iter_,)
        The sum of the batches' objectives, each when it was met, as a part of 1/2 sum x^2 (other
        losses: of sum x^beta). It may rise.
    converged_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    NMF : all rows in each iteration: a lower J; missing values.

    Notes
    -----
    scikit-learn moves the codes of a batch by one update, and stops when a smoothed cost has not
    fallen for some batches, which rows in some order imitate. Here codes are solved, and the cost
    is over all batches. With forget_factor=0 and one batch of all rows (fresh_restarts=False), for
    other losses than squares, it is `NMF` with solver='mu', its `tol` included; the codes then
    start at W.

    References
    ----------
    Mairal, Bach, Ponce and Sapiro (2010), Online learning for matrix factorization and sparse
    coding (algorithm 1). Lefevre, Bach and Fevotte (2011), Online algorithms for nonnegative matrix
    factorization with the Itakura-Saito divergence.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import NMF, MiniBatchNMF
    >>> random = np.random.default_rng(0)
    >>> X = random.gamma(1.0, size=(500, 3)) @ random.gamma(1.0, size=(3, 20))
    >>> X += 0.1 * random.random(X.shape)
    >>> model, whole = MiniBatchNMF(3, batch_size=50).fit(X), NMF(3).fit(X)
    >>> bool(model.reconstruction_err_ < 1.05 * whole.reconstruction_err_)
    True
    """

    filled_by: ClassVar[str] = "NMF"  # with nothing negative

    shapes: ClassVar[dict] = {
        **PartsModel.shapes,
        "n_steps_": (),
        "_learned": {"V": ("d", "k"), "sums": SUMS, "steps": ()},
    }

    _parameter_constraints: ClassVar[dict] = {
        **PartsModel._parameter_constraints,
        "batch_size": [AT_LEAST_1],
        "max_no_improvement": [AT_LEAST_1, None],
        "forget_factor": [Interval(Real, 0, 1, closed="both")],
        "fresh_restarts": ["boolean"],
        "fresh_restarts_max_iter": [AT_LEAST_1],
        "transform_max_iter": [AT_LEAST_1, None],
    }

    def __init__(
        self,
        n_components="auto",
        *,
        init=None,
        batch_size=1024,
        beta_loss="frobenius",
        tol=1e-4,
        max_no_improvement=10,
        max_iter=200,
        alpha_W=0.0,
        alpha_H="same",
        l1_ratio=0.0,
        forget_factor=0.7,
        fresh_restarts=False,
        fresh_restarts_max_iter=30,
        transform_max_iter=None,
        random_state=None,
        verbose=0,
    ):
        self.n_components = n_components
        self.init = init
        self.batch_size = batch_size
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.max_iter = max_iter
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor
        self.fresh_restarts = fresh_restarts
        self.fresh_restarts_max_iter = fresh_restarts_max_iter
        self.transform_max_iter = transform_max_iter
        self.random_state = random_state
        self.verbose = verbose

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None, W=None, H=None):
        """Learn the parts, by passes over batches of rows.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            0 or more.
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        W : array of shape (n, k), default=None
            First codes, for init='custom'; only their number of components is used (but see Notes).
        H : array of shape (k, d), default=None
            First components, for init='custom'.
        """
        self._learn(X, sample_weight, W, H)
        return self

    @fitting
    def fit_transform(self, X, y=None, sample_weight=None, W=None, H=None):
        """Learn the parts, and return the codes of X: the same as `fit(X).transform(X)`."""
        return self._learn(X, sample_weight, W, H)

    @fitting
    def partial_fit(self, X, y=None, sample_weight=None, W=None, H=None):
        """Learn from these rows, too, as one batch.

        The first call starts from them; afterwards W and H are ignored.
        """
        begins = not hasattr(self, "_learned")
        rows = self.open_rows(X, reset=begins)
        weight = check_weights(sample_weight, rows)
        units = units_of(rows, weight, beta_of(self.beta_loss), type(self).__name__)
        if begins:
            start = self._start(
                data_of(rows, weight, units.unit), units, random_generator(self.random_state), W, H
            )
            learned = first_learned(start.V, units.beta)
        else:
            units = units._replace(unit=self._unit)
            learned = self._learned
        how = self._how(units, rows, self._rho(rows.shape[0], rows.shape[0]))
        for X_part, w in _in_unit(rows, units).batches(rows.shape[0], along=(weight,)):
            learned, codes, _ = online_step(X_part, w, None, learned, how)
        self._publish(rows, weight, learned, codes, units, how.alpha.W)
        return self

    def _learn(self, X, sample_weight, W, H):
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        units = units_of(rows, weight, beta_of(self.beta_loss), type(self).__name__)
        random = random_generator(self.random_state)
        data = data_of(rows, weight, units.unit)
        start = self._start(data, units, random, W, H)
        n, size = rows.shape[0], min(self.batch_size, rows.shape[0])
        alone = size == n and self.forget_factor == 0 and not self.fresh_restarts
        if alone and units.beta != 2.0:  # on squares the steps below end lower
            return self._learn_from_all_rows(rows, weight, units, data, start)
        del data  # its copies of X are no longer needed
        how = self._how(units, rows, self._rho(size, n))
        measured = _in_unit(rows, units)
        whole = float(measured.fold(size_of, units.beta, False, along=(weight,))) or 1.0
        first = first_state(start.V, units.beta, n, -(-n // size), self.fresh_restarts)
        loop = iterate(self, first, max_iter=self.max_iter, tol=self.tol, falls=True)
        del start, first  # the loop has what is needed
        for state in loop:
            batches = measured.batches(size, along=(weight,))
            loop.params = one_pass(batches, state, how, self.max_no_improvement)
            cost = loop.params.costs.sum() / whole
            loop.record(cost, 0.0 if cost <= EXACT else pass_change(loop.params, whole))
        learned, codes = loop.params.learned, loop.params.W
        del loop, state
        return self._publish(rows, weight, learned, codes, units, how.alpha.W)

    def _learn_from_all_rows(
        self, rows: Blocks, weight: Any, units: Units, data: Any, start: Factors
    ) -> Any:
        """What NMF does: one batch has all rows, and its sums are all that V follows from."""
        of = penalties(self, units, rows.n_columns)
        problem = Problem(rows, None, weight, units, of)
        found = learn_factors(self, problem, data, lambda: start, None, Solver("mu"))
        learned = first_learned(found.V, units.beta)._replace(steps=self.n_iter_)
        return self._publish(rows, weight, learned, found.W, units, of.W)

    def _publish(
        self,
        rows: Blocks,
        weight: Any,
        learned: Learned,
        found: np.ndarray,
        units: Units,
        penalty: Penalty,
    ) -> Any:
        """Set what was learned; the codes of the rows, from those found while learning."""
        self._learned, self.n_steps_ = learned, learned.steps
        self._set_components(rows, learned.V, units, penalty)
        # before codes are made: some losses start at the mean one
        if len(found):
            self._set_mean_code(found, weight, units.root)
        else:  # none were kept
            self._set_mean_code(computed(in_pieces(rows).map(encode, self._coding())), weight)
        by, rows = self._coding(), in_pieces(rows)
        codes = rows.map(encode, by)
        W = computed(codes)
        self.reconstruction_err_ = self._error(rows.fold(sum_errors, by, along=(weight, W)).loss)
        return codes

    def _how(self, units: Units, rows: Blocks, rho: float) -> How:
        of = penalties(self, units._replace(weight=1.0), rows.n_columns)
        floor = floor_of(units, rows.dtype)
        return How(units.beta, Penalties(*of), floor, rho, self.fresh_restarts_max_iter)

    def _rho(self, size: int, n: int) -> float:
        return float(self.forget_factor ** (size / n))


def _in_unit(rows: Blocks, units: Units) -> Blocks:
    return rows if units.unit == 1.0 else rows.seen(in_unit, units.unit)
