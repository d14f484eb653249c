"""Of all vectors that say the same, those that are published.

    h_wv = w.c_v + b_w + b_v     stays the same for     W M, C M^-T           any invertible M
                                                        w - u, b_v + u.c_v    where v has a bias
                                                        c - a, b_w + w.a      where w has a bias,
                                                                              or h counts up to one

So cosines would depend on the start of the search. Published are vectors whose mean is 0 wherever a
bias can take it, and W = U S^1/2, C = V S^1/2 for W C' = U S V': those of least |W|^2 + |C|^2, to
which a vanishing penalty leads. Tied vectors, whose cosines are determined, are turned to their
principal axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.linalg.products import thin_svd
from lowdim.text.embeddings.base import balanced

ROUNDING = 1e-12  # a direction of W C' that is below this part of the largest is not there


class Gauged(NamedTuple):
    """Vectors and biases that say the same."""

    W: np.ndarray  # (n, d)
    C: np.ndarray  # (v, d)
    word_bias: np.ndarray  # (n,)
    bias: np.ndarray  # (v,)


def gauged(at: Gauged, *, words: bool, contexts: bool) -> Gauged:
    """Balanced vectors; `words`, `contexts`: whether a bias takes the mean of these."""
    W, C, word_bias, bias = at
    if words:
        middle = W.mean(axis=0)
        W, bias = W - middle, bias + C @ middle
    if contexts:
        middle = C.mean(axis=0)
        C, word_bias = C - middle, word_bias + W @ middle
    W, C = balanced(W, C)
    size = (W**2).sum(axis=0)  # the singular values of W C'
    W, C = (np.where(size > ROUNDING * size.max(initial=0.0), table, 0.0) for table in (W, C))
    return Gauged(W, C, word_bias, bias)


def principal(X: np.ndarray) -> np.ndarray:
    """Tied vectors on their principal axes; the largest entry of each is positive."""
    U, s, _ = thin_svd(X, X.shape[1])
    signs = np.sign(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])])
    turned = np.zeros_like(X)
    turned[:, : len(s)] = U * (signs * s)
    return turned
