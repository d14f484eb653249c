"""Codes and clusters of the rows of a table, written a block at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_clusterer

from lowdim.cli.encoding import TableEncoder
from lowdim.cli.writing import open_writer
from lowdim.core.progress import watch
from lowdim.tables.files import Table, table_kind


def ids_lost(encoder: TableEncoder, path: str) -> list[str]:
    """What to say if the ids cannot be written to a file of this name."""
    if encoder.id is None or table_kind(path) != ".npy":
        return []
    return [f"without ids: {path} holds numbers only; .csv and .parquet keep {encoder.id!r}"]


class Columns(NamedTuple):
    """What is written about every row: numbers with names, and the cluster if there is one."""

    names: list[str]
    of_rows: Callable[[Any], tuple[np.ndarray, np.ndarray | None]]


def columns_of(model: Any) -> Columns:
    """A code where the model has one; of a clustering the distance from the cluster's center, of a
    mixture the probability of the cluster."""
    if is_clusterer(model):
        return Columns(["distance"], lambda rows: _nearest(model.transform(rows)))
    if hasattr(model, "transform"):
        names = list(model.get_feature_names_out())
        if hasattr(model, "predict_proba"):
            return Columns(names, lambda rows: (model.transform(rows), model.predict(rows)))
        return Columns(names, lambda rows: (model.transform(rows), None))
    if hasattr(model, "predict_proba"):
        return Columns(["probability"], lambda rows: _likeliest(model.predict_proba(rows)))
    raise ValueError(f"A {type(model).__name__} has neither codes nor clusters to write.")


def _nearest(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return distances.min(axis=1, keepdims=True), distances.argmin(axis=1)


def _likeliest(probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return probabilities.max(axis=1, keepdims=True), probabilities.argmax(axis=1)


def write_codes(
    model: Any, encoder: TableEncoder, table: Table, path: str
) -> tuple[int, dict[str, list[str]]]:
    """Encode, transform and write; where there are clusters they are the last column.

    Returns
    -------
    n_rows : int
    unknown : dict of str to list of str
        Values of text columns that the encoder does not know.
    """
    unknown: dict[str, set[str]] = {}
    n_rows = 0
    columns = columns_of(model)
    with (
        open_writer(path, columns.names, encoder.id) as writer,
        watch("writing codes") as bar,
    ):
        for block in table.blocks(encoder.needed):
            X, others = encoder.encode(table, block)
            if not X.shape[0]:
                continue
            codes, clusters = columns.of_rows(encoder.as_rows(X))
            ids = None if encoder.id is None else block[encoder.id]
            writer.write(ids, codes, clusters)
            for name, values in others.items():
                unknown.setdefault(name, set()).update(values)
            n_rows += X.shape[0]
            bar.update(n_rows)
        if n_rows == 0:
            raise ValueError(f"{table.where} has columns but no rows.")
    return n_rows, {name: sorted(values) for name, values in unknown.items()}
