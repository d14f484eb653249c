"""CBOW: the mean of the words near a place predicts the word at that place.

    h = mean of w over the m words near       minimise  softplus(-h.c) + k sum_v q_v softplus(h.v)

Each of the m words gets 1 / m of the gradient of h (1 if h is a sum). A few thousand places at a
time see W as it is at their beginning:

    1. h of each place
    2. C moves place by place; what h should change by is kept    parts of C apart
    3. what each word near a place changes by: a share of that
    4. each w moves by what the places near it have for it        parts of W apart

Up to 32 neighbouring places meet the same SHARED words of noise, each of weight k / SHARED, all
from one part of C, which is drawn by its share of q. So a row that is kept for h is written by the
one part that has the place's word, or its noise: parts can be worked on at once, in any order and
in any grouping, with the same result.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.text.embeddings.word2vec.logistic import logistic
from lowdim.text.embeddings.word2vec.noise import add_noise, move_noise, noise_scores

WHOLE = 64  # numbers: a multiple of what vector instructions take at a time


def work_space(n_batch: int, n_noise: int, width: int) -> tuple[np.ndarray, ...]:
    """Arrays to work in."""
    return (
        np.zeros((n_noise, width), dtype=np.float32),
        *np.zeros((3, -(-n_batch * (n_noise + 1) // WHOLE) * WHOLE), dtype=np.float32),
        np.empty(n_batch, dtype=np.int32),
    )


@kernel(any_order=True)
def context_means(W, d, words, first, last, n_near, holes, left, places, as_mean, H):
    """h of places lo, ..., hi - 1; row 0 of H is that of place `start`."""
    start, lo, hi = places
    width = H.shape[1]
    for t in range(lo, hi):
        row, other = t - start, -1
        for f in range(width):
            H[row, f] = np.float32(0)
        if n_near[t] == 0:
            continue
        for p in range(first[t], last[t]):
            if p != t and (len(holes) == 0 or not holes[p - t + left]):
                w = words[p]
                if other >= 0:  # two rows at a time
                    for f in range(d):
                        H[row, f] += W[w, f] + W[other, f]
                    other = -1
                else:
                    other = w
        share = np.float32(1) / np.float32(n_near[t]) if as_mean else np.float32(1)
        if other >= 0:
            for f in range(d):
                H[row, f] = share * (H[row, f] + W[other, f])
        else:
            for f in range(d):
                H[row, f] *= share
        for f in range(d, width):
            H[row, f] = np.float32(1)


@kernel(any_order=True)
def learn_targets(C, H, text, places, parts, noise, rate, weight, space, kept):
    """Move the rows of C that are in some parts; keep what h should change by.

    text : words, how many each has near it, their parts
    places : start, end; row 0 of H, and of the arrays that keep, is that of place `start`
    parts : first of the parts, and the first that is not among them
    noise : (batches, SHARED), rows of C; (batches,), the part that they are of
    kept : what h should change by, for its word and for its noise; what both of them lose
    """
    words, n_near, part = text
    drawn, drawn_part = noise
    N, x, sigma, cost, row = space
    from_words, from_noise, loss = kept
    start, end = places
    n_batch, width, n_noise = len(row), H.shape[1], N.shape[0]
    for begin in range(start, end, n_batch):
        stop = begin + n_batch if begin + n_batch < end else end
        number = begin // n_batch
        n = stop - begin if parts[0] <= drawn_part[number] < parts[1] else 0
        for s in range(n_noise if n > 0 else 0):
            c = drawn[number, s]
            for f in range(width):
                N[s, f] = C[c, f]
        noise_scores(H, begin - start, n, N, x)
        m, shared = 0, n * n_noise
        for t in range(begin, stop):
            if n_near[t] > 0 and parts[0] <= part[t] < parts[1]:
                c, x0 = words[t], np.float32(0)
                for f in range(width):
                    x0 += H[t - start, f] * C[c, f]
                x[shared + m], row[m] = -x0, t
                m += 1
        # all in whole vectors: numbers at the end may be rounded in another way
        logistic(x, -(-(shared + m) // WHOLE) * WHOLE, sigma, cost)
        for a in range(m):
            t = row[a]
            h, c, g = t - start, words[t], rate * sigma[shared + a]
            loss[h, 0] = cost[shared + a]
            for f in range(width):
                old = C[c, f]
                C[c, f] = old + g * H[h, f]
                from_words[h, f] = g * old
        for s in range(shared, n_batch * n_noise):
            sigma[s] = np.float32(0)
        for b in range(n):
            h, lost = begin + b - start, np.float32(0)
            there = weight if n_near[begin + b] > 0 else np.float32(0)
            for s in range(b * n_noise, (b + 1) * n_noise):
                lost += cost[s]
                sigma[s] *= -rate * there
            loss[h, 1] = lost * there
        for b in range(0, n, 2):  # H and what is kept have rows for whole batches
            h = begin + b - start
            for f in range(width):
                from_noise[h, f] = np.float32(0)
                from_noise[h + 1, f] = np.float32(0)
            add_noise(from_noise, h, h + 1, N, sigma, b * n_noise)
        move_noise(C, drawn, number, H, begin - start, n, sigma, N)


@kernel(any_order=True)
def shared_changes(n_near, places, as_mean, from_words, from_noise):
    """What each word near a place changes by, for places lo, ..., hi - 1; put in `from_words`."""
    start, lo, hi = places
    width = from_words.shape[1]
    for t in range(lo, hi):
        if n_near[t] == 0:
            continue
        share = np.float32(1) / np.float32(n_near[t]) if as_mean else np.float32(1)
        for f in range(width):
            from_words[t - start, f] = share * (from_words[t - start, f] + from_noise[t - start, f])


@kernel(any_order=True)
def learn_contexts(W, d, words, first, last, part, holes, reach, places, parts, change):
    """Move the rows of W that are in some parts by what the places near them have for them."""
    start, end = places
    left, right = reach
    lowest = start - left if start > left else 0
    highest = end + right if end + right < len(words) else len(words)
    for p in range(lowest, highest):
        if part[p] < parts[0] or part[p] >= parts[1]:
            continue
        w, other = words[p], -1
        nearest = p - right if p - right > start else start
        farthest = p + left + 1 if p + left + 1 < end else end
        for t in range(nearest, farthest):
            if t == p or p < first[t] or p >= last[t]:
                continue
            if len(holes) > 0 and holes[p - t + left]:
                continue
            row = t - start
            if other >= 0:  # two rows at a time
                for f in range(d):
                    W[w, f] += change[row, f] + change[other, f]
                other = -1
            else:
                other = row
        if other >= 0:
            for f in range(d):
                W[w, f] += change[other, f]
