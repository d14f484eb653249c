"""Text to numbers of words, pairs of words near each other, and vectors by their information.

The rows of a case are numbers of articles of the Wikipedia sample, which are written to a text file
once per process, from the folder that LOWDIM_DATA names. Everything starts from that file.

Quality: of reading, how many words are kept; of vectors, the share of Google's analogies among the
30,000 commonest words that they solve. gensim's skip-gram makes one pass.
"""

from __future__ import annotations

import atexit
import gzip
import os
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "gensim")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
ARTICLES = 17_821
WORDS = 30_000


def numbers(shrink: int) -> np.ndarray:
    return np.arange(ARTICLES // shrink)[:, None]


@cache
def text_file(n: int) -> str:
    """The first n articles, one in a line, without their titles."""
    path = Path(tempfile.gettempdir()) / f"lowdim-articles-{n}-{os.getpid()}.txt"
    atexit.register(path.unlink)
    with gzip.open(DATA / "wikipedia_sample.txt.gz", "rt", encoding="utf-8") as lines:
        path.write_text("".join(line.split("\t")[1] for line in islice(lines, n)))
    return os.fspath(path)


# --- Reading ------------------------------------------------------------------------------------


def read_ours(X: np.ndarray) -> int:
    import lowdim

    return len(lowdim.text.read_tokens(text_file(len(X))))


def read_gensim(X: np.ndarray) -> int:
    from gensim.models import Word2Vec

    model = Word2Vec(min_count=5)
    model.build_vocab(corpus_file=text_file(len(X)))
    return sum(model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key)


def n_words(X: np.ndarray, found: int) -> float:
    return float(found)


# --- Vectors ------------------------------------------------------------------------------------


def vectors_ours(X: np.ndarray) -> tuple[list[str], np.ndarray]:
    import lowdim

    model = lowdim.PMIVectors(100, random_state=0).fit(text_file(len(X)))
    return model.words_, model.vectors_


def vectors_gensim(X: np.ndarray) -> tuple[list[str], np.ndarray]:
    from gensim.models import Word2Vec

    arguments = {"vector_size": 100, "sg": 1, "epochs": 1, "workers": os.cpu_count() or 1}
    model = Word2Vec(corpus_file=text_file(len(X)), seed=1, **arguments)
    return model.wv.index_to_key, model.wv.vectors


def analogies(X: np.ndarray, found: Any) -> float:
    """The share of questions whose answer is the nearest word to b - a + c."""
    words, vectors = found[0][:WORDS], found[1][:WORDS]
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    number = {word: i for i, word in enumerate(words)}
    with gzip.open(DATA / "questions-words.txt.gz", "rt") as lines:
        asked = [line.lower().split() for line in lines if not line.startswith(":")]
    known = np.array([[number[w] for w in q] for q in asked if all(w in number for w in q)])
    right = 0
    for q in np.array_split(known, len(known) // 1000 + 1):
        scores = (units[q[:, 1]] - units[q[:, 0]] + units[q[:, 2]]) @ units.T
        np.put_along_axis(scores, q[:, :3], -np.inf, axis=1)
        right += int((scores.argmax(axis=1) == q[:, 3]).sum())
    return right / len(known)


CASES = (
    Case(
        name="text-to-numbers",
        about="Wikipedia sample (17,821 articles, 92 MB): cut into words and counted.",
        make=numbers,
        ours=Entry("lowdim read_tokens", read_ours),
        peers=[Entry("gensim build_vocab", read_gensim)],
        quality=n_words,
        tolerance=1e-12,
    ),
    Case(
        name="pmi-vectors",
        about="Wikipedia sample (17,821 articles, 92 MB): 100 dimensions, file to vectors.",
        make=numbers,
        ours=Entry("lowdim PMIVectors", vectors_ours),
        peers=[Entry("gensim skip-gram", vectors_gensim)],
        quality=analogies,
        big=True,
    ),
)
