"""The data of the page of `explore`: what its map and its filled values show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowdim.report.explore.filling import FilledColumn
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.view import Column
from lowdim.report.page.map import map_data
from lowdim.report.page.payload import packed, packed_numbers, packed_words
from lowdim.selection.auto import sample_rows
from lowdim.tables.codecs import CategoryCodec, FlagCodec, NumberCodec

MAP_ROWS = 100_000
MAP_VALUES = 600_000  # of columns that can be shown, coloured by and compared in the map
LEAST_COLUMNS = 3
MOST_COORDINATES = 5
FILLED_VALUES = 100_000
MOST_NAMES = 100_000


def row_names(findings: Findings) -> list[str] | None:
    """Names of all rows; None if they go by their numbers."""
    encoded = findings.encoded
    n = len(encoded.X)
    numbered = encoded.names is None and encoded.numbers is None
    if numbered or n > MOST_NAMES:
        return None
    return [encoded.label(i) for i in range(n)]


# ---- the map -------------------------------------------------------------------------------------


def map_rows(findings: Findings, seed: int) -> np.ndarray:
    """The rows that are drawn."""
    return sample_rows(len(findings.encoded.X), MAP_ROWS, seed)


def map_columns(findings: Findings, n_drawn: int) -> list[Column]:
    """The columns that the map can show: the target, then those that the factors explain best."""
    encoded, explained = findings.encoded, findings.factors.explained
    most = max(LEAST_COLUMNS, MAP_VALUES // n_drawn)
    by_column = [float(explained[span].max()) for span in encoded.spans]
    best = np.argsort([-share for share in by_column], kind="stable")[:most]
    columns = [encoded.used[j] for j in sorted(best)]
    return columns if encoded.target is None else [encoded.target, *columns]


def map_coordinates(findings: Findings) -> dict[str, np.ndarray]:
    """What the map can show, by its names: the first components, then two of each other plane."""
    plane = findings.factors.plane
    found = {
        f"component {j + 1}": plane[:, j] for j in range(min(plane.shape[1], MOST_COORDINATES))
    }
    for name, Y in findings.maps.items():
        found |= {f"{name} {j + 1}": Y[:, j] for j in (0, 1)}
    return found


def map_payload(findings: Findings, rows: np.ndarray) -> dict[str, Any]:
    """The map: the first components, t-SNE and UMAP, coloured by cluster or by columns."""
    n, plane, clusters = len(rows), findings.factors.plane, findings.clusters
    names = [f"cluster {j}" for j in range(clusters.model.n_components)]
    cluster = packed_words("cluster", clusters.labels, names, rows)
    return map_data(
        [coordinate[rows] for coordinate in map_coordinates(findings).values()],
        [cluster, *(packed_column(column, rows) for column in map_columns(findings, n))],
        None if n == len(plane) else rows,
        first_compared=1,  # clusters are not part of the table
    )


def packed_column(column: Column, rows: np.ndarray) -> dict[str, Any]:
    """Some rows of a column of the table."""
    if column.words is not None:
        return packed_words(column.name, column.amounts, column.words, rows)
    return packed_numbers(column.name, column.amounts, rows, _log_offset(column), column.is_date)


def _log_offset(column: Column) -> float | None:
    """What to add before a logarithm, so that zeros have one; None: no logarithm."""
    codec = column.info.codec
    if not isinstance(codec, NumberCodec) or codec.zero is None or column.info.form == "span":
        return None
    return 0.0 if codec.low > 0 else codec.zero


# ---- the filled values ---------------------------------------------------------------------------


def filled_shown(parts: Sequence[FilledColumn]) -> list[FilledColumn]:
    """The columns whose filled values are in the page: as many as fit."""
    shown, total = [], 0
    for part in parts:
        total += len(part.rows)
        if total > FILLED_VALUES:
            break
        shown.append(part)
    return shown


def filled_payload(parts: Sequence[FilledColumn]) -> dict[str, Any]:
    """The filled values with their uncertainty."""
    return {"columns": [_packed_cells(part) for part in parts]}


def _packed_cells(part: FilledColumn) -> dict[str, Any]:
    column = part.column
    words = None if column.words is None else list(column.words)
    as_share = isinstance(column.info.codec, CategoryCodec | FlagCodec)
    return {
        "name": column.name,
        "rows": packed(part.rows, "<u4"),
        "value": packed(part.value, "<u2" if words else "<f4"),
        "low": packed(part.low, "<f4"),
        "high": None if as_share else packed(part.high, "<f4"),
        "words": words,
        "date": column.is_date,
        "whole": column.is_whole,
    }
