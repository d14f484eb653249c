"""Analogies: pairs of words as arrows, and how many questions are answered rightly."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from lowdim.report.page.parts import options, percent, place, table
from lowdim.report.page.sections import FIGURES, Script, Section, Tile
from lowdim.report.page.texts import excerpt
from lowdim.report.words import figures
from lowdim.report.words.findings import Findings
from lowdim.report.words.payload import arrow_payload
from lowdim.report.words.questions import Score
from lowdim.report.words.relations import Relation

ARROWS = Script("arrows", "lowdim.report.words", needs=(FIGURES,))

_BODY = Markup("""
<div class="controls">
<label>Pairs <select id="{id}-relation">{relations}</select></label>
</div>
<div class="wide">{figure}</div>
<p id="{id}-said" class="muted" aria-live="polite"></p>
""")


def arrow_section(findings: Findings) -> Section | None:
    """Pairs that are said to differ in the same way; None if the vocabulary has too few."""
    found = findings.relations
    if not found:
        return None
    data = arrow_payload(findings)
    names = [relation["name"] for relation in data["relations"]]
    mean = np.array([relation.agreement.mean() for relation in found])
    best = int(np.argmax(mean))
    caption = (
        "An arrow goes from the first word of a pair to the second; orange where a pair does not "
        "go the way of the others."
    )
    body = _BODY.format(
        id="analogies",
        relations=options(enumerate(names), best),
        figure=place("analogies", caption),
    )
    return Section(
        "analogies",
        "Pairs of words as arrows",
        "Arrows",
        arrow_sentence(names, mean),
        body + _agreements(names, found),
        {"analogies": figures.arrows(data["relations"][best]["columns"])},
        Tile(f"{mean[best]:.2f}", f"agreement of “{names[best]}”"),
        in_short=True,
        scripts=(ARROWS,),
        data=data,
    )


def arrow_sentence(names: list[str], mean: np.ndarray) -> str:
    """Where arrows are most and least alike."""
    best, worst = int(np.argmax(mean)), int(np.argmin(mean))
    said = (
        f"Arrows are most alike for “{names[best]}”: a pair has a cosine of {mean[best]:+.2f} with "
        "the others."
    )
    if best == worst:
        return said
    return f"{said} They are least alike for “{names[worst]}” ({mean[worst]:+.2f})."


def _agreements(names: list[str], found: list[Relation]) -> Markup:
    lines = [
        (
            name,
            f"{relation.n_known:,} of {relation.n_pairs:,}",
            f"{relation.agreement.mean():+.2f}",
            percent(float((relation.agreement > 0).mean())),
        )
        for name, relation in zip(names, found, strict=True)
    ]
    return table(
        ["pairs", "known#", "agreement#", "same way#"], lines, "agreement of pairs"
    ) + Markup('<p class="muted">{}</p>').format(
        "Agreement: the cosine between the difference of a pair and that of all other pairs "
        "together, in all dimensions; 0 on average for words at random, 1 if all arrows are alike."
    )


def accuracy_section(findings: Findings) -> Section | None:
    """How many questions were answered rightly; None without questions."""
    found = findings.accuracy
    if found is None:
        return None
    names = [excerpt(score.name, 60) for score in found.sections]
    right = np.array([score.right for score in found.sections])
    asked = np.array([score.asked for score in found.sections])
    lines = [_line(name, score) for name, score in zip(names, found.sections, strict=True)]
    lines.append(_line("all", found.total))
    body = Markup('<div class="wide">{}</div>').format(
        place("accuracy", "The share of questions of each section that were answered rightly.")
    )
    heads = ["section", "right#", "asked#", "not asked#", "share#"]
    body += table(heads, lines, "accuracy by section")
    body += Markup('<p class="muted">{}</p>').format(
        "A question is: a is to b as c is to what? The answer is the word nearest to b - a + c, "
        "none of the three. Questions with a word that is not known are not asked."
    )
    return Section(
        "accuracy",
        "Questions answered",
        "Questions",
        accuracy_sentence(found.total, found.sections),
        body,
        {"accuracy": figures.accuracies(names, right, asked)},
        Tile(percent(found.total.share), "of analogies are right"),
        in_short=True,
    )


def _line(name: str, score: Score) -> tuple[str, str, str, str, str]:
    left = score.n_questions - score.asked
    share = percent(score.share) if score.asked else ""
    return name, f"{score.right:,}", f"{score.asked:,}", f"{left:,}", share


def accuracy_sentence(total: Score, sections: list[Score]) -> str:
    """How many were right, and in which section most."""
    if not total.asked:
        return "No question has only words that are known: none was asked."
    said = f"{total.right:,} of {total.asked:,} questions are answered rightly"
    said += f" ({percent(total.share)})"
    asked = [score for score in sections if score.asked]
    if len(asked) > 1:
        best = max(asked, key=lambda score: score.share)
        said += f", most of “{excerpt(best.name, 60)}” ({percent(best.share)})"
    left = total.n_questions - total.asked
    if left:
        said += f"; {left:,} more have a word that is not known"
    return said + "."
