"""How likely documents are under LDA: bounds. `left_to_right.py` has an estimate by sampling.

    log p(x_i)  = log  integral Dirichlet(theta; alpha) prod_w (sum_z theta_z phi_zw)^x_iw  dtheta
               >= sum_w x_iw log sum_z e_iz phi_zw  +  E_q log Dirichlet(theta; alpha) - E_q log q

with q = Dirichlet(gamma_i) and e = exp E_q log theta. If phi is not known but has itself a
posterior Dirichlet(lambda_z), phi_zw is exp E log phi_zw in this, and the topics add E log p(phi;
eta) - E log q(phi): then it is the bound that variational Bayes maximises.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, psi

from lowdim.text.topics.counts import Cells, cells_of
from lowdim.text.topics.expectation import document_counts, encoded, exp_digamma, spread_evenly
from lowdim.text.topics.lda.priors import Priors

TERMS_AT_A_TIME = 1024
LEAST_PRIOR = 1e-100  # a prior of 0, where its logarithm is asked for


def expected_topics(topics: np.ndarray, total: np.ndarray | None = None) -> np.ndarray:
    """exp E log phi of topics with the posterior Dirichlet(topics), by terms (v, k).

    total : their sums over all terms, (k,); None: these are all terms
    """
    expected = exp_digamma(topics)
    expected *= scale_of(topics.sum(axis=0) if total is None else total)
    return expected


def scale_of(total: np.ndarray) -> np.ndarray:
    """What all terms of a topic have in common in this, (k,)."""
    return np.exp(-psi(total))


def log_shares(gamma: np.ndarray) -> np.ndarray:
    """E log theta of documents (b, k)."""
    return psi(gamma) - psi(gamma.sum(axis=1))[:, None]


def document_bounds(
    cells: Cells,
    log_likelihood: np.ndarray,
    gamma: np.ndarray,
    logs: np.ndarray,
    alpha: np.ndarray,
) -> np.ndarray:
    """The bound of each document, (b,).

    `log_likelihood` is that of `topic_counts` for e = exp(digamma(gamma)), which lacks the same
    factor in all topics; `logs` are E log theta.
    """
    alpha, gamma = np.maximum(alpha, LEAST_PRIOR), np.maximum(gamma, LEAST_PRIOR)
    total = gamma.sum(axis=1)
    words = log_likelihood - cells.lengths * psi(total)
    prior = ((alpha - gamma) * logs).sum(axis=1) + (gammaln(gamma) - gammaln(alpha)).sum(axis=1)
    return words + prior + gammaln(alpha.sum()) - gammaln(total)


def topics_bound(topics: np.ndarray, priors: Priors) -> float:
    """E log p(phi; eta) - E log q(phi) of topics with the posterior Dirichlet(topics), (v, k)."""
    eta = np.broadcast_to(np.maximum(priors.word, LEAST_PRIOR), topics.shape)
    total, eta_total = topics.sum(axis=0), eta.sum(axis=0)
    bound = float((gammaln(eta_total) - gammaln(total)).sum())
    for first in range(0, len(topics), TERMS_AT_A_TIME):
        own, prior = (part[first : first + TERMS_AT_A_TIME] for part in (topics, eta))
        bound += float(((prior - own) * (psi(own) - psi(total))).sum())
        bound += float((gammaln(own) - gammaln(prior)).sum())
    return bound


def bounds(X: Any, B: np.ndarray, alpha: np.ndarray, max_iter: int, tol: float) -> np.ndarray:
    """The bound of each document of a block, given what terms say of topics, B (v, k)."""
    cells = cells_of(X)
    start = spread_evenly(cells, alpha)
    code = encoded(cells, B, alpha, start, bayes=True, max_iter=max_iter, tol=tol)
    found = document_counts(cells, code.e, B)
    logs = log_shares(np.maximum(code.gamma, LEAST_PRIOR))
    return document_bounds(cells, found.log_likelihood, code.gamma, logs, alpha)
