"""Errors of principal components on what they have not seen, by their number: (repeats, ranks).

    blocks    X = [A B; C D]: A is predicted from the others (Owen and Perry 2009)
    entries   a tenth of the entries, by PCA that is fitted to the others
    completion    the same by SVP, for matrices of which most is missing

All are squared errors relative to those of means, so that 0 components have the error 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice, pairwise
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import clone

from lowdim.core.progress import watch
from lowdim.linear.pca.estimator import PCA
from lowdim.selection.splits import HELD_OUT_SHARE, entry_folds, hide_entries

MOST_RANKS = 50  # that are tried if nobody says how many


def block_errors(
    X: np.ndarray, max_rank: int | None, repeats: int, random: np.random.Generator
) -> np.ndarray:
    """Errors of A ~ B pinv_k(D) C, where X = [A B; C D] and A is held out: (splits, ranks)."""
    n, d = X.shape
    limit = min(max_rank or MOST_RANKS, (n - n // 2) - 1, d - d // 2)
    if limit < 1:
        raise ValueError(f"X is {n} x {d}: too small to hold out blocks; choose method='mle'.")
    errors = []
    with watch("bi-cross-validation", total=repeats) as bar:
        for done in range(repeats):
            row, column = random.permutation(n), random.permutation(d)
            halves = [(row[: n // 2], row[n // 2 :]), (row[n // 2 :], row[: n // 2])]
            sides = [(column[: d // 2], column[d // 2 :]), (column[d // 2 :], column[: d // 2])]
            split = [
                _errors_of_block(X, out, kept, left, right, limit)
                for out, kept in halves
                for left, right in sides
            ]
            errors.append(np.mean(split, axis=0))
            bar.update(done + 1)
    return np.array(errors)


def _errors_of_block(
    X: np.ndarray,
    out: np.ndarray,
    kept: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    limit: int,
) -> np.ndarray:
    """Relative error of predicting X[out, left] for 0..limit components."""
    mean = X[kept].mean(axis=0)
    A, B = X[np.ix_(out, left)] - mean[left], X[np.ix_(out, right)] - mean[right]
    C, D = X[np.ix_(kept, left)] - mean[left], X[np.ix_(kept, right)] - mean[right]
    U, s, Vt = scipy.linalg.svd(D, full_matrices=False)
    usable = s > s[0] * max(D.shape) * np.finfo(s.dtype).eps if s[0] > 0 else s > 0
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=usable)
    BV, UC = (B @ Vt.T) * inverse, U.T @ C
    residual = A.copy()
    squares = [np.sum(residual**2)]
    for k in range(limit):
        if k < len(s):
            residual -= np.outer(BV[:, k], UC[k])
        squares.append(np.sum(residual**2))
    return np.array(squares) / max(squares[0], np.finfo(float).tiny)


def entry_errors(
    X: np.ndarray, max_rank: int | None, repeats: int, random: np.random.Generator
) -> np.ndarray:
    """Relative errors on a held-out tenth of the observed entries; NaN are not observed."""

    def split() -> Iterator[float]:
        hidden = hide_entries(X, HELD_OUT_SHARE, random)
        for k in count(1):
            model = PCA(k, random_state=0, tol=1e-5).fit(hidden.kept)
            filled = np.asarray(model.impute(hidden.kept))
            yield hidden.error_of(filled[hidden.row, hidden.column])

    return _upwards(split, min(max_rank or MOST_RANKS, *(side - 1 for side in X.shape)), repeats)


def completion_errors(
    X: Any, max_rank: int | None, repeats: int, random: np.random.Generator
) -> np.ndarray:
    """Relative errors on a held-out tenth of the entries, less the mean of all, by SVP."""
    from lowdim.completion.svp import SVP
    from lowdim.selection.search import observed_entries

    model = SVP(center="global", tol=1e-4, max_iter=200, warm_start=True)
    entries = observed_entries(model, X)

    def split() -> Iterator[float]:
        train, test = next(entry_folds(entries, round(1 / HELD_OUT_SHARE), random))
        warm = clone(model)
        for k in count(1):
            warm.set_params(n_components=k).fit(train)
            base = np.mean((test.data - warm.mean_[test.indices]) ** 2)
            yield float(warm.score_entries(test) ** 2 / base)

    limit = min(max_rank or MOST_RANKS, *(side - 1 for side in entries.shape))
    return _upwards(split, limit, repeats)


def _upwards(split: Callable[[], Iterator[float]], limit: int, repeats: int) -> np.ndarray:
    """Errors of 0 to `limit` components in each split, whose iterator gives those of 1, 2, ...

    Ranks are tried upwards until the error has risen three times in a row in the first split.
    """
    losses: list[list[float]] = []
    with watch("held-out entries", total=repeats) as bar:
        for done in range(repeats):
            errors = [1.0]
            for error in islice(split(), limit):
                errors.append(error)
                if done == 0 and len(errors) > 4 and _rising(errors[-4:]):
                    break
            limit = len(errors) - 1
            losses.append(errors)
            bar.update(done + 1)
    return np.array(losses)


def _rising(errors: list[float]) -> bool:
    return all(first < second for first, second in pairwise(errors))
