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
from lowdim.text.topics.lda.gibbs_kernels import STEP, uniform
from lowdim.text.topics.lda.gibbs_tokens import check_whole

MOVES = 64  # earlier topics that are drawn anew at each word; they take turns
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
        n_rk, work = np.empty((n_samples, k)), np.empty(k + 1)
        weight, copies = np.empty(n_samples), np.empty(n_samples, dtype=np.int64)
        for d in documents:
            own = words[ends[d] : ends[d + 1]]
            counter = np.uint64(shuffle(own, start))
            total = alpha.sum()
            log_p[d] = particles(own, phi, alpha, total, counter, z, n_rk, weight, copies, work)

    pieces = np.unique(np.searchsorted(ends, np.arange(0, ends[-1] + 1, TOKENS_AT_ONCE))[1:])
    for _ in ordered_map(score, np.split(np.arange(X.shape[0]), pieces)):
        pass
    return log_p


@kernel
def shuffle(words, counter):
    """The words of a document in random order; returns where its random numbers go on."""
    for i in range(words.shape[0]):
        counter = (counter ^ np.uint64(words[i])) * STEP + STEP
    for i in range(words.shape[0] - 1, 0, -1):
        counter += STEP
        other = int(uniform(counter) * (i + 1))
        words[i], words[other] = words[other], words[i]
    return counter


@kernel
def particles(words, phi, alpha, alpha_sum, counter, z, n_rk, weight, copies, work):
    """log p of one document, its words given one by one."""
    n_particles, k = n_rk.shape
    for r in range(n_particles):
        weight[r] = 1.0 / n_particles
        for j in range(k):
            n_rk[r, j] = 0.0
    log_p, at = 0.0, 0
    for i in range(words.shape[0]):
        moves, mean = (i if i < MOVES else MOVES), 0.0
        for r in range(n_particles):
            for move in range(moves):
                earlier = (at + move) % i
                n_rk[r, z[r, earlier]] -= 1.0
                counter += STEP
                new = draw(phi, words[earlier], n_rk, r, alpha, uniform(counter), work)
                z[r, earlier] = new
                n_rk[r, new] += 1.0
            counter += STEP
            new = draw(phi, words[i], n_rk, r, alpha, uniform(counter), work)
            z[r, i] = new
            n_rk[r, new] += 1.0
            weight[r] *= work[k] / (i + alpha_sum)
            mean += weight[r]
        at = (at + moves) % (i + 1)
        if mean <= 0.0:  # a word that no topic has
            return -math.inf
        log_p += math.log(mean)
        squares = 0.0
        for r in range(n_particles):
            weight[r] /= mean
            squares += weight[r] * weight[r]
        if squares * n_particles > 2.0:  # the weight of half of the particles, or less
            counter += STEP
            replace_light(uniform(counter), weight, copies, z, i + 1, n_rk)
    return log_p


@kernel(any_order=True)
def draw(phi, w, n_rk, r, alpha, u, work):
    """A topic for word w; the sum of the probabilities is left behind the last one in `work`."""
    k, total = alpha.shape[0], 0.0
    for j in range(k):
        work[j] = (n_rk[r, j] + alpha[j]) * phi[w, j]
        total += work[j]
    work[k] = total
    new, left = 0, u * total - work[0]
    while new < k - 1 and left >= 0.0:
        new += 1
        left -= work[new]
    return new


@kernel
def replace_light(u, weight, copies, z, length, n_rk):
    """As many copies of each particle as its weight says, in the places of light ones."""
    n = weight.shape[0]
    sums, taken = 0.0, 0
    for r in range(n):
        sums += weight[r] * n
        copies[r] = 0
        while taken < n and (taken + u < sums or r == n - 1):
            copies[r] += 1
            taken += 1
    free = 0
    for r in range(n):
        weight[r] = 1.0 / n
        while copies[r] > 1:
            while copies[free] > 0:
                free += 1
            for i in range(length):
                z[free, i] = z[r, i]
            for j in range(n_rk.shape[1]):
                n_rk[free, j] = n_rk[r, j]
            copies[r] -= 1
            copies[free] = 1
