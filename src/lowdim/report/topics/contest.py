"""Which method predicts held-out words best? All judged by the same words of the same documents.

Some documents are held out, and each of them is cut in two: a model learns from the others, finds
the shares of a held-out document from one half of its words, and is judged by the other half
(`lowdim.text.completion_perplexity`). The unigram model knows how frequent words are, and no
topics: a method that does not beat it has found nothing.
"""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

import lowdim
from lowdim.selection.choice import excess_over
from lowdim.selection.topic_model import topic_estimator

DOCUMENTS, VALUES = 3_000, 150_000  # of the sample: so many documents, fewer of long ones
LEAST_DOCUMENTS = 30
HELD_OUT = 0.2  # of the documents
REPEATS = 3
MOST_ITERATIONS = 100
NAMES = {"lda": "LDA", "plsa": "pLSA", "nmf": "KL-NMF"}
UNIGRAM = "unigram"


class Contest(NamedTuple):
    """Methods by the perplexity of held-out words, the best first.

    Attributes
    ----------
    names : list of str
    perplexity : ndarray (repeats, methods)
    seconds : ndarray (methods,)
        Of a fit, on average.
    n_documents : int
        From which documents to learn and to hold out were drawn.
    n_topics : int
    failures : dict of str to str
        Methods that could not be fitted, and why.
    """

    names: list[str]
    perplexity: np.ndarray
    seconds: np.ndarray
    n_documents: int
    n_topics: int
    failures: dict[str, str]

    @property
    def mean(self) -> np.ndarray:
        """The geometric mean over the repeats, (methods,)."""
        return np.exp(np.log(self.perplexity).mean(axis=0))

    @property
    def error(self) -> np.ndarray:
        """The standard error of the mean, (methods,)."""
        logs = np.log(self.perplexity)
        return self.mean * logs.std(axis=0, ddof=1) / np.sqrt(len(logs))

    @property
    def ties(self) -> list[str]:
        """Methods that are not worse than the best by more than two standard errors."""
        excess = excess_over(np.log(self.perplexity), 0)
        near = excess.mean[1:] <= 2 * excess.error[1:]
        return [name for name, is_near in zip(self.names[1:], near, strict=True) if is_near]


class Unigram(BaseEstimator):
    """One topic: how frequent words are."""

    def fit(self, X: Any, y: Any = None) -> Unigram:
        sums = np.asarray(X.sum(axis=0), dtype=np.float64).reshape(1, -1)
        self.components_ = sums / sums.sum()
        return self

    def transform(self, X: Any) -> np.ndarray:
        return np.ones((X.shape[0], 1))


def contest(X: sp.csr_array, k: int, seed: int) -> Contest | None:
    """The methods compared on a sample of documents; None if they are too few."""
    random = np.random.default_rng(seed)
    usable = np.flatnonzero(np.asarray(X.sum(axis=1)).ravel() >= 2)
    size = min(DOCUMENTS, len(usable), int(VALUES / max(X.nnz / X.shape[0], 1)))
    if size < LEAST_DOCUMENTS:
        return None
    sample = sp.csr_array(X[np.sort(random.choice(usable, size, replace=False))])
    names = [*NAMES.values(), UNIGRAM]
    perplexity, seconds = np.full((REPEATS, len(names)), np.nan), np.zeros(len(names))
    failures: dict[str, str] = {}
    for repeat in range(REPEATS):
        order = random.permutation(size)
        cut = max(2, int(HELD_OUT * size))
        train, test = sp.csr_array(sample[order[cut:]]), sp.csr_array(sample[order[:cut]])
        for m, name in enumerate(names):
            if name in failures:
                continue
            began = time.perf_counter()
            try:
                model = _fitted(name, k, seed + repeat, train)
                seconds[m] += (time.perf_counter() - began) / REPEATS
                perplexity[repeat, m] = lowdim.text.completion_perplexity(
                    model, test, random_state=seed + repeat
                )
            except ValueError as error:
                failures[name] = str(error)
    return _ranked(names, perplexity, seconds, size, k, failures)


def _fitted(name: str, k: int, seed: int, X: sp.csr_array) -> Any:
    if name == UNIGRAM:
        return Unigram().fit(X)
    method = next(key for key, shown in NAMES.items() if shown == name)
    model = topic_estimator(method, k, seed)
    if method != "lda":
        model.set_params(max_iter=MOST_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not converged is judged by what it predicts
        return model.fit(X)


def _ranked(
    names: list[str],
    perplexity: np.ndarray,
    seconds: np.ndarray,
    size: int,
    k: int,
    failures: dict[str, str],
) -> Contest | None:
    ran = [m for m, name in enumerate(names) if name not in failures]
    if len(ran) < 2:
        return None
    order = sorted(ran, key=lambda m: np.log(perplexity[:, m]).mean())
    return Contest(
        [names[m] for m in order], perplexity[:, order], seconds[order], size, k, failures
    )
