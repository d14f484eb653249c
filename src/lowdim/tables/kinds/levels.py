"""Columns with a few levels: categories, and levels in an order."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.tables.codecs import PLAIN, CategoryCodec, OrderedCodec
from lowdim.tables.errors import TableError, listed, quoted
from lowdim.tables.kinds.info import ColumnInfo, Levels, Wish, used_as
from lowdim.tables.numbers import number_text, sums_of_counts
from lowdim.tables.survey import Survey


def with_levels(survey: Survey, f: int, wish: Wish, levels: Levels | None) -> ColumnInfo:
    """A category, or an ordered column if the user gives the order."""
    name = survey.names[f]
    if levels is None or (levels.size > wish.max_levels and name not in wish.ordered):
        count = "too many" if levels is None else f"{levels.size:,}"
        raise TableError(
            f"{quoted(name)} has {count} different values; a category has at most "
            f"{wish.max_levels}.",
            "Raise {max_levels}, or take the column out of {categorical}.",
        )
    if name in wish.ordered:
        return _ordered(survey, f, wish, levels)
    shares = np.array(levels.counts) / sum(levels.counts)
    numbers = None if levels.numbers is None else np.array(levels.numbers)
    m = levels.size
    if not wish.level_columns:
        as_number = OrderedCodec(tuple(levels.names), 0.0, 1.0, numbers, 0, m - 1)
        info = used_as(survey, f, as_number, m, f"the number of its level, 0 to {m - 1}")
        return info._replace(kind="category")
    left_out = int(np.argmax(shares)) if wish.drop_level and m > 1 else -1
    codec = CategoryCodec(tuple(levels.names), shares, wish.scale, numbers, left_out, wish.center)
    done = "1 column: always the same level" if m == 1 else f"{codec.width} columns, one per level"
    done += f" but {quoted(levels.names[left_out])}" if left_out >= 0 else ""
    if wish.scale:
        root = "p" if left_out < 0 else "p (1 - p)"
        minus = "minus its share p, " if wish.center else ""
        done += f", each {minus}over the root of {root}{'' if wish.center else ', its share p'}"
    return used_as(survey, f, codec, m, done)


def _ordered(survey: Survey, f: int, wish: Wish, levels: Levels) -> ColumnInfo:
    name = survey.names[f]
    order = wish.ordered[name]
    given = {_plain_level(level): j for j, level in enumerate(order)}
    place = [given.get(_plain_level(level), -1) for level in levels.names]
    if -1 in place:
        odd = [level for level, j in zip(levels.names, place, strict=True) if j < 0]
        raise TableError(
            f"{quoted(name)} has {listed([quoted(level) for level in odd], 3)}, which its order "
            f"({listed(order)}) does not have.",
            "Name all levels, from first to last: {ordered}.",
        )
    sums = sums_of_counts(np.array(place, dtype=float), np.array(levels.counts))
    mean, deviation = float(sums.mean[0]), float(sums.deviation[0])
    center, scale = (mean, deviation or 1.0) if wish.scale else (0.0, 1.0)
    center = center if wish.center else 0.0
    mean = (mean - center) / scale
    own = dict(zip(place, levels.names, strict=True))
    names = tuple(own.get(j, str(level)) for j, level in enumerate(order))
    numbers = None
    if levels.numbers is not None:
        numbers = PLAIN.parse(names)
    codec = OrderedCodec(names, center, scale, numbers, min(place), max(place), mean)
    return used_as(survey, f, codec, levels.size, f"the place in its order of {len(order)}")


def _plain_level(level: Any) -> str:
    return number_text(float(level)) if isinstance(level, int | float | np.number) else str(level)
