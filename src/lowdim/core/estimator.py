"""The base class: scikit-learn's contract, our kinds of data, and safe files."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.callbacks import CallbackSupportMixin
from lowdim.core.holding import hold_blas_in
from lowdim.core.persistence import save_model
from lowdim.core.shapes import Maybe, Text
from lowdim.core.validation import open_rows

OF_EVERY_MODEL: dict[str, Any] = {
    "n_features_in_": Maybe("d"),
    "feature_names_in_": Maybe(Text(("d",))),
    "history_": Maybe(("iterations",)),
    "n_iter_": Maybe(()),
    "converged_": Maybe(()),
}


class SameBits:
    """What models inherit whose results are the same, bit by bit, for any number of BLAS threads.

    Public methods and properties of the class, and of what else of ours it inherits, hold BLAS to
    one thread while they run.
    """

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        for base in cls.__mro__:
            if issubclass(base, SameBits) or base.__module__.startswith("lowdim."):
                hold_blas_in(base)


class SavedModel(SameBits):
    """A model with a file: plain data, read by `lowdim.load`."""

    not_saved: ClassVar[frozenset[str]] = frozenset()  # attributes that are no part of the model
    # learned attributes and their shapes, as `core/shapes.py` says: files are held against them
    shapes: ClassVar[dict[str, Any]] = {}

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `lowdim.load` reads: arrays and JSON, no programs."""
        check_is_fitted(self)
        save_model(self, path)

    def _shapes(self) -> dict[str, Any]:
        """What is declared for this model; for classes in which it depends on parameters."""
        return {**OF_EVERY_MODEL, **self.shapes}


class Estimator(SavedModel, CallbackSupportMixin, BaseEstimator):
    """What every method of lowdim inherits; scikit-learn's mixins go to its left.

    A class says with class attributes what it accepts; tags, the capability table and the checks
    at the door follow from them.
    """

    accepts_nan: ClassVar[bool] = False
    accepts_sparse: ClassVar[bool] = False
    accepts_stream: ClassVar[bool] = True
    accepts_dask: ClassVar[bool] = True
    min_rows: ClassVar[int] = 1
    filled_by: ClassVar[str] = "PCA"  # what fills NaN for it, in the message that refuses them
    keeps_bytes: ClassVar[bool] = False  # arrays of bytes and flags are not copied as float64

    _doc_link_module = "lowdim"

    def open_rows(
        self,
        X: Any,
        *,
        reset: bool = True,
        check_finite: bool = True,
        min_rows: int | None = None,
        only_observed: bool | None = None,
    ) -> Blocks:
        """X as Blocks, validated. `fit` opens with reset=True; other methods with reset=False.

        `min_rows` is how many rows X must have; None means the class's `min_rows` in `fit`, else 1.
        `only_observed` leaves out rows without any observed value; None means in `fit`. What `fit`
        gives for each row it gives for `rows.all_rows`.
        """
        if not reset:
            check_is_fitted(self)
        tags = self.__sklearn_tags__().input_tags
        return open_rows(
            self,
            X,
            reset=reset,
            allow_nan=tags.allow_nan,
            allow_sparse=tags.sparse,
            min_rows=min_rows or (self.min_rows if reset else 1),
            check_finite=check_finite,
            only_observed=only_observed,
            keep_bytes=self.keeps_bytes,
        )

    def _shapes(self) -> dict[str, Any]:
        return {**super()._shapes(), "n_features_in_": "d", **self.shapes}

    @classmethod
    @functools.cache  # scikit-learn reads the signature again for each copy and each repr
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.accepts_nan
        tags.input_tags.sparse = self.accepts_sparse
        return tags


class Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What methods inherit whose `transform` gives codes; stands to the left of `Estimator`.

    The columns of the codes are named after the class, and codes of float32 rows are float32.
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
