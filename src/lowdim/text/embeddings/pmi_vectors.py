"""Vectors of words from their pointwise mutual information with contexts.

    A_wv = max(0, log p(w, v) / (p(w) q(v)) - log k)      q(v) ~ p(v)^context_smoothing
    minimise  ||A - W C'||^2     A = U S V':   W = U S^p,  C = V S^(1 - p)

Where word and context were never seen together, A is 0. What is added up over the rows are the sums
of the columns, which give q; then A'A V. With the skip-gram of k negative samples, w.c tends to the
same log-odds: this is its cheap first approximation, without a learning rate or epochs.

A new row has the code a V S^(p - 1), which is w for the rows of the fit.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.kernel import kernel
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.linear.decomposition import decomposition
from lowdim.text.embeddings.base import OF_WORDS, WordModel
from lowdim.text.pairs.counting import context_sums, pairs_by_word
from lowdim.text.pairs.runs import Rows, rows_of
from lowdim.text.tokens.sources import is_text

LOGARITHMS = np.log(np.arange(1.0, 1025.0))  # of small counts


class PMIVectors(WordModel):
    """Vectors of words by a decomposition of their pointwise mutual information.

    Minimises  sum_wv (A_wv - w.c_v)^2,  A = max(0, PMI(w, v) - log negative), in nats, over vectors
    w of the words and c of the contexts.

    Cost: one step for each pair of words that are near each other, then O(nnz k) a pass, some
    passes; memory of the pairs that were seen, and of (n + d) k numbers.
    Use it first: it needs no learning rate, has one solution, and takes seconds.

    Parameters
    ----------
    vector_size : int, default=100
        Dimensions of the vectors; fewer if there are fewer words or contexts.
    negative : int, default=1
        log(negative) is subtracted: the more, the fewer pairs count. What skip-grams with so many
        negative samples factorise.
    context_smoothing : float, default=0.75
        The power of the counts of contexts; below 1, rare contexts count for less.
    positive : bool, default=True
        Values below 0 become 0. False keeps them; pairs that were never seen are 0 in any case.
    eigenvalue_weight : float, default=0.5
        p of W = U S^p: 0 weighs all directions alike, 1 by all that they explain.
    window : int, (left, right), set or list of int, 'sentence', default=5
        Which words are near: so many to each side; so many to the left and the right; those at
        these offsets; all of the sentence.
    weighting : {'flat', 'harmonic'}, default='flat'
        A pair counts 1, or 1 / distance.
    min_count : int, default=5
        Words that stand fewer times in the text are left out before anything is counted.
    max_final_vocab : int or None, default=None
        At most so many words, the commonest.
    tokenizer : {'words', 'split'}, callable or CountVectorizer, default='words'
        How strings are cut into words; see `lowdim.text.read_tokens`.
    combine : {'word', 'sum', 'context', 'average'}, default='word'
        What `vectors_` are: w, w + c, c or (w + c) / 2.
    tol : float, default=0.02
        Where the search for the decomposition stops: when further passes would explain less than
        tol^1.5 of sum A^2. Smaller is slower, and brings the last directions nearer to the exact
        ones; 0 stops at rounding. What neighbours words have hardly depends on it.
    random_state : int, Generator, RandomState or None, default=None
        Draws where the search for the decomposition begins.

    Attributes
    ----------
    vectors_ : ndarray of shape (n, k)
        A vector for each word; float32 for text.
    context_vectors_ : ndarray of shape (d, k)
        C.
    singular_values_ : ndarray of shape (k,)
        S.
    words_ : list of str
        By falling count for text; for a matrix the names of its rows, or their numbers.
    counts_ : ndarray of shape (n,)
        How often each word stands in the text; for a matrix the sums of its rows.
    wv : WordVectors
        Words and vectors, with questions about them.
    n_features_in_ : int
        Contexts d.
    n_iter_, history_, converged_ : int, ndarray, bool
        Passes, the share of sum A^2 not captured after each, whether they sufficed.

    See Also
    --------
    lowdim.text.pmi : the matrix A alone.
    lowdim.text.cooccurrence : counts of pairs.

    References
    ----------
    Levy and Goldberg (2014), Neural word embedding as implicit matrix factorization.
    Levy, Goldberg and Dagan (2015), Improving distributional similarity with lessons learned from
    word embeddings.

    Examples
    --------
    >>> import lowdim
    >>> text = ["the cat drinks milk", "the dog drinks water", "a cat and a dog eat"] * 20
    >>> model = lowdim.PMIVectors(2, window=2).fit(text)
    >>> model.words_[:3], model.vectors_.shape
    (['a', 'cat', 'dog'], (9, 2))
    """

    shapes: ClassVar[dict] = {
        **WordModel.shapes,
        "context_vectors_": ("d", "k"),
        "singular_values_": ("k",),
        "_log_context": ("d",),
    }

    _parameter_constraints: ClassVar[dict] = {
        "vector_size": [AT_LEAST_1],
        "negative": [AT_LEAST_1],
        "context_smoothing": [POSITIVE],
        "positive": ["boolean"],
        "eigenvalue_weight": [Interval(Real, 0, 1, closed="both")],
        "weighting": [StrOptions({"flat", "harmonic"})],
        "tol": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
        **OF_WORDS,
    }

    # of the search for the decomposition
    algorithm: ClassVar[str] = "krylov"
    max_iter: ClassVar[int] = 300

    def __init__(
        self,
        vector_size=100,
        *,
        negative=1,
        context_smoothing=0.75,
        positive=True,
        eigenvalue_weight=0.5,
        window=5,
        weighting="flat",
        min_count=5,
        max_final_vocab=None,
        tokenizer="words",
        combine="word",
        tol=0.02,
        random_state=None,
    ):
        self.vector_size = vector_size
        self.negative = negative
        self.context_smoothing = context_smoothing
        self.positive = positive
        self.eigenvalue_weight = eigenvalue_weight
        self.window = window
        self.weighting = weighting
        self.min_count = min_count
        self.max_final_vocab = max_final_vocab
        self.tokenizer = tokenizer
        self.combine = combine
        self.tol = tol
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None):
        """Learn the vectors of words.

        Parameters
        ----------
        X : text, or matrix of counts of shape (n, d)
            Text: a path, a corpus, strings, lists of words, an iterator of these, a Dask bag. A
            matrix: an array, data frame, sparse matrix, Dask collection or stream, with a row for
            each word and a column for each context.
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        if is_text(X) and self.window != "sentence":
            A = self._information_of_text(X)
        else:
            counts = self._counts_of(X, self.weighting)
            sums = counts.rows.fold(column_sums)
            self._log_context = log_shares(sums, self.context_smoothing)
            self._publish_words(counts)
            A = self._information(counts.rows, np.float32 if is_text(X) else counts.rows.dtype)
            del counts  # of a text they take more memory than all that follows
        found = decomposition(
            self, A, self.vector_size, random_generator(self.random_state), at_most=True
        )
        s, p = found.s * found.unit, self.eigenvalue_weight
        C = np.empty(found.components.shape[::-1], dtype=A.dtype)
        self.context_vectors_ = scaled(found.components.T, powers(s, 1.0 - p), C)
        self.singular_values_ = s.astype(A.dtype)
        if found.codes is None:
            W = A.map(encode, self._back(A.dtype))
            W = np.asarray(W.compute() if hasattr(W, "compute") else W)
        else:  # U S, in units
            W = scaled(found.codes, powers(s, p) / found.s, found.codes)
            W[np.diff(A.in_memory.indptr) == 0] = 0.0  # no rounding where a word has no contexts
        self.vectors_ = self._combined(W, self.context_vectors_)
        return self

    def _row_vectors(self, rows: Blocks) -> Any:
        return self._information(rows, rows.dtype).map(encode, self._back(rows.dtype))

    def _information_of_text(self, X: Any) -> Blocks:
        """A of a text: counts of a run of words become logarithms before the next are counted."""
        tokens = self._tokens_of(X, self.weighting)
        text = (tokens.ids, tokens.starts, len(tokens.words), self.window, self.weighting)
        sums = context_sums(*text)
        self._check_pairs(tokens, sums.any())
        self._log_context = log_shares(sums, self.context_smoothing)
        self.words_, self.counts_ = list(tokens.words), tokens.counts
        view = self._view(np.float32)
        return ArrayBlocks(pairs_by_word(*text, seen_as=lambda counts: informed(counts, *view)))

    def _view(self, dtype: Any) -> tuple:
        """The arguments of `information` and `informed`."""
        shift = float(np.log(self.negative))
        return self._log_context, shift, self.positive, np.dtype(dtype).name

    def _information(self, rows: Blocks, dtype: Any) -> Blocks:
        view = self._view(dtype)
        if rows.in_memory is not None:
            return ArrayBlocks(rows.map(information, *view))
        return rows.seen(information, *view)

    def _back(self, dtype: Any) -> np.ndarray:
        """V S^(p - 1), from C = V S^(1 - p)."""
        s = self.singular_values_.astype(np.float64)
        scale = powers(s, 2.0 * self.eigenvalue_weight - 2.0)
        return np.ascontiguousarray(self.context_vectors_ * scale, dtype=dtype)


def powers(s: np.ndarray, p: float) -> np.ndarray:
    """s^p of singular values; of those that are 0, 0."""
    return np.power(s, p, out=np.zeros(len(s)), where=s > 0)


def scaled(X: np.ndarray, by: np.ndarray, out: np.ndarray) -> np.ndarray:
    """X diag(by), rounded to the type of `out`."""
    return np.multiply(X, by, out=out, casting="same_kind")


def encode(A: Any, back: np.ndarray) -> np.ndarray:
    """Vectors of one block of rows of A."""
    return A @ back


def column_sums(X: Any) -> np.ndarray:
    """What one block adds to the counts of contexts."""
    if sp.issparse(X):
        return X.T @ np.ones(X.shape[0])
    return X.sum(axis=0, dtype=np.float64)


def log_shares(sums: np.ndarray, power: float) -> np.ndarray:
    """log q of each context, q ~ sums^power; 0 for one that was never seen."""
    seen = sums > 0
    logs = np.log(sums, out=np.zeros_like(sums), where=seen)
    largest = logs.max(where=seen, initial=-np.inf)
    if not seen.any():
        return logs
    scaled = power * (logs - largest)
    return np.where(seen, scaled - np.log(np.exp(scaled[seen]).sum()), 0.0)


def information(
    X: Any, log_context: np.ndarray, shift: float, positive: bool, dtype: str
) -> sp.csr_array:
    """A of one block of counts: log p(v|w) / q(v) - shift where there are counts."""
    N = sp.csr_array(X)
    if not N.has_canonical_format:
        N = N.copy()
        N.sum_duplicates()
    length, columns, values = informed(rows_of(N), log_context, shift, positive, dtype)
    indptr = np.concatenate([[0], np.cumsum(length)]).astype(N.indptr.dtype)
    return sp.csr_array((values, columns.astype(N.indices.dtype), indptr), shape=N.shape)


def informed(
    counts: Rows, log_context: np.ndarray, shift: float, positive: bool, dtype: str
) -> Rows:
    """The same of rows of counts.

    In float64: in float32, logarithms of large counts would leave few digits of their differences.
    """
    length = np.empty(len(counts.length), dtype=np.int64)
    columns = np.empty(len(counts.columns), dtype=np.int32)
    values = np.empty(len(counts.columns), dtype=dtype)
    used = _inform(
        counts.length.astype(np.int64, copy=False),
        counts.columns.astype(np.int32, copy=False),
        counts.values.astype(np.float64, copy=False),
        LOGARITHMS,
        log_context + shift,
        positive,
        length,
        columns,
        values,
    )
    return Rows(length, columns[:used], values[:used])


@kernel
def _inform(size, column, count, logs, context, positive, length, columns, values):
    """A of rows of counts; returns how many entries are kept. `logs` are those of 1, 2, ..."""
    n, e = 0, 0
    for i in range(len(size)):
        first, stop, total = n, e + size[i], 0.0
        for j in range(e, stop):
            total += count[j]
        log_row = np.log(total) if total > 0.0 else 0.0
        while e < stop:
            x = count[e]
            whole = int(x) if x <= len(logs) else 0  # most counts are small: of those, known ones
            log = logs[whole - 1] if whole > 0 and x == whole else np.log(x)
            value = log - log_row - context[column[e]]
            if value > 0.0 or (not positive and x > 0.0):
                columns[n] = column[e]
                values[n] = value
                n += 1
            e += 1
        length[i] = n - first
    return n
