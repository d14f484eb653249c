"""Topics: LDA and PLSA on planted documents, AP and 20newsgroups.

"batch" is compared with scikit-learn's at the same number of passes; quality is the variational
bound of all words, scikit-learn's own, with topics coded in the same way for all.

The others are compared on words that nobody has seen: every tenth document is held out, the shares
of its topics come from half of its words, and the other half is scored under 0.999 theta phi +
0.001 / v. Quality is minus the perplexity. tomotopy takes 200 sweeps; ours stops when its objective
per word falls by less than 0.1, by which it has overtaken.

PLSA is compared with NMF for the Kullback-Leibler divergence, whose maximum is the same: quality is
the log-likelihood of a word.

AP and 20newsgroups are read from the folder that LOWDIM_DATA names.
"""

from __future__ import annotations

import os
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "scikit-learn", "tomotopy", "gensim")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))
ALPHA, ETA, SMOOTHING = 0.1, 0.01, 1e-3
MOST_ROUNDS = 2  # the fit of a peer takes up to a minute


# ---- documents -----------------------------------------------------------------------------------


def planted(shrink: int, n: int = 20000, v: int = 5000, k: int = 50, length: int = 100) -> Any:
    """Documents of about 100 words from 50 topics of 5000 terms."""
    random = np.random.default_rng(0)
    n //= shrink
    theta, phi = random.dirichlet(np.full(k, 0.1), n), random.dirichlet(np.full(v, 0.05), k)
    counts = [
        random.multinomial(m, p / p.sum())
        for m, p in zip(random.poisson(length, n), theta @ phi, strict=True)
    ]
    return sp.csr_array(np.stack(counts).astype(np.float64))


def stored(shrink: int, name: str) -> Any:
    with np.load(DATA / f"{name}_bow.npz", allow_pickle=True) as parts:
        arrays = parts["data"].astype(np.float64), parts["indices"], parts["indptr"]
        X = sp.csr_array(arrays, shape=tuple(parts["shape"]))
    return sp.csr_array(X[: X.shape[0] // shrink])


DOCUMENTS = {
    "planted": (planted, "20000 documents of about 100 words, 5000 terms, 50 planted topics"),
    "ap": (partial(stored, name="ap_news"), "AP: 2246 documents, 10473 terms"),
    "20newsgroups": (partial(stored, name="20newsgroups"), "20newsgroups, counted"),
    "planted-3000": (
        partial(planted, n=3000),
        "3000 documents of about 100 words, 5000 terms, 50 planted topics",
    ),
}
LARGE = {"planted", "20newsgroups"}  # peers take minutes


def learned_from(X: Any) -> Any:
    return sp.csr_array(X[np.arange(X.shape[0]) % 10 != 9])


def held_out(X: Any) -> tuple[Any, Any]:
    """Every tenth document, its words in two halves."""
    X = sp.csr_array(X[9::10])
    first = np.random.default_rng(1).binomial(X.data.astype(np.int64), 0.5).astype(np.float64)
    halves = (
        sp.csr_array((part, X.indices, X.indptr), X.shape) for part in (first, X.data - first)
    )
    return next(halves), next(halves)


# ---- models --------------------------------------------------------------------------------------


class Topics:
    """What every entry returns: p(w | z) but for a factor of each topic, (k, v)."""

    def __init__(self, components: np.ndarray):
        self.components_ = components


def lda(X: Any, k: int, **arguments: Any) -> Any:
    from lowdim import LatentDirichletAllocation

    return LatentDirichletAllocation(k, random_state=0, **arguments).fit(X)


def lda_of_scikit_learn(X: Any, k: int, **arguments: Any) -> Any:
    from sklearn.decomposition import LatentDirichletAllocation

    return LatentDirichletAllocation(k, random_state=0, **arguments).fit(X)


def most(X: Any, fit: Any, **arguments: Any) -> Topics:
    """The topics of all but the documents that are held out."""
    return Topics(fit(learned_from(X), **arguments).components_)


PRIORS = {"doc_topic_prior": ALPHA, "topic_word_prior": ETA}


def words_of(X: Any) -> list[list[str]]:
    names = [str(w) for w in range(X.shape[1])]
    return [
        [names[w] for w, x in zip(terms, counts, strict=True) for _ in range(int(x))]
        for terms, counts in zip(
            np.split(X.indices, X.indptr[1:-1]), np.split(X.data, X.indptr[1:-1]), strict=True
        )
    ]


def tomotopy(X: Any, k: int) -> Topics:
    import tomotopy

    X = learned_from(X)
    model = tomotopy.LDAModel(k=k, alpha=ALPHA, eta=ETA, seed=1)
    for words in words_of(X):
        if words:
            model.add_doc(words)
    model.train(200)
    components = np.full((k, X.shape[1]), 1e-12)
    known = [int(word) for word in model.used_vocabs]
    for z in range(k):
        components[z, known] = model.get_topic_word_dist(z)
    return Topics(components)


def gensim(X: Any, k: int, passes: int) -> Topics:
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    X = learned_from(X)
    names = {w: str(w) for w in range(X.shape[1])}
    corpus = Sparse2Corpus(sp.csc_matrix(X.T))
    model = LdaModel(
        corpus, k, id2word=names, passes=passes, alpha=[ALPHA] * k, eta=ETA, random_state=0
    )
    return Topics(model.get_topics().astype(np.float64))


# ---- quality -------------------------------------------------------------------------------------


def bound(X: Any, model: Any) -> float:
    """The variational bound per word, with the topics of any model coded by ours."""
    from lowdim import LatentDirichletAllocation

    k = len(model.components_)
    judge = LatentDirichletAllocation(k, max_iter=0).fit(X)
    judge.components_ = np.asarray(model.components_, dtype=np.float64)
    return judge.score(X) / X.sum()


def completion(X: Any, model: Topics) -> float:
    """Minus the perplexity of held-out words."""
    from lowdim import LatentDirichletAllocation

    phi = model.components_ / model.components_.sum(axis=1, keepdims=True)
    judge = LatentDirichletAllocation(
        len(phi), max_iter=0, tol=0, learning_method="map", **PRIORS
    ).fit(X)
    judge.components_ = phi
    seen, unseen = held_out(X)
    theta = judge.transform(seen)
    unseen.eliminate_zeros()
    document = np.repeat(np.arange(unseen.shape[0]), np.diff(unseen.indptr))
    p = np.concatenate(
        [
            np.einsum("ij,ij->i", theta[document[run]], phi.T[unseen.indices[run]])
            for run in np.array_split(np.arange(unseen.nnz), 1 + unseen.nnz // 50000)
        ]
    )
    p = (1.0 - SMOOTHING) * p + SMOOTHING / X.shape[1]
    return -float(np.exp(-(unseen.data @ np.log(p)) / unseen.data.sum()))


# ---- PLSA ----------------------------------------------------------------------------------------


def plsa(X: Any, k: int, **arguments: Any) -> Any:
    from lowdim import PLSA

    return PLSA(k, random_state=0, **arguments).fit(X)


def nmf(X: Any, k: int, max_iter: int) -> Any:
    from sklearn.decomposition import NMF

    arguments = {"solver": "mu", "beta_loss": "kullback-leibler", "init": "nndsvda"}
    return NMF(k, max_iter=max_iter, tol=0, **arguments).fit(X)


def likelihood(X: Any, model: Any) -> float:
    """The log-likelihood of a word, with the likeliest shares."""
    from lowdim import PLSA

    judge = PLSA(len(model.components_), max_iter=1).fit(X)
    components = np.asarray(model.components_, dtype=np.float64)
    judge.components_ = components / components.sum(axis=1, keepdims=True)
    return judge.score(X)


# ---- one document at a time ----------------------------------------------------------------------

CALLS = 200


@cache
def fitted(library: str, k: int) -> Any:
    learn = lda if library == "lowdim" else lda_of_scikit_learn
    return learn(stored(1, "ap_news"), k, max_iter=2)


def one_by_one(X: Any, library: str, k: int) -> np.ndarray:
    """Shares of documents that come alone, as they do to a service."""
    model = fitted(library, k)
    return np.concatenate([model.transform(X[[i]]) for i in range(CALLS)])


def sum_of_shares(X: Any, shares: np.ndarray) -> float:
    return float(shares.sum()) / len(shares)


# ---- cases ---------------------------------------------------------------------------------------


def batch_case(name: str, k: int) -> Case:
    make, about = DOCUMENTS[name]
    return Case(
        name=f"batch-{name}-{k}",
        about=f"LDA by variational Bayes, ten passes, {k} topics. {about}.",
        make=make,
        ours=Entry("lowdim batch", partial(lda, k=k)),
        peers=[Entry("scikit-learn batch", partial(lda_of_scikit_learn, k=k))],
        quality=bound,
        tolerance=5e-3,
        warm_rows=200,
        most_rounds=MOST_ROUNDS,
        big=name in LARGE,
    )


def completion_case(name: str, k: int) -> Case:
    make, about = DOCUMENTS[name]
    arguments = {"learning_method": "map", "tol": 0.1, **PRIORS}
    return Case(
        name=f"map-{name}-{k}",
        about=f"LDA, {k} topics: perplexity of held-out words. {about}.",
        make=make,
        ours=Entry("lowdim map", partial(most, fit=lda, k=k, **arguments)),
        peers=[
            Entry("tomotopy, 200 sweeps", partial(tomotopy, k=k)),
            *(
                Entry(f"gensim, {passes} passes", partial(gensim, k=k, passes=passes))
                for passes in ((1, 10) if name in LARGE else (1,))
            ),
            Entry(
                "scikit-learn online",
                partial(most, fit=lda_of_scikit_learn, k=k, learning_method="online", **PRIORS),
            ),
        ],
        quality=completion,
        tolerance=1e-2,
        warm_rows=200,
        most_rounds=MOST_ROUNDS,
        big=name in LARGE,
    )


def plsa_case(name: str, k: int) -> Case:
    make, about = DOCUMENTS[name]
    return Case(
        name=f"plsa-{name}-{k}",
        about=f"PLSA, {k} topics: log-likelihood of a word. {about}.",
        make=make,
        ours=Entry("lowdim PLSA", partial(plsa, k=k, tol=1e-3)),
        peers=[Entry("scikit-learn NMF mu, 100 steps", partial(nmf, k=k, max_iter=100))],
        quality=likelihood,
        tolerance=1e-3,
        warm_rows=200,
        most_rounds=1,
        big=name in LARGE,
    )


CASES = [
    Case(
        name="one-document-at-a-time",
        about=f"Shares of 50 topics in {CALLS} documents, each by a call of transform. AP.",
        make=partial(stored, name="ap_news"),
        ours=Entry("lowdim", partial(one_by_one, library="lowdim", k=50)),
        peers=[Entry("scikit-learn", partial(one_by_one, library="sklearn", k=50))],
        quality=sum_of_shares,
        tolerance=1e-9,
        warm_rows=CALLS,
    ),
    batch_case("ap", 20),
    batch_case("20newsgroups", 20),
    batch_case("planted", 50),
    completion_case("ap", 50),
    completion_case("planted-3000", 50),
    completion_case("20newsgroups", 50),
    completion_case("planted", 50),
    plsa_case("ap", 20),
    plsa_case("20newsgroups", 20),
]
