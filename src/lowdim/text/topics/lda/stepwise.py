"""LDA from one batch of documents after the other ("online", and how "map" begins).

Topics are the prior plus expected counts M by term and topic. A batch replaces a part of them:

    M  <-  (1 - rate) M + rate (all documents / those of the batch) M of the batch

For "online" the rate is (offset + t)^-decay and documents are coded by variational Bayes: Hoffman,
Blei and Bach (2010). For "map" it is (1 + t)^-0.6 and documents have one vector of shares: stepwise
EM, Liang and Klein (2009).

Only the terms of a batch are touched: M = scale * L, where the scale takes up (1 - rate) and a
batch changes its own rows of L. A batch costs O(cells k), whatever the number of terms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import psi

from lowdim.core.memory import give_back
from lowdim.core.threads import ordered_map
from lowdim.linalg.sparse import row_cuts
from lowdim.text.topics.counts import Cells, cells_of, weights_of
from lowdim.text.topics.expectation import (
    Encoded,
    encoded,
    exp_digamma,
    spread_evenly,
    topic_counts,
)
from lowdim.text.topics.lda.bound import LEAST_PRIOR, document_bounds, log_shares
from lowdim.text.topics.lda.maximum import log_posteriors
from lowdim.text.topics.lda.variational import Inner, State

LEAST_SCALE = 1e-100
CELLS_PER_TURN = 2**12  # that are worth a turn on a thread
TERMS_AT_A_TIME = 1024

Rate = Callable[[int], float]


class Topics:
    """Topics to which batches are added: eta + scale * L, by terms."""

    def __init__(self, topics: np.ndarray, eta: np.ndarray, *, in_place: bool = False):
        self.eta = eta
        self._L, self._scale = np.subtract(topics, eta, out=topics if in_place else None), 1.0
        self._sum = self._L.sum(axis=0)  # of L over terms, (k,)

    def rows(self, terms: np.ndarray) -> np.ndarray:
        """Topics of some terms, (m, k)."""
        rows = self._L[terms]
        rows *= self._scale
        rows += self.eta[terms] if self.eta.ndim else self.eta
        # rounding may leave a count of -1e-17
        return np.maximum(rows, LEAST_PRIOR, out=rows)

    @property
    def total(self) -> np.ndarray:
        """Sums over all terms, (k,)."""
        shape = self._L.shape
        return np.broadcast_to(self.eta, shape).sum(axis=0) + self._scale * self._sum

    def blend(self, terms: np.ndarray, counts: np.ndarray, rate: float, times: float) -> None:
        """(1 - rate) of what was, and rate * times * counts for these terms.

        `counts` are written into.
        """
        self._scale *= 1.0 - rate
        if self._scale < LEAST_SCALE:
            self._L *= self._scale
            self._sum *= self._scale
            self._scale = 1.0
        counts *= times * (rate / self._scale)
        self._sum += counts.sum(axis=0)
        for first in range(0, len(terms), TERMS_AT_A_TIME):
            run = slice(first, first + TERMS_AT_A_TIME)
            self._L[terms[run]] += counts[run]

    def all(self) -> np.ndarray:
        """Topics of all terms, (v, k); these topics are not to be used afterwards."""
        topics = self._L
        topics *= self._scale
        topics += self.eta
        return np.maximum(topics, LEAST_PRIOR, out=topics)


class Batch(NamedTuple):
    """What a batch of documents gives."""

    terms: np.ndarray  # (m,)    that occur in it
    counts: np.ndarray  # (m, k)  expected counts of topics, weighted
    gamma: np.ndarray  # (b, k)
    objective: float  # the bound of "online"; the log-likelihood and prior of "map"
    logs: np.ndarray  # (k,)    sum of E log theta over documents with words
    documents: float  # sum of weights
    with_words: float  # of those with words


def batch_statistics(
    X: Any,
    topics: Topics,
    alpha: np.ndarray,
    inner: Inner,
    bayes: bool,
    gamma: np.ndarray | None,
    weight: np.ndarray | None,
) -> Batch:
    """Expected counts of a batch, on threads; pieces depend on the batch alone."""
    cells, terms = _own_terms(cells_of(X), X.shape[1])
    B = exp_digamma(topics.rows(terms)) if bayes else topics.rows(terms)
    B *= np.exp(-psi(topics.total)) if bayes else 1.0 / topics.total
    start = spread_evenly(cells, alpha) if gamma is None else gamma
    code = _encoded_on_threads(cells, B, alpha, start, inner, bayes)
    found = topic_counts(cells, code.e, B, weight)
    w = weights_of(weight, cells.n_documents)
    with_words = w * (cells.lengths > 0)
    if bayes:
        by_document = log_shares(np.maximum(code.gamma, LEAST_PRIOR))
        logs = with_words @ by_document
        bounds = document_bounds(cells, found.log_likelihood, code.gamma, by_document, alpha)
        objective = float(w @ bounds)
    else:
        logs = np.zeros(len(alpha))
        objective = float(w @ log_posteriors(cells, found.log_likelihood, code.e, alpha))
    found.by_term.multiply(B)
    return Batch(
        terms,
        B,
        alpha + found.by_document,
        objective,
        logs,
        float(w.sum()),
        float(with_words.sum()),
    )


def _own_terms(cells: Cells, v: int) -> tuple[Cells, np.ndarray]:
    """The cells with terms numbered anew, and which terms these are."""
    seen = np.zeros(v, dtype=bool)
    seen[cells.terms] = True
    terms = np.flatnonzero(seen)
    number = np.empty(v, dtype=np.int32)
    number[terms] = np.arange(len(terms), dtype=np.int32)
    return cells._replace(terms=number[cells.terms]), terms


def _encoded_on_threads(
    cells: Cells, B: np.ndarray, alpha: np.ndarray, start: np.ndarray, inner: Inner, bayes: bool
) -> Encoded:
    def work(cut: tuple[int, int]) -> Encoded:
        part = cells.part(*cut)
        own = start[cut[0] : cut[1]]
        return encoded(part, B, alpha, own, bayes=bayes, max_iter=inner.max_iter, tol=inner.tol)

    parts = list(ordered_map(work, row_cuts(cells.indptr, CELLS_PER_TURN)))
    return Encoded(*(np.concatenate(field) for field in zip(*parts, strict=True)))


class Passed(NamedTuple):
    """What a pass of batches gives."""

    state: State
    objective: float  # sum over batches, each at the topics of its time
    logs: np.ndarray  # (k,)  mean of E log theta, of documents with words


def stepwise_pass(
    rows: Any,
    state: State,
    *,
    size: int,
    documents: float,
    rate: Rate,
    inner: Inner,
    bayes: bool,
    weight: np.ndarray | None,
    keep: bool = True,
    in_place: bool = False,
) -> Passed:
    """One batch after the other; `documents` is how many there are in all.

    Without `keep`, documents are forgotten. With `in_place`, the topics of `state` are written
    into, and not to be used afterwards.
    """
    topics = Topics(state.topics, state.priors.word, in_place=in_place)
    objective, n_batches = 0.0, 0
    codes = np.empty((rows.shape[0], state.topics.shape[1])) if keep else None
    first = 0
    logs, with_words = np.zeros(len(state.priors.doc)), 0.0
    for X, gamma, w in rows.batches(size, along=(state.gamma, weight)):
        batch = batch_statistics(X, topics, state.priors.doc, inner, bayes, gamma, w)
        if batch.documents > 0:
            part = rate(state.n_batches + n_batches)
            topics.blend(batch.terms, batch.counts, part, documents / batch.documents)
        objective += batch.objective
        logs, with_words = logs + batch.logs, with_words + batch.with_words
        if codes is not None:
            codes[first : first + len(batch.gamma)] = batch.gamma
        first += len(batch.gamma)
        n_batches += 1
        del batch  # the next one is as large
        give_back()
    after = state._replace(topics=topics.all(), gamma=codes, n_batches=state.n_batches + n_batches)
    return Passed(after, objective, logs / max(with_words, 1e-300))
