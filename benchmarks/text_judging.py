"""Truncated SVD of text beside scikit-learn, and coherence of topics beside gensim.

TruncatedSVD: tf-idf of 20newsgroups (18846 x 50000 and more), k = 100 and 20, and a table. Quality
is the share of the squares of X that the components capture.

Coherence: 50 topics of 10 words of 20newsgroups. The rows of the case are numbers of documents,
which are read once per process from the folder that LOWDIM_DATA names. Both count the same windows
but for those in which a word stands twice, which gensim 4.4 miscounts; quality is 1 if the values
agree with our definition to 0.05 and grow with it, so that it says which entries computed it.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Case, Entry
from benchmarks.text import newsgroups

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn", "gensim")


# --- Truncated SVD ----------------------------------------------------------------------------


def tfidf(shrink: int, **arguments: Any) -> sp.csr_array:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = newsgroups(1)
    X = TfidfVectorizer(**arguments).fit_transform(texts[: len(texts) // shrink])
    return sp.csr_array(X)


def table(shrink: int) -> np.ndarray:
    """Dense rows with singular values 1/j on a floor of noise."""
    random = np.random.default_rng(0)
    n, d = 20_000 // shrink, 1000
    X = (random.normal(size=(n, 100)) / np.arange(1, 101)) @ random.normal(size=(100, d))
    return X + 0.05 * random.normal(size=(n, d)) + 0.5


def svd_ours(X: Any, k: int, **arguments: Any) -> Any:
    from lowdim import TruncatedSVD

    return TruncatedSVD(k, random_state=0, **arguments).fit(X)


def svd_sklearn(X: Any, k: int, **arguments: Any) -> Any:
    from sklearn.decomposition import TruncatedSVD

    return TruncatedSVD(k, random_state=0, **arguments).fit(X)


def captured(X: Any, model: Any) -> float:
    squares = X.multiply(X).sum() if sp.issparse(X) else np.sum(X**2)
    return float(np.sum((X @ model.components_.T) ** 2) / squares)


def svd_case(name: str, about: str, make: Any, k: int) -> Case:
    return Case(
        name=name,
        about=f"TruncatedSVD of {about}, k = {k}.",
        make=make,
        ours=Entry("lowdim krylov", partial(svd_ours, k=k, algorithm="krylov")),
        peers=[
            Entry("lowdim randomized", partial(svd_ours, k=k)),
            Entry("scikit-learn arpack", partial(svd_sklearn, k=k, algorithm="arpack")),
            Entry("scikit-learn randomized", partial(svd_sklearn, k=k)),
            Entry("scikit-learn randomized, n_iter=20", partial(svd_sklearn, k=k, n_iter=20)),
        ],
        quality=captured,
        tolerance=1e-6,
        warm_rows=4000,  # fewer are decomposed by LAPACK, without the kernels
    )


# --- Coherence --------------------------------------------------------------------------------


@cache
def words(n: int) -> list[list[str]]:
    from sklearn.feature_extraction.text import CountVectorizer

    analyze = CountVectorizer().build_analyzer()
    return [analyze(text) for text in newsgroups(1)[:n]]


@cache
def topics(n: int) -> list[list[str]]:
    """Words that are neither rare nor everywhere, ten at a time."""
    from collections import Counter

    documents = Counter(word for text in words(n) for word in set(text))
    known = sorted(w for w, count in documents.items() if n // 200 < count < n // 5)
    chosen = np.random.default_rng(0).permutation(known)[:500].tolist()
    return [chosen[i : i + 10] for i in range(0, len(chosen), 10)]


def numbers(shrink: int) -> np.ndarray:
    n = len(newsgroups(1)) // shrink
    topics(n)
    return np.arange(n)[:, None]


def coherence_ours(X: np.ndarray, measure: str) -> np.ndarray:
    from lowdim.text import coherence

    return coherence(topics(len(X)), words(len(X)), measure=measure)


def coherence_gensim(X: np.ndarray, measure: str) -> np.ndarray:
    from gensim.models import CoherenceModel

    texts = words(len(X))
    dictionary = dictionary_of(len(X))
    name = {"npmi": "c_npmi", "cv": "c_v", "uci": "c_uci"}[measure]
    model = CoherenceModel(
        topics=topics(len(X)), texts=texts, dictionary=dictionary, coherence=name
    )
    return np.array(model.get_coherence_per_topic())


@cache
def dictionary_of(n: int) -> Any:
    from gensim.corpora import Dictionary

    return Dictionary(words(n))


def agreement(X: np.ndarray, values: np.ndarray, measure: str) -> float:
    expected = coherence_ours(X, measure)
    near = float(np.median(np.abs(values - expected))) < 0.05
    return float(near and np.corrcoef(values, expected)[0, 1] > 0.9)


def coherence_case(measure: str) -> Case:
    return Case(
        name=f"coherence-{measure}",
        about=f"20newsgroups (18846 documents): coherence {measure!r} of 50 topics of 10 words.",
        make=numbers,
        ours=Entry("lowdim", partial(coherence_ours, measure=measure)),
        peers=[Entry("gensim", partial(coherence_gensim, measure=measure))],
        quality=partial(agreement, measure=measure),
        tolerance=1e-9,
    )


CASES = (
    svd_case("svd-tfidf-k100", "tf-idf of 20newsgroups, all words", tfidf, 100),
    svd_case(
        "svd-tfidf-5000-k20",
        "tf-idf of 20newsgroups, 5000 words",
        partial(tfidf, max_features=5000, stop_words="english"),
        20,
    ),
    svd_case("svd-table-k10", "a dense table of 20000 x 1000", table, 10),
    coherence_case("cv"),
    coherence_case("npmi"),
)
