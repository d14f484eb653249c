"""What all readers share: a table whose chunks are pyarrow tables, read again or held in memory.

A reader says what its columns are and how to read them from start to end (`_read`). `hold` keeps
all rows; a table that is not held is streamed.
"""

from __future__ import annotations

import importlib
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from lowdim.tables.errors import TableError, no_such_column, plain, quoted
from lowdim.tables.formats.headers import unique_names
from lowdim.tables.table import Table, rows_at_a_time

STREAM_BYTES = 2**30  # tables that take more memory are streamed, unless the user says otherwise

UNNAMED_INDEX = re.compile(r"__index_level_\d+__")  # pandas' name for an index that has none

State = TypeVar("State")
TextColumns = Sequence[str] | Callable[[Sequence[str]], Sequence[str]]


class RereadNeeded(TableError):
    """A later part of a text file is not what its first rows promised.

    The table knows better now: read it from the start again. `fold_chunks` does so.

    Attributes
    ----------
    column, value : str
        The first cell that did not fit its column.
    """

    def __init__(self, found: str, column: str = "", value: str = ""):
        super().__init__(found, "Read the table again from its start.")
        self.column, self.value = column, value


class RaggedRow(TableError):
    """A row with more or fewer cells than there are columns."""

    def __init__(
        self, where: str, line: int, n_found: int, n_expected: int, row: str, between: str
    ):
        fields = "1 field" if n_found == 1 else f"{n_found:,} fields"
        super().__init__(
            f"{where}, line {line:,}: {fields} where {n_expected:,} are expected: {quoted(row)}.",
            f"Mend that line; put quotes around text with {between} in it; or name another "
            "{separator}",
        )
        self.line, self.n_found, self.n_expected = line, n_found, n_expected


class ArrowTable(Table):
    """A table whose chunks are pyarrow tables."""

    streamed = True
    schema: Any  # pyarrow's: the columns, and the index if there is one
    _held: Any = None
    _may_grow = False  # whether a pass may find further columns: nobody has seen the names yet

    def chunks(
        self, columns: Sequence[str] | None = None, size: int | None = None
    ) -> Iterator[Any]:
        wanted = self.names if columns is None else list(columns)
        known = frozenset(self.schema.names)
        for name in wanted:
            if name not in known:
                raise no_such_column(self.where, name, self.names)
        size = size or rows_at_a_time(len(wanted))
        if not wanted:
            return iter(())
        if self._held is not None:
            return _slices(self._held.select(wanted), size)
        return regrouped(self._read(wanted, size), size)

    @abstractmethod
    def _read(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """One pass over these columns, in pyarrow tables of any number of rows."""

    @property
    def bytes_in_memory(self) -> float:
        """About how much memory all rows take."""
        return 0.0

    def hold(self, most: float | None = None) -> None:
        """Keep all rows in memory, unless they take more than `most` bytes."""
        import pyarrow as pa

        tables, self._may_grow = None, True
        while tables is None:
            try:
                tables = self._collected(most)
            except RereadNeeded:
                continue
        self._may_grow = False
        if tables:
            self._held = with_one_dictionary(pa.concat_tables(tables))
            self.n_rows, self.streamed = self._held.num_rows, False

    def _collected(self, most: float | None) -> list[Any]:
        """All rows; nothing if they take more than `most` bytes."""
        tables = [self.schema.empty_table()]
        n_bytes = 0
        with closing_chunks(self._read(self.schema.names, rows_at_a_time(1))) as read:
            for table in read:
                tables.append(table)
                n_bytes += table.nbytes
                if most is not None and n_bytes > most:
                    return []
        return tables


def fold_chunks(
    table: Table,
    start: Callable[[], State],
    step: Callable[[State, Any], State],
    columns: Sequence[str] | None = None,
) -> State:
    """step(...step(step(start(), chunk), chunk)...) over all chunks of a table.

    The kinds of the columns of a text file are found from its first rows. If a later row does not
    fit (a word in a column of numbers), the table reads that column as text from then on and raises
    RereadNeeded; the fold then begins again from a fresh start(). A pass looks at all its columns
    to the end of the file before it gives up, so this happens once.
    """
    while True:
        state = start()
        try:
            with closing_chunks(table.chunks(columns)) as chunks:
                for chunk in chunks:
                    state = step(state, chunk)
            return state
        except RereadNeeded:
            continue


def steady_chunks(
    table: Table, columns: Sequence[str] | None = None, size: int | None = None
) -> Generator[Any, None, None]:
    """The chunks of a table, each row once, also where RereadNeeded makes it begin again."""
    given = 0
    while True:
        position = 0
        try:
            with closing_chunks(table.chunks(columns, size)) as chunks:
                for chunk in chunks:
                    new = chunk if position >= given else chunk[given - position :]
                    position += chunk.shape[0]
                    if position > given:
                        given = position
                        yield new
            return
        except RereadNeeded:
            continue


@contextmanager
def closing_chunks(chunks: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Close what reads a file when the chunks are no longer needed."""
    try:
        yield chunks
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()


def with_one_dictionary(table: Any) -> Any:
    """The table with the same dictionary in all parts of a column."""
    import pyarrow.types as is_type

    if any(is_type.is_dictionary(type_) for type_ in table.schema.types):
        return table.unify_dictionaries()
    return table


def _slices(table: Any, size: int) -> Iterator[Any]:
    for start in range(0, table.num_rows, size):
        yield table.slice(start, size)


def regrouped(tables: Iterator[Any], size: int) -> Iterator[Any]:
    """The same rows, `size` at a time."""
    import pyarrow as pa

    waiting: list[Any] = []
    n = 0
    with closing(tables) as given:  # type: ignore[type-var]
        for table in given:
            waiting.append(table)
            n += table.num_rows
            if n >= size:
                rows = pa.concat_tables(waiting)
                whole = n - n % size
                yield from _slices(rows.slice(0, whole), size)
                waiting, n = [rows.slice(whole)], n - whole
    if n:
        yield pa.concat_tables(waiting)


class HeldTable(ArrowTable):
    """A table that comes as a whole."""

    def _hold_all(self, table: Any) -> None:
        self.schema, self._held = table.schema, table
        self.n_rows, self.streamed = table.num_rows, False

    def _read(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        yield self._held.select(list(columns))


class NamedColumns(ArrowTable):
    """A table of a file that says itself what its columns are called.

    Attributes
    ----------
    given : dict of str to (str, int)
        For each column the name that the file has for it, and how many columns before it have the
        same.
    """

    given: dict[str, tuple[str, int]]

    def _set_columns(self, schema: Any) -> None:
        """Columns with each name once; those in which pandas keeps an index name the rows."""
        import pyarrow as pa

        index = _index_columns(schema)
        shown = ["index" if UNNAMED_INDEX.fullmatch(name) else name for name in schema.names]
        known, self.notes = unique_names(shown)
        seen: Counter[str] = Counter()
        self.given = {}
        for name, given in zip(known, schema.names, strict=True):
            self.given[name] = (given, seen[given])
            seen[given] += 1
        self.schema = pa.schema(
            [(name, field.type) for name, field in zip(known, schema, strict=True)]
        )
        rows = [name for name in known if self.given[name][0] in index]
        self.names = [name for name in known if name not in rows]
        self.index_name = rows[0] if rows else None

    def _selected(self, table: Any, columns: Sequence[str]) -> Any:
        """Columns of what was read, under their names here."""
        import pyarrow as pa

        seen: Counter[str] = Counter()
        places = {}
        for f, name in enumerate(table.schema.names):
            places[name, seen[name]] = f
            seen[name] += 1
        return pa.table(
            [table.column(places[self.given[name]]) for name in columns], names=list(columns)
        )


def _index_columns(schema: Any) -> set[str]:
    """Columns in which pandas keeps the index of a frame: names of rows, not values."""
    listed = (schema.pandas_metadata or {}).get("index_columns", ())
    return {name for name in listed if isinstance(name, str)}


def text_names(wanted: TextColumns, names: Sequence[str], where: str) -> Sequence[str]:
    """The columns that stay as they are written: those named, or chosen by a function of all."""
    if callable(wanted):
        return wanted(names)
    for name in wanted:
        if name not in names:
            raise no_such_column(where, name, names, "text_columns")
    return wanted


@contextmanager
def unreadable(where: str, what: str) -> Iterator[None]:
    """What pyarrow says about a file that it cannot read, in one line."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = plain(str(error).partition("\n")[0].rstrip("."), 200)
        raise TableError(
            f"{where} cannot be read as {what}: {reason}.", "It may be damaged or cut short."
        ) from None


def needed(module: str, where: str, otherwise: str = "") -> Any:
    """A module that comes with an extra, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0].replace("_", "-")
        raise ImportError(
            f'Reading {where} needs {package}: pip install "lowdim[io]"{otherwise}'
        ) from None
