"""What holds a text: paths, corpora, strings, lists of words, anything that gives these.

A document is a string, which is still to be cut into words, or a list of words, which is taken as
it is. Every source is read once, from first to last.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks, is_dask
from lowdim.tables.errors import plain
from lowdim.text.corpus import corpus
from lowdim.text.corpus.documents import Corpus, is_missing
from lowdim.text.tokens.tokens import Tokens

Document = str | Sequence[str]


class Lines:
    """Whole lines of a file, of which each that is not blank is a document."""

    def __init__(self, text: str):
        self.text = text

    def __iter__(self) -> Iterator[str]:
        for line in self.text.split("\n"):
            line = line.removesuffix("\r")
            if line and not line.isspace():
                yield line


NO_TEXT = (bytes, bytearray, memoryview, set, frozenset, Mapping, range, Blocks)
LIKE_TABLES = (
    *("__array__", "__dlpack__", "__array_interface__", "shape"),
    *("__dataframe__", "__arrow_c_stream__", "collect_schema", "columns"),
)
LOOKED_AT = 1000  # items of a list, for the first one that is not empty


def is_text(X: Any) -> bool:
    """Whether X is text to be cut into words; if not, it should be a matrix of counts."""
    if isinstance(X, Tokens | Corpus | str | os.PathLike):
        return True
    if X is None or isinstance(X, NO_TEXT) or sp.issparse(X):
        return False
    if is_dask_text(X):
        return True
    if is_dask(X):
        return False
    if isinstance(X, list | tuple):
        return _begins_with_text(X)
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype.kind in "OUST" and _begins_with_text(X)
    if nw.dependencies.is_into_series(X):
        series = nw.from_native(X, series_only=True)
        return _begins_with_text(series.head(LOOKED_AT).to_list())
    if any(hasattr(X, name) for name in LIKE_TABLES):
        return False
    return hasattr(X, "__iter__") or callable(X)


def is_dask_text(X: Any) -> bool:
    """Whether X is a Dask bag, or a column of a Dask data frame."""
    if not (hasattr(X, "to_delayed") and hasattr(X, "npartitions")):
        return False
    return type(X).__module__.startswith("dask.bag") or (
        hasattr(X, "to_dask_array") and getattr(X, "ndim", 2) == 1
    )


def _begins_with_text(items: Any) -> bool:
    """Whether the first item that says anything is a text, a path or a list of words."""
    for item in items[:LOOKED_AT]:
        if isinstance(item, str | bytes | os.PathLike):
            return True
        if isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim == 1):
            if len(item):
                return isinstance(item[0], str)
        elif not is_missing(item):
            return False
    return False


def documents_of(source: Any) -> Iterator[Document]:
    """The documents of a source, one after the other."""
    for item in items_of(source):
        if isinstance(item, Lines):
            yield from item
        else:
            yield item


def items_of(source: Any) -> Iterator[Document | Lines]:
    """The documents of a source; those that are lines of a file, many at a time."""
    for i, item in enumerate(_given(source)):
        if isinstance(item, os.PathLike):
            yield from _of_path(os.fspath(item))
        else:
            yield item if isinstance(item, Lines) else _document(item, i, source)


def _given(source: Any) -> Iterable[Any]:
    if isinstance(source, str | os.PathLike):
        return _of_path(os.fspath(source))
    if isinstance(source, Corpus):
        return _of_corpus(source)
    if isinstance(source, list | tuple | np.ndarray):
        return source
    if nw.dependencies.is_into_series(source):
        return nw.from_native(source, series_only=True).to_list()
    if callable(source) and not hasattr(source, "__iter__"):
        return corpus(source, max_characters=None)
    if not hasattr(source, "__iter__") or isinstance(source, NO_TEXT):
        raise TypeError(
            f"Text cannot be read from {type(source).__name__}; give a path, a list of texts or of "
            "lists of words, an iterator of these, lowdim.corpus(...) or a Dask bag."
        )
    return source


def _of_corpus(documents: Corpus) -> Iterator[str | Lines]:
    blocks = documents.line_blocks()
    if blocks is None:
        yield from documents
        return
    with closing(blocks):
        for block in blocks:
            yield Lines(block)


def _of_path(path: str) -> Iterator[str | Lines]:
    """The documents of a file, a folder, or all files that a pattern names, in their order."""
    paths = [path]
    if not os.path.exists(path) and glob.has_magic(path):
        paths = sorted(glob.glob(path, recursive=True))
    if not paths or not os.path.exists(paths[0]):
        raise FileNotFoundError(
            f"There is no file {plain(path, 200)}. A text itself is given in a list: [text]."
        )
    for one in paths:
        yield from _of_corpus(corpus(one, max_characters=None))


def _document(item: Any, i: int, source: Any) -> Document:
    if isinstance(item, str):
        return item
    if isinstance(item, bytes):
        return _decoded(item, i)
    if isinstance(item, np.ndarray) and item.ndim == 1 and item.dtype.kind in "OUST":
        return item.tolist()
    if isinstance(item, Sequence) and not isinstance(item, NO_TEXT):
        return item
    if is_missing(item):
        return ""
    if isinstance(source, Iterator):
        raise TypeError(
            f"X is a {type(source).__name__}, which gives its items only once; item {i:,} is of "
            f"type {type(item).__name__}, and texts or lists of words are needed. Counts are given "
            "as a matrix."
        )
    raise TypeError(
        f"Document {i:,} is of type {type(item).__name__}; give texts or lists of words."
    )


def _decoded(document: bytes, i: int) -> str:
    try:
        return document.decode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"Document {i:,} is not in UTF-8: byte {error.start:,} stands for no character. Decode "
            "it first, or read it with lowdim.corpus(..., encoding=...)."
        ) from None
