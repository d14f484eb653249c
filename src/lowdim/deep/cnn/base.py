"""What both networks of convolutions share: images from rows, learning, filters and their maps.

rows (n, h w c) -> [convolution 'same', activation, max-pool] ... -> dense layers -> outputs
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1
from lowdim.core.random import random_generator
from lowdim.core.shapes import Anything
from lowdim.deep.engine import torch_for
from lowdim.deep.learner import Learner, Settings
from lowdim.deep.network import SHARED_ARGUMENTS, Network, sizes_of

ARGUMENTS: dict[str, list] = {
    "image_shape": ["array-like", None],
    "channels": ["array-like", AT_LEAST_1],
    "kernel_size": [AT_LEAST_1],
    "pool": [AT_LEAST_1],
    "hidden_layer_sizes": ["array-like", AT_LEAST_1],
    **{name: what for name, what in SHARED_ARGUMENTS.items() if name != "hidden"},
}
SINGLE = (1e-15, 1e15)  # scales of rows that float32 has room for


class Convolutional(Network):
    """A network of convolutions; its classes say what y is (`_targets`)."""

    _parameter_constraints: ClassVar[dict] = ARGUMENTS

    image_shape_: tuple[int, int, int]
    scale_: float
    n_outputs_: int
    out_activation_: str

    @abstractmethod
    def _targets(self, y: Any, n: int, keep: bool, more: bool = False) -> np.ndarray:
        """y as the loss takes it; sets `n_outputs_` and `out_activation_`."""

    def _shapes(self) -> dict[str, Any]:
        channels = ["c", *(f"c{i}" for i in range(len(sizes_of(self.channels))))]
        hidden = (f"h{i}" for i in range(len(sizes_of(self.hidden_layer_sizes))))
        dense = ["flat", *hidden, "outputs"]
        weights: dict[str, Any] = {}
        for i, (a, b) in enumerate(pairwise(channels)):
            weights[f"convolutions.{i}.weight"] = (b, a, "kh", "kw")
            weights[f"convolutions.{i}.bias"] = (b,)
        for i, (a, b) in enumerate(pairwise(dense)):
            weights[f"dense.linear.{i}.weight"] = (b, a)
            weights[f"dense.linear.{i}.bias"] = (b,)
        return {
            **super()._shapes(),
            "weights_": weights,
            "image_shape_": Anything(),
            "scale_": (),
            "n_outputs_": "outputs",
            "out_activation_": Anything(),
        }

    # ---- learn -----------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, *, more: bool) -> Any:
        torch_for(type(self).__name__)
        from lowdim.deep.losses import SumOfLosses

        keep = more and hasattr(self, "weights_")
        rows = self.open_rows(X, reset=not keep)
        n, d = rows.shape
        if not keep:
            self.image_shape_ = shape_of_images(self.image_shape, d)
        targets = self._targets(y, n, keep, more)
        if not keep:
            size = rows.fold(_sum_of_sizes) / (n * d)
            self.scale_ = float(size) if size > 0 else 1.0
            self.__dict__.pop("_memory", None)
        seed = int(random_generator(self.random_state).integers(2**32))
        self._learn(rows, (targets,), SumOfLosses(self.out_activation_), seed, more=more)
        self.module_  # noqa: B018  made now: nothing that uses it changes the model
        return self

    def _prepare(self) -> Callable[[np.ndarray], np.ndarray]:
        return functools.partial(in_unit, scale=self.scale_)

    def _new_learner(self, module: Any, loss: Any, settings: Settings, **arguments: Any) -> Learner:
        module.scale.fill_(1.0)  # rows are divided before they lose digits: `_prepare`
        return super()._new_learner(module, loss, settings, **arguments)

    def _near_1(self, rows: Blocks) -> Blocks:
        """The rows, seen in other units if float32 has no room for theirs."""
        if SINGLE[0] < self.scale_ < SINGLE[1]:
            return rows
        return rows.seen(np.divide, self.scale_)

    def _buffers(self) -> dict[str, np.ndarray]:
        near = SINGLE[0] < self.scale_ < SINGLE[1]
        return {"scale": np.array(self.scale_ if near else 1.0)}

    def _make(self) -> Any:
        from lowdim.deep.cnn.module import Convolutions

        h, w, _ = self.image_shape_
        k = self.kernel_size
        return Convolutions(
            tuple(self.image_shape_),  # type: ignore[arg-type]
            sizes_of(self.channels, "channels"),
            (1 if h == 1 else k, 1 if w == 1 else k),
            self.pool,
            sizes_of(self.hidden_layer_sizes, "hidden_layer_sizes"),
            self.n_outputs_,
            self.activation,
            self.dropout,
            self.out_activation_,
        )

    # ---- use -------------------------------------------------------------------------------------

    def _output(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._run(self._near_1(self.open_rows(X, reset=False)), "output")

    @property
    def filters_(self) -> list[np.ndarray]:
        """Filters of each convolution, (channels, channels before, height, width)."""
        weights = self._part("convolutions", "weight")
        return [weights[0] / np.float32(self.scale_), *weights[1:]]  # in units of X

    @property
    def biases_(self) -> list[np.ndarray]:
        """What each convolution adds, (channels,)."""
        return self._part("convolutions", "bias")

    def _part(self, part: str, kind: str) -> list[np.ndarray]:
        check_is_fitted(self, "weights_")
        names = [n for n in self.weights_ if n.startswith(f"{part}.") and n.endswith(f".{kind}")]
        return [self.weights_[name] for name in names]

    def feature_maps(self, X, layer=-1):
        """What a convolution makes of each image: its filters laid at every place, activated.

        Parameters
        ----------
        X : matrix, stream or Dask array of shape (n_samples, n_features)
        layer : int, default=-1
            Which convolution, from 0; the last one is -1.

        Returns
        -------
        ndarray of shape (n_samples, channels, height, width)
            Before max-pooling.
        """
        number = _number(layer, len(self.biases_), "convolutions")
        return self._run(self._near_1(self.open_rows(X, reset=False)), "maps", number)

    def activations(self, X, layer=-1):
        """The values of a hidden dense layer for each row: a representation learned with y.

        Parameters
        ----------
        X : matrix, stream or Dask array of shape (n_samples, n_features)
        layer : int, default=-1
            Which hidden layer, from 0; the last one is -1.

        Returns
        -------
        ndarray of shape (n_samples, units of the layer)
        """
        hidden = len(self._part("dense", "bias")) - 1
        number = _number(layer, hidden, "hidden layers")
        return self._run(self._near_1(self.open_rows(X, reset=False)), "hidden", number)


def shape_of_images(image_shape: Any, d: int) -> tuple[int, int, int]:
    """Height, width and channels of the images in rows of d numbers.

    As given, (h, w) or (h, w, c); else a square if d is one; else a signal, (1, d, 1).
    """
    if image_shape is None:
        side = math.isqrt(d)
        return (side, side, 1) if side * side == d else (1, d, 1)
    sizes = sizes_of(image_shape, "image_shape")
    if len(sizes) not in (2, 3) or math.prod(sizes) != d:
        raise ValueError(
            f"image_shape={tuple(image_shape)} does not fit rows of {d} numbers; give (height, "
            f"width) or (height, width, channels) with {d} as their product, or None."
        )
    return (sizes[0], sizes[1], sizes[2] if len(sizes) == 3 else 1)


def in_unit(X: Any, scale: float) -> np.ndarray:
    """Rows divided by a number, in their precision; bytes become float32."""
    dense = X.toarray() if sp.issparse(X) else X
    return np.divide(dense, scale, dtype=np.float64 if dense.dtype == np.float64 else np.float32)


def _sum_of_sizes(X: np.ndarray) -> float:
    return float(np.abs(X).sum(dtype=np.float64))


def _number(layer: int, count: int, what: str) -> int:
    if not -count <= layer < count:
        raise ValueError(
            f"layer={layer} is not one of the {count} {what}; they are counted from 0, or back "
            "from -1."
        )
    return layer % count
