"""Documents of a file with one object of JSON in each line: a field of each is the text."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any

from lowdim.tables.errors import plain, quoted
from lowdim.text.corpus.documents import CorpusError, Part, Source, in_parts
from lowdim.text.corpus.files import TextFile
from lowdim.text.corpus.names import Named, text_column

LONGEST_LINE = 50  # times max_characters: escapes, and other fields
FIRST_LINES = 100  # say which fields there are


class JsonLines(Source):
    """A .jsonl file, perhaps packed. Null, or a field that an object lacks, is an empty text."""

    def __init__(self, path: str, named: Named, form: tuple[str, str], most: int | None):
        self._file = TextFile(path, *form)
        self.where, self.columns = self._file.where, named.columns
        self._most = None if most is None else LONGEST_LINE * most
        first = [found for _, found in islice(self._objects(), FIRST_LINES)]
        if not first:
            raise CorpusError(f"{self.where} has no documents.", "It needs one object a line.")
        names = list(dict.fromkeys(name for found in first for name in found))
        texts = [name for name in names if any(isinstance(found.get(name), str) for found in first)]
        self._text = text_column(self.where, named.text, names, texts)
        self._id = named.id
        named.check(self.where, names)

    def parts(self) -> Generator[Part, None, None]:
        yield from in_parts(self._rows(), self.columns)

    def _rows(self) -> Iterator[tuple]:
        for number, found in self._objects():
            text = found.get(self._text)
            if text is not None and not isinstance(text, str):
                raise CorpusError(
                    f"{self.where}, line {number:,}: {quoted(self._text)} holds "
                    f"{type(text).__name__}, not text.",
                    "Write texts as text, and null where there is none.",
                )
            name = number if self._id is None else found.get(self._id)
            yield (text or "", name, *(found.get(column) for column in self.columns))

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in enumerate(self._file.lines(self._most), start=1):
            if line.strip():
                yield number, self._parsed(line, number)

    def _parsed(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", type(error).__name__)
        else:
            if isinstance(found, dict):
                return found
            reason = f"it is a {type(found).__name__}"
        raise CorpusError(
            f"{self.where}, line {number:,}: this is not one object of JSON "
            f"({plain(reason, 120)}): {quoted(line)}.",
            "Mend or delete that line.",
        )
