"""What a column of text is: a tally of its cells, and the reading that follows from it.

    tally        cells by the shape of their text; tallies of parts add up to that of the whole
    reading_of   numbers or dates, if at least 95 % of the known cells are of one style and at most
                 5 different texts stand in the way; a flag, if all are the two texts of one pair;
                 else None: words

The memory of a tally does not grow with the column: of each shape it keeps a few texts, and texts
with too many different units are counted as words, since then no style has nearly all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np

from lowdim.tables.readings.dates import DateText, date_shapes, most_common_dates
from lowdim.tables.readings.flags import FlagText, flag_of
from lowdim.tables.readings.groups import LONGEST_KEPT, Details, Group, Key, added, gathered, total
from lowdim.tables.readings.marks import MARK, NAMED, WORD, key_of_word, marks_among_words
from lowdim.tables.readings.numbers import (
    NUMBER,
    NumberText,
    are_numbers,
    most_common_numbers,
    number_shapes,
)
from lowdim.tables.readings.skeletons import by_skeleton

MOST_ODD = 5  # different texts that may be read as missing
MOST_PERCENT = 5  # of the known cells that may be
MOST_REMEMBERED = 2000  # texts whose shapes are kept for the next part of the column
MOST_UNITS = 16  # different prefixes and suffixes of numbers that are kept apart
TEXTS_AT_A_TIME = 10_000

Reading = NumberText | DateText | FlagText


class Tally(NamedTuple):
    """What has been seen of a column's text: plain data that can be sent between processes.

    Attributes
    ----------
    groups : dict of tuple of str to Group
        Cells by the shape of their text.
    many_units : bool
        Whether more than MOST_UNITS units stood beside numbers; such texts are counted as words.
    """

    groups: dict[Key, Group]
    many_units: bool = False

    @property
    def cells(self) -> int:
        """All cells."""
        return total(self.groups.values())

    @property
    def known(self) -> dict[Key, Group]:
        """Groups of texts that are not marks of missing values."""
        return {key: group for key, group in self.groups.items() if key[0] not in (MARK, NAMED)}


def tally(
    levels: Sequence[str], counts: np.ndarray, further_missing: Collection[str] = ()
) -> Tally:
    """Count cells by the shape of their text.

    Parameters
    ----------
    levels : sequence of str
        The distinct texts.
    counts : ndarray of int (n,)
        The cells of each.
    further_missing : collection of str
        Texts that stand for no value, beside the usual ones. The same for all parts of a column.
    """
    named = frozenset(text.strip() for text in further_missing)
    cells = np.asarray(counts).tolist()
    starts = range(0, len(levels), TEXTS_AT_A_TIME)
    parts = (slice(start, start + TEXTS_AT_A_TIME) for start in starts)
    return reduce(merged, (_tally(levels[at], cells[at], named) for at in parts), Tally({}))


def merged(left: Tally, right: Tally) -> Tally:
    """The tally of the cells of both."""
    groups = dict(left.groups)
    for key, group in right.groups.items():
        groups[key] = added(groups[key], group) if key in groups else group
    return _bounded(groups, left.many_units or right.many_units)


def reading_of(tally: Tally, *, compact_dates: bool = False) -> Reading | None:
    """What the column is; None: words, identifiers such as '007', or nothing at all.

    Parameters
    ----------
    tally : Tally
    compact_dates : bool, default=False
        Whether '20240301' is a date where nearly all cells are such dates.
    """
    flag = _flag(tally)
    if flag is not None:
        return flag
    if compact_dates and _accepted(tally, DateText("ymd", "")):
        return DateText("ymd", "")
    number = number_reading(tally)
    if number is not None and _accepted(tally, number):
        return number if are_numbers(_fitting(tally, number)) else None
    day = date_reading(tally)
    return day if day is not None and _accepted(tally, day) else None


def number_reading(tally: Tally) -> NumberText | None:
    """How most of its numbers are written, be they few; None if there are none."""
    return most_common_numbers(tally.groups)


def date_reading(tally: Tally) -> DateText | None:
    """How most of its dates are written, be they few; None if there are none."""
    return most_common_dates(tally.groups)


def odd_values(tally: Tally, reading: Reading) -> list[str]:
    """Texts that this reading takes for missing although they are no marks; of many, some."""
    if isinstance(reading, FlagText):
        texts = [text for group in tally.known.values() for text in group.texts]
        unknown = np.isnan(reading.parse(texts))
        return sorted(text for text, odd in zip(texts, unknown, strict=True) if odd)
    others = tally.known.keys() - _fitting(tally, reading).keys()
    return sorted(text for key in others for text in tally.groups[key].texts)


def missing_texts(tally: Tally, reading: Reading | None) -> frozenset[str]:
    """The texts, without spaces around them, that stand for no value in a column of this reading.

    In columns of words and flags some marks are levels: 'none' beside 'mild', 'NA' beside 'DE', '-'
    beside '+'.
    """
    named = frozenset(key[1] for key in tally.groups if key[0] == NAMED)
    if isinstance(reading, NumberText | DateText):
        return named | {key[1] for key in tally.groups if key[0] == MARK}
    return named | marks_among_words(tally.groups)


def missing_marks(levels: Sequence[str], further: Collection[str] = ()) -> np.ndarray:
    """Which of the distinct texts of a column stand for no value, (n,) bool.

    All of them count the same: of a column whose texts are counted, `missing_texts` says more.
    """
    if len(levels) <= MOST_REMEMBERED:
        return _remembered_marks(tuple(levels), frozenset(further))
    return _missing_marks(levels, further)


def _missing_marks(levels: Sequence[str], further: Collection[str]) -> np.ndarray:
    seen = tally(levels, np.ones(len(levels), dtype=np.int64), further)
    marks = missing_texts(seen, reading_of(seen))
    return np.fromiter((text.strip() in marks for text in levels), dtype=bool, count=len(levels))


@lru_cache(maxsize=64)
def _remembered_marks(levels: tuple[str, ...], further: frozenset[str]) -> np.ndarray:
    """The parts of a table mostly have the same levels; the answer is not to be written to."""
    marks = _missing_marks(levels, further)
    marks.flags.writeable = False
    return marks


# ---- counting ------------------------------------------------------------------------------------


def _tally(levels: Sequence[str], counts: Sequence[int], named: frozenset[str]) -> Tally:
    cells: dict[str, int] = {}
    for level, n in zip(levels, counts, strict=True):
        if n:
            text = level.strip()
            cells[text] = cells.get(text, 0) + n
    texts: defaultdict[Key, dict[str, int]] = defaultdict(dict)
    details: defaultdict[Key, Counter[tuple[str, str]]] = defaultdict(Counter)
    unnamed = tuple(text for text in cells if text not in named)
    few = len(unnamed) <= MOST_REMEMBERED
    for key, written, members in _remembered_shapes(unnamed) if few else _shapes(unnamed):
        of_key = texts[key]
        for text in members:
            kept = text[:LONGEST_KEPT]
            of_key[kept] = of_key.get(kept, 0) + cells[text]
        n = sum([cells[text] for text in members])
        details[key].update(dict.fromkeys(written, n))
    for text in named & cells.keys():
        texts[NAMED, text] = {text[:LONGEST_KEPT]: cells[text]}
    return _bounded({key: gathered(texts[key], details[key]) for key in texts})


@lru_cache(maxsize=64)
def _remembered_shapes(texts: tuple[str, ...]) -> tuple[tuple[Key, Details, Sequence[str]], ...]:
    return tuple(_shapes(texts))


def _shapes(texts: Sequence[str]) -> Iterator[tuple[Key, Details, Sequence[str]]]:
    """Keys and details of distinct texts without spaces around them, and the texts that have them.

    Once there are too many units, numbers with a further one are given as words.
    """
    by_digits, others = by_skeleton(texts)
    words = [texts[i] for i in others]
    units: set[Key] = set()
    for skeleton, places in by_digits.items():
        members = [texts[i] for i in places]
        shapes = number_shapes(skeleton, members) or date_shapes(skeleton, members)
        if shapes is None:
            words += members
            continue
        for key, details, at in shapes:
            if key is not None and _has_unit(key) and len(units) <= MOST_UNITS:
                units.add(key[1:3])
            if key is None or (_has_unit(key) and key[1:3] not in units):
                words += [members[i] for i in at]
            else:
                yield key, details, [members[i] for i in at]
    of_word: defaultdict[Key, list[str]] = defaultdict(list)
    for word in words:
        of_word[key_of_word(word)].append(word)
    for key, members in of_word.items():
        yield key, (), members


def _bounded(groups: dict[Key, Group], many_units: bool = False) -> Tally:
    """A tally whose numbers with units are words, if there are too many units."""
    units = {key for key in groups if _has_unit(key)}
    if not many_units and len({key[1:3] for key in units}) <= MOST_UNITS:
        return Tally(groups)
    kept = {key: group for key, group in groups.items() if key not in units}
    words = (Group(groups[key].cells, groups[key].texts, {}) for key in units)
    kept[WORD, ""] = reduce(added, words, kept.get((WORD, ""), Group(0, {}, {})))
    return Tally(kept, True)


def _has_unit(key: Key) -> bool:
    return key[0] == NUMBER and key[1:3] != ("", "")


# ---- deciding ------------------------------------------------------------------------------------


def _fitting(tally: Tally, reading: NumberText | DateText) -> dict[Key, Group]:
    return {key: group for key, group in tally.known.items() if reading.fits(key)}


def _accepted(tally: Tally, reading: NumberText | DateText) -> bool:
    """Whether nearly all known cells are of this reading and few texts stand in the way."""
    known, fitting = tally.known, _fitting(tally, reading)
    others = [group for key, group in known.items() if key not in fitting]
    if not fitting or not all(group.complete for group in others):
        return False
    n_others = sum(len(group.texts) for group in others)
    return n_others <= MOST_ODD and 100 * total(others) <= MOST_PERCENT * total(known.values())


def _flag(tally: Tally) -> FlagText | None:
    """The flag that all known cells are, signs included: '-' is one beside '+'."""
    missing = missing_texts(tally, None)
    groups = [
        group
        for key, group in tally.groups.items()
        if key[0] not in (MARK, NAMED) or key[1] not in missing
    ]
    if not all(group.complete for group in groups):
        return None
    return flag_of({text: n for group in groups for text, n in group.texts.items()})
