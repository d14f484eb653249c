"""`corpus`: documents of whatever holds them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from lowdim.tables.errors import plain
from lowdim.text.corpus.documents import Corpus, CorpusError, Source
from lowdim.text.corpus.files import TEXT_FILES, Folder, Lines, unknown_ending
from lowdim.text.corpus.lines import JsonLines
from lowdim.text.corpus.memory import Called, Listed, OnDask
from lowdim.text.corpus.names import Named
from lowdim.text.corpus.tables import open_column

TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".feather", ".arrow", ".xlsx", ".json")
LINES = (".jsonl", ".jsonl.gz")
SPLITS = ("auto", "line", "blank", "file")


def corpus(
    source: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    columns: Sequence[str] = (),
    split: str = "auto",
    encoding: str = "utf-8",
    decode_error: str = "strict",
    max_characters: int | None = 10**7,
) -> Corpus:
    """Documents to be read again and again, a chunk of them in memory.

    Parameters
    ----------
    source : path, list, Series, data frame, Dask bag or column, callable, or Corpus
        A folder: each of its files ending in .txt, .md or .gz, and those of its folders, is a
        document, in the order of their paths. A .txt or .md file (also .gz): see `split`. A table
        (.csv, .tsv, .parquet and others) or a data frame: the column `text`. A .jsonl file (also
        .gz): the field `text` of each line. A list or Series of texts; a Dask bag or column; a
        callable that gives a fresh iterator of texts on each call.
    text : str or None, default=None
        The column or field with the texts; None takes the only one that holds text, or one that is
        called text, document, content, body or abstract.
    id : str or None, default=None
        The column or field that names the documents; None: the path of a file, the number of a
        line (from 1) or of a row (from 0).
    columns : list of str, default=()
        What else is kept of each document, such as a date or a label: see `Corpus.columns`.
    split : {'auto', 'line', 'blank', 'file'}, default='auto'
        What a document is in a text file: a line (blank ones are left out), lines without a blank
        line between them, or the file. 'auto' looks at its start: 'blank' if it has paragraphs
        of a few lines each, else 'line'.
    encoding : str, default='utf-8'
        How the characters of files and of bytes are written.
    decode_error : {'strict', 'replace', 'ignore'}, default='strict'
        What happens to bytes that are no characters: an error that says where, a replacement sign,
        or nothing in their place. Tables are read strictly.
    max_characters : int or None, default=10**7
        Longer documents are refused: probably they are not one.

    Returns
    -------
    corpus : Corpus
        With `len`, `ids`, `columns[name]`, `take(index)` and `sample(n)`; iterating gives the
        texts. It is taken wherever documents are.

    Examples
    --------
    >>> import lowdim
    >>> corpus = lowdim.corpus(["the cat", "a dog", "two cats"])
    >>> len(corpus), corpus.ids
    (3, [0, 1, 2])
    >>> list(corpus.take([2, 0]))
    ['two cats', 'the cat']
    """
    if split not in SPLITS:
        raise ValueError(f"split={split!r} must be one of {', '.join(map(repr, SPLITS))}.")
    if decode_error not in ("strict", "replace", "ignore"):
        raise ValueError(
            f"decode_error={decode_error!r} must be one of 'strict', 'replace', 'ignore'."
        )
    if isinstance(source, Corpus):
        return source
    named = Named(text, id, (columns,) if isinstance(columns, str) else tuple(columns))
    form = (encoding, decode_error)
    if isinstance(source, str | os.PathLike):
        opened = _open_path(os.fspath(source), named, split, form, max_characters)
    else:
        opened = _open_object(source, named, form)
    return Corpus(opened, max_characters)


def _open_path(
    path: str, named: Named, split: str, form: tuple[str, str], most: int | None
) -> Source:
    ending = path.lower()
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file {plain(path, 200)}.")
    if os.path.isdir(path):
        _refuse_columns(path, named)
        return Folder(path, form, most)
    if not os.path.isfile(path):
        raise CorpusError(
            f"{plain(path, 200)} is not a regular file; documents are read again for every pass.",
            "Write what it gives to a file first.",
        )
    if ending.endswith(TEXT_FILES):
        _refuse_columns(path, named)
        return Lines(path, split, form, most)
    if ending.endswith(LINES):
        return JsonLines(path, named, form, most)
    if ending.endswith(TABLES):
        return open_column(path, named, form[0])
    raise unknown_ending(path, (*TEXT_FILES, *TABLES, *LINES))


def _open_object(source: Any, named: Named, form: tuple[str, str]) -> Source:
    series = nw.from_native(source, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        _refuse_columns("the series", named)
        index = list(source.index) if nw.dependencies.is_pandas_series(source) else None
        return Listed(series.to_list(), index, form)
    if isinstance(series, nw.DataFrame | nw.LazyFrame) and hasattr(source, "to_delayed"):
        return open_column(source, named, form[0])
    if isinstance(series, nw.DataFrame) or isinstance(source, dict):
        return open_column(source, named, form[0])
    _refuse_columns("the source", named)
    if hasattr(source, "to_delayed"):
        return OnDask(source, form)
    if isinstance(source, list | tuple | np.ndarray):
        return Listed(list(source), None, form)
    if callable(source):
        give: Callable[[], Iterable[Any]] = source
        return Called(give, form)
    raise TypeError(
        f"Documents cannot be read from {type(source).__name__}; give a path, a list of texts, a "
        "Series, a data frame, a Dask bag, or a callable that returns a fresh iterator of texts."
    )


def _refuse_columns(where: str, named: Named) -> None:
    for argument, value in zip(("text", "id", "columns"), named, strict=True):
        if value:
            raise ValueError(
                f"{argument}={value!r} names a column, and {plain(where, 200)} has none."
            )
