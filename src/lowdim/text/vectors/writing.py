"""Word vectors as files that word2vec, gensim, fastText and others read.

The numbers of text files are the shortest that give the same floats again; binary files hold
float32. A file appears complete or not at all; a name that ends in .gz is packed.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lowdim.core.atomic import replacing
from lowdim.tables.errors import quoted

BATCH = 1024  # words that are written at once


def write_vectors(
    path: str | os.PathLike[str],
    words: Sequence[str],
    vectors: np.ndarray,
    *,
    binary: bool,
    header: bool,
    line_ends: bool,
) -> None:
    """Write words and vectors, in this order; `line_ends`: of binary files."""
    encoded = _checked(words)
    with _opened(path) as file:
        if header:
            file.write(b"%d %d\n" % vectors.shape)
        for first in range(0, len(words), BATCH):
            part = slice(first, first + BATCH)
            write = _binary_lines if binary else _text_lines
            file.write(write(encoded[part], vectors[part], b"\n" if line_ends else b""))


def write_counts(
    path: str | os.PathLike[str], words: Sequence[str], counts: Sequence[float]
) -> None:
    """Write a vocabulary file: a word, a blank and its count in each line."""
    encoded = _checked(words)
    with _opened(path) as file:
        lines = (b"%b %d\n" % pair for pair in zip(encoded, counts, strict=True))
        file.write(b"".join(lines))


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    with replacing(path) as file:
        if os.fspath(path).endswith(".gz"):
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:  # equal words, equal bytes
                yield packed
        else:
            yield file


def _checked(words: Sequence[str]) -> list[bytes]:
    """Words in UTF-8; the formats end a word at a blank, and a line at a line end."""
    encoded = []
    for word in words:
        try:
            one = word.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError(
                f"The word {quoted(word)} has half of a surrogate pair, which files do not hold."
            ) from None
        if not one or any(sign in one for sign in (b" ", b"\t", b"\n", b"\r")):
            raise ValueError(
                f"The word {quoted(word)} is empty or has blanks or line ends, which end a word in "
                "such files; write it with save(path), or name it without, such as "
                f"{quoted('_'.join(word.split()) or '_')}."
            )
        encoded.append(one)
    return encoded


def _binary_lines(words: list[bytes], vectors: np.ndarray, end: bytes) -> bytes:
    with np.errstate(over="ignore"):
        narrow = vectors.astype("<f4")
    wrong = ~np.isfinite(narrow).all(axis=1)
    if wrong.any():
        word = words[int(np.argmax(wrong))].decode("utf-8")
        raise ValueError(
            f"The vector of {quoted(word)} has values too large for float32, which binary files "
            "hold; write text, or save(path)."
        )
    parts = zip(words, narrow, strict=True)
    return b"".join([word + b" " + vector.tobytes() + end for word, vector in parts])


def _text_lines(words: list[bytes], vectors: np.ndarray, _: bytes) -> bytes:
    # str of each number is the shortest text that is read as the same float32 or float64
    numbers = vectors.astype(str).tolist()
    parts = zip(words, numbers, strict=True)
    return b"".join([word + b" " + " ".join(row).encode() + b"\n" for word, row in parts])
