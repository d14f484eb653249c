"""Tables that the verbs about word vectors print."""

from __future__ import annotations

from collections.abc import Iterable

from lowdim.core.result_table import text_table
from lowdim.report.words.questions import Accuracy, Score
from lowdim.tables.errors import plain


def answers(found: Iterable[tuple[str, float]], measure: str) -> str:
    """Words and how good each is, the best first."""
    lines = [[plain(word), f"{value:.4f}"] for word, value in found]
    return text_table([["word", measure], *lines], right={1})


def accuracies(found: Accuracy) -> str:
    """How many questions of each section were answered rightly."""
    scores = [*found.sections, found.total._replace(name="all")]
    lines = [["section", "right", "asked", "share"], *map(_line, scores)]
    return text_table(lines, right={1, 2, 3})


def _line(score: Score) -> list[str]:
    share = f"{score.share:.1%}" if score.asked else ""
    return [plain(score.name), f"{score.right:,}", f"{score.asked:,}", share]


def precisions(found: dict[int, float]) -> str:
    """How often a right answer is among the first so many."""
    lines = [[f"{n:,}", f"{share:.1%}"] for n, share in found.items()]
    return text_table([["among the first", "right"], *lines], right={0, 1})
