"""Two vocabularies in one space."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from lowdim.report.page.parts import counted, place, table
from lowdim.report.page.sections import Section, Tile
from lowdim.report.page.texts import excerpt
from lowdim.report.words import figures
from lowdim.report.words.against import Moved
from lowdim.report.words.findings import Findings
from lowdim.report.words.vocabulary import shown_name


def against_section(findings: Findings) -> Section | None:
    """Which words are elsewhere in the other vocabulary; None if there is one alone."""
    found = findings.against
    if found is None:
        return None
    one, other = (excerpt(v.name, 40) for v in findings.vocabularies)
    body = Markup("")
    drawn = {}
    if found.moved:
        drawn["agreements"] = figures.agreements(found.cosines)
        body += Markup('<div class="wide">{}</div><h3>{}</h3>').format(
            place("agreements", "How near the words of both lie to themselves."),
            "Words that are farthest from themselves",
        )
        heads = ["word", "cosine#", f"nearest in {one}", f"nearest in {other}"]
        body += table(heads, map(_line, found.moved), "words that moved")
        body += Markup("<h3>{}</h3>").format("Words that stay where they are")
        body += table(heads, map(_line, found.stayed), "words that stayed")
    body += Markup("<h3>{}</h3>").format(
        f"The commonest words of {one}, and the nearest of {other}"
    )
    lines = [
        (_word(match.word), f"{match.cosine:.2f}", _words(match.there)) for match in found.matched
    ]
    body += table(["word", "cosine#", f"nearest in {other}"], lines, "nearest in the other")
    body += Markup('<p class="muted">The vectors were laid on each other {}.</p>').format(found.how)
    return Section(
        "against",
        f"{one} against {other}",
        "Two sets",
        against_sentence(findings),
        body,
        drawn,
        Tile(f"{found.n_both:,}", "words are in both" if found.n_both != 1 else "word is in both"),
        in_short=True,
    )


def against_sentence(findings: Findings) -> str:
    """How many words are in both, how near they lie, and which moved most."""
    found = findings.against
    assert found is not None
    if not found.moved:
        return f"{counted(found.n_both, 'word')} {'is' if found.n_both == 1 else 'are'} in both."
    middle = float(np.median(found.cosines))
    words = ", ".join(shown_name(one.word) for one in found.moved[:3])
    return (
        f"{counted(found.n_both, 'word')} are in both; half of the common ones have a cosine of "
        f"{middle:.2f} or more with themselves. Farthest from themselves are {words}."
    )


def _line(moved: Moved) -> tuple[Markup, str, Markup, Markup]:
    return _word(moved.word), f"{moved.cosine:+.2f}", _words(moved.here), _words(moved.there)


def _word(word: str) -> Markup:
    return Markup("<bdi>{}</bdi>").format(shown_name(word))


def _words(words: list[str]) -> Markup:
    return Markup(", ").join(map(_word, words))
