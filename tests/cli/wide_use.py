"""Everything that a person may do with small data, of every kind, layout and type of index."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags

import lowdim
from tests.estimators.examples import CONFIGURED, DEFAULTS, METHODS, table


def use_everything():
    """Fit every model of the common tests to every kind of X, and call its methods."""
    with warnings.catch_warnings(), lowdim.config_context(progress=False):
        warnings.simplefilter("ignore")
        for number, model in enumerate(DEFAULTS + CONFIGURED):
            is_default, model = number < len(DEFAULTS), clone(model)
            if "max_iter" in model.get_params():
                model.set_params(max_iter=3)
            row = METHODS[type(model).__name__]
            if row.family == "deep":  # torch's, but for what they may call
                given = [table(n=50)] if is_default else []
            else:
                given = kinds(row) if is_default else odd_kinds(row)
            for X in given:
                try:
                    use(model, X)
                except (ValueError, TypeError):  # what a configuration does not take
                    continue
        count_words()
        learn_words()
        judge_maps()
        find_neighbors()


def judge_maps():
    """Judge maps of data of every kind, in every way."""
    X = np.random.default_rng(0).normal(size=(50, 4))
    holes = np.where(X > 2, np.nan, X)
    for rows in (X, np.asfortranarray(X), X.astype(np.float32), X.round(), holes, sp.csc_array(X)):
        for Y in (X[:, :2], np.asfortranarray(X[:, :2].astype(np.float32))):
            for sample in (None, 20):
                lowdim.map_quality(rows, Y, n_neighbors=3, sample=sample)
        lowdim.shepard(rows, X[:, :2], metric="euclidean", n_pairs=100)
    D = np.abs(X[:, :1] - X[:, :1].T)
    for metric in ("cosine", "correlation", "manhattan"):
        lowdim.continuity(X, D[:, :20], metric=metric)
    lowdim.trustworthiness(D.T, X[:, :2], metric="precomputed")


def find_neighbors():
    """Find neighbours in every way that kernels know."""
    for dtype in (np.float64, np.float32):
        X = table(200, dtype=dtype)
        odd = np.asfortranarray(X)
        odd.flags.writeable = False
        for rows in (X, odd, sp.csr_array(X), sp.csc_array(X), np.round(X)):
            for metric in ("euclidean", "cosine", "correlation", "chebyshev"):
                try:
                    lowdim.neighbors(rows, 3, metric=metric)
                except TypeError:  # sparse rows, of which not every metric is known
                    continue


def learn_words():
    """Learn vectors of words in every way that kernels know."""
    docs = [["the", "cat", "and", "dog"] * 3, ["a", "cat"]]
    for sg in (0, 1):
        for arguments in (
            {"bias": True, "window": (1, 2), "negative": 20, "sample": 1},
            {"cbow_mean": False, "window": {-1, 2}, "shrink_windows": False},
            {"window": "sentence", "combine": "sum", "pooling": "sif"},
        ):
            model = lowdim.Word2Vec(3, sg=sg, min_count=1, epochs=2, **{"sample": 0} | arguments)
            model.fit(docs).partial_fit(["a cat and a bird"]).transform(docs)


def count_words():
    """Count words in every way that kernels know."""
    docs = ["the cat and the dog", "Ein naïver Gast \N{GRINNING FACE}", "", "ΟΔΟΣ İstanbul cat"]
    for arguments in (
        {},
        {"ngram_range": (2, 3), "stop_words": ["the"], "lowercase": False},
        {"stemmer": lambda word: word[:3], "max_word_length": 4, "strip_accents": "unicode"},
        {"vocabulary": ["cat", "dog"], "token_pattern": "[a-z]+"},
    ):
        vectorizer = lowdim.CountVectorizer(**arguments).fit(docs)
        X = vectorizer.partial_fit(docs).transform(docs)
        lowdim.text.cosine(X, X.astype(np.float32).tocsc(), top=2)
        lowdim.text.cosine(X, X.toarray())
        if "ngram_range" not in arguments:
            for window in (3, (1, 2)):
                lowdim.text.cooccurrence(docs, vectorizer, window=window, weighting="harmonic")
    tokens = lowdim.text.read_tokens([*docs, ["cat", "dog"]], min_count=1)
    for window in (2, {-1, 3}, "sentence"):
        lowdim.text.cooccurrence(tokens, window=window)
        lowdim.PMIVectors(2, window=window, min_count=1).fit(docs).transform(docs)
    for measure, given in (
        ("cv", docs),
        ("umass", [["cat", "dog"]]),
        ("npmi", (np.eye(2), docs[:2])),
    ):
        lowdim.text.coherence([["cat", "dog", docs[0], docs[1]]], given, measure=measure)


def kinds(row):
    """X as it comes: in other orders, read-only, as integers, sparse, with missing values."""
    X = table(n=50)
    turned = np.repeat(X, 2, axis=0)[::2, ::-1]
    turned.flags.writeable = False
    yield from (turned, np.asfortranarray(X.astype(np.float32)), X.round().astype(int))
    if row.nan:
        Y = table(n=50, missing=0.2)
        yield from (np.repeat(Y, 2, axis=0)[::2], np.asfortranarray(Y.astype(np.float32)))
    if row.sparse:
        S = sp.csr_array(np.where(X > 10, X, 0.0))
        wide = S.copy()
        wide.indices, wide.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
        yield from (wide, S.astype(np.float32).tocsc())
    if row.stream:
        yield lowdim.stream(lambda: iter(np.split(X, [20, 21])))


def odd_kinds(row):
    """One of each: what comes in is made alike at one door, whatever the arguments of a model."""
    X = table(n=50)
    yield np.asfortranarray(X.astype(np.float32))
    if row.nan:
        yield np.repeat(table(n=50, missing=0.2), 2, axis=0)[::2]
    if row.sparse:
        S = sp.csr_array(np.where(X > 10, X, 0.0))
        S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
        yield S


def use(model, X):
    """Fit, with weights too where they are taken, and every method that takes X."""
    targets = [np.arange(50) % 2] if get_tags(model).target_tags.required else []
    model.fit(X, *targets)
    for name in ("transform", "predict", "predict_proba", "score_samples", "impute"):
        if hasattr(model, name):
            getattr(model, name)(X)
    if hasattr(model, "score"):
        model.score(X, *targets)
    if METHODS[type(model).__name__].weights:
        clone(model).fit(X, *targets, sample_weight=np.linspace(0.5, 2.0, 50))
    if hasattr(model, "partial_fit"):
        clone(model).partial_fit(X, *targets)
    if hasattr(model, "word_topics"):
        model.word_topics(X)
    if hasattr(model, "word_topics") and hasattr(model, "score_samples"):
        model.score_samples(model.sample(3)[0], method="left-to-right", n_samples=2)
