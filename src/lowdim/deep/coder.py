"""`CodingNetwork`: what the models inherit that code rows and decode codes.

`StandardizedNetwork` is the part of it that needs no encoder: rows in units of their columns.

y = (x - mean) / scale      what a network sees of a row; NaN where nothing was observed
z = encode(y)               in place of NaN it sees zeros, beside them which values it does see
x = mean + scale decode(z)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, Integral, StrOptions
from lowdim.core.estimator import Transformer
from lowdim.core.imputation import ImputeMixin
from lowdim.core.opening import as_blocks
from lowdim.core.random import random_generator
from lowdim.core.validation import check_codes, check_columns_observed
from lowdim.deep.conditions import with_conditions
from lowdim.deep.drawing import DrawnNetwork
from lowdim.deep.engine import torch_for
from lowdim.deep.network import SHARED_ARGUMENTS, Network, run, sizes_of
from lowdim.linalg.observed import column_sizes, observed_columns

CODING_ARGUMENTS: dict[str, list] = {
    **SHARED_ARGUMENTS,
    "n_components": [AT_LEAST_1],
    "network": [StrOptions({"mlp", "conv"})],
    "image_shape": ["array-like", None],
    "batch_size": [AT_LEAST_1, StrOptions({"auto"})],
}
LARGEST_BATCH, SMALLEST_BATCH, BATCHES = 128, 16, 8  # of batch_size="auto"


class StandardizedNetwork(Network):
    """A network that sees rows in units of their columns; its module has `decode`."""

    min_rows: ClassVar[int] = 2
    shapes: ClassVar[dict] = {**Network.shapes, "mean_": ("d",), "scale_": ("d",)}

    mean_: np.ndarray
    scale_: np.ndarray
    network: str = "mlp"
    image_shape: Any = None

    # ---- learn -----------------------------------------------------------------------------------

    def _open(self, X: Any, more: bool = False) -> tuple[Blocks, int]:
        """The rows to learn from, and a seed; learns mean and scale of the columns."""
        torch_for(type(self).__name__)
        self._check_sizes()
        rows = self.open_rows(X, reset=not (more and hasattr(self, "weights_")))
        image_shape_of(self.image_shape, rows.n_columns, self.network)
        if not (more and hasattr(self, "weights_")):
            self._learn_columns(rows)
        return rows, int(random_generator(self.random_state).integers(2**62))

    def _check_sizes(self) -> None:
        """Raise where sizes of layers are none."""
        sizes_of(self.hidden)

    def _learn_columns(self, rows: Blocks) -> None:
        self._measure_columns(rows)

    def _measure_columns(self, rows: Blocks) -> np.ndarray:
        """Learn mean and scale of the columns; how many values each has."""
        columns = observed_columns(rows)
        check_columns_observed(columns.n_observed, getattr(self, "feature_names_in_", None))
        self.mean_, self.scale_ = self._measures(columns.mean, columns.std)
        return columns.n_observed

    def _measures(self, mean: np.ndarray, std: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is taken from each column, and what it is divided by."""
        return mean, column_sizes(std)

    def _batch_size(self, n: int) -> int:
        if self.batch_size != "auto":
            return self.batch_size
        return min(LARGEST_BATCH, max(SMALLEST_BATCH, -(-n // BATCHES)))

    def _prepare(self) -> Callable[[np.ndarray], np.ndarray]:
        return functools.partial(in_units, mean=self.mean_, scale=self.scale_)

    @property
    def _shape(self) -> tuple[int, int, int]:
        return image_shape_of(self.image_shape, len(self.mean_), self.network)

    # ---- use -------------------------------------------------------------------------------------

    def _code(self, rows: Blocks, method: str, *arguments: Any, along: tuple = ()) -> Any:
        """What a method of the module gives for rows; `along` may be what is known of y."""
        units = (self.mean_, self.scale_)
        return rows.map(coded, self.module_, method, arguments, *units, along=along)

    def inverse_transform(self, Z):
        """Rows that codes stand for.

        Parameters
        ----------
        Z : array-like of shape (n, k)

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        codes = as_blocks(check_codes(self, Z, self._n_features_out))
        return codes.map(decoded, self.module_, self.mean_, self.scale_)


class CodingNetwork(DrawnNetwork, ImputeMixin, Transformer, StandardizedNetwork):
    """A network that codes rows and decodes codes.

    Its module has `encode` and `decode` of rows that are standardized, NaN where missing.
    """

    accepts_nan: ClassVar[bool] = True
    shapes: ClassVar[dict] = {**StandardizedNetwork.shapes, "sees_missing_": ()}

    sees_missing_: bool

    def _learn_columns(self, rows: Blocks) -> None:
        n_observed = self._measure_columns(rows)
        self.sees_missing_ = bool((n_observed < rows.shape[0]).any())

    @property
    def _n_features_out(self) -> int:
        if not hasattr(self, "weights_"):
            raise AttributeError("_n_features_out")  # not fitted yet
        return self.n_components


def in_units(X: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(x - mean) / scale, in the precision of X; bytes become float32."""
    dtype = X.dtype if X.dtype == np.float64 else np.dtype(np.float32)
    if not mean.any() and (scale == 1.0).all():
        return X.astype(dtype, copy=False)
    Y = np.subtract(X, mean.astype(dtype), dtype=dtype)
    Y /= scale.astype(dtype)
    return Y


def out_of_units(Y: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """mean + scale y, in the precision of Y."""
    return Y * scale.astype(Y.dtype) + mean.astype(Y.dtype)


def coded(
    X: np.ndarray,
    module: Any,
    method: str,
    arguments: tuple,
    mean: np.ndarray,
    scale: np.ndarray,
    *conditions: np.ndarray,
) -> Any:
    """What a method of the module gives for a block of rows, and what is known of y beside it."""
    Y = with_conditions(in_units(X, mean, scale), conditions)
    return run(Y, module, method, arguments)


def decoded(Z: np.ndarray, module: Any, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The rows of a block of codes."""
    return out_of_units(run(Z, module, "decode", ()), mean, scale)


def image_shape_of(image_shape: Any, d: int, network: str) -> tuple[int, int, int]:
    """(h, w, c) of rows of d numbers: as given, else a square if d is one, else a signal."""
    if image_shape is None:
        side = round(d**0.5)
        square = network != "mlp" and side * side == d
        return (side, side, 1) if square else (1, d, 1)
    shape = tuple(image_shape)
    whole = all(isinstance(size, Integral) and int(size) > 0 for size in shape)
    if not whole or len(shape) not in (2, 3) or int(np.prod(shape)) != d:
        raise ValueError(
            f"image_shape={image_shape!r} must be (height, width) or (height, width, channels), "
            f"whole numbers whose product is the {d} columns of X."
        )
    h, w, *c = (int(size) for size in shape)
    return h, w, c[0] if c else 1
