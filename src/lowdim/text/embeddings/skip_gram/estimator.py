"""Skip-gram: a word predicts the words around it.

    N_wv    how often word w has context v near it            (words x contexts)
    h_wv  = w.c_v + b_v

    softmax     J = - sum N_wv log p(v|w) / sum N,      p(v|w) = exp h_wv / sum_u exp h_wu
    negative    J = - sum [N_wv log s(h_wv) + k N_w q_v log s(-h_wv)] / sum N,    s = logistic
    nce         the same with h_wv - log k q_v in place of h_wv

The expectation over negative samples is taken exactly, so nothing is drawn but the start. One pass
over blocks of rows gives J and its gradient; L-BFGS never raises J.

    losses.py      J and its gradient for a block of rows
    start.py       the first vectors: a decomposition of the seen pairs' mutual information
    learning.py    the search
    codes.py       vectors of new rows
    noise.py       q, from counts or as given
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.special

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    StrOptions,
)
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.text.embeddings.base import OF_WORDS, Counts, WordModel
from lowdim.text.embeddings.gauge import Gauged, gauged, principal
from lowdim.text.embeddings.skip_gram.codes import Coding, encode, losses
from lowdim.text.embeddings.skip_gram.learning import Problem, Vectors, as_shares, learn
from lowdim.text.embeddings.skip_gram.losses import Scores, log_or_0, statistics
from lowdim.text.embeddings.skip_gram.noise import noise_of
from lowdim.text.embeddings.skip_gram.start import Margins, margins_of, spectral_vectors
from lowdim.text.embeddings.words import context_numbers, known_counts, word_numbers
from lowdim.text.tokens.sources import is_text

UNSEEN = 1e-3  # of the rarest context: where those begin that were never seen


class SkipGram(WordModel):
    """Vectors of words that predict the words around them: skip-gram, without sampling.

    Minimises  J = - sum_wv N_wv log p(v|w) / sum N  + penalty (|W|^2 + |C|^2),
    p(v|w) = exp(w.c_v + b_v) / sum_u exp(w.c_u + b_u),
    or the logistic loss of pairs against negative samples in expectation, over vectors w of words
    and c of contexts; N counts pairs. By L-BFGS: J never rises.

    Cost: O(n v d) a pass for n words and v contexts, whatever the length of the text; memory of the
    pairs that were seen and of some 25 (n + v) d numbers. Use it up to some ten thousand words;
    Word2Vec learns from text of any vocabulary, by sampling.

    Parameters
    ----------
    vector_size : int, default=50
        Dimensions d of the vectors.
    loss : {'softmax', 'negative', 'nce'}, default='softmax'
        'softmax' predicts the context. 'negative' separates pairs of the text from `negative` times
        as many pairs of noise: w.c_v + b_v tends to log p(v|w) / q(v) - log negative. 'nce', noise
        contrastive estimation, does so with w.c_v + b_v for log p(v|w) itself.
    negative : int, default=5
        Pairs of noise for each pair of the text.
    ns_exponent : float, default=0.75
        Noise has contexts in proportion to their counts to this power: 1 as often as in the text, 0
        all alike.
    noise : array of shape (v,) or (n, v), default=None
        Noise of your own: how likely each context, or each pair of a word and a context, is; it is
        divided by its sum. None takes `ns_exponent`.
    bias : bool, default=True
        Whether contexts have a bias b_v; without, vectors say how common contexts are, too.
    tied : bool, default=False
        Whether a word has one vector, as word and as context; X is then text or square.
    penalty : float, default=0.0
        How much long vectors cost. J is by pair: 1e-4 leaves those of common words nearly as they
        are. Of 'softmax' the best vectors may be infinitely long without: the search ends early.
    window : int, (left, right), set of int or 'sentence', default=5
        Which words are near: so many to each side; so many to the left and the right; those at
        these offsets; all of the sentence.
    min_count : int, default=5
        Words that stand fewer times in the text are left out before anything is counted.
    max_final_vocab : int or None, default=None
        At most so many words, the commonest.
    tokenizer : {'words', 'split'}, callable or CountVectorizer, default='words'
        How strings are cut into words.
    combine : {'word', 'sum', 'context', 'average'}, default='word'
        What `vectors_` are: w, w + c, c or (w + c) / 2.
    max_iter : int, default=500
        Passes at the most.
    tol : float, default=1e-6
        Stop when 100 passes lower J by less than this.
    random_state : int, Generator, RandomState or None, default=None
        Draws where the search begins.

    Attributes
    ----------
    vectors_ : ndarray of shape (n, d)
        A vector for each word, as `combine` says.
    word_vectors_ : ndarray of shape (n, d)
        W.
    context_vectors_ : ndarray of shape (v, d)
        C.
    bias_ : ndarray of shape (v,)
        b; 0 without.
    noise_ : ndarray of shape (v,)
        q.
    history_ : ndarray of shape (n_iter_,)
        J with its penalty after each pass.
    words_ : list of str
        By falling count for text; for a matrix the names of its rows, or their numbers.
    counts_ : ndarray of shape (n,)
        How often each word stands in the text; for a matrix the sums of its rows.
    wv : WordVectors
        Words and vectors, with questions about them.
    n_features_in_ : int
        Contexts v.
    n_iter_, converged_ : int, bool

    See Also
    --------
    PMIVectors : the minimum of a squared loss instead, in seconds.
    Word2Vec : the same model by sampling, for large vocabularies.

    Notes
    -----
    W C' says the same as (W M)(C M^-T)', and biases can take the means of vectors: published are
    vectors of mean 0 where that is so, with W'W = C'C diagonal and decreasing. So cosines do not
    depend on the start. J has minima that are not the lowest; the search begins at a decomposition
    of the seen pairs' mutual information, from which 20 of 20 starts ended together on the counts
    of the example below. Tied vectors did not always: try several values of `random_state`.

    References
    ----------
    Mikolov, Sutskever, Chen, Corrado and Dean (2013), Distributed representations of words and
    phrases and their compositionality. Levy and Goldberg (2014), Neural word embedding as implicit
    matrix factorization. Gutmann and Hyvarinen (2012), Noise-contrastive estimation.

    Examples
    --------
    Pairs of four words with five contexts, one added to each (Jurafsky and Martin, Speech and
    language processing, chapter 6): three dimensions explain all that words say of contexts.

    >>> import numpy as np
    >>> from lowdim import SkipGram
    >>> N = 1 + np.array([[2, 8, 9, 442, 25], [0, 0, 1, 60, 19],
    ...                   [1670, 1683, 85, 5, 4], [3325, 3982, 378, 5, 13]])
    >>> model = SkipGram(3, random_state=0).fit(N)
    >>> round(float(model.history_[-1]), 4)
    0.8338
    >>> model.context_probabilities("0").round(3)
    array([0.006, 0.018, 0.02 , 0.902, 0.053])
    """

    shapes: ClassVar[dict] = {
        **WordModel.shapes,
        "word_vectors_": ("n", "k"),
        "context_vectors_": ("d", "k"),
        "bias_": ("d",),
        "noise_": ("d",),
        "_total": (),
        "_from_text": (),
    }

    _parameter_constraints: ClassVar[dict] = {
        "vector_size": [AT_LEAST_1],
        "loss": [StrOptions({"softmax", "negative", "nce"})],
        "negative": [AT_LEAST_1],
        "ns_exponent": [NOT_NEGATIVE],
        "noise": ["array-like", None],
        "bias": ["boolean"],
        "tied": ["boolean"],
        "penalty": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
        **OF_WORDS,
    }

    def __init__(
        self,
        vector_size=50,
        *,
        loss="softmax",
        negative=5,
        ns_exponent=0.75,
        noise=None,
        bias=True,
        tied=False,
        penalty=0.0,
        window=5,
        min_count=5,
        max_final_vocab=None,
        tokenizer="words",
        combine="word",
        max_iter=500,
        tol=1e-6,
        random_state=None,
    ):
        self.vector_size = vector_size
        self.loss = loss
        self.negative = negative
        self.ns_exponent = ns_exponent
        self.noise = noise
        self.bias = bias
        self.tied = tied
        self.penalty = penalty
        self.window = window
        self.min_count = min_count
        self.max_final_vocab = max_final_vocab
        self.tokenizer = tokenizer
        self.combine = combine
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None):
        """Learn the vectors of words and contexts.

        Parameters
        ----------
        X : text, or matrix of counts of shape (n, v)
            Text: a path, a corpus, strings, lists of words, an iterator of these, a Dask bag. A
            matrix: an array, data frame, sparse matrix, Dask collection or stream, with a row for
            each word and a column for each context.
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        counts = self._counts_of(X)
        problem, total = self._problem(counts)
        random = random_generator(self.random_state)
        found = learn(self, problem, self._start(problem, random))
        self._publish(counts, found, counts.rows.dtype)
        self._total, self._from_text = total, is_text(X)
        self.noise_ = problem.noise.astype(counts.rows.dtype) / self.negative
        return self

    def _problem(self, counts: Counts) -> tuple[Problem, float]:
        """What is minimised, and the sum of all counts."""
        by_column, by_row = counts.rows.fold_and_map(margins_of)
        total = float(by_column.sum())
        if not total > 0:
            raise ValueError("X has no pairs: all counts are 0. Nothing can be learned from it.")
        n, v = len(by_row), len(by_column)
        if self.tied and n != v:
            raise ValueError(
                f"tied=True needs a context for each word, and X has {n} rows and {v} columns; give"
                " a square matrix or text, or set tied=False."
            )
        margins = Margins(by_row / total, by_column / total)
        noise = noise_of(self.noise, margins, self.ns_exponent)
        return Problem(
            rows=as_shares(counts.rows, total),
            margins=margins,
            loss=self.loss,
            noise=self.negative * noise.by_context,
            own_noise=None if noise.by_pair is None else self.negative * noise.by_pair,
            penalty=self.penalty,
            with_bias=self.bias,
            tied=self.tied,
            d=min(self.vector_size, n, v),  # W C' has no higher rank
        ), total

    def _start(self, problem: Problem, random: np.random.Generator) -> Vectors:
        """Biases that alone say how common contexts are, and vectors of what words add to that."""
        common = log_or_0(problem.margins.by_column)
        if self.loss == "negative":
            common = common - log_or_0(problem.noise)
        unseen = problem.margins.by_column <= 0
        if unseen.any():
            common[unseen] = common[~unseen].min() + np.log(UNSEEN)
        offset = np.zeros_like(common)
        if not self.bias:
            middle = problem.margins.by_column @ common if self.loss == "softmax" else 0.0
            common, offset = offset, common - middle
        vectors = spectral_vectors(
            problem.rows, problem.margins, offset, problem.d, random, tied=self.tied
        )
        return Vectors(*vectors, common)

    def _publish(self, counts: Counts, found: Vectors, dtype: Any) -> None:
        W, C, bias = found
        if self.tied:
            if self.bias and self.loss == "softmax":
                middle = W.mean(axis=0)
                W, bias = W - middle, bias + W @ middle
            W = C = principal(W)
        else:
            free = self.loss == "softmax"  # what all contexts have in common says nothing
            at = Gauged(W, C, np.zeros(len(W)), bias)
            W, C, _, bias = gauged(at, words=self.bias, contexts=free)
        self.word_vectors_, self.context_vectors_ = (
            np.pad(table, [(0, 0), (0, self.vector_size - table.shape[1])]).astype(dtype)
            for table in (W, C)
        )
        self.bias_ = bias.astype(dtype)
        self.vectors_ = self._combined(self.word_vectors_, self.context_vectors_)
        self._publish_words(counts)

    # ---- encode ----------------------------------------------------------------------------------

    def _row_vectors(self, rows: Blocks) -> Any:
        return rows.map(encode, self._coding(), rows.dtype.name)

    # ---- judge -----------------------------------------------------------------------------------

    def score(self, X, y=None):
        """Minus J of X, without the penalty: how well contexts are predicted, by pair.

        Rows of a matrix are words of their own: each has the vector that `transform` gives. Pairs
        of a text are predicted by the vectors of the known words.
        """
        coding = self._coding()
        if is_text(X):
            N = known_counts(self, X)
            total = float(N.sum())
            if total <= 0:
                return 0.0
            rows, along = as_shares(ArrayBlocks(N), total), (self.word_vectors_, None)
            return -float(rows.fold_and_map(statistics, coding.scores, along=along)[0].objective)
        loss, pairs = self._opened(X).fold(losses, coding)
        return -float(loss / pairs) if pairs > 0 else 0.0

    def context_probabilities(self, words):
        """p(v|w): how likely each context is near these words.

        Parameters
        ----------
        words : str, or list of str
            Words of `words_`; those of a matrix without names are "0", "1", ...

        Returns
        -------
        probabilities : ndarray of shape (v,), or (number of words, v)
            In the order of the contexts: `words_` for text, columns of X for a matrix. 'negative':
            in proportion to q_v exp(w.c_v + b_v).
        """
        H = self._scores_of(word_numbers(self, words))
        if self.loss == "negative":
            q = self.noise_.astype(np.float64)
            H = np.where(q > 0, H + log_or_0(q), -np.inf)
        return scipy.special.softmax(H, axis=-1)

    def pair_probability(self, word, context):
        """The probability that a word and a context were seen together, and are not noise.

        Among the pairs of the text and `negative` times as many of noise: s(w.c + b) for
        'negative'; in general p(v|w) / (p(v|w) + negative q(v)).

        Parameters
        ----------
        word : str, or list of str
        context : str, or list of str
            As many as words, or one for all. A word of the text; of a matrix the name of a column,
            or its number in quotes.

        Returns
        -------
        probability : float, or ndarray
        """
        i, j = np.broadcast_arrays(word_numbers(self, word), context_numbers(self, context))
        W, C = (
            table.astype(np.float64) for table in (self.word_vectors_[i], self.context_vectors_[j])
        )
        odds = (W * C).sum(axis=-1) + self.bias_[j]
        if self.loss == "softmax":
            odds = odds - scipy.special.logsumexp(self._scores_of(i), axis=-1)
        if self.loss != "negative":
            with np.errstate(divide="ignore"):
                odds = odds - np.log(self.negative * self.noise_[j].astype(np.float64))
        found = scipy.special.expit(odds)
        return float(found) if found.ndim == 0 else found

    # ---- inside ----------------------------------------------------------------------------------

    def _scores_of(self, numbers: Any) -> np.ndarray:
        """h of some words for all contexts, in float64."""
        W = self.word_vectors_[numbers].astype(np.float64)
        return W @ self.context_vectors_.T.astype(np.float64) + self.bias_

    def _coding(self) -> Coding:
        noise = self.negative * self.noise_
        scores = Scores(self.context_vectors_, self.bias_, self.loss, noise).of(np.float64)
        return Coding(scores, self.penalty, self._total)
