"""Gibbs sampling of LDA beside tomotopy: equal sweeps, priors and threads.

Documents come from the folder that LOWDIM_DATA names, or are planted: 20000 of 100 words with 50
topics. A tenth of the documents is held out. Quality is minus the perplexity of the second half of
their words, given shares that are fitted to the first half; it is the same function for all, from
topics that are counts plus the prior. tomotopy finds its documents as lists of words, made before
anything is timed.
"""

from __future__ import annotations

import os
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "numba", "scipy", "tomotopy")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))
FILES = {"ap": "ap_news_bow.npz", "20newsgroups": "20newsgroups_bow.npz"}
ALPHA, ETA = 0.1, 0.01
PLANTED = (20_000, 5_000, 50, 100)  # documents, terms, topics, words of a document


class Topics:
    """What every entry returns: counts of words by topic, plus the prior."""

    def __init__(self, components: np.ndarray) -> None:
        self.components = components

    @property
    def topics(self) -> np.ndarray:
        """p(word | topic): made when the quality is asked for, not while a fit is measured."""
        return self.components / self.components.sum(axis=1, keepdims=True)


def ours(X: sparse.csr_array, k: int, sweeps: int) -> Topics:
    from lowdim import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        k, doc_topic_prior=ALPHA, topic_word_prior=ETA, learning_method="gibbs",
        max_iter=sweeps, random_state=0,
    )  # fmt: skip
    return Topics(model.fit(X).components_)


def tomotopy(X: sparse.csr_array, k: int, sweeps: int) -> Topics:
    import tomotopy as tp

    model = tp.LDAModel(k=k, alpha=ALPHA, eta=ETA, seed=1)
    model.optim_interval = 0
    for words in as_lists(X):
        if words:
            model.add_doc(words)
    model.train(sweeps, workers=2)
    known = [int(word) for word in model.used_vocabs]
    tokens = model.get_count_by_topics() + ETA * len(known)
    topics = np.full((k, X.shape[1]), ETA)  # words that it has not seen have the prior
    for j in range(k):
        topics[j, known] = tokens[j] * np.asarray(model.get_topic_word_dist(j))
    return Topics(topics)


_lists: dict[tuple, list] = {}


def as_lists(X: sparse.csr_array) -> list[list[str]]:
    """Documents as lists of words, made once in a process."""
    key = (X.shape, X.nnz)
    if key not in _lists:
        names = [str(j) for j in range(X.shape[1])]
        counts, ends = X.data.astype(int), X.indptr
        _lists[key] = [
            [names[j] for j in np.repeat(X.indices[a:b], counts[a:b])] for a, b in pairwise(ends)
        ]
    return _lists[key]


# --- Data and quality -------------------------------------------------------------------------


@cache
def counts_of(name: str) -> sparse.csr_array:
    if name == "planted":
        return planted(*PLANTED)
    file = np.load(DATA / FILES[name])
    parts = (file["data"].astype(np.float64), file["indices"], file["indptr"])
    return sparse.csr_array(parts, shape=tuple(file["shape"]))


def planted(n: int, v: int, k: int, length: int) -> sparse.csr_array:
    random = np.random.default_rng(0)
    topics = random.dirichlet(np.full(v, 0.05), size=k)
    z = np.concatenate(
        [random.choice(k, size=length, p=random.dirichlet(np.full(k, 0.1))) for _ in range(n)]
    )
    word, u = np.empty(len(z), dtype=np.int64), random.random(len(z))
    for j in range(k):
        word[z == j] = np.searchsorted(np.cumsum(topics[j]), u[z == j]).clip(max=v - 1)
    doc = np.repeat(np.arange(n), length)
    X = sparse.coo_array((np.ones(len(z)), (doc, word)), shape=(n, v)).tocsr()
    X.sum_duplicates()
    return X


def documents(shrink: int, name: str, held_out: bool = False) -> sparse.csr_array:
    """Nine of ten documents, or the tenth."""
    X = counts_of(name)
    X = X[: X.shape[0] // shrink]
    X = X[(np.arange(X.shape[0]) % 10 == 0) == held_out]
    return sparse.csr_array(
        (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape
    )


def minus_perplexity(X: sparse.csr_array, found: Topics, name: str) -> float:
    """Of the second halves of documents held out; shares from the first by 100 steps of EM."""
    shrink = round(0.9 * counts_of(name).shape[0] / X.shape[0])
    held_out = documents(shrink, name, held_out=True)
    random = np.random.default_rng(0)
    log_p, words, topics = 0.0, 0.0, found.topics
    for a, b in pairwise(held_out.indptr):
        count, B = held_out.data[a:b], topics[:, held_out.indices[a:b]].T  # (words, k)
        first = random.binomial(count.astype(int), 0.5)
        theta = np.full(B.shape[1], 1.0 / B.shape[1])
        for _ in range(100):
            theta = ALPHA + theta * ((first / (B @ theta)) @ B)
            theta /= theta.sum()
        log_p += (count - first) @ np.log(B @ theta)
        words += (count - first).sum()
    return -float(np.exp(-log_p / words))


def case(name: str, k: int, sweeps: int = 100) -> Case:
    return Case(
        name=f"gibbs-{name}-{k}",
        about=f"LDA by {sweeps} sweeps of Gibbs sampling, {name}, k = {k}.",
        make=partial(documents, name=name),
        ours=Entry("lowdim", partial(ours, k=k, sweeps=sweeps)),
        peers=[Entry("tomotopy", partial(tomotopy, k=k, sweeps=sweeps))],
        quality=partial(minus_perplexity, name=name),
        tolerance=0.02,
        warm_rows=200,
        most_rounds=2,
        big=name != "ap",  # peers take a minute
    )


CASES = (
    *(case("ap", k) for k in (20, 50, 100, 400)),
    *(case("20newsgroups", k) for k in (20, 100, 400)),
    case("planted", 50),
)
