"""The vector of a new row of counts, with the contexts as they are.

    minimise over w     J(w) + ridge |w|^2          of the row's shares n, which add up to 1

    softmax             gradient  C'(p - n)         Hessian  C'(diag p - p p') C
    negative, nce       gradient  C'((m + n) s - n)          C' diag((m + n) s (1 - s)) C

J is convex in w, so Newton's method finds the one minimum. A row whose counts are explained ever
better by ever longer w (as one context only may be) has none: a tiny ridge keeps w finite. A row
without counts has the vector 0.

Cost of a row: O(v d^2) for each of some ten steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.text.embeddings.skip_gram.losses import Scores, noise_pairs, pieces, shares, slope

RIDGE = 1e-10  # at least, of the mean square of the contexts' vectors
NEAR = 1e-13  # the square of Newton's decrement at which a step is the last
MOST_STEPS = 100
ENOUGH = 1e-4  # of the fall that the slope promises
SHORTEST = 2.0**-20  # of a Newton step; then rounding decides


class Coding(NamedTuple):
    """What new rows are coded with."""

    scores: Scores  # in float64
    penalty: float
    total: float  # of the counts that were learned from: the penalty is in its units


class Coded(NamedTuple):
    W: np.ndarray  # (b, d)
    loss: np.ndarray  # (b,)  J of each row for shares that add up to 1; 0 without counts
    count: np.ndarray  # type: ignore[assignment]  # (b,)  sum of each row


def encode(X: Any, coding: Coding, dtype: str) -> np.ndarray:
    """Vectors of the rows of a block of counts, (b, d)."""
    return coded(X, coding).W.astype(dtype)


def losses(X: Any, coding: Coding) -> np.ndarray:
    """What the rows of a block lose at their best vectors, by pair; and the sum of all pairs.

    Both in units of the pairs that were learned from: sums of huge counts are no numbers.
    """
    found = coded(X, coding)
    part = found.count / coding.total
    return np.array([found.loss @ part, part.sum()])


def coded(X: Any, coding: Coding) -> Coded:
    """The best vector of each row of a block, and what is lost there."""
    b, used = X.shape[0], np.flatnonzero(coding.scores.C.any(axis=0))
    C = np.ascontiguousarray(coding.scores.C[:, used])
    scores = coding.scores._replace(C=C)
    N = shares(X.astype(np.float64), 1.0)
    count = np.asarray(N.sum(axis=1)).ravel()
    seen = np.flatnonzero(count > 0)
    found = Coded(np.zeros((b, coding.scores.C.shape[1])), np.zeros(b), count)
    least = RIDGE * float(np.mean(C**2)) if C.size else 0.0
    ridge = np.maximum(coding.penalty * coding.total / count[seen], least)
    for part in pieces(N[seen]):
        rows = seen[part]
        own = _times_rows(N[rows], 1.0 / count[rows])
        w, found.loss[rows] = _newton(own, scores, ridge[part])
        found.W[np.ix_(rows, used)] = w
    return found


def _newton(N: Any, scores: Scores, ridge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best vectors of some rows, and J there without the ridge."""
    W = np.zeros((N.shape[0], scores.C.shape[1]))
    todo = np.arange(len(W)) if W.shape[1] else np.arange(0)
    for _ in range(MOST_STEPS):
        if not len(todo):
            break
        n, own, w = N[todo], ridge[todo], W[todo]
        found = slope(n, scores, w, None)
        gradient = found.by_score @ scores.C + 2.0 * own[:, None] * w
        step = _newton_steps(n, scores, found.by_score, gradient, own)
        decrement = -np.einsum("ij,ij->i", gradient, step)
        value = found.objective + own * np.einsum("ij,ij->i", w, w)
        W[todo] = _moved(n, scores, own, w, step, value, decrement)
        todo = todo[decrement > NEAR]
    return W, slope(N, scores, W, None).objective


def _newton_steps(
    N: Any, scores: Scores, by_score: np.ndarray, gradient: np.ndarray, ridge: np.ndarray
) -> np.ndarray:
    """-Hessian^-1 gradient of each row."""
    C, n = scores.C, N.toarray()
    if scores.loss == "softmax":
        weights = by_score + n  # p
    else:
        pairs = noise_pairs(scores, np.ones(len(n)), None)[0] + n
        s = np.divide(by_score + n, pairs, out=np.zeros_like(pairs), where=pairs > 0)
        weights = pairs * s * (1.0 - s)
    hessian = np.stack([(C.T * a) @ C for a in weights])
    if scores.loss == "softmax":
        middle = weights @ C
        hessian -= middle[:, :, None] * middle[:, None, :]
    d = C.shape[1]
    hessian[:, np.arange(d), np.arange(d)] += 2.0 * ridge[:, None]
    return -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]


def _moved(
    N: Any,
    scores: Scores,
    ridge: np.ndarray,
    W: np.ndarray,
    step: np.ndarray,
    value: np.ndarray,
    decrement: np.ndarray,
) -> np.ndarray:
    """The rows after their steps, halved where J would not fall."""
    moved, length = W + step, np.ones(len(W))
    rows = np.flatnonzero(decrement > NEAR)  # of the others the last step is too short to be seen
    while len(rows):
        w = moved[rows]
        now = slope(N[rows], scores, w, None).objective
        now += ridge[rows] * np.einsum("ij,ij->i", w, w)
        high = ~(now <= value[rows] - ENOUGH * length[rows] * decrement[rows])
        rows = rows[high & (length[rows] > SHORTEST)]
        length[rows] /= 2.0
        moved[rows] = W[rows] + length[rows, None] * step[rows]
    return moved


def _times_rows(N: Any, factor: np.ndarray) -> Any:
    return sp.csr_array(sp.diags_array(factor) @ N)
