"""Which words are worth counting for topics: not the rare, the common, the numbers, the endless.

A word that one document has says nothing about others, and one that most documents have says
nothing of any. The limits follow from the number of documents, so they are known only after all
words were counted once:

    least = max(2, sqrt(n) / 20) documents,   most = n / 2 documents

Small collections keep more: below FEW documents nothing is rare or common.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.text.counting.vectorizer import CountVectorizer

FEW = 20  # documents, up to which all words count
MOST_SHARE = 0.5  # of the documents
MOST_TERMS = 30_000
LONGEST_WORD = 40  # characters; longer ones are addresses and encoded files
SHOWN = 12  # words of each kind that are remembered


class Dropped(NamedTuple):
    """Words that do not count, by the reason.

    Attributes
    ----------
    reason : {'rare', 'common', 'number', 'long', 'beyond'}
    n_terms, n_tokens : int
        How many different ones, and how often they stand in the documents.
    examples : list of str
        The most frequent ones.
    """

    reason: str
    n_terms: int
    n_tokens: int
    examples: list[str]


class Vocabulary(NamedTuple):
    """The words that count, and what became of the others.

    Attributes
    ----------
    vectorizer : CountVectorizer
        Of these words; it counts further documents in the same way.
    counts : csr_array (n_documents, n_terms)
    least, most : int
        A word counts if so many documents have it.
    n_terms, n_tokens : int
        All words that were seen, without stop words.
    dropped : list of Dropped
    """

    vectorizer: CountVectorizer
    counts: sp.csr_array
    least: int
    most: int
    n_terms: int
    n_tokens: int
    dropped: list[Dropped]


def choose_vocabulary(documents: Iterable[str], **arguments: Any) -> Vocabulary:
    """Count documents, and choose the words that are worth it.

    Parameters
    ----------
    documents : iterable of str
    **arguments
        Of `CountVectorizer`, such as stop_words, stemmer and ngram_range.
    """
    arguments = {"dtype": np.float64, **arguments}
    counter = CountVectorizer(**arguments)
    X = counter.fit_transform(documents)
    terms = counter.get_feature_names_out()
    documents_with = np.bincount(X.indices, minlength=X.shape[1])
    tokens = np.bincount(X.indices, weights=X.data, minlength=X.shape[1]).astype(np.int64)
    n = int((np.diff(X.indptr) > 0).sum())  # documents without words are no evidence
    least, most = document_limits(n)
    words = int(np.max(arguments.get("ngram_range", (1, 1))))
    reasons = reasons_to_drop(terms, documents_with, tokens, least, most, words * LONGEST_WORD)
    if not (reasons == "").any():  # documents that share no words: then all of them count
        least, most = 1, n
        reasons = np.where((reasons == "rare") | (reasons == "common"), "", reasons)
        if not (reasons == "").any():
            reasons[:] = ""
    kept = np.flatnonzero(reasons == "")
    fixed = CountVectorizer(**arguments, vocabulary=terms[kept].tolist()).partial_fit([])
    return Vocabulary(
        fixed,
        X if len(kept) == len(terms) else sp.csr_array(X[:, kept]),
        least,
        most,
        len(terms),
        int(tokens.sum()),
        [
            _dropped(reason, reasons == reason, terms, tokens)
            for reason in ("common", "rare", "number", "long", "beyond")
            if (reasons == reason).any()
        ],
    )


def document_limits(n: int) -> tuple[int, int]:
    """At least and at most so many of n documents have a word that counts."""
    if n < FEW:
        return 1, n
    return max(2, round(n**0.5 / 20)), int(MOST_SHARE * n)


def reasons_to_drop(
    terms: np.ndarray,
    documents_with: np.ndarray,
    tokens: np.ndarray,
    least: int,
    most: int,
    longest: int = LONGEST_WORD,
) -> np.ndarray:
    """For each term why it does not count; '' for those that do."""
    reasons = np.full(len(terms), "", dtype="<U8")
    reasons[documents_with > most] = "common"
    reasons[documents_with < least] = "rare"
    reasons[[len(term) > longest for term in terms]] = "long"
    reasons[[not any(map(str.isalpha, term)) for term in terms]] = "number"
    passed = np.flatnonzero(reasons == "")
    if len(passed) > MOST_TERMS:
        order = np.argsort(-tokens[passed], kind="stable")
        reasons[passed[order[MOST_TERMS:]]] = "beyond"
    return reasons


def _dropped(reason: str, which: np.ndarray, terms: np.ndarray, tokens: np.ndarray) -> Dropped:
    places = np.flatnonzero(which)
    first = places[np.argsort(-tokens[places], kind="stable")[:SHOWN]]
    return Dropped(reason, len(places), int(tokens[places].sum()), terms[first].tolist())
