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
from lowdim.text.topics.expectation import encoded

EM_STEPS = 30  # before Newton's method
NEWTON_STEPS = 200  # at the most: some drop a topic, some bring one in, the others converge
INSIDE = 0.1  # what topics it has may gain, of what all may: else another one comes in first
GAP = 1e-13  # of the log-likelihood per word at the end
FEW = 1e-3  # a share below this part of 1/k after EM is taken to be none
ROUNDING = 1e-14  # of f: steps that change it by less are Newton's last
RIDGE = 1e-11  # part of the diagonal: topics that a document cannot tell apart share evenly


def likeliest_shares(cells: Cells, phi: np.ndarray, without_words: np.ndarray) -> np.ndarray:
    """The shares of each document, (b, k); `without_words` are those of one that has no words.

    Words that no topic has say nothing.
    """
    n, k = cells.n_documents, phi.shape[1]
    known = (phi.max(axis=1) > 0)[cells.terms]
    total = np.bincount(cells.documents, cells.counts * known, n)
    todo = np.flatnonzero(total > 0)
    theta = np.tile(without_words, (n, 1))
    theta[todo] = _after_em(cells, phi)[todo]
    cells = cells._replace(counts=cells.counts / np.where(total > 0, total, 1.0)[cells.documents])
    g, d, f = np.empty((n, k)), np.empty((n, k)), np.empty(n)
    for _ in range(NEWTON_STEPS):
        _gradient(*cells, phi, todo, theta, g, f)
        above = g[todo] - 1.0
        gap = above.max(axis=1)
        off = np.where(theta[todo] > 0, np.abs(above), 0.0).max(axis=1)
        todo, off, gap = (part[gap > GAP] for part in (todo, off, gap))
        if not len(todo):
            break
        moved = np.zeros(n, dtype=bool)
        near = todo[off > INSIDE * gap]
        _newton(*cells, phi, near, theta, g, np.empty(k, np.int64), np.empty((k, k)), d)
        _move(*cells, phi, near, f, d, np.empty(k), theta, moved)
        todo = _towards_missing(cells, phi, todo, moved, g, theta)
    return theta


def _after_em(cells: Cells, phi: np.ndarray) -> np.ndarray:
    """Shares after some steps of EM, small ones left out."""
    n, k = cells.n_documents, phi.shape[1]
    even = np.full((n, k), 1.0 / k)
    code = encoded(cells, phi, np.zeros(k), even, bayes=False, max_iter=EM_STEPS, tol=0.0)
    total = code.gamma.sum(axis=1, keepdims=True)
    theta = np.divide(code.gamma, total, out=even, where=total > 0)
    theta[theta * k <= FEW] = 0.0
    return theta / theta.sum(axis=1, keepdims=True)


def _towards_missing(
    cells: Cells,
    phi: np.ndarray,
    todo: np.ndarray,
    moved: np.ndarray,
    g: np.ndarray,
    theta: np.ndarray,
) -> np.ndarray:
    """Give documents that Newton's method did not move the topic they lack most.

    Returns the documents that are not yet done: those that lack none are as good as rounding lets
    them be.
    """
    rest = todo[~moved[todo]]
    best = g.argmax(axis=1)
    lacking = rest[theta[rest, best[rest]] == 0.0]
    _towards(*cells, phi, lacking, best, g, theta)
    moved[lacking] = True
    return todo[moved[todo]]


# ---- kernels -------------------------------------------------------------------------------------
# counts are divided by those of their document, so N is 1; `todo` are the documents to look at


@kernel(any_order=True)
def _gradient(indptr, terms, counts, phi, todo, theta, g, f):
    """g and f of documents."""
    k = g.shape[1]
    for i in todo:
        for z in range(k):
            g[i, z] = 0.0
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            w = terms[j]
            p = 0.0
            for z in range(k):
                p += theta[i, z] * phi[w, z]
            if p > 0.0:
                total += counts[j] * np.log(p)
                ratio = counts[j] / p
                for z in range(k):
                    g[i, z] += ratio * phi[w, z]
        f[i] = total


@kernel(any_order=True)
def _newton(indptr, terms, counts, phi, todo, theta, g, free, H, d):
    """d = H^-1 (g - 1) for the topics that documents have, H minus the Hessian of f; else 0."""
    k = d.shape[1]
    for i in todo:
        m = 0
        for z in range(k):
            d[i, z] = 0.0
            if theta[i, z] > 0.0:
                free[m] = z
                for a in range(m + 1):
                    H[a, m] = 0.0
                m += 1
        for j in range(indptr[i], indptr[i + 1]):
            w = terms[j]
            p = 0.0
            for a in range(m):
                p += theta[i, free[a]] * phi[w, free[a]]
            if p > 0.0:
                scale = counts[j] / p / p
                for a in range(m):
                    own = scale * phi[w, free[a]]
                    for b in range(a, m):
                        H[a, b] += own * phi[w, free[b]]
        for a in range(m):  # U'U = H in place, and forwards
            pivot, least = H[a, a] * (1.0 + RIDGE), H[a, a] * RIDGE
            total = g[i, free[a]] - 1.0
            for r in range(a):
                pivot -= H[r, a] * H[r, a]
                total -= H[r, a] * d[i, free[r]]
            root = np.sqrt(pivot if pivot > least else least)
            for b in range(a + 1, m):
                for r in range(a):
                    H[a, b] -= H[r, a] * H[r, b]
                H[a, b] /= root
            H[a, a] = root
            d[i, free[a]] = total / root
        for a in range(m - 1, -1, -1):
            for b in range(a + 1, m):
                d[i, free[a]] -= H[a, b] * d[i, free[b]]
            d[i, free[a]] /= H[a, a]


@kernel(any_order=True)
def _move(indptr, terms, counts, phi, todo, f, d, tried, theta, moved):
    """Move theta along d, at most to where it is 0; half as far until f does not fall."""
    k = d.shape[1]
    for i in todo:
        part = 1.0
        for z in range(k):
            if d[i, z] < 0.0 and theta[i, z] < -d[i, z] * part:
                part = -theta[i, z] / d[i, z]
        for _ in range(40):
            for z in range(k):
                new = theta[i, z] + part * d[i, z]
                tried[z] = new if new > 1e-15 else 0.0
            total = 0.0  # in a loop that stores nothing, so that it is always added up alike
            for z in range(k):
                total += tried[z]
            found = 0.0
            for j in range(indptr[i], indptr[i + 1]):
                p = 0.0
                for z in range(k):
                    p += tried[z] * phi[terms[j], z]
                if p > 0.0:
                    found += counts[j] * np.log(p / total)
            if found >= f[i] - ROUNDING * abs(f[i]):
                for z in range(k):
                    theta[i, z] = tried[z] / total
                moved[i] = True
                break
            part *= 0.5


@kernel(any_order=True)
def _towards(indptr, terms, counts, phi, todo, best, g, theta):
    """One of Newton's steps along the line to the best topic, at most half way."""
    k = theta.shape[1]
    for i in todo:
        slope, bend = g[i, best[i]] - 1.0, 0.0
        for j in range(indptr[i], indptr[i + 1]):
            w = terms[j]
            p = 0.0
            for z in range(k):
                p += theta[i, z] * phi[w, z]
            if p > 0.0:
                change = phi[w, best[i]] / p - 1.0
                bend += counts[j] * change * change
        part = slope / bend if bend > 2.0 * slope else 0.5
        for z in range(k):
            theta[i, z] *= 1.0 - part
        theta[i, best[i]] += part
