"""Cells of a column counted by the shape of their text, in sums that add up.

    key        what decides whether a text fits a reading: ('number', '$', '', 'point')
    details    what the reading needs in order to write such texts again: ('digits', '2'), ...

A group keeps its number of cells, its first few texts in the order of the characters, and the cells
of each detail. The first few texts of a whole are among the first few of its parts: so a group
depends only on the cells that it counts, not on how they were split or in which order they came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from typing import NamedTuple, TypeVar

MOST_TEXTS = 8  # texts kept of a group
MOST_VALUES = 64  # values kept of a detail
LONGEST_KEPT = 100  # characters kept of a text: longer ones that begin alike count as one

Key = tuple[str, ...]
Details = tuple[tuple[str, str], ...]
T = TypeVar("T", str, tuple[str, str])


class Group(NamedTuple):
    """Cells whose texts have the same key."""

    cells: int
    texts: dict[str, int]
    details: dict[tuple[str, str], int]

    @property
    def complete(self) -> bool:
        """Whether all its texts are kept."""
        return self.cells == sum(self.texts.values())


def gathered(texts: Mapping[str, int], details: Mapping[tuple[str, str], int]) -> Group:
    """The group of these texts, each with its number of cells."""
    return Group(sum(texts.values()), _first(texts, MOST_TEXTS), _first_values(details))


def added(left: Group, right: Group) -> Group:
    """The cells of both groups in one."""
    texts = _sum(left.texts, right.texts)
    details = _sum(left.details, right.details)
    return Group(left.cells + right.cells, _first(texts, MOST_TEXTS), _first_values(details))


def total(groups: Iterable[Group]) -> int:
    """Cells of all these groups."""
    return sum(group.cells for group in groups)


def most_common(details: Mapping[tuple[str, str], int], name: str, default: str = "") -> str:
    """The value of a detail that most cells have, '' not counted; of equals the first."""
    values = {value: n for (key, value), n in details.items() if key == name and value}
    return min(values, key=lambda value: (-values[value], value)) if values else default


def _sum(left: Mapping[T, int], right: Mapping[T, int]) -> dict[T, int]:
    # not by Counter's +, which leaves out what was counted 0 times
    return {key: left.get(key, 0) + right.get(key, 0) for key in {**left, **right}}


def _first(counts: Mapping[T, int], most: int) -> dict[T, int]:
    if len(counts) <= most:
        return dict(counts)
    return {key: counts[key] for key in nsmallest(most, counts)}


def _first_values(details: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    names = Counter(name for name, _ in details)
    if all(n <= MOST_VALUES for n in names.values()):
        return dict(details)
    kept: dict[tuple[str, str], int] = {}
    for name in names:
        kept |= _first({key: n for key, n in details.items() if key[0] == name}, MOST_VALUES)
    return kept
