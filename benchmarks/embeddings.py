"""Words, and word vectors learned, from a file of English Wikipedia, beside gensim and fastText.

The rows of a case are numbers of articles, read from the folder that LOWDIM_DATA names. Their words
are written to a file, an article a line, before anything is timed; from there on each reads for
itself: file to vectors of 100 numbers, a window of 5, 5 negative samples, words that stand 5 times.
Quality is the share of Google's analogies that are answered rightly among the 30,000 commonest
words; beside it, in the table, Spearman's correlation with people's judgements of pairs (MEN).
Differences of half a point in a hundred are by chance.

gensim's `corpus_file` with n workers lets the learning rate fall by 1 / n of what it says in the
last epoch: each worker holds the words that it has seen against those of the whole file.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "numba", "gensim", "fasttext-wheel")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))
SIZE, COMMONEST, WORKERS = 100, 30_000, 2


class Vectors(NamedTuple):
    """What every entry returns."""

    words: list[str]
    vectors: np.ndarray


def articles() -> Iterator[str]:
    with gzip.open(DATA / "wikipedia_sample.txt.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")[1]


@cache
def file_of(first: int, n: int, step: int) -> str:
    """A file of these articles; the same for all that are asked for in one process.

    One article after the other: what all of them take would count as memory of the fit.
    """
    folder = tempfile.mkdtemp(prefix="lowdim-bench-")
    path = Path(folder) / "text.txt"
    with path.open("w", encoding="utf-8") as file:
        for article in islice(articles(), first, first + n * step, step):
            file.write(article + "\n")
    return str(path)


def path_of(X: np.ndarray) -> str:
    step = int(X[1, 0] - X[0, 0]) if len(X) > 1 else 1
    return file_of(int(X[0, 0]), len(X), step)


def numbers(shrink: int) -> np.ndarray:
    return np.arange(0, sum(1 for _ in articles()), shrink)[:, None]


def ours(X: np.ndarray, **arguments: Any) -> Vectors:
    import lowdim

    model = lowdim.Word2Vec(SIZE, tokenizer="split", random_state=1, **arguments)
    model.fit(path_of(X))
    return Vectors(model.words_, model.vectors_)


def by_gensim(X: np.ndarray, **arguments: Any) -> Vectors:
    from gensim.models import Word2Vec

    model = Word2Vec(corpus_file=path_of(X), vector_size=SIZE, workers=WORKERS, seed=1, **arguments)
    return Vectors(model.wv.index_to_key, model.wv.vectors)


def by_fasttext(X: np.ndarray, sg: int, epochs: int) -> Vectors:
    import fasttext

    model = fasttext.train_unsupervised(
        path_of(X), model="skipgram" if sg else "cbow", dim=SIZE, epoch=epochs, minCount=5,
        maxn=0, t=1e-3, lr=0.025, thread=WORKERS, verbose=0,
    )  # fmt: skip
    words = [word for word in model.get_words() if word != "</s>"]
    return Vectors(words, np.array([model.get_word_vector(word) for word in words]))


def by_pmi(X: np.ndarray) -> Vectors:
    import lowdim

    model = lowdim.PMIVectors(SIZE, tokenizer="split", random_state=1).fit(path_of(X))
    return Vectors(model.words_, model.vectors_)


def read_by_ours(X: np.ndarray) -> int:
    """How many words are kept."""
    import lowdim

    return len(lowdim.text.read_tokens(path_of(X), tokenizer="split"))


def read_by_gensim(X: np.ndarray) -> int:
    from gensim.models import Word2Vec

    model = Word2Vec(min_count=5)
    model.build_vocab(corpus_file=path_of(X))
    return sum(model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key)


def n_words(X: np.ndarray, found: int) -> float:
    return float(found)


def analogies(X: np.ndarray, found: Vectors) -> float:
    """Share of right answers among the commonest words."""
    import lowdim

    questions = lowdim.datasets.load_analogies(DATA / "questions-words.txt.gz")
    wv = lowdim.WordVectors(list(found.words), found.vectors)
    return float(wv.evaluate_word_analogies(questions, restrict_vocab=COMMONEST)[0])


def judgements(found: Vectors) -> str:
    """Correlation with MEN."""
    import csv

    import lowdim

    with open(DATA / "word_similarity.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == "men"]
    pairs = [(row["word1"], row["word2"], float(row["score"])) for row in rows]
    wv = lowdim.WordVectors(list(found.words), found.vectors)
    return f"MEN {wv.evaluate_word_pairs(pairs)[1][0]:.3f}"


def case(name: str, about: str, sg: int, epochs: int, big: bool) -> Case:
    how = {"sg": sg, "epochs": epochs}
    return Case(
        name=name,
        about=f"Wikipedia, 17,821 articles of 15.6 million words: {about}.",
        make=numbers,
        ours=Entry("lowdim Word2Vec", partial(ours, **how)),
        peers=[
            Entry("gensim Word2Vec", partial(by_gensim, **how)),
            Entry("fastText", partial(by_fasttext, **how)),
        ],
        quality=analogies,
        tolerance=0.04,
        warm_rows=100,
        remark=judgements,
        big=big,
    )


CASES = (
    Case(
        name="read",
        about="all articles of the sample: cut into words and counted.",
        make=numbers,
        ours=Entry("lowdim read_tokens", read_by_ours),
        peers=[Entry("gensim build_vocab", read_by_gensim)],
        quality=n_words,
        tolerance=1e-12,
    ),
    case("skip-gram", "skip-gram, 1 epoch", 1, 1, True),
    case("cbow", "CBOW, 3 epochs", 0, 3, True),
    Case(
        name="pmi",
        about="the same articles: a decomposition of PMI, beside 1 epoch of skip-gram.",
        make=numbers,
        ours=Entry("lowdim PMIVectors", by_pmi),
        peers=[
            Entry("lowdim Word2Vec", partial(ours, sg=1, epochs=1)),
            Entry("gensim Word2Vec", partial(by_gensim, sg=1, epochs=1)),
        ],
        quality=analogies,
        tolerance=0.04,
        warm_rows=100,
        remark=judgements,
        big=True,
    ),
)
