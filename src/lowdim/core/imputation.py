"""`impute`, for every model that says what missing values are, given the rest of their row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from lowdim.core.blocks import Blocks
from lowdim.core.output import ColumnsOutput, in_columns_of_x


class ImputeMixin(ColumnsOutput, ABC):
    """`impute` of an estimator; stands to the left of `Estimator`.

    A class gives `_filling(return_std)`: a module-level function of a block, and what else it
    needs. It returns the block without missing values, with return_std also how uncertain they are.
    """

    open_rows: Any

    def impute(self, X, return_std=False):
        """X with NaN replaced by their expectation given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        return_std : bool, default=False
            Also return the standard deviation of every filled entry (0 where X was observed).

        Returns
        -------
        filled : ndarray of shape (n, d), or a data frame if `set_output` asks for it
        std : the same, if return_std
        """
        rows = self._rows_to_fill(X)
        function, *params = self._filling(return_std)
        return in_columns_of_x(self, rows.map(function, *params), X)

    def _rows_to_fill(self, X: Any) -> Blocks:
        return self.open_rows(X, reset=False)

    @abstractmethod
    def _filling(self, return_std: bool) -> tuple:
        """function, *params, such that function(block, *params) fills a block."""
