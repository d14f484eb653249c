"""What was done to the documents, and how to do it in Python."""

from __future__ import annotations

from lowdim.report.page import account
from lowdim.report.page.sections import Section
from lowdim.report.page.texts import harmless
from lowdim.report.topics.contest import NAMES
from lowdim.report.topics.findings import Findings


def done_section(findings: Findings) -> Section:
    """Everything that was done to the documents."""
    reading, model, found = findings.reading, findings.model, findings.vocabulary
    logs = []
    if reading.numbers is not None:
        why = "as asked" if reading.asked else "since the corpus is very large"
        logs.append(
            f"{len(reading.ids):,} of {reading.n_read:,} documents were drawn at random, {why}."
        )
    if reading.bad.any():
        logs.append(
            f"{int(reading.bad.sum()):,} bytes that are no characters became replacement signs."
        )
    vectorizer = model.vectorizer_
    logs.append("Words are runs of two or more letters and digits, in lower case.")
    if findings.language is not None and vectorizer.stop_words:
        logs.append(
            f"{len(vectorizer.stop_words):,} stop words of the language "
            f"{findings.language!r} do not count."
        )
    if vectorizer.stemmer is not None:
        logs.append(f"Words became their stems ({vectorizer.stemmer}, Snowball).")
    if vectorizer.ngram_range[1] > 1:
        logs.append(f"Up to {vectorizer.ngram_range[1]} words in a row count as terms, too.")
    logs.append(
        f"A word counts if at least {found.least:,} and at most {found.most:,} documents have it."
    )
    logs.append(
        f"The topics are those of {NAMES[model.method]} with {model.n_components_} topics, fitted "
        "to all of these counts."
    )
    logs += findings.remarks
    lead = "From documents to topics, step by step."
    return account.steps_section(
        "What was done", lead, [harmless(text) for text in logs], findings.seconds
    )


def script_section(text: str) -> Section:
    """How to do the same in Python."""
    return account.script_section(text, "the topics")
