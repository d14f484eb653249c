"""What NMF and MiniBatchNMF share: codes of rows, rows of codes, and how good they are."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
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
from lowdim.core.validation import check_codes, check_weights
from lowdim.linalg.products import dense_times
from lowdim.linalg.similar import similar_names
from lowdim.linear.nmf.codes import Coding, encode, sum_errors
from lowdim.linear.nmf.given import given_factors
from lowdim.linear.nmf.mu import floor_of
from lowdim.linear.nmf.objective import Penalty, Units, beta_of, in_pieces, refuse_negative
from lowdim.linear.nmf.start import Factors, start_from


class PartsModel(Transformer, Estimator):
    """Rows as sums of parts; a class learns `components_`."""

    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "components_": ("k", "d"),
        "n_components_": "k",
        "reconstruction_err_": (),
        "_penalty": {"l1": (), "l2": ()},
        "_unit": (),
        "_floor": (),
        "_mean_code": ("k",),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, StrOptions({"auto"}), None],
        "init": [StrOptions({"random", "nndsvd", "nndsvda", "nndsvdar", "custom"}), None],
        "beta_loss": [StrOptions({"frobenius", "kullback-leibler", "itakura-saito"}), Real],
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "random_state": RANDOM_STATE,
        "alpha_W": [NOT_NEGATIVE],
        "alpha_H": [NOT_NEGATIVE, StrOptions({"same"})],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "verbose": [AT_LEAST_0, "boolean"],
    }

    components_: np.ndarray
    n_components_: int
    n_components: Any
    init: Any
    beta_loss: Any
    _penalty: Penalty
    _unit: float
    _floor: float
    _mean_code: np.ndarray

    def transform(self, X):
        """Codes W of rows (the few numbers that stand for each): the minimiser of J.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            0 or more.

        Returns
        -------
        W : array of shape (n, k)
        """
        rows = in_pieces(self.open_rows(X, reset=False))
        return rows.checked(refuse_negative, type(self).__name__).map(encode, self._coding())

    def inverse_transform(self, X):
        """Rows W H of codes W."""
        check_is_fitted(self)
        W = check_codes(self, X, len(self.components_))
        return dense_times(W, self.components_)

    def score(self, X, y=None, sample_weight=None):
        """Minus the root of the mean of (x - x_hat)^2 over all observed entries, in units of X.

        For another `beta_loss`, minus the root of twice the mean divergence of an entry.
        """
        rows = in_pieces(self.open_rows(X, reset=False))
        rows = rows.checked(refuse_negative, type(self).__name__)
        weight = check_weights(sample_weight, rows)
        found = rows.fold(sum_errors, self._coding(), along=(weight, None))
        if not found.count > 0:
            raise ValueError("X has no observed entries: all are missing; there is no error.")
        return -self._error(found.loss / found.count)

    def similar_terms(self, term, n=10, names=None):
        """The columns most like one: words that take part in the same components.

        Parameters
        ----------
        term : str or int
            The name of a column, or its number.
        n : int, default=10
            How many.
        names : sequence of shape (d,), default=None
            Names of the columns, such as the words of a vectorizer; None means
            `feature_names_in_`, if X had names.

        Returns
        -------
        list of (name, cosine)
            The most similar first. The cosine is that of the shares in which the components, each
            with what it contributes to the fitted rows, make up the two columns.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None) if names is None else names
        mass = self.components_.T.astype(np.float64) * self._mean_code / self._unit
        return similar_names(mass, term, names, n)

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

    @property
    def _beta(self):
        return beta_of(self.beta_loss)

    def _coding(self) -> Coding:
        root = float(np.sqrt(self._unit))
        V = np.array(self.components_.T, np.float64, order="C")
        V /= root
        mean = self._mean_code.astype(np.float64) / root
        return Coding(V, self._penalty, self._unit, self._beta, self._floor, mean)

    def _error(self, loss: float) -> float:
        """The root of twice a divergence, in the units of the user."""
        return float(self._unit ** (self._beta / 2.0) * np.sqrt(2.0 * max(loss, 0.0)))

    def _start(self, data: Any, units: Units, random: Any, W: Any, H: Any) -> Factors:
        if self.init == "custom":
            return given_factors(W, H, self.n_components, data, units.root)
        k = data.shape[1] if self.n_components in ("auto", None) else self.n_components
        return start_from(self.init, data, k, units, random)

    def _set_components(self, rows: Blocks, V: np.ndarray, units: Units, penalty: Penalty) -> None:
        self.components_ = np.array(V.T, order="C")
        self.components_ *= V.dtype.type(units.root)
        self.n_components_ = V.shape[1]
        self._penalty, self._unit = penalty, units.unit
        self._floor = floor_of(units, rows.dtype)
        self._mean_code = np.ones(V.shape[1])

    def _set_mean_code(self, W: np.ndarray, weight: np.ndarray | None, root: float = 1.0) -> None:
        """The mean of codes in the unit, which are W times its root in those of the user."""
        self._mean_code = np.average(W, axis=0, weights=weight).astype(np.float64) * root
