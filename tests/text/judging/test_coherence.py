"""Coherence: do the words of a topic keep company?"""

import warnings
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.text import coherence
from lowdim.text.judging.coherence import EPS, MissingWordsWarning, npmi

WINDOWS = {"npmi": 10, "umass": None, "uci": 10, "cv": 110}
WORDS = list("abcdefghijkl")
TOPICS = [list("abcd"), list("bdfhj"), list("kla")]


def texts(rng, n=30, most=40, repeats=True):
    lengths = rng.integers(1, most if repeats else len(WORDS), size=n)
    return [rng.choice(WORDS, size=length, replace=repeats).tolist() for length in lengths]


def by_hand(topic, documents, measure, window):
    """The definitions of Röder, Both and Hinneburg, window after window."""
    sets = []
    for document in documents:
        size = len(document) if window is None else window
        starts = range(max(len(document) - size + 1, 1))
        sets += [set(document[start : start + size]) for start in starts]

    def p(*words):
        return sum(set(words) <= one for one in sets) / len(sets)

    def log_ratio(a, b):
        return np.log((p(a, b) + EPS) / (p(a) * p(b)))

    def normed(a, b):
        return log_ratio(a, b) / -np.log(p(a, b) + EPS)

    if measure == "cv":
        vectors = np.array([[normed(a, b) for b in topic] for a in topic])
        whole = vectors.sum(axis=0)
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole)
        return np.mean(vectors @ whole / lengths)
    if measure == "umass":
        pairs = [(topic[i], topic[j]) for i in range(len(topic)) for j in range(i)]
        return np.mean([np.log((p(a, b) + EPS) / p(b)) for a, b in pairs])
    value = log_ratio if measure == "uci" else normed
    return np.mean([value(a, b) for a, b in combinations(topic, 2)])


# ---- golden values -------------------------------------------------------------------------------


def test_values_worked_by_hand():
    docs = [["a", "b"], ["a", "b", "c"], ["a"], ["c"]]
    # P(a) = 3/4, P(b) = 1/2, P(a, b) = 1/2
    umass = coherence([["a", "b"], ["b", "a"]], docs, measure="umass")
    np.testing.assert_allclose(umass, [np.log(2 / 3), 0.0], atol=1e-11)
    np.testing.assert_allclose(coherence([["a", "b"]], docs, measure="uci"), np.log(4 / 3))
    ratio = np.log(4 / 3) / np.log(2)
    np.testing.assert_allclose(coherence([["a", "b"]], docs), ratio)
    # vectors (v_aa, v_ab) = (1, r), (r, 1): both have the same cosine with their sum
    cosine = (1 + ratio) / np.sqrt(2 * (1 + ratio**2))
    np.testing.assert_allclose(coherence([["a", "b"]], docs, measure="cv"), cosine)


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("window", [None, 1, 3, "document"])
@pytest.mark.parametrize("measure", WINDOWS)
def test_coherence_is_what_windows_say_one_by_one(rng, measure, window):
    documents = texts(rng)
    used = WINDOWS[measure] if window is None else None if window == "document" else window
    values = coherence(TOPICS, documents, measure=measure, window=window)
    expected = [by_hand(topic, documents, measure, used) for topic in TOPICS]
    np.testing.assert_allclose(values, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("measure", "name"), [("npmi", "c_npmi"), ("umass", "u_mass"), ("uci", "c_uci"), ("cv", "c_v")]
)
def test_without_repeated_words_it_is_gensims(rng, measure, name):
    models = pytest.importorskip("gensim.models")
    dictionary_of = pytest.importorskip("gensim.corpora").Dictionary
    documents = [text for text in texts(rng, n=60, repeats=False) if set(text) & set("abcdfhjkl")]
    documents.append(WORDS)
    dictionary = dictionary_of(documents)
    peer = models.CoherenceModel(
        topics=TOPICS,
        texts=documents,
        corpus=[dictionary.doc2bow(text) for text in documents],
        dictionary=dictionary,
        coherence=name,
        processes=1,
    )
    values = coherence(TOPICS, documents, measure=measure)
    np.testing.assert_allclose(values, peer.get_coherence_per_topic(), rtol=1e-9)


@pytest.mark.parametrize("measure", WINDOWS)
def test_documents_of_every_kind_give_the_same(rng, measure):
    documents = texts(rng)
    expected = coherence(TOPICS, documents, measure=measure, window="document")
    vectorizer = lowdim.CountVectorizer(token_pattern=r"\w")
    joined = [" ".join(document) for document in documents]
    counts = vectorizer.fit_transform(joined)
    of_counts = coherence(TOPICS, (counts, vectorizer), measure=measure)
    np.testing.assert_array_equal(of_counts, expected)
    dense = (counts.toarray(), vectorizer.get_feature_names_out())
    np.testing.assert_array_equal(coherence(TOPICS, dense, measure=measure), expected)
    plain = coherence(TOPICS, documents, measure=measure)
    for docs in (joined, lowdim.corpus(joined), (text for text in joined)):
        found = coherence(TOPICS, docs, measure=measure, vectorizer=vectorizer)
        np.testing.assert_array_equal(found, plain)


def test_a_dask_bag_holds_texts_or_lists_of_words(rng):
    bag = pytest.importorskip("dask.bag")
    documents = texts(rng)
    expected = coherence(TOPICS, documents)
    np.testing.assert_array_equal(
        coherence(TOPICS, bag.from_sequence(documents, npartitions=3)), expected
    )
    joined = bag.from_sequence([" ".join(document) for document in documents], npartitions=3)
    vectorizer = lowdim.CountVectorizer(token_pattern=r"\w")
    np.testing.assert_array_equal(coherence(TOPICS, joined, vectorizer=vectorizer), expected)


def test_texts_are_cut_as_a_vectorizer_cuts_them():
    docs = ["The ARGUED point", "arguing a point", "nothing here", "a cat"]
    vectorizer = lowdim.CountVectorizer(stemmer=lambda word: word[:4], ngram_range=(1, 2))
    value = coherence([["argu", "poin"]], docs, vectorizer=vectorizer, window="document")
    assert value[0] == pytest.approx(1.0)


# ---- properties ----------------------------------------------------------------------------------


def test_a_word_that_stands_in_a_window_twice_counts_once():
    docs = [["a", "b", "a"], ["a", "c"], ["c"]]
    once = [["a", "b"], ["a", "c"], ["c"]]
    topics = [["a", "b"], ["a", "c"]]
    np.testing.assert_array_equal(coherence(topics, docs), coherence(topics, once))


def test_words_of_every_window_have_an_npmi_of_one():
    docs = [["a", "b"], ["b", "a"]]
    assert coherence([["a", "b"]], docs).tolist() == [1.0]
    assert coherence([["a", "b"]], docs, measure="cv") == pytest.approx(1.0)
    np.testing.assert_array_equal(npmi(np.ones((2, 2)), np.ones(2)), np.ones((2, 2)))


@pytest.mark.parametrize("measure", WINDOWS)
def test_a_topic_does_not_depend_on_the_others(rng, measure):
    documents = texts(rng, most=15)
    together = coherence(TOPICS, documents, measure=measure)
    alone = [coherence([topic], documents, measure=measure)[0] for topic in TOPICS]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


@pytest.mark.parametrize("measure", WINDOWS)
def test_words_that_docs_lack_are_left_out_with_a_warning(rng, measure):
    documents = texts(rng)
    with pytest.warns(MissingWordsWarning, match=r"2 words .* \('yy', 'zz'\)"):
        values = coherence([["a", "zz", "b"], ["a", "zz"], ["yy"]], documents, measure=measure)
    assert np.isfinite(values).all()
    assert values[0] == coherence([["a", "b"]], documents, measure=measure)[0]
    never = {"npmi": -1.0, "cv": 0.0}.get(measure, np.log(EPS))
    assert values[1:].tolist() == [never, never]


def test_words_that_columns_lack_are_left_out_too():
    counts = sp.csr_array([[1, 2], [1, 0], [0, 1]])
    with pytest.warns(MissingWordsWarning, match="'c'"):
        value = coherence([["a", "c", "b"]], (counts, ["a", "b"]))
    assert value[0] == coherence([["a", "b"]], (counts, ["a", "b"]))[0]


def test_words_that_never_stand_together_are_no_nan():
    docs = [["a"], ["b"], ["a"], ["b"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for measure in WINDOWS:
            assert np.isfinite(coherence([["a", "b"]], docs, measure=measure)).all()
    # log(e / (P(a) P(b))) / -log(e), where e = 1e-12
    np.testing.assert_allclose(coherence([["a", "b"]], docs), -1 + np.log(4) / -np.log(EPS))


def test_words_twice_in_a_topic_count_once(rng):
    documents = texts(rng)
    np.testing.assert_array_equal(
        coherence([["a", "b", "a"]], documents), coherence([["a", "b"]], documents)
    )


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((["a", "b"], [["a"]]), TypeError, r"topics\[0\] is a text \('a'\), not a list of words"),
        (("ab", [["a"]]), TypeError, "topics is a text"),
        (([], [["a"]]), ValueError, "topics has no words"),
        (([["a", "b"]], []), ValueError, "docs have no words"),
        (([["a", "b"]], [[], []]), ValueError, "docs have no words"),
        (([["a", "b"]], "a b"), ValueError, "string object received"),
        (([["a", "b"]], [["a"], "b"]), TypeError, "docs has texts and lists of words"),
        (([["a", "b"]], (np.eye(2), ["a"])), ValueError, "names has 1 words; there are 2 columns"),
    ],
)
def test_what_cannot_be_judged_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        coherence(*arguments)


def test_arguments_are_checked():
    docs = [["a", "b"]]
    with pytest.raises(ValueError, match=r"measure='c_v' is not known; choose one of 'npmi'"):
        coherence([["a", "b"]], docs, measure="c_v")
    with pytest.raises(ValueError, match="window=0 is too small"):
        coherence([["a", "b"]], docs, window=0)
    with pytest.raises(ValueError, match="window=5 needs the order of words"):
        coherence([["a", "b"]], (np.eye(2), ["a", "b"]), window=5)
