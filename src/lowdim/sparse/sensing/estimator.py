"""Compressive sensing: measure few numbers of a signal, and make it again by sparsity.

    encode    y = W x                        M numbers, M < D
    decode    x = U z,   z = argmin |z|_1    with  |y - W U z| <= noise

`fit` looks how many non-zeros rows have in the basis, from which the number of measurements
follows, and draws W. Cost: one product with U' per row; a row is decoded by basis pursuit, or by a
greedy pursuit of the same code.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Integral,
    Interval,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting
from lowdim.core.opening import as_blocks
from lowdim.core.shapes import Below, Maybe
from lowdim.core.validation import check_at_most, check_codes
from lowdim.sparse.bases.making import basis
from lowdim.sparse.bases.operator import Basis
from lowdim.sparse.bases.shapes import checked_shape
from lowdim.sparse.min_l1.problem import Problem, rounding_of
from lowdim.sparse.min_l1.solve import SOLVERS, pursue
from lowdim.sparse.sensing.coherent import check_pair
from lowdim.sparse.sensing.greedy import COUNTED, GREEDY, Pursuit, coded, open_pursuit
from lowdim.sparse.sensing.measuring import KINDS, Measurement, measurement, sensed
from lowdim.sparse.sensing.needed import measurements_needed

ENERGY = 0.9999  # share of the squares of a row that its non-zeros hold
SPARE = 2.0  # measurements beyond those at which half of all rows are found, by sqrt(L)


class CompressiveSensing(Transformer, Estimator):
    """Compressive sensing: rows are measured by few random numbers and made again by sparsity.

    `transform` measures y = W x. `inverse_transform` solves

        minimise |z|_1  over codes z with  |y - W U z| <= noise,      and gives  x = U z.

    Cost: O(n D log D) to measure by rows of a basis, O(n D M) by drawn numbers. Each row is made
    again by basis pursuit.

    Parameters
    ----------
    n_components : int or 'auto', default='auto'
        Measurements M of each row. 'auto': as many as let basis pursuit find nearly all codes of
        `n_nonzero_coefs`, which is `measurements_needed` and 2 sqrt(L) more.
    n_nonzero_coefs : int, default=None
        Non-zeros of a row in the basis, for n_components='auto' and greedy solvers; None: as many
        as hold 99.99% of the squares, on average over the rows of X ('omp', 'ols': as many as a
        row takes).
    measurement : {'gaussian', 'bernoulli', 'dct', 'dft', 'pixels'}, default='gaussian'
        What is measured, as in `sparse.measurement`. Rows of a basis ('dct', 'dft', 'pixels') need
        no memory and are fast, but must have little in common with `basis`: `fit` warns where an
        atom lies in few of their numbers, and raises where one lies in none that is measured.
    basis : str or Basis, default='dct'
        In which rows are sparse.
    signal_shape : (int, int) or int, default=None
        Height and width, if rows are pictures.
    solver : {'auto', 'lp', 'homotopy', 'admm', 'omp', 'ols', 'cosamp', 'iht'}, default='auto'
        As in `sparse.basis_pursuit`; or a greedy pursuit, as in `sparse_encode`: quicker, and sure
        for fewer non-zeros. 'omp' and 'ols' take atoms until the noise is reached, 'cosamp' and
        'iht' need a good `n_nonzero_coefs`.
    noise : float, default=0.0
        |y - W x| at the most, of each row.
    random_state : int, Generator, RandomState or None, default=None
        Draws W.

    Attributes
    ----------
    n_components_ : int
        Measurements M.
    n_nonzero_coefs_ : int
        Non-zeros that were counted on; 0 if none were: n_components was given, and the solver
        counts none.
    components_ : ndarray of shape (M, D)
        W, if it is drawn ('gaussian', 'bernoulli').
    measured_ : ndarray of shape (M,)
        The rows of the basis that are measured ('dct', 'dft', 'pixels').
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (D,), if X had names

    See Also
    --------
    PCA : measures along the directions that matter most, which must be learned from the rows.
    sparse.phase_transition : which codes are found.

    References
    ----------
    Candes, Romberg and Tao (2006); Donoho (2006).

    Examples
    --------
    >>> import numpy as np
    >>> import lowdim
    >>> waves = lowdim.sparse.basis("dct", 128).synthesize(np.eye(128)[[3, 40]] + np.eye(128)[9])
    >>> sensing = lowdim.CompressiveSensing(random_state=0).fit(waves)
    >>> sensing.n_components_
    34
    >>> np.allclose(sensing.inverse_transform(sensing.transform(waves)), waves)
    True
    """

    shapes: ClassVar[dict] = {
        "n_components_": "k",
        "n_nonzero_coefs_": (),
        "components_": Maybe(("k", "d")),
        "measured_": Maybe(Below("d", ("k",))),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, StrOptions({"auto"})],
        "n_nonzero_coefs": [AT_LEAST_1, None],
        "measurement": [StrOptions(set(KINDS))],
        "basis": [str, Basis],
        "signal_shape": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "solver": [StrOptions({*SOLVERS, *GREEDY})],
        "noise": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components="auto",
        *,
        n_nonzero_coefs=None,
        measurement="gaussian",
        basis="dct",
        signal_shape=None,
        solver="auto",
        noise=0.0,
        random_state=None,
    ):
        self.n_components = n_components
        self.n_nonzero_coefs = n_nonzero_coefs
        self.measurement = measurement
        self.basis = basis
        self.signal_shape = signal_shape
        self.solver = solver
        self.noise = noise
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None):
        """Count the non-zeros of rows and draw what is measured.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, D)
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        rows = self.open_rows(X)
        D = rows.n_columns
        U = self._basis(D)
        if self.n_components == "auto":
            self.n_nonzero_coefs_ = self._non_zeros(rows, U)
            self.n_components_ = enough(self.n_nonzero_coefs_, D, U.shape[1])
        else:
            what = f"columns of X (n_features={D})"
            self.n_components_ = check_at_most("n_components", self.n_components, D, what)
            counts = self.solver in COUNTED
            self.n_nonzero_coefs_ = self._non_zeros(rows, U) if counts else 0
        W = measurement(
            self.measurement, self.n_components_, U.signal_shape, random_state=self.random_state
        )
        check_pair(W, U, f"measurement={self.measurement!r} with basis={self.basis!r}")
        drawn = W.chosen is None
        self.components_ = W.matrix() if drawn else None
        self.measured_ = W.chosen
        return self

    def transform(self, X):
        """The measurements W x of each row."""
        rows = self.open_rows(X, reset=False)
        return rows.map(measured, self._measurement())

    def inverse_transform(self, Z):
        """Rows from their measurements, by basis pursuit or a greedy one."""
        check_is_fitted(self)
        Y = check_codes(self, Z, self.n_components_)
        W, U = self._measurement(), self._basis(self.n_features_in_)
        WU, noise = sensed(W, U), float(self.noise)
        if self.solver in GREEDY:
            pursuit = open_pursuit(WU, self.solver, self._most())
            return as_blocks(Y).map(reconstructed_greedily, pursuit, U, noise)
        return as_blocks(Y).map(reconstructed, Problem(WU), U, noise, self.solver)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def _basis(self, D: int) -> Basis:
        """The basis, for signals of D numbers."""
        shape = checked_shape(D if self.signal_shape is None else self.signal_shape)
        U = self.basis if isinstance(self.basis, Basis) else basis(self.basis, shape)
        size = U.signal_shape if self.signal_shape is None else shape
        if U.shape[0] != D or int(np.prod(size)) != D:
            raise ValueError(
                f"X has {D} columns; signal_shape={self.signal_shape!r} and basis={self.basis!r} "
                f"are for {' x '.join(map(str, size if U.shape[0] == D else U.signal_shape))}."
            )
        return U

    def _measurement(self) -> Measurement:
        shape = self._basis(self.n_features_in_).signal_shape
        return Measurement(self.measurement, shape, matrix=self.components_, chosen=self.measured_)

    def _most(self) -> int | None:
        """Non-zeros of a greedy code at the most; None: as many as it takes."""
        if self.solver in COUNTED:
            return int(self.n_nonzero_coefs_)
        return None if self.n_nonzero_coefs is None else int(self.n_nonzero_coefs)

    def _non_zeros(self, rows: Any, U: Basis) -> int:
        if self.n_nonzero_coefs is not None:
            L = U.shape[1]
            return check_at_most("n_nonzero_coefs", self.n_nonzero_coefs, L, f"atoms (L={L})")
        return non_zeros(rows.fold(statistics, U))


class Sums(NamedTuple):
    n_rows: float  # that are not 0
    share: np.ndarray  # (L,)  of their squares that the largest 1, 2, ... coefficients hold


def statistics(X: np.ndarray, U: Basis) -> Sums:
    """What one block of rows adds up."""
    Z = np.abs(U.analyze(X).astype(np.float64))
    largest = Z.max(axis=1, initial=0.0)
    Z = Z[largest > 0] / largest[largest > 0, None]
    squares = np.cumsum(-np.sort(-(Z**2), axis=1), axis=1)
    return Sums(float(len(Z)), (squares / squares[:, -1:]).sum(axis=0))


def non_zeros(sums: Sums) -> int:
    """The number of coefficients that hold ENERGY of the squares, on average."""
    if not sums.n_rows:
        return 1
    return int(np.searchsorted(sums.share / sums.n_rows, ENERGY) + 1)


def enough(n_nonzero: int, D: int, L: int) -> int:
    """Measurements from which nearly all codes are found."""
    return min(D, math.ceil(measurements_needed(n_nonzero, L) + SPARE * math.sqrt(L)))


def measured(X: np.ndarray, W: Measurement) -> np.ndarray:
    """W x of each row of a block."""
    return W.measure(X)


def reconstructed(
    Y: np.ndarray, problem: Problem, U: Basis, noise: float, solver: str
) -> np.ndarray:
    """x of each row of measurements of a block."""
    X = np.empty((len(Y), U.shape[0]), Y.dtype)
    problem.rounding = rounding_of(Y)
    for i, y in enumerate(Y.astype(np.float64)):
        X[i] = U.synthesize(pursue(problem, y, noise, solver).coef)
    return X


def reconstructed_greedily(Y: np.ndarray, pursuit: Pursuit, U: Basis, noise: float) -> np.ndarray:
    """x of each row of measurements of a block, by a greedy pursuit."""
    return np.asarray(U.synthesize(coded(Y, pursuit, noise)), Y.dtype)
