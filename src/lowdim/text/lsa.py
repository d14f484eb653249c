"""Latent semantic analysis: weighted counts of words, on the axes of a truncated SVD.

    X (documents x terms) -> weights A_ij = local(x_ij) g_j  ->  A = U diag(s) V' of rank k

    tfidf         x g,              g = log((n + 1) / (df + 1)) + 1;  then rows of length 1
    notes         log10(1 + x) g,   g = log10(n / df)
    log-entropy   log(1 + x) g,     g = 1 + sum_i p_i log p_i / log n,   p_i = x_ij / sum_i x_ij

What is added up over the rows is df, or sum x and sum x log x; then A'A V. A document has the code
u S = a V, and so has one that comes later (folding in); a term has v S. Rows are documents: where
the lecture notes have words in the rows, U and V change places.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.constraints import AT_LEAST_1, RANDOM_STATE, StrOptions
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe, Text
from lowdim.core.validation import check_at_least, check_at_most
from lowdim.linalg.products import dense_times
from lowdim.linalg.similar import number_of
from lowdim.linear.decomposition import decomposition
from lowdim.text.judging.coherence import names_of
from lowdim.text.similarity import Nearest, cosine
from lowdim.text.tfidf_models import divide_by_norms

WEIGHTINGS = ("tfidf", "notes", "log-entropy")


class LSA(Transformer, Estimator):
    """Latent semantic analysis: documents and words as points in one space of few dimensions.

    Minimises  ||A - Z V'||^2  over codes Z (n, k) and orthonormal axes V (d, k), where A are the
    counts X, weighted. Words that occur in the same documents get similar codes, and documents with
    such words too, without a word in common.

    Cost: O(nnz k) time per pass, some passes; O((n + d) k) memory beside X.

    Parameters
    ----------
    n_components : int, default=100
        Dimensions k; fewer if X has fewer rows or columns.
    weighting : {'tfidf', 'notes', 'log-entropy'} or None, default='tfidf'
        'tfidf': as `TfidfTransformer` has them, rows of length 1. 'notes': log10(1 + count)
        log10(n / df), as `lowdim.text.tfidf`. 'log-entropy': log(1 + count), times 1 less the
        entropy of a word over documents. None: X as it is.
    names : list of str or None, default=None
        The word of each column; None takes the names of the columns of X, or their numbers.
    random_state : int, Generator, RandomState or None, default=None
        Draws where the search begins.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        The axes V', by decreasing singular value; in each the entry of largest size is positive.
    singular_values_ : ndarray of shape (k,)
    embedding_ : ndarray of shape (n, k)
        The codes U S of the documents of `fit`.
    term_weights_ : ndarray of shape (d,)
        g, what the counts of each word are multiplied by.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names
    n_iter_, history_, converged_ : int, ndarray, bool
        Passes, the share of the squares not captured after each, whether they sufficed.

    See Also
    --------
    TruncatedSVD : the decomposition alone.
    text.cosine : how alike rows are.

    References
    ----------
    Deerwester, Dumais, Furnas, Landauer and Harshman (1990), Indexing by latent semantic analysis.
    Dumais (1991) for 'log-entropy'.

    Examples
    --------
    >>> import lowdim
    >>> docs = ["cat dog", "cat dog pet", "dog pet", "law tax", "tax law vote", "vote law"]
    >>> vectorizer = lowdim.CountVectorizer()
    >>> X = vectorizer.fit_transform(docs)
    >>> lsa = lowdim.LSA(2, names=vectorizer.get_feature_names_out()).fit(X)
    >>> sorted(word for word, _ in lsa.similar_terms("cat", n=2))
    ['dog', 'pet']
    >>> sorted(lsa.similar_documents(vectorizer.transform(["pet cat"]), n=3).index[0].tolist())
    [0, 1, 2]
    """

    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "components_": ("k", "d"),
        "singular_values_": ("k",),
        "embedding_": ("n", "k"),
        "term_weights_": ("d",),
        "_names": Maybe(Text(("d",))),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "weighting": [StrOptions(set(WEIGHTINGS)), None],
        "names": ["array-like", None],
        "random_state": RANDOM_STATE,
    }

    # of the search for the axes
    algorithm: ClassVar[str] = "krylov"
    tol: ClassVar[float] = 0.0
    max_iter: ClassVar[int] = 300

    def __init__(self, n_components=100, *, weighting="tfidf", names=None, random_state=None):
        self.n_components = n_components
        self.weighting = weighting
        self.names = names
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None):
        """Learn weights and axes from counts.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            Counts, a row for each document.
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        rows = self._counts(X, reset=True)
        d = rows.n_columns
        self._names = None if self.names is None else [str(n) for n in names_of(self.names, d)]
        weights = term_weights(rows, self.weighting)
        A = _weighted_rows(rows, self.weighting, weights)
        found = decomposition(
            self, A, self.n_components, random_generator(self.random_state), at_most=True
        )
        self.term_weights_ = weights.astype(rows.dtype)
        self.components_ = found.components.astype(rows.dtype, copy=False)
        self.singular_values_ = (found.s * found.unit).astype(rows.dtype)
        codes = A.map(encode, np.ascontiguousarray(self.components_.T))
        self.embedding_ = codes.compute() if hasattr(codes, "compute") else codes
        return self

    def transform(self, X):
        """Codes of documents: fold them in, a V = u S. Shape (n, k)."""
        rows = self._counts(X, reset=False)
        A = _weighted_rows(rows, self.weighting, self.term_weights_)
        return A.map(encode, np.ascontiguousarray(self.components_.T))

    def association(self, X, terms=None):
        """How much each document has to do with each word, u S v'.

        The weighted counts as k dimensions have them: also for words that a document does not have,
        but similar documents have.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            Counts.
        terms : str, int, list of them, or None, default=None
            Words, or numbers of columns; None means all.

        Returns
        -------
        association : ndarray of shape (n, number of terms)
        """
        Z = self.transform(X)
        if terms is None:
            return dense_times(Z, self.components_)
        several = [terms] if isinstance(terms, str | Integral) else list(terms)
        columns = [self._column(term) for term in several]
        return dense_times(Z, np.ascontiguousarray(self.components_[:, columns]))

    def similar_terms(self, term, n=10):
        """The words whose codes v S have the largest cosines with that of a word.

        Parameters
        ----------
        term : str or int
            A word, or the number of a column.
        n : int, default=10

        Returns
        -------
        similar : list of (word, cosine)
            The most similar first; without the word itself.
        """
        check_is_fitted(self)
        d = self.components_.shape[1]
        n = check_at_most("n", n, d - 1, "other words")
        column = self._column(term)
        codes = self.components_.T * self.singular_values_
        near = cosine(codes[[column]], codes, top=min(n + 1, d))
        found = zip(near.index[0].tolist(), near.cosine[0].tolist(), strict=True)
        names = self._words()
        return [(names[j], value) for j, value in found if j != column][:n]

    def similar_documents(self, X, n=10):
        """The documents of `fit` whose codes have the largest cosines with those of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)
            Counts of documents; words to look for are a short document.
        n : int, default=10

        Returns
        -------
        index, cosine : ndarray of shape (m, n)
            Numbers of rows of `fit`, the most similar first, and their cosines.
        """
        check_is_fitted(self)
        n = check_at_least("n", n, 1)
        check_at_most("n", n, len(self.embedding_), "documents of fit")
        near = cosine(self.transform(X), self.embedding_, top=n)
        return Nearest(near.index, near.cosine)

    # ---- inside ----------------------------------------------------------------------------------

    def _counts(self, X: Any, reset: bool) -> Blocks:
        rows = self.open_rows(X, reset=reset)
        return rows if self.weighting is None else rows.checked(_refuse_negative, self.weighting)

    def _known_names(self) -> Any:
        return self._names if self._names is not None else getattr(self, "feature_names_in_", None)

    def _words(self) -> list[Any]:
        names = self._known_names()
        return list(range(self.n_features_in_)) if names is None else list(names)

    def _column(self, term: Any) -> int:
        return number_of(term, self._known_names(), self.n_features_in_)

    @property
    def _n_features_out(self):
        return len(self.components_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.weighting is not None
        return tags


def encode(A: Any, V: np.ndarray) -> np.ndarray:
    """Codes of one block of weighted rows."""
    return A @ V


# ---- weights -------------------------------------------------------------------------------------


class TermSums(NamedTuple):
    """What the weights of words follow from."""

    documents: np.ndarray  # (d,)  rows with the word
    sum_x: np.ndarray  # (d,)
    sum_x_log_x: np.ndarray  # (d,)
    n: int  # rows


def term_sums(X: Any) -> TermSums:
    """What one block adds up."""
    n, d = X.shape
    A = sp.csr_array(X)
    x, j = A.data.astype(np.float64, copy=False), A.indices
    with np.errstate(divide="ignore", invalid="ignore"):
        x_log = np.where(x > 0, x * np.log(x), 0.0)
    documents, sum_x, sum_x_log_x = (
        np.bincount(j, weights=value, minlength=d) for value in (x > 0, x, x_log)
    )
    return TermSums(documents, sum_x, sum_x_log_x, n)


def term_weights(rows: Blocks, weighting: str | None) -> np.ndarray:
    """The factor g of each word, (d,); 0 for words that no document has, unless smoothed."""
    if weighting is None:
        return np.ones(rows.n_columns)
    df, sum_x, sum_x_log_x, n = rows.fold(term_sums)
    if weighting == "tfidf":
        return np.log((n + 1.0) / (df + 1.0)) + 1.0
    if weighting == "notes":
        return np.log10(n / np.where(df > 0, df, n))
    # sum p log p = sum x log x / sum x - log sum x, for p = x / sum x
    known = np.where(sum_x > 0, sum_x, 1.0)
    entropy = np.where(sum_x > 0, np.log(known) - sum_x_log_x / known, 0.0)
    return np.clip(1.0 - entropy / np.log(n), 0.0, 1.0) if n > 1 else np.ones(len(df))


def _weighted_rows(rows: Blocks, weighting: str | None, weights: np.ndarray) -> Blocks:
    if weighting is None:
        return rows
    weights = np.asarray(weights, dtype=rows.dtype)
    if rows.in_memory is not None:
        return ArrayBlocks(weighted(rows.in_memory, weighting, weights))
    return rows.seen(weighted, weighting, weights)


def weighted(X: Any, weighting: str, weights: np.ndarray) -> Any:
    """Counts of a block, weighted; a csr_array."""
    A = sp.csr_array(X, copy=True)
    A.sum_duplicates()
    if weighting == "tfidf":
        A.data *= weights[A.indices]
        divide_by_norms(A.data, A.indptr, "l2")
        return A
    np.log1p(A.data, out=A.data)
    if weighting == "notes":
        A.data /= A.dtype.type(np.log(10.0))
    A.data *= weights[A.indices]
    return A


def _refuse_negative(X: Any, weighting: str) -> None:
    values = X.data if sp.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to LSA: X has {values.min():g}. weighting="
            f"{weighting!r} takes counts, 0 or more; for other numbers set weighting=None."
        )
