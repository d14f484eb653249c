"""What the text of a column means: numbers, dates, flags, marks of missing values.

    tally        what the distinct texts of a column look like, in sums that add up over its parts
    reading_of   how such a column is read: `NumberText`, `DateText`, `FlagText` or, for words, None

A reading parses texts into numbers and writes numbers in the same style again. A million different
texts take a few seconds.
"""

from lowdim.tables.readings.dates import DateText
from lowdim.tables.readings.flags import FlagText
from lowdim.tables.readings.groups import Group
from lowdim.tables.readings.marks import MISSING_MARKS, SIGN_MARKS
from lowdim.tables.readings.numbers import NumberText
from lowdim.tables.readings.tallies import (
    Reading,
    Tally,
    date_reading,
    merged,
    missing_marks,
    missing_texts,
    number_reading,
    odd_values,
    reading_of,
    tally,
)

__all__ = [
    "MISSING_MARKS",
    "SIGN_MARKS",
    "DateText",
    "FlagText",
    "Group",
    "NumberText",
    "Reading",
    "Tally",
    "date_reading",
    "merged",
    "missing_marks",
    "missing_texts",
    "number_reading",
    "odd_values",
    "reading_of",
    "tally",
]
