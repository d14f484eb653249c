"""The data of the page of `topics`: what its term bars, its map and its search need."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from lowdim.plots.style import PALETTE
from lowdim.report.page.map import map_data
from lowdim.report.page.payload import packed, packed_numbers, packed_words
from lowdim.report.page.texts import harmless
from lowdim.report.topics.findings import Findings
from lowdim.report.topics.topic_map import document_plane
from lowdim.selection.auto import sample_rows
from lowdim.selection.topic_model import relevance_order, topics_of_terms

BARS = 25  # terms that are shown at a time
STEPS = 5  # of the relevance, at which the terms of a topic are collected: 0, 1/4, ... 1
MAP_DOCUMENTS = 25_000
MAP_SHARES = 200_000  # shares of topics that can be shown, coloured by and compared in the map
EXCERPT_BYTES = 1_300_000  # of all excerpts
MOST_NAMES = 80  # characters of the name of a document


def term_payload(findings: Findings) -> dict[str, Any]:
    """The terms of each topic that are among the first at some relevance."""
    model = findings.model
    topics, weights = model.components_, model.topic_weights_
    chosen = [
        np.unique(row)
        for row in np.hstack(
            [relevance_order(topics, weights, r, BARS) for r in np.linspace(0, 1, STEPS)]
        )
    ]
    terms = np.unique(np.concatenate(chosen))
    overall = weights @ topics
    by_term = topics_of_terms(topics[:, terms], weights)  # (terms, k)
    return {
        "names": [topic.name for topic in findings.topics],
        "shares": weights.tolist(),
        "words": [harmless(str(findings.terms[j])) for j in terms],
        "total": float(findings.n_words.sum()),
        "overall": packed(overall[terms], "<f4"),
        "terms": [packed(np.searchsorted(terms, row), "<u4") for row in chosen],
        "phi": [packed(topics[j, row], "<f4") for j, row in enumerate(chosen)],
        "byTerm": packed(np.round(255 * by_term), "u1"),
        "bars": BARS,
    }


# ---- documents -----------------------------------------------------------------------------------


def map_documents(findings: Findings, seed: int) -> np.ndarray:
    """The documents that are drawn."""
    return sample_rows(len(findings.shares), MAP_DOCUMENTS, seed)


def map_payload(findings: Findings, rows: np.ndarray) -> dict[str, Any]:
    """The map: documents between their topics, coloured by topic, label, time, ..."""
    shares = findings.shares
    names = [f"{topic.number + 1} {topic.name}" for topic in findings.topics]
    plane = document_plane(shares, findings.anchors)
    axes = [axis[rows] for axis in plane.T]
    main = shares.argmax(axis=1)
    columns = [packed_words("main topic", main, names, rows)]
    if findings.labels is not None:
        labels = findings.labels
        column = harmless(labels.column)
        columns.append(packed_words(column, labels.places, list(map(harmless, labels.names)), rows))
    if findings.days is not None:
        columns.append(packed_numbers("date", np.floor(findings.days), rows, is_date=True))
    columns.append(packed_numbers("words", findings.n_words, rows, log=1.0))
    columns.append(packed_numbers("oddness", findings.odd.deviations, rows))
    n_topics = max(3, MAP_SHARES // max(len(rows), 1))
    for j in range(min(n_topics, shares.shape[1])):
        columns.append(packed_numbers(f"share of {names[j]}", np.round(shares[:, j], 4), rows))
    everything = len(rows) == len(shares)
    numbers = None if everything else rows
    return map_data(axes, columns, numbers, first_compared=1, what="document")


def document_names(findings: Findings) -> list[str]:
    """The ids, short enough to be shown."""
    names = (harmless(name) for name in findings.reading.ids)
    return [name if len(name) <= MOST_NAMES else name[: MOST_NAMES - 1] + "…" for name in names]


def excerpts(findings: Findings) -> list[str]:
    """The beginnings of documents, cut until they fit into the page."""
    found = findings.documents.excerpts
    while (size := sum(len(json.dumps(text)) for text in found)) > EXCERPT_BYTES:
        most = int(max(map(len, found)) * min(EXCERPT_BYTES / size, 0.9))
        if most < 15:
            return []
        found = [text if len(text) <= most else text[: most - 1] + "…" for text in found]
    return found


def shown_payload(findings: Findings) -> dict[str, Any]:
    """The typical documents with the topics of their words."""
    shown = {}
    for i, one in findings.documents.shown.items():
        share = findings.shares[i]
        top = [int(j) for j in np.argsort(-share, kind="stable")[:6] if share[j] >= 0.02]
        shown[str(i)] = {
            "pieces": one.pieces,
            "topics": [[j, round(float(share[j]), 3)] for j in top],
            "words": int(findings.n_words[i]),
        }
    return {
        "documents": shown,
        "typical": findings.documents.typical,
        "odd": [one.document for one in findings.odd.documents],
        "names": [topic.name for topic in findings.topics],
        "palette": list(PALETTE),
    }
