"""Columns that are asked for, and which one holds the texts where nobody says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lowdim.tables.errors import listed, no_such_column
from lowdim.text.corpus.documents import CorpusError

USUAL = ("text", "document", "content", "body", "abstract")


class Named(NamedTuple):
    """The columns that a user names."""

    text: str | None
    id: str | None
    columns: tuple[str, ...]

    def check(self, where: str, names: Sequence[str]) -> None:
        """Raise if there is no such column beside that of the texts."""
        for name in (*((self.id,) if self.id else ()), *self.columns):
            if name not in names:
                raise no_such_column(where, name, names)


def text_column(where: str, asked: str | None, names: Sequence[str], texts: Sequence[str]) -> str:
    """The column that is asked for, or one with a usual name, or the only one that holds text."""
    if asked is not None:
        if asked not in names:
            raise no_such_column(where, asked, names, "text")
        return asked
    by_name = {name.lower(): name for name in reversed(texts)}
    for name in USUAL:
        if name in by_name:
            return by_name[name]
    if len(texts) == 1:
        return texts[0]
    found = f"has {len(texts)} columns of text" if texts else "has no column of text"
    raise CorpusError(
        f"{where} {found}; its columns are {listed(names)}.", "Name the column: {text}"
    )
