"""Columns of very many words: what is left to add up once it is known that they are.

If a part of a table has too many words to count, and they are neither numbers nor dates, then so
has the whole. Of the parts that follow, no word is looked at by itself any more; the sums are those
that they would have been.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables import readings


class TextSums(NamedTuple):
    """What is added up of texts that nobody counts."""

    known: int  # cells with a text
    length: int  # of all texts together
    all_differ: bool
    absent: np.ndarray  # (n,) bool, where there is none, or a mark of missing values


def text_sums(column: Any, further: Collection[str], may_differ: bool) -> TextSums | None:
    """The sums of a pyarrow.ChunkedArray; None if it is no text, or its words are needed after all.

    `may_differ`: whether it matters that no text occurs twice.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    is_dictionary = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if is_dictionary else column.type
    known = len(column) - column.null_count
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)) or not _any_text(column):
        return None
    marks = pa.array(sorted({*readings.MISSING_MARKS, *further}), kind)
    length, absent = 0, []
    for part in column.chunks:
        distinct = part.dictionary if is_dictionary else part
        marked = _marked(distinct, marks)
        if marked is not None:
            found = set(distinct.filter(marked).to_pylist())
            if found & readings.SIGN_MARKS:
                return None  # which may be levels, beside other signs
        if is_dictionary:
            marked = None if marked is None else marked.take(part.indices)
            length += pc.sum(pc.utf8_length(distinct).take(part.indices)).as_py() or 0
        else:
            length += _characters(part)
        missing = part.is_null() if marked is None else pc.or_kleene(part.is_null(), marked)
        absent.append(missing.to_numpy(zero_copy_only=False))
    all_differ = (
        may_differ and pc.count_distinct(column.cast(kind), mode="only_valid").as_py() == known
    )
    return TextSums(known, length, all_differ, np.concatenate(absent).astype(bool))


def _marked(texts: Any, marks: Any) -> Any:
    """Where the texts are marks; None: nowhere, which their lengths show in no time."""
    import pyarrow.compute as pc

    shortest, longest = pc.min(pc.binary_length(texts)), pc.max(pc.binary_length(marks))
    if not pc.less_equal(shortest, longest).as_py():
        return None
    marked = pc.is_in(texts, marks)
    return marked if pc.any(marked).as_py() else None


def _characters(texts: Any) -> int:
    """Of all texts together: as many as bytes, if these are ASCII."""
    import pyarrow.compute as pc

    _, _, letters = texts.buffers()
    is_ascii = letters is None or np.frombuffer(letters, np.uint8).max(initial=0) < 128
    lengths = pc.binary_length(texts) if is_ascii else pc.utf8_length(texts)
    return int(pc.sum(lengths).as_py() or 0)


def _any_text(column: Any) -> bool:
    """Whether not all texts are blank."""
    return any(text.is_valid and text.as_py().strip() for text in column)
