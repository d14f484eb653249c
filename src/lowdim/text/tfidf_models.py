"""Counts weighted by how rare their terms are: tf-idf.

    x_ij <- tf(x_ij) idf_j,      tf(x) = x, or 1 + log x
                                 idf_j = log((n + s) / (df_j + s)) + 1,   s = 1 if smooth, else 0

where df_j of the n documents have term j; then each row is divided by its norm. What is added up
over the rows is df; all else follows from it.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import StrOptions
from lowdim.core.estimator import SavedModel
from lowdim.core.kernel import kernel
from lowdim.core.shapes import Anything, Maybe
from lowdim.core.threads import ordered_map
from lowdim.core.validation import open_rows
from lowdim.linalg.sparse import row_cuts
from lowdim.text.counting.analysis import WORDS_OF_TWO
from lowdim.text.counting.base import given_vocabulary
from lowdim.text.counting.totals import Seen
from lowdim.text.counting.vectorizer import CountVectorizer

COUNTS_AT_A_TIME = 2**16
_WEIGHTS: dict[str, Any] = {
    "norm": [StrOptions({"l1", "l2"}), None],
    "use_idf": ["boolean"],
    "smooth_idf": ["boolean"],
    "sublinear_tf": ["boolean"],
}


class TfidfTransformer(
    OneToOneFeatureMixin, TransformerMixin, SavedModel, BaseEstimator, auto_wrap_output_keys=None
):
    """Counts as weights: frequent in a document and rare among documents weighs most.

    x_ij becomes tf(x_ij) (log((n + s) / (df_j + s)) + 1), where df_j of n documents have term j and
    s is 1 with `smooth_idf`, else 0; then each row is divided by its norm.

    Cost: one pass over the stored counts.

    Parameters
    ----------
    norm : {'l2', 'l1'} or None, default='l2'
        Rows have this norm 1; rows of zeros stay.
    use_idf : bool, default=True
        False leaves out the second factor.
    smooth_idf : bool, default=True
        Count one more document that has every term: terms that no document has weigh something.
    sublinear_tf : bool, default=False
        1 + log(count) in place of the count.

    Attributes
    ----------
    idf_ : ndarray of shape (n_terms,), if use_idf
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,), if X has names

    See Also
    --------
    lowdim.text.tfidf : the weights log10(1 + count) log10(n / df).

    Examples
    --------
    >>> import lowdim
    >>> counts = [[3, 0, 1], [2, 0, 0], [3, 0, 0], [4, 0, 0], [3, 2, 0], [3, 0, 2]]
    >>> tfidf = lowdim.TfidfTransformer(smooth_idf=False).fit(counts)
    >>> tfidf.idf_.round(4).tolist()
    [1.0, 2.7918, 2.0986]
    >>> tfidf.transform(counts).toarray()[0].round(4).tolist()
    [0.8194, 0.0, 0.5732]
    """

    _parameter_constraints: ClassVar[dict] = _WEIGHTS
    shapes: ClassVar[dict] = {"n_features_in_": "d", "idf_": Maybe(("d",))}

    def __init__(self, *, norm="l2", use_idf=True, smooth_idf=True, sublinear_tf=False):
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def fit(self, X, y=None):
        """Learn how many documents have each term.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_terms), stream or Dask array
            Counts.
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        self._validate_params()
        rows = self._open(X, reset=True)
        if self.use_idf:
            documents = rows.fold(_documents_with)
            self._learn(documents, rows.shape[0], rows.dtype)
        return self

    def transform(self, X, copy=True):
        """Weights of counts.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_terms), stream or Dask array
        copy : bool, default=True
            False: a csr matrix of floats may be written into.

        Returns
        -------
        X : csr_array of shape (n_documents, n_terms)
            Of a stream, rows that are weighted as they are read; of a Dask array, a Dask array.
        """
        check_is_fitted(self)
        rows = self._open(X, reset=not hasattr(self, "n_features_in_"))  # idf_ may have been set
        idf = getattr(self, "idf_", None) if self.use_idf else None
        settings = (idf, self.norm, self.sublinear_tf)
        if is_dask(X):
            return rows.map(_weighted_block, *settings)
        if rows.in_memory is None:
            return rows.seen(_weighted_block, *settings)
        counts = rows.in_memory
        if copy or not sp.issparse(counts):
            return weighted(sp.csr_array(counts, copy=True), *settings)
        parts = (counts.data, counts.indices, counts.indptr)
        written = weighted(sp.csr_array(parts, shape=counts.shape), *settings)
        return X if _is_written(X, written) else written

    def _open(self, X: Any, reset: bool) -> Blocks:
        return open_rows(
            self,
            X,
            reset=reset,
            allow_nan=False,
            allow_sparse=True,
            min_rows=1,
            only_observed=False,
        )

    def _learn(self, documents: np.ndarray, n: int, dtype: Any) -> None:
        if not self.smooth_idf and not documents.all():
            warnings.warn(
                f"divide by zero: {np.sum(documents == 0)} terms are in no document, and have an "
                "infinite idf_. Set smooth_idf=True, or leave them out.",
                RuntimeWarning,
                stacklevel=level_of_caller(),
            )
        with np.errstate(divide="ignore"):
            idf = np.log((n + self.smooth_idf) / (documents + self.smooth_idf)) + 1.0
        self.idf_ = idf.astype(dtype, copy=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _is_written(X: Any, written: sp.csr_array) -> bool:
    """Whether X is a csr_matrix that was written into: as in scikit-learn, it is given back."""
    return isinstance(X, sp.csr_matrix) and np.may_share_memory(X.data, written.data)


def _documents_with(X: Any) -> np.ndarray:
    """How many rows have a count that is not 0, by column."""
    if sp.issparse(X):
        stored = X.indices if X.data.all() else X.indices[X.data != 0]
        return np.bincount(stored, minlength=X.shape[1]).astype(np.float64)
    return np.count_nonzero(X, axis=0).astype(np.float64)


def _weighted_block(X: Any, *settings: Any) -> sp.csr_array:
    return weighted(sp.csr_array(X, copy=True), *settings)


def weighted(
    counts: sp.csr_array, idf: np.ndarray | None, norm: str | None, sublinear: bool
) -> sp.csr_array:
    """tf-idf of counts, written into them, runs of rows on threads; stored zeros stay zeros."""

    idf = None if idf is None else idf.astype(counts.dtype, copy=False)

    def work(cut: tuple[int, int]) -> None:
        bounds = counts.indptr[cut[0] : cut[1] + 1]
        here = slice(bounds[0], bounds[-1])
        values = counts.data[here]
        if sublinear:
            _take_logarithms(values)
        if idf is not None:
            values *= idf.take(counts.indices[here])
        if norm is not None:
            divide_by_norms(values, bounds - bounds[0], norm)

    for _ in ordered_map(work, row_cuts(counts.indptr, COUNTS_AT_A_TIME)):
        pass
    return counts


def _take_logarithms(values: np.ndarray) -> None:
    if values.min(initial=0) < 0:
        raise ValueError(
            f"X has a negative value ({values.min():g}); sublinear_tf=True takes logarithms of "
            "counts, which are 0 or more. Set sublinear_tf=False, or leave such values out."
        )
    stored = values != 0
    np.log(values, out=values, where=stored)
    values[stored] += 1


def divide_by_norms(values: np.ndarray, bounds: np.ndarray, norm: str) -> None:
    """Make the norm of each row 1; rows of zeros stay. In float64, without overflow."""
    bounds, sizes = bounds.astype(np.int64, copy=False), np.empty(len(bounds) - 1)
    _norms(values, bounds, norm == "l2", sizes)
    info = np.finfo(values.dtype)  # between these, squares keep their digits, and norms are numbers
    safe = (sizes > np.sqrt(info.tiny) / info.eps) & (sizes < info.max)
    for i in np.flatnonzero(~safe & (bounds[1:] > bounds[:-1])):
        row = values[bounds[i] : bounds[i + 1]]
        row /= np.abs(row).max() or 1
        sizes[i] = np.linalg.norm(row.astype(np.float64), 2 if norm == "l2" else 1) or 1.0
    _divide(values, bounds, sizes)


@kernel(any_order=True)
def _norms(values, bounds, squared, sizes):
    for i in range(len(sizes)):
        total = 0.0
        if squared:
            for m in range(bounds[i], bounds[i + 1]):
                total += float(values[m]) * values[m]
            total = np.sqrt(total)
        else:
            for m in range(bounds[i], bounds[i + 1]):
                total += abs(values[m])
        sizes[i] = total


@kernel
def _divide(values, bounds, sizes):
    for i in range(len(sizes)):
        if bounds[i + 1] > bounds[i]:
            factor = 1.0 / sizes[i]
            for m in range(bounds[i], bounds[i + 1]):
                values[m] = values[m] * factor


class TfidfVectorizer(CountVectorizer):
    r"""Documents as rows of weights: `CountVectorizer`, then `TfidfTransformer`.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, analyzer
        As `CountVectorizer` has them.
    stop_words, token_pattern, ngram_range, stemmer, max_word_length
        As `CountVectorizer` has them.
    max_df, min_df, max_features, vocabulary, binary
        As `CountVectorizer` has them.
    dtype : type, default=np.float64
        Of the matrix.
    norm, use_idf, smooth_idf, sublinear_tf
        As `TfidfTransformer` has them.

    Attributes
    ----------
    vocabulary_ : dict
        Term -> column.
    fixed_vocabulary_ : bool
        Whether it was given.
    idf_ : ndarray of shape (n_terms,), if use_idf
    n_documents_ : int
        How many documents were seen.

    See Also
    --------
    CountVectorizer : the counts alone.

    Examples
    --------
    >>> import lowdim
    >>> vectorizer = lowdim.TfidfVectorizer()
    >>> X = vectorizer.fit_transform(["the cat", "the cat and the dog"])
    >>> vectorizer.idf_.round(3).tolist()
    [1.405, 1.0, 1.405, 1.0]
    >>> X.toarray()[1].round(3).tolist()
    [0.47, 0.334, 0.47, 0.669]
    """

    _parameter_constraints: ClassVar[dict] = {**CountVectorizer._parameter_constraints, **_WEIGHTS}
    shapes: ClassVar[dict] = {**CountVectorizer.shapes, "_tfidf": Maybe(Anything())}

    def __init__(
        self,
        *,
        input="content",
        encoding="utf-8",
        decode_error="strict",
        strip_accents=None,
        lowercase=True,
        preprocessor=None,
        tokenizer=None,
        analyzer="word",
        stop_words=None,
        token_pattern=WORDS_OF_TWO,
        ngram_range=(1, 1),
        max_df=1.0,
        min_df=1,
        max_features=None,
        vocabulary=None,
        binary=False,
        dtype=np.float64,
        norm="l2",
        use_idf=True,
        smooth_idf=True,
        sublinear_tf=False,
        stemmer=None,
        max_word_length=None,
    ):
        own = ("self", "__class__", "own", "norm", "use_idf", "smooth_idf", "sublinear_tf")
        counting = {name: value for name, value in locals().items() if name not in own}
        super().__init__(**counting)
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    @property
    def idf_(self):
        """The weight of each term, if use_idf."""
        if not hasattr(self, "_tfidf"):
            raise NotFittedError(
                f"{type(self).__name__} is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this attribute."
            )
        return self._tfidf.idf_

    @idf_.setter
    def idf_(self, value):
        if not self.use_idf:
            raise ValueError("`idf_` cannot be set when `user_idf=False`.")
        given = getattr(self, "vocabulary_", None) or given_vocabulary(self.vocabulary)
        if given is not None and len(given) != len(value):
            raise ValueError(
                f"idf length = {len(value)} must be equal to vocabulary size = {len(given)}"
            )
        if given is not None and not hasattr(self, "vocabulary_"):
            self.vocabulary_, self.fixed_vocabulary_ = given, True
        weights = getattr(self, "_tfidf", None) or self._weights()
        weights.idf_, weights.n_features_in_ = np.asarray(value), len(value)
        self._tfidf = weights

    def transform(self, raw_documents, folder=None):
        """Weights of the terms that `fit` has learned; other terms do not count.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, Corpus, Dask bag
        folder : path or None, default=None
            Write the rows to .npz files in this folder, and give a `lowdim.stream` of them.

        Returns
        -------
        X : csr_array of shape (n_documents, n_terms)
            A Dask array of such blocks for a Dask bag, a stream if there is a folder.
        """
        check_is_fitted(self, "_tfidf", msg="The TF-IDF vectorizer is not fitted")
        return super().transform(raw_documents, folder)

    def _publish(self, seen: Seen, may_be_none: bool = False) -> np.ndarray:
        if np.dtype(self.dtype) not in (np.float64, np.float32, np.float16):
            warnings.warn(
                "Only (float64, float32, float16) 'dtype' should be used. "
                f"{self.dtype} 'dtype' will be converted to np.float64.",
                UserWarning,
                stacklevel=level_of_caller(),
            )
        chosen = super()._publish(seen, may_be_none)
        self._tfidf = self._weights()
        self._tfidf.n_features_in_ = len(self.vocabulary_)
        if self.use_idf:
            documents = seen.documents[chosen].astype(np.float64)
            self._tfidf._learn(documents, seen.n_documents, self._dtype_out())
        return chosen

    def _weights(self) -> TfidfTransformer:
        return TfidfTransformer(**{name: getattr(self, name) for name in _WEIGHTS})

    def _finished(self, X: sp.csr_array) -> sp.csr_array:
        counts = super()._finished(X)
        idf = self._tfidf.idf_ if self.use_idf else None
        counts = counts.astype(self._dtype_out(), copy=False)
        return weighted(counts, idf, self.norm, self.sublinear_tf)

    def _dtype_out(self) -> np.dtype:
        return np.dtype(np.float32 if np.dtype(self.dtype) == np.float32 else np.float64)
