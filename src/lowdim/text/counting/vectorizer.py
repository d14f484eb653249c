r"""`CountVectorizer`: how often each document has each term.

    x_ij = how often term j stands in document i

`fit` adds up, over the documents, how many of them have each term and how often; which terms become
columns follows from these sums. So documents may come in parts (`partial_fit`), and parts that were
counted apart may be put together (`merge`), with the same result.

Cost: one pass; memory of the different terms, and of the stored counts where a matrix is asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import closing
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, metadata_routing
from sklearn.utils.validation import check_array, check_is_fitted

from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import AT_LEAST_1, HasMethods, Interval, RealNotInt, StrOptions
from lowdim.core.estimator import SavedModel
from lowdim.core.shapes import Anything, Maybe
from lowdim.text.counting.analysis import WORDS_OF_TWO, TextAnalysis
from lowdim.text.counting.base import (
    check_known,
    counter_of,
    given_vocabulary,
    is_dask_documents,
    on_dask,
    open_documents,
    written_to,
)
from lowdim.text.counting.tally import Part, Sums, stacked
from lowdim.text.counting.totals import Filters, Seen, added, chosen_terms

_DOCUMENT_SHARE = [Interval(RealNotInt, 0, 1, closed="both"), AT_LEAST_1]


class CountVectorizer(TextAnalysis, SavedModel, BaseEstimator):
    r"""Documents as rows of counts of words, or of other terms.

    Words are runs of letters and digits, in lower case. They are cut and numbered by compiled
    loops, on all threads; the matrix is that of scikit-learn's class of this name. Other patterns,
    characters instead of words, and functions of the user's run in Python.

    Cost: one pass over the documents; memory of a chunk of them, of the different terms, and of the
    stored counts.

    Parameters
    ----------
    input : {'content', 'filename', 'file'}, default='content'
        What the items are: texts (or bytes), names of files, or open files.
    encoding : str, default='utf-8'
        How bytes are decoded.
    decode_error : {'strict', 'ignore', 'replace'}, default='strict'
        What happens to bytes that are no characters.
    strip_accents : {'ascii', 'unicode'}, callable or None, default=None
        Take accents off: 'unicode' in all alphabets, 'ascii' leaves out all else that is not ASCII.
    lowercase : bool, default=True
        Make all letters small before words are cut.
    preprocessor : callable or None, default=None
        What is done to a document instead of `lowercase` and `strip_accents`.
    tokenizer : callable or None, default=None
        What cuts a document into words instead of `token_pattern`.
    stop_words : 'english', str, list or None, default=None
        Words that do not count: a list; 'english', scikit-learn's list; or a language of
        stopwordsiso by its code, such as 'de', whose words are cut as documents are.
    token_pattern : str or None, default=r"(?u)\b\w\w+\b"
        What a word is, for `re`; with a group, what the group holds. The default: two or more
        letters, digits or underscores.
    ngram_range : tuple (least, most), default=(1, 1)
        Terms are so many words (or characters) in a row: (1, 2) gives words and pairs.
    analyzer : {'word', 'char', 'char_wb'} or callable, default='word'
        Terms are words, characters in a row, or characters in a row within words; or what a
        function makes of a document.
    max_df : float in [0, 1] or int, default=1.0
        Leave out terms that are in more documents: a share of them, or a number.
    min_df : float in [0, 1] or int, default=1
        Leave out terms that are in fewer documents.
    max_features : int or None, default=None
        Only so many terms, the most frequent ones.
    vocabulary : mapping, iterable or None, default=None
        The terms, and their columns; nothing is filtered then.
    binary : bool, default=False
        1 for every count that is not 0.
    dtype : type, default=np.int64
        Of the matrix.
    stemmer : str, callable or None, default=None
        What stands for a word: a language of snowballstemmer, such as 'english', or a function of
        one word. Each different word is looked up once, after stop words are left out.
    max_word_length : int or None, default=None
        Leave out words with more characters (lines of encoded files, for one), as if they were
        stop words.

    Attributes
    ----------
    vocabulary_ : dict
        Term -> column.
    fixed_vocabulary_ : bool
        Whether it was given.
    n_documents_ : int
        How many documents were seen.

    See Also
    --------
    TfidfVectorizer : counts weighted by how rare their terms are.
    lowdim.corpus : documents of files, larger than memory.

    Notes
    -----
    The columns are in the order of their terms (code points). Of terms that are equally frequent,
    `max_features` takes those that scikit-learn takes.

    The model keeps what was added up for all terms, also for those that the filters leave out: so
    `partial_fit` and `merge` can go on.

    Examples
    --------
    >>> import lowdim
    >>> vectorizer = lowdim.CountVectorizer()
    >>> X = vectorizer.fit_transform(["the cat", "the cat and the dog"])
    >>> vectorizer.get_feature_names_out().tolist()
    ['and', 'cat', 'dog', 'the']
    >>> X.toarray()
    array([[0, 1, 0, 1],
           [1, 1, 1, 2]])
    """

    # documents are no metadata: scikit-learn would route them by their name
    __metadata_request__fit: ClassVar[dict] = {"raw_documents": metadata_routing.UNUSED}
    __metadata_request__transform: ClassVar[dict] = {
        "raw_documents": metadata_routing.UNUSED,
        "folder": metadata_routing.UNUSED,
    }
    __metadata_request__partial_fit: ClassVar[dict] = {"raw_documents": metadata_routing.UNUSED}

    _parameter_constraints: ClassVar[dict] = {
        "input": [StrOptions({"filename", "file", "content"})],
        "encoding": [str],
        "decode_error": [StrOptions({"strict", "ignore", "replace"})],
        "strip_accents": [StrOptions({"ascii", "unicode"}), None, callable],
        "lowercase": ["boolean"],
        "preprocessor": [callable, None],
        "tokenizer": [callable, None],
        "stop_words": [str, list, tuple, set, frozenset, None],
        "token_pattern": [str, None],
        "ngram_range": [tuple],
        "analyzer": [StrOptions({"word", "char", "char_wb"}), callable],
        "max_df": _DOCUMENT_SHARE,
        "min_df": _DOCUMENT_SHARE,
        "max_features": [AT_LEAST_1, None],
        "vocabulary": [Mapping, HasMethods("__iter__"), None],
        "binary": ["boolean"],
        "dtype": "no_validation",
        "stemmer": [str, callable, None],
        "max_word_length": [AT_LEAST_1, None],
    }
    vocabulary_: dict[Any, int]
    fixed_vocabulary_: bool
    not_saved: ClassVar[frozenset[str]] = frozenset({"_stop_words_id"})
    shapes: ClassVar[dict] = {
        "vocabulary_": Anything(),
        "fixed_vocabulary_": Anything(),
        "n_documents_": Maybe(()),
        "_seen": Maybe({"documents": ("terms",), "occurrences": ("terms",)}),
    }

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
        stop_words=None,
        token_pattern=WORDS_OF_TWO,
        ngram_range=(1, 1),
        analyzer="word",
        max_df=1.0,
        min_df=1,
        max_features=None,
        vocabulary=None,
        binary=False,
        dtype=np.int64,
        stemmer=None,
        max_word_length=None,
    ):
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.stemmer = stemmer
        self.max_word_length = max_word_length

    def fit(self, raw_documents, y=None):
        """Learn the terms of documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, Corpus, Dask bag
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        self._count(raw_documents, keep=None)
        return self

    def fit_transform(self, raw_documents, y=None):
        """The same as fit(raw_documents).transform(raw_documents), in one pass."""
        parts: list[Part] = []
        chosen = self._count(raw_documents, keep=parts)
        column = np.full(len(self._seen.terms) + 1, -1, dtype=np.int32)  # the last one: of no term
        column[chosen] = np.arange(len(chosen))
        return self._finished(stacked(parts, column, len(self.vocabulary_), self.dtype))

    def partial_fit(self, raw_documents, y=None):
        """Add further documents to what was seen; filters apply to the sums.

        The first parts may have no term that passes the filters; `transform` needs at least one.
        """
        before = getattr(self, "_seen", None)
        again = before is not None and self.fixed_vocabulary_  # it may have been an iterator
        seen = self._seen_in(raw_documents, None, again)
        self._publish(seen if before is None else added(before, seen), may_be_none=True)
        return self

    def merge(self, other):
        """Add what another vectorizer has seen, as if its documents had come here.

        Parameters
        ----------
        other : CountVectorizer
            Fitted, of the same class and with the same arguments.

        Returns
        -------
        self
        """
        _check_same_class(self, other)
        check_is_fitted(self, "_seen")
        check_is_fitted(other, "_seen")
        _check_same_arguments(self, other)
        self._publish(added(self._seen, other._seen), may_be_none=True)
        return self

    def transform(self, raw_documents, folder=None):
        """Counts of the terms that `fit` has learned; other terms do not count.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, Corpus, Dask bag
        folder : path or None, default=None
            Write the rows to .npz files in this folder, and give a `lowdim.stream` of them: for
            matrices that are larger than memory.

        Returns
        -------
        X : csr_array of shape (n_documents, n_terms)
            A Dask array of such blocks for a Dask bag, a stream if there is a folder.
        """
        documents = open_documents(raw_documents)
        check_known(self)
        n_columns = len(self.vocabulary_)
        if is_dask_documents(raw_documents) and folder is None:
            return on_dask(raw_documents, self.transform, n_columns, self._dtype_out())
        to_come = documents if folder is None else None
        with closing(counter_of(self, self.vocabulary_, to_come).parts(documents)) as parts:
            if folder is not None:
                return written_to(folder, parts, n_columns, self.dtype, self._finished)
            return self._finished(stacked(list(parts), None, n_columns, self.dtype))

    def inverse_transform(self, X):
        """The terms of each row that are not 0, as a list of arrays."""
        check_known(self)
        rows = sp.csr_array(check_array(X, accept_sparse="csr"))
        rows.eliminate_zeros()
        terms = np.array(self.get_feature_names_out().tolist())
        return [terms[np.sort(part)] for part in np.split(rows.indices, rows.indptr[1:-1])]

    def get_feature_names_out(self, input_features=None):
        """The terms, in the order of their columns; `input_features` is ignored."""
        check_known(self)
        names = np.empty(len(self.vocabulary_), dtype=object)
        for term, column in self.vocabulary_.items():
            names[column] = term
        return names

    # ---- what the methods share ------------------------------------------------------------------

    def _count(self, documents: Any, keep: list[Part] | None) -> np.ndarray:
        """Look at all documents; returns which of the terms that were seen have columns."""
        seen = self._seen_in(documents, keep)
        if not seen.terms:
            raise ValueError(self._why_empty(seen.n_documents))
        return self._publish(seen)

    def _seen_in(self, raw_documents: Any, keep: list[Part] | None, again: bool = False) -> Seen:
        documents = open_documents(raw_documents)
        self._validate_params()
        self._check_ngram_range()
        self._warn_of_unused()
        given = self.vocabulary_ if again else given_vocabulary(self.vocabulary)
        self.fixed_vocabulary_ = given is not None
        if given is not None and self.lowercase and _has_capitals(given):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These "
                "entries will not be matched with any documents",
                stacklevel=level_of_caller(),
            )
        counter, sums = counter_of(self, given), Sums()
        with closing(counter.parts(documents)) as parts:
            for part in parts:
                sums.add(part)
                if keep is not None:
                    keep.append(part)
        terms = counter.terms() if given is None else sorted(given, key=given.__getitem__)
        return sums.seen(terms)

    def _publish(self, seen: Seen, may_be_none: bool = False) -> np.ndarray:
        """Make columns of what was seen; returns the positions of their terms."""
        if self.fixed_vocabulary_:
            chosen = np.arange(len(seen.terms))
        else:
            filters = Filters(self.max_df, self.min_df, self.max_features, self.dtype)
            chosen = chosen_terms(seen, filters, self.binary, may_be_none)
        names = map(seen.terms.__getitem__, chosen.tolist())
        self.vocabulary_ = {term: column for column, term in enumerate(names)}
        self.n_documents_ = seen.n_documents
        self._seen = seen
        return chosen

    def _finished(self, X: sp.csr_array) -> sp.csr_array:
        if self.binary:
            X.data.fill(1)
        return X

    def _dtype_out(self) -> np.dtype:
        return np.dtype(self.dtype)

    def _why_empty(self, n_documents: int) -> str:
        if n_documents == 0:
            return "empty vocabulary; there are no documents."
        if callable(self.analyzer) or self.analyzer != "word":
            return f"empty vocabulary; analyzer={self.analyzer!r} found nothing in the documents."
        found = f"empty vocabulary; none of {n_documents} documents has a word that counts"
        if self.stop_words is not None:
            found += "; perhaps the documents only contain stop words"
        if self.max_word_length is not None:
            found += f", or words longer than max_word_length={self.max_word_length}"
        return f"{found}. Words are what token_pattern={self.token_pattern!r} finds."

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _has_capitals(vocabulary: Mapping) -> bool:
    return any(isinstance(term, str) and any(map(str.isupper, term)) for term in vocabulary)


def _check_same_class(left: Any, right: Any) -> None:
    if type(left) is not type(right):
        raise TypeError(f"merge needs another {type(left).__name__}, not {type(right).__name__}.")


def _check_same_arguments(left: Any, right: Any) -> None:
    ours, theirs = left.get_params(), right.get_params()
    if left.fixed_vocabulary_ and right.fixed_vocabulary_:  # given in any form: what it meant
        ours["vocabulary"], theirs["vocabulary"] = left.vocabulary_, right.vocabulary_
    other = [name for name in ours if not _is_same(ours[name], theirs[name])]
    if other:
        raise ValueError(
            f"merge needs a vectorizer with the same arguments; {other[0]} is "
            f"{theirs[other[0]]!r:.60} there and {ours[other[0]]!r:.60} here."
        )


def _is_same(left: Any, right: Any) -> bool:
    """Equal values; functions that were written twice in the same way are not known to be equal."""
    return left is right or (type(left) is type(right) and bool(left == right))
