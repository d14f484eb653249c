"""From texts to shares of topics: counting and learning together, as a user does it.

The rows of a case are numbers of documents of 20newsgroups, read once per process. Both sides count
words in the same way, learn from all but the last documents, and give the shares of all. Quality is
the perplexity of the held-out half of the words of the last ones.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.text import documents, numbers

LIBRARIES = ("lowdim", "numpy", "scikit-learn", "scipy")
HELD_OUT = 10  # one document in so many
WORDS = {"stop_words": "english", "min_df": 7, "max_df": 0.5}


def parts(X: np.ndarray) -> tuple[list[str], list[str]]:
    """The documents to learn from, and those that are held out."""
    texts = documents(X, 1)
    held_out = np.arange(len(texts)) % HELD_OUT == 0
    learned = [text for text, out in zip(texts, held_out, strict=True) if not out]
    return learned, [text for text, out in zip(texts, held_out, strict=True) if out]


def ours(X: np.ndarray, k: int, method: str) -> tuple[Any, Any]:
    import lowdim

    vectorizer = lowdim.CountVectorizer(**WORDS)
    model = lowdim.TopicModel(k, method=method, vectorizer=vectorizer, random_state=0)
    model.fit_transform(parts(X)[0])
    return model.vectorizer_, model.model_


def scikit_learn(X: np.ndarray, k: int) -> tuple[Any, Any]:
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(**WORDS)
    counts = vectorizer.fit_transform(parts(X)[0])
    model = LatentDirichletAllocation(k, random_state=0, n_jobs=-1).fit(counts)
    model.transform(counts)
    return vectorizer, model


def perplexity(X: np.ndarray, found: tuple[Any, Any]) -> float:
    import lowdim

    vectorizer, model = found
    counts = vectorizer.transform(parts(X)[1])
    return lowdim.text.completion_perplexity(model, counts, random_state=0)


def case(k: int, method: str = "lda") -> Case:
    return Case(
        name=f"{method}-{k}",
        about=f"20newsgroups with headers, {k} topics: from texts to shares.",
        make=numbers,
        ours=Entry(f"lowdim TopicModel {method}", partial(ours, k=k, method=method)),
        peers=[Entry("scikit-learn CountVectorizer, LDA", partial(scikit_learn, k=k))],
        quality=perplexity,
        higher_is_better=False,
        tolerance=0.02,
    )


CASES = [case(20), case(50), case(20, "plsa")]
