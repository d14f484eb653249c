"""What models of words share."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.text.embeddings.base import WordModel, balanced

TEXT = ["the cat drinks milk", "the dog drinks water", "a cat and a dog eat"] * 3


class Model(WordModel):
    """The least that a model of words is."""

    def __init__(self, window=2, min_count=1, max_final_vocab=None, tokenizer="words"):
        self.window, self.min_count = window, min_count
        self.max_final_vocab, self.tokenizer = max_final_vocab, tokenizer
        self.combine = "word"

    def fit(self, X, y=None):
        self._publish_words(self._counts_of(X))
        return self


# ---- the gauge -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(30, 20, 5), (30, 4, 6), (3, 2, 5), (400, 300, 8)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["double", "single"])
def test_balanced_factors_have_the_same_product_and_equal_squares(rng, shape, dtype):
    n, d, k = shape
    W, C = rng.normal(size=(n, k)).astype(dtype), rng.normal(size=(d, k)).astype(dtype)
    W_new, C_new = balanced(W, C)
    assert W_new.shape == W.shape and C_new.shape == C.shape
    assert W_new.dtype == C_new.dtype == dtype
    tol = 1e-12 if dtype is np.float64 else 1e-4
    np.testing.assert_allclose(W_new @ C_new.T, W @ C.T, atol=tol * 10)
    squares = W_new.T @ W_new
    np.testing.assert_allclose(squares, C_new.T @ C_new, atol=tol * 100)
    np.testing.assert_allclose(squares, np.diag(np.diag(squares)), atol=tol * 100)
    assert (np.diff(np.diag(squares)) <= tol * 100).all()


def test_any_two_factors_of_one_product_are_balanced_alike(rng):
    W, C, M = rng.normal(size=(30, 4)), rng.normal(size=(20, 4)), rng.normal(size=(4, 4))
    first, second = balanced(W, C), balanced(W @ M, C @ np.linalg.inv(M).T)
    for left, right in zip(first, second, strict=True):
        np.testing.assert_allclose(left, right, atol=1e-9)


# ---- what comes in -------------------------------------------------------------------------------


def test_text_becomes_counts_of_pairs():
    model = Model()
    counts = model._counts_of(TEXT)
    tokens = lowdim.text.read_tokens(TEXT, min_count=1)
    expected = lowdim.text.cooccurrence(tokens, window=2)
    np.testing.assert_array_equal(counts.rows.in_memory.toarray(), expected.toarray())
    model._publish_words(counts)
    assert model.words_ == tokens.words and model.n_features_in_ == len(tokens.words)
    np.testing.assert_array_equal(model.counts_, tokens.counts)


def test_rows_of_a_matrix_have_names_or_numbers():
    pd = pytest.importorskip("pandas")
    X = np.arange(6.0).reshape(3, 2)
    frame = pd.DataFrame(X, index=["x", "y", "z"], columns=["a", "b"])
    for given, words in (
        (X, ["0", "1", "2"]),
        (sp.csr_array(X), ["0", "1", "2"]),
        (frame, ["x", "y", "z"]),
        (frame.reset_index(drop=True), ["0", "1", "2"]),
        (frame.set_axis(["x", "x", "z"]), ["0", "1", "2"]),
        (lowdim.stream(lambda: iter([X[:1], X[1:]])), ["0", "1", "2"]),
    ):
        model = Model()
        model._publish_words(model._counts_of(given))
        assert model.words_ == words
        np.testing.assert_array_equal(model.counts_, X.sum(axis=1))


def test_vectors_of_texts_are_means_of_those_of_their_words():
    model = Model()
    model.words_, model.counts_ = ["a", "b"], np.array([2, 1])
    model.vectors_ = np.array([[1.0, 0.0], [0.0, 3.0]])
    found = model._text_vectors(["a b, A", "zzz", "", ["b"]])
    np.testing.assert_allclose(found, [[2 / 3, 1.0], [0, 0], [0, 0], [0, 3]], rtol=1e-15)
    assert model._text_vectors(iter(["a"])).shape == (1, 2)


def test_words_and_vectors_answer_as_word_vectors():
    model = Model()
    model.words_, model.counts_ = ["a", "b"], np.array([2, 1])
    model.vectors_ = np.eye(2)
    assert isinstance(model.wv, lowdim.WordVectors)
    assert model.wv.index_to_key == ["a", "b"]
    assert model.wv is model.wv  # `model.wv[word]` in a loop makes one
    model.vectors_ = np.ones((2, 3))
    np.testing.assert_array_equal(model.wv["b"], np.ones(3))


def test_vectors_are_combined_where_contexts_are_the_words():
    model, W, C = Model(), np.ones((3, 2)), np.full((3, 2), 5.0)
    for combine, value in (("word", 1.0), ("sum", 6.0), ("context", 5.0), ("average", 3.0)):
        model.combine = combine
        assert (model._combined(W, C) == value).all()
        assert model._combined(W, C[:2]) is W


# ---- the door ------------------------------------------------------------------------------------


def refused(error, message, X, **arguments):
    with pytest.raises(error, match=message):
        Model(**arguments)._counts_of(X)


def test_the_door():
    refused(ValueError, "There are no words", ["..."])
    refused(
        ValueError, "No word stands min_count=9.*'a' is the commonest with 6", TEXT, min_count=9
    )
    refused(ValueError, r"only one word of min_count=1, 'so' \(3 times\)", ["so so so"])
    refused(ValueError, r"No two of the 2 words stand near each other", ["a", "b"])
    refused(ValueError, "window=0 must be", TEXT, window=0)
    refused(ValueError, "tokenizer='word'", TEXT, tokenizer="word")
    refused(ValueError, "Negative values in data passed to Model: X has -1", [[1.0, -1.0]])
    refused(ValueError, "X has NaN in 1 of 2 columns", [[1.0, np.nan]])
    refused(TypeError, r"Document 0 has 1 \(int\)", ([1, 2] for _ in range(2)))
    message = r"row 1 has 1 value.* If these numbers stand for words, write them as text"
    refused(ValueError, message, [[5, 3, 7], [2]])
    refused(FileNotFoundError, "no file", "nowhere.txt")
    with pytest.raises(ValueError, match="window='sentence' has no distances"):
        Model(window="sentence")._counts_of(TEXT, "harmonic")
