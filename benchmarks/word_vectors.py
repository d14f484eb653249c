"""Word vectors: neighbours, analogies, files and alignment.

Neighbours: the 10 nearest of 5,000 in 30,000 words (d = 100), and of all of 20,000 (d = 300).
Quality is the share of the true neighbours.

Analogies: Google's 19,544 questions on 30,000 words with planted steps. Quality is the share of
some hundred questions for which sorting all scores says the same. The questions are read from the
folder that LOWDIM_DATA names.

Files: 20,000 words, text and binary. Quality is 1 if all numbers come back.

Vectors have a spectrum that falls as 1/sqrt(j), as trained ones have.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scikit-learn", "gensim", "faiss-cpu")
TOP = 10
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))


def vectors(shrink: int, n: int, d: int) -> np.ndarray:
    random = np.random.default_rng(0)
    return (random.normal(size=(n // shrink, d)) / np.sqrt(np.arange(1, d + 1))).astype(np.float32)


@cache
def names(n: int) -> list[str]:
    return [f"w{i}" for i in range(n)]


def units_of(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


# --- Neighbours -------------------------------------------------------------------------------


def nearest_ours(X: np.ndarray, m: int) -> np.ndarray:
    from lowdim import WordVectors

    return WordVectors(names(len(X)), X).nearest(names(len(X))[:m], TOP).index


def nearest_faiss(X: np.ndarray, m: int) -> np.ndarray:
    import faiss

    units = units_of(X)
    index = faiss.IndexFlatIP(X.shape[1])
    index.add(units)
    return index.search(units[:m], TOP + 1)[1][:, 1:]


def nearest_sklearn(X: np.ndarray, m: int) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    units = units_of(X)
    model = NearestNeighbors(n_neighbors=TOP + 1, algorithm="brute").fit(units)
    return model.kneighbors(units[:m], return_distance=False)[:, 1:]


def nearest_gensim(X: np.ndarray, m: int) -> np.ndarray:
    wv = keyed(X)
    words = names(len(X))
    asked = (wv.most_similar(word, topn=TOP) for word in words[:m])
    return np.array([[wv.key_to_index[word] for word, _ in found] for found in asked])


def keyed(X: np.ndarray, words: list[str] | None = None) -> Any:
    from gensim.models import KeyedVectors

    wv = KeyedVectors(X.shape[1])
    wv.add_vectors(words or names(len(X)), X)
    return wv


def true_neighbours(X: np.ndarray, found: np.ndarray) -> float:
    """The share of true neighbours, of some words."""
    units = units_of(X.astype(np.float64))
    some = np.arange(0, len(found), max(1, len(found) // 100))
    cosines = units[some] @ units.T
    cosines[np.arange(len(some)), some] = -np.inf
    best = np.argsort(-cosines, axis=1)[:, :TOP]
    shared = [len(set(a) & set(b)) for a, b in zip(best, found[some], strict=True)]
    return float(np.mean(shared) / TOP)


# --- Analogies --------------------------------------------------------------------------------


@cache
def questions(shrink: int) -> dict[str, list[tuple[str, str, str, str]]]:
    from lowdim.datasets import load_analogies

    found = load_analogies(DATA / "questions-words.txt.gz")
    return {
        name: [tuple(word.lower() for word in words) for words in some[::shrink]]
        for name, some in found.items()
    }


@cache
def analogy_words(n: int) -> list[str]:
    asked = dict.fromkeys(w for some in questions(1).values() for q in some for w in q)
    words = [*asked, *(f"zz{i}" for i in range(n - len(asked)))]
    return [words[i] for i in np.random.default_rng(1).permutation(n)]


def planted(shrink: int, n: int = 30_000, d: int = 100) -> np.ndarray:
    """Vectors in which the words of each section of questions are a step apart, with noise."""
    random = np.random.default_rng(0)
    X = vectors(1, n, d)
    place = {word: i for i, word in enumerate(analogy_words(n))}
    for some in questions(1).values():
        step = 0.5 * random.normal(size=d) / np.sqrt(np.arange(1, d + 1))
        for a, b, _, _ in some:
            noise = 0.7 * random.normal(size=d) / np.sqrt(np.arange(1, d + 1))
            X[place[b]] = X[place[a]] + step + noise
    return X


def analogies_ours(X: np.ndarray, shrink: int) -> dict[str, Any]:
    from lowdim import WordVectors

    wv = WordVectors(analogy_words(len(X)), X)
    return wv.evaluate_word_analogies(questions(shrink))[1][-1]


def analogies_gensim(X: np.ndarray, shrink: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "questions.txt"
        path.write_text(
            "".join(
                f": {name}\n" + "".join(" ".join(words) + "\n" for words in some)
                for name, some in questions(shrink).items()
            )
        )
        return keyed(X, analogy_words(len(X))).evaluate_word_analogies(str(path))[1][-1]


def same_answers(X: np.ndarray, found: dict[str, Any]) -> float:
    units, words = units_of(X.astype(np.float64)), analogy_words(len(X))
    place = {word.upper(): i for i, word in enumerate(words)}
    agreed = []
    for key in ("correct", "incorrect"):
        for question in found[key][:: max(1, len(found[key]) // 100)]:
            a, b, c, d = (place[word] for word in question)
            scores = units @ (units[b] + units[c] - units[a])
            scores[[a, b, c]] = -np.inf
            agreed.append((np.argmax(scores) == d) == (key == "correct"))
    return float(np.mean(agreed))


# --- Files ------------------------------------------------------------------------------------


@cache
def written(n: int, d: int, binary: bool) -> str:
    """A file of the vectors of a case, once by process."""
    from lowdim import WordVectors

    path = os.path.join(tempfile.mkdtemp(), "vectors")
    WordVectors(names(n), vectors(1, n, d)).save_word2vec_format(path, binary=binary)
    return path


def read_ours(X: np.ndarray, binary: bool) -> np.ndarray:
    from lowdim import WordVectors

    return WordVectors.load_word2vec_format(written(*X.shape, binary), binary=binary).vectors


def read_gensim(X: np.ndarray, binary: bool) -> np.ndarray:
    from gensim.models import KeyedVectors

    return KeyedVectors.load_word2vec_format(written(*X.shape, binary), binary=binary).vectors


def all_there(X: np.ndarray, found: np.ndarray) -> float:
    return float(np.array_equal(found, vectors(1, *X.shape)))


def nearest_case(n: int, d: int, m: int) -> Case:
    return Case(
        name=f"nearest-{m}-of-{n}x{d}",
        about=f"The {TOP} nearest of {m} words among {n} by the cosine, d = {d}, float32.",
        make=partial(vectors, n=n, d=d),
        ours=Entry("lowdim", partial(nearest_ours, m=m)),
        peers=[
            Entry("faiss flat", partial(nearest_faiss, m=m)),
            Entry("scikit-learn brute", partial(nearest_sklearn, m=m)),
        ],
        quality=true_neighbours,
        tolerance=1e-3,
    )


def file_case(binary: bool) -> Case:
    kind = "binary" if binary else "text"
    return Case(
        name=f"read-{kind}",
        about=f"Reading 20,000 words with 100 numbers each from a {kind} file.",
        make=partial(vectors, n=20_000, d=100),
        ours=Entry("lowdim", partial(read_ours, binary=binary)),
        peers=[Entry("gensim", partial(read_gensim, binary=binary))],
        quality=all_there,
        tolerance=0.0,
    )


CASES = [
    nearest_case(30_000, 100, 5_000),
    nearest_case(20_000, 300, 20_000),
    Case(
        name="one-by-one",
        about="The 10 nearest of 500 words among 30,000: gensim is asked a word at a time.",
        make=partial(vectors, n=30_000, d=100),
        ours=Entry("lowdim", partial(nearest_ours, m=500)),
        peers=[Entry("gensim", partial(nearest_gensim, m=500))],
        quality=true_neighbours,
        tolerance=1e-3,
    ),
    Case(
        name="analogies",
        about="One in forty of Google's analogies among 30,000 words, d = 100, float32.",
        make=planted,
        ours=Entry("lowdim", partial(analogies_ours, shrink=40)),
        peers=[Entry("gensim", partial(analogies_gensim, shrink=40))],
        quality=same_answers,
        tolerance=1e-2,
    ),
    Case(
        name="all-analogies",
        about="All 19,544 of Google's analogies among 30,000 words, d = 100, float32.",
        make=planted,
        ours=Entry("lowdim", partial(analogies_ours, shrink=1)),
        peers=[Entry("gensim", partial(analogies_gensim, shrink=1))],
        quality=same_answers,
        tolerance=1e-2,
        big=True,
    ),
    file_case(binary=False),
    file_case(binary=True),
]
