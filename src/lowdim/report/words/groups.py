"""Words that belong together: k-means on vectors of length 1, named by the words in the middle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import lowdim

CENTRAL = 3  # words that name a cluster
MOST_GROUPS = 36
WORDS_BY_GROUP = 8  # there are about sqrt(n / this) clusters


class Group(NamedTuple):
    """A cluster of words.

    Attributes
    ----------
    name : str
        Its words nearest to the middle.
    central : list of int
        The places of words among those of the map, nearest to the middle first.
    common : list of int
        The commonest first.
    n_words : int
    tightness : float
        The mean cosine of its words with the middle.
    """

    name: str
    central: list[int]
    common: list[int]
    n_words: int
    tightness: float


class Groups(NamedTuple):
    """Clusters, the largest first.

    Attributes
    ----------
    groups : list of Group
    labels : ndarray of int, shape (n,)
        The cluster of each word.
    """

    groups: list[Group]
    labels: np.ndarray


def word_groups(units: np.ndarray, names: list[str], seed: int = 0, shown: int = 12) -> Groups:
    """Clusters of words of length 1, which come by falling count.

    Parameters
    ----------
    units : ndarray of shape (n, d)
    names : list of str
    seed : int
    shown : int
        Words of a cluster that are listed.
    """
    n = len(units)
    different = len(np.unique(units, axis=0))
    k = int(np.clip(round((n / WORDS_BY_GROUP) ** 0.5), 1, min(MOST_GROUPS, different)))
    model = lowdim.KMeans(k, random_state=seed).fit(units.astype(np.float64))
    size = np.bincount(model.labels_, minlength=k)
    order = np.argsort(-size, kind="stable")
    rank = np.empty(k, dtype=np.int64)
    rank[order] = np.arange(k)
    labels = rank[model.labels_]
    groups = []
    for g, center in enumerate(model.cluster_centers_[order]):
        members = np.flatnonzero(labels == g)
        length = np.linalg.norm(center)
        cosine = units[members] @ (center / length if length > 0 else center)
        central = members[np.argsort(-cosine, kind="stable")[:shown]].tolist()
        name = ", ".join(names[i] for i in central[:CENTRAL])
        mean = float(cosine.mean()) if len(members) else 0.0
        groups.append(Group(name, central, members[:shown].tolist(), len(members), mean))
    return Groups(groups, labels)
