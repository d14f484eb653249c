"""Codes and clusters of the rows of a table, written a chunk at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_clusterer

from lowdim.cli.saved_models import columns_for, row_names
from lowdim.cli.table_verb import TableRequest
from lowdim.core.opening import as_blocks
from lowdim.core.progress import watch
from lowdim.core.threads import fetched_ahead, ordered_map
from lowdim.tables.encoding import Aligned, Encoding, encoded_chunk, report_unknown
from lowdim.tables.errors import TableError, plain, quoted
from lowdim.tables.formats.base import steady_chunks
from lowdim.tables.model import TableModel
from lowdim.tables.table import Table
from lowdim.tables.writing import open_writer

CLUSTER = "cluster"  # the column of clusters beside the codes
MATRICES = (".npy", ".npz")  # files without room for row names


class Columns(NamedTuple):
    """What is written about every row: numbers with names, and the cluster if there is one."""

    names: list[str]
    of_rows: Callable[[Any], tuple[np.ndarray, np.ndarray | None]]


def columns_of(model: Any, names: Any = None) -> Columns:
    """A code where the model has one; of a clustering the distance from the cluster's center, of a
    mixture the probability of the cluster. Codes have other names than the model's if given."""
    if is_clusterer(model):
        return Columns(["distance"], lambda rows: _nearest(model.transform(rows)))
    if hasattr(model, "transform"):
        names = list(model.get_feature_names_out() if names is None else names)
        if hasattr(model, "predict_proba"):
            return Columns(names, lambda rows: (model.transform(rows), model.predict(rows)))
        return Columns(names, lambda rows: (model.transform(rows), None))
    if hasattr(model, "predict_proba"):
        return Columns(["probability"], lambda rows: _likeliest(model.predict_proba(rows)))
    raise TableError(f"A {type(model).__name__} has neither codes nor clusters to write.")


def _nearest(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return distances.min(axis=1, keepdims=True), distances.argmin(axis=1)


def _likeliest(probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return probabilities.max(axis=1, keepdims=True), probabilities.argmax(axis=1)


def ids_lost(ids: str | None, path: str) -> list[str]:
    """What to say if row names cannot be written to a file of this name."""
    if ids is None or not path.lower().endswith(MATRICES):
        return []
    name, file = quoted(ids), plain(path, 200)
    return [f"without row names: {file} holds numbers only; .csv and .parquet keep {name}"]


def save_and_write(
    request: TableRequest, model: TableModel, table: Table, output: str | None, path: str | None
) -> None:
    """Save a fitted model, and write what it says about the rows of its table, where asked for."""
    if path is not None:
        model.save(path)
    if output is not None:
        ids = row_names(model, table)
        write_codes(model, table, output, ids)
        request.say(*ids_lost(ids, output))


def write_codes(model: TableModel, table: Table, path: str, ids: str | None) -> int:
    """Write what the model says about each row, row names first, clusters last; how many rows."""
    encoding, columns = (
        model.encoder_.encoding_,
        columns_of(model.estimator_, getattr(model, "code_names_", None)),
    )
    _check_ids(ids, columns)
    found = columns_for(encoding, table, ids)
    as_matrix = path.lower().endswith(MATRICES)
    unknown: dict[str, Counter] = {}
    n_rows = 0
    with (
        open_writer(path, spelling=table.spelling) as writer,
        watch("writing codes", total=table.n_rows) as bar,
    ):
        for part in _encoded(encoding, table, found, None if as_matrix else ids):
            rows = as_blocks(part.X)
            rows.feature_names = encoding.feature_names() if encoding.named else None
            codes, clusters = columns.of_rows(rows)
            writer.write(*_written(columns.names, codes, clusters, part.ids, as_matrix))
            for name, counts in part.unknown.items():
                unknown.setdefault(name, Counter()).update(counts)
            n_rows += part.X.shape[0]
            bar.update(n_rows)
        report_unknown(encoding, unknown)  # if it refuses them, nothing is written
    return n_rows


def _check_ids(ids: str | None, columns: Columns) -> None:
    if ids in (*columns.names, CLUSTER):
        raise TableError(
            f"The column {quoted(ids)}, which names the rows, has the name of a column that is "
            "written.",
            "Rename it, or name another one: {id}.",
        )


class _Part(NamedTuple):
    """Some rows as numbers."""

    X: Any
    unknown: dict[str, Counter]
    ids: dict[str, Any]  # the column that names them, if there is one


def _encoded(encoding: Encoding, table: Table, found: Aligned, ids: str | None) -> Iterator[_Part]:
    """The rows of a table as numbers, with their names."""
    columns = list(dict.fromkeys([*([] if ids is None else [ids]), *found.wanted]))

    def encode(chunk: Any) -> _Part:
        own = {} if ids is None else {ids: chunk.column(ids)}
        used = chunk if ids is None else chunk.select(found.wanted)
        try:
            return _Part(*encoded_chunk(used, encoding, found.columns), own)
        except TableError as error:
            raise TableError(f"{table.where}: {error.found}", error.cure) from None

    chunks = steady_chunks(table, columns)
    return ordered_map(encode, fetched_ahead(chunks) if table.streamed else chunks)


def _written(
    names: list[str], codes: Any, clusters: Any, own: Mapping[str, Any], as_matrix: bool
) -> tuple[Any, list[str] | None]:
    """A chunk of the output, and the names of its columns if it is a matrix."""
    if as_matrix:
        if clusters is None:
            return codes, names
        return np.column_stack([codes, clusters.astype(codes.dtype)]), [*names, CLUSTER]
    import pyarrow as pa

    columns = dict(own)
    for name, code in zip(names, np.asarray(codes).T, strict=True):
        columns[name] = pa.array(np.ascontiguousarray(code))
    if clusters is not None:
        columns[CLUSTER] = pa.array(np.asarray(clusters))
    return pa.table(columns), None
