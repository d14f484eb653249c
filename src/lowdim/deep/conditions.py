"""What a model is told of a row beside it: y, a class or numbers, as columns that networks see.

    classes (text, flags, whole numbers)    a column each, 1 for the row's own and 0 for others
    numbers (floats, one or several)        (y - mean) / std

For every generative network with `conditional=True`: p(x | y) in place of p(x).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.session import belongs_to_fit
from lowdim.core.shapes import Anything, Maybe
from lowdim.deep.targets import checked_y
from lowdim.linalg.observed import column_sizes


class Conditional:
    """`conditional=True` of a model; stands to the left of `Network`.

    What `fit` learned of y is in `classes_` (classes), or in `y_mean_` and `y_scale_` (numbers).
    """

    conditional: bool
    open_rows: Any
    shapes_of_y: ClassVar[dict] = {
        "classes_": Maybe(Anything()),
        "y_mean_": Maybe(("q",)),
        "y_scale_": Maybe(("q",)),
    }

    classes_: np.ndarray | None
    y_mean_: np.ndarray | None
    y_scale_: np.ndarray | None

    def _check_y_is_there(self, y: Any) -> None:
        """Before anything is learned: a model that needs y has one."""
        if self.conditional and y is None:
            raise ValueError(
                f"{type(self).__name__}(conditional=True) requires y to be passed, but the target "
                "y is None. Give a class or a number for each row, or choose conditional=False."
            )

    def _learn_conditions(self, y: Any, rows: Blocks, more: bool = False) -> tuple:
        """Companions of the rows to learn from: none, or what networks see of y.

        `more`: y goes on from what was learned before. A y without conditional=True is not looked
        at, as in every model of rows.
        """
        if not more:
            self.classes_ = self.y_mean_ = self.y_scale_ = None
        if not self.conditional:
            return ()
        n = rows.all_rows.shape[0]
        given = _array(type(self).__name__, y, n)
        if not more:
            self._measure(given)
        columns = self._columns(given)
        belongs_to_fit(ArrayBlocks(columns), "y")
        return (rows.part_of(columns),)

    def _measure(self, y: np.ndarray) -> None:
        if _are_classes(y):
            self.classes_ = np.unique(y)
            return
        numbers = _numbers(y)
        self.y_mean_ = numbers.mean(axis=0)
        std = numbers.std(axis=0)
        near = 4 * np.finfo(np.float64).eps * np.abs(self.y_mean_)
        self.y_scale_ = column_sizes(np.where(std > near, std, 0.0))

    def _conditions(self, y: Any, n: int) -> tuple:
        """Companions of n rows that are looked at: none, or what networks see of y.

        One class or number stands for all rows.
        """
        if not self.conditional:
            if y is not None:
                raise ValueError(
                    f"y={_short(y)} was given, and {type(self).__name__}(conditional=False) has "
                    "learned from rows alone. Leave y out, or fit with conditional=True."
                )
            return ()
        self._check_y_is_there(y)
        if np.ndim(y) == 0:
            y = np.full(n, y)
        elif len(y) != n:
            raise ValueError(
                f"y has {len(y)} rows, and {n} are needed: one for each row, or one value for all."
            )
        return (self._columns(_array(type(self).__name__, y, n)),)

    def _asked(self, X: Any, y: Any, only_observed: bool | None = None) -> tuple[Blocks, tuple]:
        """Rows to be looked at, and their companions: what is known of y, if anything."""
        rows = self._checked(self.open_rows(X, reset=False, only_observed=only_observed))
        n = rows.all_rows.shape[0] if self.conditional else 0
        return rows, tuple(rows.part_of(part) for part in self._conditions(y, n))

    def _checked(self, rows: Blocks) -> Blocks:
        """The rows, whose columns must hold what the model knows."""
        return rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the estimator
        tags.target_tags.required = bool(self.conditional)
        tags.target_tags.multi_output = bool(self.conditional)
        return tags

    def _columns(self, y: np.ndarray) -> np.ndarray:
        """(n, q) float64: what networks see of y."""
        if self.classes_ is not None:
            place = _place_of(y, self.classes_)
            return (place[:, None] == np.arange(len(self.classes_))).astype(np.float64)
        if y.dtype.kind not in "biuf":
            raise ValueError(f"y holds {_short(y[0])}, and fit has learned from numbers.")
        numbers = _numbers(y)
        assert self.y_mean_ is not None and self.y_scale_ is not None
        if numbers.shape[1] != len(self.y_mean_):
            raise ValueError(
                f"y has {numbers.shape[1]} numbers for each row, and fit has learned from "
                f"{len(self.y_mean_)}."
            )
        return (numbers - self.y_mean_) / self.y_scale_

    @property
    def _n_conditions(self) -> int:
        """Columns that networks see of y."""
        if not self.conditional:
            return 0
        known = self.classes_ if self.classes_ is not None else self.y_mean_
        assert known is not None
        return len(known)


def with_conditions(Y: np.ndarray, along: Sequence) -> np.ndarray:
    """A block with what is known of y in columns beside it."""
    parts = [np.asarray(part, Y.dtype) for part in along]
    return np.hstack([Y, *parts]) if parts else Y


def check_flag(name: str, value: Any) -> bool:
    """True or False; a y that was given in its place is not taken for one."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={_short(value)} must be True or False; y is given by name, y=...")
    return bool(value)


def _array(name: str, y: Any, n: int) -> np.ndarray:
    """y as an array of classes (n,), or of numbers (n,) or (n, q)."""
    found = checked_y(name, y, n, numeric=False)
    if found.dtype.kind == "O":
        found = np.array([str(v) if isinstance(v, str) else v for v in found.ravel()]).reshape(
            found.shape
        )
        if found.dtype.kind == "O":
            raise ValueError(
                f"y holds {_short(found.flat[0])}, a {type(found.flat[0]).__name__}; {name} takes "
                "classes (text, flags or whole numbers), or numbers."
            )
    if found.ndim == 2 and found.dtype.kind not in "biuf":
        raise ValueError(
            f"y has {found.shape[1]} columns of text; {name} takes one column of classes, or "
            "columns of numbers."
        )
    return found


def _are_classes(y: np.ndarray) -> bool:
    return y.ndim == 1 and y.dtype.kind != "f"


def _numbers(y: np.ndarray) -> np.ndarray:
    return y.astype(np.float64).reshape(len(y), -1)


def _place_of(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The number of the class of each row."""
    if y.ndim > 1 or (y.dtype.kind in "US") != (classes.dtype.kind in "US"):
        unknown = y[:1]
    else:
        unknown = np.setdiff1d(y, classes)
    if len(unknown):
        known = ", ".join(str(c) for c in classes[:10]) + (", ..." if len(classes) > 10 else "")
        raise ValueError(
            f"y has the class {_short(unknown[0])}, which was not among those of fit: {known}."
        )
    return np.searchsorted(classes, y)


def _short(y: Any) -> str:
    text = " ".join(repr(y.item() if isinstance(y, np.generic) else y).split())
    return text if len(text) <= 60 else text[:57] + "..."
