"""LDA by maximisation ("map"): one vector of shares for each document, one for each topic.

    maximise    sum_iw x_iw log sum_z theta_iz phi_zw + alpha sum log theta_iz + eta sum log phi_zw

This is the mode of the posterior in the coordinates log theta, log phi, in which a Dirichlet prior
has no peaks at the corners (MacKay 1998, Choice of basis for Laplace approximation). With alpha,
eta -> 0 it is PLSA. Passes of batches come first (`stepwise.py`), then EM over all documents:

    statistics   p(z | w, i) ~ theta_iz phi_zw;  expected counts by document and by term
    update       theta_i ~ alpha + counts by document;  phi_z ~ eta + counts by term

Two steps of EM point somewhere (SQUAREM): the third is taken from there, unless the objective is
lower there. So it never falls. Cost: O(cells k) per pass; memory: shares (n, k) and topics (k, v),
of two steps and half a step (`extrapolation.py`), and a block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.text.topics.counts import Cells, cells_of, weights_of
from lowdim.text.topics.expectation import spread_evenly, sum_of_logs, topic_counts
from lowdim.text.topics.extrapolation import Step, move_back, move_on, step_between
from lowdim.text.topics.lda.priors import (
    CountSums,
    Priors,
    count_sums,
    from_counts,
    one_from_counts,
)
from lowdim.text.topics.lda.variational import Learned, State

DECAY = 0.6  # of the rate at which batches come in
BATCHES = 20  # of a pass,
LEAST_BATCH = 64  # but of so many documents
TERMS_AT_A_TIME = 1024


def rate(t: int) -> float:
    """The part of the topics that batch t replaces."""
    return float((1.0 + t) ** -DECAY)


NO_SUMS = CountSums(np.zeros(1), 0.0)


class Sums(NamedTuple):
    """What one pass adds up."""

    by_term: Any  # (v, k)  expected counts, divided by the topics
    log_likelihood: float
    log_prior: float  #        sum alpha log theta
    for_alpha: CountSums


class Objective(NamedTuple):
    log_likelihood: float
    whole: float  # with the priors


def statistics(
    X: Any,
    topics: np.ndarray,
    total: np.ndarray,
    alpha: np.ndarray,
    learns_alpha: bool,
    gamma: np.ndarray | None,
    weight: np.ndarray | None,
) -> tuple[Sums, np.ndarray]:
    """What one block adds up, and gamma of its documents after a step.

    phi is topics / total: what terms have in common is divided out of the shares, so that no array
    of its size is made.
    """
    cells = cells_of(X)
    gamma = spread_evenly(cells, alpha) if gamma is None else gamma
    w = weights_of(weight, cells.n_documents)
    theta = shares(gamma)
    log_prior = float(w @ _log_prior(theta, alpha))
    found = topic_counts(cells, np.divide(theta, total, out=theta), topics, weight)
    by_document = found.by_document
    sums = Sums(
        found.by_term,
        float(w @ found.log_likelihood),
        log_prior,
        count_sums(by_document, alpha, w) if learns_alpha else NO_SUMS,
    )
    return sums, np.add(by_document, alpha, out=by_document)


def shares(gamma: np.ndarray) -> np.ndarray:
    """gamma by rows that sum to 1; a document without words, or prior, has even shares."""
    total = gamma.sum(axis=1, keepdims=True)
    even = np.full_like(gamma, 1.0 / gamma.shape[1])
    return np.divide(gamma, total, out=even, where=total > 0)


def log_posteriors(
    cells: Cells, log_likelihood: np.ndarray, gamma: np.ndarray, alpha: np.ndarray
) -> np.ndarray:
    """Log-likelihood of each document and prior of its shares, (b,).

    `log_likelihood` is that of `topic_counts` for e = gamma, which does not sum to 1.
    """
    total = np.where(cells.lengths > 0, gamma.sum(axis=1), 1.0)
    return log_likelihood - cells.lengths * np.log(total) + _log_prior(shares(gamma), alpha)


def _log_prior(theta: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """sum_z alpha_z log theta_z of each document, (b,)."""
    some = alpha > 0
    logs = theta[:, some]
    return np.log(logs, out=logs) @ alpha[some]


def step(
    rows: Any, state: State, learned: Learned, weight: np.ndarray | None
) -> tuple[State, Objective]:
    """One pass of EM: the state that follows, and the objective at the one before."""
    topics, gamma, priors = state[:3]
    params = (topics, topics.sum(axis=0), priors.doc, learned.doc)
    out = None if gamma is None else np.empty_like(gamma)
    sums, gamma = rows.fold_and_map(statistics, *params, along=(gamma, weight), out=out)
    objective = Objective(
        sums.log_likelihood,
        sums.log_likelihood + sums.log_prior + topics_prior(topics, priors.word),
    )
    counts = np.multiply(sums.by_term, topics, out=sums.by_term)
    doc = from_counts(priors.doc, sums.for_alpha) if learned.doc else priors.doc
    word = np.array(one_from_counts(float(priors.word), counts)) if learned.word else priors.word
    after = state._replace(
        topics=np.add(word, counts, out=counts),
        gamma=gamma if doc is priors.doc else gamma - priors.doc + doc,
        priors=Priors(doc, word),
        n_batches=state.n_batches + 1,
    )
    return after, objective


class First(NamedTuple):
    """After one step of EM."""

    once: State
    topics: Step | None  # from the start; None: no use is made of it
    gamma: Step | None
    objective: Objective  # where it started


class Second(NamedTuple):
    """After two steps of EM."""

    there: State  # where they point
    topics: Step | None  # from there back to where they led; None: it is there
    gamma: Step | None
    objective: Objective  # after the first


def first_step(rows: Any, state: State, learned: Learned, weight: np.ndarray | None) -> First:
    """One step of EM; the state before it is not needed any longer."""
    once, objective = step(rows, state, learned, weight)
    if state.gamma is None or any(learned):  # priors that move would move the objective, too
        return First(once, None, None, objective)
    assert once.gamma is not None
    topics, gamma = step_between(state.topics, once.topics), step_between(state.gamma, once.gamma)
    return First(once, topics, gamma, objective)


def second_step(rows: Any, first: First, learned: Learned, weight: np.ndarray | None) -> Second:
    """Another one, and where both point; only the result is to be used afterwards."""
    once, topics, gamma, _ = first
    twice, objective = step(rows, once, learned, weight)
    if topics is None or gamma is None:
        return Second(twice, None, None, objective)
    assert once.gamma is not None and twice.gamma is not None
    topics = move_on(topics, once.topics, twice.topics)
    gamma = move_on(gamma, once.gamma, twice.gamma, weight)
    return Second(twice, topics, gamma, objective)


def third_step(rows: Any, second: Second, learned: Learned, weight: np.ndarray | None) -> State:
    """One step from where the two before point, unless the objective is lower there.

    Only the result is to be used afterwards.
    """
    there, topics, gamma, before = second
    if topics is None or gamma is None:
        return there
    ahead, objective = step(rows, there, learned, weight)
    if objective.whole >= before.whole:
        return ahead
    assert there.gamma is not None
    move_back(there.topics, topics)
    move_back(there.gamma, gamma)
    return there


def topics_prior(topics: np.ndarray, eta: np.ndarray) -> float:
    """sum eta log phi, phi = topics by columns that sum to 1."""
    if not eta.any():
        return 0.0
    total = topics.sum(axis=0)
    if eta.ndim == 0 and topics.all():
        return float(eta) * (sum_of_logs(topics) - len(topics) * float(np.log(total).sum()))
    eta, prior = np.broadcast_to(eta, topics.shape), 0.0
    for first in range(0, len(topics), TERMS_AT_A_TIME):
        run = slice(first, first + TERMS_AT_A_TIME)
        phi = np.maximum(topics[run] / total, np.finfo(np.float64).tiny)
        prior += float((eta[run] * np.log(phi)).sum())
    return prior
