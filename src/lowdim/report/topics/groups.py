"""Topics by label: what share of the words of each group of documents a topic has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

MOST_LABELS = 30
OTHER = "(other)"


class ByLabel(NamedTuple):
    """Shares of topics by label.

    Attributes
    ----------
    column : str
    names : list of str
        Of the labels, the most frequent first; of many, the others together.
    places : ndarray of int (n,)
        The label of each document; -1 where it has none.
    n_documents : ndarray of int (labels,)
    shares : ndarray (labels, k)
        Of the words of each label.
    agreement : float
        Mutual information of label and topic over the entropy of the label: the share of what one
        would have to be told of a document's label that its main topic says; 0 to 1.
    """

    column: str
    names: list[str]
    places: np.ndarray
    n_documents: np.ndarray
    shares: np.ndarray
    agreement: float


def by_label(
    column: str, values: Sequence[Any], shares: np.ndarray, n_words: np.ndarray
) -> ByLabel | None:
    """The shares of topics by label; None if there is only one."""
    counts = Counter(str(value) for value in values if value is not None)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    if len(ranked) < 2:
        return None
    names = ranked if len(ranked) <= MOST_LABELS else [*ranked[: MOST_LABELS - 1], OTHER]
    place = {name: min(i, MOST_LABELS - 1) for i, name in enumerate(ranked)}
    places = np.array([-1 if value is None else place[str(value)] for value in values])
    known = places >= 0
    weight = n_words[known].astype(np.float64)
    totals = np.zeros((len(names), shares.shape[1]))
    np.add.at(totals, places[known], shares[known] * weight[:, None])
    words = totals.sum(axis=1, keepdims=True)
    mean = np.divide(totals, words, out=np.zeros_like(totals), where=words > 0)
    return ByLabel(
        column,
        names,
        places,
        np.bincount(places[known], minlength=len(names)),
        mean,
        agreement(places[known], shares[known].argmax(axis=1)),
    )


def agreement(label: np.ndarray, topic: np.ndarray) -> float:
    """I(label; topic) / H(label): 1 if the topic gives the label away, 0 if it says nothing."""
    table = np.zeros((label.max() + 1, topic.max() + 1))
    np.add.at(table, (label, topic), 1.0)
    joint = table / table.sum()
    p, q = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    some = joint > 0
    information = float((joint[some] * np.log(joint[some] / (p * q)[some])).sum())
    entropy = float(-(p[p > 0] * np.log(p[p > 0])).sum())
    return max(0.0, information / entropy) if entropy > 0 else 0.0
