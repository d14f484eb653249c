"""The corpus: how long its documents are, what was left out, and which are copies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from lowdim.report.page.parts import counted, listed, percent, place, table
from lowdim.report.page.sections import Section, Tile
from lowdim.report.page.texts import excerpt
from lowdim.report.topics import figures
from lowdim.report.topics.findings import Findings

MOST_GROUPS = 12
MOST_MEMBERS = 4
REASONS = {
    "common": "in more than {most:,} documents",
    "rare": "in fewer than {least:,} documents",
    "number": "without letters",
    "long": "too long: addresses, encoded files",
    "beyond": "beyond the most frequent terms",
}


def corpus_section(findings: Findings) -> Section:
    """How long documents are, what was left out, and which are copies."""
    words = findings.n_words
    body = Markup('<div class="pair"><div>{}</div>{}</div>').format(
        table(["", "#"], _facts(findings), "the corpus"),
        place("lengths", "How long the documents are, in words that count."),
    )
    body += _dropped(findings) + _copies(findings)
    n = findings.reading.n_read
    tile = Tile(f"{n:,}", "document" if n == 1 else "documents")
    return Section(
        "corpus",
        "The corpus",
        "Corpus",
        corpus_sentence(findings),
        body,
        {"lengths": figures.lengths(words)},
        tile,
        in_short=True,
    )


def corpus_sentence(findings: Findings) -> str:
    """How large the corpus is, and what one should know about it."""
    words, reading = findings.n_words, findings.reading
    n = len(words)
    said = (
        f"{counted(n, 'document')} with {int(words.sum()):,} words that count, "
        f"{len(findings.terms):,} different ones; half of the documents have at least "
        f"{int(np.median(words)):,}."
    )
    if reading.numbers is not None:
        said = f"Of {reading.n_read:,} documents, {n:,} were drawn at random: {said}"
    near = findings.duplicates.n_documents
    if near >= 0.02 * n:
        said += f" {counted(near, 'document')} ({percent(near / n)}) nearly repeat another one."
    return said


def _facts(findings: Findings) -> list[tuple[str, str]]:
    reading, words = findings.reading, findings.n_words
    vocabulary = findings.vocabulary
    copies = int((reading.first_copy != np.arange(len(words))).sum())
    bad = int((reading.bad > 0).sum())
    facts = [
        ("documents read", f"{reading.n_read:,}"),
        ("characters", f"{reading.n_characters:,}"),
        ("words, without stop words", f"{vocabulary.n_tokens:,}"),
        ("words that count", f"{int(words.sum()):,}"),
        ("different words", f"{vocabulary.n_terms:,}"),
        ("different words that count", f"{len(findings.terms):,}"),
        ("documents without words that count", f"{int((words == 0).sum()):,}"),
        ("documents with bytes that are no characters", f"{bad:,}"),
        ("exact copies of an earlier document", f"{copies:,}"),
        ("documents that nearly repeat another one", f"{findings.duplicates.n_documents:,}"),
    ]
    if reading.numbers is not None:
        facts.insert(1, ("documents drawn at random", f"{len(words):,}"))
    return facts


def _dropped(findings: Findings) -> Markup:
    found = findings.vocabulary
    if not found.dropped:
        return Markup("")
    lines = [
        (
            REASONS[one.reason].format(least=found.least, most=found.most),
            f"{one.n_terms:,}",
            f"{one.n_tokens:,}",
            ", ".join(excerpt(word, 30) for word in one.examples),
        )
        for one in found.dropped
    ]
    heads = ["words that do not count", "different#", "in all#", "the most frequent"]
    return Markup("<h3>What was left out</h3>{}").format(table(heads, lines, "words left out"))


def _copies(findings: Findings) -> Markup:
    groups, alike = findings.duplicates
    if not groups:
        return Markup("")
    lines = [
        (f"{len(group):,}", percent(least), _names(findings, group))
        for group, least in list(zip(groups, alike, strict=True))[:MOST_GROUPS]
    ]
    more = ""
    if len(groups) > MOST_GROUPS:
        more = f"The largest of {len(groups):,} groups."
    return Markup(
        '<h3>Documents that nearly repeat each other</h3>{}<p class="muted">{}</p>'
    ).format(
        table(["documents#", "words in common#", "which"], lines, "near copies"),
        f"Groups of documents that have at least 80 % of their different words in common. {more}",
    )


def _names(findings: Findings, group: Sequence[int] | np.ndarray) -> str:
    return listed([excerpt(findings.reading.ids[i], 60) for i in group], MOST_MEMBERS)
