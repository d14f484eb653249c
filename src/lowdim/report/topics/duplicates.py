"""Documents that are nearly the same: by hashes of their words, then by the words themselves.

    J(A, B) = |A and B| / |A or B|        of the sets of words of two documents
    P(the least hash of A's words = that of B's) = J        (Broder 1997)

BANDS times ROWS least hashes are taken of each document. Documents that agree in all ROWS of some
band are held against each other: at J = 0.9 all but 1 pair in 500 come to that, at J = 0.5 one in
ten. A pair with J of at least ALIKE is nearly the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

BANDS, ROWS = 8, 6
ALIKE = 0.8
LEAST_WORDS = 8  # different ones: shorter documents are alike by chance
PRIME = np.uint64(0x9E3779B97F4A7C15)


class Duplicates(NamedTuple):
    """Groups of documents that are nearly the same.

    Attributes
    ----------
    groups : list of ndarray of int
        Documents of each, the largest group first.
    alike : list of float
        The smallest J with which a member was found, for each group.
    """

    groups: list[np.ndarray]
    alike: list[float]

    @property
    def n_documents(self) -> int:
        """How many could be left out: all but one of each group."""
        return sum(len(group) - 1 for group in self.groups)


def near_duplicates(X: sp.csr_array, seed: int = 0) -> Duplicates:
    """Documents whose sets of words are nearly the same.

    Parameters
    ----------
    X : csr_array (n, v)
        Counts.
    seed : int
        Of the hashes.
    """
    long_enough = np.flatnonzero(np.diff(X.indptr) >= LEAST_WORDS)
    pairs = np.zeros((0, 2), dtype=np.int64)
    if len(long_enough) > 1:
        pairs = _candidates(sp.csr_array(X[long_enough]), seed)
        pairs = long_enough[pairs]
    J = jaccard(X, pairs)
    pairs, J = pairs[J >= ALIKE], J[J >= ALIKE]
    n = X.shape[0]
    links = sp.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, group = connected_components(links, directed=False)
    least: dict[int, float] = {}
    for g, value in zip(group[pairs[:, 0]].tolist(), J.tolist(), strict=True):
        least[g] = min(value, least.get(g, 1.0))
    by_group = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=1))
    members = {g: by_group[(ends[g - 1] if g else 0) : ends[g]] for g in least}
    order = sorted(least, key=lambda g: (-len(members[g]), members[g][0]))
    return Duplicates([members[g] for g in order], [least[g] for g in order])


def _candidates(X: sp.csr_array, seed: int) -> np.ndarray:
    """Pairs (p, 2) that agree in a band; of a band's bucket, each with its first document."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(BANDS):
        key = np.zeros(X.shape[0], dtype=np.uint64)
        for _ in range(ROWS):
            hashes = random.permutation(X.shape[1]).astype(np.uint32)
            least = np.minimum.reduceat(hashes[X.indices], X.indptr[:-1])
            key = (key ^ least.astype(np.uint64)) * PRIME
            key ^= key >> np.uint64(29)
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        later = np.flatnonzero(first[place] != np.arange(len(key)))
        found.append(np.column_stack([first[place[later]], later]))
    return np.unique(np.concatenate(found), axis=0)


def jaccard(X: sp.csr_array, pairs: np.ndarray) -> np.ndarray:
    """What share of the words that two documents have together both have."""
    words = sp.csr_array((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    both = np.zeros(len(pairs))
    for start in range(0, len(pairs), 10_000):  # a bounded number of rows at a time
        some = pairs[start : start + 10_000]
        both[start : start + len(some)] = (words[some[:, 0]] * words[some[:, 1]]).sum(axis=1)
    size = np.diff(X.indptr)
    either = size[pairs[:, 0]] + size[pairs[:, 1]] - both
    return both / np.maximum(either, 1)
