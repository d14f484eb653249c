"""LDA by maximisation ("map"): one vector of shares for each document, one for each topic.

    maximise    sum_iw x_iw log sum_z theta_iz phi_zw + alpha sum log theta_iz + eta sum log phi_zw

This is the mode of the posterior in the coordinates log theta, log phi, in which a Dirichlet prior
has no peaks at the corners (MacKay 1998, Choice of basis for Laplace approximation). With alpha,
eta -> 0 it is PLSA. Passes of batches come first (`stepwise.py`), then EM over all documents:

    statistics   p(z | w, i) ~ theta_iz phi_zw;  expected counts by document and by term
    update       theta_i ~ alpha + counts by document;  phi_z ~ eta + counts by term

Two steps of EM point somewhere (SQUAREM): the third is taken from there, unless the objective is
lower there. So it never falls. Cost: O(cells k) per pass; memory: shares (n, k) and topics (k, v),
of three steps, and a block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.text.topics.counts import Cells, cells_of, weights_of
from lowdim.text.topics.expectation import spread_evenly, sum_of_logs, topic_counts
from lowdim.text.topics.extrapolation import pointed
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


def rate(t: int) -> float:
    """The part of the topics that batch t replaces."""
    return float((1.0 + t) ** -DECAY)


NO_SUMS = CountSums(np.zeros(1), 0.0)


class Sums(NamedTuple):
    """What one pass adds up."""

    by_term: np.ndarray  # (v, k)  expected counts, divided by phi
    log_likelihood: float
    log_prior: float  #        sum alpha log theta
    for_alpha: CountSums


class Objective(NamedTuple):
    log_likelihood: float
    whole: float  # with the priors


def statistics(
    X: Any,
    phi: np.ndarray,
    alpha: np.ndarray,
    learns_alpha: bool,
    gamma: np.ndarray | None,
    weight: np.ndarray | None,
) -> tuple[Sums, np.ndarray]:
    """What one block adds up, and gamma of its documents after a step."""
    cells = cells_of(X)
    gamma = spread_evenly(cells, alpha) if gamma is None else gamma
    w = weights_of(weight, cells.n_documents)
    theta = shares(gamma)
    found = topic_counts(cells, theta, phi, weight)
    sums = Sums(
        found.by_term,
        float(w @ found.log_likelihood),
        float(w @ _log_prior(theta, alpha)),
        count_sums(found.by_document, alpha, w) if learns_alpha else NO_SUMS,
    )
    return sums, alpha + found.by_document


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
    return np.log(theta[:, some]) @ alpha[some]


def step(
    rows: Any, state: State, learned: Learned, weight: np.ndarray | None
) -> tuple[State, Objective]:
    """One pass of EM: the state that follows, and the objective at the one before."""
    topics, gamma, priors = state[:3]
    phi = topics / topics.sum(axis=0)
    sums, gamma = rows.fold_and_map(statistics, phi, priors.doc, learned.doc, along=(gamma, weight))
    counts = sums.by_term * phi
    objective = Objective(
        sums.log_likelihood,
        sums.log_likelihood + sums.log_prior + topics_prior(phi, priors.word),
    )
    doc = from_counts(priors.doc, sums.for_alpha) if learned.doc else priors.doc
    word = np.array(one_from_counts(float(priors.word), counts)) if learned.word else priors.word
    after = state._replace(
        topics=word + counts,
        gamma=gamma - priors.doc + doc,
        priors=Priors(doc, word),
        n_batches=state.n_batches + 1,
    )
    return after, objective


def iteration(
    rows: Any, state: State, learned: Learned, weight: np.ndarray | None
) -> tuple[State, Objective]:
    """Two steps of EM and one from where they point; the objective where it started."""
    once, objective = step(rows, state, learned, weight)
    twice, second = step(rows, once, learned, weight)
    if state.gamma is None or any(learned):
        return twice, objective
    assert once.gamma is not None and twice.gamma is not None
    there = twice._replace(
        topics=pointed(state.topics, once.topics, twice.topics),
        gamma=pointed(state.gamma, once.gamma, twice.gamma, weight),
    )
    del once  # of three steps, shares of documents are the most that is in memory
    ahead, third = step(rows, there, learned, weight)
    return (ahead if third.whole >= second.whole else twice), objective


def topics_prior(phi: np.ndarray, eta: np.ndarray) -> float:
    """sum eta log phi."""
    if not eta.any():
        return 0.0
    phi = np.maximum(phi, np.finfo(np.float64).tiny)
    return float(eta) * sum_of_logs(phi) if eta.ndim == 0 else float((eta * np.log(phi)).sum())
