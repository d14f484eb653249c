"""GloVe: vectors whose products are the logarithms of counts.

    minimise    H = sum_{n > 0} f(n) (log n - w.c - b_w - b_v)^2  +  penalty (|W|^2 + |C|^2)

    adagrad    steps for one pair after the other, with a rate for each number     descent.py
    sgd        the same with one rate
    als        exact half-steps: all words, then all contexts                      alternation.py
    gd         steps for all pairs at once                                         gradient.py

Only pairs that were seen take part (`objective.py`); `strata.py` puts them in an order in which
several can be learned from at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    StrOptions,
)
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.text.embeddings.base import OF_WORDS, WordModel
from lowdim.text.embeddings.gauge import Gauged, gauged
from lowdim.text.embeddings.glove.alternation import both_sides, first_biases, first_vectors
from lowdim.text.embeddings.glove.codes import Coding, encode, squares
from lowdim.text.embeddings.glove.descent import Descent, epoch, random_tables
from lowdim.text.embeddings.glove.gradient import Point, descended, field
from lowdim.text.embeddings.glove.objective import (
    Pairs,
    Vectors,
    mean_square,
    penalised,
    seen_pairs,
    weighted_pairs,
)
from lowdim.text.embeddings.glove.strata import stratified
from lowdim.text.embeddings.words import known_counts
from lowdim.text.tokens.sources import is_text


class GloVe(WordModel):
    """Vectors of words whose products are log counts of pairs: global vectors.

    Minimises  sum_{n > 0} f(n) (log n - w.c - b_w - b_v)^2 + penalty (|W|^2 + |C|^2),
    f(n) = min(1, (n / x_max)^alpha),
    over vectors w of words and c of contexts and their biases; n counts a pair, by 1 / distance.

    Cost: O(N d) an epoch for the N pairs that were seen ('als': O(N d^2)), on all cores; results
    do not depend on their number. Memory of N and of 4 (n + v) d numbers.

    Parameters
    ----------
    vector_size : int, default=100
        Dimensions d of the vectors.
    x_max : float, default=100.0
        Pairs that were counted more often weigh no more.
    alpha : float, default=0.75
        How fast weights grow up to there; smaller: rare pairs weigh more.
    weighting : {'power', 'observed'}, default='power'
        f as above, or 1 for every pair that was seen: the completion of the matrix of log counts,
        as `ALS` does it.
    solver : {'adagrad', 'sgd', 'als', 'gd'}, default='adagrad'
        'adagrad' takes one pair after the other, as Stanford's program does. 'sgd' does so with the
        same rate for all. 'als' solves for all words, then for all contexts, exactly: the fewest
        iterations, each slower, and the lowest objective. 'gd' is full gradient descent.
    learning_rate : float, default=0.05
        Of 'adagrad', 'sgd' and 'gd', which halves it where the objective would rise.
    bias : bool, default=True
        Whether words and contexts have biases, for how common they are.
    penalty : float, default=0.0
        How much long vectors cost; biases are free.
    combine : {'sum', 'word', 'context', 'average'}, default='sum'
        What `vectors_` are: w + c, w, c or (w + c) / 2. Of a matrix that is not square, w.
    window : int, (left, right) or set of int, default=10
        Which words are near: so many to each side; so many to the left and the right; those at
        these offsets.
    min_count : int, default=5
        Words that stand fewer times in the text are left out before anything is counted.
    max_final_vocab : int or None, default=None
        At most so many words, the commonest.
    tokenizer : {'words', 'split'}, callable or CountVectorizer, default='words'
        How strings are cut into words.
    max_iter : int, default=25
        Epochs at the most.
    tol : float, default=0.0
        Stop when an epoch lowers the objective by less than this.
    random_state : int, Generator, RandomState or None, default=None
        Draws the first vectors, and the order of the pairs.

    Attributes
    ----------
    vectors_ : ndarray of shape (n, d)
        A vector for each word, as `combine` says.
    word_vectors_ : ndarray of shape (n, d)
        W.
    context_vectors_ : ndarray of shape (v, d)
        C.
    bias_ : ndarray of shape (n,)
        b_w; 0 without.
    context_bias_ : ndarray of shape (v,)
        b_v.
    history_ : ndarray of shape (n_iter_,)
        sum f r^2 / sum f, with the penalty, after each epoch.
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
    PMIVectors : a decomposition instead of a search, in seconds.
    ALS : the same least squares, for ratings.

    Notes
    -----
    w.c + b_w + b_v says the same for (W M)(C M^-T)', and biases can take the means of vectors:
    published are vectors of mean 0 (with biases), and W'W = C'C diagonal and decreasing. So cosines
    do not depend on the start, where the search has converged. AdaGrad's sums are of
    (rate times gradient)^2, as in Stanford's program; those of the textbook are of gradient^2 and
    would need a larger rate.

    A stream or a Dask collection is read once: its pairs are kept in memory.

    References
    ----------
    Pennington, Socher and Manning (2014), GloVe: global vectors for word representation. Gemulla,
    Haas, Nijkamp and Sismanis (2011), Large-scale matrix factorization with distributed stochastic
    gradient descent.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import GloVe
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(30, 2)) @ random.normal(size=(2, 20))
    >>> model = GloVe(2, solver="als", random_state=0).fit(np.exp(3.0 + truth))
    >>> bool(model.history_[-1] < 1e-6)
    True
    >>> log_counts = model.word_vectors_ @ model.context_vectors_.T
    >>> log_counts += model.bias_[:, None] + model.context_bias_
    >>> bool(np.abs(log_counts - 3.0 - truth).max() < 1e-2)
    True
    """

    shapes: ClassVar[dict] = {
        **WordModel.shapes,
        "word_vectors_": ("n", "k"),
        "context_vectors_": ("d", "k"),
        "bias_": ("n",),
        "context_bias_": ("d",),
        "_from_text": (),
    }

    _parameter_constraints: ClassVar[dict] = {
        "vector_size": [AT_LEAST_1],
        "x_max": [POSITIVE],
        "alpha": [NOT_NEGATIVE],
        "weighting": [StrOptions({"power", "observed"})],
        "solver": [StrOptions({"adagrad", "sgd", "als", "gd"})],
        "learning_rate": [POSITIVE],
        "bias": ["boolean"],
        "penalty": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "random_state": RANDOM_STATE,
        **OF_WORDS,
    }

    def __init__(
        self,
        vector_size=100,
        *,
        x_max=100.0,
        alpha=0.75,
        weighting="power",
        solver="adagrad",
        learning_rate=0.05,
        bias=True,
        penalty=0.0,
        combine="sum",
        window=10,
        min_count=5,
        max_final_vocab=None,
        tokenizer="words",
        max_iter=25,
        tol=0.0,
        random_state=None,
    ):
        self.vector_size = vector_size
        self.x_max = x_max
        self.alpha = alpha
        self.weighting = weighting
        self.solver = solver
        self.learning_rate = learning_rate
        self.bias = bias
        self.penalty = penalty
        self.combine = combine
        self.window = window
        self.min_count = min_count
        self.max_final_vocab = max_final_vocab
        self.tokenizer = tokenizer
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None):
        """Learn the vectors and biases of words and contexts.

        Parameters
        ----------
        X : text, or matrix of counts of shape (n, v)
            Text: a path, a corpus, strings, lists of words, an iterator of these, a Dask bag. A
            matrix: an array, data frame, sparse matrix, Dask collection or stream, with a row for
            each word and a column for each context; 0 is a pair that was not seen.
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        counts = self._counts_of(X, "harmonic")
        pairs = self._pairs(seen_pairs(counts.rows))
        self._publish_words(counts)
        dtype = counts.rows.dtype
        del counts  # as much memory again as the logarithms
        if not pairs.logs.nnz:
            raise ValueError("X has no pairs: all counts are 0. Nothing can be learned from it.")
        random = random_generator(self.random_state)
        search = {"als": self._alternate, "gd": self._descend}.get(self.solver, self._step_by_step)
        self._publish(search(pairs, random), dtype)
        self._from_text = is_text(X)
        return self

    def _pairs(self, N: sp.csr_array) -> Pairs:
        return weighted_pairs(N, self.x_max, self.alpha, self.weighting)

    def _step_by_step(self, pairs: Pairs, random: np.random.Generator) -> Vectors:
        """'adagrad' and 'sgd'."""
        strata = stratified(pairs, random)
        logs = pairs.logs
        by_word, by_context = (
            (self.penalty / np.maximum(n_pairs, 1)).astype(np.float32)
            for n_pairs in (
                np.diff(logs.indptr),
                np.bincount(logs.indices, minlength=logs.shape[1]),
            )
        )
        how = Descent(self.solver, self.learning_rate, by_word, by_context, self.bias)
        start = random_tables(self.vector_size, *self._biases(pairs), random)
        return self._iterate(pairs, start, lambda at: epoch(strata, how, at), _vectors_of)

    def _alternate(self, pairs: Pairs, random: np.random.Generator) -> Vectors:
        """'als'."""
        start = first_vectors(pairs, self.vector_size, self.bias, random)
        sides = both_sides(pairs, self.penalty, self.bias)
        return self._iterate(pairs, start, sides.step, lambda at: at)

    def _descend(self, pairs: Pairs, random: np.random.Generator) -> Vectors:
        """'gd'."""
        H = field(pairs, self.penalty, self.bias)
        tables = random_tables(self.vector_size, *self._biases(pairs), random)
        at = Vectors(*(table.astype(np.float64) for table in tables.vectors))
        start = Point(at, self.learning_rate, H.objective(at))
        return self._iterate(pairs, start, lambda point: descended(H, point), _at_of)

    def _biases(self, pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
        """Where biases begin."""
        n, v = pairs.logs.shape
        return first_biases(pairs) if self.bias else (np.zeros(n), np.zeros(v))

    def _iterate(self, pairs: Pairs, start: Any, step: Callable, vectors_of: Callable) -> Vectors:
        """The vectors after the last step."""
        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
        for at in loop:
            loop.params = step(at)
            with np.errstate(over="ignore", invalid="ignore"):
                objective = penalised(pairs, vectors_of(loop.params), self.penalty)
            if not np.isfinite(objective):
                raise ValueError(
                    f"learning_rate={self.learning_rate:g} is too large: the vectors became "
                    f"infinite in epoch {loop.n_iter + 1}. Choose a smaller one, such as "
                    f"{min(self.learning_rate / 10, 0.05):g}, or solver='als', which has none."
                )
            loop.record(objective)
        return vectors_of(loop.params)

    def _publish(self, found: Vectors, dtype: Any) -> None:
        at = Gauged(*(np.asarray(part, dtype=np.float64) for part in found))
        W, C, word_bias, bias = gauged(at, words=self.bias, contexts=self.bias)
        self.word_vectors_ = W.astype(dtype)
        self.context_vectors_ = C.astype(dtype)
        self.bias_ = word_bias.astype(dtype)
        self.context_bias_ = bias.astype(dtype)
        self.vectors_ = self._combined(self.word_vectors_, self.context_vectors_)

    # ---- encode ----------------------------------------------------------------------------------

    def _row_vectors(self, rows: Blocks) -> Any:
        return rows.map(encode, self._coding(), rows.dtype.name)

    # ---- judge -----------------------------------------------------------------------------------

    def score(self, X, y=None):
        """Minus sum f r^2 / sum f of X: how well log counts are explained.

        Rows of a matrix are words of their own: each has the vector and the bias that explain it
        best. Pairs of a text are explained by the vectors of the known words.
        """
        if is_text(X):
            pairs = self._pairs(sp.csr_array(known_counts(self, X, "harmonic")))
            tables = (self.word_vectors_, self.context_vectors_, self.bias_, self.context_bias_)
            return -mean_square(pairs, Vectors(*(table.astype(np.float64) for table in tables)))
        rows = self._opened(X)
        loss, total = rows.fold(squares, self._coding())
        return -float(loss / total) if total > 0 else 0.0

    def _coding(self) -> Coding:
        weights = (self.x_max, self.alpha, self.weighting)
        C, bias = (t.astype(np.float64) for t in (self.context_vectors_, self.context_bias_))
        return Coding(C, bias, weights, self.penalty, self.bias)


def _vectors_of(tables: Any) -> Vectors:
    return tables.vectors


def _at_of(point: Point) -> Vectors:
    return point.at
