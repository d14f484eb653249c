"""Distances that scikit-learn does not have, in blocks: each row of X with each row of Y.

    softmax_hellinger   sqrt(1 - sum_f sqrt(p_f q_f)),  p = softmax(x), q = softmax(y)
    symmetric_kl        (KL(p || q) + KL(q || p)) / 2,  p and q the rows divided by their sums
    ll_dirichlet        how unlikely the counts y are by those of x, and x by y (see below)
    poincare            arcosh(1 + 2 |x - y|^2 / ((1 - |x|^2) (1 - |y|^2))),  |x| < 1
    matching            share of the columns in which one of the rows is 0 and the other is not
    kulsinski           (u - t + d) / (u + d): u such columns, t in which neither is 0; 0 if u = 0

"hellinger", which comes from products, is in `framing.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import betaln, softmax

from lowdim.linalg.products import times_row_by_row

TINY = 1e-11  # added to each number, for logarithms of zeros
A_COUNT = 0.9  # from which on a number is counted


def distances_by_name(X: Any, Y: Any, name: str) -> np.ndarray:
    """The distances (m, n) of rows of X to those of Y, by one of `WRITTEN_HERE`."""
    if sp.issparse(X):
        raise TypeError(f"metric={name!r} needs dense rows, and X is sparse; give X.toarray().")
    return WRITTEN_HERE[name](np.asarray(X, np.float64), np.asarray(Y, np.float64))


def check_not_negative(X: Any, name: str) -> None:
    """Raise if a metric of counts or shares is given negative numbers."""
    lowest = float((X.data if sp.issparse(X) else X).min(initial=0.0))
    if lowest < 0:
        raise ValueError(
            f"metric={name!r} is for counts or shares, and X has {lowest:g}; give numbers from 0 "
            "up, or choose metric='euclidean'."
        )


def _softmax_hellinger(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    P, Q = (np.sqrt(softmax(rows, axis=1)) for rows in (X, Y))
    return np.sqrt(np.maximum(1.0 - times_row_by_row(P, Q.T), 0.0))


def _symmetric_kl(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    # sum (p - q) (log p - log q) / 2
    P, Q = (_shares(rows) for rows in (X, Y))
    log_p, log_q = np.log(P), np.log(Q)
    own = np.einsum("if,if->i", P, log_p)[:, None] + np.einsum("if,if->i", Q, log_q)
    both = times_row_by_row(P, log_q.T) + times_row_by_row(log_p, Q.T)
    return np.maximum(own - both, 0.0) / 2.0


def _shares(X: np.ndarray) -> np.ndarray:
    check_not_negative(X, "symmetric_kl")
    return (X + TINY) / (X + TINY).sum(axis=1, keepdims=True)


def _ll_dirichlet(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The square root of l(x, y) / n_y + l(x, y) / n_x, less what each row has with itself.

    l(x, y) = sum_f log B(x_f, y_f) - log B(n_x, n_y) is, but for what y has with itself, the log of
    the probability of the counts y under a Dirichlet distribution with parameters x.
    """
    for rows in (X, Y):
        check_not_negative(rows, "ll_dirichlet")
        if (empty := rows.sum(axis=1) <= 0).any():
            raise ValueError(
                f"metric='ll_dirichlet': row {int(empty.argmax())} of X has no counts; leave such "
                "rows out."
            )
    both = np.zeros((len(X), len(Y)))
    for x, y in zip(X.T, Y.T, strict=True):
        i, j = np.flatnonzero(x > 0), np.flatnonzero(y > 0)
        products = np.outer(x[i], y[j])
        both[np.ix_(i, j)] += np.where(products > A_COUNT, betaln(x[i][:, None], y[j]), 0.0)
    n_x, n_y = X.sum(axis=1), Y.sum(axis=1)
    both -= betaln(n_x[:, None], n_y)
    away = (both - _with_itself(Y, n_y)) / n_y + (both - _with_itself(X, n_x)[:, None]) / n_x[
        :, None
    ]
    return np.sqrt(np.maximum(away, 0.0))


def _with_itself(X: np.ndarray, total: np.ndarray) -> np.ndarray:
    counted = np.where(X > A_COUNT, X, 1.0)  # log B(1, 1) = 0
    return betaln(counted, counted).sum(axis=1) - betaln(total, total)


def _poincare(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    lengths = [np.einsum("if,if->i", rows, rows) for rows in (X, Y)]
    if max(length.max(initial=0.0) for length in lengths) >= 1:
        raise ValueError(
            "metric='poincare' is for rows of a length below 1, and X has longer ones; scale them, "
            "or choose metric='euclidean'."
        )
    squares = np.zeros((len(X), len(Y)))
    for x, y in zip(X.T, Y.T, strict=True):
        squares += np.subtract.outer(x, y) ** 2
    return np.arccosh(1.0 + 2.0 * squares / np.multiply.outer(1.0 - lengths[0], 1.0 - lengths[1]))


def _matching(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return _unequal(X, Y)[0] / X.shape[1]


def _kulsinski(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    unequal, both = _unequal(X, Y)
    d = X.shape[1]
    return np.where(unequal > 0, (unequal - both + d) / (unequal + d), 0.0)


def _unequal(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """In how many columns one row is 0 and the other is not, and in how many neither is."""
    x, y = (X != 0).astype(np.float64), (Y != 0).astype(np.float64)
    both = x @ y.T
    return x.sum(axis=1)[:, None] + y.sum(axis=1) - 2.0 * both, both


WRITTEN_HERE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "softmax_hellinger": _softmax_hellinger,
    "symmetric_kl": _symmetric_kl,
    "ll_dirichlet": _ll_dirichlet,
    "poincare": _poincare,
    "matching": _matching,
    "kulsinski": _kulsinski,
}
