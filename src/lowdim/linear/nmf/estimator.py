"""NMF: rows as sums of parts, X = W H with nothing negative.

    minimise over W, H >= 0     J = D(X | W H) + penalties          (`objective.py`)

    fixed H:  each row's code is a small non-negative problem of its own
    fixed W:  each column of H likewise

Inside, V = H' (d, k): both halves are then the same problem.

    objective.py      J, its unit
    data.py           products of X with the factors, in memory and by blocks
    start.py          the first factors
    alternation.py    "cd": the two halves on squares, carried on and restarted
    hals.py           coordinate descent
    divergence.py     beta-divergences
    mu.py             "mu": multiplicative updates for all of them
    codes.py          codes and errors of rows
    exact.py          codes on squares: non-negative least squares to the last digit
    counts.py         codes for Kullback-Leibler, likewise
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import check_codes, check_weights
from lowdim.linalg.products import dense_times
from lowdim.linear.nmf.alternation import Settings, change, first_state, step, sweeps_for
from lowdim.linear.nmf.codes import Coding, encode, sum_errors
from lowdim.linear.nmf.data import computed, data_of
from lowdim.linear.nmf.given import given_factors
from lowdim.linear.nmf.hals import descend
from lowdim.linear.nmf.mu import MuSettings, floor_of, mu_change, mu_start, mu_step, size_of
from lowdim.linear.nmf.objective import (
    Penalties,
    Penalty,
    Units,
    beta_of,
    in_unit,
    penalties,
    refuse_negative,
    units_of,
)
from lowdim.linear.nmf.start import Factors, start_from


class NMF(Transformer, Estimator):
    """Non-negative matrix factorisation: rows are sums of a few parts.

    Minimises  D(X | W H)      + alpha_W d (l1_ratio |W|_1 + 1/2 (1 - l1_ratio) |W|^2)
                               + alpha_H n (l1_ratio |H|_1 + 1/2 (1 - l1_ratio) |H|^2)
               over W (n, k) and H (k, d), both 0 or more; D is 1/2 |X - W H|^2, or another
               beta-divergence.

    Cost: O(N k) per iteration for N entries (stored ones, if X is sparse), on all cores. Memory:
    two codes of every row, also for streams and Dask; a sparse X is kept twice, by rows and by
    columns. J has many local minima: another start may end in another one.

    Parameters
    ----------
    n_components : int, 'auto' or None, default='auto'
        Number of parts k. 'auto' takes that of W and H, if they are given, else, like None, the
        number of columns.
    init : {None, 'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default=None
        'nndsvd': singular vectors of X split by sign, with many zeros; 'nndsvda' and 'nndsvdar'
        put a small constant or small random values there; 'random': random values; 'custom': the W
        and H that `fit` is given. None means 'nndsvda' if k is at most min(n, d), else 'random'.
    solver : {'cd', 'mu'}, default='cd'
        'cd': coordinate descent, for squares only. 'mu': multiplicative updates, for every
        `beta_loss`. Both are carried on in the direction of the last step.
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
        Accepted for compatibility with scikit-learn; ignored: `lowdim.set_config(progress=True)`
        shows progress.
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
    ALS : non-negative factors of a matrix of which few entries are observed.

    Notes
    -----
    `transform` finds the minimiser of J over the code to about ten digits (squares and
    Kullback-Leibler), and `fit_transform` ends with it. In scikit-learn both stop on the way, and
    differ.

    References
    ----------
    Gillis and Glineur (2012), Accelerated multiplicative updates and hierarchical ALS algorithms
    for nonnegative matrix factorization. Ang and Gillis (2019), Accelerating nonnegative matrix
    factorization algorithms using extrapolation. Fevotte and Idier (2011), Algorithms for
    nonnegative matrix factorization with the beta-divergence. Hien, Leplat and Gillis (2025), Block
    majorization minimization with extrapolation and application to beta-NMF. Kim and Park (2011),
    Fast nonnegative matrix factorization: an active-set-like method and comparisons. Boutsidis and
    Gallopoulos (2008), SVD based initialization.

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

    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "components_": ("k", "d"),
        "n_components_": "k",
        "reconstruction_err_": (),
        "_penalty": {"l1": (), "l2": ()},
        "_unit": (),
        "_floor": (),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, StrOptions({"auto"}), None],
        "init": [StrOptions({"random", "nndsvd", "nndsvda", "nndsvdar", "custom"}), None],
        "solver": [StrOptions({"cd", "mu"})],
        "beta_loss": [
            StrOptions({"frobenius", "kullback-leibler", "itakura-saito"}),
            Real,
        ],
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "random_state": RANDOM_STATE,
        "alpha_W": [NOT_NEGATIVE],
        "alpha_H": [NOT_NEGATIVE, StrOptions({"same"})],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "verbose": [AT_LEAST_0, "boolean"],
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
    def fit(self, X, y=None, sample_weight=None, W=None, H=None):
        """Learn the parts.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            0 or more.
        y : accepted for compatibility with scikit-learn; ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        W : array of shape (n, k), default=None
            First codes, for init='custom'.
        H : array of shape (k, d), default=None
            First components, for init='custom'.
        """
        self._learn(X, sample_weight, W, H)
        return self

    @fitting
    def fit_transform(self, X, y=None, sample_weight=None, W=None, H=None):
        """Learn the parts, and return the codes of X: the same as `fit(X).transform(X)`."""
        return self._learn(X, sample_weight, W, H)

    def _learn(self, X, sample_weight, W, H):
        self._check_loss()
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        units = units_of(rows, weight, beta_of(self.beta_loss), type(self).__name__)
        data, random = data_of(rows, weight, units.unit), random_generator(self.random_state)
        start = self._start(data, units, random, W, H)
        of = penalties(self, units, rows.n_columns)
        if self.solver == "mu":
            measured = rows if units.unit == 1.0 else rows.seen(in_unit, units.unit)
            V = self._alternate_by_updates(measured, weight, start, of, units)
        else:
            V = self._alternate(data, start, random, of, units)
        return self._publish(rows, weight, V, units, of.W)

    def _alternate(
        self, data: Any, start: Factors, random: Any, of: Penalties, units: Units
    ) -> np.ndarray:
        d, k = start.V.shape
        squares, sweeps = data.squares(), sweeps_for(units, d, k)
        settings = Settings(descend, of, squares, sweeps, self.shuffle, carry=True)
        size = 0.5 * squares or 1.0
        first = first_state(start, random)
        loop = iterate(self, first, max_iter=self.max_iter, tol=self.tol)
        for state in loop:
            loop.params = step(data, state, settings)
            loop.record(loop.params.loss / size, change(loop.params))
        return loop.params.V

    def _alternate_by_updates(
        self, rows: Blocks, weight: Any, start: Factors, of: Penalties, units: Units
    ) -> np.ndarray:
        settings = MuSettings(units.beta, of, floor_of(units, rows.dtype))
        size = float(rows.fold(size_of, units.beta, along=(weight,))) or 1.0
        loop = iterate(self, mu_start(start), max_iter=self.max_iter, tol=self.tol)
        for state in loop:
            loop.params = mu_step(rows, weight, state, settings)
            loop.record(loop.params.loss / size, mu_change(loop.params))
        return loop.params.V

    def _publish(
        self, rows: Blocks, weight: Any, V: np.ndarray, units: Units, penalty: Penalty
    ) -> Any:
        """Set what was learned; the codes of all rows."""
        self.components_ = np.ascontiguousarray(V.T * V.dtype.type(units.root))
        self.n_components_ = V.shape[1]
        self._penalty, self._unit = penalty, units.unit
        self._floor = floor_of(units, rows.dtype)
        by = self._coding()
        W = rows.map(encode, by)
        loss = rows.fold(sum_errors, by, along=(weight, computed(W)))
        self.reconstruction_err_ = self._error(loss)
        return W

    # ---- encode, decode, judge -------------------------------------------------------------------

    def transform(self, X):
        """Codes W of rows: the minimiser of J, given the components."""
        rows = self.open_rows(X, reset=False)
        return rows.checked(refuse_negative, type(self).__name__).map(encode, self._coding())

    def inverse_transform(self, X):
        """Rows W H of codes W."""
        check_is_fitted(self)
        W = check_codes(self, X, len(self.components_))
        return dense_times(W, self.components_)

    def score(self, X, y=None, sample_weight=None):
        """Minus the root of the mean of (x - x_hat)^2 over all entries, in units of X.

        For another `beta_loss`, minus the root of twice the mean divergence of an entry.
        """
        rows = self.open_rows(X, reset=False).checked(refuse_negative, type(self).__name__)
        weight = check_weights(sample_weight, rows)
        loss = rows.fold(sum_errors, self._coding(), along=(weight, None))
        count = rows.shape[0] if weight is None else weight.sum()
        return -self._error(loss / (count * rows.n_columns))

    # ---- inside ----------------------------------------------------------------------------------

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    @property
    def _n_components(self):
        return self.n_components_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _coding(self) -> Coding:
        by = Coding(self.components_.T, self._penalty, self._unit, self._beta, self._floor)
        return by._replace(V=by.V.astype(np.float64) / by.root)

    def _error(self, loss: float) -> float:
        """The root of twice a divergence, in the units of the user."""
        return float(self._unit ** (self._beta / 2.0) * np.sqrt(2.0 * max(loss, 0.0)))

    @property
    def _beta(self):
        return beta_of(self.beta_loss)

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

    def _start(self, data: Any, units: Units, random: Any, W: Any, H: Any) -> Factors:
        if self.init == "custom":
            return given_factors(W, H, self.n_components, data, units.root)
        k = data.shape[1] if self.n_components in ("auto", None) else self.n_components
        return start_from(self.init, data, k, units, random)
