"""Tables of any kind: read from files and data frames, made numbers of, and written again.

    open_table       any table, chunk by chunk                    formats/, frames
    take_rows        some of its rows                             taking
    TableEncoder     what its columns are, as numbers and back    survey, kinds, codecs
    TableModel       encoder and model as one                     filling
    write_table      tables to files                              writing

The names are imported when they are first used: an error class costs no more than itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowdim.tables.encoder import TableEncoder as TableEncoder
    from lowdim.tables.errors import TableError as TableError
    from lowdim.tables.errors import TableWarning as TableWarning
    from lowdim.tables.formats import TextFormat as TextFormat
    from lowdim.tables.model import TableModel as TableModel
    from lowdim.tables.opening import open_table as open_table
    from lowdim.tables.table import Table as Table
    from lowdim.tables.taking import take_rows as take_rows
    from lowdim.tables.writing import write_table as write_table

_HOME = {
    "Table": "table",
    "TableEncoder": "encoder",
    "TableError": "errors",
    "TableModel": "model",
    "TableWarning": "errors",
    "TextFormat": "formats",
    "open_table": "opening",
    "take_rows": "taking",
    "write_table": "writing",
}
__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lowdim.tables' has no attribute {name!r}")
    value = getattr(import_module(f"lowdim.tables.{_HOME[name]}"), name)
    globals()[name] = value
    return value
