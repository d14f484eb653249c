"""Text: words of 20newsgroups counted and weighted, pairs of words, documents that are alike.

The rows of a case that counts are numbers of documents, which are read once per process from the
folder that LOWDIM_DATA names. Its quality is a sum of the matrix that all must have: the counts
times the numbers of their columns and rows, so that a word in another column shows.

Ten times the size: each copy of a document has other letters for some rare ones, so that words that
are common stay and others are new, as in a larger corpus.
"""

from __future__ import annotations

import gzip
import json
import os
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scikit-learn", "scipy")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))
RARE = "jqxzkvwbpy"
WINDOW = 5
TOP = 10


@cache
def newsgroups(copies: int) -> list[str]:
    with gzip.open(DATA / "20newsgroups.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    for copy in range(1, copies):
        letters = str.maketrans(RARE, RARE[copy:] + RARE[:copy])
        texts += [text.translate(letters) for text in texts[: len(texts) // copy]]
    return texts


def documents(X: np.ndarray, copies: int) -> list[str]:
    texts = newsgroups(copies)
    return [texts[i] for i in X[:, 0].tolist()]


def numbers(shrink: int, copies: int = 1, every: int = 1) -> np.ndarray:
    return np.arange(0, len(newsgroups(copies)) // shrink, every)[:, None]


def ours(X: np.ndarray, name: str, copies: int, **arguments: Any) -> Any:
    import lowdim

    return getattr(lowdim, name)(**arguments).fit_transform(documents(X, copies))


def theirs(X: np.ndarray, name: str, copies: int, **arguments: Any) -> Any:
    from sklearn.feature_extraction import text

    return getattr(text, name)(**arguments).fit_transform(documents(X, copies))


def weighted_sum(X: Any, found: Any) -> float:
    """The matrix times the numbers of its columns and rows, from 1."""
    columns = found @ np.arange(1.0, found.shape[1] + 1)
    return float(columns @ np.arange(1.0, found.shape[0] + 1)) / found.shape[0] ** 2


def counting(
    name: str, about: str, cls: str, copies: int = 1, every: int = 1, **arguments: Any
) -> Case:
    how = {"name": cls, "copies": copies, **arguments}
    size = f"{18846 * copies} documents, {36 * copies} MB"
    size += f", one of {every}" if every > 1 else ""
    return Case(
        name=name,
        about=f"20newsgroups with headers ({size}): {about}.",
        make=partial(numbers, copies=copies, every=every),
        ours=Entry(f"lowdim {cls}", partial(ours, **how)),
        peers=[Entry(f"scikit-learn {cls}", partial(theirs, **how))],
        quality=weighted_sum,
        tolerance=1e-12,
        big=copies > 1,
    )


# ---- one text at a time --------------------------------------------------------------------------

CALLS = 200


@cache
def fitted(library: str) -> Any:
    from sklearn.feature_extraction import text

    import lowdim

    vectorizer = lowdim.CountVectorizer() if library == "lowdim" else text.CountVectorizer()
    return vectorizer.fit(newsgroups(1)[::10])


def one_by_one(X: np.ndarray, library: str) -> Any:
    """Rows of texts that come alone, as they do to a service."""
    vectorizer = fitted(library)
    rows = [vectorizer.transform([text]) for text in documents(X[:CALLS], 1)]
    return sp.csr_array(sp.vstack(rows))


# ---- pairs of words ------------------------------------------------------------------------------


def pairs_ours(X: np.ndarray) -> sp.csr_array:
    import lowdim

    docs = documents(X, 1)
    return lowdim.text.cooccurrence(docs, lowdim.CountVectorizer(min_df=5).fit(docs), window=WINDOW)


def pairs_by_products(X: np.ndarray) -> sp.csr_array:
    """Words as numbers by scikit-learn; for each distance one sum of pairs by SciPy."""
    from sklearn.feature_extraction.text import CountVectorizer

    docs = documents(X, 1)
    vectorizer = CountVectorizer(min_df=5).fit(docs)
    analyze, number = vectorizer.build_analyzer(), vectorizer.vocabulary_
    gap = [-1] * WINDOW
    ids = np.array([i for doc in docs for i in [number.get(w, -1) for w in analyze(doc)] + gap])
    n = len(number)
    C = sp.csr_array((n, n))
    for distance in range(1, WINDOW + 1):
        left, right = ids[:-distance], ids[distance:]
        both = (left >= 0) & (right >= 0)
        C = C + sp.csr_array((np.ones(both.sum()), (left[both], right[both])), shape=(n, n))
    return sp.csr_array(C + C.T)


# ---- documents that are alike --------------------------------------------------------------------


def weights(shrink: int) -> sp.csr_array:
    import lowdim

    z = np.load(DATA / "20newsgroups_bow.npz")
    counts = sp.csr_array((z["data"], z["indices"], z["indptr"]), shape=tuple(z["shape"]))
    return lowdim.TfidfTransformer().fit_transform(counts.astype(float)[:: 2 * shrink])


def alike_ours(X: sp.csr_array) -> np.ndarray:
    import lowdim

    return lowdim.text.cosine(X, top=TOP).cosine


def alike_by_neighbours(X: sp.csr_array) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=TOP, metric="cosine", algorithm="brute", n_jobs=-1).fit(X)
    return 1.0 - model.kneighbors()[0]


def some_weights(shrink: int) -> sp.csr_array:
    return weights(3 * shrink)


def some_codes(shrink: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(2000 // shrink, 300)) + 0.5


def all_cosines(X: Any) -> np.ndarray:
    import lowdim

    return lowdim.text.cosine(X)


def all_cosines_of_sklearn(X: Any) -> np.ndarray:
    from sklearn.metrics.pairwise import cosine_similarity

    return cosine_similarity(X, dense_output=True)


def all_alike(name: str, about: str, make: Any) -> Case:
    return Case(
        name=name,
        about=f"All cosines of {about}.",
        make=make,
        ours=Entry("lowdim cosine", all_cosines),
        peers=[Entry("scikit-learn cosine_similarity", all_cosines_of_sklearn)],
        quality=sum_of,
        tolerance=1e-9,
    )


def sum_of(X: Any, cosines: np.ndarray) -> float:
    return float(cosines.sum())


CASES = (
    counting("count-words", "words counted", "CountVectorizer"),
    counting("count-pairs-of-words", "words and pairs", "CountVectorizer", ngram_range=(1, 2)),
    counting(
        "tfidf-characters",
        "characters of words, 2 to 4 in a row, tf-idf",
        "TfidfVectorizer",
        every=10,
        analyzer="char_wb",
        ngram_range=(2, 4),
    ),
    counting(
        "tfidf", "stop words, min_df=5, tf-idf", "TfidfVectorizer", stop_words="english", min_df=5
    ),
    Case(
        name="one-text-at-a-time",
        about=f"{CALLS} texts of 20newsgroups counted, each by a call of transform.",
        make=numbers,
        ours=Entry("lowdim CountVectorizer", partial(one_by_one, library="lowdim")),
        peers=[Entry("scikit-learn CountVectorizer", partial(one_by_one, library="sklearn"))],
        quality=weighted_sum,
        tolerance=1e-12,
    ),
    counting("count-words-10x", "words counted, in ten copies", "CountVectorizer", copies=10),
    Case(
        name="words-near-words",
        about="20newsgroups with headers: words of at least 5 documents, windows of 5 words.",
        make=numbers,
        ours=Entry("lowdim cooccurrence", pairs_ours),
        peers=[Entry("scikit-learn words, SciPy sums", pairs_by_products)],
        quality=weighted_sum,
        tolerance=1e-12,
    ),
    Case(
        name="documents-alike",
        about="Every other document of 20newsgroups, tf-idf of 13275 words: the 10 most alike.",
        make=weights,
        ours=Entry("lowdim cosine", alike_ours),
        peers=[Entry("scikit-learn NearestNeighbors", alike_by_neighbours)],
        quality=sum_of,
        tolerance=1e-9,
    ),
    all_alike("cosines-of-documents", "3,141 documents of 20newsgroups, tf-idf", some_weights),
    all_alike("cosines-of-codes", "2,000 rows of 300 numbers", some_codes),
)
