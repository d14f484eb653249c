"""NMF: rows as sums of parts, X = W H with nothing negative.

    minimise over W, H >= 0     J = D(X | W H) + penalties          (`objective.py`)

    fixed H:  each row's code is a small non-negative problem of its own
    fixed W:  each column of H likewise

Inside, V = H' (d, k): both halves are then the same problem.

    objective.py      J, its unit
    start.py          the first factors; given.py: those of the user
    learning.py       which alternation a solver and a loss take, and its loop
    alternation.py    the two halves on squares, carried on and restarted
    half.py           what a half-step asks of the data, and what it gets
    data.py           complete rows: products with the factors, in memory and by blocks
    entries.py        rows with missing values and weights by entry, likewise
    solvers.py        "cd", "bpp", "als": the small problems, with one matrix for all
    hals.py           coordinate descent
    exact.py          non-negative least squares to the last digit
    observed.py       the small problems of observed entries, each with its own matrix
    divergence.py     beta-divergences
    mu.py             "mu": multiplicative updates for all of them
    coordinates.py    coordinate descent for Kullback-Leibler
    positive.py       its two halves, in memory and by blocks
    counts.py         codes for Kullback-Leibler, to the last digit
    codes.py          codes and errors of rows
    uncertainty.py    how entries and codes vary
    filling.py        what it fills in, and how certain it is
    model.py          what NMF and MiniBatchNMF share
    online.py         the steps of MiniBatchNMF
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, ClassVar

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import StrOptions
from lowdim.core.imputation import ImputeMixin
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import check_weights
from lowdim.linear.nmf.codes import encode, encode_entries, sum_entry_errors, sum_errors
from lowdim.linear.nmf.data import computed, data_of
from lowdim.linear.nmf.entries import Counted, counted_entries, observed_data
from lowdim.linear.nmf.filling import fill, fill_with_std
from lowdim.linear.nmf.given import given_components
from lowdim.linear.nmf.learning import Problem, Solver, learn_factors
from lowdim.linear.nmf.model import PartsModel
from lowdim.linear.nmf.objective import (
    beta_of,
    in_pieces,
    penalties,
    refuse_negative,
    units_of,
)
from lowdim.linear.nmf.uncertainty import (
    Noise,
    entries_of_rows,
    learned_noise,
    sample_of,
    spread_of,
    typical_rows,
)


class NMF(ImputeMixin, PartsModel):
    """Non-negative matrix factorisation: rows are sums of a few parts.

    Minimises over W (n, k) and H (k, d), both 0 or more::

        D(X | W H) + alpha_W d (l1_ratio |W|_1 + 1/2 (1 - l1_ratio) |W|^2)
                   + alpha_H n (l1_ratio |H|_1 + 1/2 (1 - l1_ratio) |H|^2)

    D is 1/2 |X - W H|^2, or another beta-divergence, summed over the observed entries: NaN are
    missing.

    Cost: O(N k) per iteration for N entries (stored ones, if X is sparse), on all cores. Memory:
    two codes of every row, also for streams and Dask; a sparse X is kept twice, by rows and by
    columns. With missing values an iteration takes a few times as long, and on streams and Dask
    memory for d k^2 numbers. J has many local minima: another start may end in another one.

    Parameters
    ----------
    n_components : int, 'auto' or None, default='auto'
        Number of parts k. 'auto' takes that of W and H, if they are given, else, like None, the
        number of columns.
    init : {None, 'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default=None
        'nndsvd': singular vectors of X split by sign, with many zeros; 'nndsvda' and 'nndsvdar'
        put a small constant or small random values there; 'random': random values; 'custom': the W
        and H that `fit` is given. None means 'nndsvda' if k is at most min(n, d), else 'random'.
    solver : {'cd', 'mu', 'bpp', 'als'}, default='cd'
        'cd': coordinate descent; 'bpp': each half-step exactly, by block principal pivoting: fewer
        iterations, each slower; 'als': least squares, negative values set to 0: quick and rough, it
        need not settle, and the best factors are kept. These three are for squares. 'mu': for every
        `beta_loss`, by multiplicative updates; Kullback-Leibler without missing values by Newton's
        steps for one coordinate after the other. All but 'als' are carried on in the direction of
        the last step.
    beta_loss : {'frobenius', 'kullback-leibler', 'itakura-saito'} or float, default='frobenius'
        What is minimised: the beta-divergence of X and W H. 'frobenius' (2): squares;
        'kullback-leibler' (1): for counts; 'itakura-saito' (0): relative errors. With 0 or less X
        may have no zeros. Others than 2 and 1 write a sparse X out, some rows at a time.
    tol : float, default=1e-4
        Stop when the projected gradient is this part of the first one, or when an iteration lowers
        J by this part of all that it fell since the first iteration. Smaller: a better fit, slower.
    max_iter : int, default=200
    random_state : int, Generator, RandomState or None, default=None
        For random starts, and for `shuffle`.
    alpha_W : float, default=0.0
        How much codes cost. Larger: smaller codes.
    alpha_H : float or 'same', default='same'
        How much components cost; 'same' means as much as codes.
    l1_ratio : float, default=0.0
        Between 0 (squares cost: all entries shrink) and 1 (absolute values cost: more zeros).
    verbose : int, default=0
        Above 0: show progress bars, also where none would be (`lowdim.set_config(progress=...)`).
    shuffle : bool, default=False
        Whether coordinates are taken in another random order in each iteration.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        H: the parts.
    n_components_ : int
    reconstruction_err_ : float
        |X - W H|, for other losses sqrt(2 D), with the codes that `transform` gives.
    history_ : ndarray of shape (n_iter_,)
        J after each iteration as a part of 1/2 sum x^2 (other losses: of sum x^beta, or of the
        number of entries where beta is 0 or less); never rises.
    n_iter_, converged_ : int, bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    PCA : the best fit of k components that may be negative.
    MiniBatchNMF : learns from a part of the rows at a time.
    ALS : non-negative factors of a sparse matrix whose stored entries are the observed ones.

    Notes
    -----
    `transform` finds the minimiser of J over the code to about ten digits (squares and
    Kullback-Leibler), and `fit_transform` ends with it. In scikit-learn both stop on the way, and
    differ. Of a row with missing values it explains what is observed; where several codes do that
    equally well it is one near the mean code of the fitted rows, which is also the code of a row
    without any value. With `entry_weight`, `fit_transform` codes rows with their weights, which
    `transform` does not know.

    References
    ----------
    Gillis and Glineur (2012), Accelerated multiplicative updates and hierarchical ALS algorithms
    for nonnegative matrix factorization. Ang and Gillis (2019), Accelerating nonnegative matrix
    factorization algorithms using extrapolation. Fevotte and Idier (2011), Algorithms for
    nonnegative matrix factorization with the beta-divergence. Hien, Leplat and Gillis (2025), Block
    majorization minimization with extrapolation and application to beta-NMF. Kim and Park (2011),
    Fast nonnegative matrix factorization: an active-set-like method and comparisons. Hsieh and
    Dhillon (2011), Fast coordinate descent methods with variable selection for non-negative matrix
    factorization. Yu, Hsieh, Si
    and Dhillon (2012), Scalable coordinate descent approaches to parallel matrix factorization for
    recommender systems. Boutsidis and Gallopoulos (2008), SVD based initialization.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import NMF
    >>> parts = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 1.0]])
    >>> X = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 1.0], [1.0, 1.0]]) @ parts
    >>> model = NMF(2).fit(X)
    >>> (model.components_ > 1e-6).astype(int)
    array([[0, 0, 1, 1],
           [1, 1, 0, 0]])
    """

    accepts_nan: ClassVar[bool] = True
    # arguments that `lowdim warmup` tries together, beside each for itself
    warmed_together: ClassVar[tuple[dict, ...]] = (
        {"solver": "mu", "beta_loss": "kullback-leibler"},
    )

    shapes: ClassVar[dict] = {
        **PartsModel.shapes,
        "_noise": {"variance": (), "codes": ("k", "k")},
        "_usual_code": Maybe(("k",)),  # earlier files have none
    }

    _parameter_constraints: ClassVar[dict] = {
        **PartsModel._parameter_constraints,
        "solver": [StrOptions({"cd", "mu", "bpp", "als"})],
        "shuffle": ["boolean"],
    }

    def __init__(
        self,
        n_components="auto",
        *,
        init=None,
        solver="cd",
        beta_loss="frobenius",
        tol=1e-4,
        max_iter=200,
        random_state=None,
        alpha_W=0.0,
        alpha_H="same",
        l1_ratio=0.0,
        verbose=0,
        shuffle=False,
    ):
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None, entry_weight=None, W=None, H=None):
        """Learn the parts.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            0 or more; NaN are missing. Entries that a sparse matrix does not store are zeros.
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        entry_weight : array or sparse matrix of shape (n, d), default=None
            How much each entry counts; one of weight 0, or that a sparse matrix does not store, is
            missing. For X in memory; a sparse X needs a sparse one to stay sparse.
        W : array of shape (n, k), default=None
            First codes, for init='custom'.
        H : array of shape (k, d), default=None
            First components, for init='custom'.
        """
        self._learn(X, sample_weight, entry_weight, W, H)
        return self

    @fitting
    def fit_transform(self, X, y=None, sample_weight=None, entry_weight=None, W=None, H=None):
        """Learn the parts, and return the codes of X: the same as `fit(X).transform(X)`."""
        rows, codes, weighed = self._learn(X, sample_weight, entry_weight, W, H)
        if rows.all_rows is rows:
            return codes
        if not weighed:
            return in_pieces(rows.all_rows).map(encode, self._coding())
        every = np.repeat(self._mean_code[None], rows.all_rows.shape[0], axis=0)
        every = every.astype(codes.dtype)
        every[rows.part_of(np.arange(len(every)))] = codes
        return every

    @fitting
    def codes_for(self, X, H):
        """Codes of X for given components, which are not learned: the minimiser of J in W.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            0 or more.
        H : array of shape (k, d)
            What `components_` is then.

        Returns
        -------
        W : array of shape (n, k)
        """
        self._check_loss()
        name = type(self).__name__
        rows = self.open_rows(X).checked(refuse_negative, name)
        H = given_components(H, self.n_components, rows.n_columns, rows.dtype)
        units = units_of(rows, None, beta_of(self.beta_loss), name)
        of = penalties(self, units, rows.n_columns)
        self._set_components(rows, H.T / H.dtype.type(units.root), units, of.W)
        return in_pieces(rows).map(encode, self._coding())

    def _learn(self, X, sample_weight, entry_weight, W, H):
        """The rows, their codes, and whether entries have weights."""
        self._check_loss()
        name = type(self).__name__
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        beta, counted = beta_of(self.beta_loss), None
        if entry_weight is None:
            units = units_of(rows, weight, beta, name)
            counted = counted_entries(rows, None, name) if units.missing else None
        else:
            counted = counted_entries(rows, entry_weight, name)
            units = units_of(counted.rows, weight, beta, name, only_stored=True)
        data: Any = (
            data_of(rows, weight, units.unit)
            if counted is None
            else observed_data(counted, weight, units.unit)
        )
        random = random_generator(self.random_state)
        W = None if W is None else rows.part_of(W)
        of = penalties(self, units, rows.n_columns)
        problem = Problem(rows, counted, weight, units, of)
        solver = Solver(self.solver, self.shuffle)
        begin = partial(self._start, data, units, random, W, H)
        found = learn_factors(self, problem, data, begin, random, solver)
        del data, begin  # copies of entries are no longer needed
        self._set_components(rows, found.V, units, of.W)
        usual: Any = slice(None)
        if counted is not None:
            usual = typical_rows(computed(counted.rows.map(entries_of_rows)))
        of_usual = None if weight is None else weight[usual]
        self._set_mean_code(found.W[usual], of_usual, units.root)
        del found
        return rows, self._publish(rows, counted, weight, usual), entry_weight is not None

    def _publish(self, rows: Blocks, counted: Counted | None, weight: Any, usual: Any) -> Any:
        """Set what follows from the components; the codes of the rows, of which some are usual."""
        entries = rows if counted is None else counted.rows
        of_usual = None if weight is None else weight[usual]
        by = self._coding()
        if counted is None:
            pieces = in_pieces(rows)
            codes = pieces.map(encode, by)
            W = computed(codes)
            errors = pieces.fold(sum_errors, by, along=(weight, W))
        else:
            codes = entries.map(encode_entries, by, along=(counted.weight,))
            W = computed(codes)
            errors = entries.fold(sum_entry_errors, by, along=(weight, W, counted.weight))
        self.reconstruction_err_ = self._error(errors.loss)
        d, k = by.V.shape
        some = sample_of(len(W), d, k, complete=counted is None)
        self._noise, usual_code = learned_noise(
            entries.take(some),
            by,
            W[some],
            spread_of(W[usual], of_usual, by.root),
            max(errors.count / d, 1.0),
            observed_only=counted is not None,
            by_entry=None if counted is None or counted.weight is None else counted.weight[some],
        )
        self._usual_code = usual_code * by.root
        return codes

    # ---- fill in ---------------------------------------------------------------------------------

    def _rows_to_fill(self, X: Any) -> Blocks:
        return self.open_rows(X, reset=False).checked(refuse_negative, type(self).__name__)

    def _filling(self, return_std: bool) -> tuple:
        usual = getattr(self, "_usual_code", self._mean_code)
        by = self._coding()
        by = by._replace(mean=usual.astype(np.float64) / by.root)
        return fill_with_std if return_std else fill, by, Noise(*self._noise)

    def _check_loss(self):
        if self.solver != "mu" and beta_of(self.beta_loss) != 2.0:
            raise ValueError(
                f"Invalid beta_loss parameter: solver {self.solver!r} does not handle beta_loss = "
                f"{self.beta_loss!r}. Choose solver='mu'."
            )
        if self.solver == "mu" and self.init == "nndsvd":
            warnings.warn(
                "The multiplicative update ('mu') solver cannot update zeros present in the "
                "initialization, and so leads to poorer results when used jointly with "
                "init='nndsvd'. You may try init='nndsvda' or init='nndsvdar' instead.",
                UserWarning,
                stacklevel=level_of_caller(),
            )
