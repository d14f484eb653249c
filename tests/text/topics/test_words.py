"""What topics say of words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.linalg.similar import similar_rows
from tests.text.topics.examples import emptied, plain_step, planted

MODELS = {
    "PLSA": lambda k: lowdim.PLSA(k, random_state=0, tol=1e-5),
    "LDA": lambda k: lowdim.LatentDirichletAllocation(k, random_state=0),
    "map": lambda k: lowdim.LatentDirichletAllocation(k, learning_method="map", random_state=0),
}
each_model = pytest.mark.parametrize("name", MODELS)


def test_similar_rows_are_those_of_the_largest_cosine(rng):
    rows = rng.random((12, 3)) * np.logspace(-200, 10, 12)[:, None]
    unit = rows / np.abs(rows).max(axis=1, keepdims=True)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    found = list(zip(*similar_rows(rows, 4, 3), strict=True))
    cosine = unit @ unit[4]
    cosine[4] = -np.inf
    assert [w for w, _ in found] == list(np.argsort(-cosine)[:3])
    np.testing.assert_allclose([c for _, c in found], np.sort(cosine)[::-1][:3])


def test_a_row_of_zeros_is_like_none():
    found = similar_rows(np.array([[1.0, 0.0], [0.0, 0.0]]), 0, 5)
    assert list(zip(*found, strict=True)) == [(1, 0.0)]


@each_model
def test_terms_of_one_topic_are_similar(name):
    pd = pytest.importorskip("pandas")
    X = np.kron(np.eye(2), np.full((6, 3), 5.0))
    model = MODELS[name](2).fit(pd.DataFrame(X, columns=list("abcdef")))
    assert {term for term, _ in model.similar_terms("a", 2)} == {"b", "c"}
    assert {term for term, _ in model.similar_terms(0, 2)} == {1, 2}
    named = model.similar_terms("t0", 2, names=[f"t{j}" for j in range(model.components_.shape[1])])
    assert {term for term, _ in named} == {"t1", "t2"}
    cosines = [cosine for _, cosine in model.similar_terms("a", 5)]
    assert len(cosines) == 5 and cosines == sorted(cosines, reverse=True)
    assert cosines[1] > 0.99 and cosines[2] < 0.5


def test_word_topics_of_plsa_are_the_expectation_step(rng):
    X, _, _ = planted(rng)
    X = emptied(X, 5)
    model = lowdim.PLSA(3, random_state=0).fit(X)
    found = model.word_topics(X, smallest=0.0).toarray()
    theta, B = model.transform(X), model.components_.T
    document, term = X.nonzero()
    joint = theta[document] * B[term]
    np.testing.assert_allclose(found, joint / joint.sum(axis=1, keepdims=True), atol=1e-9)
    by_document = plain_step(X, theta, B)[1]
    sums = sp.csr_array((X.data, (document, np.arange(X.nnz))), shape=(60, X.nnz)) @ found
    np.testing.assert_allclose(sums, by_document, atol=1e-8)


@each_model
def test_word_topics_sum_to_one_and_are_sparse(rng, name):
    X, _, _ = planted(rng, k=4)
    model = MODELS[name](4).fit(X)
    whole = model.word_topics(X, smallest=0.0)
    assert whole.shape == (X.nnz, 4)
    np.testing.assert_allclose(whole.sum(axis=1), 1.0)
    few = model.word_topics(X, smallest=0.2)
    assert few.nnz < whole.nnz and few.data.min() >= 0.2
    dense = whole.toarray()
    np.testing.assert_array_equal(few.toarray(), np.where(dense >= 0.2, dense, 0.0))
    streamed = model.word_topics(lowdim.stream(lambda: iter([X[:20], X[20:]])), smallest=0.0)
    np.testing.assert_allclose(streamed.toarray(), dense, atol=1e-12)
    np.testing.assert_allclose(
        model.word_topics(X.toarray(), smallest=0.0).toarray(), dense, atol=1e-12
    )


def test_word_topics_of_documents_without_words_are_none():
    model = lowdim.LatentDirichletAllocation(2, random_state=0).fit(np.eye(3))
    assert model.word_topics(np.zeros((4, 3))).shape == (0, 2)
    with pytest.raises(ValueError, match="smallest=2"):
        model.word_topics(np.eye(3), smallest=2)
