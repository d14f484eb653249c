"""Hyvarinen's fixed point: W <- (E g(y) y' - diag E g'(y)) W, made orthogonal.

For all sources at once (`parallel`), or for one after the other (`deflation`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.loop import iterate
from lowdim.linear.ica.saddles import ESCAPES, off_saddle
from lowdim.linear.ica.statistics import MixedRows, Sums, distance


class Unmixing(NamedTuple):
    W: np.ndarray  # (k, k)
    escapes: int = 0  # from saddles so far


def parallel(estimator: Any, mixed: MixedRows, W: np.ndarray) -> np.ndarray:
    """The fixed point for all sources at once, with symmetric decorrelation."""
    loop = iterate(estimator, Unmixing(W), max_iter=estimator.max_iter, tol=estimator.tol)
    for W, escapes in loop:
        sums = mixed.sums(W)
        W_new = fixed_point(sums, W)
        turn = turn_of(W, W_new)
        objective = turn if callable(mixed.contrast.kind) else distance(sums, mixed.contrast)
        if turn <= estimator.tol and escapes < ESCAPES:
            away = off_saddle(mixed, W_new)
            if away is not None:
                W_new, turn, escapes = away, np.inf, escapes + 1
        loop.record(objective, change=turn)
        loop.params = Unmixing(W_new, escapes)
    return loop.params.W


def fixed_point(sums: Sums, W: np.ndarray) -> np.ndarray:
    """E g(y) z - E g'(y) w for each source, made orthogonal; white z = W'y."""
    W_new = decorrelated(_finite((sums.gy - np.diag(sums.slope)) @ W))
    return W_new * np.where(np.einsum("ij,ij->i", W_new, W) < 0, -1.0, 1.0)[:, None]


def turn_of(W: np.ndarray, W_new: np.ndarray) -> float:
    """1 - cos of the largest angle by which a source's direction moves."""
    return float(np.abs(np.einsum("ij,ij->i", W_new, W) - 1.0).max(initial=0.0))


def deflation(estimator: Any, mixed: MixedRows, W: np.ndarray) -> np.ndarray:
    """The fixed point for one source after the other, each orthogonal to those before."""
    found, histories = np.zeros_like(W), []
    for j in range(len(W)):
        start = _orthogonal_to(W[j], found[:j])
        loop = iterate(estimator, Unmixing(start), max_iter=estimator.max_iter, tol=estimator.tol)
        for w, _ in loop:
            # E g(y) z in white coordinates z: a basis that contains w, since y alone is not enough
            basis = _basis_with(w)
            sums = mixed.sums(basis)
            moved = _finite(sums.gy[0] @ basis - sums.slope[0] * w)
            w_new = _orthogonal_to(moved, found[:j])
            turn = abs(abs(float(w_new @ w)) - 1.0)
            loop.record(-abs(float(sums.G[0]) - mixed.contrast.gaussian), change=turn)
            loop.params = Unmixing(w_new)
        found[j] = loop.params.W
        histories.append(estimator.history_)
    estimator.n_iter_ = max(map(len, histories))  # of any source, as scikit-learn counts
    estimator.history_ = np.concatenate(histories)
    return found


def _finite(W: np.ndarray) -> np.ndarray:
    """W; an error that says why, if it is no longer a matrix of numbers."""
    if not np.isfinite(W).all():
        raise ValueError(
            "Sums over the rows are no longer finite numbers. With whiten=False, X must have "
            "variances of about 1: leave whiten as it is, or divide X by its size."
        )
    return W


def decorrelated(W: np.ndarray) -> np.ndarray:
    """(W W')^-1/2 W: the nearest orthogonal matrix."""
    U, _, Vt = scipy.linalg.svd(W)
    return U @ Vt


def _orthogonal_to(w: np.ndarray, found: np.ndarray) -> np.ndarray:
    for _ in range(2):
        w = w - found.T @ (found @ w)
        w = w / max(np.linalg.norm(w), np.finfo(float).tiny)
    return w


def _basis_with(w: np.ndarray) -> np.ndarray:
    """An orthogonal matrix whose first row is w: a Householder reflection, up to sign."""
    sign = -1.0 if w[0] > 0 else 1.0  # away from w, so that no digits cancel
    v = w.copy()
    v[0] -= sign
    return sign * (np.eye(len(w)) - 2.0 * np.outer(v, v) / (v @ v))
