"""What was done to the vectors, and how to do it in Python."""

from __future__ import annotations

from lowdim.report.page import account
from lowdim.report.page.parts import counted
from lowdim.report.page.sections import Section
from lowdim.report.page.texts import harmless
from lowdim.report.words.findings import Findings
from lowdim.report.words.near import NEIGHBOURS


def done_section(findings: Findings) -> Section:
    """Everything that was done to the vectors."""
    logs = []
    for vocabulary in findings.vocabularies:
        d = vocabulary.units.shape[1]
        logs.append(
            f"{vocabulary.name} has vectors of {counted(d, 'number')} for "
            f"{counted(vocabulary.n_all, 'word')}."
        )
    logs.append("All vectors were divided by their lengths; those of zeros stay zeros.")
    if findings.against is not None:
        logs.append(f"The two sets were laid on each other {findings.against.how}.")
    logs.append(
        f"The map has the {len(findings.side):,} commonest words, by their first two principal "
        f"components; for each, the {NEIGHBOURS} words with the largest cosines were found."
    )
    if any(vocabulary.counts is None for vocabulary in findings.vocabularies):
        logs.append(
            "How often words were seen is not known: they are taken to stand from the commonest "
            "to the rarest."
        )
    logs += findings.remarks
    lead = "From vectors to the page, step by step."
    return account.steps_section("What was done", lead, list(map(harmless, logs)), findings.seconds)


def script_section(text: str) -> Section:
    """How to do the same in Python."""
    return account.script_section(text, "the findings")
