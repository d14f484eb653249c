"""What `lowdim reduce` tells a person about a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.cli.encoding import Learned, TableEncoder
from lowdim.cli.writing import STANDARD_OUTPUT
from lowdim.tables.files import Table

MOST_LINES = 10


def summarize(
    table: Table, learned: Learned, model: Any, output: str | None, model_path: str | None
) -> str:
    """A few lines: the table, the method, the variance of each component, what was written."""
    return "\n".join(
        [
            *table_lines(table, learned),
            line("method", f"{type(model).__name__}, {_components(model)}"),
            *_variances(model),
            *written_lines({"codes": output, "model": model_path}),
        ]
    )


def table_lines(table: Table, learned: Learned) -> list[str]:
    """What was read, and in which units it counts."""
    encoder, n_rows, n_missing, _ = learned
    cells = n_rows * len(encoder.columns)
    d, used = len(encoder.feature_names), len(encoder.columns)
    columns = f"{used} columns" + (f" as {d} numbers" if d != used else "")
    missing = (
        f"{n_missing} cells missing ({n_missing / cells:.1%})" if n_missing else "none missing"
    )
    return [
        line("table", f"{table.where}: {n_rows} rows, {columns}, {missing}"),
        line(
            "scale",
            "none: columns count by their variance"
            if encoder.scale is None
            else "standard: every column counts the same (--scale none keeps the units)",
        ),
    ]


def written_lines(files: dict[str, str | None]) -> list[str]:
    """What was written where; or how to have it written."""
    lines = [
        line(what, "standard output" if path == STANDARD_OUTPUT else path)
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

    correlations = getattr(model, "factor_correlations_", None)  # of an oblique rotation
    return loadings_table(
        model.components_.T, model.noise_variance_, encoder.feature_names, correlations
    ).to_text()


def line(what: str, text: str) -> str:
    return f"{what:<9}{text}"


def _components(model: Any) -> str:
    k = len(model.get_feature_names_out())
    return "1 component" if k == 1 else f"{k} components"


def _variances(model: Any) -> list[str]:
    """The share of the variance that each component explains, where the model knows it."""
    share = getattr(model, "explained_variance_ratio_", None)
    if share is None:
        return []
    names, together = model.get_feature_names_out(), np.cumsum(share)
    width = max(map(len, names))
    lines = [f"{'':<9}{'':<{width}}  variance  together"]
    for name, own, total in zip(names[:MOST_LINES], share, together, strict=False):
        lines.append(f"{'':<9}{name:<{width}}  {own:>8.1%}  {total:>8.1%}")
    if len(share) > MOST_LINES:
        lines.append(f"{'':<9}and {len(share) - MOST_LINES} more, all together {together[-1]:.1%}")
    return lines
