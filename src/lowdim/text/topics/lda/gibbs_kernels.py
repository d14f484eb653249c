"""The loops of the Gibbs sampler: one sweep over a block of documents, and counts.

For a token of word w in document d, with the token itself left out of all counts,

    p(z = j)  ~  (n_dj + alpha_j) phi_j,      phi_j = (n_wj + beta_wj) / (n_j + sum_w beta_wj).

The tokens of a block come word by word. So `phi` belongs to the word at hand: it is made when the
word begins, in O(k), and then a token changes it in two places, those of its old and of its new
topic. What is left for a token is a product of the document's counts with `phi`:

    sweep_dense     over all topics, as vector instructions: O(k)
    sweep_sparse    n_dj phi_j over the topics of the document, and alpha_j phi_j over all of them,
                    whose sum is kept up to date: O(topics of the document), and O(k) only when the
                    draw falls into the second part

Both draw from the same distribution, with the counts of the block as they are at that moment.
`totals` are p(w | everything else), as it was when each token was drawn, without the denominators
of the documents: they are there anyway.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_0, _1, _27, _30, _31, _32, _40 = (np.uint64(number) for number in (0, 1, 27, 30, 31, 32, 40))


def padded_width(k):
    """Length of arrays over topics, with zeros at the end: what vector instructions like best.

    `pick` needs a multiple of 8. Some others are up to 30% slower at 50 topics.
    """
    step = 8 if k <= 24 else 64 if k <= 64 else 16
    return -(-k // step) * step


def mixed(counter):
    """Random bits from a counter that moves on by STEP, or an array of them (SplitMix64)."""
    x = (counter ^ (counter >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return x ^ (x >> _31)


@kernel(within=True)
def uniform(counter):
    """A number in [0, 1) from the same bits."""
    x = (counter ^ (counter >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return np.float32(np.int32((x ^ (x >> _31)) >> _40)) * np.float32(2.0**-24)


@kernel(any_order=True, within=True)
def begin_word(w, n_wk, beta, inverse, alpha, n_w, b, phi):
    """Counts, prior and `phi` of word w; returns sum_j alpha_j phi_j.

    A prior that all words have is in `b` already.
    """
    k, smooth = n_wk.shape[1], np.float32(0.0)
    if beta.shape[0] > 1:
        for j in range(k):
            b[j] = beta[w, j if beta.shape[1] > 1 else 0]
    for j in range(k):
        n_w[j] = n_wk[w, j]
        phi[j] = (np.float32(n_wk[w, j]) + b[j]) * inverse[j]
        smooth += alpha[j] * phi[j]
    return smooth


@kernel(any_order=True)
def sweep_dense(
    doc, z, ptr, first, n_wk, n_k, alpha, beta, beta_sum, counter, n_dk, n_w, b, inverse, phi, p,
    totals,
):  # fmt: skip
    """Draw the topics `z` of a block anew; all arrays over topics are padded with zeros."""
    k, begin, one, read = n_wk.shape[1], ptr[0], np.float32(1.0), 0
    for w in range(ptr.shape[0] - 1):
        if ptr[w] == ptr[w + 1]:
            continue
        begin_word(w, n_wk, beta, inverse, alpha, n_w, b, phi)
        for t in range(ptr[w], ptr[w + 1]):
            d, old = doc[t] - first, z[t]
            # the counts of the next document come into the cache meanwhile (3% of the time)
            read += n_dk[doc[t + 1 if t + 1 < ptr[w + 1] else t] - first, 0]
            less = one / (np.float32(n_k[old] - 1) + beta_sum[old])
            phi_old, phi_less = phi[old], (np.float32(n_w[old] - 1) + b[old]) * less
            stay = (np.float32(n_dk[d, old] - 1) + alpha[old]) * phi_less
            phi[old], leave = np.float32(0.0), np.float32(0.0)
            for j in range(p.shape[0]):
                p[j] = (np.float32(n_dk[d, j]) + alpha[j]) * phi[j]
                leave += p[j]
            total = stay + leave
            totals[t - begin] = total
            counter += STEP
            left = uniform(counter) * total - stay
            if left < 0:
                phi[old] = phi_old
                continue
            new = np.uint16(pick(p, left, k))
            n_dk[d, old] -= 1
            n_dk[d, new] += 1
            n_w[old] -= 1
            n_w[new] += 1
            n_k[old] -= 1
            n_k[new] += 1
            inverse[old], phi[old] = less, phi_less
            inverse[new] = one / (np.float32(n_k[new]) + beta_sum[new])
            phi[new] = (np.float32(n_w[new]) + b[new]) * inverse[new]
            z[t] = new
    return read  # or it would not be read


@kernel(any_order=True, within=True)
def pick(p, left, k):
    """The topic at which the sums of p exceed `left`: eight topics at a time, then four."""
    g = 0
    while True:
        half = (p[g] + p[g + 1]) + (p[g + 2] + p[g + 3])
        both = half + ((p[g + 4] + p[g + 5]) + (p[g + 6] + p[g + 7]))
        if left < both or g + 8 >= k:
            break
        left -= both
        g += 8
    if left >= half:
        left -= half
        g += 4
    c0 = p[g]
    c1 = c0 + p[g + 1]
    c2 = c1 + p[g + 2]
    g += (1 if left >= c0 else 0) + (1 if left >= c1 else 0) + (1 if left >= c2 else 0)
    return g if g < k else k - 1


@kernel(any_order=True)
def sweep_sparse(
    doc, z, ptr, first, n_wk, n_k, alpha, beta, beta_sum, counter,
    offset, size, topic, count, n_w, b, inverse, phi, mass, totals,
):  # fmt: skip
    """As `sweep_dense`; document d has `size[d]` topics and their counts from `offset[d]` on."""
    k, begin, one = n_wk.shape[1], ptr[0], np.float32(1.0)
    for w in range(ptr.shape[0] - 1):
        if ptr[w] == ptr[w + 1]:
            continue
        smooth = np.float64(begin_word(w, n_wk, beta, inverse, alpha, n_w, b, phi))
        for t in range(ptr[w], ptr[w + 1]):
            d, old = doc[t] - first, z[t]
            a, m, at = offset[d], size[d], _0
            phi_old, phi[old], leave = phi[old], np.float32(0.0), np.float32(0.0)
            for i in range(m):
                mass[i] = np.float32(count[a + i]) * phi[topic[a + i]]
                leave += mass[i]
                at = i if topic[a + i] == old else at  # type: ignore[assignment]
            less = one / (np.float32(n_k[old] - 1) + beta_sum[old])
            phi_less = (np.float32(n_w[old] - 1) + b[old]) * less
            stay = (np.float32(count[a + at] - 1) + alpha[old]) * phi_less
            rest = smooth - alpha[old] * phi_old
            total = stay + leave + np.float32(rest)
            totals[t - begin] = total
            counter += STEP
            left = uniform(counter) * total - stay
            new = old
            if left >= 0:
                new, i = draw_other(left, leave, a, m, topic, mass, alpha, phi, k)
            if new == old:  # it stays; or by rounding, at the end of a list
                phi[old] = phi_old
                continue
            size[d] = move(a, at, i, m, new, topic, count)
            n_w[old] -= 1
            n_w[new] += 1
            n_k[old] -= 1
            n_k[new] += 1
            inverse[old], phi[old] = less, phi_less
            rest += alpha[old] * phi_less - alpha[new] * phi[new]
            inverse[new] = one / (np.float32(n_k[new]) + beta_sum[new])
            phi[new] = (np.float32(n_w[new]) + b[new]) * inverse[new]
            smooth = rest + alpha[new] * phi[new]
            z[t] = new


@kernel(any_order=True, within=True)
def draw_other(left, leave, a, m, topic, mass, alpha, phi, k):
    """Another topic and its place in the list of a document, which is m if it is not there.

    It is one of the list; or if `left` is beyond their sum, one by alpha_j phi_j: the topic at
    which their sums exceed what is left, 32 topics at a time.
    """
    i = _0
    if left < leave:
        while i + _1 < m and left >= mass[i]:
            left -= mass[i]
            i += _1
        return topic[a + i], i
    left -= leave
    g, end = _0, np.uint64(k)
    while g + _32 < end:
        s = np.float32(0.0)
        for j in range(g, g + _32):
            s += alpha[j] * phi[j]
        if left < s:
            break
        left -= s
        g += _32
    left -= alpha[g] * phi[g]
    while g + _1 < end and left >= 0:
        g += _1
        left -= alpha[g] * phi[g]
    while i < m and topic[a + i] != g:
        i += _1
    return np.uint16(g), i


@kernel(within=True)
def move(a, at, i, m, new, topic, count):
    """A token from the topic at place `at` to `new` at place i; frequent topics move forward.

    Returns the number of topics of the document. A topic that it did not have has i = m.
    """
    is_new = i == m
    count[a + at] -= 1
    if count[a + at] == 0:
        m -= _1
        topic[a + at], count[a + at] = topic[a + m], count[a + m]
        i = at if i == m else i
    if is_new:
        i = m
        m += _1
        topic[a + i], count[a + i] = new, 0
    count[a + i] += 1
    if i > 0 and count[a + i] > count[a + i - _1]:
        topic[a + i], topic[a + i - _1] = topic[a + i - _1], topic[a + i]
        count[a + i], count[a + i - _1] = count[a + i - _1], count[a + i]
    return m


# ---- counts ------------------------------------------------------------------------------------


@kernel
def count_words(z, ptr, start, stop, n_wk):
    """Add to n_wk of the words from `start` to `stop`; in block b word w begins at ptr[b, w]."""
    for w in range(start, stop):
        for block in range(ptr.shape[0]):
            for t in range(ptr[block, w], ptr[block, w + 1]):
                n_wk[w, z[t]] += 1


@kernel
def count_topics(doc, z, start, stop, first, n_dk):
    """Add the tokens from `start` to `stop` to the counts of their documents."""
    for t in range(start, stop):
        n_dk[doc[t] - first, z[t]] += 1


@kernel
def list_topics(doc, z, start, stop, first, offset, size, topic, count, place):
    """The same counts as lists: the topics of each document, the most frequent one first."""
    for t in range(start, stop):
        d = doc[t] - first
        topic[offset[d] + size[d]] = z[t]
        size[d] += _1
    for d in range(size.shape[0]):
        a, m = offset[d], np.uint64(0)
        for i in range(a, a + size[d]):
            j = topic[i]
            at = place[j]
            if at < m and topic[a + at] == j:
                count[a + at] += 1
            else:
                place[j], topic[a + m], count[a + m] = m, j, 1
                m += _1
        size[d] = m
        for i in range(a + _1, a + m):
            j, c, at = topic[i], count[i], i
            while at > a and count[at - _1] < c:
                topic[at], count[at] = topic[at - _1], count[at - _1]
                at -= _1
            topic[at], count[at] = j, c
