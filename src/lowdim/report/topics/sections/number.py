"""How many topics: as many as predict held-out words best."""

from __future__ import annotations

from typing import Any

from lowdim.report.explore.figures import criterion
from lowdim.report.page.parts import place
from lowdim.report.page.sections import Section
from lowdim.report.topics.findings import Findings


def number_section(findings: Findings) -> Section | None:
    """The curve by which the number of topics was chosen; None if it was given."""
    choice = findings.choice
    if choice is None:
        return None
    label = choice.labels.get(choice.criterion, choice.criterion)
    drawn = criterion(
        choice.sizes, choice.curve, choice.errors, int(choice.choice), "topics", label
    )
    caption = (
        "How well models with so many topics predict held-out words; the lower, the better."
        if choice.criterion == "completion"
        else "How coherent the topics are; the higher, the better."
    )
    body = place("number", caption)
    return Section(
        "number",
        "How many topics",
        "How many",
        number_sentence(choice),
        body,
        {"number": drawn},
        in_short=True,
    )


def number_sentence(choice: Any) -> str:
    """The choice in words."""
    text = choice.sentence()
    most = int(choice.choice) == int(choice.sizes[-1])
    return text + (" It is the most that were tried: more may be better yet." if most else "")
