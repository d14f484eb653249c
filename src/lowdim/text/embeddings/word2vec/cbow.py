"""CBOW: the mean of the words near a place predicts the word at that place.

    h = mean of w over the m words near       minimise  softplus(-h.c) + k sum_v q_v softplus(h.v)

Each of the m words gets 1 / m of the gradient of h (1 if h is a sum). A few thousand places at a
time see W as it is at their beginning, in four steps:

    MEANS      h of each place
    TARGETS    C moves place by place; what h should change by is kept      parts of C apart
    CHANGES    what each word near a place changes by: a share of that
    CONTEXTS   each w moves by what the places near it have for it          parts of W apart

Up to 32 neighbouring places meet the same SHARED words of noise, each of weight k / SHARED, all
from one part of C, which is drawn by its share of q. So a row that is kept for h is written by the
one part that has the place's word, or its noise: parts can be worked on at once, in any order and
in any grouping, with the same result.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.together import finish, is_over, take
from lowdim.text.embeddings.word2vec.logistic import logistic
from lowdim.text.embeddings.word2vec.noise import add_noise, move_noise, noise_scores

MEANS, TARGETS, CHANGES = 0, 1, 2
STEPS = 4
WHOLE = 64  # numbers: a multiple of what vector instructions take at a time
LINE = 64  # bytes of memory that only one processor writes to at a time
_0, _1 = np.float32(0), np.float32(1)


def work_space(
    n_items: int, n_batch: int, n_noise: int, width: int, n_near: int
) -> tuple[np.ndarray, ...]:
    """Arrays to work in, for each item of a step; words have so many near them at the most."""
    n_scores = -(-n_batch * (n_noise + 1) // WHOLE) * WHOLE
    return (
        np.zeros((n_items, n_noise, width), dtype=np.float32),
        *np.zeros((3, n_items, n_scores), dtype=np.float32),
        np.zeros((n_items, max(n_near, n_batch, WHOLE)), dtype=np.int32),
    )


def rows_apart(n: int, width: int) -> np.ndarray:
    """Rows of zeros, float32, each in lines of memory of its own: threads write to them in turn."""
    by_line = LINE // 4
    room = -(-width // by_line) * by_line
    whole = np.zeros(n * room + by_line, dtype=np.float32)
    first = -whole.ctypes.data % LINE // 4
    return whole[first : first + n * room].reshape(n, room)


@kernel(any_order=True)
def learn_places(W, C, d, text, reach, noise, sizes, numbers, space, kept, state, begun, me):
    """Go through all places of a text, with other threads; returns the step that was come to.

    text : words, what each has near it (first, last, how many), their parts
    reach : holes, how far windows reach to the left and to the right
    noise : (batches, SHARED), rows of C; (batches,), the part that they are of
    sizes : places that see the same W, places of a batch, parts
    numbers : learning rate, weight of a word of noise, whether h is a mean
    space : arrays to work in, by item
    kept : for places that see the same W: h, what it should change by for its word and for its
        noise; by part: what words and noise lose
    state, begun, me : see `core.together`; of all items, the first that this thread takes
    """
    words, first, last, n_near, part = text
    holes, left, right = reach
    n_places, n_batch, n_parts = sizes
    rate, weight, as_mean = numbers
    N, x, sigma, cost, rows = space
    H, of_words, of_noise, loss = kept
    step, n_items = begun, state.shape[1] - 1
    while step < len(state):
        start, kind = step // STEPS * n_places, step % STEPS
        end = start + n_places if start + n_places < len(words) else len(words)
        for turn in range(n_items):
            i = me + turn if me + turn < n_items else me + turn - n_items
            if not take(state, step, i):
                continue
            parts = i * n_parts // n_items, (i + 1) * n_parts // n_items
            lo = start + (end - start) * i // n_items
            hi = start + (end - start) * (i + 1) // n_items
            if kind == MEANS:
                _means(W, d, words, first, last, n_near, holes, left, (start, lo, hi), as_mean,
                       rows[i], H)  # fmt: skip
            elif kind == TARGETS:
                _learn_targets(
                    C, H, (words, n_near, part), (start, end), parts, noise, (rate, weight),
                    (N[i], x[i], sigma[i], cost[i], rows[i]), n_batch, (of_words, of_noise, loss),
                )  # fmt: skip
            elif kind == CHANGES:
                _share(n_near, (start, lo, hi), as_mean, of_words, of_noise, C.shape[1])
            else:
                _learn_contexts(
                    W, d, words, first, last, part, holes, (left, right), (start, end), parts,
                    rows[i], of_words,
                )  # fmt: skip
            finish(state, step)
        if not is_over(state, step, begun):
            return step
        step += 1
    return step


@kernel(any_order=True, within=True)
def _means(W, d, words, first, last, n_near, holes, left, places, as_mean, near, H):
    """h of places lo, ..., hi - 1; row 0 of H is that of place `start`."""
    start, lo, hi = places
    for t in range(lo, hi):
        h, m = t - start, 0
        for f in range(H.shape[1]):
            H[h, f] = _0
        if n_near[t] == 0:
            continue
        for p in range(first[t], last[t]):
            if p != t and (len(holes) == 0 or not holes[p - t + left]):
                near[m] = words[p]
                m += 1
        _add_rows(H, h, _1 / np.float32(m) if as_mean else _1, W, near, m, d)
        for f in range(d, H.shape[1]):  # of a bias; columns that fill up a line are not read
            H[h, f] = _1


@kernel(any_order=True, within=True)
def _learn_targets(C, H, text, places, parts, noise, numbers, space, n_batch, kept):
    """Move the rows of C that are in some parts; keep what h should change by."""
    words, n_near, part = text
    drawn, drawn_part = noise
    rate, weight = numbers
    N, x, sigma, cost, row = space
    of_words, of_noise, loss = kept
    start, end = places
    n_noise, width = N.shape
    for begin in range(start, end, n_batch):
        stop = begin + n_batch if begin + n_batch < end else end
        number = begin // n_batch
        n = stop - begin if parts[0] <= drawn_part[number] < parts[1] else 0
        if n > 0:
            _take_rows(C, drawn[number], N)
        noise_scores(H, begin - start, n, N, x)
        m, shared = 0, n * n_noise
        for t in range(begin, stop):
            if n_near[t] > 0 and parts[0] <= part[t] < parts[1]:
                c, h, x0 = words[t], t - start, _0
                for f in range(width):
                    x0 += H[h, f] * C[c, f]
                x[shared + m], row[m] = -x0, t
                m += 1
        # all in whole vectors: numbers at the end may be rounded in another way
        logistic(x, -(-(shared + m) // WHOLE) * WHOLE, sigma, cost)
        for a in range(m):
            t = row[a]
            h, c, g = t - start, words[t], rate * sigma[shared + a]
            loss[part[t], 0] += cost[shared + a]
            for f in range(width):
                old = C[c, f]
                C[c, f] = old + g * H[h, f]
                of_words[h, f] = g * old
        if n == 0:  # others may be at work on this noise
            continue
        for s in range(shared, n_batch * n_noise):
            sigma[s] = _0
        for b in range(n):
            lost, there = _0, weight if n_near[begin + b] > 0 else _0
            for s in range(b * n_noise, (b + 1) * n_noise):
                lost += cost[s]
                sigma[s] *= -rate * there
            loss[drawn_part[number], 1] += lost * there
        for b in range(0, n, 2):  # H and what is kept have rows for whole batches
            h = begin + b - start
            for f in range(width):
                of_noise[h, f] = _0
                of_noise[h + 1, f] = _0
            add_noise(of_noise, h, h + 1, N, sigma, b * n_noise)
        move_noise(C, drawn, number, H, begin - start, n, sigma, N)


@kernel(within=True)
def _take_rows(C, rows, N):
    """N = the rows of C of these numbers."""
    for s in range(N.shape[0]):
        for f in range(N.shape[1]):
            N[s, f] = C[rows[s], f]


@kernel(any_order=True, within=True)
def _share(n_near, places, as_mean, of_words, of_noise, width):
    """What each word near a place changes by, for places lo, ..., hi - 1; put in `of_words`."""
    start, lo, hi = places
    for t in range(lo, hi):
        if n_near[t] > 0:
            h, share = t - start, _1 / np.float32(n_near[t]) if as_mean else _1
            for f in range(width):
                of_words[h, f] = share * (of_words[h, f] + of_noise[h, f])


@kernel(any_order=True, within=True)
def _learn_contexts(W, d, words, first, last, part, holes, reach, places, parts, near, change):
    """Move the rows of W that are in some parts by what the places near them have for them."""
    left, right = reach
    start, end = places
    lowest = start - left if start > left else 0
    highest = end + right if end + right < len(words) else len(words)
    for p in range(lowest, highest):
        if part[p] < parts[0] or part[p] >= parts[1]:
            continue
        nearest = p - right if p - right > start else start
        farthest = p + left + 1 if p + left + 1 < end else end
        m = 0
        for t in range(nearest, farthest):
            if t == p or p < first[t] or p >= last[t]:
                continue
            if len(holes) > 0 and holes[p - t + left]:
                continue
            near[m] = t - start
            m += 1
        _add_rows(W, words[p], _1, change, near, m, d)


@kernel(any_order=True, within=True)
def _add_rows(table, i, scale, of, rows, n, d):
    """table[i] += scale times the sum of n rows of another table; d columns."""
    a = 0
    while a + 4 <= n:
        r0, r1, r2, r3 = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        for f in range(d):
            table[i, f] += scale * (of[r0, f] + of[r1, f] + of[r2, f] + of[r3, f])
        a += 4
    if a + 2 <= n:
        r0, r1 = rows[a], rows[a + 1]
        for f in range(d):
            table[i, f] += scale * (of[r0, f] + of[r1, f])
        a += 2
    if a < n:
        r0 = rows[a]
        for f in range(d):
            table[i, f] += scale * of[r0, f]
