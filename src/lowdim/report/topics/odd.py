"""Odd documents: those whose words the topics explain worse than those of documents as long.

    fit_i = 1/l_i sum_w x_iw log( (1 - s) sum_z theta_iz phi_zw + s / v )        per word

Long documents fit worse, since they wander, and short ones vary more. So each document is held
against those about as long, NEIGHBOURS at a time: how many of their deviations it lies below their
median. The surprise of a word is what it costs beyond what its own frequency in the document would:

    x_iw ( log(x_iw / l_i) - log p_iw )
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.sparse import product_at

SMOOTHING = 1e-3
NEIGHBOURS = 200
LEAST_WORDS = 10
ODD = 3.5  # deviations
MOST_ODD = 20
SURPRISING = 6  # words that are named
NORMAL = 1.4826  # a deviation of the normal distribution is so many median absolute ones


class OddDocument(NamedTuple):
    """A document that the topics explain badly.

    Attributes
    ----------
    document : int
    deviations : float
        Below the median of documents as long.
    perplexity : float
        exp(-fit): how many words are as likely as the next one.
    words : list of str
        The most surprising ones.
    """

    document: int
    deviations: float
    perplexity: float
    words: list[str]


class Oddness(NamedTuple):
    """How well the topics explain each document.

    Attributes
    ----------
    fit : ndarray (n,)
        log p per word; NaN without words.
    deviations : ndarray (n,)
        Below the median of documents as long; NaN where there are too few words.
    documents : list of OddDocument
        The oddest, beyond ODD deviations.
    n_odd : int
        How many there are.
    """

    fit: np.ndarray
    deviations: np.ndarray
    documents: list[OddDocument]
    n_odd: int


def odd_documents(
    X: sp.csr_array, shares: np.ndarray, topics: np.ndarray, terms: np.ndarray
) -> Oddness:
    """How well topics explain each document, and which they explain worst.

    Parameters
    ----------
    X : csr_array (n, v)
        Counts.
    shares : ndarray (n, k)
        theta.
    topics : ndarray (k, v)
        phi.
    terms : ndarray of str (v,)
    """
    log_p = log_probabilities(X, shares, topics)
    n_words = np.asarray(X.sum(axis=1)).ravel()
    loglik = _row_sums(X, X.data * log_p)
    with np.errstate(invalid="ignore", divide="ignore"):
        fit = loglik / n_words
    deviations = below_the_median(fit, n_words)
    order = np.argsort(-np.nan_to_num(deviations, nan=-np.inf), kind="stable")
    n_odd = int(np.nansum(deviations > ODD))
    found = [
        OddDocument(
            int(i), float(deviations[i]), float(np.exp(-fit[i])), _surprising(X, log_p, i, terms)
        )
        for i in order[: min(n_odd, MOST_ODD)]
    ]
    return Oddness(fit, deviations, found, n_odd)


def log_probabilities(X: sp.csr_array, shares: np.ndarray, topics: np.ndarray) -> np.ndarray:
    """log p of the stored words of each document, (nnz,), in the order of rows."""
    p = product_at(X, np.asarray(shares, dtype=np.float64), topics.T.astype(np.float64))
    return np.log((1 - SMOOTHING) * p + SMOOTHING / topics.shape[1])


def below_the_median(fit: np.ndarray, n_words: np.ndarray) -> np.ndarray:
    """How many deviations each fit lies below that of documents as long; NaN for short ones."""
    usable = np.flatnonzero((n_words >= LEAST_WORDS) & np.isfinite(fit))
    deviations = np.full(len(fit), np.nan)
    if len(usable) < 2 * LEAST_WORDS:
        return deviations
    order = usable[np.argsort(n_words[usable], kind="stable")]
    bins = np.array_split(order, max(1, len(order) // NEIGHBOURS))
    middle = np.array([np.median(fit[b]) for b in bins])
    spread = np.array(
        [NORMAL * np.median(np.abs(fit[b] - m)) for b, m in zip(bins, middle, strict=True)]
    )
    length = np.array([np.log(n_words[b]).mean() for b in bins])
    own = np.log(n_words[usable])
    at = np.interp(own, length, middle)
    scale = np.maximum(np.interp(own, length, spread), 1e-9)
    deviations[usable] = (at - fit[usable]) / scale
    return deviations


def _surprising(X: sp.csr_array, log_p: np.ndarray, i: int, terms: np.ndarray) -> list[str]:
    span = slice(X.indptr[i], X.indptr[i + 1])
    counts = X.data[span].astype(np.float64)
    surprise = counts * (np.log(counts / counts.sum()) - log_p[span])
    top = np.argsort(-surprise, kind="stable")[:SURPRISING]
    return [str(terms[j]) for j in X.indices[span][top]]


def _row_sums(X: sp.csr_array, values: np.ndarray) -> np.ndarray:
    """The sums of values of stored entries by row; 0 for rows without."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.bincount(rows, weights=values, minlength=X.shape[0])
