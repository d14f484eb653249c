"""`LatentDirichletAllocation`: documents as mixtures of topics.

    theta_i ~ Dirichlet(alpha)        shares of the topics in document i
    phi_z   ~ Dirichlet(eta)          shares of the terms in topic z
    every word of document i:  z ~ theta_i,  w ~ phi_z

    "batch"    maximise the variational bound, all documents at a time     variational.py
    "online"   the same, one batch of documents after the other            stepwise.py
    "map"      the likeliest theta and phi                                 maximum.py
    "gibbs"    topics of single words, drawn from their posterior          gibbs.py

This file is the door: what is opened, checked and published.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Integral,
    Interval,
    Real,
    StrOptions,
)
from lowdim.core.loop import fitting
from lowdim.core.random import generator_of, random_generator
from lowdim.core.shapes import Anything, Either, Given, Maybe
from lowdim.core.validation import check_at_least, check_choice, check_weights
from lowdim.text.topics.counts import ALL, CountsModel, cells_of, open_counts, some_terms
from lowdim.text.topics.expectation import encoded, exp_digamma, spread_evenly
from lowdim.text.topics.lda import bound, learning
from lowdim.text.topics.lda.left_to_right import left_to_right
from lowdim.text.topics.lda.maximum import shares
from lowdim.text.topics.lda.priors import Priors, given_priors, learned_priors, published
from lowdim.text.topics.lda.sampling import checked_lengths, drawn_counts, drawn_shares
from lowdim.text.topics.lda.variational import Inner, State
from lowdim.text.topics.words import WordMethods


class LatentDirichletAllocation(WordMethods, CountsModel):
    """Latent Dirichlet allocation: documents are mixtures of topics, topics mixtures of terms.

    Minimises  -bound / tokens,  bound <= log p(X) = log integral p(X | theta, phi) p(theta) p(phi),
               theta_i ~ Dirichlet(alpha), phi_z ~ Dirichlet(eta), by variational Bayes; or, with
               "map", -(loglik + alpha sum log theta + eta sum log phi) / tokens by EM.

    Cost: O(cells k) for each iteration of the documents; memory: (n + v) k numbers and one block of
    X, of which only cells that are not 0 are looked at.
    Use it to say what a collection of documents is about. `PLSA` has no priors; `NMF` gives parts
    that need not be shares.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k.
    doc_topic_prior : float, array of shape (k,), "auto" or None, default=None
        alpha: smaller, fewer topics in a document. None is 1 / k; "auto" learns one for each topic.
    topic_word_prior : float, array of shape (v,) or (k, v), "auto" or None, default=None
        eta: smaller, fewer terms in a topic. None is 1 / k; "auto" learns one for all terms. A
        (k, v) array can give each topic its seed words.
    learning_method : {"batch", "online", "map", "gibbs"}, default="batch"
        "batch" looks at all documents before topics change. "online" changes them after each
        `batch_size` documents: quicker on many. "map" looks for the likeliest shares and topics:
        the quickest, and usually the best at predicting words. "gibbs" draws the topic of each word
        given those of all others, again and again (collapsed Gibbs sampling); it needs whole counts
        in memory and takes no weights.
    learning_decay : float, default=0.7
        Of "online" and `partial_fit`: batch t replaces (learning_offset + t)^-learning_decay.
    learning_offset : float, default=10.0
        Larger: the first batches count less.
    max_iter : int, default=10
        Passes over the documents. "map" takes up to three passes over batches, then iterations of
        three passes over all documents until `tol`, 10 `max_iter` at the most. "gibbs" takes sweeps
        over all words: give some hundred.
    batch_size : int, default=128
        Documents in a batch of "online" and `partial_fit`.
    evaluate_every : int, default=-1
        After so many passes the perplexity of X is evaluated, and compared with `perp_tol`; not if
        0 or less.
    total_samples : float, default=1e6
        How many documents `partial_fit` is to expect.
    perp_tol : float, default=0.1
        Stop when the perplexity changes by less, if it is evaluated.
    mean_change_tol : float, default=1e-3
        The iterations of a document stop when its expected counts change by less, in the mean over
        topics.
    max_doc_update_iter : int, default=100
        Iterations of a document at the most.
    n_jobs : int or None, default=None
        Accepted for compatibility with scikit-learn; ignored. `lowdim.set_config(threads=...)`.
    verbose : int, default=0
        Above 0: print a line for each pass, and show progress bars.
    random_state : int, Generator, RandomState or None, default=None
        For the topics at the start.
    tol : float, default=1e-5
        "map" stops when the objective per token falls by less.
    n_samples : int, default=1
        Of "gibbs": 1 takes the counts of the last sweep, more the mean over so many sweeps, spread
        over the second half.

    Attributes
    ----------
    components_ : ndarray of shape (k, v)
        eta plus the expected counts of each term in each topic, with "gibbs" the counts themselves;
        a row divided by its sum is p(w | z).
    exp_dirichlet_component_ : ndarray of shape (k, v)
        exp E log phi; of "map", phi itself. Made of `components_` when it is asked for.
    doc_topic_prior_, topic_word_prior_ : float or ndarray
        alpha and eta, as given or learned.
    bound_ : float
        Perplexity of X: exp(-bound / tokens); of "map", exp(-loglik / tokens); of "gibbs",
        that of each word given all others and their topics, in the last sweep.
    n_batch_iter_ : int
        Batches learned from, and one.
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations, what is minimised at each, and whether they sufficed. Passes over batches are
        noted with the topics of the time.
    random_state_ : numpy.random.Generator
        What topics at the start, and topics of words, were drawn with.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (v,), if X had names

    See Also
    --------
    PLSA : the same without priors.
    CountVectorizer : makes counts of documents.

    Notes
    -----
    `score` and `perplexity` are scikit-learn's: they count the priors of the topics in, and so mix
    the sizes of training and test data. `lowdim.text.completion_perplexity` compares models on
    words that were held out; `score_samples` gives log p of each document.

    A document without words has the prior's shares. "map" works in the coordinates log theta: so it
    has a maximum for every alpha above 0.

    References
    ----------
    Blei, Ng and Jordan (2003), Latent Dirichlet allocation. Hoffman, Blei and Bach (2010), Online
    learning for latent Dirichlet allocation. Liang and Klein (2009), Online EM for unsupervised
    models. Minka (2000), Estimating a Dirichlet distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import LatentDirichletAllocation
    >>> X = np.kron(np.eye(2, dtype=int), np.full((5, 3), 4))  # two topics of three terms
    >>> model = LatentDirichletAllocation(2, random_state=0).fit(X)
    >>> model.transform([[3, 4, 5, 0, 0, 0]]).max().round(2)
    np.float64(0.96)
    """

    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "n_components": Given("k"),
        "components_": ("k", "d"),
        "exp_dirichlet_component_": Maybe(("k", "d")),  # in files of earlier releases
        "doc_topic_prior_": Either(((), ("k",))),
        "topic_word_prior_": Either(((), ("d",), ("k", "d"))),
        "n_batch_iter_": (),
        "bound_": Maybe(()),
        "random_state_": Maybe(Anything()),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "doc_topic_prior": [None, NOT_NEGATIVE, StrOptions({"auto"}), "array-like"],
        "topic_word_prior": [None, NOT_NEGATIVE, StrOptions({"auto"}), "array-like"],
        "learning_method": [StrOptions({"batch", "online", "map", "gibbs"})],
        "learning_decay": [Interval(Real, 0, 1, closed="both")],
        "learning_offset": [Interval(Real, 1.0, None, closed="left")],
        "max_iter": [AT_LEAST_0],
        "batch_size": [AT_LEAST_1],
        "evaluate_every": [Interval(Integral, None, None, closed="neither")],
        "total_samples": [POSITIVE],
        "perp_tol": [NOT_NEGATIVE],
        "mean_change_tol": [NOT_NEGATIVE],
        "max_doc_update_iter": [AT_LEAST_0],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
        "random_state": RANDOM_STATE,
        "tol": [NOT_NEGATIVE],
        "n_samples": [AT_LEAST_1],
    }

    def __init__(
        self,
        n_components=10,
        *,
        doc_topic_prior=None,
        topic_word_prior=None,
        learning_method="batch",
        learning_decay=0.7,
        learning_offset=10.0,
        max_iter=10,
        batch_size=128,
        evaluate_every=-1,
        total_samples=1e6,
        perp_tol=1e-1,
        mean_change_tol=1e-3,
        max_doc_update_iter=100,
        n_jobs=None,
        verbose=0,
        random_state=None,
        tol=1e-5,
        n_samples=1,
    ):
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learning_method = learning_method
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.evaluate_every = evaluate_every
        self.total_samples = total_samples
        self.perp_tol = perp_tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
        self.tol = tol
        self.n_samples = n_samples

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn topics from X.

        Parameters
        ----------
        X : array, sparse matrix, data frame, Dask collection or stream of shape (n, v)
            Counts of terms: documents by terms, 0 or more. Zeros need not be stored.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each document counts.
        """
        rows = open_counts(self, X, "fit")
        weight = check_weights(sample_weight, rows)
        state, self.bound_ = learning.LEARN[self.learning_method](
            self, rows, weight, self._start(rows.n_columns)
        )
        self._publish(state, rows.dtype)
        return self

    @fitting
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from further documents, `batch_size` at a time, of `total_samples` in all.

        With learning_method="map" by stepwise EM, else by online variational Bayes. Documents are
        not remembered.
        """
        is_first = not hasattr(self, "components_")
        rows = open_counts(self, X, "partial_fit", reset=is_first)
        weight = check_weights(sample_weight, rows)
        state = self._start(rows.n_columns) if is_first else self._state()
        self._publish(learning.learn_further(self, rows, weight, state), rows.dtype)
        return self

    def fit_transform(self, X, y=None, *, normalize=True, sample_weight=None):
        """Learn from X, and give the shares of its documents: `fit` and `transform`."""
        return self.fit(X, y, sample_weight=sample_weight).transform(X, normalize=normalize)

    # ---- encode ----------------------------------------------------------------------------------

    def transform(self, X, *, normalize=True):
        """Shares of the topics in each document, (n, k).

        Parameters
        ----------
        X : array, sparse matrix, data frame, Dask collection or stream of shape (n, v)
        normalize : bool, default=True
            Whether shares sum to 1; else they are the prior plus expected counts of words.
        """
        rows, terms = some_terms(self._opened(X, "transform"))
        return rows.map(encode, *self._coding(terms), self.components_.dtype.name, normalize)

    # ---- judge -----------------------------------------------------------------------------------

    def score(self, X, y=None, sample_weight=None):
        """Variational bound of X and the topics (scikit-learn's): the higher the better."""
        rows = self._opened(X, "score")
        return self._bound_of(rows, check_weights(sample_weight, rows))[0]

    def perplexity(self, X, sub_sampling=False):
        """exp(-score / tokens): the lower the better.

        Parameters
        ----------
        X : array, sparse matrix, data frame, Dask collection or stream of shape (n, v)
        sub_sampling : bool, default=False
            Whether X stands for `total_samples` documents.
        """
        rows = self._opened(X, "perplexity")
        times = float(self.total_samples) / rows.shape[0] if sub_sampling else 1.0
        total, tokens = self._bound_of(rows, None, times)
        return learning.perplexity_of(total, tokens)

    def score_samples(self, X, method="bound", n_samples=20, random_state=None):
        """log p of each document, given the topics p(w | z) and the prior of shares.

        Parameters
        ----------
        X : array, sparse matrix, data frame, Dask collection or stream of shape (n, v)
        method : {"bound", "left-to-right"}, default="bound"
            A lower bound, by variational Bayes; or an estimate, word after word, for whole counts.
            exp of the estimate is p in the mean, so log p is a little higher than the estimate in
            the mean; more samples bring them together.
        n_samples : int, default=20
            Samples of "left-to-right".
        random_state : int, Generator, RandomState or None, default=None
            For "left-to-right"; None takes that of the constructor.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_choice("method", method, ("bound", "left-to-right"))
        n_samples = check_at_least("n_samples", n_samples, 1)
        rows, alpha = self._opened(X, "score_samples"), self._priors().doc
        topics = self._topics()
        phi = topics / topics.sum(axis=0)
        if method == "bound":
            return rows.map(bound.bounds, phi, alpha, *self._inner())
        seed = int(generator_of(self, random_state).integers(2**31))
        alpha = np.maximum(alpha, bound.LEAST_PRIOR)
        return rows.map(left_to_right, phi, alpha, n_samples, seed)

    # ---- draw ------------------------------------------------------------------------------------

    def sample(self, n_samples=1, length=100, random_state=None):
        """New documents.

        Parameters
        ----------
        n_samples : int, default=1
        length : int or array of shape (n_samples,), default=100
            Words of each document.
        random_state : int, Generator, RandomState or None, default=None
            None takes that of the constructor.

        Returns
        -------
        counts : csr_array of shape (n_samples, v)
        shares : ndarray of shape (n_samples, k)
            Of the topics in each document, drawn from the prior.
        """
        check_is_fitted(self)
        n = check_at_least("n_samples", n_samples, 1)
        lengths = checked_lengths(length, n)
        random = generator_of(self, random_state)
        theta = drawn_shares(n, self._priors().doc, random)
        return drawn_counts(theta, self.components_.astype(np.float64), lengths, random), theta

    # ---- inside ----------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Only for what is not there: `exp_dirichlet_component_`, which takes a third of memory."""
        if name != "exp_dirichlet_component_" or "components_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        components = self.components_.astype(np.float64, copy=False)
        if self._is_bayes():
            expected = exp_digamma(components)
            expected *= bound.scale_of(components.sum(axis=1))[:, None]
        else:
            expected = components / components.sum(axis=1, keepdims=True)
        return expected.astype(self.components_.dtype, copy=False)

    def _start(self, v: int) -> State:
        k = self.n_components
        self.random_state_ = random_generator(self.random_state)
        priors = given_priors(self.doc_topic_prior, self.topic_word_prior, k, v)
        if self.learning_method == "gibbs":  # begins with topics of words
            return State(np.empty((0, k)), None, priors)
        topics = self.random_state_.gamma(100.0, 0.01, size=(v, k))
        if priors.word.ndim and priors.word.shape[1] > 1:
            topics = topics * _emphasis(priors.word)  # seed words begin in their topics
        return State(topics, None, priors)

    def _state(self) -> State:
        """Where `partial_fit` goes on from."""
        return State(self._topics(), None, self._priors(), self.n_batch_iter_ - 1)

    def _priors(self) -> Priors:
        return learned_priors(self.doc_topic_prior_, self.topic_word_prior_, len(self.components_))

    def _topics(self, terms: Any = ALL) -> np.ndarray:
        """components_ by terms, (v, k), or some of them."""
        return np.ascontiguousarray(self.components_[:, terms].T, dtype=np.float64)

    def _inner(self) -> Inner:
        return Inner(self.max_doc_update_iter, self.mean_change_tol)

    def _is_bayes(self) -> bool:
        return self.learning_method != "map"

    def _coding(self, terms: Any = ALL) -> tuple:
        """What `encode` needs beside a block, which may have some of the terms."""
        topics, bayes = self._topics(terms), self._is_bayes()
        total = self.components_.sum(axis=1, dtype=np.float64)
        B = bound.expected_topics(topics, total) if bayes else topics / total
        return B, self._priors().doc, self._inner(), bayes

    def _bound_of(
        self, rows: Blocks, weight: np.ndarray | None, times: float = 1.0
    ) -> tuple[float, float]:
        """The bound of documents, each `times` times, and of the topics; and their tokens."""
        return learning.bound_of(rows, weight, self._topics(), self._priors(), self._inner(), times)

    def _publish(self, state: State, dtype: np.dtype) -> None:
        self.__dict__.pop("exp_dirichlet_component_", None)  # of a file of an earlier release
        for name, value in self._attributes(state, dtype).items():
            setattr(self, name, value)

    def _attributes(self, state: State, dtype: np.dtype) -> dict[str, Any]:
        doc, word = published(state.priors, self.doc_topic_prior, self.topic_word_prior)
        return {
            "components_": np.ascontiguousarray(state.topics.T, dtype=dtype),
            "doc_topic_prior_": doc,
            "topic_word_prior_": word,
            "n_batch_iter_": state.n_batches + 1,
        }

    def _terms_by_topic(self) -> np.ndarray:
        return self._topics()

    def _word_model(self):
        B, alpha, inner, bayes = self._coding()

        def encode_cells(cells):
            start = spread_evenly(cells, alpha)
            code = encoded(
                cells, B, alpha, start, bayes=bayes, max_iter=inner.max_iter, tol=inner.tol
            )
            return code.e

        return encode_cells, B


def encode(
    X: Any,
    B: np.ndarray,
    alpha: np.ndarray,
    inner: Inner,
    bayes: bool,
    dtype: str,
    normalize: bool,
) -> np.ndarray:
    """Shares, or prior plus expected counts, of the topics in each document of a block."""
    cells = cells_of(X)
    start = spread_evenly(cells, alpha)
    code = encoded(cells, B, alpha, start, bayes=bayes, max_iter=inner.max_iter, tol=inner.tol)
    return (shares(code.gamma) if normalize else code.gamma).astype(dtype)


def _emphasis(eta: np.ndarray) -> np.ndarray:
    """How much more a topic has of a term than topics in the mean, by their priors (v, k)."""
    mean = eta.mean(axis=1, keepdims=True)
    return np.divide(eta, mean, out=np.ones_like(eta), where=mean > 0)
