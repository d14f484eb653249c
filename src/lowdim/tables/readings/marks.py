"""Texts that stand for no value.

    always                  'NA', 'NaN', 'null', '?', '-', '.', '#N/A', nothing but spaces, ...
    among numbers, dates    also 'none', 'missing', 'unknown', ...

In a column of words 'none, mild, severe' are three levels, and 'unknown' is an answer; and there

    'NA'               is a level beside abbreviations of two letters such as 'DE', 'FR': Namibia
    '-', '.', '?'      are levels beside a sign that is not a mark: '-' beside '+', '.' beside '***'
"""

from __future__ import annotations

from collections.abc import Mapping

from lowdim.tables.readings.groups import Group, Key, total
from lowdim.tables.readings.skeletons import LONGEST

MARK = "mark"
WORD = "word"
NAMED = "named"  # what the user says is missing
LEAST_ABBREVIATIONS = 2  # different ones of two letters, beside which 'NA' is one
ABBREVIATIONS_SHARE = 0.95  # of the cells

SIGN_MARKS = frozenset(("?", "??", "???", "-", "--", "---", "–", "—", ".", "..", "...", "…"))
MISSING_MARKS = SIGN_MARKS | frozenset(
    [
        *("", "NA", "N/A", "n/a", "N/a", "na", "n.a.", "N.A.", "<NA>", "(NA)", "k.A.", "k. A."),
        *("NaN", "nan", "NAN", "-nan", "-NaN", "NaT", "null", "NULL", "Null", "(null)", "\\N"),
        *("#N/A", "#NA", "#N/A N/A", "#NULL!", "#VALUE!", "#DIV/0!", "#REF!", "#NUM!", "#NAME?"),
        *("-1.#IND", "1.#QNAN", "-1.#QNAN", "1.#IND", "0000-00-00", "0000-00-00 00:00:00"),
    ]
)
MARKS_AMONG_NUMBERS = frozenset(
    form(word)
    for word in ("none", "missing", "unknown", "not available", "not applicable", "nil", "nothing")
    for form in (str.lower, str.capitalize, str.title, str.upper)
)
_ALL = MISSING_MARKS | MARKS_AMONG_NUMBERS


def key_of_word(text: str) -> Key:
    """The key of a text without spaces around it that is neither a number nor a date."""
    if text in _ALL:
        return (MARK, text)
    if len(text) == 2 and text.isascii() and text.isupper() and text.isalpha():
        return (WORD, "abbreviation")
    if not any(map(str.isalnum, text[:LONGEST])):
        return (WORD, "sign")
    return (WORD, "")


def marks_among_words(groups: Mapping[Key, Group]) -> frozenset[str]:
    """The marks among these groups that stand for no value, if the column is one of words."""
    levels = set(MARKS_AMONG_NUMBERS)
    known = total(group for key, group in groups.items() if key[0] not in (MARK, NAMED))
    short = groups.get((WORD, "abbreviation"))
    if short is not None and len(short.texts) >= LEAST_ABBREVIATIONS:
        if short.cells >= ABBREVIATIONS_SHARE * known:
            levels.add("NA")
    if (WORD, "sign") in groups:
        levels.update(SIGN_MARKS)
    return frozenset(key[1] for key in groups if key[0] == MARK) - levels
