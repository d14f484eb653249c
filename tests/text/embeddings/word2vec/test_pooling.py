import numpy as np
import pytest

from lowdim.text.embeddings.word2vec import pooling
from lowdim.text.tokens import Tokens

VECTORS = np.array([[1.0, 0.0], [0.0, 2.0], [4.0, 4.0]], dtype=np.float32)
COUNTS = np.array([90, 9, 1])
TEXT = Tokens(
    ["a", "b", "c"], COUNTS, np.array([0, 1, 0, 2, 1], dtype=np.int32), np.array([0, 3, 3, 5])
)


def test_a_text_has_the_mean_of_its_words():
    Z = pooling.pooled(TEXT, VECTORS, pooling.word_weights(COUNTS, "mean"))
    np.testing.assert_allclose(Z, [[2 / 3, 2 / 3], [0, 0], [2, 3]], rtol=1e-6)
    assert Z.dtype == np.float32


def test_sif_weighs_words_by_how_rare_they_are():
    weights = pooling.word_weights(COUNTS, "sif")
    np.testing.assert_allclose(weights, 1e-3 / (1e-3 + COUNTS / 100))
    Z = pooling.pooled(TEXT, VECTORS, weights)
    expected = (weights[2] * VECTORS[2] + weights[1] * VECTORS[1]) / 2
    np.testing.assert_allclose(Z[2], expected, rtol=1e-6)


def test_the_common_direction_is_the_first_singular_vector(rng):
    vectors = rng.normal(size=(3, 4)).astype(np.float32) + 1
    u = pooling.common_direction(TEXT, vectors, COUNTS)
    Z = pooling.pooled(TEXT, vectors, pooling.word_weights(COUNTS, "sif"))
    expected = np.linalg.svd(Z)[2][0]
    assert abs(u @ expected) == pytest.approx(1, abs=1e-5)
    rest = pooling.without_direction(Z, u)
    np.testing.assert_allclose(rest @ u, 0, atol=1e-6)
    np.testing.assert_array_equal(rest[1], 0)


def test_some_sentences_are_those_with_words_evenly_over_the_text():
    some = pooling.some_sentences(TEXT, 5)
    assert some.ids.tolist() == [0, 1, 0, 2, 1]
    assert some.starts.tolist() == [0, 3, 5]
    ids = np.arange(100, dtype=np.int32) % 3
    many = Tokens(["a", "b", "c"], COUNTS, ids, np.arange(0, 101, 2))
    some = pooling.some_sentences(many, 5)
    assert some.starts.tolist() == [0, 2, 4, 6, 8, 10]
    assert some.ids.tolist() == [int(ids[i]) for s in range(0, 100, 20) for i in (s, s + 1)]
