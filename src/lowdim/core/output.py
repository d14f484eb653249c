"""What `set_output` asks for, for methods that scikit-learn does not wrap: rows as data frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config  # private, only here
from sklearn.utils.validation import _check_feature_names_in


def in_columns_of_x(estimator: Any, values: Any, X: Any) -> Any:
    """Results with the columns of X in the container that `set_output` or `set_config` asks for.

    Parameters
    ----------
    estimator : a fitted estimator
    values : array of shape (n, d), or tuple of them
        Dask collections stay as they are.
    X : what the user gave, whose index pandas frames take over
    """
    wanted = _get_output_config("transform", estimator)["dense"]
    if wanted == "default":
        return values
    if isinstance(values, tuple):
        return tuple(in_columns_of_x(estimator, part, X) for part in values)
    if not isinstance(values, np.ndarray):
        return values
    names = _check_feature_names_in(estimator)
    return ADAPTERS_MANAGER.adapters[wanted].create_container(values, X, columns=names)


class ColumnsOutput:
    """`set_output`, for classes whose `impute` follows it; stands to the left of `Estimator`."""

    def set_output(self, *, transform=None):
        """Choose what `impute` (and `transform`, where there is one) returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            None leaves it as it is.

        Returns
        -------
        self
        """
        if transform is not None:
            # where scikit-learn keeps the same choice for `transform`
            self._sklearn_output_config = {"transform": transform}
        return self
