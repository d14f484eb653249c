"""Models from files, as models of tables, and the columns of a table that they need."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence

from lowdim.core.persistence.archive import DOCUMENT
from lowdim.tables.earlier import as_table_model
from lowdim.tables.encoding import Aligned, Encoding, aligned
from lowdim.tables.errors import TableError, listed, no_such_column, plain, quoted
from lowdim.tables.model import TableModel
from lowdim.tables.table import Table

CODES = ("transform", "predict_proba", "impute")  # methods of models that say something of rows


def load_table_model(path: str, methods: Sequence[str] = CODES) -> TableModel:
    """The model in a file, with one of these methods; one saved without an encoder gets one."""
    import lowdim

    model = lowdim.load(path)
    able = any(hasattr(model, name) for name in methods)
    if not able or isinstance(model, lowdim.TableEncoder | lowdim.Alignment):
        raise TableError(f"{plain(path, 200)} holds a {type(model).__name__}, which has no codes.")
    return as_table_model(model)


def holds_model(path: str) -> bool:
    """Whether a path is that of a file which `save` wrote, whatever it is called."""
    try:
        with zipfile.ZipFile(path) as archive:
            return DOCUMENT in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def with_marks(model: TableModel, marks: Sequence[str]) -> TableModel:
    """The model, to which these texts mean missing values as well."""
    encoding = model.encoder_.encoding_
    model.encoder_.encoding_ = encoding._replace(marks=(*encoding.marks, *marks))
    return model


def row_names(model: TableModel, table: Table, wanted: str | None = None) -> str | None:
    """The column that names the rows of a table: the one that is wanted, or that of the model."""
    known = [*table.names, *([] if table.index_name is None else [table.index_name])]
    if wanted is not None:
        if wanted not in known:
            raise no_such_column(table.where, wanted, table.names, "id")
        return wanted
    return model.encoder_.id_ if model.encoder_.id_ in known else table.index_name


def columns_for(encoding: Encoding, table: Table, ids: str | None) -> Aligned:
    """The columns of a table that a model uses: by name, or by place, the ids left out."""
    if encoding.named and not table.named:
        raise TableError(
            f"{table.where} has no column names, and the model was fitted with the columns "
            f"{listed([quoted(column.name) for column in encoding.used], 4)}.",
            "Give a table with names, such as .csv or .parquet.",
        )
    if encoding.named:
        return aligned(encoding, table)
    names = _by_place(encoding, table, ids)
    used = [name for name, column in zip(names, encoding.columns, strict=True) if column.used]
    return Aligned(list(used), used)


def _by_place(encoding: Encoding, table: Table, ids: str | None) -> Sequence[str]:
    expected = len(encoding.columns)
    without_ids = [name for name in table.names if name != ids]
    for names in (table.names, without_ids):
        if len(names) == expected:
            return names
    raise TableError(
        f"{table.where} has {len(without_ids)} columns; the model was fitted on {expected} columns "
        "without names."
    )
