"""LDA by variational Bayes over all documents ("batch").

    q(theta_i) = Dirichlet(gamma_i),  q(phi_z) = Dirichlet(lambda_z),  q(topic of a word) free
    maximise    bound = E log p(X, theta, phi, topics) - E log q     <=  log p(X)

    statistics   gamma_i = alpha + expected counts of topics in document i, to a fixed point
                 sum over documents of the expected counts by term and topic
    update       lambda = eta + those sums;  alpha, eta if they are to be learned (priors.py)

Documents that go on from where the pass before left them can only raise the bound. One pass costs
O(cells k) for each iteration of a document; memory: gamma (n, k), lambda (k, v) and a block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.text.topics.counts import cells_of, weights_of
from lowdim.text.topics.expectation import encoded, spread_evenly, topic_counts
from lowdim.text.topics.lda.bound import (
    LEAST_PRIOR,
    document_bounds,
    expected_topics,
    log_shares,
    topics_bound,
)
from lowdim.text.topics.lda.priors import Priors, from_logs, one_from_logs


class Inner(NamedTuple):
    """How far the iterations of one document go."""

    max_iter: int
    tol: float


class State(NamedTuple):
    """What a pass over the documents starts from, for every way to learn."""

    topics: np.ndarray  # (v, k)  eta + expected counts
    gamma: np.ndarray | None  # (n, k)  alpha + expected counts; None: nothing is known yet
    priors: Priors
    n_batches: int = 0  # seen before
    perplexity: float | None = None  # when it was last evaluated


class Sums(NamedTuple):
    """What one pass adds up."""

    by_term: Any  # (v, k)  expected counts, divided by exp E log phi
    bound: float  #        of the documents
    logs: np.ndarray  # (k,)    sum of E log theta over documents with words
    documents: float  #        their number


def statistics(
    X: Any,
    B: np.ndarray,
    alpha: np.ndarray,
    inner: Inner,
    gamma: np.ndarray | None,
    weight: np.ndarray | None,
) -> tuple[Sums, np.ndarray]:
    """What one block adds up, and gamma of its documents."""
    cells = cells_of(X)
    start = spread_evenly(cells, alpha) if gamma is None else gamma
    code = encoded(cells, B, alpha, start, bayes=True, max_iter=inner.max_iter, tol=inner.tol)
    found = topic_counts(cells, code.e, B, weight)
    w = weights_of(weight, cells.n_documents)
    logs = log_shares(np.maximum(code.gamma, LEAST_PRIOR))
    bounds = document_bounds(cells, found.log_likelihood, code.gamma, logs, alpha)
    with_words = w * (cells.lengths > 0)
    sums = Sums(found.by_term, float(w @ bounds), with_words @ logs, float(with_words.sum()))
    return sums, alpha + found.by_document


class Learned(NamedTuple):
    """Which priors are learned."""

    doc: bool
    word: bool


def sums_of(*arguments: Any) -> Sums:
    """What one block adds up; see `statistics`."""
    return statistics(*arguments)[0]


def step(
    rows: Any,
    state: State,
    inner: Inner,
    learned: Learned,
    weight: np.ndarray | None,
    keep: bool = True,
) -> tuple[State, float]:
    """One pass: the state that follows, and the bound at the one before.

    Without `keep`, documents are forgotten.
    """
    topics, gamma, priors = state[:3]
    B = expected_topics(topics)
    arguments, along = (B, priors.doc, inner), (gamma, weight)
    if keep:
        sums, gamma = rows.fold_and_map(statistics, *arguments, along=along)
    else:
        sums, gamma = rows.fold(sums_of, *arguments, along=along), None
    bound = sums.bound + topics_bound(topics, priors)
    doc, word = priors
    if learned.doc and sums.documents > 0:
        doc = from_logs(doc, sums.logs / sums.documents)
    if learned.word:
        word = np.array(one_from_logs(float(word), _mean_log(B), len(B)))
    topics = np.multiply(sums.by_term, B, out=B)
    topics += word
    after = state._replace(
        topics=topics, gamma=gamma, priors=Priors(doc, word), n_batches=state.n_batches + 1
    )
    return after, bound


def _mean_log(B: np.ndarray) -> float:
    return float(np.log(np.maximum(B, np.finfo(np.float64).tiny)).mean())
