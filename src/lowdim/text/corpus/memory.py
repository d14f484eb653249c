"""Documents of what is in memory, on Dask, or comes from a callable."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any

from lowdim.text.corpus.documents import CorpusError, Part, Source, in_parts, is_missing


class Listed(Source):
    """A list of texts, named by their numbers, or by an index."""

    def __init__(self, texts: Sequence[Any], ids: Sequence[Any] | None, form: tuple[str, str]):
        self._texts, self._ids, self._form = texts, ids, form
        self.n_documents = len(texts)

    def parts(self) -> Generator[Part, None, None]:
        names = range(len(self._texts)) if self._ids is None else self._ids
        rows = zip(_texts(self._texts, self._form), names, strict=True)
        yield from in_parts(rows, ())


class Called(Source):
    """What a callable gives: a fresh iterator of texts on each call."""

    where = "The callable"

    def __init__(self, give: Callable[[], Iterable[Any]], form: tuple[str, str]):
        self._give, self._form = give, form
        self._given: Any = None

    def parts(self) -> Generator[Part, None, None]:
        texts = self._give()
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise TypeError(
                f"The callable returned a {type(texts).__name__}; it must return an iterator of "
                "texts, a fresh one on each call."
            )
        if texts is self._given and isinstance(texts, Iterator):
            raise ValueError(
                "The callable returned the same iterator twice; it must return a fresh one on "
                "each call: documents are read more than once."
            )
        self._given = texts
        rows = ((text, i) for i, text in enumerate(_texts(texts, self._form)))
        yield from in_parts(rows, ())


class OnDask(Source):
    """A Dask bag, or a column of a Dask data frame: computed partition by partition."""

    where = "The Dask collection"

    def __init__(self, documents: Any, form: tuple[str, str]):
        self._parts, self._form = documents.to_delayed(), form

    def parts(self) -> Generator[Part, None, None]:
        texts = (text for part in self._parts for text in part.compute())
        rows = ((text, i) for i, text in enumerate(_texts(texts, self._form)))
        yield from in_parts(rows, ())


def _texts(documents: Iterable[Any], form: tuple[str, str]) -> Iterator[str]:
    """Documents as texts; a missing one (None, NaN) is empty."""
    for i, document in enumerate(documents):
        if isinstance(document, str):
            yield str(document)
        elif isinstance(document, bytes):
            yield _decoded(document, i, form)
        elif is_missing(document):
            yield ""
        else:
            raise CorpusError(
                f"Document {i:,} is of type {type(document).__name__}.",
                "Give texts; bytes are decoded.",
            )


def _decoded(document: bytes, i: int, form: tuple[str, str]) -> str:
    try:
        return document.decode(*form)
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"Document {i:,} is not in {form[0]}: byte {error.start:,} stands for no character.",
            "Name another {encoding}, or say what to do with such bytes: {decode_error} 'replace' "
            "or 'ignore'.",
        ) from None
