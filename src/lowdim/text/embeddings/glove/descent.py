"""Stochastic gradients, pair by pair: AdaGrad as in Stanford's program, and plain steps.

    of a pair    g = -f r (c, 1),     r = log n - w.c - b_w - b_v          1/2 of the gradient of H

    adagrad      G starts at 1:   w -= rate g / G^1/2,   then  G += (rate g)^2
    sgd          w -= 2 rate g

and the same for c with w. Each number has a rate of its own, which falls with what was learned.
The sums are of (rate g)^2, not of g^2 as in the textbook: with the usual rate of 0.05 they grow 400
times more slowly. The penalty of a vector is shared among its pairs.

An epoch goes over all pairs in strata (`strata.py`), in float32.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.text.embeddings.glove.objective import Vectors
from lowdim.text.embeddings.glove.strata import Strata, rounds

WORTH_THREADS = 2**15  # pairs; fewer are learned from sooner than threads are woken


class Tables(NamedTuple):
    """Vectors, each with its bias at the end, and the sums of squares of their steps."""

    words: np.ndarray  # (n, d + 1)  float32
    contexts: np.ndarray  # (v, d + 1)
    word_squares: np.ndarray  # (n, d + 1)
    context_squares: np.ndarray  # (v, d + 1)
    random: np.random.Generator

    @property
    def vectors(self) -> Vectors:
        words, contexts = self.words, self.contexts
        return Vectors(words[:, :-1], contexts[:, :-1], words[:, -1], contexts[:, -1])


class Descent(NamedTuple):
    """How steps are made."""

    solver: str  # "adagrad" or "sgd"
    rate: float
    word_penalty: np.ndarray  # (n,)  float32, for each pair of a word
    context_penalty: np.ndarray  # (v,)
    bias: bool


def random_tables(
    d: int, word_bias: np.ndarray, bias: np.ndarray, random: np.random.Generator
) -> Tables:
    """Vectors as Stanford's program begins, evenly between -1/2d and 1/2d; biases as given."""
    words, contexts = (
        np.column_stack([(random.random((len(own), d)) - 0.5) / d, own]).astype(np.float32)
        for own in (word_bias, bias)
    )
    return Tables(words, contexts, np.ones_like(words), np.ones_like(contexts), random)


def epoch(strata: Strata, how: Descent, at: Tables) -> Tables:
    """The tables after one look at every pair."""
    words, contexts, word_squares, context_squares = (table.copy() for table in at[:4])
    step = _adagrad if how.solver == "adagrad" else _sgd
    squares = (word_squares, context_squares) if how.solver == "adagrad" else ()
    pairs = strata.row, strata.column, strata.log, strata.weight
    settings = np.float32(how.rate), how.word_penalty, how.context_penalty, how.bias

    def work(block: tuple[int, int]) -> None:
        edges = strata.first[block]
        step(edges[0], edges[-1], *pairs, *settings, words, contexts, *squares)

    in_turn: Any = map if len(strata.row) < WORTH_THREADS else ordered_map
    for round_ in rounds(at.random):
        for _ in in_turn(work, strata.blocks(int(round_))):
            pass
    return Tables(words, contexts, word_squares, context_squares, at.random)


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def _adagrad(
    first, last, row, column, log, weight, rate, P, Q, bias, W, C, G, H
):  # fmt: skip
    """Steps of AdaGrad for the pairs first to last - 1, in place; G and H are sums of squares."""
    d = W.shape[1] - 1
    for e in range(first, last):
        i, j = row[e], column[e]
        product = W[i, d] + C[j, d]
        for r in range(d):
            product += W[i, r] * C[j, r]
        pull = rate * weight[e] * (product - log[e])
        p, q = rate * P[i], rate * Q[j]
        for r in range(d):
            w, c, g, h = W[i, r], C[j, r], G[i, r], H[j, r]
            s, t = pull * c + p * w, pull * w + q * c
            W[i, r] = w - s / np.sqrt(g)
            C[j, r] = c - t / np.sqrt(h)
            G[i, r] = g + s * s
            H[j, r] = h + t * t
        if bias:
            W[i, d] -= pull / np.sqrt(G[i, d])
            C[j, d] -= pull / np.sqrt(H[j, d])
            G[i, d] += pull * pull
            H[j, d] += pull * pull


@kernel(any_order=True)
def _sgd(first, last, row, column, log, weight, rate, P, Q, bias, W, C):
    """Plain steps for the pairs first to last - 1, in place."""
    d = W.shape[1] - 1
    twice = rate + rate
    for e in range(first, last):
        i, j = row[e], column[e]
        product = W[i, d] + C[j, d]
        for r in range(d):
            product += W[i, r] * C[j, r]
        pull = twice * weight[e] * (product - log[e])
        p, q = twice * P[i], twice * Q[j]
        for r in range(d):
            w, c = W[i, r], C[j, r]
            W[i, r] = w - (pull * c + p * w)
            C[j, r] = c - (pull * w + q * c)
        if bias:
            W[i, d] -= pull
            C[j, d] -= pull
