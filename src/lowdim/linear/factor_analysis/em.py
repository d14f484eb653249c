"""Plain EM on the covariance: the lecture's algorithm.

B = W'(W W' + psi)^-1,  E[z | x] = B x
W <- sum xz' (sum zz')^-1,  psi <- diag(S - W sum zx')
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.loop import iterate


class EMParams(NamedTuple):
    W: np.ndarray  # (d, k)
    psi: np.ndarray  # (d,)


def plain_em(estimator, R, n, start, log_scale, floor):
    """The lecture's EM: every iteration is d x d, but there are many."""
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=estimator.tol)
    for W, psi in loop:
        loop.record(negative_log_likelihood(R, W, psi, n, log_scale))
        loop.params = em_update(R, W, psi, floor)
    return loop.params


def em_update(R: np.ndarray, W: np.ndarray, psi: np.ndarray, floor: float) -> EMParams:
    """One step of EM: B = E[z | x] = B x; W = sum xz' (sum zz')^-1; psi with the new W."""
    V = W / psi[:, None]
    posterior = np.linalg.inv(np.eye(W.shape[1]) + W.T @ V)
    B = posterior @ V.T
    sum_xz = R @ B.T
    sum_zz = posterior + B @ sum_xz
    W = np.linalg.solve(sum_zz, sum_xz.T).T
    return EMParams(W, np.maximum(np.diag(R) - np.sum(W * sum_xz, axis=1), floor))


def negative_log_likelihood(R, W, psi, n, log_scale):
    """J at W, psi, by Woodbury."""
    V = W / psi[:, None]
    inner = np.eye(W.shape[1]) + W.T @ V
    log_det = np.sum(np.log(psi)) + np.linalg.slogdet(inner)[1]
    trace = np.sum(np.diag(R) / psi) - np.trace(np.linalg.solve(inner, V.T @ R @ V))
    return n / 2 * (len(R) * np.log(2 * np.pi) + log_det + trace + 2 * log_scale)


def principal_axes_of(S: np.ndarray, k: int) -> np.ndarray:
    """The leading k eigenvectors of S, of length 1."""
    return scipy.linalg.eigh(S)[1][:, ::-1][:, :k]
