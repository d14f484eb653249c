"""The holes of a table, filled by a model a block of rows at a time, in the table's own units."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.cli.arrow_files import open_arrow_file
from lowdim.cli.encoding import TableEncoder
from lowdim.core.progress import watch
from lowdim.tables.files import Table, table_kind

STD = "_std"


class Filling(NamedTuple):
    """What fills a table."""

    model: Any
    encoder: TableEncoder
    holes: dict[str, int]  # how many by column that is used
    std: bool  # whether columns of standard deviations are added


def count_holes(table: Table, encoder: TableEncoder) -> dict[str, int]:
    """How many values are missing in each column that is used."""
    holes = dict.fromkeys(encoder.columns, 0)
    numbers = [name for name in encoder.columns if name not in encoder.categories]
    for block in table.blocks(encoder.columns):
        missing = np.isnan(table.numbers(block, numbers)).sum(axis=0)
        for name, count in zip(numbers, missing.tolist(), strict=True):
            holes[name] += count
        for name in encoder.categories:
            holes[name] += table.text(block, name).null_count
    return holes


def write_filled(filling: Filling, table: Table, path: str) -> None:
    """Write all columns of the table, the used ones without holes."""
    _check_names(filling, table, path)
    with open_arrow_file(path) as file, watch("writing the table") as bar:
        n_rows = 0
        for block in table.blocks(table.names):
            filled = fill_block(filling, table, block)
            file.write(filled)
            n_rows += filled.num_rows
            bar.update(n_rows)


def fill_block(filling: Filling, table: Table, block: Any) -> Any:
    """A block of the table as a pyarrow table, its holes filled."""
    import pyarrow as pa

    model, encoder, holes, with_std = filling
    rows = encoder.as_rows(encoder.encode(table, _used(table, block, encoder)).X)
    if with_std:
        X, deviation = model.impute(rows, return_std=True)
    else:
        X, deviation = model.impute(rows), None
    if encoder.scale is not None:
        X = X * np.asarray(encoder.scale) + np.asarray(encoder.center)
        deviation = None if deviation is None else deviation * np.asarray(encoder.scale)
    place = _places(encoder)
    columns: dict[str, Any] = {}
    for name in table.names:
        if not holes.get(name):  # nothing to fill: as it is, whatever its type
            columns[name] = _as_it_is(table, block, name)
        elif name in encoder.categories:
            likeliest = X[:, place[name]].argmax(axis=1)
            categories = np.array(encoder.categories[name], dtype=object)
            text = table.text(block, name)
            columns[name] = pa.compute.coalesce(text, pa.array(categories[likeliest], pa.string()))
        else:
            there = table.numbers(block, [name])[:, 0]
            values = np.where(np.isnan(there), X[:, place[name].start], there)
            flag = table.kinds[name] == "true/false"
            columns[name] = pa.array(values >= 0.5 if flag else values)
    if deviation is not None:
        for name in _numbers_with_holes(filling, table):
            columns[name + STD] = pa.array(np.ascontiguousarray(deviation[:, place[name].start]))
    return pa.table(columns)


def _used(table: Table, block: Any, encoder: TableEncoder) -> Any:
    return block.select(encoder.columns) if table.named else block


def _as_it_is(table: Table, block: Any, name: str) -> Any:
    import pyarrow as pa

    if table.named:
        return block[name]
    return pa.array(np.ascontiguousarray(table.numbers(block, [name])[:, 0]))


def _places(encoder: TableEncoder) -> dict[str, slice]:
    """Where the numbers of each column are in the matrix."""
    places, start = {}, 0
    for name in encoder.columns:
        size = len(encoder.categories.get(name, [name]))
        places[name] = slice(start, start + size)
        start += size
    return places


def _numbers_with_holes(filling: Filling, table: Table) -> list[str]:
    return [
        name
        for name, count in filling.holes.items()
        if count and name not in filling.encoder.categories and table.kinds[name] == "number"
    ]


def _check_names(filling: Filling, table: Table, path: str) -> None:
    if filling.std:
        for name in _numbers_with_holes(filling, table):
            if name + STD in table.names:
                raise ValueError(
                    f"{table.where} has a column {name + STD!r} already, the name of the standard "
                    f"deviations of {name!r}; rename it."
                )
    if table_kind(path) == ".npy":
        odd = [name for name, kind in table.kinds.items() if kind != "number"]
        if odd:
            raise ValueError(
                f"{path} can hold numbers only, and the column {odd[0]!r} holds "
                f"{table.kinds[odd[0]]}; write .csv or .parquet."
            )
