"""The probability of a document under given topics, shares integrated out, by sampling.

    p(w_1 .. w_N)  =  prod_i p(w_i | w_1 .. w_i-1),
    p(w_i | w_<i)  =  E sum_j phi_j,w_i (n_j + alpha_j) / (i - 1 + sum alpha),  over z_<i | w_<i

From left to right, particles hold topics z_<i of the words so far (Wallach and others, 2009,
"Evaluation methods for topic models", algorithm 3). At each word a particle first draws earlier
topics anew, then predicts the word, which multiplies its weight, and draws the word's topic. The
weights are what makes the estimate of p(w) unbiased (Buntine, 2009, "Estimating likelihoods for
topic models"), for any number of particles; where few particles have most of the weight, they
replace the others, which keeps it so. The logarithm of an unbiased estimate is too low on the
average, by about half of its relative variance; more particles make it smaller.

Words come in random order: p is the same for any, and mixed words make better particles. Random
numbers follow from a seed and the words of the document, so that its estimate does not depend on
the documents around it. Cost of a document with N words: O(N min(N, MOVES) k) for each particle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.text.topics.lda.gibbs_kernels import STEP, mixed, uniform
from lowdim.text.topics.lda.gibbs_tokens import check_whole

MOVES = 64  # earlier topics that are drawn anew at each word; they take turns
GOLDEN = 40503  # 2^16 times the golden ratio
TOKENS_AT_ONCE = 2**12  # of the documents that a thread gets


def left_to_right(
    X: Any, phi: np.ndarray, alpha: np.ndarray, n_samples: int, seed: int
) -> np.ndarray:
    """log p of each document of a block, (b,).

    Parameters
    ----------
    X : array or csr_array of shape (b, v)
        Whole counts.
    phi : ndarray of shape (v, k)
        p(term | topic), columns sum to 1.
    alpha : ndarray of shape (k,)
        Prior of the shares.
    n_samples : int
        Number of particles.
    seed : int
    """
    X = sp.csr_array(X)
    check_whole(X, "method='left-to-right'", "method='bound'")
    counts = X.data.astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(counts)])[X.indptr]
    words = np.repeat(X.indices.astype(np.int64), counts)
    phi, alpha = (np.ascontiguousarray(part, dtype=np.float64) for part in (phi, alpha))
    log_p, start = np.zeros(X.shape[0]), np.uint64(seed)
    k, longest = len(alpha), int(np.diff(ends).max(initial=0))

    def score(documents: np.ndarray) -> None:
        z = np.empty((n_samples, longest), dtype=np.int32)
        n_rk, weight, work = np.empty((n_samples, k)), np.empty(n_samples), np.empty(k)
        for d in documents:
            own, counter = shuffled(words[ends[d] : ends[d + 1]], start)
            log_p[d] = _log_p(own, phi, alpha, counter, z, n_rk, weight, work)

    pieces = np.unique(np.searchsorted(ends, np.arange(0, ends[-1] + 1, TOKENS_AT_ONCE))[1:])
    for _ in ordered_map(score, np.split(np.arange(X.shape[0]), pieces)):
        pass
    return log_p


def shuffled(words: np.ndarray, start: np.uint64) -> tuple[np.ndarray, np.uint64]:
    """The words of a document in random order, and where its random numbers go on."""
    with np.errstate(over="ignore"):
        begin = start + (mixed(words.astype(np.uint64) * STEP + start)).sum(dtype=np.uint64)
        counters = begin + STEP * np.arange(1, len(words) + 1, dtype=np.uint64)
        order = np.argsort(mixed(counters), kind="stable")
        return words[order], begin + STEP * np.uint64(len(words))


def _log_p(
    words: np.ndarray,
    phi: np.ndarray,
    alpha: np.ndarray,
    counter: np.uint64,
    z: np.ndarray,
    n_rk: np.ndarray,
    weight: np.ndarray,
    work: np.ndarray,
) -> float:
    """log p of one document, its words given one by one."""
    n_rk[:], weight[:] = 0.0, 1.0 / len(weight)
    log_p, done = 0.0, 0
    while done < len(words):
        done, more, counter = particles(
            words, done, phi, alpha, alpha.sum(), counter, z, n_rk, weight, work
        )
        log_p += more
        if done < len(words):  # few have most of the weight: as many copies as it says
            counter = np.uint64(counter)
            with np.errstate(over="ignore"):
                chosen = _chosen(float(uniform(counter)), weight)
            z[:, :done], n_rk[:] = z[chosen, :done], n_rk[chosen]
            weight[:] = 1.0 / len(weight)
    return log_p


def _chosen(u: float, weight: np.ndarray) -> np.ndarray:
    """Numbers of particles, each as often as its weight says, but for a part of 1."""
    n = len(weight)
    upto = np.cumsum(weight)
    return np.minimum(np.searchsorted(upto / upto[-1] * n, np.arange(n) + u, "right"), n - 1)


@kernel(any_order=True)
def particles(words, first, phi, alpha, alpha_sum, counter, z, n_rk, weight, work):
    """Take in the words from `first` on, until few particles have most of the weight.

    Returns how many words are in, log p of these, and where random numbers go on. If no topic has a
    word, log p is -inf, and all words are in.
    """
    n_particles, k = n_rk.shape
    log_p = 0.0
    for i in range(first, words.shape[0]):
        moves, mean, squares = (i if i < MOVES else MOVES), 0.0, 0.0
        turn = ((i * GOLDEN) & 65535) * i >> 16  # where moves begin: evenly over earlier words
        for r in range(n_particles):
            for move in range(moves + 1):  # the word at hand comes last
                place = (turn + move) % i if move < moves else i
                if move < moves:
                    n_rk[r, z[r, place]] -= 1.0
                total, w = 0.0, words[place]
                for j in range(k):
                    work[j] = (n_rk[r, j] + alpha[j]) * phi[w, j]
                    total += work[j]
                counter += STEP
                new, left = 0, uniform(counter) * total - work[0]
                while new < k - 1 and left >= 0.0:
                    new += 1
                    left -= work[new]
                z[r, place] = new
                n_rk[r, new] += 1.0
            weight[r] *= total / (i + alpha_sum)
            mean += weight[r]
        if mean <= 0.0:
            return words.shape[0], -math.inf, counter
        log_p += math.log(mean)
        for r in range(n_particles):
            weight[r] /= mean
            squares += weight[r] * weight[r]
        if squares * n_particles > 2.0:  # the weight of half of the particles, or less
            return i + 1, log_p, counter + STEP
    return words.shape[0], log_p, counter
