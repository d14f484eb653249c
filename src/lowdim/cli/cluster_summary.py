"""What `lowdim cluster` tells and draws of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.cli.encoding import TableEncoder
from lowdim.cli.summary import line
from lowdim.cluster.profiles import ClusterProfiles, cluster_profiles
from lowdim.core.blocks import Blocks
from lowdim.report.cluster_table import cluster_table
from lowdim.tables.files import Table

TYPICAL_COLUMNS = 4  # of a typical row, those that distinguish its cluster most
POINTS_DRAWN = 20_000


def model_line(model: Any, k: int) -> str:
    clusters = "1 cluster" if k == 1 else f"{k} clusters"
    return line("method", f"{type(model).__name__}, {clusters}")


def table_of_clusters(
    rows: Blocks, labels: np.ndarray, k: int, table: Table, encoder: TableEncoder
) -> str:
    """Sizes, what is high and low, and the typical row in the table's own units."""
    profiles = cluster_profiles(rows, labels, k)
    typical = _typical_rows(rows, profiles, table, encoder)
    return cluster_table(profiles, encoder.feature_names, typical)


def _typical_rows(
    rows: Blocks, profiles: ClusterProfiles, table: Table, encoder: TableEncoder
) -> list[str]:
    """The typical row of each cluster: its id or number, and what distinguishes its cluster."""
    some = profiles.typical >= 0
    numbers = profiles.typical[some]
    names = _ids(table, encoder, numbers)
    values = np.full((len(some), len(encoder.feature_names)), np.nan)
    taken = rows.take(numbers)
    values[some] = taken if isinstance(taken, np.ndarray) else taken.toarray()
    if encoder.center is not None and encoder.scale is not None:
        values = values * np.asarray(encoder.scale) + np.asarray(encoder.center)
    texts, found = [], iter(names)
    for j, there in enumerate(some):
        if not there:
            texts.append("")
            continue
        order = np.argsort(-np.abs(np.nan_to_num(profiles.contrasts[j])), kind="stable")
        columns = _distinct(order, encoder)[:TYPICAL_COLUMNS]
        shown = ", ".join(_value(values[j], column, encoder) for column in columns)
        texts.append(f"{next(found)}: {shown}")
    return texts


def _distinct(order: np.ndarray, encoder: TableEncoder) -> list[str]:
    """The table's columns behind the matrix's, in the same order, each once."""
    owner = [
        column
        for column in encoder.columns
        for _ in range(len(encoder.categories.get(column, [column])))
    ]
    return list(dict.fromkeys(owner[f] for f in order))


def _value(row: np.ndarray, column: str, encoder: TableEncoder) -> str:
    names = encoder.feature_names
    if column in encoder.categories:
        own = [f for f, name in enumerate(names) if name.startswith(f"{column}=")]
        if not np.isfinite(row[own]).all():
            return f"{column} missing"
        return names[own[int(np.argmax(row[own]))]]
    value = row[names.index(column)]
    return f"{column} missing" if not np.isfinite(value) else f"{column} {value:.4g}"


def _ids(table: Table, encoder: TableEncoder, numbers: np.ndarray) -> list[str]:
    """The ids of these rows; without an id column, 'row 17', counted from 0 as in the output."""
    if encoder.id is None:
        return [f"row {number}" for number in numbers]
    wanted = {int(number): "" for number in numbers}
    start = 0
    for block in table.blocks([encoder.id]):
        ids = block[encoder.id]
        for number in wanted:
            if start <= number < start + len(ids):
                wanted[number] = str(ids[number - start])
        start += len(ids)
    return [f"{encoder.id} {wanted[int(number)]}" for number in numbers]


def drawn(rows: Blocks, labels: np.ndarray, model: Any, encoder: TableEncoder) -> Any:
    """The clusters on matplotlib Axes: regions in the plane for two columns, else components."""
    from lowdim import PCA
    from lowdim.report.cluster_plots import cluster_map, voronoi_map

    labels = np.asarray(labels)
    index = np.arange(len(labels))
    if len(index) > POINTS_DRAWN:
        index = np.linspace(0, len(labels) - 1, POINTS_DRAWN).astype(np.intp)
    X = rows.take(index)
    centers = getattr(model, "cluster_centers_", None)
    if centers is not None and rows.n_columns == 2 and isinstance(X, np.ndarray):
        whole = np.isfinite(X).all(axis=1)  # a row with a hole has no place in the plane
        ax = voronoi_map(X[whole], centers, labels[index][whole])
        ax.set(xlabel=encoder.feature_names[0], ylabel=encoder.feature_names[1])
        return ax
    k = min(2, rows.n_columns)
    pca = PCA(k, random_state=0).fit(rows)
    Z = pca.transform(encoder.as_rows(X))
    if k == 1:  # one column: drawn along a line
        Z = np.column_stack([Z, np.zeros(len(Z))])
    ratio = np.append(pca.explained_variance_ratio_, 0.0)[:2]
    return cluster_map(Z, labels[index], variance_ratio=ratio)
