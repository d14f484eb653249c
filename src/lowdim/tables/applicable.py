"""Not applicable is not missing: cells that have no value because there is none to have.

A column does not apply where another one, its guide, has certain values: the category of a storm is
empty where its status is not 'hurricane'. It is found in the counts of a survey: at each level of
the guide the column is nearly always there or nearly always missing, in all but EXCEPTIONS of the
rows. Or both are missing together in at least LEAST_SHARE of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lowdim.tables import readings
from lowdim.tables.codecs import PLAIN, number_places
from lowdim.tables.errors import listed, quoted
from lowdim.tables.frames.values import Values
from lowdim.tables.kinds import ColumnInfo
from lowdim.tables.numbers import number_text
from lowdim.tables.survey import MOST_GUIDE_LEVELS, Survey

EXCEPTIONS = 0.005  # of all rows may break a rule,
OF_MISSING = 0.05  # but no more than this part of the missing values
LEAST_ROWS = 10  # fewer missing or present values are no rule
LEAST_SHARE = 0.05  # of the rows in which two columns are missing together
ROWS_PER_LEVEL = 5  # missing values for each level that a rule names


class Rule(NamedTuple):
    """Where a column does not apply."""

    guide: str
    levels: tuple[str, ...]  # of the guide, where the column has no value; (): guide missing too
    applies: tuple[str, ...]  # the other levels of the guide

    def sentence(self) -> str:
        if not self.levels:
            return f"missing where {quoted(self.guide)} is missing too: not applicable there"
        if len(self.applies) <= len(self.levels):
            where = f"is not {listed([quoted(level) for level in self.applies], 3)}"
        else:
            where = f"is {listed([quoted(level) for level in self.levels], 3)}"
        return f"missing where {quoted(self.guide)} {where}: not applicable there"


def find_rules(survey: Survey, columns: Sequence[ColumnInfo]) -> dict[str, Rule]:
    """The rule of each column that has one."""
    if survey.absence is None or survey.absence.together.size == 0:
        return {}
    rules = {}
    candidates = [
        f
        for f, info in enumerate(columns)
        if info.used and survey.absence.together[f, f] >= LEAST_ROWS
    ]
    for f in candidates:
        rule = _by_level(survey, columns, f) or _together(survey, columns, f)
        if rule is not None:
            rules[columns[f].name] = rule
    return rules


def _by_level(survey: Survey, columns: Sequence[ColumnInfo], f: int) -> Rule | None:
    assert survey.absence is not None
    together = survey.absence.together
    missing = int(together[f, f])
    best: tuple[int, Rule] | None = None
    for g, guide in enumerate(columns):
        counts = _level_counts(survey, g)
        by_level = survey.absence.by_level.get(guide.name)
        if g == f or not by_level or not 2 <= len(counts) <= MOST_GUIDE_LEVELS:
            continue
        absent = {level: int(by_level[level][f]) if level in by_level else 0 for level in counts}
        never = [level for level, n in counts.items() if 2 * absent[level] >= n]
        always = [level for level in counts if level not in never]
        broken = sum(counts[level] - absent[level] for level in never)
        broken += sum(absent[level] for level in always)
        broken += int(together[f, g])  # where the guide is missing it says nothing
        present = sum(counts[level] - absent[level] for level in always)
        holds = broken <= min(EXCEPTIONS * survey.n_rows, OF_MISSING * missing)
        enough = never and present >= LEAST_ROWS and missing >= ROWS_PER_LEVEL * len(never)
        if holds and enough and (best is None or broken < best[0]):
            best = broken, Rule(guide.name, tuple(never), tuple(always))
    return None if best is None else best[1]


def _level_counts(survey: Survey, g: int) -> Mapping[str, int]:
    column = survey.columns[g]
    if column.words is None:
        return {number_text(level): count for level, count in (column.levels or {}).items()}
    texts = column.words.counts or {}
    marks = readings.missing_marks(list(texts))
    return {t: n for (t, n), mark in zip(texts.items(), marks, strict=True) if not mark}


def _together(survey: Survey, columns: Sequence[ColumnInfo], f: int) -> Rule | None:
    assert survey.absence is not None
    together = survey.absence.together
    missing = int(together[f, f])
    if missing < LEAST_SHARE * survey.n_rows or missing > survey.n_rows - LEAST_ROWS:
        return None
    alone = np.diag(together) + missing - 2 * together[f]  # missing in one of the two only
    alone[f] = survey.n_rows
    for g, info in enumerate(columns):
        if info.kind in ("ignored", "constant", "copy"):
            alone[g] = survey.n_rows
    g = int(np.argmin(alone))
    if alone[g] <= min(EXCEPTIONS * survey.n_rows, OF_MISSING * missing):
        return Rule(columns[g].name, (), ())
    return None


def does_not_apply(rule: Rule, guide: Values) -> np.ndarray:
    """Of each row, whether a column does not apply, by the values of its guide, (n,) bool."""
    if guide.places is not None:
        marks = readings.missing_marks(guide.levels)
        wanted = [
            level in rule.levels if rule.levels else bool(mark)
            for level, mark in zip(guide.levels, marks, strict=True)
        ]
        return np.array([*wanted, not rule.levels])[guide.places]
    assert guide.numbers is not None
    if not rule.levels:
        return np.isnan(guide.numbers)
    return number_places(guide.numbers, PLAIN.parse(rule.levels)) >= 0
