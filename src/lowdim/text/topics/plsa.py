"""Probabilistic latent semantic analysis: documents as mixtures of topics, without priors.

    p(w | i) = sum_z p(z | i) p(w | z) = sum_z theta_iz phi_zw

    minimise     J = - sum_iw x_iw log sum_z theta_iz phi_zw   (per token)

    statistics   p(z | w, i) ~ theta_iz phi_zw;  expected counts by document and by term
    update       theta_i ~ counts by document;  phi_z ~ counts by term

Neither half of EM can raise J. It begins with passes over batches (`lda/stepwise.py`), which are
such steps, and goes on by coordinates (`coordinates.py`), which end where EM creeps. At temperature
T the probabilities are those of (theta phi)^(1/T), and what falls is J_T = - T sum x log sum_z
(theta_iz phi_zw)^(1/T), by EM: two steps point somewhere (SQUAREM, `extrapolation.py`), and the
third is taken from there, unless J_T is higher there.

It is the same as NMF for the Kullback-Leibler divergence, with rows that sum to 1:
D(X || W H) = sum x log x - sum_i l_i log l_i - log-likelihood, l_i the length of document i.
Free parameters: (n + v) k - n - k. One pass: O(cells k); memory: (n + v) k and a block.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, POSITIVE, RANDOM_STATE
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import generator_of, random_generator
from lowdim.core.shapes import Given
from lowdim.core.validation import check_at_least, check_codes, check_weights
from lowdim.text.topics.coordinates import PLSAParams, coordinate_step, counted
from lowdim.text.topics.counts import (
    ALL,
    CountsModel,
    Total,
    cells_of,
    open_counts,
    some_terms,
    total_of,
    weights_of,
)
from lowdim.text.topics.expectation import document_counts, topic_counts
from lowdim.text.topics.extrapolation import move_back, move_on, step_between
from lowdim.text.topics.lda.maximum import BATCHES, LEAST_BATCH, rate, shares
from lowdim.text.topics.lda.priors import given_priors
from lowdim.text.topics.lda.sampling import checked_lengths, drawn_counts
from lowdim.text.topics.lda.stepwise import stepwise_pass
from lowdim.text.topics.lda.variational import Inner, State
from lowdim.text.topics.shares import likeliest_shares
from lowdim.text.topics.words import WordMethods

START_PASSES, START_ITERATIONS = 3, 20  # over batches; of a document in each
ADDED = 1e-3  # to counts, at the start, of what there would be if all were equal


class PLSA(WordMethods, CountsModel):
    """Probabilistic latent semantic analysis: each document a mixture of topics.

    Minimises  J = - sum_iw x_iw log sum_z p(z | i) p(w | z) / tokens  by EM over batches, then by
               coordinates; J never rises. The same as NMF for the Kullback-Leibler divergence.

    Cost: O(cells k) an iteration; memory: (n + v) k numbers, and the cells of X that are not 0 once
    more, by terms (of streams and Dask some terms at a time).
    Use it to describe the documents at hand; for new ones, and for few words each,
    `LatentDirichletAllocation` has priors.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k.
    max_iter : int, default=500
        Iterations at the most.
    tol : float, default=1e-6
        Stop when an iteration lowers J (per token) by less: on 2,246 news texts with 10 and 50
        topics after 103 and 135 iterations.
    temperature : float, default=1.0
        Above 1, words belong less surely to one topic while topics are learned: they are smoother,
        and predict new documents better (Hofmann's tempered EM with beta = 1 / temperature).
    random_state : int, Generator, RandomState or None, default=None
        For the topics at the start.

    Attributes
    ----------
    components_ : ndarray of shape (k, v)
        p(w | z): rows sum to 1.
    doc_topics_ : ndarray of shape (n, k)
        p(z | document): the likeliest shares, as `transform` gives them.
    topic_weights_ : ndarray of shape (k,)
        p(z): the part of all words that belongs to each topic.
    log_likelihood_ : float
        sum x log p(w | i) over all documents.
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations, J after each (at another temperature before each), and whether they sufficed.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (v,), if X had names

    See Also
    --------
    LatentDirichletAllocation : with priors; learning_method="map" without them is this.

    Notes
    -----
    Scale does not matter: X and 10 X have the same topics. A document without words has the shares
    of all documents together, `topic_weights_`. Words that no document had when topics were learned
    have probability 0: `transform` leaves them out, and the score of documents that have them is
    -inf.

    References
    ----------
    Hofmann (1999), Probabilistic latent semantic indexing. Ding, Li and Peng (2008), On the
    equivalence between non-negative matrix factorization and probabilistic latent semantic
    indexing. Hsieh and Dhillon (2011), for descent by coordinates. Varadhan and Roland (2008), for
    SQUAREM.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import PLSA
    >>> X = np.kron(np.eye(2, dtype=int), np.full((5, 3), 4))  # two topics of three terms
    >>> model = PLSA(2, random_state=0).fit(X)
    >>> model.components_.max(axis=1).round(3)
    array([0.333, 0.333])
    >>> round(model.perplexity(X), 6)
    3.0
    """

    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "n_components": Given("k"),
        "components_": ("k", "d"),
        "doc_topics_": ("n", "k"),
        "topic_weights_": ("k",),
        "log_likelihood_": (),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "temperature": [POSITIVE],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components=10,
        *,
        max_iter=500,
        tol=1e-6,
        temperature=1.0,
        random_state=None,
    ):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.temperature = temperature
        self.random_state = random_state

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
        total = rows.fold(total_of, along=(weight,))
        if not total.tokens > 0:
            raise ValueError("X has no words: all counts are 0. Nothing can be learned from it.")
        random = random_generator(self.random_state)
        start = begin(rows, weight, total, self.n_components, random)
        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol, falls=True)
        del start  # the loop has it as long as it is needed
        exact = self.temperature == 1.0
        documents = counted(rows, weight, total.tokens / total.documents) if exact else None
        for params in loop:
            if documents is not None:
                loop.params, objective = coordinate_step(documents, params)
            else:
                loop.params, objective = step(rows, params, self.temperature, weight)
            loop.record(objective)
        del documents, params
        self._publish(rows, weight, loop.params.phi)
        return self

    def _publish(self, rows, weight, phi):
        """Set the learned attributes; shares are the likeliest ones for these topics."""
        none = np.zeros(phi.shape[1])  # of documents without words: known afterwards
        sums, theta = rows.fold_and_map(coded, phi, none, along=(weight,))
        weights = sums.by_topic / sums.tokens
        theta[~theta.any(axis=1)] = weights
        self.components_ = np.ascontiguousarray(phi.T, dtype=rows.dtype)
        self.doc_topics_ = theta.astype(rows.dtype, copy=False)
        self.topic_weights_ = weights.astype(rows.dtype)
        self.log_likelihood_ = sums.log_likelihood

    # ---- encode and decode -----------------------------------------------------------------------

    def transform(self, X):
        """p(z | document): the likeliest shares of the topics in each document, (n, k)."""
        rows, terms = some_terms(self._opened(X, "transform"))
        return rows.map(encode, *self._topics(terms), self.components_.dtype.name)

    def inverse_transform(self, Z):
        """p(w | document) = sum_z p(z | document) p(w | z), (n, v)."""
        check_is_fitted(self)
        Z = check_codes(self, Z, len(self.components_))
        return Z @ self.components_.astype(Z.dtype)

    # ---- judge -----------------------------------------------------------------------------------

    def score(self, X, y=None, sample_weight=None):
        """log p(w | document) of a word in the mean, with the likeliest shares."""
        rows = self._opened(X, "score")
        weight = check_weights(sample_weight, rows)
        sums = rows.fold(coded_sums, *self._topics(), along=(weight,))
        return float(sums.log_likelihood / sums.tokens) if sums.tokens > 0 else 0.0

    def perplexity(self, X, sample_weight=None):
        """exp(-score): how many words one would have to choose from, the fewer the better."""
        return float(np.exp(-self.score(X, sample_weight=sample_weight)))

    # ---- draw ------------------------------------------------------------------------------------

    def sample(self, n_samples=1, length=100, random_state=None):
        """New documents, each with the shares of a document that was learned from.

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
        """
        check_is_fitted(self)
        n = check_at_least("n_samples", n_samples, 1)
        lengths = checked_lengths(length, n)
        random = generator_of(self, random_state)
        chosen = random.integers(len(self.doc_topics_), size=n)
        theta = self.doc_topics_[chosen].astype(np.float64)
        theta /= theta.sum(axis=1, keepdims=True)
        return drawn_counts(theta, self.components_.astype(np.float64), lengths, random), theta

    # ---- inside ----------------------------------------------------------------------------------

    def _topics(self, terms=ALL):
        """Topics by terms (v, k), or some of them, and the shares of a document without words."""
        phi = np.ascontiguousarray(self.components_[:, terms].T, dtype=np.float64)
        return phi, self.topic_weights_.astype(np.float64)

    def _terms_by_topic(self):
        phi, weights = self._topics()
        return phi * weights

    def _word_model(self):
        phi, weights = self._topics()
        return lambda cells: likeliest_shares(cells, phi, weights), phi


def begin(
    rows: Blocks, weight: np.ndarray | None, total: Total, k: int, random: np.random.Generator
) -> PLSAParams:
    """Shares and topics after some passes over batches, which find better ones than EM does.

    A little is added to all counts: what is 0 in the first batch may come later. Counts are divided
    by the length of a document in the mean, so units do not matter. On AP with 20 topics, ten
    iterations from here come as far as 400 from topics at random.
    """
    v, unit = rows.n_columns, total.tokens / total.documents
    rows = rows.seen(in_units, unit)
    alpha, eta = ADDED / k, ADDED * total.documents / (k * v)
    topics = random.gamma(100.0, 0.01, size=(v, k))
    state = State(topics, None, given_priors(alpha, eta, k, v))
    for _ in range(START_PASSES):
        state = stepwise_pass(
            rows,
            state,
            size=max(LEAST_BATCH, rows.shape[0] // BATCHES),
            documents=total.documents,
            rate=rate,
            inner=Inner(START_ITERATIONS, 1e-3 / k),
            bayes=False,
            weight=weight,
            in_place=True,
        ).state
    assert state.gamma is not None
    return PLSAParams(shares(state.gamma), state.topics / state.topics.sum(axis=0))


def in_units(X: Any, unit: float) -> Any:
    """Counts of a block in units."""
    return X * X.dtype.type(1.0 / unit)


class Sums(NamedTuple):
    """What one pass of EM adds up."""

    by_term: Any  # (v, k)  expected counts, divided by phi^(1/T)
    objective: float  #        J_T, not per token
    tokens: float


def statistics(
    X: Any,
    B: np.ndarray,
    temperature: float,
    theta: np.ndarray,
    weight: np.ndarray | None,
) -> tuple[Sums, np.ndarray]:
    """What one block adds up, and the shares of its documents after a step; B is phi^(1/T)."""
    cells = cells_of(X)
    w = weights_of(weight, cells.n_documents)
    e = theta if temperature == 1.0 else theta ** (1.0 / temperature)
    found = topic_counts(cells, e, B, weight)
    objective = -temperature * float(w @ found.log_likelihood)
    total = found.by_document.sum(axis=1, keepdims=True)
    moved = np.divide(found.by_document, total, out=theta.copy(), where=total > 0)
    return Sums(found.by_term, objective, float(w @ cells.lengths)), moved


def em_step(
    rows: Any, params: PLSAParams, temperature: float, weight: np.ndarray | None
) -> tuple[PLSAParams, float]:
    """One step of EM, and J_T per token where it started."""
    B = params.phi if temperature == 1.0 else params.phi ** (1.0 / temperature)
    sums, theta = rows.fold_and_map(statistics, B, temperature, along=(params.theta, weight))
    counts = np.multiply(sums.by_term, B, out=sums.by_term)
    return PLSAParams(theta, update(counts, params.phi)), sums.objective / sums.tokens


def update(counts: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """Topics from expected counts by term (v, k); one without any words stays as it is.

    Written into `counts`.
    """
    total = counts.sum(axis=0)
    unused = total <= 0
    if unused.any():
        counts[:, unused], total = phi[:, unused], np.where(unused, 1.0, total)
    return np.divide(counts, total, out=counts)


def step(
    rows: Any, params: PLSAParams, temperature: float, weight: np.ndarray | None
) -> tuple[PLSAParams, float]:
    """Two steps of EM and one from where they point; J_T where it started."""
    once, objective = em_step(rows, params, temperature, weight)
    theta, phi = (step_between(*pair) for pair in zip(params, once, strict=True))
    twice, second = em_step(rows, once, temperature, weight)
    theta = move_on(theta, once.theta, twice.theta, weight)
    phi = move_on(phi, once.phi, twice.phi)
    sums = twice.theta.sum(axis=1, keepdims=True), twice.phi.sum(axis=0)
    for point, total in zip(twice, sums, strict=True):
        point /= total
    ahead, third = em_step(rows, twice, temperature, weight)
    if third <= second:
        return ahead, objective
    for point, total, back in zip(twice, sums, (theta, phi), strict=True):
        point *= total
        move_back(point, back)
    return twice, objective


# ---- codes ---------------------------------------------------------------------------------------


def encode(X: Any, phi: np.ndarray, without_words: np.ndarray, dtype: str) -> np.ndarray:
    """The likeliest shares of each document of a block."""
    return likeliest_shares(cells_of(X), phi, without_words).astype(dtype)


class CodedSums(NamedTuple):
    """What documents with their likeliest shares add up."""

    by_topic: np.ndarray  # (k,)  words that belong to each topic
    log_likelihood: float
    tokens: float


def coded(
    X: Any, phi: np.ndarray, without_words: np.ndarray, weight: np.ndarray | None
) -> tuple[CodedSums, np.ndarray]:
    """Sums of a block, and its shares."""
    cells = cells_of(X)
    w = weights_of(weight, cells.n_documents)
    theta = likeliest_shares(cells, phi, without_words)
    found = document_counts(cells, theta, phi)
    lengths = w * cells.lengths
    by_topic = w @ found.by_document
    sums = CodedSums(by_topic, float(w @ found.log_likelihood), float(lengths.sum()))
    return sums, theta


def coded_sums(
    X: Any, phi: np.ndarray, without_words: np.ndarray, weight: np.ndarray | None
) -> CodedSums:
    """Sums of a block."""
    return coded(X, phi, without_words, weight)[0]
