"""Do the words of a topic keep company? Coherence, from counts of windows.

    P(i), P(i, j)   share of the windows with word i, with both; e = 1e-12

    umass   mean over j < i of   log( (P(i, j) + e) / P(j) )               window: a document
    uci     mean over pairs of   log( (P(i, j) + e) / (P(i) P(j)) )        10 words
    npmi    mean over pairs of   the same / - log( P(i, j) + e )           10 words
    cv      mean over i of       cos( v_i, sum_j v_j ),  v_ij = npmi(i, j) 110 words

In umass the words are taken in their order, the most important first.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, islice, repeat
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from lowdim.core.calling import level_of_caller
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, open_rows_for
from lowdim.text.counting.base import counter_of, open_documents
from lowdim.text.counting.vectorizer import CountVectorizer
from lowdim.text.judging.windows import Pairs, WindowCounts, in_counts, in_texts

WINDOWS: dict[str, int | None] = {"npmi": 10, "umass": None, "uci": 10, "cv": 110}
EPS = 1e-12
PIECE_DOCUMENTS = 2**12
NAMED = 5  # words that a warning names


class MissingWordsWarning(UserWarning):
    """Words of topics that do not occur in the documents."""


@single_threaded_blas()
def coherence(
    topics: Iterable[Iterable[str]],
    docs: Any,
    *,
    measure: str = "npmi",
    window: int | str | None = None,
    vectorizer: Any = None,
) -> np.ndarray:
    """How often the words of each topic stand together.

    Parameters
    ----------
    topics : list of lists of str
        The words of each topic, the most important first, as `top_words` gives them.
    docs : list of lists of str, list of str, Corpus, Dask bag, or (counts, names)
        Documents as lists of words; or texts, which are cut into words; or counts (documents x
        words) with the words of their columns, which know no order: windows are then documents.
    measure : {'npmi', 'umass', 'uci', 'cv'}, default='npmi'
        'npmi': from -1 (never together) by 0 (as by chance) to 1 (always). 'uci': the same without
        the norm. 'umass': log of the chance of a word given a more important one, at most 0. 'cv':
        from 0 to 1, of all words at once; it agrees best with what people find.
    window : int, 'document' or None, default=None
        Words in a window. None: 10 for 'npmi' and 'uci', 110 for 'cv', a document for 'umass'.
    vectorizer : CountVectorizer or None, default=None
        How texts are cut; None: as CountVectorizer() does. Give the one that made the words of the
        topics if it has a stemmer or another pattern. Not used for lists of words and counts.

    Returns
    -------
    values : ndarray of shape (n_topics,)
        Larger is better.

    Warns
    -----
    MissingWordsWarning
        Some words are not in docs; they are left out. A topic with fewer than two words left has
        the value of words that never stand together.

    Notes
    -----
    A window begins at each place of a document; a document that is shorter is one window. A word
    counts once for a window, also if it stands there twice: gensim 4.4 forgets such a word, and
    does not count windows of documents without any word of a topic. Two words that stand in every
    window have an npmi of 1.

    References
    ----------
    Röder, Both and Hinneburg (2015), Exploring the space of topic coherence measures, WSDM.

    Examples
    --------
    >>> import lowdim
    >>> docs = [["cat", "dog", "pet"], ["cat", "dog"], ["tax", "law"], ["law", "tax", "pet"]]
    >>> values = lowdim.text.coherence([["cat", "dog"], ["cat", "law"]], docs)
    >>> values.round(3).tolist()
    [1.0, -0.95]
    """
    check_choice("measure", measure, WINDOWS)
    lists = _topics(topics)
    words = sorted({word for topic in lists for word in topic})
    number = {word: i for i, word in enumerate(words)}
    numbered = [np.array([number[word] for word in topic], dtype=np.int64) for topic in lists]
    pairs, place = _pairs(numbered, len(words))
    counts = _counts(docs, number, pairs, _window(window, measure, docs), vectorizer)
    _warn_of_missing([word for word, n in zip(words, counts.of_word, strict=True) if n == 0])
    shares = Shares(counts.of_word / counts.total, counts.of_pair / counts.total)
    values = [
        _of_topic(topic[counts.of_word[topic] > 0], shares, place, measure) for topic in numbered
    ]
    return np.array(values)


# ---- measures ------------------------------------------------------------------------------------


class Shares(NamedTuple):
    """Shares of windows."""

    of_word: np.ndarray  # (r,)
    of_pair: np.ndarray  # (m,)


def _of_topic(topic: np.ndarray, shares: Shares, place: dict, measure: str) -> float:
    n = len(topic)
    if n < 2:
        return {"npmi": -1.0, "cv": 0.0}.get(measure, float(np.log(EPS)))
    p = shares.of_word[topic]  # (n,)
    both = np.diag(p)  # (n, n)
    for i, j in combinations(range(n), 2):
        a, b = sorted((int(topic[i]), int(topic[j])))
        both[i, j] = both[j, i] = shares.of_pair[place[a, b]]
    later, earlier = np.tril_indices(n, -1)
    if measure == "umass":
        return float(np.mean(np.log((both[later, earlier] + EPS) / p[earlier])))
    if measure == "uci":
        return float(np.mean(log_ratio(both, p)[later, earlier]))
    values = npmi(both, p)
    if measure == "npmi":
        return float(np.mean(values[later, earlier]))
    return float(np.mean(_cosines(values, values.sum(axis=0))))


def log_ratio(both: np.ndarray, p: np.ndarray) -> np.ndarray:
    """log of how much more often than by chance, (n, n)."""
    return np.log((both + EPS) / np.outer(p, p))


def npmi(both: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The same over its largest possible value; 1 for words that stand in every window."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = log_ratio(both, p) / -np.log(both + EPS)
    return np.where(both < 1.0, values, 1.0)


def _cosines(V: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The cosine of each row with v; 0 where one of them is 0."""
    lengths = np.linalg.norm(V, axis=1) * np.linalg.norm(v)
    return np.divide(V @ v, lengths, out=np.zeros(len(V)), where=lengths > 0)


# ---- the door ------------------------------------------------------------------------------------


def _topics(topics: Any) -> list[list[str]]:
    if isinstance(topics, str):
        raise TypeError("topics is a text; give a list of topics, each a list of words.")
    lists = []
    for i, topic in enumerate(topics):
        if isinstance(topic, str):
            raise TypeError(
                f"topics[{i}] is a text ({topic!r:.40}), not a list of words; for one topic give "
                "[[...]]."
            )
        lists.append(list(dict.fromkeys(topic)))
    if not lists or not any(lists):
        raise ValueError("topics has no words; give a list of topics, each a list of words.")
    return lists


def _pairs(topics: list[np.ndarray], n_words: int) -> tuple[Pairs, dict[tuple[int, int], int]]:
    """The pairs of words that share a topic, and where each of them is."""
    place: dict[tuple[int, int], int] = {}
    for topic in topics:
        for pair in combinations(sorted(topic.tolist()), 2):
            place.setdefault(pair, len(place))
    both = np.array(list(place), dtype=np.int64).reshape(-1, 2)
    left, right = np.ascontiguousarray(both.T)
    return Pairs(left, right, n_words), place


def _window(window: Any, measure: str, docs: Any) -> int | None:
    if window is None:
        return WINDOWS[measure]
    if isinstance(window, str):
        check_choice("window", window, ("document",))
        return None
    if is_counts(docs):
        raise ValueError(
            f"window={window} needs the order of words, which counts do not know; give docs as "
            "lists of words or texts, or window='document'."
        )
    return check_at_least("window", window, 1)


def _counts(
    docs: Any, number: dict[str, int], pairs: Pairs, window: int | None, vectorizer: Any
) -> WindowCounts:
    if is_counts(docs):
        found = _of_counts(docs[0], docs[1], number, pairs)
    else:
        found = in_texts(_pieces(docs, number, vectorizer), pairs, window)
    if found.total == 0:
        raise ValueError("docs have no words; coherence needs documents to count in.")
    return found


def is_counts(docs: Any) -> bool:
    """Whether docs are (counts, names): a matrix, and the words of its columns."""
    if not (isinstance(docs, tuple) and len(docs) == 2):
        return False
    return sp.issparse(docs[0]) or getattr(docs[0], "ndim", 0) == 2


def _of_counts(counts: Any, names: Any, number: dict[str, int], pairs: Pairs) -> WindowCounts:
    rows = open_rows_for("coherence", counts)
    if rows.in_memory is None:
        raise TypeError(f"coherence takes counts in memory, not {type(counts).__name__}.")
    names = names_of(names, rows.n_columns)
    column = {name: j for j, name in enumerate(names)}
    words = list(number)
    known = [word for word in words if word in column]
    X = sp.csr_array(rows.in_memory)
    empty = sp.csr_array((X.shape[0], 1), dtype=X.dtype)
    if len(known) < len(words):  # a column of zeros stands for words that are not there
        X = sp.hstack([X, empty], format="csr")
    columns = np.array([column.get(word, len(names)) for word in words], dtype=np.int64)
    return in_counts(sp.csr_array(X), columns, pairs)


def names_of(names: Any, n_columns: int) -> list[Any]:
    """The words of columns, from a list of them or from a fitted vectorizer."""
    if hasattr(names, "get_feature_names_out"):
        names = names.get_feature_names_out()
    if isinstance(names, str):
        raise TypeError("names is a text; give a list of words, one for each column.")
    names = np.asarray(names).tolist() if not isinstance(names, list) else names
    if len(names) != n_columns:
        raise ValueError(f"names has {len(names)} words; there are {n_columns} columns.")
    return names


# ---- documents -----------------------------------------------------------------------------------


def _pieces(
    docs: Any, number: dict[str, int], vectorizer: Any
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Documents as numbers of words, some at a time; -1 for words of no topic."""
    documents = iter(open_documents(docs))
    first = next(documents, None)
    if first is None:
        return
    documents = chain([first], documents)
    if isinstance(first, str | bytes):
        cut = CountVectorizer() if vectorizer is None else clone(vectorizer)
        cut.set_params(vocabulary=list(number))
        if not callable(cut.analyzer):
            cut.set_params(ngram_range=(1, 1))
        yield from counter_of(cut, number).sequences(documents)
        return
    while piece := list(islice(documents, PIECE_DOCUMENTS)):
        yield _numbered(piece, number)


def _numbered(
    documents: Sequence[Sequence[str]], number: dict[str, int]
) -> tuple[np.ndarray, np.ndarray]:
    for document in documents:
        if isinstance(document, str):
            raise TypeError(
                f"docs has texts and lists of words (a text: {document!r:.40}); give one or the "
                "other."
            )
    lengths = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
    words = chain.from_iterable(documents)
    ids = np.fromiter(map(number.get, words, repeat(-1)), dtype=np.int32, count=lengths.sum())
    return ids, np.cumsum(lengths)


def _warn_of_missing(words: list[str]) -> None:
    if not words:
        return
    shown = ", ".join(map(repr, words[:NAMED])) + (", ..." if len(words) > NAMED else "")
    warnings.warn(
        f"{len(words)} words of the topics are not in docs and are left out ({shown}). Are docs "
        "cut, stemmed and put in lower case as the words of the topics were?",
        MissingWordsWarning,
        stacklevel=level_of_caller(),
    )
