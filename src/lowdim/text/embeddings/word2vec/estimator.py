"""`Word2Vec`: a vector for each word, learned from the words that stand near it.

    skip-gram   a word predicts each word near it                skip_gram.py
    CBOW        the mean of the words near a place predicts it   cbow.py

Both by negative sampling: a pair that was seen is to be told from `negative` pairs whose context is
drawn with probability q ~ counts^ns_exponent. At the optimum w.c = PMI(w, c) - log(negative), with
PMI taken against q.

This file is the door: what is opened, checked and published. `training.py` goes through the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.callbacks import CallbackSupportMixin
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    HasMethods,
    Interval,
    Options,
    Real,
    StrOptions,
)
from lowdim.core.estimator import SavedModel, Transformer
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.session import belongs_to_fit
from lowdim.core.shapes import Maybe
from lowdim.text.embeddings.base import OF_WORDS, TextModel
from lowdim.text.embeddings.word2vec.pooling import (
    common_direction,
    pooled,
    without_direction,
    word_weights,
)
from lowdim.text.embeddings.word2vec.training import (
    Settings,
    Tables,
    learn_piece,
    pieces_of,
    plan_of,
)
from lowdim.text.tokens import Tokens, read_tokens

ALPHA = {True: 0.025, False: 0.075}  # by skip-gram: that of CBOW is of a mean
# how long vectors are at the start. 15 times word2vec's: learning is sooner under way (1 epoch of
# Wikipedia: 0.02 more on MEN)
START = 1.5
WORDS_AT_A_TIME = 2048  # whose vectors are drawn
# the loss of a pair, in units of what it is before anything is learned, that no fit comes back from
DIVERGED = 20.0


class Word2Vec(TextModel, Transformer, SavedModel, CallbackSupportMixin, BaseEstimator):
    """Vectors of words by skip-gram or CBOW with negative sampling.

    Minimises  sum over pairs (w, c) near each other  softplus(-w.c) + k sum_v q_v softplus(w.v),
    softplus(x) = log(1 + e^x), q_v ~ counts^ns_exponent, by stochastic gradient steps; with sg=0
    the mean of all words near a place stands for w.

    Cost: O(d (2 window + k)) for each word of the text, and epoch; memory of 4 bytes for each word
    of the text (beyond 8 MB in a temporary file) and of 4 d numbers for each different word.
    Use it for text of a million words and more; for less, `PMIVectors`.

    Parameters
    ----------
    vector_size : int, default=100
        Dimensions d of the vectors.
    window : int, (left, right), set of int or 'sentence', default=5
        Which words are near: so many to each side; so many to the left and the right; those at
        these offsets (-1 is the word before); all of the sentence.
    sg : {0, 1}, default=0
        1: skip-gram, for rare words and little text; 0: CBOW, several times as fast.
    negative : int, default=5
        k: pairs by chance for each pair that was seen. 5 to 20; the less text, the more.
    ns_exponent : float, default=0.75
        Words by chance are drawn by their counts to this power: 1 as in the text, 0 all alike.
    sample : float, default=1e-3
        Occurrences of a word with a larger share of the text than this are left out by chance; the
        smaller, the more. 0 keeps all.
    min_count : int, default=5
        Words that stand fewer times in the text are left out before anything else.
    max_final_vocab : int or None, default=None
        At most so many words, the commonest.
    epochs : int, default=5
        How often the text is gone through.
    alpha : float or None, default=None
        Learning rate at the beginning; None is 0.025 for skip-gram and 0.075 for CBOW. It falls
        evenly, word by word, to `min_alpha` at the end of the last epoch.
    min_alpha : float, default=1e-4
        Learning rate at the end.
    cbow_mean : bool, default=True
        Whether CBOW predicts from the mean of the words near a place; else from their sum, which
        needs a smaller `alpha`.
    shrink_windows : bool, default=True
        Whether each place looks 1, ..., window words far, with equal chances: so nearer words count
        more. Not for 'sentence'.
    bias : bool, default=False
        Whether contexts have a number of their own that is added to w.c.
    init : WordVectors or None, default=None
        Vectors to start from, for the words that it has; None: by chance.
    pooling : {'mean', 'sif'}, default='mean'
        What `transform` makes of a text: the mean of its words; or a mean in which frequent words
        count less, without the direction that all texts have in common.
    tokenizer : {'words', 'split'}, callable or CountVectorizer, default='words'
        How strings are cut into words; see `lowdim.text.read_tokens`.
    combine : {'word', 'sum', 'context', 'average'}, default='word'
        What `vectors_` are: w, w + c, c or (w + c) / 2.
    random_state : int, Generator, RandomState or None, default=None
        For the vectors at the start, and for all draws.

    Attributes
    ----------
    vectors_ : ndarray of shape (n, d), float32
        A vector for each word.
    context_vectors_ : ndarray of shape (n, d), float32
        c of each word.
    bias_ : ndarray of shape (n,), float32
        Only with bias=True.
    word_vectors_ : ndarray of shape (n, d), float32
        w of each word; only where `combine` is not 'word'.
    words_ : list of str
        By falling count.
    counts_ : ndarray of shape (n,)
        How often each word stands in the text.
    history_ : ndarray of shape (n_iter_,)
        Mean of the loss of a pair (CBOW: of a place) in each epoch, its k draws included, while the
        vectors moved.
    n_iter_ : int
        Epochs, all in all.
    common_direction_ : ndarray of shape (d,), float32
        What the texts of the fit have in common; only with pooling='sif'.
    wv : WordVectors
        Words and vectors, with questions about them.

    See Also
    --------
    PMIVectors : without a learning rate or epochs; the cheap first choice.
    WordVectors : neighbours, analogies, files.

    Notes
    -----
    Results are the same, bit by bit, for any number of threads: threads work on parts of the tables
    that share no row.

    In CBOW each of the m words near a place gets 1 / m of the gradient of their mean, which is the
    gradient. word2vec, gensim and fastText give each the whole, so the same `alpha` is a smaller
    step here.

    Neighbouring places share some words that are drawn by chance (with k = 5, 32 for skip-gram and
    20 for CBOW), with weights that make the expected gradient that of k draws for each pair.

    Sentences are never cut: a document is one, unless window='sentence'.

    References
    ----------
    Mikolov, Sutskever, Chen, Corrado and Dean (2013), Distributed representations of words and
    phrases and their compositionality. Levy and Goldberg (2014), Neural word embedding as implicit
    matrix factorization. Irsoy, Benton and Stratos (2021), Corrected CBOW performs as well as
    skip-gram. Gemulla, Nijkamp, Haas and Sismanis (2011), Large-scale matrix factorization with
    distributed stochastic gradient descent. Arora, Liang and Ma (2017), A simple but tough-to-beat
    baseline for sentence embeddings.

    Examples
    --------
    >>> import lowdim
    >>> text = ["the cat drinks milk", "the dog drinks water", "we pay a tax by law"] * 200
    >>> model = lowdim.Word2Vec(10, sg=1, window=2, sample=0, random_state=0).fit(text)
    >>> bool(model.wv.similarity("milk", "water") > model.wv.similarity("milk", "tax"))
    True
    >>> model.transform(["milk and water", "xyz"]).shape
    (2, 10)
    """

    shapes: ClassVar[dict] = {
        **TextModel.shapes,
        "context_vectors_": ("n", "k"),
        "bias_": Maybe(("n",)),
        "word_vectors_": Maybe(("n", "k")),
        "common_direction_": Maybe(("k",)),
    }

    _parameter_constraints: ClassVar[dict] = {
        "vector_size": [AT_LEAST_1],
        "sg": [Options(int, {0, 1}), "boolean"],
        "negative": [AT_LEAST_1],
        "ns_exponent": [Interval(Real, None, None, closed="neither")],
        "sample": [Interval(Real, 0, 1, closed="both")],
        "epochs": [AT_LEAST_1],
        "alpha": [POSITIVE, None],
        "min_alpha": [NOT_NEGATIVE],
        "cbow_mean": ["boolean"],
        "shrink_windows": ["boolean"],
        "bias": ["boolean"],
        "init": [HasMethods("get_vector"), None],
        "pooling": [StrOptions({"mean", "sif"})],
        "random_state": RANDOM_STATE,
        **OF_WORDS,
    }

    context_vectors_: np.ndarray
    history_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        vector_size=100,
        *,
        window=5,
        sg=0,
        negative=5,
        ns_exponent=0.75,
        sample=1e-3,
        min_count=5,
        max_final_vocab=None,
        epochs=5,
        alpha=None,
        min_alpha=1e-4,
        cbow_mean=True,
        shrink_windows=True,
        bias=False,
        init=None,
        pooling="mean",
        tokenizer="words",
        combine="word",
        random_state=None,
    ):
        self.vector_size = vector_size
        self.window = window
        self.sg = sg
        self.negative = negative
        self.ns_exponent = ns_exponent
        self.sample = sample
        self.min_count = min_count
        self.max_final_vocab = max_final_vocab
        self.epochs = epochs
        self.alpha = alpha
        self.min_alpha = min_alpha
        self.cbow_mean = cbow_mean
        self.shrink_windows = shrink_windows
        self.bias = bias
        self.init = init
        self.pooling = pooling
        self.tokenizer = tokenizer
        self.combine = combine
        self.random_state = random_state

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None):
        """Learn the vectors of words.

        Parameters
        ----------
        X : text
            A path, a corpus, strings, lists of words, an iterator of these, a Dask bag.
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        tokens = self._read(X)
        self._learn(tokens, tokens.counts, self._start(tokens.words), None)
        return self

    @fitting
    def partial_fit(self, X, y=None):
        """Learn from more text, `epochs` times; the text before is not needed.

        Words that stand `min_count` times in this text join, if `max_final_vocab` allows. The
        learning rate begins at `alpha` again.

        Parameters
        ----------
        X : text
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        if not hasattr(self, "vectors_"):
            return self.fit(X)
        before, history = self._learned(), self.history_
        tokens = self._read_more(X)
        belongs_to_fit(tokens)
        belongs_to_fit(before, "learned before")
        counts = tokens.counts.copy()
        counts[: len(before.words)] += before.counts
        start = self._start(tokens.words)
        n, d = before.W.shape
        start.W[:n, :d], start.C[:n, :d] = before.W, before.C
        if self.bias and before.bias is not None:
            start.C[:n, d] = before.bias
        self._learn(tokens, counts, start, falling(counts, tokens.words))
        self.history_ = np.concatenate([history, self.history_])
        self.n_iter_ = len(self.history_)
        return self

    def fit_transform(self, X, y=None):
        """Learn from texts, and give a row for each: `fit` and `transform`."""
        texts = list(X) if isinstance(X, Iterator) else X
        return self.fit(texts).transform(texts)

    # ---- encode ----------------------------------------------------------------------------------

    def transform(self, X):
        """A row for each text: the mean of the vectors of its known words, as `pooling` says.

        Parameters
        ----------
        X : text
            As for `fit`; a document is a row.

        Returns
        -------
        Z : ndarray of shape (n_texts, d), float32
            Zeros for a text without a known word.
        """
        check_is_fitted(self)
        tokens = read_tokens(X, tokenizer=self.tokenizer, vocabulary=self.words_)
        Z = pooled(tokens, self.vectors_, word_weights(self.counts_, self.pooling))
        if self.pooling == "mean":
            return Z
        if not hasattr(self, "common_direction_"):
            raise ValueError(
                "pooling='sif' needs what the texts of the fit have in common, which this model "
                "has not learned. Fit it with pooling='sif'."
            )
        return without_direction(Z, self.common_direction_)

    # ---- inside ----------------------------------------------------------------------------------

    def _learn(
        self, tokens: Tokens, counts: np.ndarray, start: Tables, order: np.ndarray | None
    ) -> None:
        """Go through the text, and publish what was learned, in the order of falling counts."""
        if int(np.diff(tokens.starts).max(initial=0)) < 2:
            raise ValueError(_nothing_near(len(tokens.words), self.window))
        settings = self._settings()
        plan = plan_of(tokens, counts, settings, self.vector_size)
        pieces = pieces_of(len(tokens), self.epochs, plan.n_round)

        def attributes(tables: Tables) -> dict[str, Any]:
            still = tables._replace(W=tables.W.copy(), C=tables.C.copy())  # learning goes on
            return self._attributes(still, tokens.words, counts, order)

        # the loss of a piece of text does not say which tables are best: the latest are
        loop = iterate(
            self, start, max_iter=len(pieces), tol=0.0, attributes=attributes, falls=True
        )
        for tables in loop:
            piece = pieces[loop.n_iter]
            new = learn_piece(tables, tokens, plan, piece)  # writes into the tables
            loss = (new.loss - tables.loss).sum() / max((new.pairs - tables.pairs).sum(), 1.0)
            untrained = (1 + self.negative) * np.log(2.0)
            if not loss < DIVERGED * untrained:
                raise ValueError(_diverged(loss, untrained, piece.epoch, settings))
            loop.params = new
            loop.record(loss, change=np.inf)
        del self.converged_
        done = loop.params.pairs > 0
        if not done.any():
            raise ValueError(_nothing_near(len(tokens.words), self.window, self.sample))
        self.history_ = loop.params.loss[done] / loop.params.pairs[done]
        self.n_iter_ = len(self.history_)
        for name in ("bias_", "word_vectors_", "common_direction_"):
            if hasattr(self, name):
                delattr(self, name)
        learned = self._attributes(loop.params, tokens.words, counts, order)
        for name, value in learned.items():
            setattr(self, name, value)
        if self.pooling == "sif":
            vectors = self.vectors_ if order is None else self.vectors_[np.argsort(order)]
            self.common_direction_ = common_direction(tokens, vectors, counts)

    def _settings(self) -> Settings:
        is_skip_gram = bool(self.sg)
        alpha = ALPHA[is_skip_gram] if self.alpha is None else float(self.alpha)
        return Settings(
            is_skip_gram,
            self.window,
            self.shrink_windows,
            self.negative,
            float(self.ns_exponent),
            float(self.sample),
            self.epochs,
            alpha,
            min(float(self.min_alpha), alpha),
            self.cbow_mean,
        )

    def _start(self, words: list[str]) -> Tables:
        """Tables before anything is learned."""
        random, d, v = random_generator(self.random_state), self.vector_size, len(words)
        seed = int(random.integers(2**63))
        width = d + bool(self.bias)
        W = np.zeros((v, width), dtype=np.float32)
        for first in range(0, v, WORDS_AT_A_TIME):  # the same numbers as all at a time
            some = W[first : first + WORDS_AT_A_TIME, :d]
            some[:] = random.random(some.shape, dtype=np.float32) - np.float32(0.5)
            some *= np.float32(START / d**0.5)
        if self.init is not None:
            size = self.init.vectors.shape[1]
            if size != d:
                raise ValueError(
                    f"init has vectors of {size} numbers, and vector_size={d}; choose "
                    f"vector_size={size}."
                )
            known = [i for i, word in enumerate(words) if word in self.init]
            for i in known:
                W[i, :d] = self.init.get_vector(words[i])
        C = np.zeros((v, width), dtype=np.float32)
        return Tables(W, C, np.zeros(self.epochs), np.zeros(self.epochs), seed)

    def _attributes(
        self, tables: Tables, words: list[str], counts: np.ndarray, order: np.ndarray | None
    ) -> dict[str, Any]:
        d, W, C = self.vector_size, tables.W, tables.C
        if order is not None:
            words, counts = [words[i] for i in order], counts[order]
            W, C = W[order], C[order]
        bias = {"bias_": C[:, d].copy()} if self.bias else {}
        W, C = np.ascontiguousarray(W[:, :d]), np.ascontiguousarray(C[:, :d])
        return {
            "words_": list(words),
            "counts_": counts.copy(),
            "context_vectors_": C,
            "vectors_": self._combined(W, C),
            **bias,
            **({} if self.combine == "word" else {"word_vectors_": W}),
        }

    def _learned(self) -> Learned:
        W = getattr(self, "word_vectors_", self.vectors_)
        if W.shape[1] != self.vector_size:
            raise ValueError(
                f"The vectors learned so far have {W.shape[1]} numbers, and "
                f"vector_size={self.vector_size}; `fit` begins anew."
            )
        bias = getattr(self, "bias_", None)
        return Learned(self.words_, self.counts_, W, self.context_vectors_, bias)

    def _read_more(self, X: Any) -> Tokens:
        """Further text, in numbers of the known words and then of those that join."""
        known = dict.fromkeys(self.words_)
        sentences = self.window == "sentence"
        tokens = read_tokens(X, tokenizer=self.tokenizer, min_count=1, sentences=sentences)
        enough = zip(tokens.words, tokens.counts.tolist(), strict=True)
        new = [word for word, n in enough if n >= self.min_count and word not in known]
        if self.max_final_vocab is not None:
            new = new[: max(0, self.max_final_vocab - len(known))]
        return read_tokens(tokens, vocabulary=[*known, *new])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


class Learned(NamedTuple):
    """What `partial_fit` goes on from."""

    words: list[str]
    counts: np.ndarray
    W: np.ndarray
    C: np.ndarray
    bias: np.ndarray | None

    def fingerprint(self) -> str:
        return str(joblib.hash(tuple(self)))


def falling(counts: np.ndarray, words: list[str]) -> np.ndarray:
    """The order of words by falling count, then by name."""
    return np.array(sorted(range(len(words)), key=lambda i: (-counts[i], words[i])))


def _nothing_near(n_words: int, window: Any, sample: float = 0.0) -> str:
    if sample:
        return (
            f"sample={sample:g} leaves out so much of this small text that no two of its words "
            "stand near each other. Choose sample=0."
        )
    return (
        f"No two of the {n_words:,} words stand near each other: sentences have one word each, "
        f"or window={window!r} is beyond them. Give longer sentences."
    )


def _diverged(loss: float, untrained: float, epoch: int, settings: Settings) -> str:
    usual = ALPHA[settings.skip_gram]
    return (
        f"alpha={settings.alpha:g} is too large: in epoch {epoch + 1} the mean loss of a pair was "
        f"{loss:.3g}, and {untrained:.3g} before anything was learned. Choose a smaller alpha; "
        f"{usual:g} is usual."
    )
