"""Latent semantic analysis."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import LSA
from lowdim.text.lsa import term_weights, weighted

WEIGHTINGS = ("tfidf", "notes", "log-entropy", None)


def counts(rng, n=60, d=30, topics=3):
    """Documents of one topic each, and a few words that all share."""
    phi = rng.dirichlet(np.full(d, 0.1), size=topics)
    return np.array([rng.multinomial(25, phi[i % topics]) for i in range(n)]).astype(float)


def weights_by_hand(X, weighting):
    n = len(X)
    df, count = (X > 0).sum(axis=0), X.sum(axis=0)
    if weighting is None:
        return X
    if weighting == "tfidf":
        A = X * (np.log((n + 1) / (df + 1)) + 1)
        return A / np.maximum(np.linalg.norm(A, axis=1), 1e-300)[:, None]
    if weighting == "notes":
        return np.log10(1 + X) * np.log10(n / np.maximum(df, 1))
    p = X / np.maximum(count, 1)
    entropy = -np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0), axis=0)
    return np.log(1 + X) * (1 - entropy / np.log(n))


# ---- golden values -------------------------------------------------------------------------------


def test_a_word_spread_evenly_weighs_nothing_and_one_of_a_single_document_its_log():
    X = np.array([[2.0, 3.0], [2.0, 0.0], [2.0, 0.0], [2.0, 0.0]])
    lsa = LSA(2, weighting="log-entropy").fit(X)
    np.testing.assert_allclose(lsa.term_weights_, [0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(lsa.singular_values_, [np.log(4), 0.0])


def test_weights_of_the_notes_are_those_of_the_function(rng):
    X = counts(rng)
    A = weighted(X, "notes", LSA(3, weighting="notes").fit(X).term_weights_)
    np.testing.assert_allclose(A.toarray(), lowdim.text.tfidf(X), rtol=1e-12)


def test_codes_are_rows_of_u_s_where_rows_are_documents():
    """With words in the rows, as in the notes' section 17.2, U would be that of words."""
    X = np.array([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    lsa = LSA(2, weighting=None).fit(X)
    np.testing.assert_allclose(lsa.embedding_, [[3.0, 0.0], [0.0, 2.0]], atol=1e-15)
    np.testing.assert_allclose(lsa.components_, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], atol=1e-15)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_codes_are_those_of_the_best_approximation(rng, weighting, kind):
    X = counts(rng)
    A = weights_by_hand(X, weighting)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    lsa = LSA(3, weighting=weighting, random_state=0).fit(kind(X))
    np.testing.assert_allclose(lsa.singular_values_, s[:3], rtol=1e-10)
    best = (U[:, :3] * s[:3]) @ Vt[:3]
    np.testing.assert_allclose(lsa.association(kind(X)), best, atol=1e-8 * s[0])
    np.testing.assert_allclose(lsa.transform(kind(X)), lsa.embedding_, atol=1e-12 * s[0])
    np.testing.assert_allclose(lsa.embedding_ @ lsa.components_, best, atol=1e-8 * s[0])


def test_documents_that_come_later_are_folded_in(rng):
    X = counts(rng)
    lsa = LSA(3, weighting="notes").fit(X[:50])
    df = (X[:50] > 0).sum(axis=0)
    A = np.log10(1 + X[50:]) * np.log10(50 / np.maximum(df, 1))
    np.testing.assert_allclose(lsa.transform(X[50:]), A @ lsa.components_.T, atol=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_streams_and_dask_give_what_memory_gives(rng, weighting):
    da = pytest.importorskip("dask.array")
    X = counts(rng)
    reference = LSA(3, weighting=weighting).fit(X)
    stream = lowdim.stream(lambda: iter([sp.csr_array(X[:7]), sp.csr_array(X[7:])]))
    for rows in (stream, da.from_array(X, chunks=(25, 30))):
        lsa = LSA(3, weighting=weighting).fit(rows)
        np.testing.assert_allclose(lsa.embedding_, reference.embedding_, atol=1e-7)
        np.testing.assert_allclose(lsa.term_weights_, reference.term_weights_, rtol=1e-12)
        np.testing.assert_allclose(lsa.transform(X), reference.embedding_, atol=1e-7)


def test_words_of_no_document_weigh_nothing_that_is_no_number():
    X = np.array([[1.0, 0.0], [2.0, 0.0]])
    for weighting in WEIGHTINGS:
        rows = lowdim.core.blocks.ArrayBlocks(X)
        assert np.isfinite(term_weights(rows, weighting)).all()
        assert np.isfinite(LSA(1, weighting=weighting).fit(X).embedding_).all()


# ---- questions -----------------------------------------------------------------------------------


def test_similar_terms_are_those_with_the_largest_cosines(rng):
    X, names = counts(rng), [f"w{j}" for j in range(30)]
    lsa = LSA(3, names=names).fit(X)
    cosines = lowdim.text.cosine(lsa.components_.T * lsa.singular_values_)
    found = lsa.similar_terms("w4", n=5)
    assert found == lsa.similar_terms(4, n=5)
    values = np.delete(cosines[4], 4)
    np.testing.assert_allclose([value for _, value in found], np.sort(values)[::-1][:5])
    for word, value in found:
        assert value == pytest.approx(cosines[4, names.index(word)])
    assert len(lsa.similar_terms(4, n=29)) == 29


def test_similar_documents_are_found_without_a_word_in_common():
    docs = ["cat dog", "dog pet", "pet animal", "law tax", "tax vote", "vote court"]
    vectorizer = lowdim.CountVectorizer()
    X = vectorizer.fit_transform(docs)
    lsa = LSA(2, random_state=0).fit(X)
    near = lsa.similar_documents(vectorizer.transform(["cat", "court"]), n=3)
    assert sorted(near.index[0]) == [0, 1, 2]
    assert sorted(near.index[1]) == [3, 4, 5]
    assert (near.cosine > 0.9).all()


def test_association_may_be_asked_for_some_words(rng):
    X = counts(rng)
    lsa = LSA(3, names=[f"w{j}" for j in range(30)]).fit(X)
    whole = lsa.association(X[:4])
    np.testing.assert_allclose(lsa.association(X[:4], ["w3", 7]), whole[:, [3, 7]], atol=1e-12)
    np.testing.assert_allclose(lsa.association(X[:4], "w3"), whole[:, [3]], atol=1e-12)


def test_names_come_from_the_columns_of_a_frame(rng):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(counts(rng, d=4), columns=["cat", "dog", "law", "tax"])
    assert {word for word, _ in LSA(2).fit(X).similar_terms("cat", n=3)} == {"dog", "law", "tax"}
    assert LSA(2).fit(X.to_numpy()).similar_terms(0, n=1)[0][0] in (1, 2, 3)


def test_a_model_with_names_comes_back_from_its_file(rng, tmp_path):
    X, vectorizer = counts(rng, d=4), ["cat", "dog", "law", "tax"]
    lsa = LSA(2, names=np.array(vectorizer, dtype=object)).fit(X)
    lsa.save(tmp_path / "lsa.lowdim")
    back = lowdim.load(tmp_path / "lsa.lowdim")
    assert back.similar_terms("dog", 2) == lsa.similar_terms("dog", 2)
    np.testing.assert_array_equal(back.transform(X), lsa.transform(X))


def test_small_corpora_have_fewer_dimensions(rng):
    assert LSA().fit(counts(rng, n=7, d=30)).embedding_.shape == (7, 7)


# ---- the door ------------------------------------------------------------------------------------


def test_what_is_not_there_is_named(rng):
    X = counts(rng)
    lsa = LSA(2).fit(X)
    with pytest.raises(ValueError, match="'cat' is a name, and columns have no names here"):
        lsa.similar_terms("cat")
    with pytest.raises(ValueError, match="term=30 is none of the 30 terms"):
        lsa.similar_terms(30)
    with pytest.raises(ValueError, match="n=30 is more than the 29 other words"):
        lsa.similar_terms(0, n=30)
    with pytest.raises(ValueError, match="n=61 is more than the 60 documents"):
        lsa.similar_documents(X, n=61)
    with pytest.raises(ValueError, match="names has 2 words; there are 30 columns"):
        LSA(2, names=["a", "b"]).fit(X)


def test_negative_values_are_refused_unless_they_are_taken_as_they_are(rng):
    X = rng.normal(size=(20, 5))
    with pytest.raises(ValueError, match=r"Negative values.*set weighting=None"):
        LSA(2).fit(X)
    assert LSA(2, weighting=None).fit(X).embedding_.shape == (20, 2)
