"""`TopicModel`: texts in, shares of topics out, in one file.

    texts  -- vectorizer -->  counts (n, v)  -- model -->  shares theta (n, k), topics phi (k, v)

The model is one of `LatentDirichletAllocation`, `PLSA` and `NMF` with the Kullback-Leibler loss.
All three explain counts by theta phi; here theta and phi have rows that add up to 1, whatever the
model keeps. The number of topics is chosen by how well held-out words are predicted.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import AT_LEAST_1, RANDOM_STATE, HasMethods, StrOptions
from lowdim.core.estimator import SavedModel
from lowdim.core.shapes import Anything, Below
from lowdim.core.validation import check_number
from lowdim.linalg.similar import similar_names
from lowdim.selection.topics import DOCUMENTS_PER_TOPIC, TopicsChoice, choose_topics
from lowdim.text.corpus import Corpus, corpus
from lowdim.text.judging.completion import shares_of, topics_of
from lowdim.text.judging.top_words import word_relevance
from lowdim.text.languages import language_of, stop_words_of
from lowdim.text.vocabulary import choose_vocabulary

METHODS = ("lda", "plsa", "nmf")
LDA_TOL = 3e-4  # per word: what a further pass would change no reader sees
PLSA_TOL = 1e-5  # likewise; to 1e-6 takes twice as long, and does not predict new words better
NAME_WORDS = 3  # of a topic's name
FEW = 1_000  # documents, below which these numbers of topics are tried
SMALL_NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 75, 100)
TINY = 1e-300


class TopicModel(SavedModel, TransformerMixin, BaseEstimator):
    """Topics of texts: which words go together, and what share of each document they have.

    A vectorizer counts words, and a model explains the counts of each document by a few topics.
    Both are saved in one file, which `lowdim.load` reads on any machine and `lowdim apply` uses.

    Cost: a pass over the texts, then that of the model; memory of the stored counts.

    Parameters
    ----------
    n_components : int or 'auto', default='auto'
        Number of topics k; 'auto' takes as many as predict held-out words best, by
        `lowdim.choose_topics`.
    method : {'lda', 'plsa', 'nmf'}, default='lda'
        `LatentDirichletAllocation`, `PLSA`, or `NMF` with the Kullback-Leibler loss. The first
        shrinks shares and topics towards even ones, which short documents need.
    vectorizer : CountVectorizer or None, default=None
        What makes counts of texts. None counts words of letters that are neither rare nor in half
        of the documents, without the stop words of the language that the texts are in.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    components_ : ndarray of shape (k, v)
        Topics phi: the probability of each term, rows add up to 1. Topics are in the order of their
        share, the largest first.
    topic_weights_ : ndarray of shape (k,)
        The share of all words that each topic has.
    n_components_ : int
        Number of topics.
    vectorizer_ : CountVectorizer
        Fitted.
    model_ : LatentDirichletAllocation, PLSA or NMF
        Fitted; its topics are in an order of its own, which `order_` gives: component
        `order_[j]` of the model is topic j.
    order_ : ndarray of int of shape (k,)
    choice_ : TopicsChoice or None
        How the number was chosen; None if it was given. A file does not keep it.

    See Also
    --------
    lowdim.topics : a page about the topics of a corpus.
    LatentDirichletAllocation : the model alone, for counts.

    Notes
    -----
    LDA is fitted with learning_method="map" and tol=3e-4, not that class's 1e-5, and pLSA with
    tol=1e-5, not 1e-6: fewer passes. Fit `LatentDirichletAllocation` or `PLSA` itself to the counts
    for a closer fit.

    Examples
    --------
    >>> import lowdim
    >>> sea = ["the ship left the harbour", "a harbour and a ship", "waves, ship and harbour"]
    >>> sky = ["the sun and the moon", "moon, stars and sun", "the sun, the moon, the stars"]
    >>> model = lowdim.TopicModel(2, random_state=0).fit(4 * (sea + sky))
    >>> shares = model.transform(["a ship in the harbour", "the moon"])
    >>> bool(shares[0].argmax() != shares[1].argmax())
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1, StrOptions({"auto"})],
        "method": [StrOptions(set(METHODS))],
        "vectorizer": [HasMethods(["fit_transform", "transform", "get_feature_names_out"]), None],
        "random_state": RANDOM_STATE,
    }
    not_saved: ClassVar[frozenset[str]] = frozenset({"choice_"})
    shapes: ClassVar[dict] = {
        "components_": ("k", "v"),
        "topic_weights_": ("k",),
        "n_components_": "k",
        "order_": Below("k", ("k",)),
        "vectorizer_": Anything(),
        "model_": {"components_": ("k", "v")},
    }

    def __init__(self, n_components="auto", *, method="lda", vectorizer=None, random_state=None):
        self.n_components = n_components
        self.method = method
        self.vectorizer = vectorizer
        self.random_state = random_state

    def fit(self, X, y=None):
        """Learn the topics of texts.

        Parameters
        ----------
        X : iterable of str, Corpus, Series, Dask bag, or what else `lowdim.corpus` takes
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        self._fit_texts(X)
        return self

    def fit_transform(self, X, y=None):
        """Learn the topics of texts, and give their shares in each."""
        return self.shares(self._fit_texts(X))

    def fit_counts(self, X, vectorizer):
        """Learn the topics of texts that were counted already.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, v), stream or Dask array
        vectorizer : CountVectorizer
            Fitted: the columns of X are its terms.
        """
        self._validate_params()
        self.vectorizer_ = vectorizer
        self.choice_ = None
        k = self.n_components
        if k == "auto":
            self.choice_ = chosen_number(X, self.method, self.random_state)
            k = int(self.choice_.choice)
        self.model_ = topic_estimator(self.method, k, self.random_state).fit(X)
        topics, shares = topics_of(self.model_).words, self._model_shares(X)
        total = np.asarray(_row_sums(X), dtype=np.float64)
        weights = total @ shares / max(total.sum(), TINY)
        self.order_ = np.argsort(-weights, kind="stable")
        self.components_, self.topic_weights_ = topics[self.order_], weights[self.order_]
        self.n_components_ = len(topics)
        return self

    def transform(self, X, return_unknown=False):
        """The share of each topic in each text.

        Parameters
        ----------
        X : iterable of str, Corpus, Series, Dask bag, or what else `lowdim.corpus` takes
        return_unknown : bool, default=False
            Also return what share of each text's words the model has not learned (stop words are
            not counted): the larger, the less the topics say of the text.

        Returns
        -------
        shares : ndarray of shape (n, k)
            Rows add up to 1. A text without words that are known has the prior's shares with LDA,
            else those of all documents together.
        unknown : ndarray of shape (n,), if return_unknown
        """
        check_is_fitted(self)
        documents = opened(X, self.vectorizer is not None)
        if return_unknown:
            documents = list(documents)  # they are counted twice
        counts = self.vectorizer_.transform(documents)
        shares = self.shares(counts)
        return (shares, self._unknown(documents, counts)) if return_unknown else shares

    def shares(self, counts):
        """The share of each topic in documents that were counted already, by `vectorizer_`."""
        check_is_fitted(self)
        shares = self._model_shares(counts)[:, self.order_]
        if self.method != "lda":  # which has a prior
            shares[np.asarray(_row_sums(counts)) == 0] = self.topic_weights_
        return shares

    def top_words(self, n=10, relevance=0.6):
        """The words that say most about each topic, as a list of lists.

        Parameters
        ----------
        n : int, default=10
        relevance : float in [0, 1], default=0.6
            1 orders words by their probability in the topic; 0 by how much more probable they are
            there than in all documents.
        """
        check_is_fitted(self)
        order = relevance_order(self.components_, self.topic_weights_, relevance, n)
        terms = self.vectorizer_.get_feature_names_out()
        return [[str(terms[j]) for j in row] for row in order]

    def similar_terms(self, term, n=10):
        """The words that stand in the same topics: [(word, cosine)], the most alike first.

        Parameters
        ----------
        term : str
            A word that the model knows.
        n : int, default=10
        """
        check_is_fitted(self)
        terms = self.vectorizer_.get_feature_names_out()
        by_topic = topics_of_terms(self.components_, self.topic_weights_)
        near = similar_names(by_topic, term, terms, n)
        return [(str(name), cosine) for name, cosine in near]

    def topic_names(self, n=NAME_WORDS):
        """A name for each topic: its first words that no topic before it has taken."""
        return names_from(self.top_words(4 * n), n)

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of shares: 'topic1_ship_sea'; `input_features` is ignored."""
        names = [name.replace(", ", "_").replace(" ", "-") for name in self.topic_names(2)]
        return np.array([f"topic{j}_{name}" for j, name in enumerate(names, start=1)], dtype=object)

    # ---- what the methods share ------------------------------------------------------------------

    def _fit_texts(self, X: Any) -> Any:
        self._validate_params()
        documents = opened(X, self.vectorizer is not None)
        if self.vectorizer is not None:
            vectorizer = clone(self.vectorizer)
            counts = vectorizer.fit_transform(documents)
        else:
            stop_words = known_stop_words(language_of(iter(documents)))
            found = choose_vocabulary(documents, stop_words=stop_words)
            vectorizer, counts = found.vectorizer, found.counts
        self.fit_counts(counts, vectorizer)
        return counts

    def _model_shares(self, counts: Any) -> np.ndarray:
        """Shares in the order of the model's components."""
        return shares_of(self.model_.transform(counts), topics_of(self.model_).sizes)

    def _unknown(self, documents: list[str], counts: Any) -> np.ndarray:
        """The share of words that are not in the vocabulary."""
        everything = clone(self.vectorizer_).set_params(
            vocabulary=None, min_df=1, max_df=1.0, max_features=None
        )
        try:
            total = np.asarray(everything.fit_transform(documents).sum(axis=1)).ravel()
        except ValueError:  # no words at all
            return np.zeros(len(documents))
        known = np.asarray(counts.sum(axis=1)).ravel()
        return 1.0 - np.divide(known, total, out=np.ones(len(total)), where=total > 0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def opened(texts: Any, as_they_are: bool = False) -> Any:
    """Texts that can be read more than once; `as_they_are` leaves lists to the vectorizer."""
    if isinstance(texts, str):
        raise ValueError(
            "A text was given where many are expected. Give a list of texts, or "
            "lowdim.corpus(path) for those of a file."
        )
    if hasattr(texts, "__next__"):
        texts = list(texts)
    if isinstance(texts, Corpus) or (as_they_are and isinstance(texts, list | tuple)):
        return texts
    return corpus(texts)


def known_stop_words(language: str | None) -> list[str] | None:
    """The stop words of a language that was found; None where no list of them is installed."""
    try:
        return stop_words_of(language)
    except ValueError:
        return None


def chosen_number(X: Any, method: str, random_state: Any = None) -> TopicsChoice:
    """How many topics; of few documents, all small numbers are tried."""
    n = X.shape[0]
    tried = [k for k in SMALL_NUMBERS if k <= n // DOCUMENTS_PER_TOPIC] if n < FEW else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of models that are only compared
        return choose_topics(
            X,
            tried if tried is None or len(tried) > 1 else [1, 2],
            model=topic_estimator(method, 2),
            random_state=random_state,
        )


def topic_estimator(method: str, k: int, random_state: Any = None) -> Any:
    """The model of a method, not fitted."""
    if method == "lda":
        from lowdim.text.topics.lda import LatentDirichletAllocation

        return LatentDirichletAllocation(
            k, learning_method="map", random_state=random_state, tol=LDA_TOL
        )
    if method == "plsa":
        from lowdim.text.topics.plsa import PLSA

        return PLSA(k, random_state=random_state, tol=PLSA_TOL)
    from lowdim.linear.nmf import NMF

    return NMF(k, solver="mu", beta_loss="kullback-leibler", random_state=random_state)


# ---- shares and topics ---------------------------------------------------------------------------


def topics_of_terms(topics: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """p(topic | term), (v, k), from p(term | topic) and the topics' shares."""
    joint = (topics * weights[:, None]).T
    total = joint.sum(axis=1, keepdims=True)
    return np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)


def relevance_order(
    topics: np.ndarray, weights: np.ndarray, relevance: float, n: int
) -> np.ndarray:
    """The n most relevant terms of each topic (k, n), the first first."""
    score = word_relevance(topics, weights, check_number("relevance", relevance, 0.0, 1.0))
    return np.argsort(-score, axis=1, kind="stable")[:, :n]


def names_from(words: list[list[str]], n: int = NAME_WORDS) -> list[str]:
    """'ship, sea, captain': the first words of each topic that are not in a name before it."""
    taken: set[str] = set()
    names = []
    for own in words:
        fresh = [word for word in own if word not in taken] or own
        chosen = fresh[:n]
        taken.update(chosen)
        names.append(", ".join(chosen))
    return names


def _row_sums(X: Any) -> Any:
    if sp.issparse(X) or isinstance(X, np.ndarray):
        return np.asarray(X.sum(axis=1)).ravel()
    from lowdim.core.opening import as_blocks

    return as_blocks(X).map(lambda block: np.asarray(block.sum(axis=1)).ravel())
