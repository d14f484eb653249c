"""Dirichlet priors from counts, by Minka's fixed point.

Counts n_dj of documents d over topics j, with shares theta_d ~ Dirichlet(alpha) integrated out,
have the log evidence (G is the gamma function, psi its logarithmic derivative, a = sum_j alpha_j)

    sum_d [ log G(a) - log G(N_d + a) + sum_j log G(n_dj + alpha_j) - log G(alpha_j) ].

One step of the fixed point never lowers it (Minka, 2000, "Estimating a Dirichlet distribution",
equation 55):

    alpha_j <- alpha_j  sum_d [psi(n_dj + alpha_j) - psi(alpha_j)] / sum_d [psi(N_d + a) - psi(a)].

The sums go over different values of n_dj and N_d, each with how often it occurs (`Occurring`):
some hundred terms, however many documents there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from lowdim.text.topics.lda.priors import LEAST, MOST, CountSums, from_counts

STEPS, TOLERANCE = 100, 1e-4


class Occurring(NamedTuple):
    """Different pairs (group, count) with count > 0, and how often each occurs."""

    group: np.ndarray  # the topic; for lengths of documents 0
    count: np.ndarray
    times: np.ndarray


def occurring(tables: Iterable[np.ndarray]) -> Occurring:
    """The counts in tables (rows, groups) of whole numbers, taken together."""
    keys, times = [], []
    base = 2**32
    for table in tables:
        row, group = np.nonzero(table)
        key, number = np.unique(group * base + table[row, group], return_counts=True)
        keys.append(key)
        times.append(number)
    key, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    number = np.bincount(inverse, weights=np.concatenate(times), minlength=len(key))
    return Occurring(key // base, key % base, number)


def learn_asymmetric(alpha: np.ndarray, counts: Occurring, length: np.ndarray) -> np.ndarray:
    """alpha, (k,), at which counts of the topics in documents of these lengths are likeliest."""
    total = occurring([length[:, None]])
    for _ in range(STEPS if counts.times.size else 0):
        gain = digamma(counts.count + alpha[counts.group]) - digamma(alpha[counts.group])
        up = np.bincount(counts.group, counts.times * gain, minlength=len(alpha))
        moved = from_counts(alpha, CountSums(up, _growth(total, alpha.sum())))
        done = np.abs(moved - alpha).max() <= TOLERANCE * alpha.max()
        alpha = moved
        if done:
            break
    return alpha


def learn_symmetric(beta: float, counts: Occurring, length: np.ndarray, n_words: int) -> float:
    """The same for one number: counts of `n_words` words in topics of these lengths."""
    total = occurring([length[:, None]])
    for _ in range(STEPS if counts.times.size else 0):
        up = counts.times @ (digamma(counts.count + beta) - digamma(beta))
        moved = np.clip(beta * up / (n_words * _growth(total, n_words * beta)), LEAST, MOST)
        done = abs(moved - beta) <= TOLERANCE * beta
        beta = moved
        if done:
            break
    return float(beta)


def _growth(total: Occurring, a: float) -> float:
    return float(total.times @ (digamma(total.count + a) - digamma(a)))
