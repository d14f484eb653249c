"""Rows of text as columns: how pyarrow reads them, and what kinds the columns have.

    numbers                      float64
    true, false                  bool
    dates and times as in ISO    as pyarrow finds them
    all else                     text, as a dictionary where values come again

Leading zeros (007) and whole numbers of more than 15 digits make identifiers: they stay text. So
does whatever pyarrow does not read as a number, such as '$5' and '1,200'. In text, only empty and
blank cells are missing; in other columns, all cells of `missing` are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from lowdim.tables.formats.cells import MISSING, NEVER
from lowdim.tables.formats.form import WHITESPACE, TextFormat

IDENTIFIER = r"^\s*[+-]?(?:0\d+|\d{16,})\s*$"
MOST_SPELLINGS = 1000  # of missing values


class Converter:
    """Reads rows of text as pyarrow tables.

    `missing` are the cells of columns that are not text which stand for missing values. It holds
    the spellings that were met, as every further one costs time at each cell: `learn_missing` adds
    those of new texts.
    """

    def __init__(self, form: TextFormat, names: Sequence[str]):
        self.names, self.decimal = list(names), form.decimal or "."
        self.missing, self._marks = [""], {mark.strip() for mark in (*MISSING, *form.missing)}
        self.between = "\t" if form.separator == WHITESPACE else form.separator or NEVER
        self.quote = form.quote or ""

    def read(
        self,
        rows: Any,
        types: dict[str, Any],
        columns: Sequence[str] = (),
        invalid: Callable[[Any], str] | None = None,
        names: Sequence[str] = (),
    ) -> Any:
        """These columns (none named: all); those without a type get one by what they hold.

        `invalid` is called with each row that has not as many cells as there are names. With
        `names`, the rows hold the columns of these names only, and a line without anything is one.
        """
        import pyarrow as pa
        import pyarrow.csv as csv

        # without quotes, pyarrow cuts rows by a quicker parser, after one look less
        quoted = bool(self.quote) and self.quote.encode() in rows
        return csv.read_csv(
            pa.BufferReader(rows),
            csv.ReadOptions(
                use_threads=False, block_size=len(rows) + 1, column_names=list(names) or self.names
            ),
            csv.ParseOptions(
                delimiter=self.between,
                quote_char=self.quote if quoted else False,
                newlines_in_values=quoted,
                ignore_empty_lines=not names,
                invalid_row_handler=invalid,
            ),
            csv.ConvertOptions(
                column_types=types,
                null_values=self.missing,
                decimal_point=self.decimal,
                include_columns=list(columns),
            ),
        )

    def learn_missing(self, texts: Any) -> None:
        """Add the spellings of missing values among the texts, with the blanks around them."""
        import pyarrow.compute as pc

        distinct = pc.unique(texts).to_pylist()
        new = {text for text in distinct if text.strip() in self._marks} - set(self.missing)
        if len(new) + len(self.missing) <= MOST_SPELLINGS:
            self.missing = [*self.missing, *sorted(new)]


def find_types(
    converter: Converter, rows: Any, as_text: Collection[str], *, identifiers: bool
) -> dict[str, Any]:
    """The kind of each column in a sample of rows.

    With `identifiers`, leading zeros make a column text.
    """
    import pyarrow as pa
    import pyarrow.types as is_type

    def skip(row: Any) -> str:
        return "skip"

    if not rows.strip():
        return {name: pa.string() if name in as_text else pa.float64() for name in converter.names}
    texts = converter.read(rows, dict.fromkeys(converter.names, pa.string()), invalid=skip)
    everything = pa.chunked_array([part for column in texts.columns for part in column.chunks])
    converter.learn_missing(everything)
    identifiers = identifiers and _has_identifiers(everything)  # only then, column by column
    found = converter.read(rows, {}, invalid=skip).schema
    types = {}
    for name in converter.names:
        type_, column = found.field(name).type, texts[name]
        is_number = is_type.is_integer(type_) or is_type.is_floating(type_)
        if name in as_text:
            types[name] = text_type(column)
        elif is_type.is_null(type_) or (
            is_number and not (identifiers and _has_identifiers(column))
        ):
            types[name] = pa.float64()
        elif is_type.is_boolean(type_) or is_type.is_temporal(type_):
            types[name] = type_
        else:
            types[name] = text_type(column)
    return types


def _has_identifiers(texts: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, IDENTIFIER)).as_py())


def text_type(texts: Any) -> Any:
    """How a column of text is held: as a dictionary, if most values come again."""
    import pyarrow as pa
    import pyarrow.compute as pc

    repeated = 2 * pc.count_distinct(texts).as_py() < len(texts)
    return pa.dictionary(pa.int32(), pa.string()) if repeated else pa.string()


def is_text(type_: Any) -> bool:
    """Whether a column of this type holds text."""
    import pyarrow.types as is_type

    return bool(is_type.is_string(type_) or is_type.is_dictionary(type_))


def blank_as_missing(table: Any) -> Any:
    """The table with null in the empty and blank cells of its columns of text."""
    import pyarrow as pa

    for f, type_ in enumerate(table.schema.types):
        if is_text(type_):
            texts = table.column(f)
            parts = [_blank_as_missing(part) for part in texts.chunks]
            if any(new is not old for new, old in zip(parts, texts.chunks, strict=True)):
                table = table.set_column(f, table.field(f), pa.chunked_array(parts, type_))
    return table


def _blank_as_missing(texts: Any) -> Any:
    """The texts themselves if none of them is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_type

    is_dictionary = is_type.is_dictionary(texts.type)
    distinct = texts.dictionary if is_dictionary else texts
    if not _may_be_blank(distinct):
        return texts
    blank = pc.or_(pc.equal(distinct, ""), pc.utf8_is_space(distinct))
    if not pc.any(blank).as_py():
        return texts
    if not is_dictionary:
        return pc.if_else(blank, None, texts)
    indices = pc.if_else(blank.take(texts.indices), None, texts.indices)
    return pa.DictionaryArray.from_arrays(indices, texts.dictionary)


def _may_be_blank(texts: Any) -> bool:
    """Whether a text is empty, or begins with a blank or anything beyond ASCII.

    Every piece is asked, and pyarrow would take five times as long to look for blanks.
    """
    if not len(texts):
        return False
    _, offsets, letters = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if np.any(ends[1:] == ends[:-1]):
        return True
    first = np.frombuffer(letters, np.uint8)[ends[:-1]]
    return bool(np.any((first <= ord(" ")) | (first >= 128)))


def joined_type(one: Any, other: Any) -> Any:
    """A type that holds the values of both; None if there is none."""
    import pyarrow as pa
    import pyarrow.types as is_type

    if one is None or is_type.is_null(one) or one == other:
        return other
    if is_type.is_null(other):
        return one
    both = (one, other)
    if all(is_type.is_integer(type_) or is_type.is_floating(type_) for type_ in both):
        return pa.float64()
    if all(is_type.is_timestamp(type_) or is_text(type_) for type_ in both):
        return pa.string()
    return None
