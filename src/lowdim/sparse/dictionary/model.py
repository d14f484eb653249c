"""What DictionaryLearning and MiniBatchDictionaryLearning share: arguments, codes, and rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Integral,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.threads import released_blas
from lowdim.core.validation import check_at_most
from lowdim.linalg.moments import unit_for
from lowdim.sparse.dictionary.learning import Coder, gram_of, in_unit
from lowdim.sparse.dictionary.start import given_atoms, principal_atoms
from lowdim.sparse.pursuit.coder import decoded
from lowdim.sparse.pursuit.coding import ALGORITHMS, Plan, code_block
from lowdim.sparse.pursuit.dictionaries import Dictionary, of_atoms
from lowdim.sparse.pursuit.encoding import checked_plan

NO_POSITIVE = "Positive constraint not supported for '{}' coding method; choose fit_algorithm='cd'."


class DictionaryModel(Transformer, Estimator):
    """Rows as sparse sums of atoms; a class learns `components_`."""

    shapes: ClassVar[dict] = {"components_": ("k", "d")}

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, None],
        "alpha": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_0],
        "tol": [NOT_NEGATIVE],
        "fit_algorithm": [StrOptions({"lars", "cd", "omp"})],
        "transform_algorithm": [StrOptions(set(ALGORITHMS))],
        "transform_n_nonzero_coefs": [AT_LEAST_1, None],
        "transform_alpha": [NOT_NEGATIVE, None],
        "n_jobs": [Integral, None],
        "dict_init": ["array-like", None],
        "callback": [callable, None],
        "verbose": ["verbose"],
        "split_sign": ["boolean"],
        "random_state": RANDOM_STATE,
        "positive_code": ["boolean"],
        "positive_dict": ["boolean"],
        "transform_max_iter": [AT_LEAST_0],
        "transform_max_error": [NOT_NEGATIVE, None],
        "sparse_output": ["boolean"],
    }

    components_: np.ndarray
    n_components: Any
    alpha: Any
    fit_algorithm: Any
    transform_algorithm: Any
    transform_n_nonzero_coefs: Any
    transform_alpha: Any
    transform_max_iter: Any
    transform_max_error: Any
    split_sign: Any
    sparse_output: Any
    positive_code: Any
    dict_init: Any
    callback: Any

    # ---- code ------------------------------------------------------------------------------------

    def transform(self, X):
        """Sparse codes of rows, by `transform_algorithm`.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)

        Returns
        -------
        ndarray or csr_array of shape (n, k), or with split_sign of shape (n, 2 k)
        """
        rows = self.open_rows(X, reset=False)
        return rows.map(encode, *self._opened())

    def inverse_transform(self, X):
        """The rows that codes stand for, z D.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, k), or with split_sign of shape (n, 2 k)
        """
        check_is_fitted(self)
        return decoded(self, X, self._dictionary(), self.split_sign)

    def _opened(self) -> tuple[Dictionary, Plan]:
        dictionary = self._dictionary()
        plan = checked_plan(
            dictionary,
            self.transform_algorithm,
            self.transform_n_nonzero_coefs,
            self.alpha if self.transform_alpha is None else self.transform_alpha,
            self.transform_max_error,
            self.transform_max_iter,
            self.positive_code,
            names="transform_",
        )
        return dictionary, plan._replace(
            split_sign=self.split_sign, sparse_output=self.sparse_output, warns=False
        )

    def _dictionary(self) -> Dictionary:
        return of_atoms(self.components_, gram_of(self.components_))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) * (2 if self.split_sign else 1)

    # ---- learn -----------------------------------------------------------------------------------

    def _coder(self, d: int) -> Coder:
        """How rows are coded while atoms are learnt."""
        k = self._n_atoms(d)
        if self.positive_code and self.fit_algorithm != "cd":
            raise ValueError(NO_POSITIVE.format(self.fit_algorithm))
        if self.fit_algorithm != "omp":
            return Coder(float(self.alpha), 0, self.positive_code)
        n_nonzero = self.transform_n_nonzero_coefs
        if n_nonzero is None:
            return Coder(None, int(min(max(d / 10, 1), k)))
        name = "transform_n_nonzero_coefs"
        return Coder(None, check_at_most(name, n_nonzero, k, "atoms (n_components)"))

    def _n_atoms(self, d: int) -> int:
        return d if self.n_components is None else int(self.n_components)

    def _first_atoms(
        self, rows: Blocks, weight: np.ndarray | None, random: np.random.Generator
    ) -> np.ndarray:
        k = self._n_atoms(rows.n_columns)
        if self.dict_init is not None:
            return given_atoms(self.dict_init, k, rows.n_columns, rows.dtype)
        return principal_atoms(rows, weight, k, random)

    def _call_back(self, **state: Any) -> None:
        if self.callback is not None:
            with released_blas():
                self.callback(state)


def encode(X: np.ndarray, dictionary: Dictionary, plan: Plan) -> Any:
    """Codes of a block of rows, in a unit in which no square overflows or vanishes."""
    unit = unit_for(float(np.abs(X).max(initial=0.0)), X.dtype)
    if unit == 1.0:
        return code_block(X, dictionary, plan)
    Z = code_block(in_unit(X, unit), dictionary, plan._replace(alpha=plan.alpha / unit))
    return Z * X.dtype.type(unit)


def in_memory(codes: Any) -> Any:
    """Codes as an array, also where Dask has yet to compute them."""
    return codes.compute() if is_dask(codes) else codes
