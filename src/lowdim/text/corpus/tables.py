"""Documents of a table: one column holds the texts. Files are read chunk by chunk."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any

import narwhals.stable.v2 as nw

from lowdim.tables.errors import no_such_column, quoted
from lowdim.tables.formats.base import steady_chunks
from lowdim.tables.opening import open_table
from lowdim.tables.table import Table
from lowdim.text.corpus.documents import CorpusError, Part, Source, in_parts
from lowdim.text.corpus.names import text_column

CHUNK_ROWS = 2**10


class TableColumn(Source):
    """A column of a table. A missing value is an empty text."""

    def __init__(self, table: Table, text: str | None, id: str | None, columns: Sequence[str]):
        self.where, self._table, self.columns = table.where, table, tuple(columns)
        self._text = text_column(self.where, text, table.names, _columns_of_text(table))
        self._id = id
        for name in (*((id,) if id else ()), *columns):
            if name not in table.names and name != table.index_name:
                raise no_such_column(self.where, name, table.names)
        self.n_documents = table.n_rows

    def parts(self) -> Generator[Part, None, None]:
        yield from in_parts(self._rows(), self.columns)

    def _rows(self) -> Iterator[tuple]:
        named = self._id or self._table.index_name
        wanted = list(dict.fromkeys([self._text, *((named,) if named else ()), *self.columns]))
        row = 0
        with closing(steady_chunks(self._table, wanted, CHUNK_ROWS)) as chunks:
            for chunk in chunks:
                frame = nw.from_native(chunk, eager_only=True)
                fields = {name: frame[name].to_list() for name in wanted}
                for i, text in enumerate(fields[self._text]):
                    name = fields[named][i] if named else row
                    values = (fields[column][i] for column in self.columns)
                    yield (self._checked(text, row), name, *values)
                    row += 1

    def _checked(self, text: Any, row: int) -> str:
        if isinstance(text, str):
            return text
        if text is None or text != text:
            return ""
        raise CorpusError(
            f"{self.where}, row {row:,}: column {quoted(self._text)} holds "
            f"{type(text).__name__}, not text.",
            "Name another column: {text}",
        )


def open_column(
    source: Any, text: str | None, id: str | None, columns: Sequence[str], encoding: str
) -> TableColumn:
    """A column of a file or a data frame."""
    if not isinstance(source, str):
        return TableColumn(open_table(source), text, id, columns)

    def as_written(names: Sequence[str]) -> list[str]:
        wanted = (text, id) if text is not None else ()
        return [name for name in wanted if name in names]

    form = {"encoding": encoding} if source.lower().removesuffix(".gz").endswith(_BY_HAND) else {}
    stream = True if source.lower().removesuffix(".gz").endswith(_STREAMED) else None
    table = open_table(source, text_columns=as_written, stream=stream, **form)
    if text is not None or not form:
        return TableColumn(table, text, id, columns)
    found = TableColumn(table, text, id, columns)._text  # now it is known what to keep as written
    return open_column(source, found, id, columns, encoding)


_BY_HAND = (".csv", ".tsv")
_STREAMED = (".csv", ".tsv", ".parquet")


def _columns_of_text(table: Table) -> list[str]:
    """Columns of which the first rows are text."""
    with closing(steady_chunks(table, None, CHUNK_ROWS)) as chunks:
        first = next(chunks, None)
    if first is None:
        return []
    frame = nw.from_native(first, eager_only=True)
    return [
        name
        for name in table.names
        if any(isinstance(value, str) for value in frame[name].to_list()[:100])
    ]
