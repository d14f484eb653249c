"""Can a discriminator tell fakes from real rows that it has not seen?

    c2st = its accuracy under cross-validation                            0.5: it cannot
    js   = log 2 + 1/2 E log D(X) + 1/2 E log(1 - D(Y))                   nats, from 0 to log 2

js is Jensen and Shannon's divergence for the best D, and less for any other: a bound from below, up
to chance. D is boosted trees: they see single columns and how columns go together,
mind no units, take missing values as they are, and are quick. Trees that learned too much are too
sure of themselves, so their log-odds are multiplied by one number: for each fold the one that is
best for the others.

Lopez-Paz and Oquab (2017), Revisiting classifier two-sample tests, ICLR.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from lowdim.core.threads import ordered_map

FOLDS = 5
LARGEST_FACTOR = 2.0  # of log-odds
LEAF, LEAVES = 20, 10  # rows of a leaf at least, or of few rows as many leaves


class Told(NamedTuple):
    """How well fakes are told from real rows."""

    accuracy: float
    js: float


def tell_apart(real: np.ndarray, fake: np.ndarray, random: np.random.Generator) -> Told:
    """How well a discriminator tells the rows of two matrices, as many of each; NaN are missing."""
    count = min(len(real), len(fake))
    X = np.vstack([real[:count], fake[:count]])
    is_real = np.repeat([True, False], count)
    fold = deal(X, is_real, random)
    seed = int(random.integers(2**31))

    def work(f: int) -> np.ndarray:
        return _odds(X[fold != f], is_real[fold != f], X[fold == f], seed)

    odds = np.empty(len(X))
    for f, found in enumerate(ordered_map(work, range(FOLDS))):
        odds[fold == f] = found
    right = np.where(is_real, odds, -odds)
    return Told(float(((right > 0) + 0.5 * (right == 0)).mean()), _bound(right, fold))


def deal(X: np.ndarray, is_real: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Folds of rows, as many real ones in each; equal rows come together.

    A fake that is the copy of a real row would else be learned as real in one fold and asked for as
    fake in another: an accuracy far below one half.
    """
    same = np.unique(np.where(np.isnan(X), np.inf, X), axis=0, return_inverse=True)[1].ravel()
    share = np.bincount(same, weights=is_real) / np.bincount(same)
    order = random.permutation(len(share))
    order = order[np.argsort(share[order], kind="stable")]
    fold = np.empty(len(share), dtype=np.int64)
    fold[order] = np.arange(len(share)) % FOLDS
    return fold[same]


def _odds(X: np.ndarray, is_real: np.ndarray, asked: np.ndarray, seed: int) -> np.ndarray:
    """The log-odds that rows are real, by what others teach."""
    if len(asked) == 0 or is_real.all() or not is_real.any():
        return np.zeros(len(asked))
    trees = HistGradientBoostingClassifier(
        max_iter=60,
        max_leaf_nodes=15,
        min_samples_leaf=min(LEAF, max(len(X) // LEAVES, 2)),
        early_stopping=False,
        random_state=seed,
    )
    with threadpool_limits(1, user_api="openmp"):  # folds share the threads; OpenMP's wait busily
        return trees.fit(X, is_real).decision_function(asked)


def _bound(right: np.ndarray, fold: np.ndarray) -> float:
    """The bound from log-odds of what is right, each scaled by what is best for other folds."""
    scaled = right.copy()
    for f in np.unique(fold):
        scaled[fold == f] *= _best_factor(right[fold != f])
    return float(np.clip(np.log(2.0) - _loss(scaled), 0.0, np.log(2.0)))


def _best_factor(right: np.ndarray) -> float:
    if len(right) == 0:  # all rows are equal
        return 1.0
    bounds = (0.0, LARGEST_FACTOR)
    return float(minimize_scalar(lambda a: _loss(a * right), bounds=bounds, method="bounded").x)


def _loss(right: np.ndarray) -> float:
    """Mean of -log of the probability of what is right."""
    return float(np.logaddexp(0.0, -right).mean())
