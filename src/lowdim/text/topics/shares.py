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

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.text.topics.counts import Cells
from lowdim.text.topics.expectation import NOTHING, encoded, gradient

EM_STEPS = 30  # before Newton's method
NEWTON_STEPS = 200  # at the most: some drop a topic, some bring one in, the others converge
INSIDE = 0.1  # what topics it has may gain, of what all may: else another one comes in first
GAP = 1e-13  # of the log-likelihood per word at the end
FEW = 1e-3  # a share below this part of 1/k after EM is taken to be none
ROUNDING = 1e-14  # of f: steps that change it by less are Newton's last
HALVINGS = 40  # of a step, at the most
SMALLEST = 1e-15  # share
RIDGE = 1e-11  # part of the diagonal: topics that a document cannot tell apart share evenly


def likeliest_shares(cells: Cells, phi: np.ndarray, without_words: np.ndarray) -> np.ndarray:
    """The shares of each document, (b, k); `without_words` are those of one that has no words.

    Words that no topic has say nothing.
    """
    n, k = cells.n_documents, phi.shape[1]
    counts = np.where((phi.max(axis=1) > 0)[cells.terms], cells.counts, 0.0)
    total = np.bincount(cells.documents, counts, n)
    todo = np.flatnonzero(total > 0)
    theta = np.tile(without_words, (n, 1))
    theta[todo] = _after_em(cells, phi)[todo]
    own = cells._replace(counts=counts / np.where(total > 0, total, 1.0)[cells.documents])
    at = _At(theta, np.empty((n, k)), np.empty(n))
    d, to_work_in = np.empty((n, k)), (np.empty(k, np.int64), np.empty(k), np.empty((k, k)))
    _leave_out_few(own, phi, todo, at)
    for _ in range(NEWTON_STEPS):
        above = at.g[todo] - 1.0
        gap = above.max(axis=1)
        off = np.where(theta[todo] > 0, np.abs(above), 0.0).max(axis=1)
        todo, off, gap = (part[gap > GAP] for part in (todo, off, gap))
        if not len(todo):
            break
        near = todo[off > INSIDE * gap]
        _newton(*own, phi, near, theta, at.g, *to_work_in, d)
        moved = _move(own, phi, near, d, at)
        todo = _towards_missing(own, phi, todo, moved, at)
    return theta


class _At(NamedTuple):
    """Shares of documents, and what is known there."""

    theta: np.ndarray  # (b, k)
    g: np.ndarray  # (b, k)
    f: np.ndarray  # (b,)

    def look(self, cells: Cells, phi: np.ndarray, documents: np.ndarray) -> None:
        """Find g and f of documents."""
        self.g[documents] = 0.0
        gradient(*cells, self.theta, phi, documents, NOTHING, NOTHING, self.g, self.f)

    def become(self, other: _At, documents: np.ndarray) -> None:
        for own, new in zip(self, other, strict=True):
            own[documents] = new[documents]


def _after_em(cells: Cells, phi: np.ndarray) -> np.ndarray:
    """Shares after some steps of EM."""
    n, k = cells.n_documents, phi.shape[1]
    even = np.full((n, k), 1.0 / k)
    code = encoded(cells, phi, np.zeros(k), even, bayes=False, max_iter=EM_STEPS, tol=0.0)
    total = code.gamma.sum(axis=1, keepdims=True)
    return np.divide(code.gamma, total, out=even, where=total > 0)


def _leave_out_few(cells: Cells, phi: np.ndarray, todo: np.ndarray, at: _At) -> None:
    """Small shares become none, unless a word has no other topic."""
    before = at.theta.copy()
    some = np.where(before * phi.shape[1] > FEW, before, 0.0)[todo]
    at.theta[todo] = some / some.sum(axis=1, keepdims=True)
    at.look(cells, phi, todo)
    impossible = todo[np.isneginf(at.f[todo])]
    at.theta[impossible] = before[impossible]
    at.look(cells, phi, impossible)


def _move(cells: Cells, phi: np.ndarray, near: np.ndarray, d: np.ndarray, at: _At) -> np.ndarray:
    """Move documents along d, at most to where a share is 0; half as far until f does not fall.

    Returns which have moved, (b,) bool.
    """
    moved = np.zeros(len(d), dtype=bool)
    tried = _At(*(np.empty_like(part) for part in at))
    down = d[near] < 0
    reach = np.divide(-at.theta[near], d[near], out=np.ones((len(near), d.shape[1])), where=down)
    part = np.minimum(reach.min(axis=1, initial=1.0), 1.0)
    for _ in range(HALVINGS if len(near) else 0):
        theta = at.theta[near] + part[:, None] * d[near]
        theta[theta <= SMALLEST] = 0.0
        tried.theta[near] = theta / theta.sum(axis=1, keepdims=True)
        tried.look(cells, phi, near)
        good = tried.f[near] >= at.f[near] - ROUNDING * np.abs(at.f[near])
        at.become(tried, near[good])
        moved[near[good]] = True
        near, part = near[~good], 0.5 * part[~good]
        if not len(near):
            break
    return moved


def _towards_missing(
    cells: Cells, phi: np.ndarray, todo: np.ndarray, moved: np.ndarray, at: _At
) -> np.ndarray:
    """Give documents that Newton's method did not move the topic they lack most.

    Returns the documents that are not yet done: those that lack none are as good as rounding lets
    them be.
    """
    rest = todo[~moved[todo]]
    best = at.g.argmax(axis=1)
    lacking = rest[at.theta[rest, best[rest]] == 0.0]
    if len(lacking):
        part = _step_towards(cells, phi, lacking, best, at)
        at.theta[lacking] *= 1.0 - part[:, None]
        at.theta[lacking, best[lacking]] += part
        at.look(cells, phi, lacking)
    moved[lacking] = True
    return todo[moved[todo]]


def _step_towards(
    cells: Cells, phi: np.ndarray, lacking: np.ndarray, best: np.ndarray, at: _At
) -> np.ndarray:
    """How far Newton's method goes along the line to the best topic, at most half way."""
    bend = np.empty(len(lacking))
    for number, i in enumerate(lacking):
        own = slice(cells.indptr[i], cells.indptr[i + 1])
        terms = cells.terms[own]
        p = phi[terms] @ at.theta[i]
        change = np.divide(phi[terms, best[i]], p, out=np.ones_like(p), where=p > 0) - 1.0
        bend[number] = cells.counts[own] @ (change * change)
    slope = at.g[lacking, best[lacking]] - 1.0
    return np.divide(slope, bend, out=np.full(len(lacking), 0.5), where=bend > 2.0 * slope)


# ---- kernels -------------------------------------------------------------------------------------
# counts are divided by those of their document, so N is 1; `todo` are the documents to look at


@kernel(any_order=True)
def _newton(indptr, terms, counts, phi, todo, theta, g, free, own, H, d):
    """d = H^-1 (g - 1) for the topics that documents have, H minus the Hessian of f; else 0."""
    k = d.shape[1]
    for i in todo:
        m = 0
        for z in range(k):
            d[i, z] = 0.0
            if theta[i, z] > 0.0:
                free[m] = z
                for a in range(m + 1):
                    H[m, a] = 0.0
                m += 1
        for j in range(indptr[i], indptr[i + 1]):
            p = 0.0
            for a in range(m):
                own[a] = phi[terms[j], free[a]]
                p += theta[i, free[a]] * own[a]
            scale = counts[j] / p / p if p > 0.0 else 0.0
            for a in range(m):
                for b in range(a + 1):
                    H[a, b] += scale * own[a] * own[b]
        for a in range(m):  # L L' = H in place, and forwards
            least = H[a, a] * RIDGE
            H[a, a] += least
            own[a] = g[i, free[a]] - 1.0
            for b in range(a):
                for r in range(b):
                    H[a, b] -= H[a, r] * H[b, r]
                H[a, b] /= H[b, b]
                H[a, a] -= H[a, b] * H[a, b]
                own[a] -= H[a, b] * own[b]
            H[a, a] = np.sqrt(H[a, a] if H[a, a] > least else least)
            own[a] /= H[a, a]
        for a in range(m - 1, -1, -1):  # and backwards
            own[a] /= H[a, a]
            d[i, free[a]] = own[a]
            for b in range(a):
                own[b] -= H[a, b] * own[a]
