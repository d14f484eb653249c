"""`-k auto`: how many components or clusters a table has, and what to say about it.

The rule is that of `lowdim.selection.auto`, in every verb.
"""

from __future__ import annotations

from typing import Any

from lowdim.cli.table_verb import TableRequest
from lowdim.selection.auto import auto_k, auto_rank_of_table

TITLE = "-k auto"


def components(
    request: TableRequest,
    rows: Any,
    encoder: Any,
    seed: int,
    most: int | None = None,
    title: str = TITLE,
) -> int:
    """How many components the table supports, at least one and at most `most`; says why."""
    chosen = auto_rank_of_table(rows, encoder, seed)
    if chosen is None:
        request.say(f"{title}: 1 component; the table is too small to choose")
        return 1
    if chosen.choice == 0:
        request.say(f"{title}: 1 component is kept, though none stands out of the noise")
        return 1
    request.say(f"{title}: {chosen}")
    if most is not None and most < chosen.choice:
        request.say(f"{title}: {most} of them, which is as many as this method can have here")
        return most
    return chosen.choice


def clusters(request: TableRequest, rows: Any, model: Any, seed: int, title: str = TITLE) -> int:
    """How many clusters the table has; says why."""
    chosen = auto_k(rows, model, seed)
    if chosen is None:
        request.say(f"{title}: 1 cluster; {rows.shape[0]} rows are too few to choose")
        return 1
    request.say(f"{title}: {chosen}")
    return chosen.choice
