"""Tables written with their missing values filled, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from lowdim.core.progress import watch
from lowdim.tables.codecs import NumberCodec
from lowdim.tables.errors import TableError, plain, quoted
from lowdim.tables.filling import FilledChunk, Filler, decimals, filled_chunk
from lowdim.tables.formats.base import steady_chunks
from lowdim.tables.model import TableModel
from lowdim.tables.table import Table
from lowdim.tables.writing import open_writer
from lowdim.tables.writing.cells import is_number

STD = "_std"


def check_fits(path: str | None, table: Table) -> None:
    """Raise before any work if a table with text is to be written as a matrix."""
    if path is None or not path.lower().endswith((".npy", ".npz")) or table.backend == "array":
        return
    for field in next(iter(table.chunks(size=1))).schema:
        if not is_number(field.type):
            raise TableError(
                f"{plain(path, 200)} holds numbers only; column {quoted(field.name)} of "
                f"{table.where} is {field.type}.",
                "Write .csv or .parquet.",
            )


def filler_of(model: TableModel, *, std: bool, fill_all: bool | None = None) -> Filler:
    """What fills tables of files: filled numbers have as many decimals as their column."""
    name = type(model.estimator_).__name__
    if not hasattr(model.estimator_, "impute"):
        raise TableError(f"A model of {name} does not fill missing values.")
    if std and "return_std" not in signature(model.estimator_.impute).parameters:
        raise TableError(
            f"A model of {name} does not say how sure it is of what it fills.",
            "Leave {std} out, or take a model of `lowdim complete --method ppca` or `vae`.",
        )
    return model.filler(with_std=std, fill_not_applicable=fill_all or None, rounded=True)


def write_filled(filler: Filler, table: Table, path: str, to_fill: Mapping[str, int]) -> int:
    """Write all columns of the table in their places, then standard deviations; how many rows.

    `to_fill` says how many cells of each column there are to be filled: those of numbers have
    standard deviations, if the filler gives them.
    """
    stds = _names_with_std(filler, table, to_fill)
    n_rows = 0
    with (
        open_writer(path, digits=decimals(filler.encoding), spelling=table.spelling) as writer,
        watch("writing the table", total=table.n_rows) as bar,
    ):
        for chunk, index in _filled_chunks(filler, table):
            rows, names = _written(chunk, table.names, stds)
            writer.write(_with_index(rows, index), names)
            n_rows += rows.shape[0]
            bar.update(n_rows)
    return n_rows


def _filled_chunks(filler: Filler, table: Table) -> Iterator[tuple[FilledChunk, dict[str, Any]]]:
    """Filled chunks, each with the names of its rows if the table has these beside its columns."""
    names, index = table.names, table.index_name
    for chunk in steady_chunks(table, names if index is None else [index, *names]):
        if index is None:
            yield filled_chunk(filler, chunk, names), {}
        else:
            yield filled_chunk(filler, chunk.select(names), names), {index: chunk.column(index)}


def _with_index(rows: Any, index: dict[str, Any]) -> Any:
    for name, values in index.items():
        rows = rows.add_column(0, name, values)
    return rows


def _names_with_std(filler: Filler, table: Table, to_fill: Mapping[str, int]) -> list[str]:
    if not filler.with_std:
        return []
    names = [
        column.name
        for column in filler.encoding.used
        if isinstance(column.codec, NumberCodec) and to_fill.get(column.name)
    ]
    for name in names:
        if name + STD in table.names:
            raise TableError(
                f"{table.where} has a column {quoted(name + STD)} already, the name of the "
                f"standard deviations of {quoted(name)}.",
                "Rename it.",
            )
    return names


def _written(
    chunk: FilledChunk, names: list[str], stds: Sequence[str]
) -> tuple[Any, list[str] | None]:
    """A chunk with its standard deviations, and the names of its columns if it is a matrix."""
    table = chunk.table
    if isinstance(table, np.ndarray):
        further = [chunk.std[name] for name in stds]
        return np.column_stack([table, *further]), [*names, *(name + STD for name in stds)]
    for name in stds:
        import pyarrow as pa

        table = table.append_column(name + STD, pa.array(chunk.std[name], from_pandas=True))
    return table, None
