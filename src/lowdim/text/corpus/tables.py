"""Documents of a table: one column holds the texts. Files are read chunk by chunk."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any

import narwhals.stable.v2 as nw

from lowdim.tables.errors import quoted
from lowdim.tables.formats.base import steady_chunks
from lowdim.tables.opening import open_table
from lowdim.tables.table import Table
from lowdim.text.corpus.documents import CorpusError, Part, Source, in_parts, is_missing
from lowdim.text.corpus.names import Named, text_column

CHUNK_ROWS = 2**10


class TableColumn(Source):
    """A column of a table. A missing value is an empty text."""

    def __init__(self, table: Table, named: Named):
        self.where, self._table, self.columns = table.where, table, named.columns
        self.text = text_column(self.where, named.text, table.names, _columns_of_text(table))
        self._id = named.id
        named.check(self.where, [*table.names, *((table.index_name,) if table.index_name else ())])
        self.n_documents = table.n_rows

    def parts(self) -> Generator[Part, None, None]:
        yield from in_parts(self._rows(), self.columns)

    def _rows(self) -> Iterator[tuple]:
        named = self._id or self._table.index_name
        wanted = list(dict.fromkeys([self.text, *((named,) if named else ()), *self.columns]))
        row = 0
        with closing(steady_chunks(self._table, wanted, CHUNK_ROWS)) as chunks:
            for chunk in chunks:
                frame = nw.from_native(chunk, eager_only=True)
                fields = {name: frame[name].to_list() for name in wanted}
                for i, text in enumerate(fields[self.text]):
                    name = fields[named][i] if named else row
                    values = (fields[column][i] for column in self.columns)
                    yield (self._checked(text, row), name, *values)
                    row += 1

    def _checked(self, text: Any, row: int) -> str:
        if isinstance(text, str):
            return text
        if is_missing(text):
            return ""
        raise CorpusError(
            f"{self.where}, row {row:,}: column {quoted(self.text)} holds "
            f"{type(text).__name__}, not text.",
            "Name another column: {text}",
        )


def open_column(source: Any, named: Named, encoding: str) -> TableColumn:
    """A column of a file or a data frame."""
    if not isinstance(source, str):
        return TableColumn(open_table(source), named)

    def as_written(names: Sequence[str]) -> list[str]:
        wanted = {named.text, named.id} if named.text is not None else set()
        return [name for name in names if name in wanted]

    kind = source.lower().removesuffix(".gz")
    form = {"encoding": encoding} if kind.endswith(_BY_HAND) else {}
    stream = True if kind.endswith(_STREAMED) else None
    column = TableColumn(open_table(source, text_columns=as_written, stream=stream, **form), named)
    if named.text is not None or not form:
        return column
    return open_column(source, named._replace(text=column.text), encoding)  # now kept as written


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
