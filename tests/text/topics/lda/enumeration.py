"""All assignments of topics to the tokens of a tiny corpus, and their exact probabilities."""

from itertools import product

import numpy as np
from scipy.special import gammaln


def assignments(n_tokens, k):
    """Every z, (k ** tokens, tokens)."""
    return np.array(list(product(range(k), repeat=n_tokens)))


def log_joint(z, doc, word, alpha, beta):
    """log p(words, z) for each row of z, shares and topics integrated out; beta is (words, k)."""
    k, documents, words = len(alpha), doc.max() + 1, len(beta)
    total = np.zeros(len(z))
    for d in range(documents):
        n_dk = np.stack([(z[:, doc == d] == j).sum(axis=1) for j in range(k)], axis=1)
        total += (gammaln(n_dk + alpha) - gammaln(alpha)).sum(axis=1)
    for j in range(k):
        n_w = np.stack([(z[:, word == w] == j).sum(axis=1) for w in range(words)], axis=1)
        total += (gammaln(n_w + beta[:, j]) - gammaln(beta[:, j])).sum(axis=1)
        total += gammaln(beta[:, j].sum()) - gammaln(n_w.sum(axis=1) + beta[:, j].sum())
    return total


def transitions(log_p, z, k):
    """The matrix of one sweep, each token in turn drawn from its conditional."""
    p = np.exp(log_p - log_p.max())
    states, n_tokens = z.shape
    place = k ** np.arange(n_tokens)[::-1]
    sweep = np.eye(states)
    for i in range(n_tokens):
        base = np.arange(states) - z[:, i] * place[i]  # the state with topic 0 for token i
        to = base[:, None] + np.arange(k) * place[i]
        step = np.zeros((states, states))
        np.put_along_axis(step, to, p[to] / p[to].sum(axis=1, keepdims=True), axis=1)
        sweep = sweep @ step
    return sweep


def chi_square(found, expected):
    """The statistic of counts against expected ones of at least 5 each, and its degrees."""
    order = np.argsort(expected)
    small = np.cumsum(expected[order]) < 5.0
    rare = order[: small.sum() + 1]  # together at least 5
    rest = np.setdiff1d(np.arange(len(expected)), rare)
    rest = rest[expected[rest] >= 5.0]
    others = np.setdiff1d(np.arange(len(expected)), rest)
    observed = np.append(found[rest], found[others].sum())
    mean = np.append(expected[rest], expected[others].sum())
    return np.sum((observed - mean) ** 2 / mean), len(mean) - 1
