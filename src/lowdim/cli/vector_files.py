"""What the verbs about word vectors share: files in and out, and unknown words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lowdim.report.words.reading import BINARY, MODEL, TEXT, VECTOR_FILES, read_vectors
from lowdim.tables.errors import TableError, plain
from lowdim.tables.writing import STANDARD_OUTPUT, check_outputs

PAGES = (".html", ".htm")

__all__ = [
    "check_vector_outputs",
    "known_words",
    "read_vectors",
    "write_vectors",
]


def check_vector_outputs(
    vectors: Mapping[str, str | None],
    pages: Mapping[str, str | None],
    inputs: Sequence[str | None],
) -> None:
    """Raise before any work if a file cannot be written, or would harm one that is read.

    Parameters
    ----------
    vectors, pages : mapping of str to (str or None)
        Paths of word vectors and of pages that are to be written, by the name of their argument.
    inputs : sequence of (str or None)
        What is read.
    """
    for argument, path in vectors.items():
        _check_ending(argument, path, VECTOR_FILES, f"{TEXT[0]}, {TEXT[2]}, {BINARY[0]} or {MODEL}")
    for argument, path in pages.items():
        _check_ending(argument, path, PAGES, PAGES[0])
    outputs = {**vectors, **pages}
    check_outputs(outputs, inputs, dict.fromkeys(outputs, ()))


def _check_ending(argument: str, path: str | None, allowed: Sequence[str], some: str) -> None:
    if path is None or path.lower().endswith(tuple(allowed)):
        return
    found = f"{plain(path, 200)} does not end like a file that can be written."
    if path == STANDARD_OUTPUT:
        found = "Word vectors and pages are not written to standard output."
    raise TableError(found, f"End {{{argument}}} in {some}.")


def write_vectors(vectors: Any, path: str) -> None:
    """Write word vectors in the form that the ending of the file names."""
    ending = path.lower()
    if ending.endswith(MODEL):
        vectors.save(path)
    else:
        vectors.save_word2vec_format(path, binary=ending.endswith(BINARY))


@contextmanager
def known_words(path: str) -> Iterator[None]:
    """In it a word that is not known is bad input, and the file is named."""
    try:
        yield
    except KeyError as error:  # str of a plain KeyError would quote its message
        said = str(error) if type(error) is not KeyError else str(error.args[0])
        raise TableError(f"{plain(path, 200)}: {said}") from error
