"""What lowdim can do: the public estimators, and a table of what each accepts and has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import Any

from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin, TransformerMixin
from sklearn.utils.validation import has_fit_parameter

from lowdim.core.estimator import Estimator
from lowdim.core.public import homes, public_model
from lowdim.core.result_table import PrintedTable


def public_estimators() -> dict[str, type[Estimator]]:
    """Every estimator of rows that `lowdim` exports, by name."""
    found = {name: public_model(name) for name in homes()}
    return {
        name: cls for name, cls in found.items() if cls is not None and issubclass(cls, Estimator)
    }


@dataclass(frozen=True)
class Method:
    """One row of `lowdim.methods()`: what a class accepts as input, and what it has."""

    name: str
    family: str
    task: str
    nan: bool
    sparse: bool
    weights: bool
    stream: bool
    dask: bool
    partial_fit: bool
    transform: bool
    inverse_transform: bool
    impute: bool
    predict: bool
    score: bool
    sample: bool


class MethodTable(PrintedTable, tuple[Method, ...]):
    """Rows of `Method`, which print as a table."""

    most_lines = 10_000  # all

    def _values(self) -> dict[str, list[Any]]:
        return {field.name: [getattr(row, field.name) for row in self] for field in fields(Method)}

    def _cells(self, most: int) -> list[list[str]]:
        return [[_cell(value) for value in astuple(row)] for row in self[:most]]

    def __len__(self) -> int:
        return tuple.__len__(self)


def methods(names: Iterable[str] | None = None) -> MethodTable:
    """A table of the methods: family, task, what input they accept, what they can do.

    Parameters
    ----------
    names : iterable of str, default=None
        Only these classes; None lists all.

    Examples
    --------
    >>> import lowdim
    >>> pca, = (row for row in lowdim.methods() if row.name == "PCA")
    >>> pca.family, pca.nan, pca.stream
    ('linear', True, True)
    """
    wanted = None if names is None else set(names)
    return MethodTable(
        _describe(name, cls)
        for name, cls in sorted(public_estimators().items())
        if wanted is None or name in wanted
    )


def _describe(name: str, cls: type[Estimator]) -> Method:
    model: Any = cls()
    return Method(
        name=name,
        family=cls.__module__.split(".")[1],
        task=_task(cls),
        nan=cls.accepts_nan,
        sparse=cls.accepts_sparse,
        weights=has_fit_parameter(model, "sample_weight"),
        stream=cls.accepts_stream,
        dask=cls.accepts_dask,
        partial_fit=hasattr(model, "partial_fit"),
        transform=hasattr(cls, "transform"),
        inverse_transform=hasattr(cls, "inverse_transform"),
        impute=hasattr(cls, "impute"),
        predict=hasattr(model, "predict"),
        score=hasattr(cls, "score"),
        sample=hasattr(cls, "sample"),
    )


def _task(cls: type) -> str:
    if issubclass(cls, ClusterMixin):
        return "clustering"
    if issubclass(cls, ClassifierMixin | RegressorMixin):
        return "classification" if issubclass(cls, ClassifierMixin) else "regression"
    if hasattr(cls, "complete"):
        return "completion"
    return "dimension reduction" if issubclass(cls, TransformerMixin) else "density"


def _cell(value: Any) -> str:
    return str(value) if not isinstance(value, bool) else "yes" if value else "-"
