"""What `lowdim cluster` says and draws of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowdim.cli.summary import line
from lowdim.cluster.profiles import ClusterProfiles, cluster_profiles
from lowdim.core.blocks import Blocks
from lowdim.core.opening import as_blocks
from lowdim.report.cluster_table import cluster_table
from lowdim.tables.codecs import CategoryCodec, NumberCodec
from lowdim.tables.decoding import decoded_columns
from lowdim.tables.encoding import Encoding
from lowdim.tables.errors import plain
from lowdim.tables.frames.series import values_of
from lowdim.tables.frames.values import DAY, Values
from lowdim.tables.kinds import ColumnInfo
from lowdim.tables.table import Table

TYPICAL_COLUMNS = 4  # of a typical row, those that distinguish its cluster most
MOST_DECIMALS = 4
POINTS_DRAWN = 20_000


def model_line(model: Any, k: int) -> str:
    clusters = "1 cluster" if k == 1 else f"{k} clusters"
    return line("method", f"{type(model).__name__}, {clusters}")


def table_of_clusters(
    rows: Blocks, labels: np.ndarray, k: int, encoding: Encoding, names: RowNames
) -> str:
    """Sizes, what is high and low, and the typical row in the table's own values."""
    profiles = cluster_profiles(rows, labels, k)
    features = [plain(name) for name in encoding.feature_names()]
    return cluster_table(profiles, features, _typical_rows(rows, profiles, encoding, names))


class RowNames:
    """How rows are called: by the column that names them, or by their number, from 0."""

    def __init__(self, table: Table, ids: str | None):
        self._table, self._ids = table, ids

    def of(self, numbers: Sequence[int]) -> list[str]:
        if self._ids is None:
            return [f"row {number}" for number in numbers]
        found, start = dict.fromkeys(numbers, ""), 0
        for chunk in self._table.chunks([self._ids]):
            ids = chunk.column(self._ids)
            for number in found:
                if start <= number < start + len(ids):
                    found[number] = shown(values_of(ids), number - start)
            start += len(ids)
        return [f"{plain(self._ids)} {found[number]}" for number in numbers]


def _typical_rows(
    rows: Blocks, profiles: ClusterProfiles, encoding: Encoding, names: RowNames
) -> list[str]:
    """The typical row of each cluster: its name, and what distinguishes its cluster."""
    some = np.flatnonzero(profiles.typical >= 0)
    numbers = profiles.typical[some]
    taken = rows.take(numbers)
    Z = taken if isinstance(taken, np.ndarray) else taken.toarray()
    values = decoded_columns(encoding, Z, "kind", fill_not_applicable=True)
    texts = [""] * len(profiles.typical)
    for i, (j, name) in enumerate(zip(some.tolist(), names.of(numbers.tolist()), strict=True)):
        order = np.argsort(-np.abs(np.nan_to_num(profiles.contrasts[j])), kind="stable")
        columns = _owners(order, encoding)[:TYPICAL_COLUMNS]
        shown_values = (_value(values[column.name], i, column) for column in columns)
        texts[j] = f"{name}: {', '.join(shown_values)}"
    return texts


def _owners(order: np.ndarray, encoding: Encoding) -> list[ColumnInfo]:
    """The table's columns behind the matrix's, in the same order, each once."""
    owner = {
        f: column
        for column, span in zip(encoding.used, encoding.spans, strict=True)
        for f in range(span.start, span.stop)
    }
    return list({owner[f].name: owner[f] for f in order.tolist()}.values())


def _value(values: Values, i: int, column: ColumnInfo) -> str:
    digits = column.codec.digits if isinstance(column.codec, NumberCodec) else 0
    text, name = shown(values, i, digits), plain(column.name)
    if not text:
        return f"{name} missing"
    return f"{name}={text}" if isinstance(column.codec, CategoryCodec) else f"{name} {text}"


def shown(values: Values, i: int, digits: int = MOST_DECIMALS + 1) -> str:
    """A value of a column as text; '' where it is missing."""
    if values.places is not None:
        return plain(values.levels[values.places[i]]) if values.places[i] >= 0 else ""
    assert values.numbers is not None
    x = float(values.numbers[i])
    if not np.isfinite(x):
        return ""
    if values.form == "moment":
        unit = "D" if x % DAY == 0 else "s"
        return str(np.datetime64(int(x), "us").astype(f"datetime64[{unit}]"))
    if values.form == "flag":
        return "true" if x else "false"
    if digits > MOST_DECIMALS and x != round(x):
        return f"{x:.4g}"
    return np.format_float_positional(round(x, digits), trim="-")


def drawn(rows: Blocks, labels: np.ndarray, model: Any, encoding: Encoding) -> Any:
    """The clusters on matplotlib Axes: regions in the plane for two columns, else components."""
    from lowdim import PCA
    from lowdim.plots import cluster_map, voronoi_map

    labels = np.asarray(labels)
    index = np.arange(len(labels))
    if len(index) > POINTS_DRAWN:
        index = np.linspace(0, len(labels) - 1, POINTS_DRAWN).astype(np.intp)
    X = rows.take(index)
    centers = getattr(model, "cluster_centers_", None)
    if centers is not None and rows.n_columns == 2 and isinstance(X, np.ndarray):
        whole = np.isfinite(X).all(axis=1)  # a row with a missing value has no place in the plane
        ax = voronoi_map(X[whole], centers, labels[index][whole])
        xlabel, ylabel = (plain(name) for name in encoding.feature_names())
        ax.set(xlabel=xlabel, ylabel=ylabel)
        return ax
    k = min(2, rows.n_columns)
    pca = PCA(k, random_state=0).fit(rows)
    some = as_blocks(X)
    some.feature_names = rows.feature_names
    Z = pca.transform(some)
    if k == 1:  # one column: drawn along a line
        Z = np.column_stack([Z, np.zeros(len(Z))])
    ratio = np.append(pca.explained_variance_ratio_, 0.0)[:2]
    return cluster_map(Z, labels[index], variance_ratio=ratio)
