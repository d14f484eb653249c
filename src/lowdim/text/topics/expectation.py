"""The expectation step that all topic models share: which topic does each word come from?

    p(z | word w, document i) = e_iz B_wz / sum_z e_iz B_wz

e is what a document says of its topics, B what a word says of its topics (terms x topics: the
topics of a word lie side by side). What e and B are makes the model:

    PLSA          e = p(z | i),              B = p(w | z)
    LDA "map"     the same
    LDA "batch"   e = exp E log theta_iz,    B = exp E log phi_zw

All that a model needs of these probabilities are their sums over a document, over a term, and the
logarithm of the denominator: two kernels over stored cells add them up. No array over (topic,
document, word) is made. One pass costs O(cells k).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.text.topics.counts import Cells, weights_of

SHIFTED_BY = 16.0  # exp(digamma) is its series from here on


class TopicCounts(NamedTuple):
    """What one look at documents gives."""

    by_term: np.ndarray  # (v, k)  sum over documents of weight x p(z | w, i), divided by B
    by_document: np.ndarray  # (b, k)  sum over terms of x p(z | w, i)
    log_likelihood: np.ndarray  # (b,)    sum over terms of x log sum_z e_iz B_wz


def topic_counts(
    cells: Cells, e: np.ndarray, B: np.ndarray, weight: np.ndarray | None
) -> TopicCounts:
    """Expected counts of topics, by term and by document, and what the documents' words cost."""
    n, k = e.shape
    by_term, by_document, log_likelihood = np.zeros(B.shape), np.empty((n, k)), np.empty(n)
    w = weights_of(weight, n)
    _count_topics(*cells, e, B, w, np.empty(k), by_term, by_document, log_likelihood)
    return TopicCounts(by_term, by_document, log_likelihood)


class Encoded(NamedTuple):
    """Documents by their topics."""

    gamma: np.ndarray  # (b, k)  prior + expected counts of topics
    e: np.ndarray  # (b, k)  exp(digamma(gamma)), or gamma itself


def encoded(
    cells: Cells,
    B: np.ndarray,
    prior: np.ndarray,
    start: np.ndarray,
    *,
    bayes: bool,
    max_iter: int,
    tol: float,
) -> Encoded:
    """Iterate gamma = prior + expected counts, with e of gamma, document by document.

    Parameters
    ----------
    cells : Cells
    B : array of shape (v, k)
    prior : array of shape (k,)
    start : array of shape (b, k)
        gamma to start from.
    bayes : bool
        Whether e = exp(digamma(gamma)); else e = gamma.
    max_iter : int
        Iterations for each document, at the most.
    tol : float
        Stop when the mean change over the topics of a document is at most this.
    """
    gamma = np.array(start, dtype=np.float64, order="C")
    e = np.empty(gamma.shape)
    part = np.empty(gamma.shape[1])
    _encode(*cells, B, prior, bayes, max_iter, tol, part, gamma, e)
    return Encoded(gamma, e)


def spread_evenly(cells: Cells, prior: np.ndarray) -> np.ndarray:
    """A start for documents of which nothing is known: their words evenly over the topics."""
    return prior + cells.lengths[:, None] / len(prior)


def exp_digamma(x: np.ndarray) -> np.ndarray:
    """exp(digamma(x)) of an array of positive numbers; relative error below 1e-11.

    Its own asymptotic series in 1 / (x - 1/2), after six steps of digamma(x + 1) = digamma(x) +
    1/x for small x: one exponential in place of two functions.
    """
    x = np.ascontiguousarray(x, dtype=np.float64)
    values = np.empty(x.shape)
    _exp_digamma_of(x.ravel(), values.reshape(-1))
    return values


def sum_of_logs(x: np.ndarray) -> float:
    """sum log x of positive numbers, with one logarithm for many of them."""
    return float(_sum_of_logs(np.ascontiguousarray(x, dtype=np.float64).ravel()))


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _exp_digamma(x):
    """See `exp_digamma`."""
    y, less = x - 0.5, 0.0
    if x < SHIFTED_BY:
        # 1/x + ... + 1/(x + 5), two by two: x (x + 5) = q, (x + 1)(x + 4) = q + 4, ... = q + 6
        q = x * (x + 5.0)
        pairs = (3.0 * q + 20.0) * q + 24.0
        less = (2.0 * x + 5.0) * pairs / (q * (q + 4.0) * (q + 6.0))
        y = x + 5.5
    t = 1.0 / (y * y)
    # coefficients of exp(digamma(y + 1/2)) / y in t: rational numbers, from Bernoulli's
    series = -0.020734675824368137 * t + 0.007365033269308669
    series = (series * t - 0.0039535574489730305) * t + 0.003552482914462081
    series = (series * t - 0.006423611111111111) * t + 0.041666666666666664
    value = y * (series * t + 1.0)
    return value if less == 0.0 else value * np.exp(-less)


@kernel
def _exp_digamma_of(x, values):
    for i in range(len(x)):
        values[i] = _exp_digamma(x[i])


@kernel
def _sum_of_logs(x):
    total, product = 0.0, 1.0
    for i in range(len(x)):
        if x[i] < 1e-100:
            total += np.log(x[i])
        else:
            product *= x[i]
            if product < 1e-150 or product > 1e150:
                total += np.log(product)
                product = 1.0
    return total + np.log(product)


@kernel(any_order=True)
def _encode(indptr, terms, counts, B, prior, bayes, max_iter, tol, part, gamma, e):
    n, k = gamma.shape
    for i in range(n):
        for z in range(k):
            e[i, z] = _exp_digamma(gamma[i, z]) if bayes else gamma[i, z]
        for _ in range(max_iter):
            for z in range(k):
                part[z] = 0.0
            for j in range(indptr[i], indptr[i + 1]):
                w = terms[j]
                p = 0.0
                for z in range(k):
                    p += e[i, z] * B[w, z]
                ratio = counts[j] / p if p > 0.0 else 0.0
                for z in range(k):
                    part[z] += ratio * B[w, z]
            change = 0.0
            for z in range(k):
                new = prior[z] + e[i, z] * part[z]
                change += abs(new - gamma[i, z])
                gamma[i, z] = new
                e[i, z] = _exp_digamma(new) if bayes else new
            if change <= tol * k:
                break


@kernel(any_order=True)
def _count_topics(indptr, terms, counts, e, B, weight, part, by_term, by_document, log_likelihood):
    n, k = e.shape
    for i in range(n):
        for z in range(k):
            part[z] = 0.0
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            w, x = terms[j], counts[j]
            p = 0.0
            for z in range(k):
                p += e[i, z] * B[w, z]
            total += x * np.log(p) if x > 0.0 else 0.0
            ratio = x / p if p > 0.0 else 0.0
            weighted = weight[i] * ratio
            for z in range(k):
                part[z] += ratio * B[w, z]
                by_term[w, z] += weighted * e[i, z]
        for z in range(k):
            by_document[i, z] = e[i, z] * part[z]
        log_likelihood[i] = total
