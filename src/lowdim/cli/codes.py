"""Codes of the rows of a table, written a block at a time."""

from __future__ import annotations

from typing import Any

from lowdim.cli.encoding import TableEncoder
from lowdim.cli.tables import Table, open_writer, table_kind
from lowdim.core.progress import watch


def ids_lost(encoder: TableEncoder, path: str) -> list[str]:
    """What to say if the ids cannot be written to a file of this name."""
    if encoder.id is None or table_kind(path) != ".npy":
        return []
    return [f"without ids: {path} holds numbers only; .csv and .parquet keep {encoder.id!r}"]


def write_codes(
    model: Any, encoder: TableEncoder, table: Table, path: str
) -> tuple[int, dict[str, list[str]]]:
    """Encode, transform and write; a model that has `predict` adds a column of clusters.

    Returns
    -------
    n_rows : int
    unknown : dict of str to list of str
        Values of text columns that the encoder does not know.
    """
    unknown: dict[str, set[str]] = {}
    n_rows = 0
    with (
        open_writer(path, model.get_feature_names_out(), encoder.id) as writer,
        watch("writing codes") as bar,
    ):
        for block in table.blocks(encoder.needed):
            X, others = encoder.encode(table, block)
            if not X.shape[0]:
                continue
            rows = encoder.as_rows(X)
            clusters = model.predict(rows) if hasattr(model, "predict") else None
            ids = None if encoder.id is None else block[encoder.id]
            writer.write(ids, model.transform(rows), clusters)
            for name, values in others.items():
                unknown.setdefault(name, set()).update(values)
            n_rows += X.shape[0]
            bar.update(n_rows)
        if n_rows == 0:
            raise ValueError(f"{table.where} has columns but no rows.")
    return n_rows, {name: sorted(values) for name, values in unknown.items()}
