"""Text as rows: what holds it, its tokens in a line, windows of them.

    documents -> tokens in a line, a symbol in front of each document (if there are several)
              -> rows of 2 c - 1 tokens, each c after the one before       a view: nothing is copied

Of a row, a step learns from c neighbouring tokens that begin anywhere in its first c.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.estimator import SavedModel
from lowdim.deep.transformer.vocabulary import Vocabulary
from lowdim.text.corpus import corpus
from lowdim.text.corpus.documents import Corpus

EMPTY = "X holds no text: {n} document{s} without a single token. Give some text to learn from."


def documents_of(X: Any) -> Iterable[str] | None:
    """The texts that X holds, to be read any number of times; None if it holds none."""
    if isinstance(X, str):
        return [X]
    if isinstance(X, Corpus):
        return X
    if isinstance(X, os.PathLike):
        return corpus(X, split="file", max_characters=None)
    if isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.ndim == 1):
        return _strings(list(X)) if len(X) and isinstance(X[0], str) else None
    if nw.dependencies.is_into_series(X):
        values = nw.from_native(X, series_only=True).to_list()
        return _strings(values) if values and isinstance(values[0], str) else None
    if callable(X) and not isinstance(X, type | Blocks | SavedModel) and not hasattr(X, "shape"):
        return corpus(X, max_characters=None)
    return None


def _strings(values: list) -> list[str]:
    for i, value in enumerate(values):
        if not isinstance(value, str):
            raise TypeError(
                f"X is a list of texts, and item {i:,} is of type {type(value).__name__}; leave it "
                "out, or give a text."
            )
    return [str(value) for value in values]


class Line(NamedTuple):
    """Tokens of documents, one after the other."""

    ids: np.ndarray  # (N,)  as small as they fit
    n_tokens: int  # without the symbols in front of documents


def line_of(documents: Iterable[str], vocabulary: Vocabulary, separated: bool) -> Line:
    """All tokens; in front of each document the number after all tokens, if `separated`."""
    dtype = np.min_scalar_type(vocabulary.size)
    parts, n_documents, n_tokens = [np.empty(0, dtype)], 0, 0
    for codes in coded(documents, vocabulary):
        n_documents += 1
        n_tokens += len(codes)
        if separated and len(codes):
            parts.append(np.full(1, vocabulary.size, dtype))
        parts.append(codes.astype(dtype))
    if n_tokens == 0:
        raise ValueError(EMPTY.format(n=n_documents, s="" if n_documents == 1 else "s"))
    return Line(np.concatenate(parts), n_tokens)


def coded(documents: Iterable[str], vocabulary: Vocabulary) -> Iterator[np.ndarray]:
    """The tokens of each document."""
    for text in documents:
        yield vocabulary.ids(text) if text else np.empty(0, dtype=np.int64)


class Windows(ArrayBlocks):
    """Rows of tokens: a view of them, of whole numbers as they are."""

    def __init__(self, ids: np.ndarray, context: int, filler: int):
        c = min(context, len(ids))
        width = min(2 * c - 1, len(ids))
        n = 1 + -(-(len(ids) - width) // c)
        short = (n - 1) * c + width - len(ids)
        self._ids = np.concatenate([ids, np.full(short, filler, ids.dtype)]) if short else ids
        view = np.lib.stride_tricks.sliding_window_view(self._ids, width)[::c]
        super().__init__(np.zeros((0, width), np.float32))
        self._block_rows = max(1, self._block_rows)
        self._X, self.context = view, c

    def fingerprint(self) -> str:
        """A hash of all tokens."""
        digest = hashlib.blake2b(np.ascontiguousarray(self._ids).data, digest_size=16)
        return f"{len(self._ids)} tokens {self.context} {digest.hexdigest()}"


def as_codes(ids: np.ndarray) -> np.ndarray:
    """Tokens as a network takes them."""
    return ids.astype(np.int64)


# ---- windows to be asked about -------------------------------------------------------------------


class Asked(NamedTuple):
    """Some windows of documents."""

    codes: np.ndarray  # (m, c)  padded by the number after all tokens
    first: np.ndarray  # (m,)  the first entry that counts
    document: np.ndarray  # (m,)  its number


def windows_of(
    codes: Iterable[np.ndarray], context: int, filler: int, separated: bool, step: int, size: int
) -> Iterator[Asked]:
    """Windows of documents, `size` at a time, each `step` entries after the one before.

    An entry counts in the first window that has it: so it is seen with what stands before it.
    """
    waiting: list[tuple[np.ndarray, int, int]] = []
    for number, tokens in enumerate(codes):
        row = np.concatenate([[filler], tokens]) if separated else tokens
        n_windows = 1 + max(0, -(-(len(row) - context) // step)) if len(tokens) else 0
        for k in range(n_windows):
            first = 0 if k == 0 else context - step
            waiting.append((row[k * step : k * step + context], first, number))
            if len(waiting) == size:
                yield _stacked(waiting, filler)
                waiting = []
    if waiting:
        yield _stacked(waiting, filler)


def _stacked(rows: list[tuple[np.ndarray, int, int]], filler: int) -> Asked:
    longest = max(len(row) for row, _, _ in rows)
    codes = np.full((len(rows), longest), filler, dtype=np.int64)
    for i, (row, _, _) in enumerate(rows):
        codes[i, : len(row)] = row
    _, first, document = zip(*rows, strict=True)
    return Asked(codes, np.array(first), np.array(document))
