"""Topics by label: which groups of documents are about what."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from lowdim.report.page.figures import heat_map
from lowdim.report.page.parts import percent, place, table
from lowdim.report.page.sections import Section, Tile
from lowdim.report.page.texts import excerpt, harmless
from lowdim.report.topics.findings import Findings

MOST_TOPICS = 40  # columns of the heat map
NAMED = 3  # topics that are named for a label


def label_section(findings: Findings) -> Section | None:
    """The shares of topics by label; None without labels."""
    found = findings.labels
    if found is None:
        return None
    names = [f"{t.number + 1} {harmless(t.name)}" for t in findings.topics]
    labels = [harmless(name) for name in found.names]
    shown = names[:MOST_TOPICS]
    shares = found.shares[:, : len(shown)]
    drawn = heat_map(shares, labels, shown, "labels", "share", max(float(shares.max()), 1e-9))
    lines = [
        (
            excerpt(label, 60),
            f"{found.n_documents[i]:,}",
            "; ".join(
                f"{names[j]} ({percent(found.shares[i, j])})"
                for j in np.argsort(-found.shares[i], kind="stable")[:NAMED]
            ),
        )
        for i, label in enumerate(labels)
    ]
    heads = [excerpt(found.column, 40), "documents#", "largest topics"]
    caption = "What share of the words of each label a topic has; the darker, the larger."
    body = Markup('<div class="wide">{}</div>').format(place("labels", caption))
    body += table(heads, lines, "topics by label")
    tile = Tile(percent(found.agreement), f"of {excerpt(found.column, 30)} is in the main topic")
    return Section(
        "labels",
        f"Topics by {excerpt(found.column, 40)}",
        "By label",
        label_sentence(findings),
        body,
        {"labels": drawn},
        tile,
        in_short=True,
    )


def label_sentence(findings: Findings) -> str:
    """How much topics and labels have to do with each other."""
    found = findings.labels
    assert found is not None
    column = excerpt(found.column, 40)
    share = percent(found.agreement)
    words = (
        "they are about the same"
        if found.agreement >= 0.6
        else "they overlap"
        if found.agreement >= 0.2
        else "they have little to do with each other"
    )
    return (
        f"The main topic of a document says {share} of what there is to know about its {column}: "
        f"{words}."
    )
