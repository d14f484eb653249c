"""The data of the page of `words`: names, colours and neighbours, in few bytes.

Names are one list: the words of the map, then their further neighbours. A neighbour is its place in
that list in 16 bits, and its cosine in 8: (1 + cosine) / 2 in steps of 1/255.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.plots.style import PALETTE
from lowdim.report.page.map import map_data
from lowdim.report.page.payload import packed, packed_numbers, packed_words
from lowdim.report.page.texts import excerpt
from lowdim.report.words.figures import arrow_columns
from lowdim.report.words.findings import Findings
from lowdim.report.words.vocabulary import shown_name
from lowdim.text.similarity import Nearest


class Names:
    """The list of names of a page: `at(side, place)` is where a word stands in it."""

    def __init__(self, findings: Findings):
        self._vocabularies = findings.vocabularies
        both = zip(findings.side.tolist(), findings.place.tolist(), strict=True)
        self._at = {key: i for i, key in enumerate(both)}
        self.names = findings.words

    def at(self, side: int, place: int) -> int:
        """The place of a word in the list, to which it is added if it is not there."""
        key = (side, place)
        if key not in self._at:
            self._at[key] = len(self.names)
            self.names.append(shown_name(self._vocabularies[side].words[place]))
        return self._at[key]

    def all_at(self, side: np.ndarray, near: Nearest) -> np.ndarray:
        """The same for neighbours (n, k), each row of another vocabulary."""
        return np.array(
            [
                [self.at(s, i) for i in row]
                for s, row in zip(side.tolist(), near.index.tolist(), strict=True)
            ],
            dtype=np.int64,
        ).reshape(near.index.shape)


def map_payload(findings: Findings) -> tuple[dict[str, Any], list[str]]:
    """What js/words.js needs: points with their colours and neighbours; and all names."""
    n = len(findings.side)
    rows = np.arange(n)
    names = Names(findings)
    seen = counts(findings)
    columns = [
        packed_words("cluster", findings.groups.labels, group_names(findings), rows),
        packed_numbers("rank", rank(findings), rows),
    ]
    if seen is not None:
        columns.insert(1, packed_numbers("times seen", seen, rows, log=1.0))
    if len(findings.vocabularies) == 2:
        both = [excerpt(v.name, 60) for v in findings.vocabularies]
        columns.insert(0, packed_words("vocabulary", findings.side, both, rows))
    lists = []
    for across, near in enumerate(findings.near):
        side = findings.side if across == 0 else 1 - findings.side
        index = names.all_at(side, near)
        lists.append(
            {
                "index": packed(index, "<u2"),
                "cosine": packed(np.round(127.5 * (1 + np.clip(near.cosine, -1, 1))), "u1"),
                "k": index.shape[1],
            }
        )
    data = map_data(list(findings.plane.points.T), columns, what="word")
    data["near"] = lists
    data["counts"] = None if seen is None else packed(seen, "<f8")  # columns have rounded ones
    data["titles"] = near_titles(findings)
    assert len(names.names) < 2**16, "a place does not fit into 16 bits"
    return data, names.names


def near_titles(findings: Findings) -> list[list[str]]:
    """What a list of neighbours is called, for each vocabulary that a word may be from."""
    if len(findings.vocabularies) == 1:
        return [["Nearest words"]]
    names = [excerpt(v.name, 40) for v in findings.vocabularies]
    return [[f"Nearest in {names[s]}", f"Nearest in {names[1 - s]}"] for s in range(len(names))]


def group_names(findings: Findings) -> list[str]:
    """The clusters, by number and name."""
    return [f"{g + 1} {group.name}" for g, group in enumerate(findings.groups.groups)]


def rank(findings: Findings) -> np.ndarray:
    """1 for the commonest word of a vocabulary."""
    return findings.place + 1.0


def counts(findings: Findings) -> np.ndarray | None:
    """How often each word of the map was seen; None where that is not known of all."""
    found = np.zeros(len(findings.side))
    for s, vocabulary in enumerate(findings.vocabularies):
        if vocabulary.counts is None:
            return None
        here = findings.side == s
        found[here] = vocabulary.counts[findings.place[here]]
    return found


def arrow_payload(findings: Findings) -> dict[str, Any]:
    """The relations, as js/arrows.js draws them."""
    return {
        "relations": [
            {
                "name": excerpt(relation.name, 60),
                "columns": arrow_columns(relation.pairs, relation.points, relation.agreement),
                "agreement": round(float(relation.agreement.mean()), 3),
                "known": relation.n_known,
                "pairs": relation.n_pairs,
            }
            for relation in findings.relations
        ],
        "palette": list(PALETTE),
    }
