"""What the user says about columns: names and patterns, made sure that the table has them."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import clone

from lowdim.tables.errors import TableError, no_such_column, quoted
from lowdim.tables.kinds import Wish
from lowdim.tables.table import Table


def wish_of(encoder: Any, table: Table) -> Wish:
    """The arguments of an encoder, for this table."""
    names, where = table.names, table.where
    categorical, numeric, ignore = (
        named_columns(getattr(encoder, argument), names, where, argument)
        for argument in ("categorical", "numeric", "ignore")
    )
    if encoder.columns is not None:
        wanted = named_columns(encoder.columns, names, where, "columns")
        ignore |= set(names) - wanted - {encoder.id}
    ordered = _ordered(encoder.ordered, names, where)
    log = False if table.is_sparse and encoder.log == "auto" else encoder.log
    if not (log is False or (isinstance(log, str) and log == "auto")):
        log = named_columns(log, names, where, "log")
    if encoder.id is not None and encoder.id not in (*names, table.index_name):
        raise no_such_column(where, str(encoder.id), names, "id")
    _check_once({"categorical": categorical, "numeric": numeric, "ordered": frozenset(ordered)})
    return Wish(
        categorical,
        numeric,
        ordered,
        ignore,
        encoder.id,
        log,
        encoder.dates,
        encoder.max_levels,
        encoder.scale,
        encoder.drop_level,
        tuple(encoder.missing_marks),
        center=encoder.center and not table.is_sparse,
        level_columns=encoder.level_columns,
        scores=encoder.scores is not None,
    )


def ignoring(encoder: Any, names: Sequence[str]) -> Any:
    """An encoder that is not fitted, with the same wishes, which leaves out these columns, too."""
    before = [encoder.ignore] if isinstance(encoder.ignore, str) else list(encoder.ignore)
    return clone(encoder).set_params(ignore=[*before, *names])


def named_columns(wanted: Any, names: Sequence[str], where: str, argument: str) -> frozenset[str]:
    """The columns with these names or numbers, or that match these patterns ('gene*')."""
    if isinstance(wanted, str | int):
        wanted = [wanted]
    known, found = set(names), set()
    for name in wanted:
        matches = [str(name)] if str(name) in known else fnmatch.filter(names, str(name))
        if not matches:
            raise no_such_column(where, str(name), names, argument)
        found.update(matches)
    return frozenset(found)


def _ordered(
    ordered: Mapping[str, Sequence] | None, names: Sequence[str], where: str
) -> dict[str, tuple]:
    found = {}
    for name, levels in (ordered or {}).items():
        if str(name) not in names:
            raise no_such_column(where, str(name), names, "ordered")
        if isinstance(levels, str) or len(set(levels)) < max(len(levels), 2):
            raise TableError(
                f"The order of {quoted(name)} is {levels!r}; it must be two or more different "
                "levels, from first to last.",
                "For example {ordered}: {'size': ['small', 'medium', 'large']}.",
            )
        found[str(name)] = tuple(levels)
    return found


def _check_once(wishes: Mapping[str, frozenset[str]]) -> None:
    seen: dict[str, str] = {}
    for argument, names in wishes.items():
        for name in sorted(names):
            if name in seen:
                raise TableError(
                    f"{quoted(name)} is named as {seen[name]} and as {argument}.", "Name it once."
                )
            seen[name] = argument
