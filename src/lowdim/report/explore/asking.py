"""What is asked of a page about a table: arguments checked, the encoder, the table opened."""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from sklearn.base import clone

from lowdim.tables.encoder import TableEncoder
from lowdim.tables.opening import open_table
from lowdim.tables.table import Table
from lowdim.tables.wishes import ignoring


def check_asked(drop: Any, log: Any, random_state: Any) -> None:
    """Raise if what is asked makes no sense."""
    if isinstance(drop, str):
        raise TypeError(f"drop={drop!r} is a text; give a list of column names: [{drop!r}].")
    if (isinstance(log, str) and log != "auto") or log is True:
        raise TypeError(f"log={log!r} must be 'auto', False or a list of column names.")
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(
            f"random_state={random_state!r} must be a whole number, at least 0: the page says how "
            "to make it again."
        )


def with_wishes(
    encoder: TableEncoder | None, id: str | None, drop: Sequence[str], log: Any
) -> TableEncoder:
    """The user's encoder, not fitted, with what else was said."""
    if encoder is not None and not isinstance(encoder, TableEncoder):
        raise TypeError(f"encoder={encoder!r} must be a lowdim.TableEncoder.")
    wished = TableEncoder() if encoder is None else clone(encoder)
    if wished.missing != "nan":
        raise ValueError(
            f"encoder has missing={wished.missing!r}; the models of the page learn from what is "
            "known, and fill what is not: missing='nan' is needed."
        )
    if id is not None:
        wished.set_params(id=id)
    if len(drop):
        wished = ignoring(wished, drop)
    return wished if log is None else wished.set_params(log=log)


def opened_table(source: Any, id: str | None) -> Table:
    """The table in memory, where it is a file; its column of names stays as it is written."""
    if not isinstance(source, str | os.PathLike):
        return open_table(source)

    def names_of_rows(names: Sequence[str]) -> list[str]:
        return [name for name in names if name == id]

    return open_table(source, stream=False, text_columns=names_of_rows)
