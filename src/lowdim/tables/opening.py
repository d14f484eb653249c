"""Any table as a `Table`: files by `formats`, all else by `frames`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import scipy.sparse as sp

from lowdim.core.numeric import frame_of
from lowdim.tables.table import Table


def open_table(
    source: Any,
    *,
    stream: bool | None = None,
    text_columns: Sequence[str] | Callable[[Sequence[str]], Sequence[str]] = (),
    **form: Any,
) -> Table:
    """A table from whatever holds one.

    Parameters
    ----------
    source : path, data frame, dict of arrays, matrix, Dask collection, stream or Table
        The path of a file (.csv, .tsv, .txt, .data, also with .gz, .xlsx, .parquet, .feather,
        .arrow, .npy, .npz, .json, .jsonl), of a folder or a pattern of such files with the same
        columns, '-' for csv from standard input; a pandas, polars or pyarrow table.
    stream : bool or None, default=None
        Of files: read again for every pass (True) or once into memory (False); None decides by
        size.
    text_columns : sequence of str or function, default=()
        Of text files: columns that stay as they are written, so that 007 is not the number 7; or
        what gives them from the names of all columns.
    **form
        Of text files, where what is found out is not right: separator, decimal, thousands, quote,
        encoding, header, comment, units, missing; of .xlsx files: sheet. See
        `lowdim.tables.TextFormat`.

    Returns
    -------
    Table
        With `names`, `notes` and `chunks()`.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        from lowdim.tables.formats import TextFormat, open_file

        path = os.fspath(source)
        table = open_file(path, TextFormat(**form), text_columns=text_columns, stream=stream)
        as_text = text_columns(table.names) if callable(text_columns) else text_columns
        given = {"stream": stream, "text_columns": list(as_text) or None, **form}
        table.path = path
        table.asked = {name: value for name, value in given.items() if value is not None}
        return table
    if form:
        raise TypeError(f"{next(iter(form))}= is for text files; the table is in memory.")
    from lowdim.tables.frames.opening import open_frame

    return open_frame(source)


def open_columns(X: Any) -> Table | None:
    """A file, a data frame or a dict of arrays as a Table; None for what can only hold numbers.

    These are matrices, streams and Dask collections.
    """
    if isinstance(X, str | os.PathLike | Table):
        return open_table(X)
    if sp.issparse(X):  # some of which are dicts, too
        return None
    is_frame = isinstance(frame_of(X, "X"), nw.DataFrame)
    if not is_frame and not isinstance(X, Mapping):
        return None
    from lowdim.tables.frames.opening import open_frame

    return open_frame(X, "X")
