"""What networks are to predict: classes, labels, shares of classes, or numbers.

one of two classes       one output, logistic          y in {0, 1}
one of several           an output each, softmax       the number of the class
several labels a row     an output each, logistic      0 or 1 for each
shares of classes        an output each, softmax       rows of probabilities
numbers                  an output each, as it is (or exp: counts)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array, column_or_1d

from lowdim.core.blocks import is_dask
from lowdim.core.numeric import as_array, refuse_complex
from lowdim.core.sparse import checked_sparse


class Labels(NamedTuple):
    """Classes as a network learns them."""

    encoded: np.ndarray  # (n,) int64 if softmax learns one of several, else (n, outputs)
    classes: np.ndarray
    n_outputs: int
    activation: str  # of the outputs: 'logistic' or 'softmax'


def checked_y(name: str, y: Any, n: int, *, numeric: bool) -> np.ndarray:
    """y as an array with a row for each row of X, (n,) or (n, columns); `name` asks for it."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    y = y.compute() if is_dask(y) else y
    y = checked_sparse(y, "y").toarray() if sp.issparse(y) else as_array(y, "y", name)
    refuse_complex(y.dtype, "y", name)
    y = check_array(
        y,
        ensure_2d=False,
        dtype="numeric" if numeric else None,
        ensure_min_samples=0,
        ensure_min_features=0,
        input_name="y",
    )
    if y.ndim > 2:
        raise ValueError(f"y has {y.ndim} dimensions; {name} takes one or two.")
    if y.ndim == 2 and y.shape[1] == 0:
        raise ValueError(f"y has no columns (shape {y.shape}); {name} needs at least one.")
    if y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if y.ndim == 0 or len(y) != n:
        found = len(y) if y.ndim else "no"
        raise ValueError(f"y has {found} rows and X has {n}; {name} needs one target for each row.")
    return y


def numbers(name: str, y: Any, n: int, *, counts: bool = False) -> np.ndarray:
    """Targets of a regression, (n, outputs) float64; `counts` may not be negative."""
    checked = checked_y(name, y, n, numeric=True).astype(np.float64)
    if counts and checked.min(initial=0.0) < 0:
        raise ValueError(
            f"loss='poisson' needs y >= 0, and y has {checked.min():g}; choose "
            "loss='squared_error'."
        )
    return checked if checked.ndim == 2 else checked[:, None]


def labels(
    name: str, y: Any, n: int, known: np.ndarray | None = None, activation: str | None = None
) -> Labels:
    """Targets of a classification.

    `known` are the classes of an earlier fit, if it goes on, and `activation` that of its outputs:
    y has to have classes among these.
    """
    y = checked_y(name, y, n, numeric=False)
    if _is_shares(y):
        return _shares(name, y, known)
    _check_one_kind(name, y)
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y")
    if kind == "multilabel-indicator":
        classes = np.arange(y.shape[1]) if known is None else known
        _check_known(np.arange(y.shape[1]), classes)
        return Labels(y.astype(np.float64), classes, y.shape[1], "logistic")
    if kind.endswith("multioutput"):
        raise ValueError(
            f"y has {y.shape[1]} columns of classes; {name} takes one column of classes, columns "
            "of 0 and 1 (labels), or rows of probabilities that sum to 1."
        )
    classes, index = np.unique(y, return_inverse=True)
    if known is not None:
        _check_known(classes, known)
        index = np.searchsorted(known, classes)[index]
        classes = known
    if len(classes) <= 2 and activation != "softmax":
        return Labels(index.astype(np.float64)[:, None], classes, 1, "logistic")
    return Labels(index.astype(np.int64), classes, len(classes), "softmax")


def _check_one_kind(name: str, y: np.ndarray) -> None:
    """Raise where some classes are texts and others are not: then they have no order."""
    if y.dtype == object:
        texts = sum(isinstance(value, str) for value in y.flat)
        if 0 < texts < y.size:
            raise TypeError(
                f"y has {texts} texts among {y.size} values, and the others are none; {name} needs "
                "classes of one kind, for example y.astype(str)."
            )


def _is_shares(y: np.ndarray) -> bool:
    """Whether y has rows of numbers that are not all whole: no classes, no labels."""
    return y.ndim == 2 and y.dtype.kind == "f" and bool((y != np.floor(y)).any())


def _shares(name: str, y: np.ndarray, known: np.ndarray | None) -> Labels:
    sums = y.sum(axis=1)
    wrong = (y.min(axis=1) < 0) | (np.abs(sums - 1.0) > 1e-3)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"y has {y.shape[1]} columns of numbers that are no classes, and its row {row} is no "
            f"row of probabilities (smallest {y[row].min():g}, sum {sums[row]:g}); {name} takes "
            "classes, columns of 0 and 1, or rows of probabilities that sum to 1."
        )
    classes = np.arange(y.shape[1]) if known is None else known
    _check_known(np.arange(y.shape[1]), classes)
    return Labels(y.astype(np.float64), classes, y.shape[1], "softmax")


def _check_known(found: np.ndarray, known: np.ndarray) -> None:
    if len(np.setdiff1d(found, known)):
        raise ValueError(
            f"`y` has classes not in `self.classes_`. `self.classes_` has {known}. 'y' has {found}."
        )


def decided(output: np.ndarray, classes: np.ndarray, activation: str) -> np.ndarray:
    """The classes, or labels, that outputs of a network speak for."""
    if activation == "softmax":
        return classes[np.argmax(output, axis=1)]
    if output.shape[1] > 1:
        return (output > 0.5).astype(np.int64)
    if len(classes) == 1:
        return np.repeat(classes, len(output))
    return classes[(output[:, 0] > 0.5).astype(np.int64)]


def probabilities(output: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Those of all classes: of two, one output is that of the second."""
    if output.shape[1] > 1:
        return output
    if len(classes) == 1:
        return np.ones_like(output)
    return np.hstack([1 - output, output])
