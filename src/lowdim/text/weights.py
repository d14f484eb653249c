"""Weights of counts, as the lecture notes have them.

    tf-idf      log10(1 + c_ij) log10(N / df_j)
    PMI         log_b  P(i, j) / (P(i) P(j)) - shift,     P(i, j) = c_ij / sum c

A zero count has no logarithm of its probability: its pair is not stored, and counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.core.validation import open_rows_for
from lowdim.linalg.sparse import row_cuts

PAIRS_AT_A_TIME = 2**17


@single_threaded_blas()
def tfidf(counts: Any, *, df: Any = None, n_documents: float | None = None) -> Any:
    """Counts weighted by log10(1 + count) log10(N / df): frequent here, rare elsewhere.

    Parameters
    ----------
    counts : array or sparse matrix of shape (n_documents, n_terms)
        Rows are documents.
    df : array of shape (n_terms,) or None, default=None
        How many documents have each term; None counts them in `counts`. Give it where these rows
        are some of more documents.
    n_documents : number or None, default=None
        N; None is the number of rows.

    Returns
    -------
    weights : ndarray, or csr_array for a sparse matrix
        Terms that are in all documents have weight 0.

    See Also
    --------
    lowdim.TfidfTransformer : scikit-learn's weights, learned and applied to other documents.

    Examples
    --------
    >>> import lowdim
    >>> lowdim.text.tfidf([[1, 0], [3, 1]]).round(3).tolist()
    [[0.0, 0.0], [0.0, 0.091]]
    """
    X = _counts("tfidf", counts)
    n = X.shape[0] if n_documents is None else n_documents
    if df is None:
        df = (
            np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
            if sp.issparse(X)
            else (np.count_nonzero(X, axis=0))
        )
    df = np.asarray(df, dtype=np.float64)
    if df.shape != (X.shape[1],):
        raise ValueError(f"df has shape {df.shape}; counts have {X.shape[1]} terms (columns).")
    used = np.unique(X.indices[X.data != 0]) if sp.issparse(X) else np.flatnonzero(X.any(axis=0))
    if len(used) and not (0 < df[used].min() and df[used].max() <= n):
        raise ValueError(
            f"df must be from 1 to n_documents={n} for every term that occurs; it is from "
            f"{df[used].min():g} to {df[used].max():g}."
        )
    rarity = np.log10(n / np.where(df > 0, df, n))
    if not sp.issparse(X):
        return np.log1p(X) / math.log(10.0) * rarity
    values = np.log1p(X.data.astype(np.float64)) / math.log(10.0) * rarity[X.indices]
    return sp.csr_array((values, X.indices.copy(), X.indptr.copy()), shape=X.shape)


@single_threaded_blas()
def pmi(
    counts: Any,
    *,
    positive: bool = False,
    smoothing: float = 1.0,
    shift: float = 0.0,
    base: float = 2,
) -> Any:
    """Pointwise mutual information of rows and columns: how much more often than by chance.

    log_base( P(i, j) / (P(i) P(j)) ) - shift, where P(i, j) is the share of count ij in all counts,
    P(i) that of a row, and P(j) that of a column, raised to the power `smoothing` and made to add
    up to 1 again.

    Parameters
    ----------
    counts : array or sparse matrix of shape (n_words, n_contexts)
        None may be negative.
    positive : bool, default=False
        Values below 0 become 0 (PPMI), and are not stored in a sparse result.
    smoothing : float, default=1.0
        Below 1, rare contexts count for less; 0.75 is usual.
    shift : float, default=0.0
        What is subtracted: log(k) makes it what skip-grams with k negative samples factorise.
    base : float, default=2
        Of the logarithm.

    Returns
    -------
    values : ndarray, or csr_array for a sparse matrix
        Pairs that were never seen have the value 0, and are not stored in a sparse result.

    References
    ----------
    Levy, Goldberg, Dagan (2015), Improving distributional similarity with lessons learned from word
    embeddings, section 3: shift and smoothing.

    Examples
    --------
    >>> import lowdim
    >>> lowdim.text.pmi([[8, 0], [4, 4]], positive=True).round(3).tolist()
    [[0.415, 0.0], [0.0, 1.0]]
    """
    if not smoothing > 0:
        raise ValueError(f"smoothing={smoothing} must be above 0; 1.0 is none.")
    if not base > 1:
        raise ValueError(f"base={base} must be above 1.")
    X = _counts("pmi", counts)
    C = _where(sp.csr_array(X), lambda counts: counts > 0)
    if not C.nnz:
        raise ValueError("counts are all 0; pmi needs at least one pair that was seen.")
    shares = C.data / np.float64(C.data.max())  # of any scale
    C = sp.csr_array((shares, C.indices.copy(), C.indptr.copy()), shape=C.shape)
    of_column = np.bincount(C.indices, weights=C.data, minlength=C.shape[1])
    log_row = _log(C @ np.ones(C.shape[1]))
    log_context = smoothing * _log(of_column)
    log_context -= np.log(np.exp(log_context[of_column > 0]).sum())

    def work(cut: tuple[int, int]) -> None:
        bounds = C.indptr[cut[0] : cut[1] + 1]
        here = slice(bounds[0], bounds[-1])
        values = C.data[here]
        np.log(values, out=values)
        values -= np.repeat(log_row[slice(*cut)], np.diff(bounds))
        values -= log_context[C.indices[here]]
        values /= math.log(base)
        values -= shift

    for _ in ordered_map(work, row_cuts(C.indptr, PAIRS_AT_A_TIME)):
        pass
    found = _where(C, lambda values: values > 0) if positive else C
    return found if sp.issparse(X) else found.toarray()


def _log(sums: np.ndarray) -> np.ndarray:
    """The logarithm where there is one; nothing is stored in the other rows and columns."""
    return np.log(sums, out=np.zeros_like(sums), where=sums > 0)


def _where(C: sp.csr_array, chosen: Callable[[np.ndarray], np.ndarray]) -> sp.csr_array:
    """Without the stored values that are not chosen."""
    keep = chosen(C.data)
    if keep.all():
        return C
    before = np.concatenate([[0], np.cumsum(keep)])
    indptr = before[C.indptr].astype(C.indptr.dtype)
    return sp.csr_array((C.data[keep], C.indices[keep], indptr), shape=C.shape)


def _counts(function: str, counts: Any) -> Any:
    """Counts in memory, a csr_array or an ndarray; none is negative."""
    rows = open_rows_for(function, counts)
    X = rows.in_memory
    if X is None:
        raise TypeError(f"{function} takes counts in memory, not {type(counts).__name__}.")
    values = X.data if sp.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"counts have a negative value ({values.min():g}); {function} takes counts, which are "
            "0 or more."
        )
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
