"""Skip-gram: a word predicts each word near it.

    minimise  sum over pairs (w, c)  softplus(-w.c) + k sum_v q_v softplus(w.v)

Words of both tables are in `n_parts` parts. What has its word in part i and its context in part j
is block (i, j): blocks (i, i + r mod n_parts) share no row, so they are worked on at once, in any
order, with the same result; then r moves on. Within a block, up to 32 visits of words one after
the other meet the same SHARED words of noise, drawn from part j, each of weight m k q_j / SHARED,
where the word has m words near it and part j the share q_j of q: scores and both gradients are
small products of matrices.

A visit has at most MOST_NEAR words that it predicts, so that wide windows are many small steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.text.embeddings.word2vec.logistic import logistic
from lowdim.text.embeddings.word2vec.near import Reach, Stretch
from lowdim.text.embeddings.word2vec.noise import add_noise, move_noise, noise_scores

MOST_NEAR = 4


class Visits(NamedTuple):
    """What a block learns from, one visit of a word after the other."""

    word: np.ndarray  # int32, row of W
    share: np.ndarray  # float32, m words near it; over several visits of one place, in equal parts
    begin: np.ndarray  # int32, one more than visits: where what a visit predicts begins in
    near: np.ndarray  # int32, rows of C


def visits_of(text: Stretch, part: np.ndarray, reach: Reach, places: np.ndarray, j: int) -> Visits:
    """Visits of the words at some places, with what is near them and in part j."""
    most = int(text.n_near[places].sum(dtype=np.int64))
    most_visits = len(places) + most // MOST_NEAR + 3
    visits = Visits(
        np.empty(most_visits, dtype=np.int32),
        np.empty(most_visits, dtype=np.float32),
        np.empty(most_visits + 1, dtype=np.int32),
        np.empty(most, dtype=np.int32),
    )
    n = find_visits(*text, part, reach.holes, reach.left, places, j, *visits)
    word, share, begin, near = visits
    return Visits(word[:n], share[:n], begin[: n + 1], near[: begin[n]])


def work_space(n_batch: int, n_noise: int, width: int) -> tuple[np.ndarray, ...]:
    """Arrays to work in: rows, what they move by, rows of noise, scores."""
    n_scores = n_batch * (n_noise + MOST_NEAR)
    return (
        *np.zeros((2, n_batch, width), dtype=np.float32),
        np.zeros((n_noise, width), dtype=np.float32),
        *np.zeros((3, n_scores), dtype=np.float32),
    )


@kernel
def find_visits(words, first, last, n_near, part, holes, left, places, j, word, share, begin, near):
    """Fill in `Visits`; returns how many there are."""
    n, m = 0, 0
    begin[0] = 0
    for t in places:
        before, start = n, m
        for p in range(first[t], last[t]):
            if part[p] == j and p != t and (len(holes) == 0 or not holes[p - t + left]):
                near[m] = words[p]
                m += 1
                if (m - start) % MOST_NEAR == 0:
                    n += 1
                    begin[n] = m
        if n == before or begin[n] < m:
            n += 1
            begin[n] = m
        for visit in range(before, n):
            word[visit] = words[t]
            share[visit] = n_near[t] / np.float32(n - before)
    while n % 4 != 0:  # `learn_visits` takes them by four
        word[n], share[n], begin[n + 1] = word[0], np.float32(0), m
        n += 1
    return n


@kernel(any_order=True)
def learn_visits(W, C, d, word, share, begin, near, noise, rate, weight, space, sums):
    """Learn from visits, as many at a time as H has rows: a multiple of 4.

    d : columns of W that are learned; one more is that of the bias, which counts as 1
    noise : (batches, SHARED), rows of C
    rate, weight : learning rate, and k q_j / SHARED
    sums : loss, number of pairs; added to
    """
    H, M, N, x, sigma, cost = space
    n_batch, width, n_noise = H.shape[0], H.shape[1], N.shape[0]
    for start in range(0, len(word), n_batch):
        n = n_batch if start + n_batch < len(word) else len(word) - start
        number, shared = start // n_batch, n * n_noise
        first, m = begin[start], begin[start + n] - begin[start]
        for b in range(n):
            w = word[start + b]  # not in the loop: for the compiler, writes might change it
            for f in range(width):
                H[b, f] = W[w, f]
                M[b, f] = np.float32(0)
            if d < width:
                H[b, d] = np.float32(1)
        for s in range(n_noise):
            c = noise[number, s]
            for f in range(width):
                N[s, f] = C[c, f]
        # scores: of the noise, then -w.c of the pairs
        noise_scores(H, 0, n, N, x)
        for b in range(n):
            for a in range(begin[start + b], begin[start + b + 1]):
                c, x0 = near[a], np.float32(0)
                for f in range(width):
                    x0 += H[b, f] * C[c, f]
                x[shared + a - first] = -x0
        logistic(x, shared + m, sigma, cost)
        # both tables move: first by the pairs, then by the noise
        lost = 0.0
        for b in range(n):
            scale, of_noise = weight * share[start + b], np.float32(0)
            for a in range(begin[start + b], begin[start + b + 1]):
                c, g = near[a], rate * sigma[shared + a - first]
                lost += cost[shared + a - first]
                for f in range(width):
                    old = C[c, f]
                    C[c, f] = old + g * H[b, f]
                    M[b, f] += g * old
            for s in range(b * n_noise, (b + 1) * n_noise):
                of_noise += cost[s]
                sigma[s] *= -rate * scale
            lost += of_noise * scale
        for b in range(0, n, 2):
            add_noise(M, b, b + 1, N, sigma, b * n_noise)
        for b in range(n):
            w = word[start + b]
            for f in range(width):
                W[w, f] += M[b, f]
        move_noise(C, noise, number, H, 0, n, sigma, N)
        sums[0] += lost
        sums[1] += m
