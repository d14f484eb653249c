"""New documents from topics: each has its shares, each word its topic.

theta ~ Dirichlet(alpha), or given;   z ~ theta for every word;   w ~ phi_z
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.numeric import numeric_array


def drawn_shares(n: int, alpha: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """n draws from Dirichlet(alpha), (n, k).

    With tiny alpha all gamma variables may vanish: such a document has one topic, which Dirichlet
    draws come to as alpha goes to 0.
    """
    alpha = alpha if alpha.sum() > 0 else np.ones_like(alpha)
    shares = random.gamma(alpha, size=(n, len(alpha)))
    total = shares.sum(axis=1, keepdims=True)
    empty = total[:, 0] <= np.finfo(np.float64).tiny
    if empty.any():
        topic = random.choice(len(alpha), size=int(empty.sum()), p=alpha / alpha.sum())
        shares[empty] = np.eye(len(alpha))[topic]
        total[empty] = 1.0
    return shares / total


def drawn_counts(
    shares: np.ndarray, phi: np.ndarray, lengths: np.ndarray, random: np.random.Generator
) -> Any:
    """Counts (n, v) of documents with these shares and lengths, from topics phi (k, v)."""
    (n, k), v = shares.shape, phi.shape[1]
    by_topic = random.multinomial(lengths, shares / shares.sum(axis=1, keepdims=True))  # (n, k)
    documents, terms = [], []
    for z in range(k):
        documents.append(np.repeat(np.arange(n), by_topic[:, z]))
        upto = np.cumsum(phi[z])
        point = random.random(len(documents[-1])) * upto[-1]
        terms.append(np.minimum(np.searchsorted(upto, point, side="right"), v - 1))
    place = (np.concatenate(documents), np.concatenate(terms))
    counts = sp.coo_array((np.ones(len(place[0])), place), shape=(n, v)).tocsr()
    counts.sum_duplicates()
    return counts


def checked_lengths(length: Any, n: int) -> np.ndarray:
    """Words of each of n documents, from a number or one for each."""
    lengths = numeric_array(length, "length", "sample")
    whole = lengths.dtype.kind in "iu" or bool((lengths == np.floor(lengths)).all())
    if not whole or lengths.shape not in ((), (n,)) or (lengths < 0).any():
        raise ValueError(
            f"length={length!r} must be a whole number of 0 or more, or {n} of them, one for each "
            "document."
        )
    return np.broadcast_to(lengths.astype(np.int64), (n,))
