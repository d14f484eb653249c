"""What a verb says about a fit: the table, the method, the variance, what was written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lowdim.tables.encoder import TableEncoder
from lowdim.tables.errors import listed, plain
from lowdim.tables.table import Table
from lowdim.tables.writing import STANDARD_OUTPUT

MOST_LINES = 10


def line(what: str, text: str) -> str:
    return f"{what:<9}{text}"


def table_lines(table: Table, encoder: TableEncoder) -> list[str]:
    """What was read, and in which units it counts."""
    used, width = encoder.encoding_.used, encoder.encoding_.width
    n_rows, n_missing = encoder.n_rows_seen_, sum(column.n_missing or 0 for column in used)
    columns = "1 column" if len(used) == 1 else f"{len(used)} columns"
    columns += f" as {width} numbers" if width != len(used) else ""
    share = n_missing / (n_rows * len(used))
    cells = "1 cell" if n_missing == 1 else f"{n_missing} cells"
    missing = f"{cells} missing ({share:.1%})" if n_missing else "none missing"
    return [
        line("table", f"{table.where}: {n_rows} rows, {columns}, {missing}"),
        line(
            "scale",
            "standard: every column counts the same (--scale none keeps the units)"
            if encoder.scale
            else "none: columns count by their variance",
        ),
    ]


def method_lines(model: Any) -> list[str]:
    """The method, and the share of the variance that each component explains, where it is known."""
    names = model.get_feature_names_out()
    count = "1 component" if len(names) == 1 else f"{len(names)} components"
    lines = [line("method", f"{type(model).__name__}, {count}")]
    share = getattr(model, "explained_variance_ratio_", None)
    if share is None:
        return lines
    together, width = np.cumsum(share), max(map(len, names))
    lines.append(f"{'':<9}{'':<{width}}  variance  together")
    for name, own, total in zip(names[:MOST_LINES], share, together, strict=False):
        lines.append(f"{'':<9}{name:<{width}}  {own:>8.1%}  {total:>8.1%}")
    if len(share) > MOST_LINES:
        lines.append(f"{'':<9}and {len(share) - MOST_LINES} more, all together {together[-1]:.1%}")
    return lines


def written_lines(files: Mapping[str, str | None]) -> list[str]:
    """What was written where; or how to have it written."""
    lines = [
        line(what, "standard output" if path == STANDARD_OUTPUT else plain(path, 200))
        for what, path in files.items()
        if path is not None
    ]
    if lines:
        return lines
    first, second = list(files)[:2]
    return [line("written", f"nothing; -o FILE writes the {first}, --model FILE the {second}")]


def loadings_text(encoder: TableEncoder, model: Any) -> str:
    """The loadings of a factor model, with communalities, uniqueness and explained variance."""
    from lowdim.report.tables import loadings_table

    names = [plain(name) for name in encoder.encoding_.feature_names()]
    correlations = getattr(model, "factor_correlations_", None)  # of an oblique rotation
    return loadings_table(model.components_.T, model.noise_variance_, names, correlations).to_text()


def counts_line(
    what: str, counts: Mapping[str, int], why: str = "", otherwise: str = ""
) -> list[str]:
    """How many cells of each column; where there is none, what to say otherwise."""
    found = [f"{plain(name)} {count}" for name, count in counts.items() if count]
    if not found:
        return [line(what, otherwise)] if otherwise else []
    return [line(what, listed(found, MOST_LINES) + (f" ({why})" if why else ""))]
