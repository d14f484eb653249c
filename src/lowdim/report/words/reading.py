"""Word vectors from files and from models."""

from __future__ import annotations

import os
from typing import Any

import lowdim
from lowdim.report.words.findings import Source
from lowdim.tables.errors import TableError, plain

MODEL = ".lowdim"
BINARY = (".bin", ".bin.gz")
TEXT = (".txt", ".txt.gz", ".vec", ".vec.gz")
VECTOR_FILES = (*TEXT, *BINARY, MODEL)


def read_vectors(path: str | os.PathLike[str]) -> Any:
    """The word vectors of a file: text, binary, or what `save` of lowdim wrote."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise TableError(f"There is no file {plain(name, 200)}.")
    if os.path.isdir(name):
        raise TableError(f"{plain(name, 200)} is a folder, not a file of word vectors.")
    ending = name.lower()
    if ending.endswith(MODEL):
        return vectors_of(lowdim.load(name), plain(name, 200))
    if not ending.endswith((*TEXT, *BINARY)):
        raise TableError(
            f"{plain(name, 200)} does not end like a file of word vectors.",
            f"Such files end in {', '.join(TEXT[::2])} (text), {BINARY[0]} (binary), both also "
            f"with .gz, or {MODEL}.",
        )
    return lowdim.WordVectors.load_word2vec_format(name, binary=ending.endswith(BINARY))


def vectors_of(model: Any, where: str) -> Any:
    """The word vectors themselves, or those of a model."""
    vectors = getattr(model, "wv", model)
    if not isinstance(vectors, lowdim.WordVectors):
        raise TableError(
            f"{where} is a {type(model).__name__}, which has no word vectors.",
            "Give a lowdim.WordVectors, a model that has them as `wv`, or a file.",
        )
    return vectors


def source_of(given: Any, usual: str) -> Source:
    """Word vectors and what to call them: a file by its name."""
    if isinstance(given, str | os.PathLike):
        name = os.fspath(given).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        return Source(name, read_vectors(given))
    return Source(usual, vectors_of(given, "What was given"))
