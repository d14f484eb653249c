"""Text: words of 20newsgroups counted and weighted, beside scikit-learn.

The rows of a case are numbers of documents, which are read once per process from the folder that
LOWDIM_DATA names. Quality is a sum of the matrix that both must have: the counts times the numbers
of their columns, so that a word in another column shows.
"""

from __future__ import annotations

import gzip
import json
import os
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scikit-learn", "scipy")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))


@cache
def newsgroups() -> list[str]:
    with gzip.open(DATA / "20newsgroups.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def documents(X: np.ndarray) -> list[str]:
    texts = newsgroups()
    return [texts[i] for i in X[:, 0].tolist()]


def numbers(shrink: int) -> np.ndarray:
    return np.arange(len(newsgroups()) // shrink)[:, None]


def ours(X: np.ndarray, name: str, **arguments: Any) -> Any:
    import lowdim

    return getattr(lowdim, name)(**arguments).fit_transform(documents(X))


def theirs(X: np.ndarray, name: str, **arguments: Any) -> Any:
    from sklearn.feature_extraction import text

    return getattr(text, name)(**arguments).fit_transform(documents(X))


def weighted_sum(X: np.ndarray, found: Any) -> float:
    """The matrix times the numbers of its columns and rows, from 1."""
    columns = found @ np.arange(1.0, found.shape[1] + 1)
    return float(columns @ np.arange(1.0, found.shape[0] + 1)) / found.shape[0] ** 2


def case(name: str, about: str, cls: str, **arguments: Any) -> Case:
    return Case(
        name=name,
        about=f"20newsgroups with headers (18846 documents, 36 MB): {about}.",
        make=numbers,
        ours=Entry(f"lowdim {cls}", partial(ours, name=cls, **arguments)),
        peers=[Entry(f"scikit-learn {cls}", partial(theirs, name=cls, **arguments))],
        quality=weighted_sum,
        tolerance=1e-12,
    )


CASES = (
    case("count-words", "words counted", "CountVectorizer"),
    case("count-pairs-of-words", "words and pairs", "CountVectorizer", ngram_range=(1, 2)),
    case(
        "tfidf", "stop words, min_df=5, tf-idf", "TfidfVectorizer", stop_words="english", min_df=5
    ),
)
