"""What was done to the table, and how to do it in Python."""

from __future__ import annotations

from lowdim.report.maps.findings import Findings
from lowdim.report.page import account
from lowdim.report.page.parts import listed
from lowdim.report.page.sections import Section


def done_section(findings: Findings) -> Section:
    """Everything that was done to the table."""
    encoded = findings.encoded
    left = [column.name for column in encoded.columns if not column.used]
    steps = [f"No map has seen {listed(left, 12)}."] if left else []
    steps += [*encoded.notes, *findings.remarks]
    if encoded.encoder.scale:
        steps.append(
            "Numbers were scaled to mean 0 and variance 1; a category became one column per level, "
            "each over the root of its share, so that a column counts about the same however many "
            "levels it has."
        )
    else:
        steps.append("Columns count by their variance, in the units they have.")
    if any(column.empty.any() for column in encoded.used):
        steps.append(
            "Missing values were not filled with means: distances are those that a factor model "
            "expects, given the values that are there. Where figures compare pairs of rows, "
            "missing values have what that model expects."
        )
    k = findings.groups.n_components
    steps.append(
        f"Clusters are those of a Gaussian mixture in {k} principal component"
        f"{'' if k == 1 else 's'}, as many as BIC says; no map has a say in them."
    )
    if encoded.names is None:
        steps.append("Rows go by their numbers, from 0.")
    lead = "From the table to the maps, step by step."
    return account.steps_section("What was done", lead, steps, findings.seconds)


def script_section(text: str) -> Section:
    """How to do the same in Python."""
    return account.script_section(text, "the maps")
