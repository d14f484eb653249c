"""How a text table writes its flags and dates, so that new ones can be written likewise.

pyarrow reads True, TRUE and true alike, and 2024-03-01 10:00 as 2024-03-01T10:00:00.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lowdim.tables import readings
from lowdim.tables.formats.types import Converter

CASES = (str.lower, str.title, str.upper)

Spelling = Mapping[str, readings.FlagText | readings.DateText]  # by column


def spelling_of(converter: Converter, rows: Any, types: Mapping[str, Any]) -> Spelling:
    """How most cells of the columns of flags and of dates with times are written, in some rows."""
    import pyarrow as pa
    import pyarrow.types as is_type

    columns = [
        name
        for name, type_ in types.items()
        if is_type.is_boolean(type_) or is_type.is_timestamp(type_)
    ]
    if not columns or not rows.strip():
        return {}
    texts = converter.read(rows, dict.fromkeys(columns, pa.string()), columns, lambda row: "skip")
    found = {}
    for name in columns:
        counts = _counts(texts[name])
        reading = _flags(counts) if is_type.is_boolean(types[name]) else _dates(counts)
        if reading is not None:
            found[name] = reading
    return found


def _counts(texts: Any) -> dict[str, int]:
    import pyarrow.compute as pc

    values, counts = pc.value_counts(texts.drop_null()).flatten()
    return dict(zip(values.to_pylist(), counts.to_pylist(), strict=True))


def _flags(counts: Mapping[str, int]) -> readings.FlagText:
    def cells(case: Any) -> int:
        return sum(n for text, n in counts.items() if text in (case("false"), case("true")))

    case = max(CASES, key=cells)  # of equal ones, such as of 0 and 1, the first
    return readings.FlagText(case("false"), case("true"))


def _dates(counts: Mapping[str, int]) -> readings.DateText | None:
    tally = readings.tally(tuple(counts), np.array(list(counts.values())))
    return readings.date_reading(tally)
