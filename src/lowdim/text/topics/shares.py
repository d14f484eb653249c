"""The likeliest shares of fixed topics in each document: a convex problem, solved exactly.

    maximise over theta >= 0, sum theta = 1     f = sum_w x_w log sum_z theta_z phi_zw

With g_z = df/dtheta_z and N = sum x, theta is the solution if g_z = N for its topics and g_z <= N
for all others, and f* - f <= N (max g / N - 1): so it is known how far one is. Steps of EM (theta_z
<- theta_z g_z / N) find out which topics matter; Newton's method on these few gives all digits. The
penalised f - N sum theta has the same solution without the constraint on the sum, which saves a
multiplier. A topic that turns out to be missing comes in by a step towards it.

Cost: some dozens of passes over the cells of a document, each O(cells k).
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.text.topics.counts import Cells

EM_STEPS = 30  # before Newton's method
NEWTON_STEPS = 200  # at the most: some drop a topic, some bring one in, the others converge
GAP = 1e-13  # of the log-likelihood per word at the end
FEW = 1e-3  # a share below this part of 1/k after EM is taken to be none
ROUNDING = 1e-14  # of f: steps that change it by less are Newton's last
RIDGE = 1e-11  # part of the diagonal: topics that a document cannot tell apart share evenly


def likeliest_shares(cells: Cells, phi: np.ndarray, without_words: np.ndarray) -> np.ndarray:
    """The shares of each document, (b, k); `without_words` are those of one that has no words.

    Words that no topic has say nothing.
    """
    k = phi.shape[1]
    shares = np.empty((cells.n_documents, k))
    work = np.empty((4, k))
    _solve(*cells, phi, without_words, work, np.empty(k, np.int64), np.empty((k, k)), shares)
    return shares


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def _gradient(first, last, terms, counts, phi, total, theta, g):
    """g_z / N of one document; returns f / N."""
    k = len(theta)
    for z in range(k):
        g[z] = 0.0
    f = 0.0
    for j in range(first, last):
        w = terms[j]
        p = 0.0
        for z in range(k):
            p += theta[z] * phi[w, z]
        if p > 0.0:
            x = counts[j] / total
            f += x * np.log(p)
            ratio = x / p
            for z in range(k):
                g[z] += ratio * phi[w, z]
    return f


@kernel(any_order=True)
def _objective(first, last, terms, counts, phi, total, theta, free, m):
    """f / N for shares that are 0 but for the m free topics."""
    f = 0.0
    for j in range(first, last):
        w = terms[j]
        p = 0.0
        for a in range(m):
            p += theta[free[a]] * phi[w, free[a]]
        if p > 0.0:
            f += counts[j] / total * np.log(p)
    return f


@kernel(any_order=True)
def _newton(first, last, terms, counts, phi, total, theta, g, free, m, H, own, d):
    """d = H^-1 (g - 1) for the m free topics, H minus the Hessian of f / N."""
    for a in range(m):
        d[a] = g[free[a]] - 1.0
        for b in range(a, m):
            H[a, b] = 0.0
    for j in range(first, last):
        w = terms[j]
        p = 0.0
        for a in range(m):
            own[a] = phi[w, free[a]]
            p += theta[free[a]] * own[a]
        if p > 0.0:
            scale = counts[j] / (total * p) / p
            for a in range(m):
                f = scale * own[a]
                for b in range(a, m):
                    H[a, b] += f * own[b]
    for a in range(m):  # U'U = H in place, and forwards
        pivot = H[a, a] * (1.0 + RIDGE)
        for r in range(a):
            pivot -= H[r, a] * H[r, a]
        least = RIDGE * H[a, a]
        root = np.sqrt(pivot if pivot > least else (least if least > 0.0 else 1.0))
        for b in range(a + 1, m):
            f = H[a, b]
            for r in range(a):
                f -= H[r, a] * H[r, b]
            H[a, b] = f / root
        H[a, a] = root
        for r in range(a):
            d[a] -= H[r, a] * d[r]
        d[a] /= root
    for a in range(m - 1, -1, -1):
        for b in range(a + 1, m):
            d[a] -= H[a, b] * d[b]
        d[a] /= H[a, a]


@kernel
def _normalised(theta):
    total = 0.0
    for z in range(len(theta)):
        total += theta[z]
    for z in range(len(theta)):
        theta[z] /= total


@kernel
def _step(first, last, terms, counts, phi, total, f, theta, d, free, m, tried):
    """Move theta along d, at most to where it is 0; half as far until f does not fall.

    Returns whether it moved.
    """
    longest = 1.0
    for a in range(m):
        if d[a] < 0.0 and theta[free[a]] < -d[a] * longest:
            longest = -theta[free[a]] / d[a]
    for _ in range(40):
        for z in range(len(theta)):
            tried[z] = 0.0
        for a in range(m):
            new = theta[free[a]] + longest * d[a]
            tried[free[a]] = new if new > 1e-15 else 0.0
        _normalised(tried)
        found = _objective(first, last, terms, counts, phi, total, tried, free, m)
        if found >= f - ROUNDING * abs(f):
            for z in range(len(theta)):
                theta[z] = tried[z]
            return True
        longest *= 0.5
    return False


@kernel
def _towards(first, last, terms, counts, phi, total, theta, new, slope):
    """Give topic `new` a share: one of Newton's steps along the line to it, at most half way."""
    bend = 0.0
    for j in range(first, last):
        w = terms[j]
        p = 0.0
        for z in range(len(theta)):
            p += theta[z] * phi[w, z]
        if p > 0.0:
            change = phi[w, new] / p - 1.0
            bend += counts[j] / total * change * change
    part = slope / bend if bend > 2.0 * slope else 0.5
    for z in range(len(theta)):
        theta[z] *= 1.0 - part
    theta[new] += part


@kernel
def _solve(indptr, terms, counts, phi, without_words, work, free, H, shares):
    n, k = shares.shape
    g, d, own, tried = work[0], work[1], work[2], work[3]
    for i in range(n):
        first, last, theta = indptr[i], indptr[i + 1], shares[i]
        total = 0.0
        for j in range(first, last):
            most = 0.0
            for z in range(k):
                most = phi[terms[j], z] if phi[terms[j], z] > most else most
            total += counts[j] if most > 0.0 else 0.0
        for z in range(k):
            theta[z] = 1.0 / k if total > 0.0 else without_words[z]
        if total == 0.0:
            continue
        for _ in range(EM_STEPS):
            _gradient(first, last, terms, counts, phi, total, theta, g)
            for z in range(k):
                theta[z] *= g[z]
        for z in range(k):
            theta[z] = theta[z] if theta[z] * k > FEW else 0.0
        _normalised(theta)
        for _ in range(NEWTON_STEPS):
            f = _gradient(first, last, terms, counts, phi, total, theta, g)
            m, best, off = 0, 0, 0.0
            for z in range(k):
                best = z if g[z] > g[best] else best
                if theta[z] > 0.0:
                    free[m] = z
                    m += 1
                    off = abs(g[z] - 1.0) if abs(g[z] - 1.0) > off else off
            if g[best] - 1.0 <= GAP:
                break
            moved = False
            if off > 0.1 * (g[best] - 1.0):
                _newton(first, last, terms, counts, phi, total, theta, g, free, m, H, own, d)
                moved = _step(first, last, terms, counts, phi, total, f, theta, d, free, m, tried)
            if not moved:
                if theta[best] > 0.0:
                    break  # rounding
                _towards(first, last, terms, counts, phi, total, theta, best, g[best] - 1.0)
