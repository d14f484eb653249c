"""What there is to say about a corpus: the topics and their documents, as plain data.

    reading     one look at all documents: lengths, copies, bad bytes
    words       counted; those that are rare, common or numbers are left out
    number      of topics: how well held-out words are predicted, on a sample of documents
    contest     the methods compared by the same held-out words
    topics      the model, fitted to all counts
    documents   typical ones, odd ones; by label and over time where there are such columns

Steps whose cost grows faster than the documents look at a random sample; `remarks` says which did.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

import lowdim
from lowdim.report.page.stages import stages
from lowdim.report.page.texts import LONGEST_EXCERPT
from lowdim.report.topics.contest import Contest, contest
from lowdim.report.topics.documents import Documents, show_documents, typical_documents
from lowdim.report.topics.duplicates import Duplicates, near_duplicates
from lowdim.report.topics.groups import ByLabel, by_label
from lowdim.report.topics.odd import Oddness, odd_documents
from lowdim.report.topics.reading import Reading
from lowdim.report.topics.showing import WordFinder
from lowdim.report.topics.times import OverTime, days_of, over_time
from lowdim.report.topics.topic_map import classical_scaling, divergences, spread_points
from lowdim.selection.clusters import EndOfRangeWarning
from lowdim.selection.topic_model import (
    TopicModel,
    chosen_number,
    known_stop_words,
    names_from,
    relevance_order,
)
from lowdim.selection.topics import TopicsChoice
from lowdim.text.languages import known_language, language_of, stemmer_of, stop_words_of
from lowdim.text.vocabulary import Vocabulary, choose_vocabulary

STAGES = {  # about what part of the time they take, in percent
    "words": 10,
    "near copies": 5,
    "number of topics": 30,
    "topics": 25,
    "comparison of methods": 20,
    "documents": 10,
}
TOP_WORDS = 10  # of a topic
FEW_TOPICS = 2  # where there are too few documents to choose
LEAST_TO_CHOOSE = 20
CHOICE_DOCUMENTS, CHOICE_VALUES = 2_000, 200_000  # that the number of topics is chosen on
EXCERPT_CHARACTERS = 1_200_000  # of all documents together in the page


class Topic(NamedTuple):
    """A topic.

    Attributes
    ----------
    number : int
        Its column in `shares`: from 0, the largest first. The page counts topics from 1.
    name : str
        Its most telling words.
    words : list of str
        The ten most relevant ones.
    share : float
        Of all words.
    coherence : float
        How much more often its words stand in one document than by chance: NPMI, -1 to 1. NaN if
        there are fewer than two words.
    n_documents : int
        Of which it is the largest topic.
    """

    number: int
    name: str
    words: list[str]
    share: float
    coherence: float
    n_documents: int


class Findings(NamedTuple):
    """All that the page shows."""

    reading: Reading
    language: str | None  # whose stop words were left out; None: none were
    vocabulary: Vocabulary
    duplicates: Duplicates
    choice: TopicsChoice | None  # None if the number of topics was given
    comparison: Contest | None  # None for a corpus too small to hide a part of it
    model: TopicModel
    topics: list[Topic]
    shares: np.ndarray  # (n, k)
    points: np.ndarray  # (k, 2): the topics in the plane, by classical scaling
    anchors: np.ndarray  # (k, 2): the same with room between them, for the map of documents
    documents: Documents
    labels: ByLabel | None
    time: OverTime | None
    days: np.ndarray | None  # (n,) since 1970
    odd: Oddness
    remarks: list[str]
    seconds: dict[str, float]

    @property
    def counts(self) -> sp.csr_array:
        """Documents by terms."""
        return self.vocabulary.counts

    @property
    def terms(self) -> np.ndarray:
        """The words that count."""
        return self.vocabulary.vectorizer.get_feature_names_out()

    @property
    def n_words(self) -> np.ndarray:
        """Words that count of each document, (n,)."""
        return np.asarray(self.counts.sum(axis=1)).ravel()


class Wishes(NamedTuple):
    """What a user may say about the topics; see `lowdim.topics`."""

    k: int | str = "auto"
    method: str = "lda"
    language: str | None = "auto"
    stem: bool = False
    ngrams: int = 1
    label: str | None = None
    time: str | None = None


def find(reading: Reading, wishes: Wishes, seed: int) -> Findings:
    """Fit the models of the page."""
    remarks: list[str] = []
    days = None if reading.time is None else days_of(reading.time, str(wishes.time))
    with warnings.catch_warnings(record=True) as caught, stages("finding topics", STAGES) as stage:
        warnings.simplefilter("always")
        with stage("words"):
            language, vocabulary = count_words(reading, wishes, remarks)
        X = vocabulary.counts
        with stage("near copies"):
            duplicates = near_duplicates(X, seed)
        with stage("number of topics"):
            k, choice = _number(X, wishes, seed, remarks)
        with stage("topics"):
            model = TopicModel(k, method=wishes.method, random_state=seed)
            model.fit_counts(X, vocabulary.vectorizer)
            shares = model.shares(X)
            topics = described(model, X, shares)
            apart = divergences(model.components_, model.topic_weights_)
            points = classical_scaling(apart)
        with stage("comparison of methods"):
            comparison = contest(X, k, seed)
        with stage("documents"):
            rest = _documents(reading, model, X, shares, days, wishes)
    if comparison is None:
        remarks.append("Methods were not compared: there are too few documents to hide some.")
    said = {one.message for one in caught if not issubclass(one.category, EndOfRangeWarning)}
    remarks += sorted({f"A method warned: {message}" for message in said})
    return Findings(
        reading,
        language,
        vocabulary,
        duplicates,
        choice,
        comparison,
        model,
        topics,
        shares,
        points,
        spread_points(apart, points),
        rest.documents,
        rest.labels,
        rest.time,
        days,
        rest.odd,
        remarks,
        stage.seconds,
    )


# ---- words ---------------------------------------------------------------------------------------


def count_words(
    reading: Reading, wishes: Wishes, remarks: list[str]
) -> tuple[str | None, Vocabulary]:
    """The language whose stop words are left out, and the words that count."""
    language = wishes.language
    if language == "auto":
        language = language_of(iter(reading.documents))
        stop_words = known_stop_words(language)
        if language is not None and stop_words is None:
            remarks.append(
                f"The documents seem to be in {language!r}, and no list of its stop words is "
                'installed: pip install "lowdim[text]".'
            )
    else:
        language = None if language in (None, "none") else known_language(language)
        stop_words = stop_words_of(language)
    vocabulary = choose_vocabulary(
        reading.documents,
        stop_words=stop_words,
        stemmer=stemmer_of(language) if wishes.stem else None,
        ngram_range=(1, wishes.ngrams),
    )
    return (None if stop_words is None else language), vocabulary


# ---- topics --------------------------------------------------------------------------------------


def _number(
    X: sp.csr_array, wishes: Wishes, seed: int, remarks: list[str]
) -> tuple[int, TopicsChoice | None]:
    """How many topics: as asked, or chosen on a sample of the documents."""
    if wishes.k != "auto":
        return int(wishes.k), None
    usable = np.flatnonzero(np.diff(X.indptr) > 0)
    if len(usable) < LEAST_TO_CHOOSE:
        remarks.append(
            f"There are too few documents to choose a number of topics; it is {FEW_TOPICS}."
        )
        return FEW_TOPICS, None
    size = min(CHOICE_DOCUMENTS, int(CHOICE_VALUES / max(X.nnz / max(len(usable), 1), 1)))
    rows = usable
    if size < len(usable):
        rows = np.sort(np.random.default_rng(seed).choice(usable, size, replace=False))
        remarks.append(f"The number of topics was chosen on {size:,} documents drawn at random.")
    choice = chosen_number(sp.csr_array(X[rows]), wishes.method, seed)
    return int(choice.choice), choice


def described(model: TopicModel, X: sp.csr_array, shares: np.ndarray) -> list[Topic]:
    """The topics with their words, names, shares and coherence."""
    terms = model.vectorizer_.get_feature_names_out()
    order = relevance_order(model.components_, model.topic_weights_, 0.6, 4 * TOP_WORDS)
    words = [[str(terms[j]) for j in row] for row in order]
    top = [row[:TOP_WORDS] for row in words]
    coherence = _coherence(top, X, terms)
    has_words = np.diff(X.indptr) > 0
    main = np.bincount(shares[has_words].argmax(axis=1), minlength=shares.shape[1])
    return [
        Topic(
            j,
            name,
            top[j],
            float(model.topic_weights_[j]),
            float(coherence[j]),
            int(main[j]),
        )
        for j, name in enumerate(names_from(words))
    ]


def _coherence(top: list[list[str]], X: sp.csr_array, terms: np.ndarray) -> np.ndarray:
    if min(map(len, top)) < 2:
        return np.full(len(top), np.nan)
    return np.asarray(lowdim.text.coherence(top, (X, list(terms)), measure="npmi"))


# ---- documents -----------------------------------------------------------------------------------


class _Rest(NamedTuple):
    documents: Documents
    labels: ByLabel | None
    time: OverTime | None
    odd: Oddness


def _documents(
    reading: Reading,
    model: TopicModel,
    X: sp.csr_array,
    shares: np.ndarray,
    days: np.ndarray | None,
    wishes: Wishes,
) -> _Rest:
    n_words = np.asarray(X.sum(axis=1)).ravel()
    topics, terms = model.components_, model.vectorizer_.get_feature_names_out()
    odd = odd_documents(X, shares, topics, terms)
    labels = None
    if reading.label is not None:
        labels = by_label(str(wishes.label), reading.label, shares, n_words)
    time = None if days is None else over_time(days, shares, n_words)
    documents = show_documents(
        reading.documents,
        typical_documents(shares, n_words, reading.first_copy),
        [one.document for one in odd.documents],
        shares,
        topics,
        WordFinder(model.vectorizer_),
        excerpt_length(len(shares)),
    )
    return _Rest(documents, labels, time, odd)


def excerpt_length(n: int) -> int:
    """How many characters of each document there is room for."""
    room = EXCERPT_CHARACTERS // max(n, 1)
    return 0 if room < 20 else min(room, LONGEST_EXCERPT)
