"""What models of words share: text or counts in, vectors of words out.

Text is cut into words once (`text/tokens`), and its pairs are counted:

    N_wv = how often word w has word v near it          (words x contexts)

A model of counts takes any such matrix instead, of which none is negative. W C' (words x contexts)
does not determine W and C: for every invertible M, (W M)(C M^-T)' is the same. `balanced` chooses
the one with W'W = C'C = S:

    W C' = U S V'       W = U S^1/2,   C = V S^1/2
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.constraints import AT_LEAST_0, AT_LEAST_1, HasMethods, StrOptions
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.session import belongs_to_fit
from lowdim.core.shapes import Text
from lowdim.linalg.products import dense_times, lapack_svd, thin_svd
from lowdim.linalg.svd import fix_signs
from lowdim.text.pairs.windows import window_of
from lowdim.text.tokens import Tokens, pair_counts, read_tokens
from lowdim.text.tokens.sources import is_text

COMBINATIONS = ("word", "sum", "context", "average")

# the arguments of every model of words, for `_parameter_constraints`
OF_WORDS: dict[str, list] = {
    "window": [AT_LEAST_1, tuple, list, set, frozenset, StrOptions({"sentence"})],
    "min_count": [AT_LEAST_0],
    "max_final_vocab": [AT_LEAST_1, None],
    "tokenizer": [StrOptions({"words", "split"}), callable, HasMethods("build_analyzer")],
    "combine": [StrOptions(set(COMBINATIONS))],
}


class Counts(NamedTuple):
    """Words x contexts, as a model of counts learns from them."""

    rows: Blocks  # `rows.in_memory` is a csr_array for text
    names: list[str] | None  # of the words; None: their numbers
    word_counts: np.ndarray | None  # of the words in the text; None: sums of rows


class TextModel:
    """A model with a vector for each word, learned from text; stands to the left of other classes.

    A class has the arguments `window`, `min_count`, `max_final_vocab`, `tokenizer` and `combine`
    (constraints: OF_WORDS), and its `fit` sets `words_`, `counts_` and `vectors_`.
    """

    not_saved: ClassVar[frozenset[str]] = frozenset({"_known_wv"})
    shapes: ClassVar[dict] = {
        "words_": Text(("n",)),
        "counts_": ("n",),
        "vectors_": ("n", "k"),
    }

    window: Any
    min_count: int
    max_final_vocab: int | None
    tokenizer: Any
    combine: str
    words_: list[str]
    counts_: np.ndarray
    vectors_: np.ndarray

    @property
    def wv(self) -> Any:
        """The words and their vectors, as `WordVectors`: the same until the model learns again."""
        from lowdim.text.vectors.word_vectors import WordVectors

        check_is_fitted(self)
        of, known = vars(self).get("_known_wv", (None, None))
        if of is not self.vectors_:
            known = WordVectors(self.words_, self.vectors_, counts=self.counts_)
            self._known_wv = self.vectors_, known
        return known

    def _read(self, X: Any) -> Tokens:
        """The text of a fit, cut into words."""
        if self.window != "sentence":
            window_of(self.window, "flat")
        tokens = read_tokens(
            X,
            tokenizer=self.tokenizer,
            min_count=self.min_count,
            max_final_vocab=self.max_final_vocab,
            sentences=self.window == "sentence",
        )
        if len(tokens.words) == 1:
            raise ValueError(
                f"The text has only one word of min_count={self.min_count}, "
                f"{tokens.words[0][:60]!r} ({tokens.counts[0]:,} times); at least 2 are needed. "
                "Give more text, or choose a smaller min_count."
            )
        belongs_to_fit(tokens)
        tokens.release()
        return tokens

    def _combined(self, W: np.ndarray, C: np.ndarray) -> np.ndarray:
        """The published vectors, of those as words and as contexts.

        Where contexts are not the words (a matrix that is not square), those as words.
        """
        if self.combine == "word" or len(W) != len(C):
            return W
        if self.combine == "context":
            return C.copy()
        return W + C if self.combine == "sum" else (W + C) / W.dtype.type(2)

    @property
    def _n_features_out(self) -> int:
        return self.vectors_.shape[1]


class WordModel(TextModel, Transformer, Estimator):
    """A model with a vector for each word, learned from text or from a matrix of counts."""

    accepts_sparse: ClassVar[bool] = True

    # ---- what comes in ---------------------------------------------------------------------------

    def _counts_of(self, X: Any, weighting: str = "flat") -> Counts:
        """Text or a matrix of a fit as words x contexts; none is negative.

        After the first pass over the rows, `_publish_words` says what the words are.
        """
        if not is_text(X):
            rows = self._opened_matrix(X).checked(refuse_negative, type(self).__name__)
            return Counts(rows, _row_names(X), None)
        tokens = self._tokens_of(X, weighting)
        N = pair_counts(tokens, window=self.window, weighting=weighting)
        self._check_pairs(tokens, N.nnz)
        return Counts(ArrayBlocks(N), tokens.words, tokens.counts)

    def _tokens_of(self, X: Any, weighting: str) -> Tokens:
        """The text of a fit whose pairs are to be counted."""
        if self.window == "sentence" and weighting != "flat":
            raise ValueError(
                f"window='sentence' has no distances, by which {type(self).__name__} weighs pairs; "
                "choose a number of words."
            )
        tokens = self._read(X)
        self.n_features_in_ = len(tokens.words)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return tokens

    def _check_pairs(self, tokens: Tokens, any_pairs: Any) -> None:
        if not any_pairs:
            raise ValueError(
                f"No two of the {len(tokens.words):,} words stand near each other: sentences have "
                f"one word each, or window={self.window!r} is beyond them. Give longer sentences."
            )

    def _opened_matrix(self, X: Any) -> Blocks:
        try:
            return self.open_rows(X)
        except ValueError as error:
            if "differ in length" not in str(error):
                raise
            raise ValueError(
                f"{error} If these numbers stand for words, write them as text: "
                "[[str(word) for word in sentence] for sentence in X]."
            ) from None

    def _publish_words(self, counts: Counts) -> None:
        """Set `words_` and `counts_`; for a matrix these are the sums of its rows."""
        n = counts.rows.shape[0]
        self.words_ = [str(i) for i in range(n)] if counts.names is None else list(counts.names)
        if counts.word_counts is not None:
            self.counts_ = counts.word_counts
            return
        sums = counts.rows.map(_row_sums)
        self.counts_ = np.asarray(sums.compute() if hasattr(sums, "compute") else sums)

    def _opened(self, X: Any) -> Blocks:
        """Rows of counts for a fitted model."""
        check_is_fitted(self)
        return self.open_rows(X, reset=False).checked(refuse_negative, type(self).__name__)

    # ---- what goes out ---------------------------------------------------------------------------

    def transform(self, X):
        """Vectors of further words by their counts, or of texts by their words.

        Parameters
        ----------
        X : matrix of counts of shape (m, v), or texts
            A row for each word, with the contexts of the fit as columns.

        Returns
        -------
        vectors : ndarray of shape (m, d)
            Of each row the w that explains it best, with contexts as they are; 0 without counts. Of
            each text the mean of `vectors_` of its known words, 0 without any.
        """
        if is_text(X):
            return self._text_vectors(X)
        return self._row_vectors(self._opened(X))

    @abstractmethod
    def _row_vectors(self, rows: Blocks) -> Any:
        """w of rows of counts."""

    def _text_vectors(self, X: Any) -> np.ndarray:
        """The mean vector of the known words of each text; 0 without any."""
        check_is_fitted(self)
        tokens = read_tokens(X, tokenizer=self.tokenizer, vocabulary=self.words_)
        counts = tokens.counts_by_sentence()
        n = np.maximum(np.diff(tokens.starts), 1)
        dtype = self.vectors_.dtype
        return (counts.astype(dtype) @ self.vectors_) / n[:, None].astype(dtype)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def refuse_negative(X: Any, whom: str) -> None:
    """Raise if a block has a negative count."""
    values = X.data if sp.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {whom}: X has {values.min():g}. Counts of words "
            "and contexts are 0 or more."
        )


def _row_sums(X: Any) -> np.ndarray:
    ones = np.ones(X.shape[1])
    return X @ ones if sp.issparse(X) else X.sum(axis=1, dtype=np.float64)


def _row_names(X: Any) -> list[str] | None:
    """The names of the rows of a pandas frame, unless they are numbers of rows."""
    if not nw.dependencies.is_pandas_dataframe(X):
        return None
    names = [str(name) for name in X.index]
    is_numbers = names == [str(i) for i in range(len(names))]
    return None if is_numbers or len(set(names)) < len(names) else names


def balanced(W: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """W and C of the same product W C', with W'W = C'C diagonal and decreasing; signs are fixed.

    W (n, k), C (d, k). Columns beyond the rank of W C' are 0.
    """
    k = W.shape[1]
    left, right = thin_svd(W, min(W.shape)), thin_svd(C, min(C.shape))
    M = (left.s[:, None] * left.Vt) @ (right.Vt.T * right.s)
    U, s, Vt = lapack_svd(M)
    root = np.sqrt(s)
    W_new = dense_times(np.ascontiguousarray(left.U), np.ascontiguousarray(U * root))
    C_new = dense_times(np.ascontiguousarray(right.U), np.ascontiguousarray(Vt.T * root))
    W_new, C_t = fix_signs(W_new, C_new.T)
    result = []
    for found, old in ((W_new, W), (C_t.T, C)):
        padded = np.zeros((len(found), k), dtype=old.dtype)
        padded[:, : found.shape[1]] = found
        result.append(padded)
    return result[0], result[1]
