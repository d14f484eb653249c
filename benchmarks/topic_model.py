"""From texts to shares of topics, as a user does it; and the page about a corpus.

The rows of a case are numbers of documents of 20newsgroups, read once per process. Both sides count
words in the same way, learn from all but the last documents, and give the shares of all. Quality is
the perplexity of the held-out half of the words of the last ones.

A page has no peer: what is measured is its memory, and the perplexity that it reports. The rows of
its cases hold the number of documents; of fewer rows, a sample is looked at. The corpus of 2 GB is
20newsgroups many times over, each copy cut at other places.
"""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry
from benchmarks.text import DATA, documents, newsgroups, numbers

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


def some_numbers(shrink: int, part: int) -> np.ndarray:
    return numbers(shrink * part)


def case(k: int, method: str = "lda", part: int = 1) -> Case:
    texts = "20newsgroups with headers" if part == 1 else f"1/{part} of 20newsgroups with headers"
    return Case(
        name=f"{method}-{k}" if part == 1 else f"{method}-{k}-part",
        about=f"{texts}, {k} topics: from texts to shares.",
        make=partial(some_numbers, part=part),
        ours=Entry(f"lowdim TopicModel {method}", partial(ours, k=k, method=method)),
        peers=[Entry("scikit-learn CountVectorizer, LDA", partial(scikit_learn, k=k))],
        quality=perplexity,
        higher_is_better=False,
        tolerance=0.02,
        warm_rows=200,
        most_rounds=2,
        big=part == 1,
    )


# ---- the page ------------------------------------------------------------------------------------

WIKIPEDIA_ARTICLES = 17_821
COPIES = 56  # of 20newsgroups: 2 GB


def articles(shrink: int, part: int = 1) -> np.ndarray:
    return np.full((WIKIPEDIA_ARTICLES // (shrink * part), 1), WIKIPEDIA_ARTICLES)


def many_messages(shrink: int) -> np.ndarray:
    """A row for each message of a file of 2 GB, which is written if it is not there."""
    texts, copies = newsgroups(1), max(1, COPIES // shrink)
    n = copies * len(texts)
    path = large_file(n)
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        with open(unfinished, "w", encoding="utf-8") as file:
            for copy in range(copies):
                for i, text in enumerate(texts):
                    cut = text[(7 * copy + i) % 100 :]
                    print(json.dumps({"id": f"{copy}-{i}", "text": cut}), file=file)
        unfinished.rename(path)
    return np.full((n, 1), n)


def large_file(n: int) -> Path:
    return Path(tempfile.gettempdir()) / f"lowdim-messages-{n}.jsonl"


def page_of_wikipedia(X: np.ndarray) -> Any:
    return page_of(DATA / "wikipedia_sample.txt.gz", 50, X)


def page_of_messages(X: np.ndarray) -> Any:
    return page_of(large_file(int(X[0, 0])), 20, X, text="text", id="id")


def page_of(path: Path, k: int, X: np.ndarray, **columns: str) -> Any:
    import lowdim

    sample = None if len(X) == X[0, 0] else len(X)
    report = lowdim.topics(path, k, sample=sample, **columns)
    assert len(report.html) < 5e6
    return report.findings.comparison


def of_the_best(X: np.ndarray, comparison: Any) -> float:
    return float(comparison.mean[0])


def page_case(name: str, about: str, make: Any, page: Any, limit: float, big: bool) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim topics", page),
        peers=[],
        quality=of_the_best,
        higher_is_better=False,
        warm_rows=200,
        memory_limit=limit,
        big=big,
    )


CASES = [
    case(20, part=6),
    case(50, part=6),
    case(20, "plsa", part=6),
    case(20),
    case(50),
    case(20, "plsa"),
    page_case(
        "page-articles",
        "A page about 2,000 articles, 50 topics.",
        partial(articles, part=9),
        page_of_wikipedia,
        1200,
        False,
    ),
    page_case(
        "page-wikipedia",
        "A page about 17,821 articles, 50 topics.",
        articles,
        page_of_wikipedia,
        1200,
        True,
    ),
    page_case(
        "page-2GB",
        "A page about 1,055,376 messages, 2 GB of jsonl, 20 topics.",
        many_messages,
        page_of_messages,
        600,
        True,
    ),
]
